#include "sql/gpu_operator.hpp"

#include <algorithm>
#include <utility>

#include "duckdb/execution/physical_plan_generator.hpp"
#include "duckdb/parallel/meta_pipeline.hpp"
#include "duckdb/parallel/pipeline.hpp"
#include "duckdb/parallel/task_scheduler.hpp"
#include "sql/arrow_bridge.hpp"
#include "sql/expression_failure.hpp"
#include "sql/host_sink.hpp"
#include "sql/row_order.hpp"

namespace weft::sql {
namespace {

/// Threads that turn the backend's batches into chunks when their order is free.
constexpr duckdb::idx_t kMaxReaders = 8;

class GpuSourceState final : public duckdb::GlobalSourceState {
 public:
  GpuSourceState(duckdb::ClientContext& context, const duckdb::vector<duckdb::LogicalType>& types,
                 std::shared_ptr<GpuExecution> execution, duckdb::idx_t max_threads)
      : reader(context, types),
        execution(std::move(execution)),
        waker(std::make_shared<TaskWaker>(*this)),
        max_threads(max_threads) {}
  ~GpuSourceState() override {
    waker->detach();
    execution->stop();
  }
  duckdb::idx_t MaxThreads() override { return max_threads; }

  const BatchReader reader;
  const std::shared_ptr<GpuExecution> execution;
  const std::shared_ptr<TaskWaker> waker;
  const duckdb::idx_t max_threads;
  std::atomic<int64_t> readers{0};  // local states made, less those that DuckDB has finished
};

class GpuLocalState final : public duckdb::LocalSourceState {
 public:
  std::unique_ptr<BatchReader::Scan> scan;
};

/// A chunk that stands for a batch which the statement's stream takes as it is: its one row is never read.
void make_marker(duckdb::DataChunk& chunk) {
  chunk.SetChildCardinality(1);
  for (auto& column : chunk.data) duckdb::FlatVector::SetNull(column, 0, true);
}

}  // namespace

LogicalGpu::LogicalGpu(duckdb::LogicalOperator& replaced, std::shared_ptr<const GpuPart> part)
    : part_(std::move(part)), bindings_(replaced.GetColumnBindings()), types_(replaced.types) {
  types = types_;
  estimated_cardinality = replaced.estimated_cardinality;
  has_estimated_cardinality = true;
}

duckdb::PhysicalOperator& LogicalGpu::CreatePlan(duckdb::ClientContext&, duckdb::PhysicalPlanGenerator& planner) {
  auto& gpu = planner.Make<PhysicalGpu>(types, estimated_cardinality, part_);
  for (size_t i = 0; i < children.size(); ++i) {
    auto& child = planner.CreatePlan(*children[i]);
    const bool ordered = needs_source_order(*part_->plan, static_cast<uint32_t>(i));
    gpu.children.push_back(planner.Make<PhysicalHostSink>(child, part_->leaf_descriptions[i], ordered));
  }
  return gpu;
}

PhysicalGpu::PhysicalGpu(duckdb::PhysicalPlan& plan, duckdb::vector<duckdb::LogicalType> types,
                         duckdb::idx_t cardinality, std::shared_ptr<const GpuPart> part)
    : PhysicalOperator(plan, duckdb::PhysicalOperatorType::EXTENSION, std::move(types), cardinality),
      part_(std::move(part)) {}

duckdb::OrderPreservationType PhysicalGpu::SourceOrder() const {
  return part_->ordered ? duckdb::OrderPreservationType::FIXED_ORDER : duckdb::OrderPreservationType::NO_ORDER;
}

void PhysicalGpu::BuildPipelines(duckdb::Pipeline& current, duckdb::MetaPipeline& meta_pipeline) {
  op_state.reset();
  execution_ = std::make_shared<GpuExecution>(part_);
  part_->record->add_running(execution_);
  meta_pipeline.GetState().SetPipelineSource(current, *this);
  size_t source = 0;
  for (auto& child : children) {
    auto& sink = child.get().Cast<PhysicalHostSink>();
    sink.sink_state.reset();
    sink.queue = execution_->queue(source++);
    auto& feeding = meta_pipeline.CreateChildMetaPipeline(current, sink, duckdb::MetaPipelineType::REGULAR,
                                                          duckdb::MetaPipelineDependencyMode::NO_DEPENDENCY);
    feeding.Build(sink.children[0].get());
  }
}

duckdb::unique_ptr<duckdb::GlobalSourceState> PhysicalGpu::GetGlobalSourceState(duckdb::ClientContext& context) const {
  const auto threads = static_cast<duckdb::idx_t>(duckdb::TaskScheduler::GetScheduler(context).NumberOfThreads());
  auto state = duckdb::make_uniq<GpuSourceState>(context, types, execution_,
                                                 part_->ordered ? 1 : std::min(threads, kMaxReaders));
  const auto started = execution_->start();
  if (!started.ok()) throw_part_error(context, *part_, started.error());
  return state;
}

duckdb::unique_ptr<duckdb::LocalSourceState> PhysicalGpu::GetLocalSourceState(duckdb::ExecutionContext&,
                                                                              duckdb::GlobalSourceState& state) const {
  state.Cast<GpuSourceState>().readers.fetch_add(1);
  return duckdb::make_uniq<GpuLocalState>();
}

void PhysicalGpu::SourceFinished(duckdb::ClientContext&, duckdb::GlobalSourceState& state) const {
  // DuckDB says so once per thread. Where rows are no longer wanted (a LIMIT above), it also wakes the threads that are
  // parked here, so that the last one stops the backend and the sinks that feed it.
  auto& gpu = state.Cast<GpuSourceState>();
  if (gpu.readers.fetch_sub(1) <= 1) gpu.execution->stop();
}

duckdb::ProgressData PhysicalGpu::GetProgress(duckdb::ClientContext&, duckdb::GlobalSourceState& state) const {
  duckdb::ProgressData progress;
  const double done = state.Cast<GpuSourceState>().execution->last_progress();
  if (done < 0) {
    progress.SetInvalid();
    return progress;
  }
  progress.done = done * 100.0;
  progress.total = 100.0;
  return progress;
}

duckdb::SourceResultType PhysicalGpu::GetDataInternal(duckdb::ExecutionContext& context, duckdb::DataChunk& chunk,
                                                      duckdb::OperatorSourceInput& input) const {
  auto& state = input.global_state.Cast<GpuSourceState>();
  auto& local = input.local_state.Cast<GpuLocalState>();
  while (true) {
    context.client.InterruptCheck();
    if (local.scan && local.scan->next(state.reader, chunk)) return duckdb::SourceResultType::HAVE_MORE_OUTPUT;
    local.scan.reset();
    engine::HostBatch batch;
    uint64_t signal = 0;
    const auto fetched = state.execution->fetch(batch, state.waker, signal);
    if (!fetched.ok()) throw_part_error(context.client, *part_, fetched.error());
    auto answer = fetched;
    switch (answer.value()) {
      case GpuExecution::Fetch::Done:
        return duckdb::SourceResultType::FINISHED;
      case GpuExecution::Fetch::Wait: {
        duckdb::annotated_lock_guard<duckdb::annotated_mutex> guard(state.lock);
        if (state.execution->quiet(signal)) return state.BlockSource(input.interrupt_state);
        continue;
      }
      case GpuExecution::Fetch::Batch:
        break;
    }
    if (batch.empty() || batch->length == 0) continue;
    if (part_->passthrough) {
      part_->record->push_batch(std::move(batch));
      make_marker(chunk);
      return duckdb::SourceResultType::HAVE_MORE_OUTPUT;
    }
    local.scan = std::make_unique<BatchReader::Scan>(context.client, std::move(batch));
  }
}

}  // namespace weft::sql
