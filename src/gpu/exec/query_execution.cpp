// What may run next, and what follows when a task ends. Running a task is in query_tasks.cpp.
#include "gpu/exec/query_execution.hpp"

#include <algorithm>

#include "base/overloaded.hpp"
#include "gpu/exec/state_source.hpp"
#include "gpu/io/shared_reads.hpp"

namespace weft::gpu {
namespace {

constexpr uint64_t kNoSequence = ~uint64_t{0};  // holds a result pipeline's place in the order until it is exhausted
constexpr uint64_t kMinBatchBytes = uint64_t{32} << 20;
constexpr uint64_t kMaxBatchBytes = uint64_t{2} << 30;
constexpr uint64_t kResultQueueBytes = uint64_t{1} << 30;
constexpr uint64_t kAheadShareOfCap = 4;      // a quarter of the query's memory may hold rows read ahead
constexpr uint64_t kSharedShareOfCap = 4;     // another quarter may hold columns that several scans share
constexpr unsigned kAheadShareOfWorkers = 2;  // half of the workers may read ahead, the others stay free for builds

double ms_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

std::optional<pipeline::StateId> state_of(const pipeline::Sink& sink) {
  return std::visit(
      Overloaded{[](const pipeline::DiscardSink&) -> std::optional<pipeline::StateId> { return std::nullopt; },
                 [](const pipeline::ResultSink&) -> std::optional<pipeline::StateId> { return std::nullopt; },
                 [](const auto& other) -> std::optional<pipeline::StateId> { return other.state; }},
      sink);
}

/// True if rows must come out in the order of (pipeline, sequence).
bool ordered_results(const pipeline::Program& program) {
  if (program.keep_order) return true;
  for (const pipeline::Pipeline& pipeline : program.pipelines) {
    if (std::holds_alternative<pipeline::ResultSink>(pipeline.sink) &&
        std::holds_alternative<pipeline::StateRows>(pipeline.source)) {
      return true;  // a sort, a top-n or a limit below
    }
  }
  return false;
}

bool all_from_files(const plan::Scan& scan) {
  return std::all_of(scan.columns.begin(), scan.columns.end(),
                     [](const plan::ScanColumn& column) { return column.kind == plan::ScanColumn::Kind::File; });
}

bool same_files(const plan::Scan& a, const plan::Scan& b) {
  return std::equal(a.files.begin(), a.files.end(), b.files.begin(), b.files.end(),
                    [](const plan::ScanFile& x, const plan::ScanFile& y) {
                      return x.path == y.path && x.size_bytes == y.size_bytes && x.mtime_ns == y.mtime_ns;
                    });
}

uint64_t default_batch_bytes(uint64_t cap_bytes, unsigned workers) {
  return std::clamp(cap_bytes / (uint64_t{4} * std::max(workers, 1U)), kMinBatchBytes, kMaxBatchBytes);
}

}  // namespace

QueryExecution::QueryExecution(const ExecutionServices& services, engine::QueryRequest request,
                               std::shared_ptr<Account> account)
    : services_(services),
      request_(std::move(request)),
      account_(std::move(account)),
      program_(pipeline::lower(*request_.plan)),
      batch_bytes_(request_.options.batch_bytes != 0 ? request_.options.batch_bytes
                                                     : default_batch_bytes(account_->cap_bytes(), services.workers)),
      max_active_(request_.options.workers != 0 ? request_.options.workers : services.workers),
      results_(ordered_results(program_), kResultQueueBytes) {
  const auto start = std::chrono::steady_clock::now();
  make_states_and_steps();
  share_scans();
  planning_ms_ = ms_since(start);
}

QueryExecution::~QueryExecution() = default;

void QueryExecution::make_states_and_steps() {
  const OperatorServices operators{services_.kernels, services_.pinned, *account_, request_.options.force_spill};
  states_.resize(program_.states.size());
  for (const pipeline::StateInfo& info : program_.states) {
    states_[info.id].feeders_left = info.feeders.size();
    states_[info.id].readers_left = info.readers.size();
    if (info.is_join) states_[info.id].state = make_hash_build(operators, info.join);
  }
  pipelines_.resize(program_.pipelines.size());
  for (size_t i = 0; i < program_.pipelines.size(); ++i) {
    const pipeline::Pipeline& spec = program_.pipelines[i];
    PipelineRun& run = pipelines_[i];
    run.spec = &spec;
    const pipeline::RowType& row = spec.row_into_sink();
    if (const auto state = state_of(spec.sink); state && states_[*state].state == nullptr) {
      states_[*state].state = std::visit(
          Overloaded{[&](const pipeline::AggregateSink& s) { return make_aggregate(operators, *s.aggregate, row); },
                     [&](const pipeline::WindowSink& s) { return make_window(operators, *s.window, row); },
                     [&](const pipeline::SortSink& s) { return make_sort(operators, *s.sort, row); },
                     [&](const pipeline::TopNSink& s) { return make_top_n(operators, *s.top_n, row); },
                     [&](const pipeline::LimitSink& s) { return make_limit(operators, *s.limit, row); },
                     [&](const pipeline::MaterializeSink&) { return make_materialize(operators, row); },
                     [&](const auto&) -> std::unique_ptr<SinkState> { return nullptr; }},
          spec.sink);
    }
    if (const auto state = state_of(spec.sink)) run.sink = states_[*state].state.get();
    run.to_result = std::holds_alternative<pipeline::ResultSink>(spec.sink);
    if (run.to_result) {
      ++result_feeders_left_;
      results_.begin(spec.id, kNoSequence);
    }
  }
  for (PipelineRun& run : pipelines_) {
    const pipeline::RowType* row = &run.spec->source_row;
    for (const pipeline::Step& step : run.spec->steps) {
      run.steps.push_back(
          std::visit(Overloaded{[&](const pipeline::FilterStep& s) { return make_filter(operators, *row, s); },
                                [&](const pipeline::ProjectStep& s) { return make_project(operators, *row, s); },
                                [&](const pipeline::ProbeStep& s) {
                                  return make_probe(operators, program_.states[s.state].join, *states_[s.state].state);
                                }},
                     step.body));
      row = &step.output;
    }
  }
}

void QueryExecution::share_scans() {
  std::vector<std::vector<size_t>> groups;  // pipelines that scan the same files
  for (size_t i = 0; i < pipelines_.size(); ++i) {
    const auto* source = std::get_if<pipeline::ScanSource>(&pipelines_[i].spec->source);
    if (source == nullptr || source->scan->columns.empty() || !all_from_files(*source->scan)) continue;
    const auto found = std::find_if(groups.begin(), groups.end(), [&](const std::vector<size_t>& group) {
      return same_files(*std::get<pipeline::ScanSource>(pipelines_[group.front()].spec->source).scan, *source->scan);
    });
    if (found == groups.end()) {
      groups.push_back({i});
    } else {
      found->push_back(i);
    }
  }
  for (const std::vector<size_t>& group : groups) {
    if (group.size() < 2) continue;
    std::vector<plan::ScanColumn> columns;
    for (const size_t i : group) {
      for (const plan::ScanColumn& column : std::get<pipeline::ScanSource>(pipelines_[i].spec->source).scan->columns) {
        const auto same = [&](const plan::ScanColumn& other) { return other.name == column.name; };
        if (std::none_of(columns.begin(), columns.end(), same)) columns.push_back(column);
      }
    }
    const auto shared =
        std::make_shared<SharedReads>(std::move(columns), group.size(), account_->cap_bytes() / kSharedShareOfCap);
    for (size_t number = 0; number < group.size(); ++number) {
      pipelines_[group[number]].shared = shared;
      pipelines_[group[number]].shared_number = number;
    }
  }
}

bool QueryExecution::ready_locked(const PipelineRun& run) const {
  return std::all_of(run.spec->after.begin(), run.spec->after.end(), [&](pipeline::PipelineId id) {
    const PipelineRun& before = pipelines_[id];
    if (before.phase != Phase::Done) return false;
    const auto state = state_of(before.spec->sink);
    // A pipeline may follow another one into the same sink (unmatched rows of an outer join): that sink is not final
    // yet.
    return !state || state == state_of(run.spec->sink) || states_[*state].final;
  });
}

std::optional<QueryExecution::Task> QueryExecution::take() {
  Afterwards afterwards;
  std::optional<Task> task;
  {
    std::unique_lock<std::mutex> lock(mutex_);
    task = take_locked(lock, afterwards);
  }
  finish_afterwards(afterwards);
  return task;
}

void QueryExecution::finish_afterwards(Afterwards& afterwards) noexcept {
  for (SourceOperator* source : afterwards.to_cancel) source->cancel();
  afterwards.dropped.clear();
  if (afterwards.error) fail(std::move(*afterwards.error));
  results_.notify();
  if (afterwards.wake) services_.wake();
}

std::optional<QueryExecution::Task> QueryExecution::take_locked(std::unique_lock<std::mutex>& lock,
                                                                Afterwards& afterwards) {
  if (ended_ || active_ >= max_active_) return std::nullopt;
  if (auto task = take_finalize_locked()) return task;
  for (size_t i = 0; i < pipelines_.size() && !ended_; ++i) {
    if (auto task = take_from_locked(i, lock, afterwards)) return task;
  }
  return std::nullopt;
}

std::optional<QueryExecution::Task> QueryExecution::take_finalize_locked() {
  for (size_t i = 0; i < states_.size(); ++i) {
    StateRun& state = states_[i];
    if (state.final || state.finalizing || state.feeders_left != 0 || state.spilling != 0) continue;
    state.finalizing = true;
    ++active_;
    return Task{Task::Kind::Finalize, 0, i, {}, 0, nullptr};
  }
  return std::nullopt;
}

std::optional<QueryExecution::Task> QueryExecution::take_from_locked(size_t index, std::unique_lock<std::mutex>& lock,
                                                                     Afterwards& afterwards) {
  PipelineRun& run = pipelines_[index];
  const bool ready = ready_locked(run);
  if (!ready && !may_read_ahead_locked(run)) return std::nullopt;
  if (run.phase == Phase::Waiting) {
    run.phase = Phase::Opening;
    run.started = std::chrono::steady_clock::now();
    ++active_;
    return Task{Task::Kind::Open, index, 0, {}, 0, nullptr};
  }
  if (run.phase != Phase::Running) return std::nullopt;
  if (run.polling) {
    run.missed_poll = true;
    return std::nullopt;
  }
  if (run.sink != nullptr && !run.source_done && run.sink->satisfied()) {
    run.source_done = true;
    afterwards.to_cancel.push_back(run.source.get());
    for (const SourceOperator::Morsel& morsel : run.waiting) finish_part_locked(run, morsel);
    for (const ReadAhead& ahead : run.ahead) finish_part_locked(run, ahead.morsel);
    run.waiting.clear();
    run.ahead.clear();
  }
  if (run.to_result && results_.full()) return std::nullopt;
  if (ready && !run.ahead.empty()) {
    const ReadAhead ahead = std::move(run.ahead.front());
    run.ahead.pop_front();
    ++active_;
    ++run.active;
    return Task{Task::Kind::Morsel, index, 0, ahead.morsel, 0, ahead.batch};
  }
  SourceOperator::Morsel morsel;
  if (!next_morsel_locked(run, morsel, lock, afterwards)) {
    complete_if_done_locked(run, afterwards.dropped);
    return run.phase == Phase::Done ? take_finalize_locked() : std::nullopt;
  }
  uint64_t bytes = std::min(morsel.estimated_bytes, account_->cap_bytes());
  if (!account_->try_reserve(bytes)) {
    if (active_ > 0 || !ready) {
      run.waiting.push_front(morsel);
      return std::nullopt;
    }
    bytes = 0;  // alone, it may use what there is; with_relief and split() help if that is not enough
  }
  ++active_;
  ++run.active;
  if (!ready) ++run.reading_ahead;
  return Task{ready ? Task::Kind::Morsel : Task::Kind::ReadAhead, index, 0, morsel, bytes, nullptr};
}

bool QueryExecution::may_read_ahead_locked(const PipelineRun& run) const {
  if (!ahead_allowed_ || run.phase == Phase::Done || !std::holds_alternative<pipeline::ScanSource>(run.spec->source))
    return false;
  unsigned reading = 0;
  for (const PipelineRun& other : pipelines_) reading += other.reading_ahead;
  return reading < max_active_ / kAheadShareOfWorkers &&
         ahead_bytes_locked() < account_->cap_bytes() / kAheadShareOfCap;
}

uint64_t QueryExecution::ahead_bytes_locked() const {
  uint64_t bytes = 0;
  for (const PipelineRun& run : pipelines_) {
    for (const ReadAhead& ahead : run.ahead) bytes += ahead.bytes;
  }
  return bytes;
}

void QueryExecution::forget_ahead_locked() {
  for (PipelineRun& run : pipelines_) {
    for (ReadAhead& ahead : run.ahead) run.waiting.push_back(ahead.morsel);
    run.ahead.clear();
  }
}

bool QueryExecution::next_morsel_locked(PipelineRun& run, SourceOperator::Morsel& morsel,
                                        std::unique_lock<std::mutex>& lock, Afterwards& afterwards) {
  if (!run.waiting.empty()) {
    morsel = run.waiting.front();
    run.waiting.pop_front();
    return true;
  }
  if (run.source_done) return false;
  run.polling = true;
  run.missed_poll = false;
  lock.unlock();
  auto next = SourceOperator::Next::Done;
  std::optional<Error> error;
  try {
    next = run.source->next(morsel, services_.wake);
  } catch (const Exception& e) {
    error = e.error();
  } catch (const std::exception& e) {
    error = Error{ErrorCode::InternalError, e.what(), std::nullopt};
  }
  lock.lock();
  run.polling = false;
  afterwards.wake = afterwards.wake || run.missed_poll;
  if (error) {
    afterwards.error = std::move(error);
    return false;
  }
  if (ended_ || next == SourceOperator::Next::Pending) return false;
  if (next == SourceOperator::Next::Done) {
    run.source_done = true;
    return false;
  }
  run.parts_left[morsel.sequence] = 1;
  if (run.to_result) results_.begin(run.spec->id, morsel.sequence);
  return true;
}

void QueryExecution::finish_part_locked(PipelineRun& run, const SourceOperator::Morsel& morsel) {
  auto found = run.parts_left.find(morsel.sequence);
  if (found == run.parts_left.end() || --found->second != 0) return;
  run.parts_left.erase(found);
  if (run.to_result) results_.finish(run.spec->id, morsel.sequence);
  if (run.sink != nullptr) run.sink->finished(run.spec->id, morsel.sequence);
}

void QueryExecution::complete_if_done_locked(PipelineRun& run, std::vector<std::unique_ptr<SinkState>>& dropped) {
  if (ended_ || run.phase != Phase::Running || run.polling) return;
  if (!run.source_done || run.active != 0 || !run.waiting.empty() || !run.ahead.empty()) return;
  if (!ready_locked(run)) return;  // it may have read ahead and found nothing
  run.phase = Phase::Done;
  run.wall_ms = ms_since(run.started);
  if (const auto state = state_of(run.spec->sink)) --states_[*state].feeders_left;
  release_readers_locked(*run.spec, dropped);
  if (run.to_result) {
    results_.finish(run.spec->id, kNoSequence);
    if (--result_feeders_left_ == 0) {
      results_.close(std::nullopt);
      ended_ = true;
    }
  }
}

void QueryExecution::release_readers_locked(const pipeline::Pipeline& spec,
                                            std::vector<std::unique_ptr<SinkState>>& dropped) {
  for (const pipeline::StateInfo& info : program_.states) {
    if (std::find(info.readers.begin(), info.readers.end(), spec.id) == info.readers.end()) continue;
    StateRun& state = states_[info.id];
    if (--state.readers_left == 0) {
      // The probe steps of finished pipelines still refer to it, but run no more.
      dropped.push_back(std::move(state.state));
    }
  }
}

void QueryExecution::end_task(const Task& task, bool requeued) {
  std::vector<std::unique_ptr<SinkState>> dropped;
  uint64_t held = 0;
  {
    const std::lock_guard<std::mutex> guard(mutex_);
    --active_;
    if (task.reserved_bytes != 0) account_->unreserve(task.reserved_bytes);
    switch (task.kind) {
      case Task::Kind::Open:
        pipelines_[task.pipeline].phase = Phase::Running;
        break;
      case Task::Kind::Finalize:
        states_[task.state].final = true;
        if (program_.states[task.state].readers.empty()) dropped.push_back(std::move(states_[task.state].state));
        break;
      case Task::Kind::ReadAhead:
      case Task::Kind::Morsel: {
        PipelineRun& run = pipelines_[task.pipeline];
        --run.active;
        if (task.kind == Task::Kind::ReadAhead) {
          --run.reading_ahead;
          break;
        }
        if (!requeued) finish_part_locked(run, task.morsel);
        complete_if_done_locked(run, dropped);
        break;
      }
    }
    for (const StateRun& state : states_) {
      if (state.state != nullptr) held += state.state->device_bytes();
    }
    held += ahead_bytes_locked();
  }
  dropped.clear();
  account_->set_held(held);
  task_ended_.notify_all();
  results_.notify();
}

bool QueryExecution::over() const {
  const std::lock_guard<std::mutex> guard(mutex_);
  return ended_ && active_ == 0;
}

Result<engine::Poll> QueryExecution::poll(engine::HostBatch& batch, engine::Waker waker) {
  const bool was_full = results_.full();
  auto result = results_.poll(batch, std::move(waker));
  if (was_full) services_.wake();
  return result;
}

void QueryExecution::fail(Error error) noexcept {
  results_.close(std::move(error));
  std::vector<SourceOperator*> sources;
  {
    const std::lock_guard<std::mutex> guard(mutex_);
    ended_ = true;
    token_.cancel();
    for (PipelineRun& run : pipelines_) {
      if (run.source != nullptr) sources.push_back(run.source.get());
    }
  }
  for (SourceOperator* source : sources) source->cancel();
  for (const auto& source : request_.sources) {
    if (source != nullptr) source->cancel();
  }
  task_ended_.notify_all();
  results_.notify();
  services_.wake();
}

void QueryExecution::cancel() noexcept {
  {
    const std::lock_guard<std::mutex> guard(mutex_);
    if (ended_ && active_ == 0) return;
  }
  fail(Error{ErrorCode::Cancelled, "the query was cancelled", std::nullopt});
}

engine::QueryProfile QueryExecution::profile() const {
  engine::QueryProfile out;
  const std::lock_guard<std::mutex> guard(mutex_);
  for (const auto& [node, figures] : figures_) {
    out.operators.push_back({node, figures.rows, figures.batches, figures.busy_ms});
  }
  for (const PipelineRun& run : pipelines_) {
    const double wall = run.phase == Phase::Done || run.phase == Phase::Waiting ? run.wall_ms : ms_since(run.started);
    out.pipelines.push_back({run.spec->id, pipeline::describe(*run.spec, program_), "interpreter", wall});
    if (run.source != nullptr) out.bytes_read += run.source->bytes_read();
  }
  out.peak_device_bytes = account_->peak_bytes();
  out.rows = results_.rows();
  out.spilled_bytes = spilled_bytes_;
  out.planning_ms = planning_ms_;
  return out;
}

double QueryExecution::progress() const noexcept {
  const std::lock_guard<std::mutex> guard(mutex_);
  double done = 0;
  unsigned scans = 0;
  for (const PipelineRun& run : pipelines_) {
    if (!std::holds_alternative<pipeline::ScanSource>(run.spec->source)) continue;
    ++scans;
    if (run.phase == Phase::Done) {
      done += 1;
    } else if (run.source != nullptr) {
      done += std::max(0.0, run.source->progress());
    }
  }
  return scans == 0 ? -1.0 : done / scans;
}

void QueryExecution::account_node(uint32_t node, uint64_t rows, double busy_ms) {
  const std::lock_guard<std::mutex> guard(mutex_);
  NodeFigures& figures = figures_[node];
  figures.rows += rows;
  figures.batches += 1;
  figures.busy_ms += busy_ms;
}

}  // namespace weft::gpu
