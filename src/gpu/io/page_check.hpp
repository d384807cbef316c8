// Stored column chunks, checked before libcudf's reader sees them, and decompressed where Weft does that itself. The
// reader takes sizes, counts and encodings from page headers as they are, its decoders trust levels, runs, lengths and
// dictionaries that are in the pages, and nvCOMP's decompressors are undefined on damaged streams (its headers say so
// of all that libcudf uses but LZ4; its snappy kernel was seen to read outside its buffers): each can be a kernel
// fault, which loses the device for the process, or a kernel that never ends.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <variant>

#include <cuda/stream_ref>
#include <cudf/io/parquet_schema.hpp>
#include <rmm/resource_ref.hpp>

#include "gpu/io/checked_chunks.hpp"
#include "gpu/io/stored_type.hpp"
#include "gpu/kernels/cut_pages.hpp"
#include "gpu/kernels/expand_pages.hpp"
#include "plan/node.hpp"

namespace weft::gpu {

struct StoredChunk {
  const plan::ScanFile* file = nullptr;
  std::string column;
  uint64_t offset = 0;             // of the chunk's first byte in the file
  const uint8_t* bytes = nullptr;  // on the device, in an allocation that begins at a multiple of 16 bytes
  uint64_t size_bytes = 0;
  cudf::io::parquet::Compression codec = cudf::io::parquet::Compression::UNCOMPRESSED;
  StoredType type;
  int64_t values = 0;       // NULLs too: for a column that is not nested, its row group's rows
  uint64_t page_bytes = 0;  // of its pages when decompressed, with their headers
};

/// Returns if every chunk is sound:
/// - its pages fill it, and their headers agree with each other, with the column's type and with the number of values;
/// - pages of codec ZSTD are frames and blocks with well-formed headers and tables; they and pages of codec GZIP are
///   decompressed on the host to what their headers say (compressed_check.hpp); pages of codec LZ4_RAW are blocks that
///   stand for exactly that;
/// - decompressed, pages have the levels, dictionary entries, indices, lengths and values that they should have, as far
///   as libcudf's decoders depend on it (kernels/page_contents.hpp).
/// (BROTLI is refused: support/parquet_column.hpp.)
///
/// Else throws CorruptFile, "FILE, column NAME, page N: WHAT: the file is damaged", or NotSupportedOnGpu for a page
/// that may be sound, but is more than libcudf can read. Chunks that `checked` has are passed over, the others are
/// added to it. Allocates from `mr` what bad_contents.hpp says. Synchronizes the stream.
void check_pages(std::span<const StoredChunk> chunks, CheckedChunks& checked, cuda::stream_ref stream,
                 rmm::device_async_resource_ref mr);

/// Which of the chunks are to be decompressed by expand_chunks: those of codec SNAPPY that were not seen before, and if
/// there are few pages, those of large ones.
std::vector<bool> choose_expanded(std::span<const StoredChunk> chunks, CheckedChunks& checked);

/// Chunks of codec SNAPPY as chunks of codec UNCOMPRESSED (kernels/expand_pages.hpp). Their pages must be streams of
/// exactly the length that their headers say; what they become is checked as check_pages does. Throws as check_pages
/// does, and adds the chunks to `checked`. Synchronizes the stream.
kernels::ExpandedChunks expand_chunks(std::span<const StoredChunk> chunks, CheckedChunks& checked,
                                      cuda::stream_ref stream, rmm::device_async_resource_ref mr);

/// Those of the chunks whose large pages of PLAIN texts were cut into small ones (kernels/cut_pages.hpp): of codec
/// UNCOMPRESSED, or as expand_chunks made them, and checked. None where there are many pages: then a decoder has enough
/// to do at once. Synchronizes the stream.
kernels::CutChunks cut_chunks(std::span<const StoredChunk> chunks, CheckedChunks& checked, cuda::stream_ref stream,
                              rmm::device_async_resource_ref mr);

}  // namespace weft::gpu
