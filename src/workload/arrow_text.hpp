// Values of Arrow arrays as cells: any type that DuckDB exports, nested ones too. Texts are DuckDB's (duckdb_text.hpp).
// Formats: https://arrow.apache.org/docs/format/CDataInterface.html#data-type-description-format-strings
#pragma once

#include <cstdint>
#include <string>

#include "workload/result_table.hpp"

namespace weft::workload {

/// The value at `index` (the array's own offset is added). Throws InternalError for a format that DuckDB does not use.
Cell arrow_cell(const ArrowSchema& type, const ArrowArray& array, int64_t index);
/// Whether that value is NULL.
bool arrow_is_null(const ArrowSchema& type, const ArrowArray& array, int64_t index);

}  // namespace weft::workload
