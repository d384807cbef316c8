// The stored bytes of column chunks, brought to the device before they are decoded.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <variant>

#include <cudf/io/datasource.hpp>
#include <cudf/io/parquet_schema.hpp>

#include "gpu/exec/task_context.hpp"
#include "gpu/io/checked_chunks.hpp"
#include "gpu/io/file_reader.hpp"
#include "gpu/io/stored_type.hpp"
#include "plan/node.hpp"

namespace weft::gpu {

struct FileRange {
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

/// Sorted, with ranges that touch or overlap made one.
std::vector<FileRange> merged_ranges(std::vector<FileRange> ranges);

struct ChunkRequest {
  FileRange range;
  std::string column;
  cudf::io::parquet::Compression codec = cudf::io::parquet::Compression::UNCOMPRESSED;
  StoredType type;
  int64_t values = 0;       // rows of the row group
  uint64_t page_bytes = 0;  // of the pages when decompressed, with their headers
};

struct FileRequest {
  const plan::ScanFile* file = nullptr;
  std::vector<ChunkRequest> chunks;
};

/// What libcudf's reader is given for one file.
struct LoadedFile {
  std::unique_ptr<cudf::io::datasource> source;
  /// The requested chunks, where the source has them: other places and another codec than the file's for those that
  /// were decompressed here, or cut into other pages.
  std::vector<ChunkRequest> chunks;
};

/// One per request, in their order. The sources give the chunks from device memory (allocated on context.stream from
/// context.mr, complete when this returns); anything else is read from the file when it is asked for. Throws IoError,
/// or CorruptFile if a file ends before a range does or a page is damaged (page_check.hpp).
std::vector<LoadedFile> read_stored_chunks(const TaskContext& context, FileReader& reader, CheckedChunks& checked,
                                           const std::vector<FileRequest>& requests);

}  // namespace weft::gpu
