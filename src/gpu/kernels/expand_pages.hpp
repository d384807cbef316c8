// Stored column chunks of codec SNAPPY as the same chunks of codec UNCOMPRESSED.
//
// nvCOMP's snappy decompressor gives a page to a warp and takes its tags one after the other: a page of DuckDB's, a
// whole column of 122,880 rows, takes it tens of milliseconds. Here a block of threads shares a page of up to 64 KB; a
// larger one is split into the fragments that compressors make, for a block each (snappy_walk.hpp, snappy_expand.hpp).
// A damaged stream is noticed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <cuda/stream_ref>
#include <rmm/device_buffer.hpp>
#include <rmm/resource_ref.hpp>

#include "gpu/kernels/bad_page.hpp"

namespace weft::gpu::kernels {

struct ExpandedChunks {
  rmm::device_buffer bytes;
  /// Where in `bytes` each chunk begins, and behind the last one where it ends: the chunks lie one behind the other.
  std::vector<uint64_t> offsets;
  std::vector<uint64_t> pages;  // how many each chunk has
  std::optional<BadPage> bad;   // if set, the bytes mean nothing
};

/// Every page has its header with the stored size changed, and behind it the bytes that were compressed. The chunks'
/// bytes are device memory, each in an allocation that begins at a multiple of 16 bytes (aligned words are read, up to
/// 15 bytes before a page but none behind its chunk). Headers are checked as find_bad_page checks them. Synchronizes
/// the stream; the result was allocated on it.
ExpandedChunks expand_snappy_chunks(std::span<const ChunkToWalk> chunks, cuda::stream_ref stream,
                                    rmm::device_async_resource_ref mr);

}  // namespace weft::gpu::kernels
