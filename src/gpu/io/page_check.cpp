#include "gpu/io/page_check.hpp"

#include <numeric>

#include "base/error.hpp"
#include "gpu/exec/cuda_check.hpp"
#include "gpu/io/compressed_check.hpp"
#include "gpu/kernels/bad_page.hpp"

namespace weft::gpu {
namespace {

namespace parquet = cudf::io::parquet;
using kernels::PageProblem;
using kernels::PhysicalType;

/// Weft's decompressor is done with a large page in half nvCOMP's time or less. But nvCOMP's does more of them at once:
/// where many wait, and where they are small, it is done with all of them sooner. (On an H200, 4000 pages of 32 KB: 1.0
/// ms against 2.5; one of 8 MB: 57 ms against 30, before pages were split into fragments.)
constexpr uint64_t kLargePageBytes = 128 << 10;
constexpr uint64_t kFewPages = 1024;

PhysicalType physical_type(parquet::Type type) {
  switch (type) {
    case parquet::Type::BOOLEAN:
      return PhysicalType::Boolean;
    case parquet::Type::INT32:
      return PhysicalType::Int32;
    case parquet::Type::INT64:
      return PhysicalType::Int64;
    case parquet::Type::INT96:
      return PhysicalType::Int96;
    case parquet::Type::FLOAT:
      return PhysicalType::Float;
    case parquet::Type::DOUBLE:
      return PhysicalType::Double;
    case parquet::Type::BYTE_ARRAY:
      return PhysicalType::ByteArray;
    case parquet::Type::FIXED_LEN_BYTE_ARRAY:
      return PhysicalType::FixedLenByteArray;
    default:
      broken_invariant("a stored chunk without a type", __FILE__, __LINE__);
  }
}

kernels::PageCodec page_codec(parquet::Compression codec) {
  switch (codec) {
    case parquet::Compression::UNCOMPRESSED:
      return kernels::PageCodec::None;
    case parquet::Compression::SNAPPY:
      return kernels::PageCodec::Snappy;
    case parquet::Compression::ZSTD:
      return kernels::PageCodec::Zstd;
    case parquet::Compression::GZIP:
      return kernels::PageCodec::Gzip;
    case parquet::Compression::LZ4_RAW:
      return kernels::PageCodec::Lz4;
    default:
      return kernels::PageCodec::Other;
  }
}

const char* text_of(PageProblem problem) {
  switch (problem) {
    case PageProblem::Header:
      return "its header cannot be read";
    case PageProblem::Kind:
      return "its header names no kind of page that a column has";
    case PageProblem::Sizes:
      return "the sizes in its header do not fit";
    case PageProblem::Dictionary:
      return "the column's dictionary is missing, too large or out of place";
    case PageProblem::Encoding:
      return "its encoding is none of the column's type";
    case PageProblem::Values:
      return "the pages have another number of values than the footer says";
    case PageProblem::Compressed:
      return "it cannot be decompressed";
    case PageProblem::Levels:
      return "which of its values are NULL cannot be read";
    case PageProblem::Entries:
      return "the dictionary's entries do not fit in it";
    case PageProblem::Indices:
      return "its dictionary indices cannot be read";
    case PageProblem::Lengths:
      return "its texts do not fit in it";
    case PageProblem::TooShort:
      return "it ends before its last value";
    case PageProblem::Deltas:
      return "its delta encoding cannot be read";
    case PageProblem::TooLong:
      return "its texts are longer than 2 GiB together";
    case PageProblem::NotReadable:
      return "its values are in a DELTA encoding of a form that libcudf lacks";
    case PageProblem::GzipFields:
      return "its gzip header has optional fields";
    case PageProblem::None:
      break;
  }
  broken_invariant("a bad page without a problem", __FILE__, __LINE__);
}

[[noreturn]] void refuse(const StoredChunk& chunk, const kernels::BadPage& bad) {
  const std::string where = chunk.file->path + ", column " + chunk.column + ", page " + std::to_string(bad.page) + ": ";
  if (bad.problem == PageProblem::TooLong || bad.problem == PageProblem::NotReadable ||
      bad.problem == PageProblem::GzipFields) {
    throw Exception(ErrorCode::NotSupportedOnGpu, where + "the GPU cannot read it: " + text_of(bad.problem));
  }
  throw Exception(ErrorCode::CorruptFile, where + text_of(bad.problem) + ": the file is damaged");
}

kernels::ChunkToWalk to_walk(const StoredChunk& chunk) {
  return {chunk.bytes,
          chunk.size_bytes,
          chunk.values,
          physical_type(chunk.type.physical),
          page_codec(chunk.codec),
          chunk.type.length,
          chunk.type.nullable,
          chunk.type.text};
}

/// As find_bad_compressed_page, of chunks on the device.
std::optional<kernels::BadPage> find_bad_compressed(std::span<const kernels::ChunkToWalk> walks,
                                                    cuda::stream_ref stream) {
  std::vector<std::vector<uint8_t>> copies;
  std::vector<kernels::ChunkToWalk> on_host;
  std::vector<size_t> numbers;
  for (size_t i = 0; i < walks.size(); ++i) {
    if (!is_checked_on_host(walks[i].codec)) continue;
    copies.emplace_back(walks[i].size_bytes);
    check_cuda(cudaMemcpyAsync(copies.back().data(), walks[i].bytes, walks[i].size_bytes, cudaMemcpyDeviceToHost,
                               stream.get()));
    on_host.push_back(walks[i]);
    on_host.back().bytes = copies.back().data();
    numbers.push_back(i);
  }
  if (on_host.empty()) return std::nullopt;
  check_cuda(cudaStreamSynchronize(stream.get()));
  std::optional<kernels::BadPage> bad = find_bad_compressed_page(on_host);
  if (bad) bad->chunk = numbers[bad->chunk];
  return bad;
}

}  // namespace

void check_pages(std::span<const StoredChunk> chunks, CheckedChunks& checked, cuda::stream_ref stream,
                 rmm::device_async_resource_ref mr) {
  std::vector<const StoredChunk*> unchecked;
  std::vector<kernels::ChunkToWalk> walks;
  for (const StoredChunk& chunk : chunks) {
    if (checked.pages(*chunk.file, chunk.offset)) continue;
    unchecked.push_back(&chunk);
    walks.push_back(to_walk(chunk));
  }
  if (const auto bad = find_bad_compressed(walks, stream)) refuse(*unchecked[bad->chunk], *bad);
  std::vector<uint64_t> pages;
  if (const auto bad = kernels::find_bad_page(walks, pages, stream, mr)) refuse(*unchecked[bad->chunk], *bad);
  for (size_t i = 0; i < unchecked.size(); ++i) checked.add(*unchecked[i]->file, unchecked[i]->offset, pages[i]);
}

std::vector<bool> choose_expanded(std::span<const StoredChunk> chunks, CheckedChunks& checked) {
  std::vector<bool> chosen(chunks.size(), false);
  std::vector<uint64_t> known(chunks.size(), 0);  // pages
  for (size_t i = 0; i < chunks.size(); ++i) {
    if (page_codec(chunks[i].codec) != kernels::PageCodec::Snappy) continue;
    const std::optional<uint64_t> pages = checked.pages(*chunks[i].file, chunks[i].offset);
    chosen[i] = !pages;
    known[i] = pages.value_or(0);
  }
  if (std::accumulate(known.begin(), known.end(), uint64_t{0}) > kFewPages) return chosen;
  for (size_t i = 0; i < chunks.size(); ++i) {
    if (known[i] > 0 && chunks[i].page_bytes >= known[i] * kLargePageBytes) chosen[i] = true;
  }
  return chosen;
}

kernels::ExpandedChunks expand_chunks(std::span<const StoredChunk> chunks, CheckedChunks& checked,
                                      cuda::stream_ref stream, rmm::device_async_resource_ref mr) {
  std::vector<kernels::ChunkToWalk> walks;
  for (const StoredChunk& chunk : chunks) walks.push_back(to_walk(chunk));
  kernels::ExpandedChunks expanded = kernels::expand_snappy_chunks(walks, stream, mr);
  if (expanded.bad) refuse(chunks[expanded.bad->chunk], *expanded.bad);
  std::vector<StoredChunk> contents = {chunks.begin(), chunks.end()};
  for (size_t i = 0; i < chunks.size(); ++i) {
    contents[i].bytes = static_cast<const uint8_t*>(expanded.bytes.data()) + expanded.offsets[i];
    contents[i].size_bytes = expanded.offsets[i + 1] - expanded.offsets[i];
    contents[i].codec = parquet::Compression::UNCOMPRESSED;
  }
  check_pages(contents, checked, stream, mr);
  return expanded;
}

kernels::CutChunks cut_chunks(std::span<const StoredChunk> chunks, CheckedChunks& checked, cuda::stream_ref stream,
                              rmm::device_async_resource_ref mr) {
  std::vector<kernels::ChunkToWalk> walks;
  std::vector<uint64_t> pages;
  std::vector<size_t> numbers;
  uint64_t all = 0;
  for (size_t i = 0; i < chunks.size(); ++i) {
    if (chunks[i].type.physical != parquet::Type::BYTE_ARRAY || !chunks[i].type.text) continue;
    const uint64_t count = checked.pages(*chunks[i].file, chunks[i].offset).value_or(0);
    all += count;
    const bool plain = chunks[i].codec == parquet::Compression::UNCOMPRESSED;
    if (!plain || count == 0 || chunks[i].page_bytes < count * kLargePageBytes) continue;
    walks.push_back(to_walk(chunks[i]));
    pages.push_back(count);
    numbers.push_back(i);
  }
  kernels::CutChunks cut;
  if (walks.empty() || all > kFewPages) return cut;
  cut = kernels::cut_text_pages(walks, pages, stream, mr);
  for (size_t& chunk : cut.chunks) chunk = numbers[chunk];
  return cut;
}

}  // namespace weft::gpu
