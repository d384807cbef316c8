// Kernels of the joins. All are launched on `stream` and do not synchronize.
#pragma once

#include <cstdint>

#include <cuda/stream_ref>
#include <cudf/types.hpp>

namespace weft::gpu {

/// marks[rows[i]] = 1. Many tasks may mark the same bytes at once: each stores the same value.
void mark_rows(uint8_t* marks, const cudf::size_type* rows, cudf::size_type count, cuda::stream_ref stream);

/// Pairs [first, first + count) of the product of `left` x `right` rows, the right row changing fastest:
/// left_rows[i] = (first + i) / right, right_rows[i] = (first + i) % right.
void product_rows(int64_t first, cudf::size_type count, cudf::size_type right, cudf::size_type* left_rows,
                  cudf::size_type* right_rows, cuda::stream_ref stream);

}  // namespace weft::gpu
