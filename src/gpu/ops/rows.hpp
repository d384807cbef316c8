// Whole-row operations on batches, over libcudf. A batch without columns still has rows, which libcudf's tables cannot
// say: use these, not cudf::gather and its kin. All run on context.stream and do not synchronize unless said so.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/column/batch.hpp"
#include "gpu/exec/task_context.hpp"

namespace weft::gpu {

/// Row counts stay below this: a column's size is a signed 32-bit number.
inline constexpr uint64_t kMaxRows = (uint64_t{1} << 31) - 2;

/// Waits until all work of the task's stream is done.
void synchronize(const TaskContext& context);

/// Columns `chosen` of the batch, shared.
Batch select_columns(const Batch& batch, const std::vector<uint32_t>& chosen);
/// Rows [begin, end): the batch itself when that is all of it, else copies.
Batch slice_rows(const TaskContext& context, const Batch& batch, cudf::size_type begin, cudf::size_type end);
/// The rows that `map` (INT32, no nulls, every index valid) names, in its order.
Batch gather_rows(const TaskContext& context, const Batch& batch, cudf::column_view map);
/// As gather_rows; an index outside the rows (negative too) gives a row of NULLs.
Batch gather_rows_or_null(const TaskContext& context, const Batch& batch, cudf::column_view map);
/// The rows where `mask` (BOOL8 without nulls) is `keep`. Synchronizes.
Batch filter_rows(const TaskContext& context, const Batch& batch, cudf::column_view mask, bool keep);
/// One batch of all rows, in order; at least one batch, fewer than kMaxRows rows in all. A single batch is passed on.
Batch concatenate_rows(const TaskContext& context, const std::vector<Batch>& batches);
/// A batch of no rows with columns of these types.
Batch empty_batch(const std::vector<cudf::data_type>& types);
/// A column of `rows` NULLs.
ColumnPtr null_column(const TaskContext& context, cudf::data_type type, cudf::size_type rows);
/// True values of a BOOL8 column without nulls. Synchronizes.
int64_t count_true(const TaskContext& context, cudf::column_view mask);

/// Device bytes of one row, rounded up, at least 1.
uint64_t bytes_per_row(const Batch& batch);
/// Rows of a piece of about `target_bytes` when a row takes `row_bytes`: at least 2^16, below kMaxRows.
cudf::size_type rows_per_piece(uint64_t target_bytes, uint64_t row_bytes);

}  // namespace weft::gpu
