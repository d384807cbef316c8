// The beginning of a Parquet file's footer: what planning must know of a file and DuckDB's binder keeps to itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft::sql {

/// A column of the first row group that is no part of a nested one. Numbers are those of parquet.thrift.
struct ParquetChunk {
  std::string column;
  int32_t physical_type = 0;
  int32_t codec = 0;
};

/// Reads the footer of a local file as far as its first row group (Thrift's compact protocol): a few microseconds for a
/// usual file. Empty if there are no row groups, and if this is no plain Parquet footer: whoever reads the file says
/// so.
std::vector<ParquetChunk> first_row_group(const std::string& path);
/// The same of the bytes of a footer, without the length and magic behind it.
std::vector<ParquetChunk> first_row_group_of(const std::string& footer);

}  // namespace weft::sql
