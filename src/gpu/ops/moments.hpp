// Variance: states (count, mean, sum of squared differences from the mean) of groups, merged by the formula of Chan,
// Golub and LeVeque (1979): with n and m of all states of a group together, squares = sum(squares_i + n_i (mean_i -
// m)^2).
#pragma once

#include <memory>
#include <vector>

#include <cudf/table/table_view.hpp>

#include "gpu/column/batch.hpp"
#include "gpu/exec/task_context.hpp"

namespace weft::gpu {

/// The states of single values: (1, x, 0), for a NULL (0, NULL, 0).
std::vector<ColumnPtr> moments_of_rows(const TaskContext& context, const ColumnPtr& values);
/// The states of the groups, in the order of `groups`, which are the distinct rows of `keys`. Synchronizes.
std::vector<std::unique_ptr<cudf::column>> merge_moments(const TaskContext& context, cudf::table_view keys,
                                                         cudf::table_view groups, const std::vector<ColumnPtr>& states);

}  // namespace weft::gpu
