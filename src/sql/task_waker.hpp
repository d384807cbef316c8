// Wakes DuckDB tasks that are parked on a source or sink state, from threads that DuckDB does not know.
#pragma once

#include <memory>
#include <mutex>

#include "duckdb.hpp"
#include "duckdb/parallel/interrupt.hpp"

namespace weft::sql {

/// Shared by the state (which detaches it when it dies) and by every engine::Waker made for it. Lock order: this, then
/// the state's own lock; callbacks run outside of both. A task parks so that no wake is lost: take state.lock, see that
/// there is still nothing to do, call BlockSource or BlockSink, release.
class TaskWaker {
 public:
  explicit TaskWaker(duckdb::StateWithBlockableTasks& state) : state_(&state) {}
  /// After this wake() does nothing. Called by the state's destructor.
  void detach();
  /// Reschedules every parked task. Never throws; may spin for the moment in which a task is just being parked.
  void wake() noexcept;

 private:
  std::mutex mutex_;
  duckdb::StateWithBlockableTasks* state_;
};

}  // namespace weft::sql
