#include "gpu/kernels/bad_page.hpp"

#include <algorithm>

#include "gpu/exec/cuda_check.hpp"
#include "gpu/kernels/transfers.hpp"
#include "gpu/kernels/zstd_walk.hpp"

namespace weft::gpu::kernels {
namespace {

constexpr uint32_t kLanes = 32;
constexpr uint32_t kWarps = 4;  // of a block
constexpr unsigned long long kNoPage = ~0ULL;
/// Places for pages are laid out before the pages are counted: DuckDB and most writers make pages of a megabyte. A
/// chunk with more pages than places has its walk done again with enough of them.
constexpr uint64_t kBytesAPage = 16 << 10;
constexpr uint64_t kLeastPages = 8;

struct WritePage {
  StoredPage* pages;
  uint64_t places;
  WEFT_HOST_DEVICE void operator()(uint64_t number, const StoredPage& page) const {
    if (number < places) pages[number] = page;
  }
};

/// A warp a chunk: walks of neighbours in one warp would wait for each other. first_places has count + 1 entries.
__global__ void walk_chunks_kernel(const ChunkToWalk* chunks, const uint64_t* first_places, uint32_t count,
                                   StoredPage* pages, ChunkWalk* walks) {
  const uint32_t chunk = blockIdx.x * kWarps + threadIdx.x / kLanes;
  if (chunk >= count || threadIdx.x % kLanes != 0) return;
  const uint64_t first = first_places[chunk];
  walks[chunk] = walk_pages(chunks[chunk], WritePage{pages + first, first_places[chunk + 1] - first});
}

/// A warp a place: the walks of neighbours in one warp would wait for each other.
__global__ void check_pages_kernel(const StoredPage* pages, uint64_t places, unsigned long long* first_bad) {
  const uint64_t place = uint64_t{blockIdx.x} * kWarps + threadIdx.x / kLanes;
  if (place >= places || threadIdx.x % kLanes != 0) return;
  const StoredPage page = pages[place];
  if (page.stored_bytes == 0) return;  // no page is in this place
  if (!has_zstd_structure(page.bytes, page.stored_bytes, page.page_bytes)) {
    atomicMin(first_bad, static_cast<unsigned long long>(place));
  }
}

bool looks_into(const ChunkToWalk& chunk) { return chunk.codec == PageCodec::Zstd; }

uint32_t blocks_for(uint64_t warps) { return static_cast<uint32_t>((warps + kWarps - 1) / kWarps); }

}  // namespace

std::optional<BadPage> find_bad_page(std::span<const ChunkToWalk> chunks, std::vector<uint64_t>& pages,
                                     cuda::stream_ref stream, rmm::device_async_resource_ref mr) {
  pages.clear();
  if (chunks.empty()) return std::nullopt;
  const auto on_device = to_device(chunks, stream, mr);
  rmm::device_uvector<ChunkWalk> walks_on_device(chunks.size(), stream, mr);
  std::vector<ChunkWalk> walks;
  for (bool enough = false; !enough;) {
    std::vector<uint64_t> first_places = {0};
    for (size_t i = 0; i < chunks.size(); ++i) {
      const uint64_t pages = walks.empty() ? chunks[i].size_bytes / kBytesAPage + kLeastPages : walks[i].pages;
      first_places.push_back(first_places.back() + (looks_into(chunks[i]) ? pages : 0));
    }
    const uint64_t places = first_places.back();
    const auto first_places_on_device = to_device(std::span<const uint64_t>(first_places), stream, mr);
    rmm::device_uvector<StoredPage> stored(places, stream, mr);
    check_cuda(cudaMemsetAsync(stored.data(), 0, places * sizeof(StoredPage), stream.get()));
    walk_chunks_kernel<<<blocks_for(chunks.size()), kWarps * kLanes, 0, stream.get()>>>(
        on_device.data(), first_places_on_device.data(), static_cast<uint32_t>(chunks.size()), stored.data(),
        walks_on_device.data());
    check_cuda(cudaGetLastError());
    walks = to_host(walks_on_device, stream);
    enough = true;
    for (size_t i = 0; i < chunks.size(); ++i) {
      if (walks[i].problem != PageProblem::None) {
        return BadPage{i, std::max<uint64_t>(walks[i].pages, 1) - 1, walks[i].problem};
      }
      if (looks_into(chunks[i]) && walks[i].pages > first_places[i + 1] - first_places[i]) enough = false;
    }
    if (!enough || places == 0) continue;
    auto first_bad = to_device(std::span<const unsigned long long>(&kNoPage, 1), stream, mr);
    check_pages_kernel<<<blocks_for(places), kWarps * kLanes, 0, stream.get()>>>(stored.data(), places,
                                                                                 first_bad.data());
    check_cuda(cudaGetLastError());
    const uint64_t bad = to_host(first_bad, stream).front();
    if (bad == kNoPage) continue;
    const auto after = std::upper_bound(first_places.begin(), first_places.end(), bad);
    const auto chunk = static_cast<size_t>(after - first_places.begin()) - 1;
    return BadPage{chunk, bad - first_places[chunk], PageProblem::Compressed};
  }
  for (const ChunkWalk& walk : walks) pages.push_back(walk.pages);
  return std::nullopt;
}

}  // namespace weft::gpu::kernels
