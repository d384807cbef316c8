// Pairs of a probe row and a build row, in chunks of bounded size, whatever the fan-out of the join.
#pragma once

#include <functional>
#include <memory>

#include "gpu/kernels/join_ranges.hpp"
#include "gpu/ops/hash_build.hpp"

namespace weft::gpu {

struct RowPairs {
  std::unique_ptr<cudf::column> probe;  // INT32 row numbers, no nulls
  std::unique_ptr<cudf::column> build;  // as many
  bool every_probe_row_once = false;    // probe is 0, 1, 2, ... to the last probe row
  cudf::size_type size() const { return probe->size(); }
};
using VisitPairs = std::function<void(RowPairs)>;

/// Pairs of a visit, about, when conditions read `condition_bytes` of each: so that those columns fit a batch.
cudf::size_type max_pairs(const TaskContext& context, uint64_t condition_bytes);

/// Visits all pairs of equal keys of a partition with a distinct or a hash table, at most about `block` at once.
void visit_key_pairs(const TaskContext& context, const HashBuild::Partition& partition, cudf::table_view probe_keys,
                     cudf::size_type block, const VisitPairs& visit);
/// Visits all pairs of the product of row numbers [0, probe_rows) x [0, build_rows), block by block.
void visit_product(const TaskContext& context, cudf::size_type probe_rows, cudf::size_type build_rows,
                   cudf::size_type block, const VisitPairs& visit);
/// Visits all pairs of a probe row in [0, probe_rows) and one of its candidates, block by block.
void visit_candidates(const TaskContext& context, const join::Candidates& candidates, cudf::size_type probe_rows,
                      cudf::size_type block, const VisitPairs& visit);

/// The pairs where the mask (BOOL8 without nulls) is true. Synchronizes.
RowPairs keep_pairs(const TaskContext& context, const RowPairs& pairs, cudf::column_view mask);
/// A column of row numbers that takes over the vector.
std::unique_ptr<cudf::column> row_numbers(rmm::device_uvector<cudf::size_type>&& rows);

}  // namespace weft::gpu
