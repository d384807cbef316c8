// The rows of grouping sets, from rows that are grouped by all groups: (groups, rest) becomes, for each set, (groups,
// NULL where the group is not in the set; the set's key; rest), and rows that are alike now are merged. A set is made
// from the smallest result of a finer one, so that ROLLUP costs little more than its finest level.
#pragma once

#include <functional>
#include <vector>

#include "gpu/ops/aggregate_functions.hpp"
#include "gpu/ops/grouped_rows.hpp"

namespace weft::gpu {

/// Of states of recipe.main, at least one; each group once if the set of all groups is among the sets.
std::vector<Batch> states_by_set(const TaskContext& context, const AggregateRecipe& recipe, const Batch& states);
/// Of distinct rows of (groups, argument), at least one.
std::vector<Batch> distinct_rows_by_set(const TaskContext& context, const AggregateRecipe& recipe, const Batch& rows);
/// Over no input: a row for each empty set, in the order of recipe.sets.
std::vector<Batch> empty_states_by_set(const TaskContext& context, const AggregateRecipe& recipe);

/// Gathers the rows of the sets, when a sink that gathered rows by all groups is finalized (or before).
///
/// Thread safety: rows() is a GroupedRows. run() is called by one thread, after the last add.
class SetExpansion {
 public:
  using Expand = std::function<std::vector<Batch>(const TaskContext&, const Batch&)>;

  /// `merge`: merges rows by all groups; `expand`: makes the sets' rows of them; `merge_sets`: merges those.
  SetExpansion(const OperatorServices& services, size_t sets, GroupedRows::Merge merge, Expand expand,
               GroupedRows::Merge merge_sets);

  /// The sets' rows of a batch, for when rows by all groups would not be fewer. Not merged before.
  std::vector<Batch> expand(const TaskContext& context, const Batch& batch) const { return expand_(context, batch); }
  /// Takes everything that was gathered by all groups. What is large for the query's cap is cut into parts by a hash of
  /// the first `hashed` columns (0: never) and merged part by part, so that only few rows are expanded. After a failure
  /// a second call goes on.
  void run(const TaskContext& context, GroupedRows& gathered, uint32_t hashed);

  GroupedRows& rows() { return rows_; }
  const GroupedRows& rows() const { return rows_; }
  /// After run(): no two rows are alike, so that merging them is not needed.
  bool merged() const { return merged_; }

 private:
  const OperatorServices services_;
  const size_t sets_;
  const GroupedRows::Merge merge_;
  const Expand expand_;
  GroupedRows rows_;

  // ---- from run() on
  bool started_ = false;
  bool merged_ = false;
  std::vector<StoredBatch> pending_;
  std::vector<StoredBatches> parts_;  // those not expanded yet
};

}  // namespace weft::gpu
