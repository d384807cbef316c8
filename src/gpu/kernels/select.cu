#include "gpu/kernels/select.hpp"

#include <thrust/iterator/counting_iterator.h>
#include <cub/device/device_select.cuh>
#include <rmm/device_buffer.hpp>

#include "gpu/exec/cuda_check.hpp"

namespace weft::gpu::kernels {

rmm::device_uvector<cudf::size_type> selected_rows(const uint8_t* mask, cudf::size_type rows, cudf::size_type selected,
                                                   cuda::stream_ref stream, rmm::device_async_resource_ref mr) {
  rmm::device_uvector<cudf::size_type> positions(static_cast<size_t>(selected), stream, mr);
  rmm::device_uvector<cudf::size_type> found(1, stream, mr);
  const thrust::counting_iterator<cudf::size_type> numbers(0);
  size_t scratch_bytes = 0;
  const auto run = [&](void* scratch) {
    return cub::DeviceSelect::Flagged(scratch, scratch_bytes, numbers, mask, positions.data(), found.data(), rows,
                                      stream.get());
  };
  check_cuda(run(nullptr));
  rmm::device_buffer scratch(scratch_bytes, stream, mr);
  check_cuda(run(scratch.data()));
  return positions;
}

}  // namespace weft::gpu::kernels
