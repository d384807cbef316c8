#include "sql/host_queue.hpp"

#include <utility>

namespace weft::sql {
namespace {

void wake(std::vector<engine::Waker>& wakers) {
  for (auto& waker : wakers) waker();
}

}  // namespace

void HostQueue::put(engine::HostBatch& batch, uint64_t bytes) {
  entries_.push_back(Entry{std::move(batch), bytes});
  bytes_ += bytes;
}

HostQueue::Push HostQueue::push(engine::HostBatch& batch, uint64_t bytes) {
  std::vector<engine::Waker> woken;
  {
    const std::lock_guard<std::mutex> guard(mutex_);
    if (closed_) {
      batch.reset();
      return Push::Closed;
    }
    if (full()) return Push::Full;
    put(batch, bytes);
    woken.swap(consumers_);
  }
  wake(woken);
  return Push::Taken;
}

void HostQueue::push_anyway(engine::HostBatch& batch, uint64_t bytes) {
  std::vector<engine::Waker> woken;
  {
    const std::lock_guard<std::mutex> guard(mutex_);
    if (closed_) {
      batch.reset();
      return;
    }
    put(batch, bytes);
    woken.swap(consumers_);
  }
  wake(woken);
}

bool HostQueue::when_space(engine::Waker waker) {
  const std::lock_guard<std::mutex> guard(mutex_);
  if (closed_ || !full()) return false;
  producers_.push_back(std::move(waker));
  return true;
}

void HostQueue::finish() {
  std::vector<engine::Waker> woken;
  {
    const std::lock_guard<std::mutex> guard(mutex_);
    finished_ = true;
    woken.swap(consumers_);
  }
  wake(woken);
}

bool HostQueue::closed() const {
  const std::lock_guard<std::mutex> guard(mutex_);
  return closed_;
}

Result<engine::Poll> HostQueue::poll(engine::HostBatch& batch, engine::Waker waker) {
  std::vector<engine::Waker> woken;
  engine::Poll answer = engine::Poll::Ready;
  {
    const std::lock_guard<std::mutex> guard(mutex_);
    if (!entries_.empty() && !closed_) {
      batch = std::move(entries_.front().batch);
      bytes_ -= entries_.front().bytes;
      entries_.pop_front();
      if (!full()) woken.swap(producers_);
    } else if (finished_ || closed_) {
      answer = engine::Poll::Done;
    } else {
      if (waker) consumers_.push_back(std::move(waker));
      answer = engine::Poll::Pending;
    }
  }
  wake(woken);
  return answer;
}

void HostQueue::cancel() noexcept {
  std::vector<engine::Waker> woken;
  std::deque<Entry> dropped;
  {
    const std::lock_guard<std::mutex> guard(mutex_);
    if (closed_) return;
    closed_ = true;
    bytes_ = 0;
    dropped.swap(entries_);
    woken.swap(producers_);
    for (auto& waker : consumers_) woken.push_back(std::move(waker));
    consumers_.clear();
  }
  wake(woken);
}

}  // namespace weft::sql
