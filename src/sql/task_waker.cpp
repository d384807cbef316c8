#include "sql/task_waker.hpp"

namespace weft::sql {

void TaskWaker::detach() {
  const std::lock_guard<std::mutex> guard(mutex_);
  state_ = nullptr;
}

void TaskWaker::wake() noexcept {
  duckdb::vector<duckdb::InterruptState> tasks;
  {
    const std::lock_guard<std::mutex> guard(mutex_);
    if (state_ == nullptr) return;
    duckdb::annotated_lock_guard<duckdb::annotated_mutex> state_guard(state_->lock);
    tasks = state_->TakeBlockedTasks();
  }
  for (auto& task : tasks) {
    try {
      task.Callback();
    } catch (...) {  // NOLINT(bugprone-empty-catch): the task's query has ended, or its error is recorded already
    }
  }
}

}  // namespace weft::sql
