// Makes the operators of a program. Each function lives beside its operator.
#pragma once

#include <memory>

#include "gpu/expr/expressions.hpp"
#include "gpu/ops/operator.hpp"
#include "pipeline/pipeline.hpp"

namespace weft::gpu {

class PinnedPool;

struct OperatorServices {
  KernelCache& kernels;
  PinnedPool& pinned;        // for spilling
  Account& account;          // of the query: its cap sizes pieces and partitions
  bool force_spill = false;  // tests
};

std::unique_ptr<StepOperator> make_filter(const OperatorServices&, const pipeline::RowType& input,
                                          const pipeline::FilterStep&);
std::unique_ptr<StepOperator> make_project(const OperatorServices&, const pipeline::RowType& input,
                                           const pipeline::ProjectStep&);
/// `build` is the state that make_hash_build made for the same JoinSpec.
std::unique_ptr<StepOperator> make_probe(const OperatorServices&, const pipeline::JoinSpec&, SinkState& build);

std::unique_ptr<SinkState> make_hash_build(const OperatorServices&, const pipeline::JoinSpec&);
std::unique_ptr<SinkState> make_aggregate(const OperatorServices&, const plan::Aggregate&,
                                          const pipeline::RowType& input);
std::unique_ptr<SinkState> make_window(const OperatorServices&, const plan::Window&, const pipeline::RowType& input);
std::unique_ptr<SinkState> make_sort(const OperatorServices&, const plan::Sort&, const pipeline::RowType& input);
std::unique_ptr<SinkState> make_top_n(const OperatorServices&, const plan::TopN&, const pipeline::RowType& input);
std::unique_ptr<SinkState> make_limit(const OperatorServices&, const plan::Limit&, const pipeline::RowType& input);
std::unique_ptr<SinkState> make_materialize(const OperatorServices&, const pipeline::RowType& input);

/// Build rows that matched (or did not), after all probes of the state: pieces of the BuildRows source.
size_t build_row_pieces(const SinkState& build);
Batch build_row_piece(const TaskContext& context, SinkState& build, size_t index, bool matched);

}  // namespace weft::gpu
