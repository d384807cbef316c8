// The kernels of aggregates over frames.
#include "gpu/kernels/window_aggregates.hpp"
#include "gpu/kernels/window_launch.cuh"

namespace weft::gpu::window {

#define WEFT_EACH_ROW_KERNEL(...) template void for_each_row(const __VA_ARGS__&, Row, cuda::stream_ref)
#define WEFT_MASKED_KERNEL(...) template void for_each_row_masked(const __VA_ARGS__&, Row, uint32_t*, cuda::stream_ref)
#define WEFT_LEAST_KERNELS(T)                       \
  WEFT_EACH_ROW_KERNEL(BuildLevel<LeastLeaves<T>>); \
  WEFT_MASKED_KERNEL(LeastFrame<T>)

WEFT_EACH_ROW_KERNEL(CountFrame);
WEFT_MASKED_KERNEL(SumFrame);

WEFT_EACH_ROW_KERNEL(BuildLevel<DoubleLeaves>);
WEFT_MASKED_KERNEL(DoubleSumFrame);
WEFT_EACH_ROW_KERNEL(BuildLevel<MomentsLeaves>);
WEFT_EACH_ROW_KERNEL(MomentsFrame);

WEFT_LEAST_KERNELS(int8_t);
WEFT_LEAST_KERNELS(int16_t);
WEFT_LEAST_KERNELS(int32_t);
WEFT_LEAST_KERNELS(int64_t);
WEFT_LEAST_KERNELS(__int128);
WEFT_LEAST_KERNELS(uint8_t);
WEFT_LEAST_KERNELS(uint16_t);
WEFT_LEAST_KERNELS(uint32_t);
WEFT_LEAST_KERNELS(uint64_t);
WEFT_EACH_ROW_KERNEL(InvertOrder);
WEFT_EACH_ROW_KERNEL(LeastRowOfFrame);

}  // namespace weft::gpu::window
