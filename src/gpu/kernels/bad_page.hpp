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

/// Walks the page headers of all chunks, of zstd chunks the pages' structure (zstd_walk.hpp), of LZ4
/// chunks the pages' sequences (lz4_walk.hpp), then what is in the pages
/// (bad_contents.hpp). Gives the first chunk whose headers are bad, else the first page whose compressed bytes are,
/// else the first page whose contents are, else nothing. The chunks' bytes are device memory, each in an allocation
/// that begins at a multiple of 16 bytes (the walk reads aligned words, up to 15 bytes before a page but none behind
/// its chunk). `pages` gets how many pages each chunk has. Streams of codec SNAPPY are not looked at: expand_pages.hpp
/// does that. Synchronizes the stream.
std::optional<BadPage> find_bad_page(std::span<const ChunkToWalk> chunks, std::vector<uint64_t>& pages,
                                     cuda::stream_ref stream, rmm::device_async_resource_ref mr);

}  // namespace weft::gpu::kernels
