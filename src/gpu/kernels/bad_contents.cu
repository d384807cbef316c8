#include "gpu/kernels/bad_contents.hpp"

#include <algorithm>
#include <cudf/io/detail/codec.hpp>
#include <rmm/device_buffer.hpp>

#include "gpu/kernels/transfers.hpp"
#include "gpu/kernels/windowed_bytes.cuh"

namespace weft::gpu::kernels {
namespace {

namespace codec = cudf::io::detail;
using StreamIn = cudf::device_span<uint8_t const>;
using StreamOut = cudf::device_span<uint8_t>;

constexpr uint32_t kWarps = 4;  // of a block
constexpr uint64_t kBatchBytes = uint64_t{256} << 20;
constexpr uint32_t kWindowBytes = 2048;

using Window = BytesWindow<kWindowBytes>;
using WarpBytes = WindowedBytes<kWindowBytes>;

/// Where a chunk's share of its batch is.
struct ChunkPlace {
  uint64_t scratch = 0;
  uint32_t first_stream = 0;
};

struct Batch {
  const ChunkToWalk* chunks;
  const StoredPage* pages;
  const ChunkPlace* places;
  const uint64_t* first_places;
  Dictionary* dictionaries;  // of all chunks
  uint8_t* scratch;
  StreamIn* inputs;
  StreamOut* outputs;
  codec::codec_exec_result* results;
  unsigned long long* first_bad;
};

__global__ void list_streams_kernel(Batch batch, uint64_t first_place, uint64_t end_place) {
  const uint64_t place = first_place + uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (place >= end_place) return;
  const StoredPage page = batch.pages[place];
  if (page.kind < 0 || page.scratch == kNotInScratch) return;
  const ChunkPlace chunk = batch.places[page.chunk];
  batch.inputs[chunk.first_stream + page.stream] = {page.bytes, page.stored_bytes};
  batch.outputs[chunk.first_stream + page.stream] = {batch.scratch + chunk.scratch + page.scratch, page.page_bytes};
}

__device__ bool is_decompressed(const Batch& batch, const StoredPage& page) {
  if (page.scratch == kNotInScratch) return true;
  const codec::codec_exec_result result = batch.results[batch.places[page.chunk].first_stream + page.stream];
  return result.status == codec::codec_status::SUCCESS && result.bytes_written == page.page_bytes;
}

__device__ void report(const Batch& batch, uint64_t place, PageProblem problem, uint32_t lane) {
  if (problem == PageProblem::None || lane != 0) return;
  atomicMin(batch.first_bad, static_cast<unsigned long long>(place << 8 | static_cast<uint64_t>(problem)));
}

/// A warp a chunk.
__global__ void __launch_bounds__(kWarps* kLanes)
    check_dictionaries_kernel(Batch batch, uint32_t first_chunk, uint32_t end_chunk) {
  __shared__ Window windows[kWarps];
  const uint32_t lane = threadIdx.x % kLanes;
  const uint32_t number = first_chunk + blockIdx.x * kWarps + threadIdx.x / kLanes;
  if (number >= end_chunk || batch.first_places[number] == batch.first_places[number + 1]) return;
  const uint64_t place = batch.first_places[number];
  const StoredPage page = batch.pages[place];
  const ChunkToWalk chunk = batch.chunks[number];
  if (page.kind != kDictionaryPage || chunk.codec == PageCodec::Other) return;
  if (!is_decompressed(batch, page)) return report(batch, place, PageProblem::Compressed, lane);
  WarpBytes bytes(windows[threadIdx.x / kLanes], lane);
  Dictionary dictionary = batch.dictionaries[number];
  const uint8_t* const scratch = batch.scratch + batch.places[number].scratch;
  report(batch, place, check_dictionary(chunk, page, parts_of(page, scratch), bytes, dictionary), lane);
  if (lane == 0) batch.dictionaries[number] = dictionary;
}

/// A warp a place.
__global__ void __launch_bounds__(kWarps* kLanes)
    check_data_pages_kernel(Batch batch, uint64_t first_place, uint64_t end_place) {
  __shared__ Window windows[kWarps];
  const uint32_t lane = threadIdx.x % kLanes;
  const uint64_t place = first_place + uint64_t{blockIdx.x} * kWarps + threadIdx.x / kLanes;
  if (place >= end_place) return;
  const StoredPage page = batch.pages[place];
  if (page.kind != kDataPage && page.kind != kDataPageV2) return;
  const ChunkToWalk chunk = batch.chunks[page.chunk];
  if (chunk.codec == PageCodec::Other) return;
  if (!is_decompressed(batch, page)) return report(batch, place, PageProblem::Compressed, lane);
  WarpBytes bytes(windows[threadIdx.x / kLanes], lane);
  const PageParts parts = parts_of(page, batch.scratch + batch.places[page.chunk].scratch);
  report(batch, place, check_data_page(chunk, page, parts, batch.dictionaries[page.chunk], bytes), lane);
}

__global__ void place_dictionaries_kernel(Batch batch, const WalkedChunk* walked, uint32_t first_chunk,
                                          uint32_t end_chunk) {
  const uint32_t number = first_chunk + blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= end_chunk) return;
  Dictionary dictionary;
  if (batch.chunks[number].type == PhysicalType::ByteArray) {
    uint8_t* const scratch = batch.scratch + batch.places[number].scratch;
    dictionary.lengths = reinterpret_cast<uint32_t*>(scratch + walked[number].scratch.lengths);
  }
  batch.dictionaries[number] = dictionary;
}

uint32_t blocks_for(uint64_t threads, uint32_t of_block) {
  return static_cast<uint32_t>((threads + of_block - 1) / of_block);
}

cudf::io::compression_type compression_of(PageCodec codec) {
  switch (codec) {
    case PageCodec::Snappy:
      return cudf::io::compression_type::SNAPPY;
    case PageCodec::Zstd:
      return cudf::io::compression_type::ZSTD;
    case PageCodec::Gzip:
      return cudf::io::compression_type::GZIP;
    case PageCodec::Lz4:
      return cudf::io::compression_type::LZ4;
    default:
      return cudf::io::compression_type::NONE;
  }
}

/// Consecutive chunks whose pages are decompressed together.
struct ChunkBatch {
  size_t first = 0;
  size_t end = 0;
  uint64_t scratch_bytes = 0;
  uint32_t streams = 0;
  uint32_t page_bytes = 0;  // of the largest
  PageCodec codec = PageCodec::None;
};

std::vector<ChunkBatch> batches_of(const WalkedPages& pages, std::vector<ChunkPlace>& places) {
  std::vector<ChunkBatch> batches;
  for (size_t i = 0; i < pages.chunks.size(); ++i) {
    const ChunkScratch& scratch = pages.walked[i].scratch;
    const PageCodec codec = scratch.pages == 0 ? PageCodec::None : pages.chunks[i].codec;
    const bool other = !batches.empty() && codec != PageCodec::None && batches.back().codec != PageCodec::None &&
                       codec != batches.back().codec;
    if (batches.empty() || other || batches.back().scratch_bytes + scratch.bytes > kBatchBytes) {
      batches.push_back({i, i, 0, 0, 0, PageCodec::None});
    }
    ChunkBatch& batch = batches.back();
    places.push_back({batch.scratch_bytes, batch.streams});
    batch.end = i + 1;
    batch.scratch_bytes += scratch.bytes;
    batch.streams += scratch.pages;
    batch.page_bytes = std::max(batch.page_bytes, scratch.page_bytes);
    if (codec != PageCodec::None) batch.codec = codec;
  }
  return batches;
}

void check_batch(const WalkedPages& pages, const WalkedChunk* walked, const Batch& batch, const ChunkBatch& chunks,
                 cuda::stream_ref stream) {
  constexpr uint32_t kThreads = kWarps * kLanes;
  const uint64_t first_place = pages.first_places[chunks.first];
  const uint64_t end_place = pages.first_places[chunks.end];
  const auto first_chunk = static_cast<uint32_t>(chunks.first);
  const auto end_chunk = static_cast<uint32_t>(chunks.end);
  if (first_place == end_place) return;
  place_dictionaries_kernel<<<blocks_for(end_chunk - first_chunk, kThreads), kThreads, 0, stream.get()>>>(
      batch, walked, first_chunk, end_chunk);
  if (chunks.streams > 0) {
    list_streams_kernel<<<blocks_for(end_place - first_place, kThreads), kThreads, 0, stream.get()>>>(
        batch, first_place, end_place);
    check_cuda(cudaGetLastError());
    check_cuda(cudaMemsetAsync(batch.results, 0xff, chunks.streams * sizeof(codec::codec_exec_result), stream.get()));
    codec::decompress(compression_of(chunks.codec), {batch.inputs, chunks.streams}, {batch.outputs, chunks.streams},
                      {batch.results, chunks.streams}, chunks.page_bytes, chunks.scratch_bytes, stream);
  }
  check_dictionaries_kernel<<<blocks_for(end_chunk - first_chunk, kWarps), kThreads, 0, stream.get()>>>(
      batch, first_chunk, end_chunk);
  check_data_pages_kernel<<<blocks_for(end_place - first_place, kWarps), kThreads, 0, stream.get()>>>(
      batch, first_place, end_place);
  check_cuda(cudaGetLastError());
}

}  // namespace

std::optional<BadPlace> find_bad_contents(const WalkedPages& pages, cuda::stream_ref stream,
                                          rmm::device_async_resource_ref mr) {
  std::vector<ChunkPlace> places;
  const std::vector<ChunkBatch> batches = batches_of(pages, places);
  uint64_t scratch_bytes = 0;
  uint32_t streams = 0;
  for (const ChunkBatch& batch : batches) {
    scratch_bytes = std::max(scratch_bytes, batch.scratch_bytes);
    streams = std::max(streams, batch.streams);
  }
  rmm::device_buffer scratch(scratch_bytes, stream, mr);
  rmm::device_uvector<StreamIn> inputs(streams, stream, mr);
  rmm::device_uvector<StreamOut> outputs(streams, stream, mr);
  rmm::device_uvector<codec::codec_exec_result> results(streams, stream, mr);
  rmm::device_uvector<Dictionary> dictionaries(pages.chunks.size(), stream, mr);
  const auto places_on_device = to_device(std::span<const ChunkPlace>(places), stream, mr);
  const auto walked = to_device(pages.walked, stream, mr);
  constexpr unsigned long long kNone = kNoBadPage;
  auto first_bad = to_device(std::span<const unsigned long long>(&kNone, 1), stream, mr);
  const Batch batch{pages.chunks_on_device,  pages.pages,
                    places_on_device.data(), pages.first_places_on_device,
                    dictionaries.data(),     static_cast<uint8_t*>(scratch.data()),
                    inputs.data(),           outputs.data(),
                    results.data(),          first_bad.data()};
  for (const ChunkBatch& chunks : batches) check_batch(pages, walked.data(), batch, chunks, stream);
  const uint64_t bad = to_host(first_bad, stream).front();
  if (bad == kNoBadPage) return std::nullopt;
  return BadPlace{bad >> 8, static_cast<PageProblem>(bad & 0xff)};
}

}  // namespace weft::gpu::kernels
