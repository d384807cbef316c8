// The three kinds of operator. All are made once per query from a pipeline::Program and used by many tasks at once.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "gpu/column/batch.hpp"
#include "gpu/exec/task_context.hpp"

namespace weft::gpu {

using Emit = std::function<void(Batch)>;

/// Turns one batch into zero or more. Thread-safe, stateless but for what it reads from a finished state.
class StepOperator {
 public:
  virtual ~StepOperator() = default;
  virtual void run(const TaskContext& context, Batch input, const Emit& emit) = 0;
};

/// What a breaker gathers. consume() is called from many tasks at once; finalize() once, after the last of them, before
/// any reader. Readers are thread-safe and see a constant state.
class SinkState {
 public:
  virtual ~SinkState() = default;
  /// `pipeline` orders the feeders of one sink (UNION ALL): source order is (pipeline, batch.sequence).
  virtual void consume(const TaskContext& context, uint32_t pipeline, Batch batch) = 0;
  /// No more batches of this (pipeline, sequence) will come; called once each, also when none came.
  virtual void finished(uint32_t pipeline, uint64_t sequence) { (void)pipeline, (void)sequence; }
  virtual void finalize(const TaskContext& context) = 0;
  /// True when no more input can change the answer (LIMIT): the sources may stop.
  virtual bool satisfied() const { return false; }
  /// After finalize(): the rows for a StateRows source, in order, as independent pieces. Each is taken by one task; a
  /// state with several readers gives each of them all pieces.
  virtual size_t pieces() const { return 0; }
  virtual Batch piece(const TaskContext& context, size_t index) {
    (void)context, (void)index;
    return {};
  }
  virtual uint64_t device_bytes() const = 0;
  virtual uint64_t spillable_bytes() const { return 0; }
  /// Moves about `bytes` to pinned host memory, thread-safe against consume(); gives the bytes that became free.
  virtual uint64_t spill(const TaskContext& context, uint64_t bytes) {
    (void)context, (void)bytes;
    return 0;
  }
};

/// A source of morsels: pieces of work that tasks take in any order.
class SourceOperator {
 public:
  virtual ~SourceOperator() = default;
  struct Morsel {
    uint64_t sequence = 0;
    uint64_t index = 0;            // the operator's own numbering
    uint64_t part = 0, parts = 1;  // a morsel that did not fit is split: part i of n of its rows
    uint64_t estimated_bytes = 0;  // device bytes of the decoded rows, temporaries included
  };
  enum class Next : unsigned char { Morsel, Pending, Done };
  /// Never blocks; Pending (host sources): `waker` is called when it is worth to ask again.
  virtual Next next(Morsel& morsel, const std::function<void()>& waker) = 0;
  /// Reads a morsel. May be called again after a failure, also split finer.
  virtual Batch read(const TaskContext& context, const Morsel& morsel) = 0;
  virtual bool can_split(const Morsel&) const { return false; }
  virtual void cancel() noexcept {}
  virtual uint64_t bytes_read() const { return 0; }
  virtual double progress() const { return -1; }
};

}  // namespace weft::gpu
