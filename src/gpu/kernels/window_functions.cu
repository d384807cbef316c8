// The kernels of layouts, frames and functions that are not aggregates.
#include "gpu/kernels/window_frames.hpp"
#include "gpu/kernels/window_functions.hpp"
#include "gpu/kernels/window_launch.cuh"

namespace weft::gpu::window {

#define WEFT_EACH_ROW_KERNEL(...) template void for_each_row(const __VA_ARGS__&, Row, cuda::stream_ref)

WEFT_EACH_ROW_KERNEL(MarkChanges<uint8_t>);
WEFT_EACH_ROW_KERNEL(MarkChanges<uint16_t>);
WEFT_EACH_ROW_KERNEL(MarkChanges<uint32_t>);
WEFT_EACH_ROW_KERNEL(MarkChanges<uint64_t>);
WEFT_EACH_ROW_KERNEL(MarkChanges<unsigned __int128>);
WEFT_EACH_ROW_KERNEL(MarkTextChanges<int32_t>);
WEFT_EACH_ROW_KERNEL(MarkTextChanges<int64_t>);
WEFT_EACH_ROW_KERNEL(WriteStarts);

WEFT_EACH_ROW_KERNEL(RowsBound);
WEFT_EACH_ROW_KERNEL(GroupsBound);
WEFT_EACH_ROW_KERNEL(RangeBound<int8_t>);
WEFT_EACH_ROW_KERNEL(RangeBound<int16_t>);
WEFT_EACH_ROW_KERNEL(RangeBound<int32_t>);
WEFT_EACH_ROW_KERNEL(RangeBound<int64_t>);
WEFT_EACH_ROW_KERNEL(RangeBound<__int128>);
WEFT_EACH_ROW_KERNEL(RangeBound<uint8_t>);
WEFT_EACH_ROW_KERNEL(RangeBound<uint16_t>);
WEFT_EACH_ROW_KERNEL(RangeBound<uint32_t>);
WEFT_EACH_ROW_KERNEL(RangeBound<uint64_t>);

WEFT_EACH_ROW_KERNEL(RowNumber);
WEFT_EACH_ROW_KERNEL(Rank);
WEFT_EACH_ROW_KERNEL(DenseRank);
WEFT_EACH_ROW_KERNEL(PercentRank);
WEFT_EACH_ROW_KERNEL(CumeDist);
WEFT_EACH_ROW_KERNEL(Shift);
WEFT_EACH_ROW_KERNEL(TakesDefault);
WEFT_EACH_ROW_KERNEL(NthOfFrame);
template void for_each_row_masked(const Ntile&, Row, uint32_t*, cuda::stream_ref);

}  // namespace weft::gpu::window
