// Kernels of windows: runs the functors of window_*.hpp for every row, and running totals. All are launched on `stream`
// and do not synchronize unless said so.
#pragma once

#include <cstdint>

#include <cuda/stream_ref>
#include <rmm/device_uvector.hpp>
#include <rmm/resource_ref.hpp>

#include "gpu/kernels/window_rows.hpp"

namespace weft::gpu::window {

/// functor(row) for 0 <= row < rows. Instantiated in window_kernels*.cu for each functor that is used.
template <typename Functor>
void for_each_row(const Functor& functor, Row rows, cuda::stream_ref stream);

/// As for_each_row; what the functor gives becomes the row's bit. `mask` has room for whole words.
template <typename Functor>
void for_each_row_masked(const Functor& functor, Row rows, uint32_t* mask, cuda::stream_ref stream);

/// numbers[row]: how many of changed[0..row] are not 0, less one.
void number_runs(const uint8_t* changed, Row rows, Row* numbers, cuda::stream_ref stream,
                 rmm::device_async_resource_ref mr);

/// before[row]: the rows ahead of `row` that have a value, for 0 <= row <= rows.
void count_before(const uint32_t* mask, Row rows, Row* before, cuda::stream_ref stream,
                  rmm::device_async_resource_ref mr);

/// totals[row]: the sum of the values ahead of `row`, for 0 <= row <= rows; a row without one adds 0. Must fit.
void sum_before(const int64_t* values, const uint32_t* mask, Row rows, int64_t* totals, cuda::stream_ref stream,
                rmm::device_async_resource_ref mr);

}  // namespace weft::gpu::window
