// A finished batch that is handed out in pieces: what a breaker's StateRows source gives when its rows are in one
// batch.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "gpu/ops/rows.hpp"

namespace weft::gpu {

/// Immutable once it has its batch; thread-safe then.
class SlicedBatch {
 public:
  SlicedBatch() = default;
  /// Pieces of about `target_bytes` (rows_per_piece).
  SlicedBatch(Batch batch, uint64_t target_bytes)
      : batch_(std::move(batch)), step_(rows_per_piece(target_bytes, bytes_per_row(batch_))) {}

  size_t pieces() const {
    const auto step = static_cast<size_t>(step_);
    return (static_cast<size_t>(batch_.rows) + step - 1) / step;
  }
  /// Piece `index`, which is its sequence number too.
  Batch piece(const TaskContext& context, size_t index) const {
    const int64_t begin = static_cast<int64_t>(index) * step_;
    const int64_t end = std::min<int64_t>(begin + step_, batch_.rows);
    Batch piece = slice_rows(context, batch_, static_cast<cudf::size_type>(begin), static_cast<cudf::size_type>(end));
    piece.sequence = index;
    return piece;
  }
  uint64_t device_bytes() const { return batch_.device_bytes(); }

 private:
  Batch batch_;
  cudf::size_type step_ = 1;
};

}  // namespace weft::gpu
