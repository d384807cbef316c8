// TPC-H as Parquet for tests, made by DuckDB's own dbgen: needs no other program and no network.
#pragma once

#include <string>

namespace weft::tests {

/// Writes FOLDER/<table>/part.N.parquet, two files for each large table. `sf` as text: "0.01".
void write_tpch(const std::string& folder, const std::string& sf);

}  // namespace weft::tests
