#include "gpu/kernels/limbs.hpp"

#include "gpu/exec/cuda_check.hpp"

namespace weft::gpu {
namespace {

__global__ void carry_limb_kernel(int64_t* low, int64_t* high, cudf::size_type rows) {
  const int64_t stride = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < rows; i += stride) {
    const int64_t value = low[i];
    high[i] += value >> 32;  // arithmetic shift: rounds down, so the rest is not negative
    low[i] = value & 0xffffffffLL;
  }
}

}  // namespace

void carry_limb(int64_t* low, int64_t* high, cudf::size_type rows, cuda::stream_ref stream) {
  if (rows == 0) return;
  constexpr int kThreads = 256;
  constexpr int64_t kMaxBlocks = 65536;
  const int64_t blocks = (static_cast<int64_t>(rows) + kThreads - 1) / kThreads;
  carry_limb_kernel<<<static_cast<int>(blocks < kMaxBlocks ? blocks : kMaxBlocks), kThreads, 0, stream.get()>>>(
      low, high, rows);
  check_cuda(cudaGetLastError());
}

}  // namespace weft::gpu
