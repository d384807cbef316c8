// Window functions that are not aggregates.
#pragma once

#include <memory>
#include <optional>

#include "gpu/ops/window_frame.hpp"

namespace weft::gpu {

/// One call. Immutable, thread-safe.
class WindowFunction {
 public:
  WindowFunction(const OperatorServices& services, const plan::WindowCall& call, const pipeline::RowType& input);
  /// A column with the call's value for each row. `frame` is read by first_value, last_value and nth_value.
  ColumnPtr evaluate(const TaskContext& context, const SortedRows& sorted, const window::Frame& frame) const;

 private:
  enum class Kind : uint8_t {
    RowNumber,
    Rank,
    DenseRank,
    PercentRank,
    CumeDist,
    Ntile,
    Lag,
    Lead,
    FirstValue,
    LastValue,
    NthValue
  };
  static Kind kind_of(const plan::WindowCall& call);
  ColumnPtr shifted(const TaskContext& context, const SortedRows& sorted, const std::vector<ColumnPtr>& columns) const;
  ColumnPtr of_frame(const TaskContext& context, const window::Frame& frame,
                     const std::vector<ColumnPtr>& columns) const;

  Kind kind_;
  bool ignore_nulls_;
  std::optional<OffsetArgument> offset_;  // ntile, lag, lead, nth_value
  size_t value_ = 0;                      // lag, lead, first, last, nth: positions in arguments_
  std::optional<size_t> default_;         // lag, lead; none: NULL
  std::unique_ptr<Expressions> arguments_;
};

/// The rows of `values` that `rows` names, NULL for a negative one.
ColumnPtr picked_values(const TaskContext& context, const ColumnPtr& values,
                        const rmm::device_uvector<window::Row>& rows);

}  // namespace weft::gpu
