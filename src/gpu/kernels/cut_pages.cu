#include "gpu/kernels/cut_pages.hpp"

#include "gpu/exec/cuda_check.hpp"
#include "gpu/kernels/page_pieces.hpp"
#include "gpu/kernels/transfers.hpp"
#include "gpu/kernels/windowed_bytes.cuh"

namespace weft::gpu::kernels {
namespace {

constexpr uint32_t kWarps = 4;  // of a block that walks chunks, a chunk a warp
constexpr uint32_t kWindowBytes = 16 << 10;
constexpr uint32_t kCopyThreads = 256;
constexpr uint64_t kCopyBytes = 32 << 10;  // of a piece's content, a block

struct PlacedPage {
  const uint8_t* header = nullptr;
  uint64_t bytes = 0;  // with the header
  StoredPage stored;
};

/// A warp a chunk, as in expand_pages.cu. first_pages has count + 1 entries; good[i] is zero for a chunk that has
/// another number of pages.
__global__ void walk_kernel(const ChunkToWalk* chunks, const uint64_t* first_pages, uint32_t count, PlacedPage* pages,
                            uint8_t* good) {
  const uint32_t chunk = blockIdx.x * kWarps + threadIdx.x / kLanes;
  if (chunk >= count || threadIdx.x % kLanes != 0) return;
  const uint64_t first = first_pages[chunk];
  const uint64_t expected = first_pages[chunk + 1] - first;
  const ChunkWalk walk = visit_pages(
      chunks[chunk], [&](uint64_t number, const uint8_t* header_at, const PageHeader& header, const uint8_t* content) {
        if (number >= expected) return;
        pages[first + number] = {
            header_at, static_cast<uint64_t>(content - header_at) + static_cast<uint64_t>(header.stored_bytes),
            stored_page(chunks[chunk], header, content)};
      });
  good[chunk] = walk.problem == PageProblem::None && walk.pages == expected ? 1 : 0;
}

struct PageToCut {
  StoredPage page;
  uint32_t chunk = 0;
  uint64_t levels = 0;  // in words
  uint64_t cuts = 0;
};

/// A warp a page, which is a block.
__global__ void cut_kernel(const ChunkToWalk* chunks, const PageToCut* pages, uint32_t* levels, TextCut* cuts,
                           uint8_t* good) {
  __shared__ BytesWindow<kWindowBytes> window;
  const PageToCut& page = pages[blockIdx.x];
  WindowedBytes<kWindowBytes> bytes(window, threadIdx.x);
  const bool cut = cut_texts(chunks[page.chunk], page.page, bytes, levels + page.levels, cuts + page.cuts);
  if (threadIdx.x == 0) good[blockIdx.x] = cut ? 1 : 0;
}

/// A part of a piece: the first has what is in front of the content too.
struct PieceToCopy {
  uint32_t piece = 0;
  uint64_t content_at = 0;
};

__global__ void __launch_bounds__(kCopyThreads)
    copy_kernel(const PagePiece* pieces, const PieceToCopy* parts, uint8_t* out) {
  const PieceToCopy part = parts[blockIdx.x];
  const PagePiece& piece = pieces[part.piece];
  uint8_t* const to = out + piece.target;
  if (part.content_at == 0) {
    if (threadIdx.x < piece.prefix_bytes) to[threadIdx.x] = piece.prefix[threadIdx.x];
    for (uint32_t i = threadIdx.x; i < piece.level_bytes; i += kCopyThreads)
      to[piece.prefix_bytes + i] = piece.levels[i];
  }
  const uint64_t end = min(piece.content_bytes, part.content_at + kCopyBytes);
  uint8_t* const content = to + piece.prefix_bytes + piece.level_bytes;
#pragma unroll 8
  for (uint64_t i = part.content_at + threadIdx.x; i < end; i += kCopyThreads) content[i] = piece.content[i];
}

bool is_to_cut(const StoredPage& page) {
  return (page.kind == kDataPage || page.kind == kDataPageV2) && page.encoding == kPlain &&
         page.values > static_cast<int32_t>(2 * kRowsPerCut);
}

PagePiece whole(const PlacedPage& page) {
  PagePiece piece;
  piece.content = page.header;
  piece.content_bytes = page.bytes;
  return piece;
}

/// The places of the chunks' pages; none of a chunk that is not as it should be.
std::vector<PlacedPage> find_pages(const rmm::device_uvector<ChunkToWalk>& chunks,
                                   const std::vector<uint64_t>& first_pages, std::vector<uint8_t>& good,
                                   cuda::stream_ref stream, rmm::device_async_resource_ref mr) {
  const auto first_on_device = to_device(std::span<const uint64_t>(first_pages), stream, mr);
  rmm::device_uvector<PlacedPage> pages(first_pages.back(), stream, mr);
  rmm::device_uvector<uint8_t> good_on_device(chunks.size(), stream, mr);
  const auto count = static_cast<uint32_t>(chunks.size());
  walk_kernel<<<(count + kWarps - 1) / kWarps, kWarps * kLanes, 0, stream.get()>>>(
      chunks.data(), first_on_device.data(), count, pages.data(), good_on_device.data());
  check_cuda(cudaGetLastError());
  good = to_host(good_on_device, stream);
  return to_host(pages, stream);
}

/// The pages that are cut, and what was found of them.
struct Cutting {
  std::vector<PageToCut> pages;
  rmm::device_uvector<uint32_t> levels;
  std::vector<TextCut> cuts;
  std::vector<uint8_t> good;
};

Cutting cut(const rmm::device_uvector<ChunkToWalk>& chunks, std::vector<PageToCut> pages, uint64_t level_words,
            uint64_t cut_count, cuda::stream_ref stream, rmm::device_async_resource_ref mr) {
  Cutting cutting{std::move(pages), rmm::device_uvector<uint32_t>(level_words, stream, mr), {}, {}};
  check_cuda(cudaMemsetAsync(cutting.levels.data(), 0, level_words * sizeof(uint32_t), stream.get()));
  const auto pages_on_device = to_device(std::span<const PageToCut>(cutting.pages), stream, mr);
  rmm::device_uvector<TextCut> cuts(cut_count, stream, mr);
  rmm::device_uvector<uint8_t> good(cutting.pages.size(), stream, mr);
  cut_kernel<<<static_cast<uint32_t>(cutting.pages.size()), kLanes, 0, stream.get()>>>(
      chunks.data(), pages_on_device.data(), cutting.levels.data(), cuts.data(), good.data());
  check_cuda(cudaGetLastError());
  cutting.cuts = to_host(cuts, stream);
  cutting.good = to_host(good, stream);
  return cutting;
}

void copy_pieces(const std::vector<PagePiece>& pieces, uint8_t* out, cuda::stream_ref stream,
                 rmm::device_async_resource_ref mr) {
  std::vector<PieceToCopy> parts;
  for (size_t i = 0; i < pieces.size(); ++i) {
    uint64_t at = 0;
    do {
      parts.push_back({static_cast<uint32_t>(i), at});
      at += kCopyBytes;
    } while (at < pieces[i].content_bytes);
  }
  const auto pieces_on_device = to_device(std::span<const PagePiece>(pieces), stream, mr);
  const auto parts_on_device = to_device(std::span<const PieceToCopy>(parts), stream, mr);
  copy_kernel<<<static_cast<uint32_t>(parts.size()), kCopyThreads, 0, stream.get()>>>(pieces_on_device.data(),
                                                                                      parts_on_device.data(), out);
  check_cuda(cudaGetLastError());
}

}  // namespace

CutChunks cut_text_pages(std::span<const ChunkToWalk> chunks, std::span<const uint64_t> pages, cuda::stream_ref stream,
                         rmm::device_async_resource_ref mr) {
  CutChunks result;
  result.offsets = {0};
  std::vector<uint64_t> first_pages = {0};
  for (const uint64_t count : pages) first_pages.push_back(first_pages.back() + count);
  if (first_pages.back() == 0) return result;
  const auto chunks_on_device = to_device(chunks, stream, mr);
  std::vector<uint8_t> good;
  const std::vector<PlacedPage> placed = find_pages(chunks_on_device, first_pages, good, stream, mr);
  std::vector<PageToCut> to_cut;
  uint64_t level_words = 0;
  uint64_t cut_count = 0;
  for (size_t chunk = 0; chunk < chunks.size(); ++chunk) {
    for (uint64_t i = first_pages[chunk]; good[chunk] != 0 && i < first_pages[chunk + 1]; ++i) {
      const StoredPage& page = placed[i].stored;
      if (!is_to_cut(page)) continue;
      to_cut.push_back({page, static_cast<uint32_t>(chunk), level_words, cut_count});
      if (chunks[chunk].nullable) level_words += level_words_of(page.values);
      cut_count += cuts_of(page.values) + 1;
    }
  }
  if (to_cut.empty()) return result;
  const Cutting cutting = cut(chunks_on_device, std::move(to_cut), level_words, cut_count, stream, mr);

  std::vector<PagePiece> pieces;
  uint64_t at = 0;
  const auto add = [&](PagePiece piece) {
    piece.target = at;
    at += piece.bytes();
    pieces.push_back(piece);
  };
  size_t next = 0;
  for (size_t chunk = 0; chunk < chunks.size(); ++chunk) {
    if (next == cutting.pages.size() || cutting.pages[next].chunk != chunk) continue;
    for (uint64_t i = first_pages[chunk]; i < first_pages[chunk + 1]; ++i) {
      const bool meant = next < cutting.pages.size() && cutting.pages[next].page.bytes == placed[i].stored.bytes &&
                         is_to_cut(placed[i].stored);
      const size_t number = next;
      if (meant) ++next;
      if (!meant || cutting.good[number] == 0) {
        add(whole(placed[i]));
        continue;
      }
      const PageToCut& page = cutting.pages[number];
      const std::span<const TextCut> cuts(cutting.cuts.data() + page.cuts, cuts_of(page.page.values) + 1);
      for (const PagePiece& piece :
           pieces_of(page.page, chunks[chunk].nullable, cuts, cutting.levels.data() + page.levels)) {
        add(piece);
      }
    }
    result.chunks.push_back(chunk);
    result.offsets.push_back(at);
  }
  result.bytes = rmm::device_buffer(at, stream, mr);
  copy_pieces(pieces, static_cast<uint8_t*>(result.bytes.data()), stream, mr);
  check_cuda(cudaStreamSynchronize(stream.get()));
  return result;
}

}  // namespace weft::gpu::kernels
