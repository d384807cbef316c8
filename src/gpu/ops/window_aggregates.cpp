#include "gpu/ops/window_aggregates.hpp"
#include "gpu/ops/sum_overflow.hpp"

#include <utility>

#include "gpu/ops/window_states.hpp"

namespace weft::gpu {
namespace {

plan::Aggregate as_aggregate(const std::vector<plan::WindowCall>& calls) {
  plan::Aggregate aggregate;
  for (const plan::WindowCall& call : calls) {
    plan::AggregateCall made;
    made.function = call.function;
    made.arguments = call.arguments;
    made.type = call.type;
    made.distinct = call.distinct;
    made.filter = call.filter;
    made.id = call.id;
    aggregate.aggregates.push_back(std::move(made));
  }
  return aggregate;
}

}  // namespace

WindowAggregates::WindowAggregates(const OperatorServices& services, const std::vector<plan::WindowCall>& calls,
                                   const pipeline::RowType& input) {
  const plan::Aggregate aggregate = as_aggregate(calls);
  recipe_ = make_recipe(aggregate, input);
  WEFT_INVARIANT(recipe_.distinct.empty(), "a window over distinct values");
  used_.resize(recipe_.final_row.size());
  for (const plan::ExprPtr& result : recipe_.results) plan::collect_columns(*result, used_);
  std::vector<uint32_t> position(used_.size());
  std::vector<plan::Column> row;
  for (size_t i = 0; i < used_.size(); ++i) {
    position[i] = static_cast<uint32_t>(row.size());
    if (used_[i]) row.push_back(recipe_.final_row[i]);
  }
  for (const plan::ExprPtr& result : recipe_.results) result_exprs_.push_back(plan::remap(result, position));
  inputs_ = Expressions::make(services.kernels, input.columns, recipe_.main.inputs);
  results_ = Expressions::make(services.kernels, std::move(row), result_exprs_);
}

std::vector<ColumnPtr> WindowAggregates::states(const TaskContext& context, const SortedRows& sorted,
                                                const window::Frame& frame) const {
  const std::vector<ColumnPtr> inputs = inputs_->evaluate(context, sorted.rows);
  FrameStates computed(context, frame, inputs, sorted.rows.rows);
  std::vector<ColumnPtr> states;
  for (const StatePart& part : recipe_.main.parts) {
    std::vector<bool> wanted;
    for (size_t i = 0; i < part.types.size(); ++i) wanted.push_back(used_[part.first_column + i]);
    for (ColumnPtr& column : computed.of(part, wanted)) {
      if (column) states.push_back(std::move(column));
    }
  }
  return states;
}

std::vector<ColumnPtr> WindowAggregates::evaluate(const TaskContext& context, const SortedRows& sorted,
                                                  const window::Frame& frame) const {
  Batch row;
  row.rows = sorted.rows.rows;
  row.columns = states(context, sorted, frame);
  return evaluate_results(context, *results_, result_exprs_, row);
}

}  // namespace weft::gpu
