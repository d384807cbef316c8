// Aggregates over frames, by the recipes of the aggregate (ops/aggregate_functions.hpp): each part of a state is
// computed for every row's frame, and the recipe's results are taken of those.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpu/ops/aggregate_functions.hpp"
#include "gpu/ops/window_frame.hpp"

namespace weft::gpu {

/// The calls of one frame. Immutable, thread-safe.
class WindowAggregates {
 public:
  WindowAggregates(const OperatorServices& services, const std::vector<plan::WindowCall>& calls,
                   const pipeline::RowType& input);
  /// A column per call, with its value for each row.
  std::vector<ColumnPtr> evaluate(const TaskContext& context, const SortedRows& sorted,
                                  const window::Frame& frame) const;

 private:
  std::vector<ColumnPtr> states(const TaskContext& context, const SortedRows& sorted, const window::Frame& frame) const;

  AggregateRecipe recipe_;
  std::vector<plan::ExprPtr> result_exprs_;  // over the row of `results_`
  std::vector<bool> used_;  // columns of the state row that a result reads: the others are not computed
  std::unique_ptr<Expressions> inputs_;
  std::unique_ptr<Expressions> results_;  // over the used columns
};

}  // namespace weft::gpu
