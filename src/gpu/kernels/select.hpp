// The positions of the rows that a mask keeps.
#pragma once

#include <cstdint>

#include <cuda/stream_ref>
#include <cudf/types.hpp>
#include <rmm/device_uvector.hpp>
#include <rmm/resource_ref.hpp>

namespace weft::gpu::kernels {

/// The ascending positions i < rows with mask[i] != 0; there are exactly `selected` of them.
rmm::device_uvector<cudf::size_type> selected_rows(const uint8_t* mask, cudf::size_type rows, cudf::size_type selected,
                                                   cuda::stream_ref stream, rmm::device_async_resource_ref mr);

}  // namespace weft::gpu::kernels
