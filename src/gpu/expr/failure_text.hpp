// One row of a batch as text, for ExpressionFailure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gpu/column/batch.hpp"
#include "gpu/exec/task_context.hpp"

namespace weft::gpu {

/// A value as DuckDB prints it: 1.50, 2020-02-29, true, inf; FLOAT and DOUBLE with all their digits. nullopt: NULL.
std::optional<std::string> value_text(const plan::Value& value);
/// Row `row`, one text per column. Synchronizes.
std::vector<std::optional<std::string>> row_text(const TaskContext& context, const std::vector<plan::Column>& columns,
                                                 const Batch& batch, cudf::size_type row);

}  // namespace weft::gpu
