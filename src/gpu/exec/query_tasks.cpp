// Running one task: opening a source, one batch through a pipeline, finishing a state.
#include <cuda_runtime_api.h>

#include <cudf/utilities/error.hpp>
#include <new>
#include <rmm/error.hpp>

#include "gpu/column/arrow_export.hpp"
#include "gpu/exec/cuda_check.hpp"
#include "gpu/exec/query_execution.hpp"
#include "gpu/exec/state_source.hpp"

namespace weft::gpu {
namespace {

constexpr uint64_t kMaxParts = 64;
constexpr auto kReliefWait = std::chrono::milliseconds(100);

bool is_shortage(ErrorCode code) {
  return code == ErrorCode::QueryMemoryLimitExceeded || code == ErrorCode::DeviceMemoryExhausted;
}

/// The exception being handled as an Error. Never throws.
Error current_error() noexcept {
  try {
    throw;
  } catch (const Exception& e) {
    return e.error();
  } catch (const rmm::bad_alloc& e) {
    return {ErrorCode::DeviceMemoryExhausted, std::string("the device has no memory left (") + e.what() + ")",
            std::nullopt};
  } catch (const std::bad_alloc&) {
    return {ErrorCode::DeviceMemoryExhausted, "memory ran out on the device or the host", std::nullopt};
  } catch (const cudf::cuda_error& e) {
    const auto status = static_cast<cudaError_t>(e.error_code());
    if (is_sticky(status)) {
      return {ErrorCode::DeviceLost,
              std::string("the GPU stopped working for this process (") + e.what() + "): restart weft", std::nullopt};
    }
    return {ErrorCode::InternalError, e.what(), std::nullopt};
  } catch (const std::exception& e) {
    return {ErrorCode::InternalError, e.what(), std::nullopt};
  } catch (...) {
    return {ErrorCode::InternalError, "an exception of unknown type", std::nullopt};
  }
}

class BusyTimer {
 public:
  BusyTimer(bool on, cuda::stream_ref stream) : on_(on), stream_(stream) {
    if (on_) start_ = std::chrono::steady_clock::now();
  }
  double stop() {
    if (!on_) return 0;
    check_cuda(cudaStreamSynchronize(stream_.get()));
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  bool on_;
  cuda::stream_ref stream_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace

void QueryExecution::run(const Task& task, const Worker& worker) noexcept {
  bool requeued = false;
  {
    const AccountScope scope(account_, worker.stream.get());
    try {
      execute(task, worker, requeued);
    } catch (...) {
      Error error = current_error();
      // What this task enqueued still reads its buffers: end it before they go.
      const cudaError_t status = cudaStreamSynchronize(worker.stream.get());
      if (is_sticky(status)) {
        error = {
            ErrorCode::DeviceLost,
            std::string("the GPU stopped working for this process (") + cudaGetErrorString(status) + "): restart weft",
            std::nullopt};
      }
      if (error.code == ErrorCode::DeviceLost) services_.device_lost(error);
      fail(std::move(error));
    }
    end_task(task, requeued);
  }
}

void QueryExecution::execute(const Task& task, const Worker& worker, bool& requeued) {
  const TaskContext context{worker.stream, worker.mr, token_, *account_, batch_bytes_};
  token_.check();
  switch (task.kind) {
    case Task::Kind::Open:
      open(pipelines_[task.pipeline]);
      break;
    case Task::Kind::Morsel:
      run_morsel(pipelines_[task.pipeline], task, context, requeued);
      break;
    case Task::Kind::ReadAhead:
      read_ahead(pipelines_[task.pipeline], task.morsel, context);
      break;
    case Task::Kind::Finalize: {
      BusyTimer timer(request_.options.profile, context.stream);
      SinkState& state = *states_[task.state].state;
      with_relief(
          context, [&] { state.finalize(context); }, [] { return true; });
      check_cuda(cudaStreamSynchronize(context.stream.get()));
      if (request_.options.profile) account_node(program_.states[task.state].node, 0, timer.stop());
      break;
    }
  }
}

void QueryExecution::open(PipelineRun& run) {
  const pipeline::Pipeline& spec = *run.spec;
  std::unique_ptr<SourceOperator> source;
  if (const auto* scan = std::get_if<pipeline::ScanSource>(&spec.source)) {
    source = make_parquet_scan(services_.footers, services_.file_reader, services_.kernels, *scan->scan, batch_bytes_,
                               run.shared, run.shared_number);
  } else if (const auto* host = std::get_if<pipeline::HostRows>(&spec.source)) {
    source = make_host_rows(request_.sources.at(host->source), spec.source_row.columns, batch_bytes_);
  } else if (const auto* values = std::get_if<pipeline::ValuesSource>(&spec.source)) {
    source = make_values(*values->values, spec.source_row.columns);
  } else if (const auto* rows = std::get_if<pipeline::StateRows>(&spec.source)) {
    source = make_state_rows(*states_[rows->state].state, batch_bytes_);
  } else if (const auto* build = std::get_if<pipeline::BuildRows>(&spec.source)) {
    source = make_build_rows(*states_[build->state].state, build->matched, batch_bytes_);
  }
  const std::lock_guard<std::mutex> guard(mutex_);
  run.source = std::move(source);
}

void QueryExecution::run_morsel(PipelineRun& run, const Task& task, const TaskContext& context, bool& requeued) {
  Batch batch;
  if (task.read_ahead != nullptr) {
    batch = *task.read_ahead;
  } else if (!read(run, task.morsel, context, batch)) {
    requeued = true;
    return;
  }
  push(run, 0, context, batch);
  check_cuda(cudaStreamSynchronize(context.stream.get()));  // before the batch's columns, perhaps a state's, are let go
  if (request_.options.force_spill) spill(context, ~uint64_t{0});
}

bool QueryExecution::read(PipelineRun& run, const SourceOperator::Morsel& morsel, const TaskContext& context,
                          Batch& batch) {
  const auto can_split = [&] { return run.source->can_split(morsel) && morsel.parts < kMaxParts; };
  BusyTimer timer(request_.options.profile, context.stream);
  try {
    with_relief(
        context, [&] { batch = run.source->read(context, morsel); }, [&] { return !can_split(); });
  } catch (const Exception& e) {
    if (!is_shortage(e.code()) || !can_split()) throw;
    check_cuda(cudaStreamSynchronize(context.stream.get()));
    spill(context, batch_bytes_);
    split(run, morsel);
    return false;
  }
  batch.sequence = morsel.sequence;
  if (request_.options.profile) account_node(run.spec->source_node, static_cast<uint64_t>(batch.rows), timer.stop());
  return true;
}

void QueryExecution::read_ahead(PipelineRun& run, const SourceOperator::Morsel& morsel, const TaskContext& context) {
  auto batch = std::make_shared<Batch>();
  try {
    if (!read(run, morsel, context, *batch)) return;
  } catch (const Exception& e) {
    if (!is_shortage(e.code())) throw;
    check_cuda(cudaStreamSynchronize(context.stream.get()));
    const std::lock_guard<std::mutex> guard(mutex_);
    ahead_allowed_ = false;  // its time has not come: it waits until then
    run.waiting.push_front(morsel);
    return;
  }
  check_cuda(cudaStreamSynchronize(context.stream.get()));  // another task will use it
  const uint64_t bytes = batch->device_bytes();
  const std::lock_guard<std::mutex> guard(mutex_);
  run.ahead.push_back({morsel, std::move(batch), bytes});
}

void QueryExecution::push(PipelineRun& run, size_t step, const TaskContext& context, const Batch& batch) {
  if (batch.rows == 0) return;
  token_.check();
  if (step == run.steps.size()) {
    deliver(run, context, batch);
    return;
  }
  const uint32_t node = run.spec->steps[step].node;
  const bool profile = request_.options.profile;
  bool emitted = false;
  with_relief(
      context,
      [&] {
        BusyTimer timer(profile, context.stream);
        double below_ms = 0;
        run.steps[step]->run(context, batch, [&](Batch out) {
          emitted = true;
          BusyTimer below(profile, context.stream);
          out.sequence = batch.sequence;
          if (profile) account_node(node, static_cast<uint64_t>(out.rows), 0);
          push(run, step + 1, context, out);
          below_ms += below.stop();
        });
        if (profile) {
          const double busy_ms = timer.stop() - below_ms;
          const std::lock_guard<std::mutex> guard(mutex_);
          figures_[node].busy_ms += busy_ms;
        }
      },
      [&] { return !emitted; });
}

void QueryExecution::deliver(PipelineRun& run, const TaskContext& context, const Batch& batch) {
  BusyTimer timer(request_.options.profile, context.stream);
  if (run.to_result) {
    with_relief(
        context,
        [&] {
          results_.push(run.spec->id, batch.sequence,
                        export_batch(context, services_.pinned, program_.result.columns, batch, kResultBatchBytes));
          results_.notify();
        },
        [] { return true; });
  } else if (run.sink != nullptr) {
    with_relief(
        context, [&] { run.sink->consume(context, run.spec->id, batch); }, [] { return true; });
    if (request_.options.profile) {
      const double busy_ms = timer.stop();
      const std::lock_guard<std::mutex> guard(mutex_);
      figures_[run.spec->sink_node].busy_ms += busy_ms;
    }
  }
}

void QueryExecution::with_relief(const TaskContext& context, const std::function<void()>& work,
                                 const std::function<bool()>& can_retry) {
  for (unsigned attempt = 0;; ++attempt) {
    try {
      work();
      return;
    } catch (...) {
      const Error error = current_error();
      if (!is_shortage(error.code) || !can_retry() || attempt >= 8) throw;
    }
    check_cuda(cudaStreamSynchronize(context.stream.get()));
    token_.check();
    if (spill(context, batch_bytes_ * 4) > 0) continue;
    // Nothing to spill: wait for another task of the query to end; when all that run wait here, give up.
    std::unique_lock<std::mutex> lock(mutex_);
    ++short_of_memory_;
    const bool alone = short_of_memory_ >= active_;
    if (!alone) task_ended_.wait_for(lock, kReliefWait);
    --short_of_memory_;
    lock.unlock();
    if (alone) attempt = attempt < 7 ? 7 : attempt;  // one more try, then the error stands
  }
}

void QueryExecution::split(PipelineRun& run, const SourceOperator::Morsel& morsel) {
  const std::lock_guard<std::mutex> guard(mutex_);
  run.parts_left[morsel.sequence] += 1;
  for (uint64_t i = 0; i < 2; ++i) {
    SourceOperator::Morsel half = morsel;
    half.parts = morsel.parts * 2;
    half.part = morsel.part * 2 + i;
    half.estimated_bytes = morsel.estimated_bytes / 2 + 1;
    run.waiting.push_back(half);
  }
}

uint64_t QueryExecution::spill(const TaskContext& context, uint64_t bytes) {
  // A state that is final serves readers and is left alone; one that spills here is not finalized before it ends.
  std::vector<StateRun*> candidates;
  {
    const std::lock_guard<std::mutex> guard(mutex_);
    for (StateRun& state : states_) {
      if (state.state == nullptr || state.finalizing || state.final) continue;
      ++state.spilling;
      candidates.push_back(&state);
    }
  }
  uint64_t freed = 0;
  std::exception_ptr failure;
  for (StateRun* run : candidates) {
    try {
      if (freed < bytes && run->state->spillable_bytes() > 0) freed += run->state->spill(context, bytes - freed);
    } catch (...) {
      failure = std::current_exception();
    }
  }
  {
    const std::lock_guard<std::mutex> guard(mutex_);
    for (StateRun* run : candidates) --run->spilling;
    spilled_bytes_ += freed;
    if (freed < bytes && !request_.options.force_spill) {
      freed += ahead_bytes_locked();  // these rows are read again when their time comes
      forget_ahead_locked();
    }
  }
  services_.wake();
  if (failure != nullptr && freed == 0) std::rethrow_exception(failure);
  return freed;
}

}  // namespace weft::gpu
