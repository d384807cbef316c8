#include "sql/expression_failure.hpp"

#include <map>

#include "duckdb/execution/expression_executor.hpp"
#include "duckdb/planner/expression/bound_aggregate_expression.hpp"
#include "duckdb/planner/expression/bound_reference_expression.hpp"
#include "duckdb/planner/expression_iterator.hpp"
#include "sql/error_bridge.hpp"

namespace weft::sql {
namespace {

/// The input columns that the expression reads, with their types.
void collect_inputs(const duckdb::Expression& expression, std::map<uint64_t, duckdb::LogicalType>& inputs) {
  if (expression.GetExpressionClass() == duckdb::ExpressionClass::BOUND_REF) {
    const auto& reference = expression.Cast<duckdb::BoundReferenceExpression>();
    inputs.emplace(reference.Index(), reference.GetReturnType());
  }
  duckdb::ExpressionIterator::EnumerateChildren(
      expression, [&](const duckdb::Expression& child) { collect_inputs(child, inputs); });
}

void evaluate(duckdb::ClientContext& context, const duckdb::Expression& expression, const ExpressionFailure& failure) {
  std::map<uint64_t, duckdb::LogicalType> inputs;
  collect_inputs(expression, inputs);
  const uint64_t width = inputs.empty() ? 0 : inputs.rbegin()->first + 1;
  duckdb::vector<duckdb::LogicalType> types(width, duckdb::LogicalType::INTEGER);
  for (const auto& [column, type] : inputs) types[column] = type;
  duckdb::DataChunk row;
  if (width > 0) row.Initialize(context, types);
  for (uint64_t column = 0; column < width; ++column) {
    duckdb::Value value(types[column]);
    const bool given = inputs.count(column) > 0 && column < failure.inputs.size() && failure.inputs[column].has_value();
    if (given) value = duckdb::Value(*failure.inputs[column]).CastAs(context, types[column]);
    row.data[column].Append(value);
  }
  if (width > 0) row.SetChildCardinality(1);
  duckdb::ExpressionExecutor executor(context, expression);
  duckdb::Vector result(expression.GetReturnType());
  if (width > 0) {
    executor.ExecuteExpression(row, result);
  } else {
    executor.ExecuteExpression(result);
  }
}

}  // namespace

void evaluate_failure(duckdb::ClientContext& context, const GpuPart& part, const ExpressionFailure& failure) {
  const auto id = failure.expression_id;
  if (id == 0 || !part.expressions || id > part.expressions->size() || !(*part.expressions)[id - 1]) return;
  const auto& expression = *(*part.expressions)[id - 1];
  const bool is_call = expression.GetExpressionClass() == duckdb::ExpressionClass::BOUND_AGGREGATE ||
                       expression.GetExpressionClass() == duckdb::ExpressionClass::BOUND_WINDOW;
  if (!is_call) {
    evaluate(context, expression, failure);
    return;
  }
  duckdb::ExpressionIterator::EnumerateChildren(
      expression, [&](const duckdb::Expression& argument) { evaluate(context, argument, failure); });
}

void throw_part_error(duckdb::ClientContext& context, const GpuPart& part, const Error& error) {
  if (error.failure) evaluate_failure(context, part, *error.failure);
  throw_in_duckdb(error);
}

}  // namespace weft::sql
