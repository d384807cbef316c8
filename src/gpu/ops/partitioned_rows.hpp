// Rows gathered by a sink and, when they are too many to work on at once, cut into parts by a hash of their keys, so
// that rows with equal keys are in the same part.
#pragma once

#include <mutex>
#include <vector>

#include "gpu/ops/make_operators.hpp"
#include "gpu/ops/stored_batch.hpp"

namespace weft::gpu {

/// How many parts rows of this size need: each is to be worked on with a few copies of it on the device at once.
size_t parts_needed(uint64_t bytes, uint64_t rows, uint64_t cap_bytes);

/// True when the query holds so much of its cap that a state under work moves what it has finished to the host.
bool memory_is_short(const Account& account);

/// Takes the stored batches one by one, and gives the parts: `parts` lists (one: the batches as they are). The hash is
/// over the columns `hashed`. While the query holds much of its cap, finished parts are moved to the host, and with
/// `force_spill` always. `stored` is empty at the end; after a failure everything is in `stored` or in `out`, and a
/// second call goes on.
void partition_by_hash(const TaskContext& context, const OperatorServices& services, std::vector<StoredBatch>& stored,
                       const std::vector<cudf::size_type>& hashed, std::vector<StoredBatches>& out);
/// As above, by the first `keys` columns.
void partition_by_hash(const TaskContext& context, const OperatorServices& services, std::vector<StoredBatch>& stored,
                       uint32_t keys, std::vector<StoredBatches>& out);

/// All rows of a list as one batch; empty lists are not allowed. Synchronizes.
Batch load_all(const TaskContext& context, const StoredBatches& stored);

/// True for the errors that spilling or smaller pieces may cure (the caller holds a caught exception).
bool is_memory_shortage() noexcept;

}  // namespace weft::gpu
