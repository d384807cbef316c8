// What a benchmark suite is: its tables, DuckDB's texts of its queries, DuckDB's published answers, and how its data is
// made. bench, parity, demo and `weft <suite> generate` know a suite by this description alone.
#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "workload/result_table.hpp"

namespace weft::workload {

struct GenerateOptions {
  double sf = 1;
  std::string out;        // the folder: made if it is missing; holds <table>/*.parquet afterwards
  uint32_t parts = 0;     // files per large table; 0: by the scale (2 to 64)
  std::string row_group;  // in the suite's unit; "": the suite's default
  bool overwrite = false;
};

struct Suite {
  std::string name;   // "tpch": the word of the command line, of reports and of file names
  std::string title;  // "TPC-H"
  std::vector<std::string> tables;
  uint32_t queries = 0;          // they are numbered from 1
  std::string query_function;    // DuckDB's table function of (query_nr, query)
  std::string answer_prefix;     // of a published answer's file: "q" makes q01.csv
  std::string answer_null;       // how published answers write NULL
  std::string answers_variable;  // the environment variable that names their folder
  std::string scale_table;       // its number of rows tells the scale
  double (*scale_of)(uint64_t) = nullptr;
  double bytes_per_scale = 0;     // of the files, about
  std::string row_group_setting;  // "row_group_bytes": the flag is --row-group-bytes
  std::string row_group_help;
  std::string row_group_default;
  /// Writes <table>/*.parquet for each table into the empty folder `options.out`; every option is filled in.
  void (*write)(const GenerateOptions& options, std::ostream& out) = nullptr;
};

/// All suites; they live as long as the program.
const std::vector<const Suite*>& suites();
/// Throws InvalidInput that lists the suites.
const Suite& find_suite(const std::string& name);

struct DataSummary {
  uint64_t files = 0, bytes = 0, rows = 0;
  double sf = 0;  // found from the rows of Suite::scale_table
};

/// CREATE VIEW for each table over DIR/<table>/*.parquet, DIR/<table>.*.parquet or DIR/<table>.parquet, and counts.
/// Throws InvalidInput that names the table without files and says how to make them.
DataSummary open_suite(session::Connection& connection, const Suite& suite, const std::string& dir);

/// DuckDB's text of a query, without the semicolon. Throws InvalidInput if the suite has no such query.
std::string suite_query(session::Connection& plain, const Suite& suite, uint32_t number);
/// "1,6,14-16" as numbers; "" is all. Throws InvalidInput.
std::vector<uint32_t> parse_query_list(const Suite& suite, const std::string& text);

/// Where DuckDB's published answers of a scale are, if there are any: in `answers_dir` ("": the suite's variable, else
/// ~/.cache/weft/duckdb-2.0.1/answers/<suite>).
std::filesystem::path answers_folder(const Suite& suite, double sf, const std::string& answers_dir);

/// DuckDB's published answer, from answers_folder(); the columns get the types of `like`. nullopt: there is none for
/// this scale and query. Throws DuckDB's error if the file does not fit these columns.
std::optional<ResultTable> published_answer(session::Connection& plain, const Suite& suite, double sf, uint32_t number,
                                            const ResultTable& like, const std::string& answers_dir);

/// What tools/deps installed and downloaded: WEFT_CACHE_DIR, else ~/.cache/weft.
std::filesystem::path cache_dir();

/// A scale factor as it stands in file names and messages: "0.01", "100".
std::string scale_text(double sf);

}  // namespace weft::workload
