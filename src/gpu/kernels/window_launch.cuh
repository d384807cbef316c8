// The definitions of for_each_row and for_each_row_masked, for the files that instantiate them.
#pragma once

#include "gpu/exec/cuda_check.hpp"
#include "gpu/kernels/window_kernels.hpp"

namespace weft::gpu::window {

constexpr int kThreads = 256;
constexpr int kWarp = 32;

inline int blocks_for(int64_t rows) {
  constexpr int64_t kMaxBlocks = 65536;
  const int64_t blocks = (rows + kThreads - 1) / kThreads;
  return static_cast<int>(blocks < kMaxBlocks ? blocks : kMaxBlocks);
}

template <typename Functor>
__global__ void each_row_kernel(Functor functor, Row rows) {
  const int64_t stride = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < rows; i += stride) {
    functor(static_cast<Row>(i));
  }
}

// A warp's rows are the bits of one word.
template <typename Functor>
__global__ void each_row_masked_kernel(Functor functor, Row rows, uint32_t* mask) {
  const int64_t stride = static_cast<int64_t>(gridDim.x) * blockDim.x;
  const int64_t whole_words = (static_cast<int64_t>(rows) + kWarp - 1) / kWarp * kWarp;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < whole_words; i += stride) {
    const bool set = i < rows && functor(static_cast<Row>(i));
    const uint32_t word = __ballot_sync(0xffffffffU, set);
    if (i % kWarp == 0) mask[i / kWarp] = word;
  }
}

template <typename Functor>
void for_each_row(const Functor& functor, Row rows, cuda::stream_ref stream) {
  if (rows == 0) return;
  each_row_kernel<<<blocks_for(rows), kThreads, 0, stream.get()>>>(functor, rows);
  check_cuda(cudaGetLastError());
}

template <typename Functor>
void for_each_row_masked(const Functor& functor, Row rows, uint32_t* mask, cuda::stream_ref stream) {
  if (rows == 0) return;
  each_row_masked_kernel<<<blocks_for(rows), kThreads, 0, stream.get()>>>(functor, rows, mask);
  check_cuda(cudaGetLastError());
}

}  // namespace weft::gpu::window
