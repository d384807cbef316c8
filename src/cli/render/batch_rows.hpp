// Cells of an Arrow batch, a slice of rows at a time, so that a large batch is never held as text as a whole.
#pragma once

#include <algorithm>
#include <cstdint>

#include "workload/result_table.hpp"

namespace weft::cli {

/// Appends rows [first, first + count) of the batch to the table.
inline void append_slice(const ArrowSchema& schema, const ArrowArray& batch, int64_t first, int64_t count,
                         workload::ResultTable& table) {
  ArrowArray slice = batch;  // borrows the buffers: `batch` outlives it
  slice.release = nullptr;
  slice.offset += first;
  slice.length = count;
  slice.null_count = -1;
  workload::append_batch(schema, slice, table);
}

/// Calls `visit(row)` with the cells of every row of the batch, in order.
template <typename Visit>
void for_each_row(const ArrowSchema& schema, const ArrowArray& batch, const Visit& visit) {
  constexpr int64_t kSliceRows = 1024;
  workload::ResultTable table;
  for (int64_t first = 0; first < batch.length; first += kSliceRows) {
    table.rows.clear();
    append_slice(schema, batch, first, std::min(kSliceRows, batch.length - first), table);
    for (const auto& row : table.rows) visit(row);
  }
}

}  // namespace weft::cli
