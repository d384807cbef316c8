// Finds pages whose contents libcudf's decoder must not see: page_contents.hpp, over many chunks at once.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include <cuda/stream_ref>
#include <rmm/resource_ref.hpp>

#include "gpu/kernels/page_contents.hpp"

namespace weft::gpu::kernels {

constexpr uint64_t kNoBadPage = ~uint64_t{0};

/// What is known of the pages of chunks whose headers were walked. Page n of chunk i has place first_places[i] + n;
/// places that have no page have the kind -1.
struct WalkedPages {
  std::span<const ChunkToWalk> chunks;
  std::span<const WalkedChunk> walked;
  std::span<const uint64_t> first_places;  // chunks.size() + 1
  const ChunkToWalk* chunks_on_device = nullptr;
  const uint64_t* first_places_on_device = nullptr;
  const StoredPage* pages = nullptr;  // on the device
};

struct BadPlace {
  uint64_t place = 0;
  PageProblem problem = PageProblem::None;
};

/// The first bad page, or nothing. Pages that are compressed and looked at are decompressed by libcudf's decompressors,
/// into memory of 256 MiB or the largest chunk's pages, if that is more: their streams must be sound as far as
/// bad_page.cu can tell. Synchronizes the stream.
std::optional<BadPlace> find_bad_contents(const WalkedPages& pages, cuda::stream_ref stream,
                                          rmm::device_async_resource_ref mr);

}  // namespace weft::gpu::kernels
