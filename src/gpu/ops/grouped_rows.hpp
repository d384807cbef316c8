// The states of one grouping as a sink gathers them: partial states from many tasks, merged from time to time.
//
// Thread safety: add() and spill() lock. The rest is called by one thread, before or after all of them.
#pragma once

#include <functional>
#include <mutex>
#include <vector>

#include "gpu/ops/partitioned_rows.hpp"

namespace weft::gpu {

class GroupedRows {
 public:
  /// Merges rows with equal keys: fewer rows of the same columns.
  using Merge = std::function<Batch(const TaskContext&, const Batch&)>;

  GroupedRows(const OperatorServices& services, Merge merge);
  /// `rows` is complete (its stream was synchronized). Merges what has gathered when that is worth it; a shortage of
  /// memory then only puts the merge off.
  void add(const TaskContext& context, Batch rows);
  uint64_t device_bytes() const;
  uint64_t spill(const TaskContext& context, uint64_t bytes);

  bool empty() const;
  uint64_t bytes() const;
  uint64_t rows() const;
  /// Everything, not merged: for the end.
  std::vector<StoredBatch> take();

 private:
  bool worth_merging_locked() const;
  void merge_some(const TaskContext& context);

  const OperatorServices services_;
  const Merge merge_;
  mutable std::mutex mutex_;
  StoredBatches stored_;
  uint64_t merged_bytes_ = 0;  // size of the last merge's result
  bool merging_ = false;
  bool keys_repeat_ = true;  // merging makes the rows fewer
};

}  // namespace weft::gpu
