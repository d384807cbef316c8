#include "gpu/kernels/expand_pages.hpp"

#include <algorithm>

#include "gpu/exec/cuda_check.hpp"
#include "gpu/kernels/snappy_expand.hpp"
#include "gpu/kernels/transfers.hpp"

namespace weft::gpu::kernels {
namespace {

constexpr uint32_t kLanes = 32;
constexpr uint32_t kWarps = 4;              // of a block that walks chunks, a chunk a warp
constexpr uint32_t kThreads = kSnappyRows;  // of a block that expands a page
constexpr uint32_t kAllLanes = 0xffffffff;
constexpr unsigned long long kNoPage = ~0ULL;
constexpr uint64_t kReadBehind = 4;  // bytes that are read, not used, behind those that were written
constexpr uint32_t kSizeBytes = 5;   // a page's stored size takes at most so many
/// Places for pages are laid out before the pages are counted. A chunk with more pages than places has its walk done
/// again with enough of them.
constexpr uint64_t kBytesAPage = 16 << 10;
constexpr uint64_t kLeastPages = 8;

struct PageToExpand {
  const uint8_t* header = nullptr;
  uint32_t header_bytes = 0;
  uint32_t size_at = 0;      // in the header: the stored size
  uint32_t size_end = 0;     // and behind it
  uint32_t plain_bytes = 0;  // of the content, in front: levels of a v2 page, or everything
  StoredPage compressed;     // what is behind them; of no bytes if nothing is
  uint64_t target = 0;       // in the expanded chunk
};

struct ExpandWalk {
  ChunkWalk walk;
  uint64_t bytes = 0;  // of the expanded chunk
};

/// The size as Thrift writes an I32; gives how many bytes it takes.
__device__ uint32_t write_size(uint32_t size, uint8_t* to) {
  uint64_t zigzag = uint64_t{size} << 1;
  uint32_t bytes = 0;
  for (; zigzag > 0x7f; zigzag >>= 7) to[bytes++] = static_cast<uint8_t>(zigzag | 0x80);
  to[bytes++] = static_cast<uint8_t>(zigzag);
  return bytes;
}

__device__ uint32_t expanded_header_bytes(const PageToExpand& page) {
  uint8_t size[kSizeBytes];
  return page.header_bytes - (page.size_end - page.size_at) +
         write_size(page.plain_bytes + page.compressed.page_bytes, size);
}

/// A warp a chunk: walks of neighbours in one warp would wait for each other. first_places has count + 1 entries.
__global__ void walk_kernel(const ChunkToWalk* chunks, const uint64_t* first_places, uint32_t count,
                            PageToExpand* pages, ExpandWalk* walks) {
  const uint32_t chunk = blockIdx.x * kWarps + threadIdx.x / kLanes;
  if (chunk >= count || threadIdx.x % kLanes != 0) return;
  const uint64_t first = first_places[chunk];
  const uint64_t places = first_places[chunk + 1] - first;
  ExpandWalk result;
  result.walk = visit_pages(
      chunks[chunk], [&](uint64_t number, const uint8_t* header_at, const PageHeader& header, const uint8_t* content) {
        PageToExpand page;
        page.header = header_at;
        page.header_bytes = static_cast<uint32_t>(content - header_at);
        page.size_at = static_cast<uint32_t>(header.stored_bytes_at - header_at);
        page.size_end = static_cast<uint32_t>(header.stored_bytes_end - header_at);
        page.compressed = compressed_part(chunks[chunk].codec, header, content);
        page.plain_bytes = static_cast<uint32_t>(header.stored_bytes) - page.compressed.stored_bytes;
        page.target = result.bytes;
        result.bytes += expanded_header_bytes(page) + uint64_t{page.plain_bytes} + page.compressed.page_bytes;
        if (number < places) pages[first + number] = page;
      });
  walks[chunk] = result;
}

/// 16 bytes at a multiple of 16; zeros for those from `end` on.
__device__ uint4 load_words(const uint8_t* from, const uint8_t* end) {
  if (end - from >= 16) return *reinterpret_cast<const uint4*>(from);
  uint32_t words[4] = {0, 0, 0, 0};
  for (int i = 0; i < end - from; ++i) words[i / 4] |= uint32_t{from[i]} << (i % 4 * 8);
  return {words[0], words[1], words[2], words[3]};
}

/// Called by a whole block. `base` is a multiple of 16.
__device__ void load_window(SnappyWindow& window, const uint8_t* base, const uint8_t* end) {
  const uint32_t at = threadIdx.x * 16;
  if (at < sizeof(window.bytes)) *reinterpret_cast<uint4*>(window.bytes + at) = load_words(base + at, end);
}

/// Called by a whole block, a row a thread: sums of the rows before this thread's; and of all rows, in `all`.
__device__ SnappyRowSum sum_rows_before(const SnappyRowSum& own, SnappyRowSum& all) {
  __shared__ SnappyRowSum warp_sums[kThreads / kLanes];
  const uint32_t lane = threadIdx.x % kLanes;
  const uint32_t warp = threadIdx.x / kLanes;
  SnappyRowSum through = own;
  for (uint32_t distance = 1; distance < kLanes; distance *= 2) {
    const uint32_t produced = __shfl_up_sync(kAllLanes, through.produced, distance);
    const uint32_t tags = __shfl_up_sync(kAllLanes, through.tags, distance);
    if (lane >= distance) {
      through.produced += produced;
      through.tags += tags;
    }
  }
  if (lane == kLanes - 1) warp_sums[warp] = through;
  __syncthreads();
  SnappyRowSum before{through.tags - own.tags, through.produced - own.produced, 0};
  all = {};
  for (uint32_t w = 0; w < kThreads / kLanes; ++w) {
    const SnappyRowSum sum = warp_sums[w];
    if (w < warp) {
      before.tags += sum.tags;
      before.produced += sum.produced;
    }
    all.tags += sum.tags;
    all.produced += sum.produced;
  }
  return before;
}

/// Called by a whole block: from shared memory that can be read four bytes farther, in words of the target.
__device__ void write_bytes(const uint8_t* from, uint32_t bytes, uint8_t* to) {
  const uint32_t before = min(static_cast<uint32_t>(-reinterpret_cast<uintptr_t>(to) % 4), bytes);
  const uint32_t words = (bytes - before) / 4;
  const uint32_t behind = before + words * 4;
  if (threadIdx.x < before) to[threadIdx.x] = from[threadIdx.x];
  for (uint32_t i = threadIdx.x; i < words; i += kThreads) {
    reinterpret_cast<uint32_t*>(to + before)[i] = four_bytes(from + before + 4 * i);
  }
  if (threadIdx.x < bytes - behind) to[behind + threadIdx.x] = from[behind + threadIdx.x];
}

/// Called by a whole block: the window's output.
__device__ void expand_window(const SnappyWork& work, uint32_t produced, uint8_t* made, SnappySlice& slice) {
  const uint32_t begin = threadIdx.x * kSnappyRunBytes;
  for (uint32_t slice_at = 0; slice_at < produced; slice_at += kSnappySliceBytes) {
    const uint32_t bytes = min(produced - slice_at, kSnappySliceBytes);
    bool linked = begin_snappy_run(work, slice_at, begin, bytes, slice);
    if (__syncthreads_or(linked)) {
      do {
        linked = begin < bytes && follow_snappy_links(slice, begin);
      } while (__syncthreads_or(linked));
      if (begin < bytes) take_snappy_values(slice, begin);
      __syncthreads();
    }
    write_bytes(slice.values, bytes, made + slice_at);
    __syncthreads();  // the next slice reads this one, and writes over it
  }
}

/// Called by a whole block; snappy_host_expand.hpp does the same, thread by thread. False if the stream is damaged.
__device__ bool expand_snappy(const StoredPage& page, uint8_t* to) {
  __shared__ SnappyWindow window;
  __shared__ SnappyTags tags;
  __shared__ SnappySlice slice;
  __shared__ uint32_t window_next;
  const uint32_t row = threadIdx.x;
  const uint8_t* const end = page.bytes + page.stored_bytes;
  uint32_t produced = 0;
  uint32_t at = snappy_preamble(page.bytes, page.stored_bytes, page.page_bytes);
  if (at == 0) return false;
  while (at < page.stored_bytes) {
    const auto first = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(page.bytes + at) % 16);
    const uint8_t* const base = page.bytes + at - first;
    load_window(window, base, end);
    __syncthreads();
    find_snappy_row_exits(window, row);
    for (uint32_t round = 0; round < kSnappyBandRounds; ++round) {
      __syncthreads();
      follow_snappy_row_exits(window, row);
    }
    __syncthreads();
    const auto left = static_cast<uint32_t>(end - base);
    const uint32_t stop = min(left, kSnappyWindowBytes);
    if (row == 0) window_next = enter_snappy_bands(window, first, stop);
    __syncthreads();
    const uint32_t next = window_next;
    if (next > left) return false;  // a tag that the stream ends in
    const uint32_t entry = snappy_row_entry(window, row, stop);
    const SnappyRowSum own = sum_snappy_row(window, row, entry, stop);
    SnappyRowSum all;
    const SnappyRowSum before = sum_rows_before(own, all);
    if (__syncthreads_or(own.reach > produced + before.produced) || all.produced > page.page_bytes - produced) {
      return false;
    }
    write_snappy_tags(window, row, entry, stop, at - first, before.tags, before.produced, tags);
    if (row == 0) tags.starts[all.tags] = all.produced;
    __syncthreads();
    uint8_t* const made = to + produced;
    expand_window({window, tags, all.tags, page.bytes, page.stored_bytes, at - first, made}, all.produced, made, slice);
    produced += all.produced;
    at += next - first;
    __syncthreads();  // the window is written again
  }
  return produced == page.page_bytes;
}

__device__ void copy_bytes(const uint8_t* from, uint32_t bytes, uint8_t* to) {
  for (uint32_t i = threadIdx.x; i < bytes; i += blockDim.x) to[i] = from[i];
}

struct ExpandJob {
  const PageToExpand* pages;
  const uint64_t* first_places;  // of each chunk
  const uint64_t* first_pages;   // number of the chunk's first page among all pages
  const uint64_t* offsets;       // of the expanded chunks
  uint32_t chunks;
  uint8_t* out;
  unsigned long long* first_bad;
};

/// A block a page.
__global__ void __launch_bounds__(kThreads) expand_kernel(const ExpandJob job) {
  const uint64_t number = blockIdx.x;
  uint32_t chunk = 0;
  for (uint32_t count = job.chunks; count > 1;) {
    const uint32_t half = count / 2;
    if (job.first_pages[chunk + half] <= number) chunk += half;
    count -= half;
  }
  const PageToExpand page = job.pages[job.first_places[chunk] + (number - job.first_pages[chunk])];
  uint8_t* to = job.out + job.offsets[chunk] + page.target;
  copy_bytes(page.header, page.size_at, to);
  to += page.size_at;
  uint8_t size[kSizeBytes];
  const uint32_t size_bytes = write_size(page.plain_bytes + page.compressed.page_bytes, size);
  if (threadIdx.x < size_bytes) to[threadIdx.x] = size[threadIdx.x];
  to += size_bytes;
  // The rest of the header, and the content as far as it is not compressed.
  const uint32_t rest = page.header_bytes - page.size_end + page.plain_bytes;
  copy_bytes(page.header + page.size_end, rest, to);
  to += rest;
  if (page.compressed.stored_bytes > 0 && !expand_snappy(page.compressed, to) && threadIdx.x == 0) {
    atomicMin(job.first_bad, static_cast<unsigned long long>(number));
  }
}

uint32_t blocks_for(uint64_t warps) { return static_cast<uint32_t>((warps + kWarps - 1) / kWarps); }

std::vector<uint64_t> running_sums(size_t count, const auto& value_of) {
  std::vector<uint64_t> sums = {0};
  for (size_t i = 0; i < count; ++i) sums.push_back(sums.back() + value_of(i));
  return sums;
}

}  // namespace

ExpandedChunks expand_snappy_chunks(std::span<const ChunkToWalk> chunks, cuda::stream_ref stream,
                                    rmm::device_async_resource_ref mr) {
  ExpandedChunks expanded;
  expanded.offsets = {0};
  if (chunks.empty()) return expanded;
  const auto chunks_on_device = to_device(chunks, stream, mr);
  rmm::device_uvector<ExpandWalk> walks_on_device(chunks.size(), stream, mr);
  std::vector<ExpandWalk> walks;
  rmm::device_uvector<PageToExpand> pages(0, stream, mr);
  rmm::device_uvector<uint64_t> places_on_device(0, stream, mr);
  for (bool enough = false; !enough;) {
    const std::vector<uint64_t> places = running_sums(chunks.size(), [&](size_t i) {
      return walks.empty() ? chunks[i].size_bytes / kBytesAPage + kLeastPages : walks[i].walk.pages;
    });
    places_on_device = to_device(std::span<const uint64_t>(places), stream, mr);
    pages = rmm::device_uvector<PageToExpand>(places.back(), stream, mr);
    walk_kernel<<<blocks_for(chunks.size()), kWarps * kLanes, 0, stream.get()>>>(
        chunks_on_device.data(), places_on_device.data(), static_cast<uint32_t>(chunks.size()), pages.data(),
        walks_on_device.data());
    check_cuda(cudaGetLastError());
    walks = to_host(walks_on_device, stream);
    enough = true;
    for (size_t i = 0; i < chunks.size(); ++i) {
      if (walks[i].walk.problem != PageProblem::None) {
        expanded.bad = BadPage{i, std::max<uint64_t>(walks[i].walk.pages, 1) - 1, walks[i].walk.problem};
        return expanded;
      }
      if (walks[i].walk.pages > places[i + 1] - places[i]) enough = false;
    }
  }
  for (const ExpandWalk& walk : walks) expanded.pages.push_back(walk.walk.pages);
  const auto first_pages = running_sums(chunks.size(), [&](size_t i) { return walks[i].walk.pages; });
  expanded.offsets = running_sums(chunks.size(), [&](size_t i) { return walks[i].bytes; });
  expanded.bytes = rmm::device_buffer(expanded.offsets.back() + kReadBehind, stream, mr);
  if (first_pages.back() == 0) return expanded;
  const auto first_pages_on_device = to_device(std::span<const uint64_t>(first_pages), stream, mr);
  const auto offsets_on_device = to_device(std::span<const uint64_t>(expanded.offsets), stream, mr);
  auto first_bad = to_device(std::span<const unsigned long long>(&kNoPage, 1), stream, mr);
  expand_kernel<<<static_cast<uint32_t>(first_pages.back()), kThreads, 0, stream.get()>>>(
      ExpandJob{pages.data(), places_on_device.data(), first_pages_on_device.data(), offsets_on_device.data(),
                static_cast<uint32_t>(chunks.size()), static_cast<uint8_t*>(expanded.bytes.data()), first_bad.data()});
  check_cuda(cudaGetLastError());
  const uint64_t bad = to_host(first_bad, stream).front();
  if (bad != kNoPage) {
    const auto after = std::upper_bound(first_pages.begin(), first_pages.end(), bad);
    const auto chunk = static_cast<size_t>(after - first_pages.begin()) - 1;
    expanded.bad = BadPage{chunk, bad - first_pages[chunk], PageProblem::Compressed};
  }
  return expanded;
}

}  // namespace weft::gpu::kernels
