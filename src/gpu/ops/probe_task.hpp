// One batch of probe rows on its way through a join: HashProbe::run's state.
#pragma once

#include <memory>
#include <vector>

#include "gpu/ops/hash_probe.hpp"

namespace weft::gpu {

class ProbeTask {
 public:
  ProbeTask(const HashProbe& probe, const TaskContext& context, const Batch& input, const Emit& emit);
  void run();

 private:
  using Kind = pipeline::JoinSpec::Emit;
  using Partition = HashBuild::Partition;

  bool emits_pairs() const;
  bool follows_matches() const;

  bool answered_by_one_filter();
  void visit_partition(const Partition& partition);
  void probe_filter(const Partition& partition);
  void take_pairs(const Partition& partition, RowPairs pairs);
  std::unique_ptr<cudf::column> pair_mask(const Predicate& condition, const Batch& row) const;
  RowPairs passing_pairs(const Partition& partition, RowPairs pairs);
  void accept_pairs(const Partition& partition, const RowPairs& pairs);
  void emit_pairs(const Partition& partition, const RowPairs& pairs);
  void finish();
  void emit_unmatched();
  void emit_mark();

  Batch pair_row(const Partition& partition, const RowPairs& pairs) const;
  Batch joined(Batch probe, Batch build) const;
  void mark(cudf::column_view rows, uint8_t* marks) const;
  uint8_t* new_marks(std::unique_ptr<cudf::column>& marks, int value) const;

  // Searches in sorted build rows.
  void evaluate_bounds();
  void search_partition(const Partition& partition);
  void find_nearest(const Partition& partition, const join::Candidates& candidates);
  void accept_nearest();
  cudf::size_type block_of(const Partition& partition) const;

  // Three-valued marks: which unmatched rows are NULL rather than false.
  void find_unknown();
  void find_unknown_by_value();
  void find_unknown_by_groups();
  void find_unknown_by_pairs();
  void test_unknown(const Partition& partition, cudf::column_view probe_rows, cudf::column_view build_rows);
  ColumnPtr rows_where(cudf::column_view mask, bool value) const;
  ColumnPtr null_key_mask(const std::vector<cudf::column_view>& keys, cudf::size_type rows) const;

  const HashProbe& probe_;
  const HashBuild& build_;
  const JoinLayout& layout_;
  const TaskContext& context_;
  const Batch& input_;
  const Emit& emit_;
  std::vector<ColumnPtr> keys_;
  ColumnPtr marker_;
  cudf::table_view key_view_;
  std::unique_ptr<cudf::column> matched_;  // BOOL8 per probe row
  uint8_t* matched_marks_ = nullptr;
  std::unique_ptr<cudf::column> unknown_;  // BOOL8 per probe row
  uint8_t* unknown_marks_ = nullptr;
  int64_t pairs_ = 0;
  const Predicate* residual_;      // what pairs are asked; null: nothing
  std::vector<ColumnPtr> bounds_;  // values of the search; none: all pairs are asked
  // ASOF: the nearest row so far of each probe row: its partition and row (INT32; -1: none) and its search key.
  std::unique_ptr<cudf::column> nearest_partition_;
  std::unique_ptr<cudf::column> nearest_row_;
  std::unique_ptr<cudf::column> nearest_key_;
};

}  // namespace weft::gpu
