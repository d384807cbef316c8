// The operators that stand in DuckDB's plans for what the backend runs.
#pragma once

#include <memory>
#include <vector>

#include "duckdb.hpp"
#include "duckdb/execution/physical_operator.hpp"
#include "duckdb/planner/operator/logical_extension_operator.hpp"
#include "sql/gpu_execution.hpp"

namespace weft::sql {

/// Takes the place of a SELECT's subtree: same columns, same bindings. Its children are the subtrees that feed the
/// plan's HostSources, in their order.
class LogicalGpu final : public duckdb::LogicalExtensionOperator {
 public:
  /// `replaced`'s types must be resolved.
  LogicalGpu(duckdb::LogicalOperator& replaced, std::shared_ptr<const GpuPart> part);

  const GpuPart& part() const { return *part_; }

  duckdb::vector<duckdb::ColumnBinding> GetColumnBindings() override { return bindings_; }
  duckdb::idx_t EstimateCardinality(duckdb::ClientContext&) override { return estimated_cardinality; }
  bool SupportSerialization() const override { return false; }
  duckdb::string GetName() const override { return "GPU"; }
  duckdb::string GetExtensionName() const override { return "weft"; }
  duckdb::PhysicalOperator& CreatePlan(duckdb::ClientContext& context, duckdb::PhysicalPlanGenerator& planner) override;

 protected:
  void ResolveTypes() override { types = types_; }

 private:
  std::shared_ptr<const GpuPart> part_;
  duckdb::vector<duckdb::ColumnBinding> bindings_;
  duckdb::vector<duckdb::LogicalType> types_;
};

/// The source that yields the rows of a part. Its children are PhysicalHostSink operators. They run beside it, not
/// before it: both sides park their tasks (BLOCKED) when a bounded queue is full or empty.
class PhysicalGpu final : public duckdb::PhysicalOperator {
 public:
  PhysicalGpu(duckdb::PhysicalPlan& plan, duckdb::vector<duckdb::LogicalType> types, duckdb::idx_t cardinality,
              std::shared_ptr<const GpuPart> part);

  duckdb::string GetName() const override { return "GPU"; }
  bool IsSource() const override { return true; }
  bool ParallelSource() const override { return true; }
  duckdb::OrderPreservationType SourceOrder() const override;
  duckdb::vector<duckdb::const_reference<duckdb::PhysicalOperator>> GetSources() const override { return {*this}; }
  duckdb::unique_ptr<duckdb::GlobalSourceState> GetGlobalSourceState(duckdb::ClientContext& context) const override;
  duckdb::unique_ptr<duckdb::LocalSourceState> GetLocalSourceState(duckdb::ExecutionContext& context,
                                                                   duckdb::GlobalSourceState& state) const override;
  duckdb::ProgressData GetProgress(duckdb::ClientContext& context, duckdb::GlobalSourceState& state) const override;
  void SourceFinished(duckdb::ClientContext& context, duckdb::GlobalSourceState& state) const override;
  void BuildPipelines(duckdb::Pipeline& current, duckdb::MetaPipeline& meta_pipeline) override;

 protected:
  duckdb::SourceResultType GetDataInternal(duckdb::ExecutionContext& context, duckdb::DataChunk& chunk,
                                           duckdb::OperatorSourceInput& input) const override;

 private:
  std::shared_ptr<const GpuPart> part_;
  std::shared_ptr<GpuExecution> execution_;  // made anew by BuildPipelines, once per execution of the plan
};

}  // namespace weft::sql
