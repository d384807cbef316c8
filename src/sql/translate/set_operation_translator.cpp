// Set operations and DISTINCT of OperatorTranslator. INTERSECT, EXCEPT and DISTINCT ON are joins, windows and filters
// of the plan, as they are in DuckDB's own physical plans.
#include <algorithm>
#include <utility>

#include "duckdb/planner/bound_result_modifier.hpp"
#include "duckdb/planner/operator/list.hpp"
#include "sql/translate/expression_translator.hpp"
#include "sql/translate/operator_translator.hpp"

namespace weft::sql {

namespace {

using support::RefusalCode;

const plan::Type kBigInt = plan::Type::of(plan::TypeId::BigInt);

/// References to the first `count` columns of the row.
std::vector<plan::ExprPtr> column_refs(const std::vector<plan::Column>& row, size_t count) {
  std::vector<plan::ExprPtr> refs;
  for (uint32_t i = 0; i < count; ++i) refs.push_back(plan::column_ref(i, row[i].type, row[i].nullable));
  return refs;
}

/// The left rows that the right side has too (or has not): every column is a key, and NULLs are equal.
plan::Join membership(plan::JoinKind kind, const plan::Node& left, const plan::Node& right, size_t width) {
  plan::Join join;
  join.kind = kind;
  const bool smaller_left = left.estimated_rows > 0 && left.estimated_rows < right.estimated_rows;
  join.build = smaller_left ? plan::BuildSide::Left : plan::BuildSide::Right;
  const std::vector<plan::ExprPtr> left_keys = column_refs(left.output, left.output.size());
  const std::vector<plan::ExprPtr> right_keys = column_refs(right.output, right.output.size());
  for (size_t i = 0; i < left_keys.size(); ++i) join.keys.push_back({left_keys[i], right_keys[i], true});
  for (uint32_t i = 0; i < width; ++i) join.left_output.push_back(i);
  return join;
}

/// Rows that are distinct already: DuckDB puts a DISTINCT of its own above an INTERSECT or EXCEPT.
bool has_distinct_rows(const plan::Node& node) {
  if (const auto* aggregate = node.as<plan::Aggregate>()) {
    return aggregate->aggregates.empty() && aggregate->grouping_sets.empty() && !aggregate->groups.empty();
  }
  const auto* project = node.as<plan::Project>();
  if (project == nullptr) return false;
  std::vector<bool> kept(node.children[0]->output.size(), false);
  for (const plan::ExprPtr& expression : project->expressions) {
    if (expression->kind == plan::ExprKind::ColumnRef) kept[expression->column] = true;
  }
  return std::find(kept.begin(), kept.end(), false) == kept.end() && has_distinct_rows(*node.children[0]);
}

}  // namespace

plan::NodePtr OperatorTranslator::distinct_rows(plan::NodePtr child, const duckdb::LogicalOperator& op) {
  plan::Aggregate aggregate;
  aggregate.groups = column_refs(child->output, child->output.size());
  std::vector<plan::Column> output = child->output;
  return make_checked(std::move(aggregate), {std::move(child)}, std::move(output), op);
}

plan::NodePtr OperatorTranslator::numbered_rows(plan::NodePtr child, std::vector<plan::ExprPtr> partitions,
                                                std::vector<plan::SortKey> orders, const duckdb::LogicalOperator& op) {
  plan::WindowCall row_number;
  row_number.function = "row_number";
  row_number.type = kBigInt;
  std::vector<plan::Column> output = child->output;
  output.push_back(plan::Column{"row_number", kBigInt, false});
  plan::Window window{std::move(partitions), std::move(orders), {std::move(row_number)}};
  return make_checked(std::move(window), {std::move(child)}, std::move(output), op);
}

Relation OperatorTranslator::translate_distinct(duckdb::LogicalOperator& op, Relation child) {
  const auto& distinct = op.Cast<duckdb::LogicalDistinct>();
  child = with_every_column(std::move(child), *op.children[0]);
  std::vector<bool> covered(child.bindings.size(), false);
  bool only_columns = true;
  const ColumnScope scope(child);
  for (const auto& target : distinct.distinct_targets) {
    const bool is_column = target->GetExpressionClass() == duckdb::ExpressionClass::BOUND_COLUMN_REF;
    only_columns = only_columns && is_column;
    const ColumnScope::Found found = is_column ? scope.find(*target) : ColumnScope::Found{};
    if (found.position) covered[*found.position] = true;
  }
  const bool all_columns = only_columns && std::find(covered.begin(), covered.end(), false) == covered.end();
  if (!all_columns) return translate_distinct_on(op, child);
  Relation relation = child;
  if (!has_distinct_rows(*child.node)) relation.node = distinct_rows(child.node, op);
  return relation;
}

// The first row of each group by the order, all its columns together: DuckDB's first(column ORDER BY ...) for each.
Relation OperatorTranslator::translate_distinct_on(duckdb::LogicalOperator& op, const Relation& child) {
  const auto& distinct = op.Cast<duckdb::LogicalDistinct>();
  const ColumnScope scope(child);
  ExpressionTranslator translator(scope, operator_name(op), expressions_, refusals_);
  std::vector<plan::SortKey> orders;
  if (distinct.order_by) orders = translator.translate_order(distinct.order_by->orders);
  plan::NodePtr numbered =
      numbered_rows(child.node, translator.translate_all(distinct.distinct_targets), std::move(orders), op);
  const auto last = static_cast<uint32_t>(child.node->output.size());
  plan::Filter first;
  first.conjuncts.push_back(plan::comparison(plan::CompareOp::Equal, plan::column_ref(last, kBigInt, false),
                                             plan::constant(plan::Value::integer(kBigInt, 1))));
  for (uint32_t i = 0; i < last; ++i) first.projection.push_back(i);
  Relation relation = child;
  relation.node = make_checked(std::move(first), {std::move(numbered)}, child.node->output, op);
  return relation;
}

std::optional<std::vector<plan::NodePtr>> OperatorTranslator::same_rows(duckdb::LogicalSetOperation& op,
                                                                        std::vector<Relation> children) {
  const std::vector<plan::Column> wanted = output_columns(op);
  std::vector<plan::NodePtr> nodes;
  for (size_t i = 0; i < children.size(); ++i) {
    Relation child = with_every_column(std::move(children[i]), *op.children[i]);
    if (child.node->output.size() != wanted.size()) {
      refuse(RefusalCode::UnsupportedOperator, operator_name(op) + " of different numbers of columns", op);
      return std::nullopt;
    }
    for (size_t c = 0; c < wanted.size(); ++c) {
      const plan::Type& type = child.node->output[c].type;
      if (type == wanted[c].type) continue;
      refuse(RefusalCode::UnsupportedType,
             operator_name(op) + " of " + wanted[c].type.to_string() + " and " + type.to_string(), op);
    }
    nodes.push_back(std::move(child.node));
  }
  return nodes;
}

std::optional<Relation> OperatorTranslator::translate_union(duckdb::LogicalSetOperation& op,
                                                            std::vector<Relation> children) {
  if (!op.setop_all) {
    refuse(RefusalCode::UnsupportedOperator, "UNION", op);
    return std::nullopt;
  }
  auto nodes = same_rows(op, std::move(children));
  if (!nodes) return std::nullopt;
  // DuckDB takes children that can have no rows out, which may leave one.
  if (nodes->size() == 1) return whole_relation(std::move(nodes->front()), op);
  std::vector<plan::Column> output = nodes->front()->output;
  for (const plan::NodePtr& node : *nodes) {
    for (size_t c = 0; c < output.size(); ++c) output[c].nullable = output[c].nullable || node->output[c].nullable;
  }
  return whole_relation(make_checked(plan::Union{}, std::move(*nodes), std::move(output), op), op);
}

// With ALL, the n-th of equal left rows meets the n-th of equal right rows.
std::optional<Relation> OperatorTranslator::translate_membership(duckdb::LogicalSetOperation& op,
                                                                 std::vector<Relation> children) {
  auto nodes = same_rows(op, std::move(children));
  if (!nodes) return std::nullopt;
  std::vector<plan::Column> output = nodes->front()->output;
  const size_t width = output.size();
  if (op.setop_all) {
    for (plan::NodePtr& node : *nodes) node = numbered_rows(node, column_refs(node->output, width), {}, op);
  }
  const bool intersect = op.type == duckdb::LogicalOperatorType::LOGICAL_INTERSECT;
  plan::Join join =
      membership(intersect ? plan::JoinKind::Semi : plan::JoinKind::Anti, *(*nodes)[0], *(*nodes)[1], width);
  plan::NodePtr rows = make_checked(std::move(join), std::move(*nodes), std::move(output), op);
  if (!op.setop_all) rows = distinct_rows(std::move(rows), op);
  return whole_relation(std::move(rows), op);
}

}  // namespace weft::sql
