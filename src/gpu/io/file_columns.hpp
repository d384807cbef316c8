// Where a scan's columns are in one Parquet file, and of which type.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gpu/io/footer_cache.hpp"
#include "gpu/io/stored_type.hpp"
#include "plan/node.hpp"

namespace weft::gpu {

struct FileColumn {
  std::string name;  // as the file spells it
  size_t leaf = 0;   // position in RowGroup::columns
  plan::Type type;   // of the file's column, in DuckDB's sense
  StoredType stored;
};

/// Per ScanColumn: the file's column; nullopt for columns that are not read (constants, row numbers, missing with
/// null_if_missing). Throws InvalidInput for a missing column, NotSupportedOnGpu for a type or codec that libcudf
/// lacks, CorruptFile where the footer contradicts itself; all name file and column.
std::vector<std::optional<FileColumn>> resolve_columns(const plan::Scan& scan, const plan::ScanFile& file,
                                                       const cudf::io::parquet::FileMetaData& footer);

}  // namespace weft::gpu
