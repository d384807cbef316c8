// Column chunks whose large pages of PLAIN texts become many small ones.
//
// PLAIN texts have their lengths between them, so a decoder follows them one after the other; libcudf's gives a page to
// a block, which takes it 0.2 microseconds a text, twice: 50 ms for a page of DuckDB's, of 122,880. Here a warp finds
// the places of every 2048th once, in shared memory, and the page is written again as pages that begin there.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <cuda/stream_ref>
#include <rmm/device_buffer.hpp>
#include <rmm/resource_ref.hpp>

#include "gpu/kernels/page_walk.hpp"

namespace weft::gpu::kernels {

struct CutChunks {
  std::vector<size_t> chunks;     // the numbers of those that have pages that were cut, in their order
  rmm::device_buffer bytes;       // they, one behind the other
  std::vector<uint64_t> offsets;  // of each in `bytes`, and behind the last one where it ends
};

/// The chunks are of codec NONE and type BYTE_ARRAY, their bytes in device memory as expand_snappy_chunks has them,
/// and have been checked (page_contents.hpp); `pages` says how many each has. A chunk that is not as it should be is
/// left as it is. Synchronizes the stream; the result was allocated on it.
CutChunks cut_text_pages(std::span<const ChunkToWalk> chunks, std::span<const uint64_t> pages, cuda::stream_ref stream,
                         rmm::device_async_resource_ref mr);

}  // namespace weft::gpu::kernels
