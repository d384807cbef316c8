// Table functions and tables: Parquet files become plan::Scan, all else stays with DuckDB.
#pragma once

#include <optional>
#include <string>

#include "sql/translate/relation.hpp"

namespace duckdb {
class LogicalGet;
}

namespace weft::sql {

struct ScanTranslation {
  std::optional<Relation> relation;  // of a plan::Scan; none: DuckDB reads, for the reasons in `why`
  RefusalList why;                   // HostTable, UnsupportedFile, or what the GPU cannot do in this scan
  std::string description;           // for people: "table lineitem", "read_csv"
};

/// Looks at the size and modification time of each file, and at the first one's footer.
ScanTranslation translate_scan(duckdb::ClientContext& context, duckdb::LogicalGet& get, ExpressionList& expressions);

}  // namespace weft::sql
