#include "gpu/exec/scheduler.hpp"

#include <cuda_runtime_api.h>

namespace weft::gpu {

Scheduler::Scheduler(int device, std::vector<Worker> workers) : device_(device) {
  threads_.reserve(workers.size());
  for (const Worker& worker : workers) threads_.emplace_back([this, worker] { work(worker); });
}

Scheduler::~Scheduler() {
  {
    const std::lock_guard<std::mutex> guard(wake_mutex_);
    stopping_ = true;
    ++wakes_;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Scheduler::add(std::shared_ptr<QueryExecution> query) {
  {
    const std::lock_guard<std::mutex> guard(mutex_);
    queries_.push_back(std::move(query));
  }
  wake();
}

void Scheduler::wake() noexcept {
  {
    const std::lock_guard<std::mutex> guard(wake_mutex_);
    ++wakes_;
  }
  changed_.notify_all();
}

bool Scheduler::take_locked(std::shared_ptr<QueryExecution>& query, std::optional<QueryExecution::Task>& task,
                            std::vector<std::shared_ptr<QueryExecution>>& over) {
  for (size_t i = 0; i < queries_.size();) {
    if (queries_[i]->over()) {
      over.push_back(std::move(queries_[i]));
      queries_.erase(queries_.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
  for (size_t i = 0; i < queries_.size(); ++i) {
    const size_t at = (next_query_ + i) % queries_.size();
    task = queries_[at]->take();
    if (task) {
      query = queries_[at];
      next_query_ = at + 1;
      return true;
    }
  }
  return false;
}

void Scheduler::work(const Worker& worker) {
  cudaSetDevice(device_);
  uint64_t seen = 0;
  for (;;) {
    std::shared_ptr<QueryExecution> query;
    std::optional<QueryExecution::Task> task;
    std::vector<std::shared_ptr<QueryExecution>> over;
    for (;;) {
      {
        const std::lock_guard<std::mutex> guard(wake_mutex_);
        if (stopping_) return;
        seen = wakes_;
      }
      {
        const std::lock_guard<std::mutex> guard(mutex_);
        if (take_locked(query, task, over) || !over.empty()) break;
      }
      std::unique_lock<std::mutex> lock(wake_mutex_);
      changed_.wait(lock, [&] { return stopping_ || wakes_ != seen; });
    }
    over.clear();  // destroys finished queries outside the lock
    if (!task) continue;
    query->run(*task, worker);
    query.reset();
    wake();
  }
}

}  // namespace weft::gpu
