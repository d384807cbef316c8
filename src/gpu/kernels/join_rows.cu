#include "gpu/kernels/join_rows.hpp"

#include "gpu/exec/cuda_check.hpp"

namespace weft::gpu {
namespace {

constexpr int kThreads = 256;

int blocks_for(cudf::size_type count) {
  constexpr int64_t kMaxBlocks = 65536;
  const int64_t blocks = (static_cast<int64_t>(count) + kThreads - 1) / kThreads;
  return static_cast<int>(blocks < kMaxBlocks ? blocks : kMaxBlocks);
}

__global__ void mark_rows_kernel(uint8_t* marks, const cudf::size_type* rows, cudf::size_type count) {
  const int64_t stride = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
    uint8_t* mark = marks + rows[i];
    if (*mark == 0) *mark = 1;
  }
}

__global__ void product_rows_kernel(int64_t first, cudf::size_type count, cudf::size_type right,
                                    cudf::size_type* left_rows, cudf::size_type* right_rows) {
  const int64_t stride = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
    const int64_t pair = first + i;
    left_rows[i] = static_cast<cudf::size_type>(pair / right);
    right_rows[i] = static_cast<cudf::size_type>(pair % right);
  }
}

}  // namespace

void mark_rows(uint8_t* marks, const cudf::size_type* rows, cudf::size_type count, cuda::stream_ref stream) {
  if (count == 0) return;
  mark_rows_kernel<<<blocks_for(count), kThreads, 0, stream.get()>>>(marks, rows, count);
  check_cuda(cudaGetLastError());
}

void product_rows(int64_t first, cudf::size_type count, cudf::size_type right, cudf::size_type* left_rows,
                  cudf::size_type* right_rows, cuda::stream_ref stream) {
  if (count == 0) return;
  product_rows_kernel<<<blocks_for(count), kThreads, 0, stream.get()>>>(first, count, right, left_rows, right_rows);
  check_cuda(cudaGetLastError());
}

}  // namespace weft::gpu
