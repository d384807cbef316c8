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

std::vector<std::shared_ptr<QueryExecution>> Scheduler::in_turn(std::vector<std::shared_ptr<QueryExecution>>& over) {
  const std::lock_guard<std::mutex> guard(mutex_);
  for (size_t i = 0; i < queries_.size();) {
    if (queries_[i]->over()) {
      over.push_back(std::move(queries_[i]));
      queries_.erase(queries_.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
  std::vector<std::shared_ptr<QueryExecution>> out;
  for (size_t i = 0; i < queries_.size(); ++i) out.push_back(queries_[(turn_ + i) % queries_.size()]);
  ++turn_;
  return out;
}

void Scheduler::work(const Worker& worker) {
  cudaSetDevice(device_);
  for (;;) {
    uint64_t seen = 0;
    {
      const std::lock_guard<std::mutex> guard(wake_mutex_);
      if (stopping_) return;
      seen = wakes_;
    }
    bool worked = false;
    {
      std::vector<std::shared_ptr<QueryExecution>> over;  // destroyed here, outside of every lock
      for (const std::shared_ptr<QueryExecution>& query : in_turn(over)) {
        const auto task = query->take();
        if (!task) continue;
        query->run(*task, worker);
        worked = true;
        break;
      }
      worked = worked || !over.empty();
    }
    if (worked) {
      wake();
      continue;
    }
    std::unique_lock<std::mutex> lock(wake_mutex_);
    changed_.wait(lock, [&] { return stopping_ || wakes_ != seen; });
  }
}

}  // namespace weft::gpu
