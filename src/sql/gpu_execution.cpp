#include "sql/gpu_execution.hpp"

#include <utility>

namespace weft::sql {

GpuExecution::GpuExecution(std::shared_ptr<const GpuPart> part)
    : part_(std::move(part)), signals_(std::make_shared<std::atomic<uint64_t>>(0)) {
  for (uint32_t i = 0; i < part_->plan->host_sources; ++i) {
    queues_.push_back(std::make_shared<HostQueue>(HostQueue::Limits{}));
  }
}

GpuExecution::~GpuExecution() { stop(); }

Result<bool> GpuExecution::start() {
  if (!part_->backend) return Error{ErrorCode::NoDevice, "the statement was planned without a device", std::nullopt};
  engine::QueryRequest request;
  request.query_id = part_->record->report().query_id;
  if (part_->number > 0) request.query_id += "." + std::to_string(part_->number);
  request.plan = part_->plan;
  request.options = part_->options;
  for (const auto& queue : queues_) request.sources.push_back(queue);
  auto submitted = part_->backend->submit(std::move(request));
  if (!submitted.ok()) return submitted.error();
  stream_ = std::move(submitted.value());
  live_.store(stream_.get());
  if (cancelled_.load() || stopped_.load()) cancel_stream();
  return true;
}

Result<GpuExecution::Fetch> GpuExecution::fetch(engine::HostBatch& batch, const std::shared_ptr<TaskWaker>& waker,
                                                uint64_t& signal) {
  const std::lock_guard<std::mutex> guard(poll_mutex_);
  if (ended_ || stopped_.load() || !stream_) return Fetch::Done;
  signal = signals_->load();
  if (signal == pending_at_) return Fetch::Wait;
  auto poll = stream_->poll(batch, [signals = signals_, waker] {
    signals->fetch_add(1);
    waker->wake();
  });
  if (!poll.ok()) {
    ended_ = true;
    keep_profile();
    return poll.error();
  }
  last_progress_.store(stream_->progress());
  switch (poll.value()) {
    case engine::Poll::Ready:
      return Fetch::Batch;
    case engine::Poll::Pending:
      pending_at_ = signal;
      return Fetch::Wait;
    case engine::Poll::Done:
      break;
  }
  ended_ = true;
  keep_profile();
  return Fetch::Done;
}

void GpuExecution::cancel_stream() noexcept {
  if (auto* stream = live_.load()) stream->cancel();
}

void GpuExecution::stop() noexcept {
  if (!stopped_.exchange(true) && live_.load() != nullptr) {
    cancel_stream();
    keep_profile();
  }
  close_queues();
}

void GpuExecution::cancel() noexcept {
  cancelled_.store(true);
  cancel_stream();
  close_queues();
}

double GpuExecution::progress() const noexcept {
  const auto* stream = live_.load();
  return stream == nullptr ? 0.0 : stream->progress();
}

void GpuExecution::close_queues() noexcept {
  for (const auto& queue : queues_) queue->cancel();
}

void GpuExecution::keep_profile() { part_->record->finish_part(part_->number, stream_->profile()); }

}  // namespace weft::sql
