// What a join keeps of its build side, and where: worked out once from the JoinSpec, used by build and probe.
//
// NULLs in keys. With only "=" keys libcudf joins with null_equality::UNEQUAL, with only "IS NOT DISTINCT FROM" keys
// with EQUAL. A mix joins with EQUAL and one more INT8 key, the marker: 0 where all "=" keys are valid, else 1 on the
// probe side and 2 on the build side, so that such rows never meet. FLOAT and DOUBLE keys go through __normalize: one
// NaN, one zero.
#pragma once

#include <cstdint>
#include <vector>

#include <cudf/types.hpp>

#include "base/error.hpp"
#include "gpu/column/batch.hpp"
#include "gpu/exec/task_context.hpp"
#include "pipeline/pipeline.hpp"

namespace weft::gpu {

struct JoinLayout {
  pipeline::JoinSpec spec;
  std::vector<uint32_t> kept;                // build columns that a stored build row has, ascending: its first columns
  std::vector<plan::ExprPtr> computed_keys;  // over the build row: the stored row's further columns
  std::vector<uint32_t> key_columns;         // per key: its column in a stored row
  std::vector<plan::ExprPtr> probe_keys;     // over the probe row
  /// With spec.search: what the rows are sorted by behind the keys, and what its reach is of, as columns of a stored
  /// row; and over the probe row, the values that are looked for: of `first`, then of `second` or `reach` if there is
  /// one.
  uint32_t search_column = 0;
  uint32_t reach_column = 0;
  std::vector<plan::ExprPtr> bounds;
  std::vector<uint32_t> build_output;  // columns of a stored row, in the order of spec.build_output
  cudf::null_equality compare_nulls = cudf::null_equality::UNEQUAL;
  bool marker = false;  // keys with and without null equality: see above

  // Conditions of a pair of rows read this row: probe columns, then columns of a stored row.
  std::vector<uint32_t> pair_probe;
  std::vector<uint32_t> pair_build;
  std::vector<plan::Column> pair_row;
  std::vector<uint32_t> pair_sources;  // of its columns: the columns of left ++ right of the plan's join
  plan::ExprPtr residual;              // over pair_row; null: none
  plan::ExprPtr otherwise;             // over pair_row: spec.search->otherwise
  /// Over pair_row: the whole condition IS NULL. Set for a three-valued mark with several keys or a residual; with one
  /// key or a search, and with groups, it is known from the values alone.
  plan::ExprPtr unknown;
  bool three_valued = false;  // the mark may be NULL
  /// A three-valued mark of one "=" key beside "IS NOT DISTINCT FROM" keys (a correlated IN): these keys divide the
  /// build rows into groups, and whether a mark is NULL is a question to the probe row's group.
  bool groups = false;

  /// ASOF, when there are several partitions: over (a row's search key so far, another's), the other one is nearer.
  std::vector<plan::Column> nearer_row;
  plan::ExprPtr nearer;

  bool has_keys() const { return !key_columns.empty(); }
  /// The keys are in a hash table.
  bool has_table() const { return has_keys() && !spec.search; }
  /// False: whether a probe row has a match is all that is asked, and the keys or the search alone decide it.
  bool needs_pairs() const;
};

JoinLayout make_join_layout(const pipeline::JoinSpec& spec);

/// What an expression of the plan's join reads, left ++ right, from what one over pair_row has read.
ExpressionFailure failure_of_pair(const JoinLayout& layout, const ExpressionFailure& failure);

/// Those of `keys` that are "IS NOT DISTINCT FROM".
std::vector<cudf::column_view> group_keys(const JoinLayout& layout, const std::vector<cudf::column_view>& keys);
/// The first of `keys` that is "=".
cudf::column_view plain_key(const JoinLayout& layout, const std::vector<cudf::column_view>& keys);

/// The marker key: 0 where every column of `plain_keys` is valid, else `when_null`.
ColumnPtr make_null_marker(const TaskContext& context, const std::vector<cudf::column_view>& plain_keys,
                           cudf::size_type rows, int8_t when_null);

}  // namespace weft::gpu
