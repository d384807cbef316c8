#include "sql/translate/relation.hpp"

#include <algorithm>

#include "base/error.hpp"

#include "duckdb/planner/expression/bound_columnref_expression.hpp"
#include "duckdb/planner/expression/bound_reference_expression.hpp"
#include "duckdb/planner/operator/logical_cteref.hpp"
#include "duckdb/planner/operator/logical_get.hpp"

namespace weft::sql {

namespace {

std::pair<uint64_t, uint64_t> key_of(const duckdb::ColumnBinding& binding) {
  return {binding.table_index.index, binding.column_index.GetIndexUnsafe()};
}

/// Names of the operator's output columns; missing ones stay empty.
std::vector<std::string> column_names(duckdb::LogicalOperator& op, size_t count) {
  std::vector<std::string> names(count);
  if (op.type == duckdb::LogicalOperatorType::LOGICAL_PROJECTION) {
    for (size_t i = 0; i < count && i < op.expressions.size(); ++i)
      names[i] = op.expressions[i]->GetName().GetIdentifierName();
  } else if (op.type == duckdb::LogicalOperatorType::LOGICAL_CTE_REF) {
    const auto& columns = op.Cast<duckdb::LogicalCTERef>().bound_columns;
    for (size_t i = 0; i < count && i < columns.size(); ++i) names[i] = columns[i].GetIdentifierName();
  } else if (op.type == duckdb::LogicalOperatorType::LOGICAL_GET) {
    auto& get = op.Cast<duckdb::LogicalGet>();
    const auto& ids = get.GetColumnIds();
    for (size_t i = 0; i < count; ++i) {
      const size_t id = get.projection_ids.empty() ? i : get.projection_ids[i].GetIndex();
      if (id < ids.size()) names[i] = get.GetColumnName(ids[id]).GetIdentifierName();
    }
  }
  return names;
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
  const auto names = column_names(op, op.types.size());
  std::vector<plan::Column> columns;
  columns.reserve(op.types.size());
  for (size_t i = 0; i < op.types.size(); ++i) {
    auto name = names[i].empty() ? "column" + std::to_string(i) : names[i];
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
