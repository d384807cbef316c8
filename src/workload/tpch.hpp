// TPC-H: data through tpchgen-cli, views over it, DuckDB's query texts, DuckDB's published answers.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "workload/result_table.hpp"

namespace weft::workload {

struct TpchGenerate {
  double sf = 1;
  std::string out;     // made if it is missing; holds <table>/*.parquet afterwards
  uint32_t parts = 0;  // files per large table; 0: by the scale (1 to 64)
  std::string row_group_bytes = "128MB";
  bool overwrite = false;
};

/// Runs tpchgen-cli (WEFT_TPCHGEN, ~/.cache/weft/venv/bin, PATH), its progress on `out`. Does nothing if the folder
/// already holds this scale. Throws LibraryMissing that says how to install it, IoError with its message.
void generate_tpch(const TpchGenerate& options, std::ostream& out);

struct DataSummary {
  uint64_t files = 0, bytes = 0, rows = 0;
  double sf = 0;  // found from the number of suppliers
};

/// CREATE VIEW for the 8 tables over DIR/<table>/*.parquet, DIR/<table>.*.parquet or DIR/<table>.parquet, and counts.
/// Throws InvalidInput that names the table without files and says how to make them.
DataSummary open_tpch(session::Connection& connection, const std::string& dir);

constexpr uint32_t kTpchQueries = 22;
/// DuckDB's text of query 1 to 22, from tpch_queries().
std::string tpch_query(session::Connection& plain, uint32_t number);
/// "1,6,14-16" as numbers; "" is all. Throws InvalidInput.
std::vector<uint32_t> parse_query_list(const std::string& text);

/// DuckDB's published answer (0.01, 0.1, 1, 10, 100), read from `answers_dir` ("": WEFT_TPCH_ANSWERS, else
/// ~/.cache/weft/duckdb-2.0.1/answers/tpch); the columns get the types of `like`. nullopt: there is none.
std::optional<ResultTable> tpch_answer(session::Connection& plain, double sf, uint32_t number, const ResultTable& like,
                                       const std::string& answers_dir);

}  // namespace weft::workload
