// Batches gathered out of order and read in source order: (pipeline, sequence, arrival within the sequence).
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "gpu/column/batch.hpp"

namespace weft::gpu {

/// Not thread-safe: its owner locks.
class OrderedBatches {
 public:
  void add(uint32_t pipeline, Batch batch) {
    rows_ += static_cast<uint64_t>(batch.rows);
    bytes_ += batch.device_bytes();
    slots_[{pipeline, batch.sequence}].batches.push_back(std::move(batch));
  }
  void finish(uint32_t pipeline, uint64_t sequence) { slots_[{pipeline, sequence}].finished = true; }
  uint64_t rows() const { return rows_; }
  uint64_t device_bytes() const { return bytes_; }
  /// Rows of the finished sequences 0, 1, 2, ... of the first pipeline, before the first unfinished one.
  uint64_t rows_of_finished_prefix(uint32_t first_pipeline) const;
  /// Takes everything, in order.
  std::vector<Batch> take();

 private:
  struct Slot {
    std::vector<Batch> batches;
    bool finished = false;
  };
  std::map<std::pair<uint32_t, uint64_t>, Slot> slots_;
  uint64_t rows_ = 0;
  uint64_t bytes_ = 0;
};

}  // namespace weft::gpu
