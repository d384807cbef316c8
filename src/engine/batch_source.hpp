// The one seam for every CPU-to-GPU edge: rows that the host produces (DuckDB's tables, CSV, a refused subtree).
#pragma once

#include <functional>

#include "base/error.hpp"
#include "engine/arrow_c.hpp"

namespace weft::engine {

enum class Poll : unsigned char { Ready, Pending, Done };

/// Called at most once, from any thread, when a pending poll may succeed. Must not block.
using Waker = std::function<void()>;

/// Thread-safe: several workers may poll. Batches are Arrow struct arrays of the HostSource's types in DuckDB's Arrow
/// form (HUGEINT as decimal128(38,0), VARCHAR as utf8 with 32-bit offsets), of any length from 1 row.
class BatchSource {
 public:
  virtual ~BatchSource() = default;
  /// Never blocks. Ready: `batch` is filled. Pending: `waker` will be called. Done: no more rows.
  /// An error of the producer is the Result's error, once; later polls give Done.
  virtual Result<Poll> poll(HostBatch& batch, Waker waker) = 0;
  /// The consumer needs no more rows. Idempotent, returns at once; the producer may still be unwinding.
  virtual void cancel() noexcept = 0;
};

}  // namespace weft::engine
