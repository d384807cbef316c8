#include "gpu/ops/hash_probe.hpp"

#include "gpu/ops/probe_task.hpp"

namespace weft::gpu {
namespace {

// One by one, so that a pair that is NULL for one of them is not asked the next.
std::vector<plan::ExprPtr> conjuncts_of(const plan::ExprPtr& condition) {
  return condition->kind == plan::ExprKind::And ? condition->children : std::vector<plan::ExprPtr>{condition};
}

}  // namespace

HashProbe::HashProbe(const OperatorServices& services, const HashBuild& build) : build_(build) {
  const JoinLayout& layout = build.layout();
  if (layout.has_keys()) {
    keys_ = Expressions::make(services.kernels, layout.spec.probe_row.columns, layout.probe_keys);
  }
  if (!layout.bounds.empty()) {
    bounds_ = Expressions::make(services.kernels, layout.spec.probe_row.columns, layout.bounds);
  }
  if (layout.nearer) nearer_ = Predicate::make(services.kernels, layout.nearer_row, {layout.nearer});
  if (layout.residual) residual_ = Predicate::make(services.kernels, layout.pair_row, conjuncts_of(layout.residual));
  if (layout.otherwise) otherwise_ = Predicate::make(services.kernels, layout.pair_row, conjuncts_of(layout.otherwise));
  if (layout.unknown) unknown_ = Predicate::make(services.kernels, layout.pair_row, {layout.unknown});
}

void HashProbe::run(const TaskContext& context, Batch input, const Emit& emit) {
  if (input.rows == 0) return;
  ProbeTask(*this, context, input, emit).run();
}

std::unique_ptr<StepOperator> make_probe(const OperatorServices& services, const pipeline::JoinSpec&,
                                         SinkState& build) {
  return std::make_unique<HashProbe>(services, dynamic_cast<const HashBuild&>(build));
}

}  // namespace weft::gpu
