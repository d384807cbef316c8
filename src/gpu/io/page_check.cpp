#include "gpu/io/page_check.hpp"

#include "base/error.hpp"
#include "gpu/kernels/bad_page.hpp"

namespace weft::gpu {
namespace {

namespace parquet = cudf::io::parquet;
using kernels::PageProblem;
using kernels::PhysicalType;

/// From this size on Weft's decompressor is done with a page sooner than nvCOMP's; of many smaller pages, that one does
/// more at once.
constexpr uint64_t kLargePageBytes = 128 << 10;

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
    case PageProblem::None:
      break;
  }
  broken_invariant("a bad page without a problem", __FILE__, __LINE__);
}

kernels::ChunkToWalk to_walk(const StoredChunk& chunk) {
  return {chunk.bytes, chunk.size_bytes, chunk.values, physical_type(chunk.type), page_codec(chunk.codec)};
}

[[noreturn]] void throw_damaged(const StoredChunk& chunk, const kernels::BadPage& bad) {
  throw Exception(ErrorCode::CorruptFile, chunk.file->path + ", column " + chunk.column + ", page " +
                                              std::to_string(bad.page) + ": " + text_of(bad.problem) +
                                              ": the file is damaged");
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
  std::vector<uint64_t> pages;
  if (const auto bad = kernels::find_bad_page(walks, pages, stream, mr)) throw_damaged(*unchecked[bad->chunk], *bad);
  for (size_t i = 0; i < unchecked.size(); ++i) checked.add(*unchecked[i]->file, unchecked[i]->offset, pages[i]);
}

bool should_expand(const StoredChunk& chunk, CheckedChunks& checked) {
  if (page_codec(chunk.codec) != kernels::PageCodec::Snappy) return false;
  const std::optional<uint64_t> pages = checked.pages(*chunk.file, chunk.offset);
  return !pages || chunk.page_bytes >= *pages * kLargePageBytes;
}

kernels::ExpandedChunks expand_chunks(std::span<const StoredChunk> chunks, CheckedChunks& checked,
                                      cuda::stream_ref stream, rmm::device_async_resource_ref mr) {
  std::vector<kernels::ChunkToWalk> walks;
  for (const StoredChunk& chunk : chunks) walks.push_back(to_walk(chunk));
  kernels::ExpandedChunks expanded = kernels::expand_snappy_chunks(walks, stream, mr);
  if (expanded.bad) throw_damaged(chunks[expanded.bad->chunk], *expanded.bad);
  for (size_t i = 0; i < chunks.size(); ++i) checked.add(*chunks[i].file, chunks[i].offset, expanded.pages[i]);
  return expanded;
}

}  // namespace weft::gpu
