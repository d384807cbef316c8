// The benchmarks that Weft runs, as data: tables, queries, DuckDB's published answers. What bench, parity and demo do
// is the same for each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "workload/result_table.hpp"

namespace weft::workload {

struct Suite {
  std::string name;   // "tpch": in commands and reports
  std::string title;  // "TPC-H"
  std::vector<std::string> tables;
  uint32_t queries = 0;          // numbered from 1
  std::string query_function;    // DuckDB's table function of their texts
  std::string scale_table;       // its rows grow with the scale alone,
  double rows_per_scale = 0;     // by so many
  std::string answers_variable;  // environment variable that names the folder of published answers
  std::string answer_prefix;     // of a file's name: "q" for q01.csv
  std::string answer_null;       // how an answer spells NULL; "": as an empty field
};

/// "tpch" or "tpcds". Throws InvalidInput that lists them.
const Suite& find_suite(const std::string& name);

struct DataSummary {
  uint64_t files = 0, bytes = 0, rows = 0;
  double sf = 0;  // found from the rows of Suite::scale_table
};

/// CREATE VIEW for the tables over DIR/<table>/*.parquet, DIR/<table>.*.parquet or DIR/<table>.parquet, and counts.
/// Throws InvalidInput that names the table without files and says how to make them.
DataSummary open_data(const Suite& suite, session::Connection& connection, const std::string& dir);

/// DuckDB's text of a query, without a semicolon.
std::string query_text(const Suite& suite, session::Connection& plain, uint32_t number);
/// "1,6,14-16" as numbers; "" is all. Throws InvalidInput.
std::vector<uint32_t> parse_query_list(const Suite& suite, const std::string& text);

/// DuckDB's published answer, read from `answers_dir` ("": Suite::answers_variable, else
/// ~/.cache/weft/duckdb-2.0.1/answers/<name>); the columns get the types of `like`. nullopt: there is none.
std::optional<ResultTable> published_answer(const Suite& suite, session::Connection& plain, double sf, uint32_t number,
                                            const ResultTable& like, const std::string& answers_dir);

/// Shared by the makers of data. A scale as people write it: 1, 0.01, 100.
std::string scale_text(double sf);
/// A text as a SQL literal.
std::string sql_text(const std::string& text);

/// What the marker file of a data folder says against what is asked for: true if the folder holds exactly that already
/// (said on `out`). Throws InvalidInput if it holds something else and `overwrite` is not set, IoError if the folder
/// cannot be made. Otherwise the folder is there, without a marker.
bool holds_data(const Suite& suite, const std::string& folder, const std::string& marker, double sf, bool overwrite,
                std::ostream& out);
/// The last step of making data.
void write_marker(const Suite& suite, const std::string& folder, const std::string& marker);

}  // namespace weft::workload
