// One running query: its pipelines, their states, what may run next. The scheduler's workers call take() and run().
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/log.hpp"
#include "engine/backend.hpp"
#include "gpu/exec/result_queue.hpp"
#include "gpu/io/sources.hpp"
#include "gpu/memory/account.hpp"
#include "gpu/memory/pinned.hpp"
#include "gpu/ops/make_operators.hpp"
#include "pipeline/pipeline.hpp"

namespace weft::gpu {

/// What all queries of a backend share. Outlives every query.
struct ExecutionServices {
  KernelCache& kernels;
  FooterCache& footers;
  FileReader& file_reader;
  PinnedPool& pinned;
  std::shared_ptr<Logger> logger;
  std::function<void()> wake;  // something may have become runnable
  std::function<void(const Error&)> device_lost;
  unsigned workers = 1;
};

/// A worker's own: its stream lives as long as the backend.
struct Worker {
  unsigned index = 0;
  cuda::stream_ref stream;
  rmm::device_async_resource_ref mr;
};

class QueryExecution : public std::enable_shared_from_this<QueryExecution> {
 public:
  struct Task {
    enum class Kind : unsigned char { Open, Morsel, ReadAhead, Finalize } kind;
    size_t pipeline = 0;  // Open, Morsel
    size_t state = 0;     // Finalize
    SourceOperator::Morsel morsel;
    uint64_t reserved_bytes = 0;
    std::shared_ptr<const Batch> read_ahead;  // Morsel: its rows, if they were read already
  };

  /// Lowers the plan and makes states and steps; kernels begin to compile. Throws.
  QueryExecution(const ExecutionServices& services, engine::QueryRequest request, std::shared_ptr<Account> account);
  ~QueryExecution();

  // ---- workers
  /// The next piece of work, if there is one now. Never blocks.
  std::optional<Task> take();
  /// Runs it. Never throws: a failure ends the query.
  void run(const Task& task, const Worker& worker) noexcept;
  /// No task runs and none will come.
  bool over() const;

  // ---- the reader
  Result<engine::Poll> poll(engine::HostBatch& batch, engine::Waker waker);
  void cancel() noexcept;
  engine::QueryProfile profile() const;
  double progress() const noexcept;

 private:
  enum class Phase : unsigned char { Waiting, Opening, Running, Done };
  struct ReadAhead {
    SourceOperator::Morsel morsel;
    std::shared_ptr<const Batch> batch;
    uint64_t bytes = 0;
  };
  struct PipelineRun {
    const pipeline::Pipeline* spec = nullptr;
    std::vector<std::unique_ptr<StepOperator>> steps;
    std::unique_ptr<SourceOperator> source;
    SinkState* sink = nullptr;  // null: result or discard
    bool to_result = false;
    Phase phase = Phase::Waiting;
    bool source_done = false;
    bool polling = false;      // a worker asks the source, without the lock
    bool missed_poll = false;  // another one wanted to meanwhile
    unsigned active = 0;
    std::shared_ptr<SharedReads> shared;  // with other scans of the same files; null: none
    size_t shared_number = 0;
    unsigned reading_ahead = 0;
    std::deque<ReadAhead> ahead;                 // read before the pipeline could run
    std::deque<SourceOperator::Morsel> waiting;  // taken from the source, not yet run (no memory, or split)
    std::map<uint64_t, uint64_t> parts_left;     // sequence -> parts of it that are not finished
    std::chrono::steady_clock::time_point started;
    double wall_ms = 0;
  };
  struct StateRun {
    std::unique_ptr<SinkState> state;
    size_t feeders_left = 0;
    size_t readers_left = 0;
    unsigned spilling = 0;  // tasks inside spill(); finalize waits for them
    bool finalizing = false;
    bool final = false;
  };
  struct NodeFigures {
    uint64_t rows = 0;
    uint64_t batches = 0;
    double busy_ms = 0;
  };

  void make_states_and_steps();
  void share_scans();
  bool ready_locked(const PipelineRun& run) const;
  /// What a change under the lock leaves to do once no lock is held: sources and wakers call into the reader's world.
  struct Afterwards {
    std::vector<SourceOperator*> to_cancel;
    std::vector<std::unique_ptr<SinkState>> dropped;
    std::optional<Error> error;
    bool wake = false;
  };
  void finish_afterwards(Afterwards& afterwards) noexcept;
  std::optional<Task> take_locked(std::unique_lock<std::mutex>& lock, Afterwards& afterwards);
  std::optional<Task> take_finalize_locked();
  /// A scan whose pipeline waits for a build may read meanwhile, on workers that have nothing better to do.
  bool may_read_ahead_locked(const PipelineRun& run) const;
  uint64_t ahead_bytes_locked() const;
  void forget_ahead_locked();
  std::optional<Task> take_from_locked(size_t index, std::unique_lock<std::mutex>& lock, Afterwards& afterwards);
  bool next_morsel_locked(PipelineRun& run, SourceOperator::Morsel& morsel, std::unique_lock<std::mutex>& lock,
                          Afterwards& afterwards);
  void complete_if_done_locked(PipelineRun& run, std::vector<std::unique_ptr<SinkState>>& dropped);
  void finish_part_locked(PipelineRun& run, const SourceOperator::Morsel& morsel);
  void release_readers_locked(const pipeline::Pipeline& spec, std::vector<std::unique_ptr<SinkState>>& dropped);
  void end_task(const Task& task, bool requeued);

  void execute(const Task& task, const Worker& worker, bool& requeued);
  void open(PipelineRun& run);
  void run_morsel(PipelineRun& run, const Task& task, const TaskContext& context, bool& requeued);
  /// False: it did not fit and was split into morsels that wait.
  bool read(PipelineRun& run, const SourceOperator::Morsel& morsel, const TaskContext& context, Batch& batch);
  void read_ahead(PipelineRun& run, const SourceOperator::Morsel& morsel, const TaskContext& context);
  void push(PipelineRun& run, size_t step, const TaskContext& context, const Batch& batch);
  void deliver(PipelineRun& run, const TaskContext& context, const Batch& batch);
  /// Runs `work`; when memory is short, spills states and tries again, as long as can_retry() says so.
  void with_relief(const TaskContext& context, const std::function<void()>& work,
                   const std::function<bool()>& can_retry);
  void split(PipelineRun& run, const SourceOperator::Morsel& morsel);
  uint64_t spill(const TaskContext& context, uint64_t bytes);
  void fail(Error error) noexcept;
  void account_node(uint32_t node, uint64_t rows, double busy_ms);

  const ExecutionServices& services_;
  engine::QueryRequest request_;
  std::shared_ptr<Account> account_;
  CancellationToken token_;
  pipeline::Program program_;
  uint64_t batch_bytes_;
  unsigned max_active_;
  double planning_ms_ = 0;
  ResultQueue results_;

  mutable std::mutex mutex_;  // guards everything below
  std::condition_variable task_ended_;
  std::vector<PipelineRun> pipelines_;
  std::vector<StateRun> states_;
  size_t result_feeders_left_ = 0;
  unsigned active_ = 0;
  unsigned short_of_memory_ = 0;  // tasks inside with_relief's waiting
  bool ended_ = false;            // failed, cancelled, or all results delivered to the queue
  bool ahead_allowed_ = true;     // until memory was short for it
  uint64_t spilled_bytes_ = 0;
  std::map<uint32_t, NodeFigures> figures_;
};

}  // namespace weft::gpu
