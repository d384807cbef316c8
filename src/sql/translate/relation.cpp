#include "sql/translate/relation.hpp"

#include <algorithm>

#include "base/error.hpp"

#include "duckdb/planner/expression/bound_columnref_expression.hpp"
#include "duckdb/planner/expression/bound_reference_expression.hpp"
#include "duckdb/planner/operator/logical_aggregate.hpp"
#include "duckdb/planner/operator/logical_cteref.hpp"
#include "duckdb/planner/operator/logical_get.hpp"
#include "duckdb/planner/operator/logical_projection.hpp"
#include "duckdb/planner/operator/logical_window.hpp"

namespace weft::sql {

namespace {

std::pair<uint64_t, uint64_t> key_of(const duckdb::ColumnBinding& binding) {
  return {binding.table_index.index, binding.column_index.GetIndexUnsafe()};
}

using Expressions = duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>;

std::string expression_name(const Expressions& expressions, size_t index) {
  return index < expressions.size() ? expressions[index]->GetName().GetIdentifierName() : "";
}

std::string scan_column_name(const duckdb::LogicalGet& get, size_t index) {
  const auto& ids = get.GetColumnIds();
  return index < ids.size() ? get.GetColumnName(ids[index]).GetIdentifierName() : "";
}

/// The name of a column, from the operator that makes it: `op` or one below. Empty if none of them has a name for it.
std::string binding_name(duckdb::LogicalOperator& op, const duckdb::ColumnBinding& binding) {
  const size_t index = binding.column_index.GetIndexUnsafe();
  const auto makes = [&](duckdb::TableIndex table) { return table == binding.table_index; };
  switch (op.type) {
    case duckdb::LogicalOperatorType::LOGICAL_PROJECTION:
      return makes(op.Cast<duckdb::LogicalProjection>().table_index) ? expression_name(op.expressions, index) : "";
    case duckdb::LogicalOperatorType::LOGICAL_AGGREGATE_AND_GROUP_BY: {
      const auto& aggregate = op.Cast<duckdb::LogicalAggregate>();
      if (makes(aggregate.group_index)) return expression_name(aggregate.groups, index);
      return makes(aggregate.aggregate_index) ? expression_name(op.expressions, index) : "";
    }
    case duckdb::LogicalOperatorType::LOGICAL_GET:
      return makes(op.Cast<duckdb::LogicalGet>().table_index) ? scan_column_name(op.Cast<duckdb::LogicalGet>(), index)
                                                              : "";
    case duckdb::LogicalOperatorType::LOGICAL_CTE_REF: {
      const auto& columns = op.Cast<duckdb::LogicalCTERef>().bound_columns;
      return index < columns.size() ? columns[index].GetIdentifierName() : "";
    }
    case duckdb::LogicalOperatorType::LOGICAL_WINDOW:
      if (makes(op.Cast<duckdb::LogicalWindow>().window_index)) return expression_name(op.expressions, index);
      break;
    case duckdb::LogicalOperatorType::LOGICAL_UNION:
    case duckdb::LogicalOperatorType::LOGICAL_EXCEPT:
    case duckdb::LogicalOperatorType::LOGICAL_INTERSECT: {
      const auto below = op.children[0]->GetColumnBindings();
      return index < below.size() ? binding_name(*op.children[0], below[index]) : "";
    }
    default:
      break;
  }
  for (const auto& child : op.children) {
    std::string name = binding_name(*child, binding);
    if (!name.empty()) return name;
  }
  return "";
}

}  // namespace

void ColumnScope::append(const Relation& relation) {
  const auto offset = static_cast<uint32_t>(columns_.size());
  columns_.insert(columns_.end(), relation.node->output.begin(), relation.node->output.end());
  for (size_t i = 0; i < relation.bindings.size(); ++i) {
    std::optional<uint32_t> position;
    if (relation.positions[i]) position = *relation.positions[i] + offset;
    bindings_.emplace(key_of(relation.bindings[i]), position);
  }
}

ColumnScope::Found ColumnScope::find(const duckdb::Expression& reference) const {
  if (reference.GetExpressionClass() == duckdb::ExpressionClass::BOUND_REF) {
    const auto index = reference.Cast<duckdb::BoundReferenceExpression>().Index();
    if (index >= references_.size()) return {};
    return {true, references_[index]};
  }
  const auto& column = reference.Cast<duckdb::BoundColumnRefExpression>();
  const auto found = bindings_.find(key_of(column.Binding()));
  if (column.Depth() > 0 || found == bindings_.end()) return {};
  return {true, found->second};
}

void RefusalList::add(support::RefusalCode code, std::string name, std::string node) {
  support::Refusal refusal{code, std::move(name), std::move(node)};
  if (std::find(refusals_.begin(), refusals_.end(), refusal) == refusals_.end())
    refusals_.push_back(std::move(refusal));
}

void RefusalList::add(std::vector<support::Refusal> refusals, const std::string& node) {
  for (auto& refusal : refusals) add(refusal.code, std::move(refusal.name), node);
}

plan::NodePtr make_node(plan::NodeBody body, std::vector<plan::NodePtr> children, std::vector<plan::Column> output,
                        const duckdb::LogicalOperator& op) {
  plan::Node node;
  node.body = std::move(body);
  node.children = std::move(children);
  node.output = std::move(output);
  node.estimated_rows = op.has_estimated_cardinality ? static_cast<double>(op.estimated_cardinality) : 0;
  return std::make_shared<const plan::Node>(std::move(node));
}

std::string operator_name(const duckdb::LogicalOperator& op) { return duckdb::LogicalOperatorToString(op.type); }

std::vector<plan::Column> output_columns(duckdb::LogicalOperator& op) {
  const auto bindings = op.GetColumnBindings();
  std::vector<plan::Column> columns;
  columns.reserve(op.types.size());
  for (size_t i = 0; i < op.types.size(); ++i) {
    std::string name = i < bindings.size() ? binding_name(op, bindings[i]) : "";
    if (name.empty()) name = "column" + std::to_string(i);
    columns.push_back(plan::Column{std::move(name), translate_type(op.types[i]), true});
  }
  return columns;
}

Relation whole_relation(plan::NodePtr node, duckdb::LogicalOperator& op) {
  Relation relation;
  relation.node = std::move(node);
  const auto bindings = op.GetColumnBindings();
  relation.bindings.assign(bindings.begin(), bindings.end());
  WEFT_INVARIANT(relation.bindings.size() == relation.node->output.size(),
                 operator_name(op) + ": a column for each binding");
  for (uint32_t i = 0; i < relation.bindings.size(); ++i) relation.positions.emplace_back(i);
  return relation;
}

Relation with_every_column(Relation relation, duckdb::LogicalOperator& op) {
  const auto missing = [](const std::optional<uint32_t>& position) { return !position; };
  if (std::none_of(relation.positions.begin(), relation.positions.end(), missing)) {
    bool in_order = relation.positions.size() == relation.node->output.size();
    for (size_t i = 0; in_order && i < relation.positions.size(); ++i) in_order = *relation.positions[i] == i;
    if (in_order) return relation;
  }
  plan::Project project;
  std::vector<plan::Column> output = output_columns(op);
  for (size_t i = 0; i < relation.positions.size(); ++i) {
    if (!relation.positions[i]) {
      project.expressions.push_back(plan::constant(plan::Value::null(output[i].type)));
      continue;
    }
    const plan::Column& column = relation.node->output[*relation.positions[i]];
    project.expressions.push_back(plan::column_ref(*relation.positions[i], column.type, column.nullable));
    output[i] = column;
  }
  return whole_relation(make_node(std::move(project), {relation.node}, std::move(output), op), op);
}

}  // namespace weft::sql
