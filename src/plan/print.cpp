// Plans as text: kind_name, describe, print.
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "plan/walk.hpp"

namespace weft::plan {
namespace {

using Names = std::vector<std::string>;

template <typename Items, typename Text>
std::string joined(const Items& items, std::string_view separator, Text text_of) {
  std::string text;
  for (const auto& item : items) {
    if (!text.empty()) text += separator;
    text += text_of(item);
  }
  return text;
}

// A column's name where no other column of the row has it, else name#position: a printed plan is never ambiguous.
Names unambiguous(const std::vector<std::string_view>& plain) {
  std::map<std::string_view, int> uses;
  for (const std::string_view name : plain) ++uses[name];
  Names names;
  for (size_t i = 0; i < plain.size(); ++i) {
    std::string name(plain[i]);
    if (name.empty() || uses[plain[i]] > 1) name += "#" + std::to_string(i);
    names.push_back(std::move(name));
  }
  return names;
}

// Names of the columns that the node's expressions see.
Names input_names(const Node& node) {
  std::vector<std::string_view> plain;
  if (const auto* scan = node.as<Scan>()) {
    for (const ScanColumn& column : scan->columns) plain.push_back(column.name);
  } else {
    for (const NodePtr& child : node.children) {
      for (const Column& column : child->output) plain.push_back(column.name);
    }
  }
  return unambiguous(plain);
}

Names child_names(const Node& node, size_t child) {
  std::vector<std::string_view> plain;
  if (child < node.children.size()) {
    for (const Column& column : node.children[child]->output) plain.push_back(column.name);
  }
  return unambiguous(plain);
}

std::string expressions(const std::vector<ExprPtr>& list, const Names& names, std::string_view separator = ", ") {
  return joined(list, separator, [&](const ExprPtr& expr) { return to_string(*expr, names); });
}

std::string positions(const std::vector<uint32_t>& list, const Names& names) {
  return "[" + joined(list, ", ", [&](uint32_t i) { return i < names.size() ? names[i] : "#" + std::to_string(i); }) +
         "]";
}

// (a, b), (a), ()
std::string position_lists(const std::vector<std::vector<uint32_t>>& lists, const std::vector<ExprPtr>& expressions,
                           const Names& names) {
  return joined(lists, ", ", [&](const std::vector<uint32_t>& list) {
    return "(" + joined(list, ", ", [&](uint32_t i) { return to_string(*expressions.at(i), names); }) + ")";
  });
}

std::string sort_keys(const std::vector<SortKey>& keys, const Names& names) {
  return joined(keys, ", ", [&](const SortKey& key) {
    return to_string(*key.expression, names) + (key.descending ? " DESC" : " ASC") +
           (key.nulls_first ? " NULLS FIRST" : " NULLS LAST");
  });
}

std::string call_text(const AggregateCall& call, const Names& names) {
  std::string text = call.function + "(" + (call.distinct ? "DISTINCT " : "") + expressions(call.arguments, names);
  if (!call.order_by.empty()) text += " ORDER BY " + sort_keys(call.order_by, names);
  text += ")";
  if (call.filter) text += " FILTER " + to_string(*call.filter, names);
  return text;
}

std::string call_text(const WindowCall& call, const Names& names) {
  std::string text = call.function + "(" + (call.distinct ? "DISTINCT " : "") + expressions(call.arguments, names);
  if (!call.argument_order_by.empty()) text += " ORDER BY " + sort_keys(call.argument_order_by, names);
  text += call.ignore_nulls ? " IGNORE NULLS)" : ")";
  if (call.filter) text += " FILTER " + to_string(*call.filter, names);
  if (!reads_frame(call)) return text;
  const auto value = [&](const FrameBound& bound) { return bound.value ? to_string(*bound.value, names) : ""; };
  return text + " " + frame_text(call.frame, value(call.frame.start), value(call.frame.end));
}

const char* join_kind(JoinKind kind) {
  switch (kind) {
    case JoinKind::Inner:
      return "INNER";
    case JoinKind::Left:
      return "LEFT";
    case JoinKind::Right:
      return "RIGHT";
    case JoinKind::Full:
      return "FULL";
    case JoinKind::Semi:
      return "SEMI";
    case JoinKind::Anti:
      return "ANTI";
    case JoinKind::Mark:
      return "MARK";
    case JoinKind::Single:
      return "SINGLE";
  }
  return "";
}

std::string file_text(const ScanFile& file) {
  std::string text = file.path;
  if (!file.constants.empty()) {
    text += " (" + joined(file.constants, ", ", [](const Value& value) { return value.to_string(); }) + ")";
  }
  return text;
}

struct Describer {
  const Node& node;
  const Names names = input_names(node);

  std::string operator()(const Scan& scan) const {
    std::string text = " " + scan.table_name + " " + positions(scan.projection, names);
    constexpr size_t kShownFiles = 3;
    for (size_t i = 0; i < scan.files.size() && i < kShownFiles; ++i) {
      text += (i == 0 ? " files: " : ", ") + file_text(scan.files[i]);
    }
    if (scan.files.size() > kShownFiles) text += " and " + std::to_string(scan.files.size() - kShownFiles) + " more";
    if (!scan.filters.empty()) text += " filters: " + expressions(scan.filters, names, " AND ");
    return text;
  }
  std::string operator()(const HostSource& source) const {
    return " " + std::to_string(source.source) + ": " + source.description;
  }
  std::string operator()(const Values& values) const {
    constexpr size_t kShownRows = 4;
    std::string text = " " + std::to_string(values.rows.size()) + " rows";
    for (size_t i = 0; i < values.rows.size() && i < kShownRows; ++i) {
      text += " (" + joined(values.rows[i], ", ", [](const Value& value) { return value.to_string(); }) + ")";
    }
    return text;
  }
  std::string operator()(const Filter& filter) const {
    return " " + expressions(filter.conjuncts, names, " AND ") + " -> " + positions(filter.projection, names);
  }
  std::string operator()(const Project& project) const { return " [" + expressions(project.expressions, names) + "]"; }
  std::string operator()(const Aggregate& aggregate) const {
    std::string text;
    if (!aggregate.groups.empty()) text += " groups [" + expressions(aggregate.groups, names) + "]";
    if (!aggregate.aggregates.empty()) {
      text += " [" +
              joined(aggregate.aggregates, ", ", [&](const AggregateCall& call) { return call_text(call, names); }) +
              "]";
    }
    if (!aggregate.grouping_sets.empty()) {
      text += " sets [" + position_lists(aggregate.grouping_sets, aggregate.groups, names) + "]";
    }
    if (!aggregate.groupings.empty()) {
      text += " grouping [" + position_lists(aggregate.groupings, aggregate.groups, names) + "]";
    }
    return text;
  }
  std::string operator()(const Window& window) const {
    std::string text;
    if (!window.partitions.empty()) text += " partition by [" + expressions(window.partitions, names) + "]";
    if (!window.orders.empty()) text += " order by [" + sort_keys(window.orders, names) + "]";
    return text + " [" + joined(window.calls, ", ", [&](const WindowCall& call) { return call_text(call, names); }) +
           "]";
  }
  std::string operator()(const Sort& sort) const { return " " + sort_keys(sort.keys, names); }
  std::string operator()(const TopN& top_n) const {
    return " " + std::to_string(top_n.limit) + " offset " + std::to_string(top_n.offset) + " by " +
           sort_keys(top_n.keys, names);
  }
  std::string operator()(const Limit& limit) const {
    return " " + (limit.limit ? std::to_string(*limit.limit) : std::string("all")) + " offset " +
           std::to_string(limit.offset);
  }
  std::string operator()(const Join& join) const {
    const Names left = child_names(node, 0);
    const Names right = child_names(node, 1);
    std::string text = std::string(" ") + join_kind(join.kind);
    if (join.kind == JoinKind::Mark) text += join.mark_three_valued ? " three-valued" : " two-valued";
    text += join.build == BuildSide::Left ? " build left" : " build right";
    if (!join.keys.empty()) {
      text += " on " + joined(join.keys, " AND ", [&](const JoinKey& key) {
                return to_string(*key.left, left) + (key.null_equal ? " IS NOT DISTINCT FROM " : " = ") +
                       to_string(*key.right, right);
              });
    }
    if (join.asof) {
      text += " nearest " + to_string(*join.asof->left, left) + " " + to_string(join.asof->compare) + " " +
              to_string(*join.asof->right, right);
    }
    if (join.residual) text += " where " + to_string(*join.residual, names);
    return text + " -> " + positions(join.left_output, left) + " " + positions(join.right_output, right);
  }
  std::string operator()(const Union&) const { return ""; }
  std::string operator()(const CteDefinition& cte) const { return " " + std::to_string(cte.cte) + " " + cte.name; }
  std::string operator()(const CteReference& cte) const { return " " + std::to_string(cte.cte); }
};

void print_tree(const Node& node, size_t depth, std::string& text) {
  text += std::string(depth * 2, ' ') + describe(node) + "\n";
  for (const NodePtr& child : node.children) print_tree(*child, depth + 1, text);
}

struct KindName {
  const char* operator()(const Scan&) const { return "SCAN"; }
  const char* operator()(const HostSource&) const { return "HOST_SOURCE"; }
  const char* operator()(const Values&) const { return "VALUES"; }
  const char* operator()(const Filter&) const { return "FILTER"; }
  const char* operator()(const Project&) const { return "PROJECTION"; }
  const char* operator()(const Aggregate& aggregate) const {
    const bool distinct =
        aggregate.aggregates.empty() && aggregate.grouping_sets.empty() && aggregate.groupings.empty();
    return distinct ? "DISTINCT" : "AGGREGATE";
  }
  const char* operator()(const Window&) const { return "WINDOW"; }
  const char* operator()(const Sort&) const { return "ORDER_BY"; }
  const char* operator()(const TopN&) const { return "TOP_N"; }
  const char* operator()(const Limit&) const { return "LIMIT"; }
  const char* operator()(const Join& join) const {
    if (join.asof) return "ASOF_JOIN";
    if (!join.keys.empty()) return "HASH_JOIN";
    return join.residual ? "NESTED_LOOP_JOIN" : "CROSS_PRODUCT";
  }
  const char* operator()(const Union&) const { return "UNION"; }
  const char* operator()(const CteDefinition&) const { return "CTE"; }
  const char* operator()(const CteReference&) const { return "CTE_SCAN"; }
};

}  // namespace

const char* kind_name(const Node& node) { return std::visit(KindName{}, node.body); }

std::string describe(const Node& node) { return kind_name(node) + std::visit(Describer{node}, node.body); }

std::string print(const Node& root) {
  std::string text;
  print_tree(root, 0, text);
  return text;
}

std::string print(const Plan& plan) { return print(*plan.root); }

}  // namespace weft::plan
