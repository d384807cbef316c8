// Frames of windows: from the plan's bounds to the rows that each row's frame has.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "gpu/ops/make_operators.hpp"
#include "gpu/ops/window_rows.hpp"

namespace weft::gpu {

/// A BIGINT argument of a call or a frame. A constant takes no column.
class OffsetArgument {
 public:
  /// Adds the expression to `computed` if it must be evaluated.
  OffsetArgument(const plan::ExprPtr& expr, std::vector<plan::ExprPtr>& computed);
  /// `columns`: the values of `computed`, which must outlive the result.
  window::Offsets of(const std::vector<ColumnPtr>& columns) const;

 private:
  std::optional<size_t> column_;
  window::Offsets constant_;
};

/// The frames of some sorted rows. The view points into it and into the rows' layout.
struct FrameRows {
  window::Frame view;
  std::optional<rmm::device_uvector<window::Row>> starts;  // none: an edge
  std::optional<rmm::device_uvector<window::Row>> ends;
};

/// Immutable, thread-safe.
class WindowFrame {
 public:
  /// `orders`: of the window; a RANGE bound is of the type of the only one.
  WindowFrame(const OperatorServices& services, const plan::Frame& frame, const std::vector<plan::SortKey>& orders,
              const pipeline::RowType& input);
  /// Synchronizes if a bound must be computed. Raises DuckDB's errors for offsets that are NULL or below 0.
  FrameRows on(const TaskContext& context, const SortedRows& sorted) const;

 private:
  using Positions = std::optional<rmm::device_uvector<window::Row>>;
  struct ComputedBound {
    plan::FrameBoundKind kind = plan::FrameBoundKind::Preceding;
    std::optional<OffsetArgument> offset;  // Rows, Groups
    size_t value = 0;                      // Range: position in values_
  };
  std::optional<ComputedBound> bound_of(const plan::FrameBound& bound, const std::vector<plan::SortKey>& orders,
                                        std::vector<plan::ExprPtr>& computed) const;
  Positions positions(const TaskContext& context, const SortedRows& sorted, const ComputedBound& bound, bool is_end,
                      const std::vector<ColumnPtr>& columns) const;

  plan::Frame frame_;
  std::optional<ComputedBound> start_;
  std::optional<ComputedBound> end_;
  std::unique_ptr<Expressions> values_;  // null: nothing to evaluate
};

bool same_frame(const plan::Frame& a, const plan::Frame& b);

}  // namespace weft::gpu
