// arg_min and arg_max: states (key, order key, value) with the least or greatest key; of equal keys the one with the
// smallest order key, that is the first in source order. A key of NULL is out of the race.
#pragma once

#include <memory>
#include <vector>

#include "gpu/column/batch.hpp"
#include "gpu/exec/task_context.hpp"
#include "gpu/ops/group_numbers.hpp"

namespace weft::gpu {

enum class Extreme : unsigned char { Least, Greatest };

/// The states of the groups, in their order. Synchronizes.
std::vector<std::unique_ptr<cudf::column>> merge_arg_extremes(const TaskContext& context, const GroupNumbers& groups,
                                                              const std::vector<ColumnPtr>& states, Extreme extreme);

}  // namespace weft::gpu
