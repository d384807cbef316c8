// One row of a batch as text, for ExpressionFailure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gpu/column/batch.hpp"
#include "gpu/exec/task_context.hpp"

namespace weft::gpu {

/// Row `row`, one text per column. Synchronizes.
std::vector<std::optional<std::string>> row_text(const TaskContext& context, const std::vector<plan::Column>& columns,
                                                 const Batch& batch, cudf::size_type row);

}  // namespace weft::gpu
