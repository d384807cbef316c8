#include "gpu/kernels/bad_page.hpp"

#include <algorithm>
#include <vector>

#include "gpu/kernels/aligned_words.cuh"
#include "gpu/kernels/bad_contents.hpp"
#include "gpu/kernels/device_copies.hpp"
#include "gpu/kernels/snappy_walk.hpp"
#include "gpu/kernels/zstd_walk.hpp"

namespace weft::gpu::kernels {
namespace {

constexpr uint32_t kLanes = 32;
constexpr uint32_t kWarps = 4;  // of a block
constexpr uint32_t kAllLanes = 0xffffffff;
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

__device__ void load_window(SnappyWindow& window, const uint8_t* base, const uint8_t* end, uint32_t lane) {
  for (uint32_t at = lane * 16; at < kSnappyWindowBytes; at += kLanes * 16) {
    const uint4 loaded = load_words(base + at, end);
    uint32_t* words = window.words + at / kSnappyRowBytes * kSnappyRowWords + at % kSnappyRowBytes / 4;
    words[0] = loaded.x;
    words[1] = loaded.y;
    words[2] = loaded.z;
    words[3] = loaded.w;
    if (at % kSnappyRowBytes == 0 && at > 0) words[-1] = loaded.x;  // the row before sees it too
  }
  if (lane == 0) window.words[kSnappyRows * kSnappyRowWords - 1] = load_words(base + kSnappyWindowBytes, end).x;
}

/// Called by a whole warp. snappy_host_walk.hpp does the same, lane by lane.
__device__ bool is_snappy(const StoredPage& page, SnappyWindow& window, uint32_t lane) {
  const uint8_t* const end = page.bytes + page.stored_bytes;
  const uint32_t* const row = window.words + lane * kSnappyRowWords;
  uint64_t produced = 0;
  uint32_t at = snappy_preamble(page.bytes, page.stored_bytes, page.page_bytes);
  if (at == 0) return false;
  while (at < page.stored_bytes) {
    const auto misaligned = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(page.bytes + at) % 16);
    const uint8_t* const base = page.bytes + at - misaligned;
    load_window(window, base, end, lane);
    __syncwarp();
    find_snappy_exits(row, window.exits + lane * kSnappyRowWords * 4);
    __syncwarp();
    const auto left = static_cast<uint32_t>(end - base);
    const uint32_t stop = min(left, kSnappyWindowBytes);
    uint32_t next = misaligned;
    uint32_t entry = kSnappyRowBytes;
    while (next < stop) {
      if (next / kSnappyRowBytes == lane) entry = next % kSnappyRowBytes;
      next = snappy_exit(window, next, stop);
    }
    if (next > left) return false;  // a tag that the page ends in
    const uint32_t row_begin = lane * kSnappyRowBytes;
    const SnappyRowSum sum = sum_snappy_row(row, entry, stop > row_begin ? min(stop - row_begin, kSnappyRowBytes) : 0);
    uint32_t through = sum.produced;
    for (uint32_t distance = 1; distance < kLanes; distance *= 2) {
      const uint32_t before = __shfl_up_sync(kAllLanes, through, distance);
      if (lane >= distance) through += before;
    }
    if (__any_sync(kAllLanes, sum.reach > produced + (through - sum.produced))) return false;
    produced += __shfl_sync(kAllLanes, through, kLanes - 1);
    if (produced > page.page_bytes) return false;
    at += next - misaligned;
    __syncwarp();  // the window is written again
  }
  return produced == page.page_bytes;
}

/// A warp a place.
__global__ void __launch_bounds__(kWarps* kLanes)
    check_pages_kernel(const StoredPage* pages, uint64_t places, unsigned long long* first_bad) {
  __shared__ SnappyWindow windows[kWarps];
  const uint32_t warp = threadIdx.x / kLanes;
  const uint32_t lane = threadIdx.x % kLanes;
  const uint64_t place = uint64_t{blockIdx.x} * kWarps + warp;
  if (place >= places) return;
  const StoredPage page = pages[place];
  if (page.kind < 0) return;  // no page is in this place
  bool good = true;
  if (page.codec == PageCodec::Snappy) {
    good = is_snappy(page, windows[warp], lane);
  } else if (page.codec == PageCodec::Zstd && lane == 0) {
    good = has_zstd_structure(page.bytes, page.stored_bytes, page.page_bytes);
  }
  if (!good && lane == 0) atomicMin(first_bad, static_cast<unsigned long long>(place));
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
    return chunk.codec == PageCodec::Snappy || chunk.codec == PageCodec::Zstd;
  };
  if (!std::any_of(pages.chunks.begin(), pages.chunks.end(), looks_into)) return std::nullopt;
  auto first_bad = to_device(std::span<const unsigned long long>(&kNoPage, 1), stream, mr);
  const uint64_t places = pages.first_places.back();
  check_pages_kernel<<<blocks_for(places), kWarps * kLanes, 0, stream.get()>>>(pages.pages, places, first_bad.data());
  check_cuda(cudaGetLastError());
  const uint64_t bad = to_host(first_bad, stream).front();
  if (bad == kNoPage) return std::nullopt;
  return BadPlace{bad, PageProblem::Compressed};
}

}  // namespace

std::optional<BadPage> find_bad_page(std::span<const ChunkToWalk> chunks, cuda::stream_ref stream,
                                     rmm::device_async_resource_ref mr) {
  if (chunks.empty()) return std::nullopt;
  const auto on_device = to_device(chunks, stream, mr);
  rmm::device_uvector<WalkedChunk> walked_on_device(chunks.size(), stream, mr);
  std::vector<WalkedChunk> walked;
  while (true) {
    const std::vector<uint64_t> first_places = lay_out(chunks, walked);
    const auto first_places_on_device = to_device(std::span<const uint64_t>(first_places), stream, mr);
    rmm::device_uvector<StoredPage> pages(first_places.back(), stream, mr);
    check_cuda(cudaMemsetAsync(pages.data(), 0xff, pages.size() * sizeof(StoredPage), stream.get()));  // the kind -1
    walk_chunks_kernel<<<blocks_for(chunks.size()), kWarps * kLanes, 0, stream.get()>>>(
        on_device.data(), first_places_on_device.data(), static_cast<uint32_t>(chunks.size()), pages.data(),
        walked_on_device.data());
    check_cuda(cudaGetLastError());
    walked = to_host(walked_on_device, stream);
    for (size_t i = 0; i < chunks.size(); ++i) {
      const ChunkWalk& walk = walked[i].walk;
      if (walk.problem != PageProblem::None) return BadPage{i, std::max<uint64_t>(walk.pages, 1) - 1, walk.problem};
    }
    if (!have_places(walked, first_places)) continue;
    if (first_places.back() == 0) return std::nullopt;
    const WalkedPages all{chunks, walked, first_places, on_device.data(), first_places_on_device.data(), pages.data()};
    auto bad = find_bad_stream(all, stream, mr);
    if (!bad) bad = find_bad_contents(all, stream, mr);
    if (!bad) return std::nullopt;
    const auto after = std::upper_bound(first_places.begin(), first_places.end(), bad->place);
    const auto chunk = static_cast<size_t>(after - first_places.begin()) - 1;
    return BadPage{chunk, bad->place - first_places[chunk], bad->problem};
  }
}

}  // namespace weft::gpu::kernels
