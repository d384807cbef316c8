// Variance and covariance: states of one or two variables, (count, the means, the sums of products of differences from
// the means: of the first with itself, the first with the second, the second with itself), merged by the formula of
// Chan, Golub and LeVeque (1979): with n and m of all states of a group together, sum_xy = sum(sum_xy_i + n_i (mean_x_i
// - m_x) (mean_y_i - m_y)). Means are summed as differences from the group's least mean, so that a variable that is
// constant in a group keeps its mean and gets a variance of exactly 0: corr and regr_slope ask for that.
#pragma once

#include <memory>
#include <vector>

#include "gpu/column/batch.hpp"
#include "gpu/exec/task_context.hpp"
#include "gpu/ops/group_numbers.hpp"

namespace weft::gpu {

/// The states of single rows: (1, x, 0) or (1, x, y, 0, 0, 0); for NULL, (0, NULL, 0). Two variables are NULL together.
std::vector<ColumnPtr> moments_of_rows(const TaskContext& context, const std::vector<ColumnPtr>& variables);
/// The states of the groups, in their order. Synchronizes.
std::vector<std::unique_ptr<cudf::column>> merge_moments(const TaskContext& context, const GroupNumbers& groups,
                                                         const std::vector<ColumnPtr>& states);

}  // namespace weft::gpu
