// Finds stored pages that a decompressor or decoder must not see.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <cuda/stream_ref>
#include <rmm/resource_ref.hpp>

#include "gpu/kernels/page_walk.hpp"

namespace weft::gpu::kernels {

struct BadPage {
  size_t chunk = 0;  // position in the list
  uint64_t page = 0;
  PageProblem problem = PageProblem::None;
};

/// Walks the page headers of all chunks, and of zstd chunks the pages' structure (zstd_walk.hpp). Gives the first chunk
/// whose headers are bad, else the first page whose compressed bytes are, else nothing. The chunks' bytes are device
/// memory. `pages` gets how many pages each chunk has. Synchronizes the stream.
std::optional<BadPage> find_bad_page(std::span<const ChunkToWalk> chunks, std::vector<uint64_t>& pages,
                                     cuda::stream_ref stream, rmm::device_async_resource_ref mr);

}  // namespace weft::gpu::kernels
