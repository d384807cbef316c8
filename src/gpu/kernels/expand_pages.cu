#include "gpu/kernels/expand_pages.hpp"

#include <algorithm>

#include "gpu/exec/cuda_check.hpp"
#include "gpu/kernels/aligned_words.cuh"
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
  uint64_t target = 0;       // in the expanded chunk; then in all of them
  uint64_t first_block = 0;  // of those that expand the page

  /// A block each, if the fragments are apart; else the first block does all of them.
  __host__ __device__ uint32_t fragments() const {
    const uint32_t bytes = compressed.stored_bytes == 0 ? 0 : compressed.page_bytes;
    return bytes == 0 ? 1 : (bytes + kSnappyFragmentBytes - 1) / kSnappyFragmentBytes;
  }
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
        const StoredPage stored = stored_page(chunks[chunk], header, content);
        if (stored.codec != PageCodec::None) page.compressed = stored;
        page.plain_bytes = static_cast<uint32_t>(header.stored_bytes) - page.compressed.stored_bytes;
        page.target = result.bytes;
        result.bytes += expanded_header_bytes(page) + uint64_t{page.plain_bytes} + page.compressed.page_bytes;
        if (number < places) pages[first + number] = page;
      });
  walks[chunk] = result;
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

/// What a thread knows of a window that its block has walked.
struct WindowWalk {
  uint32_t first = 0;      // the first tag, counted from the window's first byte, as the next two are
  uint32_t next = 0;       // where the tags go on
  uint32_t stop = 0;       // where the stream ends
  uint32_t row_entry = 0;  // of the thread's row
  SnappyRowSum before;     // the thread's row
  SnappyRowSum all;
  bool good = false;
};

/// Called by a whole block, a row a thread: the tags from byte `at` of the stream on, which ends at `end`. They make at
/// most `expected` bytes and reach back over at most `produced`. SnappyHostWalk does the same, thread by thread.
__device__ WindowWalk walk_window(SnappyWindow& window, const uint8_t* stream, uint32_t at, uint32_t end,
                                  uint32_t produced, uint32_t expected) {
  __shared__ uint32_t shared_next;
  const uint32_t row = threadIdx.x;
  WindowWalk walk;
  walk.first = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(stream + at) % 16);
  load_window(window, stream + at - walk.first, stream + end);
  __syncthreads();
  find_snappy_row_exits(window, row);
  for (uint32_t round = 0; round < kSnappyBandRounds; ++round) {
    __syncthreads();
    follow_snappy_row_exits(window, row);
  }
  __syncthreads();
  const uint32_t left = end - at + walk.first;
  walk.stop = min(left, kSnappyWindowBytes);
  if (row == 0) shared_next = enter_snappy_bands(window, walk.first, walk.stop);
  __syncthreads();
  walk.next = shared_next;
  if (walk.next > left) return walk;  // a tag that the stream ends in
  walk.row_entry = snappy_row_entry(window, row, walk.stop);
  const SnappyRowSum own = sum_snappy_row(window, row, walk.row_entry, walk.stop);
  walk.before = sum_rows_before(own, walk.all);
  walk.good = !__syncthreads_or(own.reach > produced + walk.before.produced) && walk.all.produced <= expected;
  return walk;
}

/// Called by a whole block: the tags in bytes [at, end) of the page's stream, which make `expected` bytes at `to` and
/// reach back over none before them. False if they do not.
__device__ bool expand_snappy(const StoredPage& page, uint32_t at, uint32_t end, uint32_t expected, uint8_t* to) {
  __shared__ SnappyWindow window;
  __shared__ SnappyTags tags;
  __shared__ SnappySlice slice;
  uint32_t produced = 0;
  while (at < end) {
    const WindowWalk walk = walk_window(window, page.bytes, at, end, produced, expected - produced);
    if (!walk.good) return false;
    const uint32_t window_at = at - walk.first;
    write_snappy_tags(window, threadIdx.x, walk.row_entry, walk.stop, window_at, walk.before.tags, walk.before.produced,
                      tags);
    if (threadIdx.x == 0) tags.starts[walk.all.tags] = walk.all.produced;
    __syncthreads();
    uint8_t* const made = to + produced;
    expand_window({window, tags, walk.all.tags, page.bytes, end, window_at, made}, walk.all.produced, made, slice);
    produced += walk.all.produced;
    at = window_at + walk.next;
    __syncthreads();  // the window is written again
  }
  return produced == expected;
}

/// Called by a whole block: where the page's fragments begin, if they are apart; `starts` has a place for each. False
/// if they are not, or if the page is damaged.
__device__ bool split_snappy(const StoredPage& page, uint32_t* starts) {
  __shared__ SnappyWindow window;
  uint32_t produced = 0;
  uint32_t at = snappy_preamble(page.bytes, page.stored_bytes, page.page_bytes);
  if (at == 0) return false;
  bool apart = true;
  while (at < page.stored_bytes) {
    const WindowWalk walk =
        walk_window(window, page.bytes, at, page.stored_bytes, produced, page.page_bytes - produced);
    if (!walk.good) return false;
    apart &= split_snappy_row(window, threadIdx.x, walk.row_entry, walk.stop, at - walk.first,
                              produced + walk.before.produced, starts);
    produced += walk.all.produced;
    at += walk.next - walk.first;
    __syncthreads();  // the window is written again
  }
  return __syncthreads_and(apart) && produced == page.page_bytes;
}

__device__ void copy_bytes(const uint8_t* from, uint32_t bytes, uint8_t* to) {
  for (uint32_t i = threadIdx.x; i < bytes; i += blockDim.x) to[i] = from[i];
}

/// A block a page of more than one fragment, by its number in `pages`.
__global__ void __launch_bounds__(kThreads)
    split_kernel(const PageToExpand* pages, const uint32_t* numbers, uint32_t* starts, uint8_t* apart) {
  const uint32_t number = numbers[blockIdx.x];
  const PageToExpand& page = pages[number];
  const bool split = split_snappy(page.compressed, starts + page.first_block);
  if (threadIdx.x == 0) apart[number] = split ? 1 : 0;
}

/// Called by a whole block: the header with the new size, and the content as far as it is not compressed.
__device__ void write_plain_part(const PageToExpand& page, uint8_t* to) {
  copy_bytes(page.header, page.size_at, to);
  uint8_t size[kSizeBytes];
  const uint32_t size_bytes = write_size(page.plain_bytes + page.compressed.page_bytes, size);
  if (threadIdx.x < size_bytes) to[page.size_at + threadIdx.x] = size[threadIdx.x];
  copy_bytes(page.header + page.size_end, page.header_bytes - page.size_end + page.plain_bytes,
             to + page.size_at + size_bytes);
}

struct ExpandJob {
  const PageToExpand* pages;
  uint32_t page_count;
  const uint32_t* starts;  // of fragments, by block
  const uint8_t* apart;    // by page
  uint8_t* out;
  unsigned long long* first_bad;  // number of a page
};

/// A block a fragment.
__global__ void __launch_bounds__(kThreads) expand_kernel(const ExpandJob job) {
  uint32_t number = 0;
  for (uint32_t count = job.page_count; count > 1;) {
    const uint32_t half = count / 2;
    if (job.pages[number + half].first_block <= blockIdx.x) number += half;
    count -= half;
  }
  const PageToExpand page = job.pages[number];
  const auto fragment = static_cast<uint32_t>(blockIdx.x - page.first_block);
  uint8_t* const to = job.out + page.target;
  if (fragment == 0) write_plain_part(page, to);
  if (page.compressed.stored_bytes == 0) return;
  uint8_t* const content = to + expanded_header_bytes(page) + page.plain_bytes;
  const StoredPage& stored = page.compressed;
  bool good = true;
  if (job.apart[number] != 0) {
    const uint32_t made = fragment * kSnappyFragmentBytes;
    const uint32_t end = fragment + 1 < page.fragments() ? job.starts[blockIdx.x + 1] : stored.stored_bytes;
    good = expand_snappy(stored, job.starts[blockIdx.x], end, min(stored.page_bytes - made, kSnappyFragmentBytes),
                         content + made);
  } else if (fragment == 0) {
    const uint32_t at = snappy_preamble(stored.bytes, stored.stored_bytes, stored.page_bytes);
    good = at > 0 && expand_snappy(stored, at, stored.stored_bytes, stored.page_bytes, content);
  }
  if (!good && threadIdx.x == 0) atomicMin(job.first_bad, static_cast<unsigned long long>(number));
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
  rmm::device_uvector<PageToExpand> places_of_pages(0, stream, mr);
  std::vector<uint64_t> places;
  for (bool enough = false; !enough;) {
    places = running_sums(chunks.size(), [&](size_t i) {
      return walks.empty() ? chunks[i].size_bytes / kBytesAPage + kLeastPages : walks[i].walk.pages;
    });
    const auto places_on_device = to_device(std::span<const uint64_t>(places), stream, mr);
    places_of_pages = rmm::device_uvector<PageToExpand>(places.back(), stream, mr);
    walk_kernel<<<blocks_for(chunks.size()), kWarps * kLanes, 0, stream.get()>>>(
        chunks_on_device.data(), places_on_device.data(), static_cast<uint32_t>(chunks.size()), places_of_pages.data(),
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

  const std::vector<PageToExpand> placed = to_host(places_of_pages, stream);
  std::vector<PageToExpand> pages;
  std::vector<uint32_t> to_split;
  uint64_t blocks = 0;
  for (size_t chunk = 0; chunk < chunks.size(); ++chunk) {
    for (uint64_t i = 0; i < walks[chunk].walk.pages; ++i) {
      PageToExpand page = placed[places[chunk] + i];
      page.target += expanded.offsets[chunk];
      page.first_block = blocks;
      blocks += page.fragments();
      if (page.fragments() > 1) to_split.push_back(static_cast<uint32_t>(pages.size()));
      pages.push_back(page);
    }
  }
  const auto pages_on_device = to_device(std::span<const PageToExpand>(pages), stream, mr);
  rmm::device_uvector<uint32_t> starts(blocks, stream, mr);
  rmm::device_uvector<uint8_t> apart(pages.size(), stream, mr);
  check_cuda(cudaMemsetAsync(apart.data(), 0, apart.size(), stream.get()));
  const auto to_split_on_device = to_device(std::span<const uint32_t>(to_split), stream, mr);
  if (!to_split.empty()) {
    split_kernel<<<static_cast<uint32_t>(to_split.size()), kThreads, 0, stream.get()>>>(
        pages_on_device.data(), to_split_on_device.data(), starts.data(), apart.data());
    check_cuda(cudaGetLastError());
  }
  auto first_bad = to_device(std::span<const unsigned long long>(&kNoPage, 1), stream, mr);
  expand_kernel<<<static_cast<uint32_t>(blocks), kThreads, 0, stream.get()>>>(
      ExpandJob{pages_on_device.data(), static_cast<uint32_t>(pages.size()), starts.data(), apart.data(),
                static_cast<uint8_t*>(expanded.bytes.data()), first_bad.data()});
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
