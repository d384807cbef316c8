// The sink that turns a DuckDB subtree's chunks into Arrow batches and puts them in a HostQueue.
#pragma once

#include <memory>

#include "duckdb.hpp"
#include "duckdb/execution/physical_operator.hpp"
#include "sql/host_queue.hpp"

namespace weft::sql {

/// Batches hold about kHostBatchRows rows or kHostBatchBytes bytes, whichever comes first, in DuckDB's Arrow form with
/// 32-bit string offsets, whatever the user's Arrow settings are.
inline constexpr uint64_t kHostBatchRows = 1 << 20;
inline constexpr uint64_t kHostBatchBytes = uint64_t{64} << 20;
/// Memory of batches that the backend has let go, kept for the next ones of the same query.
inline constexpr uint64_t kHostPoolBytes = uint64_t{256} << 20;

class PhysicalHostSink final : public duckdb::PhysicalOperator {
 public:
  /// `ordered`: one thread, so that batches come in the subtree's order.
  PhysicalHostSink(duckdb::PhysicalPlan& plan, duckdb::PhysicalOperator& child, duckdb::string description,
                   bool ordered);

  /// Set before each execution.
  std::shared_ptr<HostQueue> queue;

  duckdb::string GetName() const override { return "HOST_SOURCE"; }
  duckdb::InsertionOrderPreservingMap<duckdb::string> ParamsToString() const override;
  bool IsSink() const override { return true; }
  bool ParallelSink() const override { return !ordered_; }
  bool SinkOrderDependent() const override { return ordered_; }
  duckdb::unique_ptr<duckdb::GlobalSinkState> GetGlobalSinkState(duckdb::ClientContext& context) const override;
  duckdb::unique_ptr<duckdb::LocalSinkState> GetLocalSinkState(duckdb::ExecutionContext& context) const override;
  duckdb::SinkResultType Sink(duckdb::ExecutionContext& context, duckdb::DataChunk& chunk,
                              duckdb::OperatorSinkInput& input) const override;
  duckdb::SinkCombineResultType Combine(duckdb::ExecutionContext& context,
                                        duckdb::OperatorSinkCombineInput& input) const override;
  duckdb::SinkFinalizeType Finalize(duckdb::Pipeline& pipeline, duckdb::Event& event, duckdb::ClientContext& context,
                                    duckdb::OperatorSinkFinalizeInput& input) const override;

 private:
  duckdb::string description_;
  bool ordered_;
};

}  // namespace weft::sql
