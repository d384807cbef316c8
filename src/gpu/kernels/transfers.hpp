// Small lists to the device and back.
#pragma once

#include <rmm/device_uvector.hpp>
#include <span>
#include <vector>

#include "gpu/exec/cuda_check.hpp"

namespace weft::gpu::kernels {

/// `values` may go when this returns: they are copied from memory that is not pinned.
template <typename T>
rmm::device_uvector<T> to_device(std::span<const T> values, cuda::stream_ref stream,
                                 rmm::device_async_resource_ref mr) {
  rmm::device_uvector<T> copy(values.size(), stream, mr);
  check_cuda(cudaMemcpyAsync(copy.data(), values.data(), values.size_bytes(), cudaMemcpyHostToDevice, stream.get()));
  return copy;
}

/// Synchronizes the stream.
template <typename T>
std::vector<T> to_host(const rmm::device_uvector<T>& values, cuda::stream_ref stream) {
  std::vector<T> copy(values.size());
  check_cuda(
      cudaMemcpyAsync(copy.data(), values.data(), copy.size() * sizeof(T), cudaMemcpyDeviceToHost, stream.get()));
  check_cuda(cudaStreamSynchronize(stream.get()));
  return copy;
}

}  // namespace weft::gpu::kernels
