// The build side of a join: its rows in partitions, each with a hash table over the keys, or in the order that a search
// needs (ordered_rows.hpp), or as they came.
//
// One partition is the rule. There are more when the rows are too many for one column (2^31) or too large to be copied
// together under the query's cap: a probe then visits all of them.
//
// Thread safety: consume() and spill() lock; after finalize() everything is constant but the match marks, which many
// probes set at once (each stores the same value), and which are read only after the last probe.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <variant>  // cudf/ast/expressions.hpp uses it without including it
#include <vector>

#include <cudf/join/distinct_hash_join.hpp>
#include <cudf/join/filtered_join.hpp>
#include <cudf/join/hash_join.hpp>
#include <rmm/device_uvector.hpp>

#include "gpu/ops/join_layout.hpp"
#include "gpu/ops/make_operators.hpp"
#include "gpu/ops/ordered_rows.hpp"
#include "gpu/ops/stored_batch.hpp"

namespace weft::gpu {

class HashBuild final : public SinkState {
 public:
  struct Partition {
    Batch rows;                                          // layout().kept, then the computed keys
    OrderedRows order;                                   // of these rows; if spec.search
    ColumnPtr marker;                                    // if layout().marker
    cudf::table_view keys;                               // into rows and marker
    std::unique_ptr<cudf::distinct_hash_join> distinct;  // one of these three, or none without keys
    std::unique_ptr<cudf::hash_join> hash;
    std::unique_ptr<cudf::filtered_join> filter;
    // If layout().groups: the groups that there are, and those of rows whose "=" key is NULL (null: there are none).
    std::unique_ptr<cudf::filtered_join> groups;
    std::unique_ptr<cudf::filtered_join> null_groups;
    Batch null_group_rows;                                // what null_groups refers to
    std::unique_ptr<rmm::device_uvector<uint8_t>> marks;  // per row: it matched; if spec.track_build_matches
  };

  HashBuild(const OperatorServices& services, const pipeline::JoinSpec& spec);

  void consume(const TaskContext& context, uint32_t pipeline, Batch batch) override;
  void finalize(const TaskContext& context) override;
  uint64_t device_bytes() const override;
  uint64_t spillable_bytes() const override;
  uint64_t spill(const TaskContext& context, uint64_t bytes) override;

  // ---- after finalize()
  const JoinLayout& layout() const { return layout_; }
  const std::vector<Partition>& partitions() const { return partitions_; }
  /// The rows are in the order of the search; false: there is none, or a value that rows would be ordered by raised.
  bool is_searched() const { return layout_.spec.search && !all_pairs_.load(std::memory_order_relaxed); }
  uint64_t rows() const { return total_rows_; }
  /// Types of layout().build_output, for NULLs.
  const std::vector<cudf::data_type>& output_types() const { return output_types_; }
  /// Some build row has NULL in an "=" key, or in the search key of a mark.
  bool has_null_key() const { return has_null_key_; }
  size_t row_pieces() const { return pieces_.size(); }
  Batch row_piece(const TaskContext& context, size_t index, bool matched) const;

 private:
  struct RowPiece {
    size_t partition = 0;
    cudf::size_type begin = 0, end = 0;
  };
  std::vector<ColumnPtr> computed_keys(const TaskContext& context, const Batch& batch);
  void add_partition(const TaskContext& context, const Batch& unordered);
  void make_table(const TaskContext& context, Partition& partition) const;
  void make_groups(const TaskContext& context, Partition& partition, const std::vector<cudf::column_view>& keys) const;
  void cut_pieces(const TaskContext& context);

  PinnedPool& pinned_;
  const bool force_spill_;
  const uint64_t partition_bytes_;
  const JoinLayout layout_;
  std::unique_ptr<Expressions> computed_keys_;  // null: none
  std::vector<cudf::data_type> output_types_;
  std::atomic<bool> all_pairs_{false};  // layout_.otherwise is asked

  mutable std::mutex mutex_;
  StoredBatches stored_;

  std::deque<StoredBatch> pending_;  // finalize() alone: not in a partition yet
  std::vector<Partition> partitions_;
  std::vector<RowPiece> pieces_;
  uint64_t total_rows_ = 0;
  bool has_null_key_ = false;
  std::atomic<uint64_t> built_bytes_{0};
};

}  // namespace weft::gpu
