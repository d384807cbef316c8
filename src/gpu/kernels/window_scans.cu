#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_scan.cuh>
#include <rmm/device_buffer.hpp>

#include "gpu/exec/cuda_check.hpp"
#include "gpu/kernels/window_kernels.hpp"

namespace weft::gpu::window {
namespace {

struct IsSet {
  const uint8_t* changed;
  __device__ Row operator()(Row row) const { return changed[row] != 0 ? 1 : 0; }
};

struct HasValue {
  const uint32_t* mask;
  __device__ Row operator()(Row row) const { return has_value(mask, row) ? 1 : 0; }
};

struct ValueOrZero {
  const int64_t* values;
  const uint32_t* mask;
  __device__ int64_t operator()(Row row) const { return has_value(mask, row) ? values[row] : 0; }
};

// out[row] = functor(0) + ... + functor(row).
template <typename Functor, typename Sum>
void running_sum(const Functor& functor, Row rows, Sum* out, cuda::stream_ref stream,
                 rmm::device_async_resource_ref mr) {
  if (rows == 0) return;
  const auto in = thrust::make_transform_iterator(thrust::counting_iterator<Row>(0), functor);
  size_t scratch_bytes = 0;
  check_cuda(cub::DeviceScan::InclusiveSum(nullptr, scratch_bytes, in, out, rows, stream.get()));
  rmm::device_buffer scratch(scratch_bytes, stream, mr);
  check_cuda(cub::DeviceScan::InclusiveSum(scratch.data(), scratch_bytes, in, out, rows, stream.get()));
}

}  // namespace

void number_runs(const uint8_t* changed, Row rows, Row* numbers, cuda::stream_ref stream,
                 rmm::device_async_resource_ref mr) {
  // The first row begins the run 0, so the running sum is taken of the rows behind it.
  if (rows == 0) return;
  check_cuda(cudaMemsetAsync(numbers, 0, sizeof(Row), stream.get()));
  running_sum(IsSet{changed + 1}, rows - 1, numbers + 1, stream, mr);
}

void count_before(const uint32_t* mask, Row rows, Row* before, cuda::stream_ref stream,
                  rmm::device_async_resource_ref mr) {
  check_cuda(cudaMemsetAsync(before, 0, sizeof(Row), stream.get()));
  running_sum(HasValue{mask}, rows, before + 1, stream, mr);
}

void sum_before(const int64_t* values, const uint32_t* mask, Row rows, int64_t* totals, cuda::stream_ref stream,
                rmm::device_async_resource_ref mr) {
  check_cuda(cudaMemsetAsync(totals, 0, sizeof(int64_t), stream.get()));
  running_sum(ValueOrZero{values, mask}, rows, totals + 1, stream, mr);
}

}  // namespace weft::gpu::window
