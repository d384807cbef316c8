#include "gpu/kernels/bad_page.hpp"

#include <algorithm>
#include <vector>

#include "gpu/kernels/bad_contents.hpp"
#include "gpu/kernels/lz4_walk.hpp"
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

/// A warp a chunk: walks of neighbours in one warp would wait for each other. first_places has count + 1 entries.
__global__ void walk_chunks_kernel(const ChunkToWalk* chunks, const uint64_t* first_places, uint32_t count,
                                   StoredPage* pages, WalkedChunk* walked) {
  const uint32_t number = blockIdx.x * kWarps + threadIdx.x / kLanes;
  if (number >= count || threadIdx.x % kLanes != 0) return;
  const ChunkToWalk chunk = chunks[number];
  StoredPage* const first = pages + first_places[number];
  const uint64_t places = first_places[number + 1] - first_places[number];
  ChunkScratch scratch;
  const ChunkWalk walk = walk_pages(chunk, [&](uint64_t page_number, StoredPage page) {
    page.chunk = number;
    place_in_scratch(chunk, page, scratch);
    if (page_number < places) first[page_number] = page;
  });
  walked[number] = {walk, scratch};
}

/// A warp a place: the walks of neighbours in one warp would wait for each other.
__global__ void check_streams_kernel(const StoredPage* pages, uint64_t places, unsigned long long* first_bad) {
  const uint64_t place = uint64_t{blockIdx.x} * kWarps + threadIdx.x / kLanes;
  if (place >= places || threadIdx.x % kLanes != 0) return;
  const StoredPage page = pages[place];
  if (page.kind < 0) return;  // no page is in this place
  bool good = true;
  if (page.codec == PageCodec::Zstd) good = has_zstd_structure(page.bytes, page.stored_bytes, page.page_bytes);
  if (page.codec == PageCodec::Lz4) good = is_lz4_block(page.bytes, page.stored_bytes, page.page_bytes);
  if (!good) atomicMin(first_bad, static_cast<unsigned long long>(place));
}

uint32_t blocks_for(uint64_t warps) { return static_cast<uint32_t>((warps + kWarps - 1) / kWarps); }

/// The places of pages: by the chunk's size, or as many as its walk has found.
std::vector<uint64_t> lay_out(std::span<const ChunkToWalk> chunks, const std::vector<WalkedChunk>& walked) {
  std::vector<uint64_t> first_places = {0};
  for (size_t i = 0; i < chunks.size(); ++i) {
    const uint64_t pages = walked.empty() ? chunks[i].size_bytes / kBytesAPage + kLeastPages : walked[i].walk.pages;
    first_places.push_back(first_places.back() + pages);
  }
  return first_places;
}

bool have_places(const std::vector<WalkedChunk>& walked, const std::vector<uint64_t>& first_places) {
  for (size_t i = 0; i < walked.size(); ++i) {
    if (walked[i].walk.pages > first_places[i + 1] - first_places[i]) return false;
  }
  return true;
}

/// The first page whose compressed bytes are bad.
std::optional<BadPlace> find_bad_stream(const WalkedPages& pages, cuda::stream_ref stream,
                                        rmm::device_async_resource_ref mr) {
  const auto looks_into = [](const ChunkToWalk& chunk) {
    return chunk.codec == PageCodec::Zstd || chunk.codec == PageCodec::Lz4;
  };
  if (!std::any_of(pages.chunks.begin(), pages.chunks.end(), looks_into)) return std::nullopt;
  auto first_bad = to_device(std::span<const unsigned long long>(&kNoPage, 1), stream, mr);
  const uint64_t places = pages.first_places.back();
  check_streams_kernel<<<blocks_for(places), kWarps * kLanes, 0, stream.get()>>>(pages.pages, places, first_bad.data());
  check_cuda(cudaGetLastError());
  const uint64_t bad = to_host(first_bad, stream).front();
  if (bad == kNoPage) return std::nullopt;
  return BadPlace{bad, PageProblem::Compressed};
}

}  // namespace

std::optional<BadPage> find_bad_page(std::span<const ChunkToWalk> chunks, std::vector<uint64_t>& pages,
                                     cuda::stream_ref stream, rmm::device_async_resource_ref mr) {
  pages.clear();
  if (chunks.empty()) return std::nullopt;
  const auto on_device = to_device(chunks, stream, mr);
  rmm::device_uvector<WalkedChunk> walked_on_device(chunks.size(), stream, mr);
  std::vector<WalkedChunk> walked;
  while (true) {
    const std::vector<uint64_t> first_places = lay_out(chunks, walked);
    const auto first_places_on_device = to_device(std::span<const uint64_t>(first_places), stream, mr);
    rmm::device_uvector<StoredPage> stored(first_places.back(), stream, mr);
    check_cuda(cudaMemsetAsync(stored.data(), 0xff, stored.size() * sizeof(StoredPage), stream.get()));  // the kind -1
    walk_chunks_kernel<<<blocks_for(chunks.size()), kWarps * kLanes, 0, stream.get()>>>(
        on_device.data(), first_places_on_device.data(), static_cast<uint32_t>(chunks.size()), stored.data(),
        walked_on_device.data());
    check_cuda(cudaGetLastError());
    walked = to_host(walked_on_device, stream);
    for (size_t i = 0; i < chunks.size(); ++i) {
      const ChunkWalk& walk = walked[i].walk;
      if (walk.problem != PageProblem::None) return BadPage{i, std::max<uint64_t>(walk.pages, 1) - 1, walk.problem};
    }
    if (!have_places(walked, first_places)) continue;
    for (const WalkedChunk& chunk : walked) pages.push_back(chunk.walk.pages);
    if (first_places.back() == 0) return std::nullopt;
    const WalkedPages all{chunks, walked, first_places, on_device.data(), first_places_on_device.data(), stored.data()};
    auto bad = find_bad_stream(all, stream, mr);
    if (!bad) bad = find_bad_contents(all, stream, mr);
    if (!bad) return std::nullopt;
    const auto after = std::upper_bound(first_places.begin(), first_places.end(), bad->place);
    const auto chunk = static_cast<size_t>(after - first_places.begin()) - 1;
    return BadPage{chunk, bad->place - first_places[chunk], bad->problem};
  }
}

}  // namespace weft::gpu::kernels
