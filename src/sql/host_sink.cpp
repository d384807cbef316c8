#include "sql/host_sink.hpp"

#include <utility>

#include "sql/arrow_bridge.hpp"
#include "sql/task_waker.hpp"

namespace weft::sql {
namespace {

class HostSinkState final : public duckdb::GlobalSinkState {
 public:
  explicit HostSinkState(std::shared_ptr<HostQueue> queue)
      : queue(std::move(queue)),
        waker(std::make_shared<TaskWaker>(*this)),
        pool(std::make_shared<BufferPool>(kHostPoolBytes)) {}
  ~HostSinkState() override { waker->detach(); }

  const std::shared_ptr<HostQueue> queue;
  const std::shared_ptr<TaskWaker> waker;
  const std::shared_ptr<BufferPool> pool;
};

class HostSinkLocalState final : public duckdb::LocalSinkState {
 public:
  HostSinkLocalState(const duckdb::vector<duckdb::LogicalType>& types, const duckdb::ClientProperties& properties,
                     std::shared_ptr<BufferPool> pool)
      : types(seam_types(types)),
        same_types(this->types == types),
        builder(this->types, properties, kHostBatchRows, kHostBatchBytes, std::move(pool)) {}

  void append(duckdb::DataChunk& chunk) {
    if (same_types) return builder.append(chunk);
    duckdb::DataChunk stored;
    reinterpret_chunk(chunk, types, stored);
    builder.append(stored);
  }

  const duckdb::vector<duckdb::LogicalType> types;  // of the batches
  const bool same_types;
  BatchBuilder builder;
  bool appended = false;  // the chunk that DuckDB delivers again after BLOCKED is in `builder` already
};

enum class Drain : unsigned char { Done, Parked, Closed };

/// Moves what is complete into the queue. Parked: `interrupt` is registered and the task must return BLOCKED.
Drain drain(HostSinkState& state, std::deque<SizedBatch>& batches, const duckdb::InterruptState& interrupt) {
  while (!batches.empty()) {
    auto& next = batches.front();
    switch (state.queue->push(next.batch, next.bytes)) {
      case HostQueue::Push::Taken:
        batches.pop_front();
        continue;
      case HostQueue::Push::Closed:
        batches.clear();
        return Drain::Closed;
      case HostQueue::Push::Full:
        break;
    }
    {
      duckdb::annotated_lock_guard<duckdb::annotated_mutex> guard(state.lock);
      if (state.CanBlock()) {
        if (!state.queue->when_space([waker = state.waker] { waker->wake(); })) continue;
        state.BlockTask(interrupt);
        return Drain::Parked;
      }
    }
    state.queue->push_anyway(next.batch, next.bytes);
    batches.pop_front();
  }
  return Drain::Done;
}

}  // namespace

PhysicalHostSink::PhysicalHostSink(duckdb::PhysicalPlan& plan, duckdb::PhysicalOperator& child,
                                   duckdb::string description, bool ordered)
    : PhysicalOperator(plan, duckdb::PhysicalOperatorType::EXTENSION, child.types, child.estimated_cardinality),
      description_(std::move(description)),
      ordered_(ordered) {
  children.push_back(child);
}

duckdb::InsertionOrderPreservingMap<duckdb::string> PhysicalHostSink::ParamsToString() const {
  duckdb::InsertionOrderPreservingMap<duckdb::string> params;
  params["Source"] = description_;
  return params;
}

duckdb::unique_ptr<duckdb::GlobalSinkState> PhysicalHostSink::GetGlobalSinkState(duckdb::ClientContext&) const {
  return duckdb::make_uniq<HostSinkState>(queue);
}

duckdb::unique_ptr<duckdb::LocalSinkState> PhysicalHostSink::GetLocalSinkState(
    duckdb::ExecutionContext& context) const {
  return duckdb::make_uniq<HostSinkLocalState>(children[0].get().types, seam_properties(context.client),
                                               sink_state->Cast<HostSinkState>().pool);
}

duckdb::SinkResultType PhysicalHostSink::Sink(duckdb::ExecutionContext&, duckdb::DataChunk& chunk,
                                              duckdb::OperatorSinkInput& input) const {
  auto& state = input.global_state.Cast<HostSinkState>();
  auto& local = input.local_state.Cast<HostSinkLocalState>();
  if (!local.appended) {
    if (state.queue->closed()) return duckdb::SinkResultType::FINISHED;
    local.append(chunk);
    local.appended = true;
  }
  switch (drain(state, local.builder.sealed(), input.interrupt_state)) {
    case Drain::Parked:
      return duckdb::SinkResultType::BLOCKED;
    case Drain::Closed:
      return duckdb::SinkResultType::FINISHED;
    case Drain::Done:
      break;
  }
  local.appended = false;
  return duckdb::SinkResultType::NEED_MORE_INPUT;
}

duckdb::SinkCombineResultType PhysicalHostSink::Combine(duckdb::ExecutionContext&,
                                                        duckdb::OperatorSinkCombineInput& input) const {
  auto& state = input.global_state.Cast<HostSinkState>();
  auto& local = input.local_state.Cast<HostSinkLocalState>();
  local.builder.seal();
  const auto drained = drain(state, local.builder.sealed(), input.interrupt_state);
  return drained == Drain::Parked ? duckdb::SinkCombineResultType::BLOCKED : duckdb::SinkCombineResultType::FINISHED;
}

duckdb::SinkFinalizeType PhysicalHostSink::Finalize(duckdb::Pipeline&, duckdb::Event&, duckdb::ClientContext&,
                                                    duckdb::OperatorSinkFinalizeInput& input) const {
  input.global_state.Cast<HostSinkState>().queue->finish();
  return duckdb::SinkFinalizeType::READY;
}

}  // namespace weft::sql
