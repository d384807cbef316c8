// Batches that a state keeps until it is finalized, and that may be moved to pinned host memory meanwhile.
//
// Spilling copies each buffer of each column to the host as it is. It takes no device memory, since it is done when
// there is none left; cudf::pack would need as much again.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/column/batch.hpp"
#include "gpu/exec/task_context.hpp"
#include "gpu/memory/pinned.hpp"

namespace weft::gpu {

/// Not thread-safe: the state that owns it locks. The batch given is complete (its task's stream was synchronized).
class StoredBatch {
 public:
  explicit StoredBatch(Batch batch);
  cudf::size_type rows() const { return rows_; }
  uint64_t bytes() const { return bytes_; }  // on the device, when it is there
  bool on_device() const { return host_ == nullptr; }
  /// To the host; gives the device bytes let go (a column that somebody else shares stays until he lets go too).
  /// Synchronizes. 0 if it is there already.
  uint64_t spill(const TaskContext& context, PinnedPool& pool);
  /// The rows on the device: shared, or a copy of what was spilled (which synchronizes).
  Batch load(const TaskContext& context) const;

 private:
  struct HostColumn {
    cudf::data_type type{cudf::type_id::EMPTY};
    cudf::size_type rows = 0;
    cudf::size_type null_count = 0;
    bool nullable = false;
    uint64_t data_offset = 0, data_bytes = 0;
    uint64_t mask_offset = 0, mask_bytes = 0;
    std::vector<HostColumn> children;
  };
  static HostColumn lay_out(const TaskContext& context, cudf::column_view column, uint64_t& offset);
  static void copy_out(const TaskContext& context, cudf::column_view column, const HostColumn& host, char* base);
  static std::unique_ptr<cudf::column> copy_in(const TaskContext& context, const HostColumn& host, const char* base);

  Batch batch_;  // without columns once spilled
  cudf::size_type rows_;
  uint64_t bytes_;
  std::vector<HostColumn> columns_;
  std::shared_ptr<PinnedBuffer> host_;
};

/// A list of them, with its figures. Not thread-safe.
class StoredBatches {
 public:
  void add(Batch batch);
  void add(StoredBatch batch);
  bool empty() const { return batches_.empty(); }
  size_t size() const { return batches_.size(); }
  uint64_t rows() const { return rows_; }
  uint64_t bytes() const { return bytes_; }  // spilled ones included
  uint64_t device_bytes() const { return device_bytes_; }
  const StoredBatch& at(size_t index) const { return batches_[index]; }
  /// Spills until about `bytes` are let go, oldest first.
  uint64_t spill(const TaskContext& context, PinnedPool& pool, uint64_t bytes);
  std::vector<StoredBatch> take();

 private:
  std::vector<StoredBatch> batches_;
  uint64_t rows_ = 0;
  uint64_t bytes_ = 0;
  uint64_t device_bytes_ = 0;
};

}  // namespace weft::gpu
