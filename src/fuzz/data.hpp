// The tables of a round: their types, their values, and the SQL that makes them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fuzz/random.hpp"
#include "plan/type.hpp"

namespace weft::fuzz {

struct TableColumn {
  std::string name;
  plan::Type type;
  double bound = 0;  // of numbers: none is further from 0; of times: 1 if all are near the present, else infinity
};

struct Table {
  std::string name;
  std::vector<TableColumn> columns;
  std::vector<std::vector<std::optional<std::string>>> rows;  // as texts; nullopt: NULL
  bool has_id = false;                                        // column 0 numbers the rows
  bool parquet = false;                                       // a view over Parquet files, else a table of DuckDB
  uint32_t files = 1;
  std::string parquet_options;  // of COPY, behind the row group size: ", COMPRESSION zstd"
};

/// What one round of queries runs over. Deterministic.
std::vector<Table> make_tables(uint64_t seed);

/// Statements that make the tables; Parquet files go to FOLDER/<table>.<part>.parquet ("": the working folder).
std::vector<std::string> setup_sql(const std::vector<Table>& tables, const std::string& folder);
/// Statements that take them away again.
std::vector<std::string> drop_sql(const std::vector<Table>& tables);

}  // namespace weft::fuzz
