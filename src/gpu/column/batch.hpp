// Rows on the device: cudf columns beside their plan types.
//
// Streams. A task runs on one stream. What a task hands to others (a sink's state, a result) is complete: the task has
// synchronized its stream before. What a task got from others (a state's batches) it keeps alive until it has
// synchronized its own stream. Memory that a task frees is freed in the order of the task's stream (AccountScope).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <cudf/column/column.hpp>
#include <cudf/table/table_view.hpp>
#include <cudf/types.hpp>

#include "plan/node.hpp"

namespace weft::gpu {

using ColumnPtr = std::shared_ptr<const cudf::column>;  // shared: projections pass columns on without a copy

struct Batch {
  std::vector<ColumnPtr> columns;
  cudf::size_type rows = 0;  // also for a batch without columns; under 2^31
  uint64_t sequence = 0;     // source order within a pipeline
  cudf::table_view view() const;
  uint64_t device_bytes() const;  // sum of the columns' buffers (shared ones counted each time)
};

/// The device form of a plan type (design.md, "Types on the device"); throws InternalError for a type without one.
cudf::data_type device_type(const plan::Type& type);
/// A batch of the columns of a table that is given up.
Batch make_batch(std::vector<std::unique_ptr<cudf::column>> columns, cudf::size_type rows);

}  // namespace weft::gpu
