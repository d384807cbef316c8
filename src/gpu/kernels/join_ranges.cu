// The kernels of joins by ranges; launched as those of windows are.
#include "gpu/kernels/join_ranges.hpp"
#include "gpu/kernels/window_launch.cuh"

namespace weft::gpu::window {

#define WEFT_EACH_ROW_KERNEL(...) template void for_each_row(const __VA_ARGS__&, Row, cuda::stream_ref)

WEFT_EACH_ROW_KERNEL(join::CountCandidates);
WEFT_EACH_ROW_KERNEL(join::MarkCandidates);
WEFT_EACH_ROW_KERNEL(join::LastCandidate);
WEFT_EACH_ROW_KERNEL(join::WritePair);
WEFT_EACH_ROW_KERNEL(join::KeepLast);

}  // namespace weft::gpu::window
