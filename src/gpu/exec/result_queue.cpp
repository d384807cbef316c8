#include "gpu/exec/result_queue.hpp"

namespace weft::gpu {

void ResultQueue::begin(uint32_t pipeline, uint64_t sequence) {
  const std::lock_guard<std::mutex> guard(mutex_);
  slots_.try_emplace({pipeline, sequence});
}

void ResultQueue::push(uint32_t pipeline, uint64_t sequence, std::vector<engine::HostBatch> batches) {
  const std::lock_guard<std::mutex> guard(mutex_);
  if (closed_) return;
  Slot& slot = slots_[{pipeline, sequence}];
  for (engine::HostBatch& batch : batches) {
    rows_ += static_cast<uint64_t>(batch->length);
    ++waiting_batches_;
    slot.batches.push_back(std::move(batch));
  }
  changed_ = true;
}

void ResultQueue::finish(uint32_t pipeline, uint64_t sequence) {
  const std::lock_guard<std::mutex> guard(mutex_);
  slots_[{pipeline, sequence}].finished = true;
  changed_ = true;
}

void ResultQueue::close(std::optional<Error> error) {
  const std::lock_guard<std::mutex> guard(mutex_);
  if (closed_) return;
  closed_ = true;
  changed_ = true;
  if (error) {
    error_ = std::move(error);
    slots_.clear();
    waiting_batches_ = 0;
  } else {
    for (auto& [key, slot] : slots_) slot.finished = true;
  }
}

void ResultQueue::notify() {
  std::optional<engine::Waker> waker;
  {
    const std::lock_guard<std::mutex> guard(mutex_);
    if (!changed_) return;
    changed_ = false;
    waker.swap(waker_);
  }
  if (waker) (*waker)();
}

bool ResultQueue::take_locked(engine::HostBatch& batch) {
  for (auto it = slots_.begin(); it != slots_.end();) {
    Slot& slot = it->second;
    if (!slot.batches.empty()) {
      batch = std::move(slot.batches.front());
      slot.batches.pop_front();
      --waiting_batches_;
      return true;
    }
    if (slot.finished) {
      it = slots_.erase(it);
    } else if (ordered_) {
      return false;
    } else {
      ++it;
    }
  }
  return false;
}

Result<engine::Poll> ResultQueue::poll(engine::HostBatch& batch, engine::Waker waker) {
  const std::lock_guard<std::mutex> guard(mutex_);
  if (take_locked(batch)) return engine::Poll::Ready;
  if (closed_) {
    if (error_) {
      Error error = std::move(*error_);
      error_.reset();
      return error;
    }
    return engine::Poll::Done;
  }
  waker_ = std::move(waker);
  changed_ = false;
  return engine::Poll::Pending;
}

bool ResultQueue::full() const {
  const std::lock_guard<std::mutex> guard(mutex_);
  return waiting_batches_ * kResultBatchBytes > limit_bytes_;
}

uint64_t ResultQueue::rows() const {
  const std::lock_guard<std::mutex> guard(mutex_);
  return rows_;
}

}  // namespace weft::gpu
