// One run of one GPU part: the backend's stream and the queues that feed it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "duckdb.hpp"
#include "duckdb/planner/expression.hpp"
#include "sql/host_queue.hpp"
#include "sql/statement_record.hpp"
#include "sql/task_waker.hpp"

namespace weft::sql {

/// A part as the hook has planned it. Immutable once the plan is made.
struct GpuPart {
  std::shared_ptr<const plan::Plan> plan;
  std::shared_ptr<const std::vector<duckdb::unique_ptr<duckdb::Expression>>> expressions;  // as in Translation
  std::vector<std::string> leaf_descriptions;  // beside plan::HostSource numbers
  std::shared_ptr<engine::Backend> backend;    // null in a plan that is never executed
  engine::QueryOptions options;
  std::shared_ptr<StatementRecord> record;
  size_t number = 0;         // in StatementReport::gpu_plans
  bool ordered = false;      // the order of the backend's batches must be kept
  bool passthrough = false;  // batches go to the statement's stream as they are
};

/// Thread-safe.
class GpuExecution final : public Running {
 public:
  explicit GpuExecution(std::shared_ptr<const GpuPart> part);
  ~GpuExecution() override;

  const std::shared_ptr<HostQueue>& queue(size_t source) const { return queues_[source]; }

  /// Submits the plan.
  Result<bool> start();

  enum class Fetch : unsigned char { Batch, Wait, Done };
  /// Never blocks. Batch: `batch` is filled (it may have no rows). Wait: `waker` will be woken once quiet(signal) is
  /// false. The stream's error comes once; after it and after stop() every call gives Done.
  Result<Fetch> fetch(engine::HostBatch& batch, const std::shared_ptr<TaskWaker>& waker, uint64_t& signal);
  /// Nothing has happened since fetch() gave `signal`.
  bool quiet(uint64_t signal) const { return signals_->load() == signal; }

  /// Nobody needs more rows. Idempotent, returns at once.
  void stop() noexcept;
  /// The user wants no more rows: a later fetch() gives Cancelled. Idempotent, returns at once.
  void cancel() noexcept override;
  double progress() const noexcept override;
  /// As of the last fetch(). Takes no lock and calls nobody: DuckDB asks for it under its executor's lock.
  double last_progress() const noexcept { return last_progress_.load(); }

 private:
  void cancel_stream() noexcept;
  void close_queues() noexcept;
  void keep_profile();

  const std::shared_ptr<const GpuPart> part_;
  std::vector<std::shared_ptr<HostQueue>> queues_;
  const std::shared_ptr<std::atomic<uint64_t>> signals_;
  std::unique_ptr<engine::ResultStream> stream_;      // set once by start()
  std::atomic<engine::ResultStream*> live_{nullptr};  // the same, for all who take no lock
  std::atomic<bool> stopped_{false};
  std::atomic<bool> cancelled_{false};
  std::atomic<double> last_progress_{-1};
  // Orders the polls. A backend may call a waker inside poll(), and a waker may need the executor's lock: so nothing
  // that DuckDB calls under that lock may wait for this one.
  std::mutex poll_mutex_;
  bool ended_ = false;
  uint64_t pending_at_ = UINT64_MAX;  // the signal at which the stream was pending; equal to *signals_: it still is
};

}  // namespace weft::sql
