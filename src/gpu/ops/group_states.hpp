// Aggregation of batches by libcudf. NULL is a group of its own. The order of groups is not specified. Every function
// runs on context.stream; those that count rows synchronize.
#pragma once

#include "gpu/ops/aggregate_functions.hpp"
#include "gpu/ops/rows.hpp"

namespace weft::gpu {

/// The order key of a batch's first row; row i has order + i. Sequences below 2^27 and pipelines below 2^5 keep source
/// order; beyond that the order of batches wraps, which only first() and any_value() can tell.
int64_t order_base(uint32_t pipeline, uint64_t sequence);

/// One state a group (a single row if there are no keys) of rows of Grouping::inputs; at least one row.
Batch aggregate_rows(const TaskContext& context, const Grouping& grouping, const Batch& inputs, int64_t order);
/// Each row as a state of its own: for keys that hardly repeat.
Batch rows_as_states(const TaskContext& context, const Grouping& grouping, const Batch& inputs, int64_t order);
/// One state a group of the states given; at least one.
Batch merge_states(const TaskContext& context, const Grouping& grouping, const Batch& states);
/// The state of no rows at all, of a grouping without keys: count 0, all else NULL.
Batch empty_state(const TaskContext& context, const Grouping& grouping);

/// The distinct rows.
Batch distinct_rows(const TaskContext& context, const Batch& rows);
/// Per row of `wanted`, the row of `groups` with the same key (their first `keys` columns, NULL equal to NULL), without
/// the keys; NULLs where there is none. Keys of `groups` are distinct.
Batch align_groups(const TaskContext& context, const Batch& wanted, const Batch& groups, uint32_t keys);

}  // namespace weft::gpu
