// Sources that read what an earlier pipeline left in a state.
#pragma once

#include <memory>

#include "gpu/ops/operator.hpp"

namespace weft::gpu {

/// The pieces of a finished state, in order. The state must outlive the source.
std::unique_ptr<SourceOperator> make_state_rows(SinkState& state, uint64_t batch_bytes);
/// Build rows of a join that matched, or did not, after all its probes.
std::unique_ptr<SourceOperator> make_build_rows(SinkState& state, bool matched, uint64_t batch_bytes);

}  // namespace weft::gpu
