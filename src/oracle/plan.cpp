// Plans as DuckDB SQL: one common table expression a node, so that the text grows with the plan and not faster. A
// node's columns are c0, c1, ...; a node without columns has z, so that it has rows. Where an order must reach the top
// (or a LIMIT), a sort adds o, the row's place, and the nodes above carry it.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "oracle/clauses.hpp"
#include "oracle/oracle.hpp"
#include "oracle/text.hpp"

namespace weft::oracle {
namespace {

using plan::ExprPtr;
using plan::Node;

constexpr const char* kSecondRow = "'More than one row returned by a subquery used as an expression'";

// c0 .. c(count-1), each behind `prefix`.
Columns column_names(size_t count, const std::string& prefix = "c") {
  Columns names;
  for (size_t i = 0; i < count; ++i) names.push_back(prefix + std::to_string(i));
  return names;
}

Columns concatenated(Columns left, const Columns& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

Columns chosen(const Columns& columns, const std::vector<uint32_t>& positions) {
  Columns names;
  for (const uint32_t position : positions) names.push_back(columns.at(position));
  return names;
}

std::string where(const std::vector<ExprPtr>& conjuncts, const Columns& columns) {
  return conjuncts.empty() ? "" : " WHERE " + joined(expressions(conjuncts, columns), " AND ");
}

// ---- scans

using FileRange = std::pair<size_t, size_t>;

// Runs of files that have the same constants.
std::vector<FileRange> runs_of_equal_constants(const std::vector<plan::ScanFile>& files) {
  std::vector<FileRange> runs;
  for (size_t i = 0; i < files.size(); ++i) {
    if (!runs.empty() && files[runs.back().first].constants == files[i].constants) {
      runs.back().second = i + 1;
    } else {
      runs.emplace_back(i, i + 1);
    }
  }
  return runs;
}

bool has_row_number(const plan::Scan& scan) {
  for (const plan::ScanColumn& column : scan.columns) {
    if (column.kind == plan::ScanColumn::Kind::FileRowNumber) return true;
  }
  return false;
}

std::string read_parquet(const plan::Scan& scan, FileRange range) {
  Columns paths;
  for (size_t i = range.first; i < range.second; ++i) paths.push_back(quoted_text(scan.files[i].path));
  std::string text = "read_parquet([" + joined(paths, ", ") + "], hive_partitioning = false";
  bool by_union = false;
  for (const plan::ScanColumn& column : scan.columns) by_union = by_union || column.null_if_missing;
  if (by_union) text += ", union_by_name = true";
  if (has_row_number(scan)) text += ", file_row_number = true";
  return text + ")";
}

// SELECT of all `scan.columns`, as f0, f1, ..., over files with the same constants.
std::string select_files(const plan::Scan& scan, FileRange range) {
  Columns texts;
  size_t next_constant = 0;
  for (size_t i = 0; i < scan.columns.size(); ++i) {
    const plan::ScanColumn& column = scan.columns[i];
    std::string text;
    switch (column.kind) {
      case plan::ScanColumn::Kind::File:
        text = quoted_name(column.name);
        break;
      case plan::ScanColumn::Kind::FileConstant:
        text = scan.files[range.first].constants.at(next_constant++).to_sql();
        break;
      case plan::ScanColumn::Kind::FileRowNumber:
        text = "file_row_number";
        break;
    }
    texts.push_back(typed(text, column.type) + " AS f" + std::to_string(i));
  }
  if (texts.empty()) texts.push_back("0 AS z");
  return "SELECT " + joined(texts, ", ") + " FROM " + read_parquet(scan, range);
}

// ---- joins

std::string condition(const plan::Join& join, const Columns& left, const Columns& right) {
  Columns texts;
  for (const plan::JoinKey& key : join.keys) {
    texts.push_back("(" + write_expression(*key.left, left) + (key.null_equal ? " IS NOT DISTINCT FROM " : " = ") +
                    write_expression(*key.right, right) + ")");
  }
  if (join.asof) {
    texts.push_back("(" + write_expression(*join.asof->left, left) + " " + plan::to_string(join.asof->compare) + " " +
                    write_expression(*join.asof->right, right) + ")");
  }
  if (join.residual) {
    const std::string residual = write_expression(*join.residual, concatenated(left, right));
    // DuckDB takes every comparison of the two sides for an order, and wants one.
    texts.push_back(join.asof ? "CASE WHEN " + residual + " THEN true ELSE false END" : residual);
  }
  return texts.empty() ? "true" : joined(texts, " AND ");
}

class Writer {
 public:
  Writer(const plan::Plan& plan, const std::vector<std::string>& source_tables) : plan_(plan), tables_(source_tables) {}

  std::string run() {
    const Written root = write(*plan_.root, true);
    std::string text = "WITH " + joined(definitions_, ",\n");
    const size_t width = plan_.root->output.size();
    text += "\nSELECT " + (width == 0 ? "z" : joined(column_names(width), ", ")) + " FROM " + root.name;
    return root.ordered ? text + " ORDER BY o" : text;
  }

 private:
  struct Written {
    std::string name;
    bool ordered = false;  // has the column o
  };

  const plan::Plan& plan_;
  const std::vector<std::string>& tables_;
  std::vector<std::string> definitions_;
  std::map<uint32_t, std::string> ctes_;

  // What a node selects: an output without columns is one 0, to be called z.
  static std::string selected(Columns columns, bool ordered) {
    if (columns.empty()) columns.push_back("0");
    if (ordered) columns.push_back("o");
    return joined(columns, ", ");
  }

  Written define(const Node& node, const std::string& select, bool ordered = false) {
    const std::string name = "n" + std::to_string(node.id);
    Columns columns = column_names(node.output.size());
    if (columns.empty()) columns.push_back("z");
    if (ordered) columns.push_back("o");
    definitions_.push_back(name + "(" + joined(columns, ", ") + ") AS NOT MATERIALIZED (" + select + ")");
    return {name, ordered};
  }

  // `need_order`: the rows' order matters to whoever reads them.
  Written write(const Node& node, bool need_order) {
    return std::visit([&](const auto& body) { return write_body(node, body, need_order); }, node.body);
  }

  Written write_body(const Node& node, const plan::Scan& scan, bool) {
    const Columns columns = column_names(scan.columns.size(), "f");
    const std::string outputs = selected(chosen(columns, scan.projection), false);
    if (scan.files.empty()) return define(node, empty_row(node));
    Columns selects;
    for (const FileRange& run : runs_of_equal_constants(scan.files)) selects.push_back(select_files(scan, run));
    return define(
        node, "SELECT " + outputs + " FROM (" + joined(selects, " UNION ALL ") + ")" + where(scan.filters, columns));
  }

  Written write_body(const Node& node, const plan::HostSource& source, bool) {
    const Columns columns = column_names(node.output.size());
    const std::string alias = columns.empty() ? "" : " AS t(" + joined(columns, ", ") + ")";
    return define(node, "SELECT " + selected(columns, false) + " FROM " + tables_.at(source.source) + alias);
  }

  static std::string empty_row(const Node& node) {
    Columns nulls;
    for (const plan::Column& column : node.output) nulls.push_back(plan::Value::null(column.type).to_sql());
    return "SELECT " + selected(nulls, false) + " WHERE false";
  }

  Written write_body(const Node& node, const plan::Values& values, bool) {
    if (values.rows.empty()) return define(node, empty_row(node));
    Columns rows;
    for (const std::vector<plan::Value>& row : values.rows) {
      Columns texts;
      for (const plan::Value& value : row) texts.push_back(value.to_sql());
      rows.push_back("(" + selected(texts, false) + ")");
    }
    return define(node, "VALUES " + joined(rows, ", "));
  }

  Written write_body(const Node& node, const plan::Filter& filter, bool need_order) {
    const Written child = write(*node.children[0], need_order);
    const Columns columns = column_names(node.children[0]->output.size());
    return define(node,
                  "SELECT " + selected(chosen(columns, filter.projection), child.ordered) + " FROM " + child.name +
                      where(filter.conjuncts, columns),
                  child.ordered);
  }

  Written write_body(const Node& node, const plan::Project& project, bool need_order) {
    const Written child = write(*node.children[0], need_order);
    const Columns columns = column_names(node.children[0]->output.size());
    return define(
        node, "SELECT " + selected(expressions(project.expressions, columns), child.ordered) + " FROM " + child.name,
        child.ordered);
  }

  Written write_body(const Node& node, const plan::Aggregate& aggregate, bool) {
    const Written child = write(*node.children[0], false);
    const Columns columns = column_names(node.children[0]->output.size());
    if (!aggregate.grouping_sets.empty() || !aggregate.groupings.empty()) {
      return define(node, grouping_sets(aggregate, child, columns));
    }
    Columns texts = expressions(aggregate.groups, columns);
    for (const plan::AggregateCall& call : aggregate.aggregates) texts.push_back(write_aggregate(call, columns));
    std::string select = "SELECT " + joined(texts, ", ") + " FROM " + child.name;
    Columns groups;
    for (size_t i = 0; i < aggregate.groups.size(); ++i) groups.push_back(std::to_string(i + 1));
    if (!groups.empty()) select += " GROUP BY " + joined(groups, ", ");
    return define(node, select);
  }

  // The groups get names of their own first: DuckDB takes equal expressions for one group, and GROUPING() wants names.
  static std::string grouping_sets(const plan::Aggregate& aggregate, const Written& child, const Columns& columns) {
    const Columns names = column_names(aggregate.groups.size(), "g");
    const Columns groups = expressions(aggregate.groups, columns);
    std::string from = "SELECT *";
    for (size_t i = 0; i < groups.size(); ++i) from += ", " + groups[i] + " AS " + names[i];
    Columns texts = names;
    for (const plan::AggregateCall& call : aggregate.aggregates) texts.push_back(write_aggregate(call, columns));
    for (const std::vector<uint32_t>& grouping : aggregate.groupings) {
      texts.push_back("GROUPING(" + joined(chosen(names, grouping), ", ") + ")");
    }
    Columns sets;
    for (const std::vector<uint32_t>& set : aggregate.grouping_sets) {
      sets.push_back("(" + joined(chosen(names, set), ", ") + ")");
    }
    return "SELECT " + joined(texts, ", ") + " FROM (" + from + " FROM " + child.name + ") GROUP BY " +
           (sets.empty() ? joined(names, ", ") : "GROUPING SETS (" + joined(sets, ", ") + ")");
  }

  // A window promises no order of its rows, whatever its child's is.
  Written write_body(const Node& node, const plan::Window& window, bool) {
    const Written child = write(*node.children[0], false);
    const Columns columns = column_names(node.children[0]->output.size());
    const Columns calls = write_window_calls(window, columns);
    return define(node, "SELECT " + joined(concatenated(columns, calls), ", ") + " FROM " + child.name);
  }

  // The child's columns, and o as their place by the keys.
  static std::string numbered(const Node& node, const Written& child, const std::vector<plan::SortKey>& keys) {
    const Columns columns = column_names(node.output.size());
    return "SELECT " + selected(columns, false) + (columns.empty() ? " AS z" : "") + ", row_number() OVER (" +
           order_by(keys, columns) + ") AS o FROM " + child.name;
  }

  Written write_body(const Node& node, const plan::Sort& sort, bool need_order) {
    const Written child = write(*node.children[0], false);
    if (need_order) return define(node, numbered(node, child, sort.keys), true);
    const Columns columns = column_names(node.output.size());
    return define(node,
                  "SELECT " + selected(columns, false) + " FROM " + child.name + " " + order_by(sort.keys, columns));
  }

  Written write_body(const Node& node, const plan::TopN& top_n, bool need_order) {
    const Written child = write(*node.children[0], false);
    const Columns columns = column_names(node.output.size());
    if (need_order) {
      const std::string last = std::to_string(top_n.offset) + " + CAST(" + std::to_string(top_n.limit) + " AS HUGEINT)";
      return define(node,
                    "SELECT * FROM (" + numbered(node, child, top_n.keys) + ") WHERE o > " +
                        std::to_string(top_n.offset) + " AND o <= " + last,
                    true);
    }
    return define(node, "SELECT " + selected(columns, false) + " FROM " + child.name + " " +
                            order_by(top_n.keys, columns) + " LIMIT " + std::to_string(top_n.limit) + " OFFSET " +
                            std::to_string(top_n.offset));
  }

  Written write_body(const Node& node, const plan::Limit& limit, bool) {
    const Written child = write(*node.children[0], true);
    std::string select = "SELECT " + selected(column_names(node.output.size()), child.ordered) + " FROM " + child.name;
    if (child.ordered) select += " ORDER BY o";
    if (limit.limit) select += " LIMIT " + std::to_string(*limit.limit);
    if (limit.offset > 0) select += " OFFSET " + std::to_string(limit.offset);
    return define(node, select, child.ordered);
  }

  Written write_body(const Node& node, const plan::Union&, bool) {
    Columns selects;
    for (const plan::NodePtr& child : node.children) {
      const Written written = write(*child, false);
      selects.push_back("SELECT " + selected(column_names(child->output.size()), false) + " FROM " + written.name);
    }
    return define(node, joined(selects, " UNION ALL "));
  }

  Written write_body(const Node& node, const plan::CteDefinition& cte, bool need_order) {
    const Node& definition = *node.children[0];
    const Written written = write(definition, false);
    // Materialized under a name of its own: a LIMIT without an order must give all readers the same rows.
    const std::string name = "cte" + std::to_string(cte.cte);
    Columns columns = column_names(definition.output.size());
    if (columns.empty()) columns.push_back("z");
    definitions_.push_back(name + "(" + joined(columns, ", ") + ") AS MATERIALIZED (SELECT " + joined(columns, ", ") +
                           " FROM " + written.name + ")");
    ctes_[cte.cte] = name;
    return write(*node.children[1], need_order);
  }
  Written write_body(const Node&, const plan::CteReference& cte, bool) { return {ctes_.at(cte.cte), false}; }

  // ---- joins
  Written write_body(const Node& node, const plan::Join& join, bool) {
    const Written left = write(*node.children[0], false);
    const Written right = write(*node.children[1], false);
    const Columns left_columns = column_names(node.children[0]->output.size(), "l.c");
    const Columns right_columns = column_names(node.children[1]->output.size(), "r.c");
    const std::string on = condition(join, left_columns, right_columns);
    const std::string left_from = " FROM " + left.name + " AS l" + (join.asof ? " ASOF" : "");
    const std::string right_from = right.name + " AS r";
    const Columns left_output = chosen(left_columns, join.left_output);
    const std::string outputs = selected(concatenated(left_output, chosen(right_columns, join.right_output)), false);
    const std::string exists = "EXISTS (SELECT 1 FROM " + right_from + " WHERE " + on + ")";
    const bool keeps_right = join.kind == plan::JoinKind::Right || join.kind == plan::JoinKind::Full;
    if (join.asof && keeps_right) return define(node, outer_asof_join(node, join, left, right, on));
    switch (join.kind) {
      case plan::JoinKind::Inner:
        return define(node, "SELECT " + outputs + left_from + " JOIN " + right_from + " ON " + on);
      case plan::JoinKind::Left:
        return define(node, "SELECT " + outputs + left_from + " LEFT JOIN " + right_from + " ON " + on);
      case plan::JoinKind::Right:
        return define(node, "SELECT " + outputs + left_from + " RIGHT JOIN " + right_from + " ON " + on);
      case plan::JoinKind::Full:
        return define(node, "SELECT " + outputs + left_from + " FULL JOIN " + right_from + " ON " + on);
      case plan::JoinKind::Semi:
        return define(node, "SELECT " + outputs + left_from + " WHERE " + exists);
      case plan::JoinKind::Anti:
        return define(node, "SELECT " + outputs + left_from + " WHERE NOT " + exists);
      case plan::JoinKind::Mark: {
        const std::string mark =
            join.mark_three_valued ? three_valued_mark(join, left_columns, right_columns, right_from, on) : exists;
        return define(node, "SELECT " + joined(concatenated(left_output, {mark}), ", ") + left_from);
      }
      case plan::JoinKind::Single:
        return define(node, single_join(node, join, left, right_from, on));
    }
    throw Exception(ErrorCode::InternalError, "a join of an unknown kind");
  }

  // True for a match; else NULL if the condition is NULL for some right row; else false.
  static std::string three_valued_mark(const plan::Join& join, const Columns& left, const Columns& right,
                                       const std::string& right_from, const std::string& on) {
    if (join.keys.size() == 1 && !join.keys[0].null_equal && !join.residual) {
      return "(" + write_expression(*join.keys[0].left, left) + " IN (SELECT " +
             write_expression(*join.keys[0].right, right) + " FROM " + right_from + "))";
    }
    const std::string exists = "EXISTS (SELECT 1 FROM " + right_from + " WHERE ";
    return "CASE WHEN " + exists + on + ") THEN true WHEN " + exists + "(" + on +
           ") IS NULL) THEN CAST(NULL AS BOOLEAN) " + "ELSE false END";
  }

  // The pairs, and the right rows whose number is in none of them: DuckDB's own RIGHT and FULL ASOF joins lose rows or
  // never end (docs/differences.md).
  std::string outer_asof_join(const Node& node, const plan::Join& join, const Written& left, const Written& right,
                              const std::string& on) {
    const std::string numbered = "n" + std::to_string(node.id) + "_right";
    const std::string pairs = "n" + std::to_string(node.id) + "_pairs";
    const Columns left_columns = column_names(node.children[0]->output.size(), "l.c");
    const Columns right_columns = column_names(node.children[1]->output.size(), "r.c");
    Columns matched = concatenated(chosen(left_columns, join.left_output), chosen(right_columns, join.right_output));
    Columns rest;
    for (size_t i = 0; i < join.left_output.size(); ++i) rest.push_back(typed("NULL", node.output[i].type));
    rest = concatenated(rest, chosen(right_columns, join.right_output));
    const Columns names = column_names(matched.size(), "s");
    for (size_t i = 0; i < matched.size(); ++i) matched[i] += " AS " + names[i];
    matched.push_back("r.place AS place");
    definitions_.push_back(numbered + " AS MATERIALIZED (SELECT *, row_number() OVER () AS place FROM " + right.name +
                           ")");
    definitions_.push_back(pairs + " AS MATERIALIZED (SELECT " + joined(matched, ", ") + " FROM " + left.name +
                           " AS l ASOF " + (join.kind == plan::JoinKind::Full ? "LEFT " : "") + "JOIN " + numbered +
                           " AS r ON " + on + ")");
    return "SELECT " + selected(names, false) + " FROM " + pairs + " UNION ALL SELECT " + selected(rest, false) +
           " FROM " + numbered + " AS r WHERE r.place NOT IN (SELECT place FROM " + pairs + " WHERE place IS NOT NULL)";
  }

  // Left rows get a number, matches are counted by it, and a count above one raises.
  static std::string single_join(const Node& node, const plan::Join& join, const Written& left,
                                 const std::string& right_from, const std::string& on) {
    const Columns left_columns = column_names(node.children[0]->output.size(), "l.c");
    const Columns right_columns = column_names(node.children[1]->output.size(), "r.c");
    Columns columns = concatenated(chosen(left_columns, join.left_output), chosen(right_columns, join.right_output));
    const Columns names = column_names(columns.size(), "s");
    for (size_t i = 0; i < columns.size(); ++i) columns[i] += " AS " + names[i];
    columns.push_back("count(*) OVER (PARTITION BY l.place) AS matches");
    return "SELECT " + selected(names, false) + " FROM (SELECT " + joined(columns, ", ") +
           " FROM (SELECT *, row_number() OVER () AS place FROM " + left.name + ") AS l LEFT JOIN " + right_from +
           " ON " + on + ") WHERE CASE WHEN matches > 1 THEN CAST(\"error\"(" + kSecondRow +
           ") AS BOOLEAN) ELSE true END";
  }
};

}  // namespace

std::string write_sql(const plan::Plan& plan, const std::vector<std::string>& source_tables) {
  return Writer(plan, source_tables).run();
}

}  // namespace weft::oracle
