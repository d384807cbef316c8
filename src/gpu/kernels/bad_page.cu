#include "gpu/kernels/bad_page.hpp"

#include <algorithm>
#include <rmm/device_uvector.hpp>
#include <vector>

#include "gpu/exec/cuda_check.hpp"
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

/// 16 bytes at a multiple of 16; zeros for those from `end` on.
__device__ uint4 load_words(const uint8_t* from, const uint8_t* end) {
  if (end - from >= 16) return *reinterpret_cast<const uint4*>(from);
  uint32_t words[4] = {0, 0, 0, 0};
  for (int i = 0; i < end - from; ++i) words[i / 4] |= uint32_t{from[i]} << (i % 4 * 8);
  return {words[0], words[1], words[2], words[3]};
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
  if (page.stored_bytes == 0) return;  // no page is in this place
  bool good = true;
  if (page.codec == PageCodec::Snappy) {
    good = is_snappy(page, windows[warp], lane);
  } else if (lane == 0) {
    good = has_zstd_structure(page.bytes, page.stored_bytes, page.page_bytes);
  }
  if (!good && lane == 0) atomicMin(first_bad, static_cast<unsigned long long>(place));
}

bool looks_into(const ChunkToWalk& chunk) { return chunk.codec == PageCodec::Snappy || chunk.codec == PageCodec::Zstd; }

uint32_t blocks_for(uint64_t warps) { return static_cast<uint32_t>((warps + kWarps - 1) / kWarps); }

template <typename T>
rmm::device_uvector<T> to_device(std::span<const T> values, cuda::stream_ref stream,
                                 rmm::device_async_resource_ref mr) {
  rmm::device_uvector<T> copy(values.size(), stream, mr);
  check_cuda(cudaMemcpyAsync(copy.data(), values.data(), values.size_bytes(), cudaMemcpyHostToDevice, stream.get()));
  return copy;
}

template <typename T>
std::vector<T> to_host(const rmm::device_uvector<T>& values, cuda::stream_ref stream) {
  std::vector<T> copy(values.size());
  check_cuda(
      cudaMemcpyAsync(copy.data(), values.data(), copy.size() * sizeof(T), cudaMemcpyDeviceToHost, stream.get()));
  check_cuda(cudaStreamSynchronize(stream.get()));
  return copy;
}

}  // namespace

std::optional<BadPage> find_bad_page(std::span<const ChunkToWalk> chunks, cuda::stream_ref stream,
                                     rmm::device_async_resource_ref mr) {
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
    rmm::device_uvector<StoredPage> pages(places, stream, mr);
    check_cuda(cudaMemsetAsync(pages.data(), 0, places * sizeof(StoredPage), stream.get()));
    walk_chunks_kernel<<<blocks_for(chunks.size()), kWarps * kLanes, 0, stream.get()>>>(
        on_device.data(), first_places_on_device.data(), static_cast<uint32_t>(chunks.size()), pages.data(),
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
    check_pages_kernel<<<blocks_for(places), kWarps * kLanes, 0, stream.get()>>>(pages.data(), places,
                                                                                 first_bad.data());
    check_cuda(cudaGetLastError());
    const uint64_t bad = to_host(first_bad, stream).front();
    if (bad == kNoPage) continue;
    const auto after = std::upper_bound(first_places.begin(), first_places.end(), bad);
    const auto chunk = static_cast<size_t>(after - first_places.begin()) - 1;
    return BadPage{chunk, bad - first_places[chunk], PageProblem::Compressed};
  }
  return std::nullopt;
}

}  // namespace weft::gpu::kernels
