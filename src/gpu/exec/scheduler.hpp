// The workers of a backend: one thread and one stream each, shared by all queries, round-robin over queries.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "gpu/exec/query_execution.hpp"

namespace weft::gpu {

class Scheduler {
 public:
  Scheduler(int device, std::vector<Worker> workers);
  ~Scheduler();  // ends after the tasks that run; queries that are not over are dropped
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  void add(std::shared_ptr<QueryExecution> query);
  /// Something may have become runnable: a waker fired, a reader took a batch, a query was cancelled. Never blocks
  /// long.
  void wake() noexcept;

 private:
  void work(const Worker& worker);
  /// The queries, beginning after the last served one; those that are over go to `over` and are forgotten.
  std::vector<std::shared_ptr<QueryExecution>> in_turn(std::vector<std::shared_ptr<QueryExecution>>& over);

  const int device_;
  std::mutex wake_mutex_;  // guards wakes_ and stopping_ alone: wakers come with foreign locks held
  std::condition_variable changed_;
  uint64_t wakes_ = 0;
  bool stopping_ = false;
  std::mutex mutex_;  // guards queries_ and turn_; never held while a query is asked
  std::vector<std::shared_ptr<QueryExecution>> queries_;
  size_t turn_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace weft::gpu
