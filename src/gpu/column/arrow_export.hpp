// Device rows to the host as Arrow arrays in exactly DuckDB's schema.
#pragma once

#include <vector>

#include "engine/arrow_c.hpp"
#include "gpu/column/batch.hpp"
#include "gpu/exec/task_context.hpp"
#include "gpu/memory/pinned.hpp"

namespace weft::gpu {

/// Copies a batch to the host in slices of at most `slice_bytes` (and under 2^31 characters a text column, so that
/// offsets stay 32 bits). Decimals become 128-bit integers, BOOLEAN bits. Each slice is a struct array that owns its
/// memory and depends on nothing. Synchronizes the stream.
std::vector<engine::HostBatch> export_batch(const TaskContext& context, PinnedPool& pinned,
                                            const std::vector<plan::Column>& columns, const Batch& batch,
                                            uint64_t slice_bytes);

/// Host rows (a struct array of DuckDB's Arrow form of `columns`) to the device, in the columns' device types.
/// Synchronizes the stream; `array` may be released afterwards.
Batch import_batch(const TaskContext& context, const std::vector<plan::Column>& columns, const ArrowArray& array);

}  // namespace weft::gpu
