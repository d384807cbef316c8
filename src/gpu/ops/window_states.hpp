// The states of an aggregate's parts over frames.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "gpu/ops/aggregate_functions.hpp"
#include "gpu/ops/window_rows.hpp"

namespace weft::gpu {

/// Computes the parts of one frame of one task.
class FrameStates {
 public:
  /// `inputs`: the columns of Grouping::inputs for the rows of the frame; all must outlive it.
  FrameStates(const TaskContext& context, const window::Frame& frame, const std::vector<ColumnPtr>& inputs,
              cudf::size_type rows)
      : context_(context), frame_(frame), inputs_(inputs), rows_(rows) {}
  /// The part's state columns; null where `wanted` is false.
  std::vector<ColumnPtr> of(const StatePart& part, const std::vector<bool>& wanted);

 private:
  window::Present present(const ColumnPtr& column);
  ColumnPtr count(const window::Present& present) const;
  ColumnPtr limb_sum(const ColumnPtr& values);
  ColumnPtr double_sum(const ColumnPtr& values);
  ColumnPtr extreme(const ColumnPtr& values, bool least);
  ColumnPtr text_extreme(const ColumnPtr& values, bool least);
  ColumnPtr first(const ColumnPtr& values, const ColumnPtr& among);
  std::vector<ColumnPtr> moments(const ColumnPtr& values, const std::vector<bool>& wanted) const;

  const TaskContext& context_;
  const window::Frame frame_;
  const std::vector<ColumnPtr>& inputs_;
  const cudf::size_type rows_;
  std::map<const cudf::column*, PresentRows> present_;
};

}  // namespace weft::gpu
