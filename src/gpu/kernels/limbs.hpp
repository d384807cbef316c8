// Sums of 32-bit limbs in 64-bit words (ops/aggregate_functions.hpp).
#pragma once

#include <cstdint>

#include <cuda/stream_ref>
#include <cudf/types.hpp>

namespace weft::gpu {

/// Moves what passes 32 bits of low[i] into high[i]: afterwards 0 <= low[i] < 2^32 and low + 2^32 high is unchanged. So
/// sums of fewer than 2^31 carried rows cannot overflow `low`.
void carry_limb(int64_t* low, int64_t* high, cudf::size_type rows, cuda::stream_ref stream);

}  // namespace weft::gpu
