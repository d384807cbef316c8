// The finished host batches of one query, between its tasks and the reader of its ResultStream.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "engine/batch_source.hpp"

namespace weft::gpu {

/// Host batches are cut to about this size (export_batch), so that counting them bounds the bytes.
inline constexpr uint64_t kResultBatchBytes = uint64_t{32} << 20;

/// Thread-safe. It never calls the reader's waker by itself, since a waker may need locks of the reader's world:
/// whoever changed the queue calls notify() once it holds no lock. Batches come out in (pipeline, sequence) order if
/// `ordered`, else as they come in.
class ResultQueue {
 public:
  ResultQueue(bool ordered, uint64_t limit_bytes) : ordered_(ordered), limit_bytes_(limit_bytes) {}

  /// A morsel of a result pipeline was handed to a task: its (pipeline, sequence) will be finished once.
  void begin(uint32_t pipeline, uint64_t sequence);
  void push(uint32_t pipeline, uint64_t sequence, std::vector<engine::HostBatch> batches);
  void finish(uint32_t pipeline, uint64_t sequence);
  /// No more batches: all came (no error) or the query failed. The first call counts.
  void close(std::optional<Error> error);

  /// Calls the waker of a pending poll if something happened since. Call it without any lock held.
  void notify();

  Result<engine::Poll> poll(engine::HostBatch& batch, engine::Waker waker);
  /// True while tasks should not make more results: the reader is behind.
  bool full() const;
  uint64_t rows() const;

 private:
  struct Slot {
    std::deque<engine::HostBatch> batches;
    bool finished = false;
  };
  bool take_locked(engine::HostBatch& batch);

  const bool ordered_;
  const uint64_t limit_bytes_;
  mutable std::mutex mutex_;
  std::map<std::pair<uint32_t, uint64_t>, Slot> slots_;
  std::optional<engine::Waker> waker_;
  std::optional<Error> error_;
  bool closed_ = false;
  bool changed_ = false;  // since the last poll
  uint64_t waiting_batches_ = 0;
  uint64_t rows_ = 0;
};

}  // namespace weft::gpu
