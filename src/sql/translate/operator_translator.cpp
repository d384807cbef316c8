#include "sql/translate/operator_translator.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "duckdb/common/types/column/column_data_collection.hpp"
#include "duckdb/planner/expression/bound_aggregate_expression.hpp"
#include "duckdb/planner/expression/bound_constant_expression.hpp"
#include "duckdb/planner/operator/list.hpp"
#include "plan/walk.hpp"
#include "sql/translate/expression_translator.hpp"
#include "sql/translate/time_zone.hpp"

namespace weft::sql {

namespace {

using duckdb::LogicalOperatorType;
using support::RefusalCode;

/// Larger collections (a relation of a client's, not an IN list) are fed by DuckDB.
constexpr uint64_t kMaxConstantRows = 65'536;

bool never_null(const std::string& aggregate) { return aggregate == "count" || aggregate == "count_star"; }

/// The positions of the child's columns that a projection map keeps (empty: all), as indexes into its bindings.
std::vector<size_t> kept_columns(const duckdb::vector<duckdb::ProjectionIndex>& map, size_t count) {
  std::vector<size_t> kept;
  if (map.empty()) {
    for (size_t i = 0; i < count; ++i) kept.push_back(i);
  } else {
    for (const auto& index : map) kept.push_back(index.GetIndex());
  }
  return kept;
}

/// Sets or lists of positions in LogicalAggregate::groups.
template <typename Lists>
std::vector<std::vector<uint32_t>> position_lists(const Lists& lists) {
  std::vector<std::vector<uint32_t>> positions;
  for (const auto& list : lists) {
    auto& added = positions.emplace_back();
    for (const auto& index : list) added.push_back(static_cast<uint32_t>(index.GetIndex()));
  }
  return positions;
}

std::vector<duckdb::ColumnBinding> bindings_of(duckdb::LogicalOperator& op) {
  const auto bindings = op.GetColumnBindings();
  return {bindings.begin(), bindings.end()};
}

}  // namespace

void OperatorTranslator::refuse(RefusalCode code, std::string name, const duckdb::LogicalOperator& op) {
  refusals_.add(code, std::move(name), operator_name(op));
}

plan::NodePtr OperatorTranslator::make_checked(plan::NodeBody body, std::vector<plan::NodePtr> children,
                                               std::vector<plan::Column> output, const duckdb::LogicalOperator& op) {
  plan::NodePtr node = make_node(std::move(body), std::move(children), std::move(output), op);
  // After a refusal a placeholder stands in some expression: support would speak of that.
  if (refusals_.empty()) refusals_.add(check_node(context_, *node), operator_name(op));
  return node;
}

Relation OperatorTranslator::same_columns(duckdb::LogicalOperator& op, plan::NodeBody body, const Relation& child) {
  Relation relation;
  relation.bindings = bindings_of(op);
  relation.positions = child.positions;
  relation.node = make_checked(std::move(body), {child.node}, child.node->output, op);
  return relation;
}

std::optional<Relation> OperatorTranslator::translate(duckdb::LogicalOperator& op, std::vector<Relation> children) {
  switch (op.type) {
    case LogicalOperatorType::LOGICAL_PROJECTION:
      return translate_projection(op, children[0]);
    case LogicalOperatorType::LOGICAL_FILTER:
      return translate_filter(op, children[0]);
    case LogicalOperatorType::LOGICAL_AGGREGATE_AND_GROUP_BY:
      return translate_aggregate(op.Cast<duckdb::LogicalAggregate>(), children[0]);
    case LogicalOperatorType::LOGICAL_ORDER_BY:
      return translate_order(op.Cast<duckdb::LogicalOrder>(), children[0]);
    case LogicalOperatorType::LOGICAL_TOP_N:
      return translate_top_n(op.Cast<duckdb::LogicalTopN>(), children[0]);
    case LogicalOperatorType::LOGICAL_LIMIT:
      return translate_limit(op.Cast<duckdb::LogicalLimit>(), children[0]);
    case LogicalOperatorType::LOGICAL_DISTINCT:
      return translate_distinct(op, std::move(children[0]));
    case LogicalOperatorType::LOGICAL_UNION:
      return translate_union(op.Cast<duckdb::LogicalSetOperation>(), std::move(children));
    case LogicalOperatorType::LOGICAL_INTERSECT:
    case LogicalOperatorType::LOGICAL_EXCEPT:
      return translate_membership(op.Cast<duckdb::LogicalSetOperation>(), std::move(children));
    case LogicalOperatorType::LOGICAL_WINDOW:
      return translate_window(op.Cast<duckdb::LogicalWindow>(), children[0]);
    case LogicalOperatorType::LOGICAL_MATERIALIZED_CTE:
      return translate_cte(op, std::move(children));
    case LogicalOperatorType::LOGICAL_CTE_REF:
      return translate_cte_reference(op);
    case LogicalOperatorType::LOGICAL_CHUNK_GET:
      return translate_chunk(op.Cast<duckdb::LogicalColumnDataGet>());
    case LogicalOperatorType::LOGICAL_EXPRESSION_GET:
      return translate_expression_rows(op.Cast<duckdb::LogicalExpressionGet>());
    case LogicalOperatorType::LOGICAL_DUMMY_SCAN:
      return translate_dummy(op);
    case LogicalOperatorType::LOGICAL_EMPTY_RESULT:
      return whole_relation(make_checked(plan::Values{}, {}, output_columns(op), op), op);
    case LogicalOperatorType::LOGICAL_COMPARISON_JOIN:
    case LogicalOperatorType::LOGICAL_ASOF_JOIN:
      return translate_comparison_join(op.Cast<duckdb::LogicalComparisonJoin>(), std::move(children));
    case LogicalOperatorType::LOGICAL_ANY_JOIN:
      return translate_any_join(op, std::move(children));
    case LogicalOperatorType::LOGICAL_CROSS_PRODUCT:
      return translate_cross_product(op, std::move(children));
    default:
      refuse(RefusalCode::UnsupportedOperator, operator_name(op), op);
      return std::nullopt;
  }
}

Relation OperatorTranslator::translate_projection(duckdb::LogicalOperator& op, const Relation& child) {
  const ColumnScope scope(child);
  ExpressionTranslator translator(scope, operator_name(op), expressions_, refusals_);
  plan::Project project;
  std::vector<plan::Column> output = output_columns(op);
  for (size_t i = 0; i < op.expressions.size(); ++i) {
    project.expressions.push_back(translator.translate(*op.expressions[i]));
    output[i].type = project.expressions[i]->type;
    output[i].nullable = project.expressions[i]->nullable;
  }
  return whole_relation(make_checked(std::move(project), {child.node}, std::move(output), op), op);
}

Relation OperatorTranslator::translate_filter(duckdb::LogicalOperator& op, const Relation& child) {
  const ColumnScope scope(child);
  ExpressionTranslator translator(scope, operator_name(op), expressions_, refusals_);
  plan::Filter filter;
  for (const auto& predicate : op.expressions) translator.translate_conjuncts(*predicate, filter.conjuncts);
  Relation relation;
  relation.bindings = bindings_of(op);
  std::vector<plan::Column> output;
  for (const size_t i : kept_columns(op.Cast<duckdb::LogicalFilter>().projection_map, child.bindings.size())) {
    if (!child.positions[i]) {
      relation.positions.emplace_back(std::nullopt);
      continue;
    }
    relation.positions.emplace_back(static_cast<uint32_t>(output.size()));
    filter.projection.push_back(*child.positions[i]);
    output.push_back(child.node->output[*child.positions[i]]);
  }
  relation.node = make_checked(std::move(filter), {child.node}, std::move(output), op);
  return relation;
}

std::optional<Relation> OperatorTranslator::translate_aggregate(duckdb::LogicalAggregate& op, const Relation& child) {
  const ColumnScope scope(child);
  ExpressionTranslator translator(scope, operator_name(op), expressions_, refusals_);
  plan::Aggregate aggregate;
  const bool one_set = op.grouping_sets.size() == 1 && op.grouping_sets[0].size() == op.groups.size();
  if (!one_set) aggregate.grouping_sets = position_lists(op.grouping_sets);
  aggregate.groupings = position_lists(op.grouping_functions);
  std::vector<plan::Column> output;
  for (const auto& group : op.groups) {
    plan::ExprPtr expr = translator.translate(*group);
    const bool nullable = expr->nullable || !plan::in_every_set(aggregate, static_cast<uint32_t>(output.size()));
    output.push_back(plan::Column{group->GetName().GetIdentifierName(), expr->type, nullable});
    aggregate.groups.push_back(std::move(expr));
  }
  for (const auto& expression : op.expressions) {
    if (expression->GetExpressionClass() != duckdb::ExpressionClass::BOUND_AGGREGATE) {
      refuse(RefusalCode::UnsupportedAggregate, expression->ToString(), op);
      return std::nullopt;
    }
    plan::AggregateCall call = translator.translate_aggregate(expression->Cast<duckdb::BoundAggregateExpression>());
    output.push_back(plan::Column{expression->GetName().GetIdentifierName(), call.type, !never_null(call.function)});
    aggregate.aggregates.push_back(std::move(call));
  }
  for (const auto& grouping : aggregate.groupings) {
    std::string name;
    for (const uint32_t group : grouping) name += (name.empty() ? "" : ", ") + output.at(group).name;
    output.push_back(plan::Column{"grouping(" + name + ")", plan::Type::of(plan::TypeId::BigInt), false});
  }
  return whole_relation(make_checked(std::move(aggregate), {child.node}, std::move(output), op), op);
}

Relation OperatorTranslator::translate_order(duckdb::LogicalOrder& op, const Relation& child) {
  const ColumnScope scope(child);
  ExpressionTranslator translator(scope, operator_name(op), expressions_, refusals_);
  plan::NodePtr sort =
      make_checked(plan::Sort{translator.translate_order(op.orders)}, {child.node}, child.node->output, op);
  Relation relation{sort, bindings_of(op), child.positions};
  if (op.projection_map.empty()) return relation;
  relation.positions.clear();
  plan::Project project;
  std::vector<plan::Column> output;
  for (const size_t i : kept_columns(op.projection_map, child.bindings.size())) {
    if (!child.positions[i]) {
      relation.positions.emplace_back(std::nullopt);
      continue;
    }
    const plan::Column& column = sort->output[*child.positions[i]];
    relation.positions.emplace_back(static_cast<uint32_t>(output.size()));
    project.expressions.push_back(plan::column_ref(*child.positions[i], column.type, column.nullable));
    output.push_back(column);
  }
  relation.node = make_checked(std::move(project), {std::move(sort)}, std::move(output), op);
  return relation;
}

std::optional<Relation> OperatorTranslator::translate_top_n(duckdb::LogicalTopN& op, const Relation& child) {
  if (op.unpruned_offset.IsValid()) {  // the scan below was pruned for this offset
    refuse(RefusalCode::UnsupportedOperator, "TOP_N over a scan without its first row groups", op);
    return std::nullopt;
  }
  const ColumnScope scope(child);
  ExpressionTranslator translator(scope, operator_name(op), expressions_, refusals_);
  plan::TopN top_n{translator.translate_order(op.orders), op.limit, op.offset};
  return same_columns(op, std::move(top_n), child);
}

std::optional<Relation> OperatorTranslator::translate_limit(duckdb::LogicalLimit& op, const Relation& child) {
  const auto constant = [](const duckdb::BoundLimitNode& node) {
    return node.Type() == duckdb::LimitNodeType::UNSET || node.Type() == duckdb::LimitNodeType::CONSTANT_VALUE;
  };
  if (!constant(op.limit_val) || !constant(op.offset_val) || op.unpruned_offset.IsValid()) {
    refuse(RefusalCode::UnsupportedOperator,
           op.unpruned_offset.IsValid() ? "LIMIT over a scan without its first row groups" : "LIMIT of an expression",
           op);
    return std::nullopt;
  }
  plan::Limit limit;
  if (op.limit_val.Type() == duckdb::LimitNodeType::CONSTANT_VALUE) limit.limit = op.limit_val.GetConstantValue();
  if (op.offset_val.Type() == duckdb::LimitNodeType::CONSTANT_VALUE) limit.offset = op.offset_val.GetConstantValue();
  return same_columns(op, limit, child);
}

std::optional<Relation> OperatorTranslator::translate_cte(duckdb::LogicalOperator& op, std::vector<Relation> children) {
  const auto& cte = op.Cast<duckdb::LogicalMaterializedCTE>();
  plan::CteDefinition definition;
  definition.cte = static_cast<uint32_t>(cte.table_index.index);
  definition.name = cte.ctename.GetIdentifierName();
  Relation relation;
  relation.bindings = bindings_of(op);
  relation.positions = children[1].positions;
  std::vector<plan::Column> output = children[1].node->output;
  relation.node = make_checked(std::move(definition), {children[0].node, children[1].node}, std::move(output), op);
  return relation;
}

std::optional<Relation> OperatorTranslator::translate_cte_reference(duckdb::LogicalOperator& op) {
  const auto& reference = op.Cast<duckdb::LogicalCTERef>();
  const auto found = ctes_.find(reference.cte_index.index);
  WEFT_INVARIANT(found != ctes_.end(), "a CTE_REF inside its CTE");
  const std::vector<plan::Column> named = output_columns(op);
  std::vector<plan::Column> output = found->second;
  if (output.size() != named.size()) {
    refuse(RefusalCode::UnsupportedOperator, "CTE_REF with other columns than its CTE", op);
    return std::nullopt;
  }
  for (size_t i = 0; i < output.size(); ++i) {
    if (output[i].type != named[i].type) {
      refuse(RefusalCode::UnsupportedType, output[i].type.to_string() + " read as " + named[i].type.to_string(), op);
      return std::nullopt;
    }
    output[i].name = named[i].name;
  }
  plan::CteReference body{static_cast<uint32_t>(reference.cte_index.index)};
  return whole_relation(make_checked(body, {}, std::move(output), op), op);
}

std::optional<Relation> OperatorTranslator::translate_chunk(duckdb::LogicalColumnDataGet& op) {
  if (op.collection->Count() > kMaxConstantRows) {
    refuse(RefusalCode::HostTable, "rows in memory", op);
    return std::nullopt;
  }
  plan::Values values;
  const auto rows = op.collection->GetRows();
  for (size_t row = 0; row < rows.size(); ++row) {
    std::vector<plan::Value> cells;
    for (const auto column : op.GetColumnIds()) cells.push_back(translate_value(rows[row].GetValue(column)));
    values.rows.push_back(std::move(cells));
  }
  return whole_relation(make_checked(std::move(values), {}, output_columns(op), op), op);
}

std::optional<Relation> OperatorTranslator::translate_expression_rows(duckdb::LogicalExpressionGet& op) {
  plan::Values values;
  for (const auto& row : op.expressions) {
    std::vector<plan::Value> cells;
    for (size_t i = 0; i < row.size(); ++i) {
      const bool constant = row[i]->GetExpressionClass() == duckdb::ExpressionClass::BOUND_CONSTANT;
      if (!constant || op.children.empty() || op.children[0]->type != LogicalOperatorType::LOGICAL_DUMMY_SCAN) {
        refuse(RefusalCode::UnsupportedOperator, "VALUES with expressions", op);
        return std::nullopt;
      }
      cells.push_back(translate_value(row[i]->Cast<duckdb::BoundConstantExpression>().GetValue()));
      cells.back().type = translate_type(op.types[i]);  // an untyped NULL is a NULL of the column's type
    }
    values.rows.push_back(std::move(cells));
  }
  return whole_relation(make_checked(std::move(values), {}, output_columns(op), op), op);
}

Relation OperatorTranslator::translate_dummy(duckdb::LogicalOperator& op) {
  Relation relation;
  relation.bindings = bindings_of(op);
  relation.positions.assign(relation.bindings.size(), std::nullopt);
  relation.node = make_checked(plan::Values{{{}}}, {}, {}, op);
  return relation;
}

}  // namespace weft::sql
