// Rows on their way from DuckDB's threads to a backend: a bounded queue of Arrow batches. The producer side is a sink
// of a DuckDB pipeline, the consumer side is engine::BatchSource. Neither side ever blocks a thread.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <vector>

#include "engine/batch_source.hpp"

namespace weft::sql {

/// Thread-safe. Wakers are called outside of the queue's lock, at most once each.
class HostQueue final : public engine::BatchSource {
 public:
  struct Limits {
    uint32_t batches = 8;
    uint64_t bytes = uint64_t{256} << 20;
  };

  explicit HostQueue(Limits limits) : limits_(limits) {}

  // ---- producer
  enum class Push : unsigned char { Taken, Full, Closed };
  /// Taken: `batch` is moved in. Full: `batch` is untouched; register with when_space(), then try again. Closed: the
  /// consumer needs no more rows and `batch` is released. A queue that holds nothing takes a batch of any size.
  Push push(engine::HostBatch& batch, uint64_t bytes);
  /// Takes the batch although the queue is full, for a producer that DuckDB lets wait no longer.
  void push_anyway(engine::HostBatch& batch, uint64_t bytes);
  /// False if there is space (or nobody to wait for) already; `waker` is not kept then.
  bool when_space(engine::Waker waker);
  /// No more batches will come.
  void finish();
  bool closed() const;

  // ---- consumer
  Result<engine::Poll> poll(engine::HostBatch& batch, engine::Waker waker) override;
  void cancel() noexcept override;

 private:
  struct Entry {
    engine::HostBatch batch;
    uint64_t bytes = 0;
  };
  bool full() const { return !entries_.empty() && (entries_.size() >= limits_.batches || bytes_ >= limits_.bytes); }
  void put(engine::HostBatch& batch, uint64_t bytes);

  const Limits limits_;
  mutable std::mutex mutex_;
  std::deque<Entry> entries_;
  uint64_t bytes_ = 0;
  bool finished_ = false;
  bool closed_ = false;
  std::vector<engine::Waker> consumers_;
  std::vector<engine::Waker> producers_;
};

}  // namespace weft::sql
