#include "workload/suite.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>

#include "workload/duckdb_text.hpp"
#include "workload/tpcds.hpp"
#include "workload/tpch.hpp"

namespace weft::workload {
namespace {

namespace fs = std::filesystem;

bool has_parquet(const fs::path& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".parquet") return true;
  }
  return false;
}

bool has_parts(const fs::path& folder, const std::string& table) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.rfind(table + ".", 0) == 0 && name != table + ".parquet" && entry.path().extension() == ".parquet") {
      return true;
    }
  }
  return false;
}

std::string table_pattern(const Suite& suite, const fs::path& dir, const std::string& table) {
  if (has_parquet(dir / table)) return (dir / table / "*.parquet").string();
  if (has_parts(dir, table)) return (dir / (table + ".*.parquet")).string();
  if (fs::exists(dir / (table + ".parquet"))) return (dir / (table + ".parquet")).string();
  throw Exception(ErrorCode::InvalidInput, "there are no Parquet files of " + table + " in " + dir.string() +
                                               ": make them with 'weft " + suite.name + " generate --sf N --out " +
                                               dir.string() + "'");
}

uint64_t number(const Cell& cell) { return cell.kind == Cell::Kind::Text ? std::stoull(cell.text) : 0; }

}  // namespace

const std::vector<const Suite*>& suites() {
  static const std::vector<const Suite*> all = {&tpch(), &tpcds()};
  return all;
}

const Suite& find_suite(const std::string& name) {
  std::string names;
  for (const Suite* suite : suites()) {
    if (suite->name == name) return *suite;
    names += (names.empty() ? "" : " or ") + suite->name;
  }
  throw Exception(ErrorCode::InvalidInput, "there is no suite '" + name + "': it is " + names);
}

DataSummary open_suite(session::Connection& connection, const Suite& suite, const std::string& dir) {
  DataSummary data;
  for (const auto& table : suite.tables) {
    const std::string pattern = sql_text(table_pattern(suite, fs::absolute(dir), table));
    run_query(connection, "CREATE OR REPLACE VIEW " + table + " AS SELECT * FROM read_parquet(" + pattern + ")");
    const ResultTable counted = run_query(
        connection, "SELECT count(*), sum(num_rows), sum(file_size_bytes) FROM parquet_file_metadata(" + pattern + ")");
    const auto& row = counted.rows.at(0);
    data.files += number(row[0]);
    data.rows += number(row[1]);
    data.bytes += number(row[2]);
    if (table == suite.scale_table) data.sf = suite.scale_of(number(row[1]));
  }
  return data;
}

std::string suite_query(session::Connection& plain, const Suite& suite, uint32_t number) {
  const ResultTable table =
      run_query(plain, "SELECT query FROM " + suite.query_function + " WHERE query_nr = " + std::to_string(number));
  if (table.rows.empty()) {
    throw Exception(ErrorCode::InvalidInput, suite.title + " has no query " + std::to_string(number) +
                                                 ": they are 1 to " + std::to_string(suite.queries));
  }
  std::string text = table.rows[0][0].text;
  while (!text.empty() && (text.back() == ';' || std::isspace(static_cast<unsigned char>(text.back())) != 0)) {
    text.pop_back();
  }
  return text;
}

std::vector<uint32_t> parse_query_list(const Suite& suite, const std::string& text) {
  std::set<uint32_t> numbers;
  const auto fail = [&] {
    throw Exception(ErrorCode::InvalidInput, "'" + text + "' is no list of queries: write numbers from 1 to " +
                                                 std::to_string(suite.queries) + ", such as 1,6,14-16");
  };
  const auto parse = [&](const std::string& word) {
    uint32_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || value < 1 || value > suite.queries) fail();
    return value;
  };
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, ',');) {
    const auto dash = word.find('-');
    const uint32_t first = parse(word.substr(0, dash));
    const uint32_t last = dash == std::string::npos ? first : parse(word.substr(dash + 1));
    if (last < first) fail();
    for (uint32_t i = first; i <= last; ++i) numbers.insert(i);
  }
  if (numbers.empty()) {
    if (!text.empty()) fail();
    for (uint32_t i = 1; i <= suite.queries; ++i) numbers.insert(i);
  }
  return {numbers.begin(), numbers.end()};
}

std::filesystem::path answers_folder(const Suite& suite, double sf, const std::string& answers_dir) {
  const std::string scale = "sf" + scale_text(sf);
  if (!answers_dir.empty()) return fs::path(answers_dir) / scale;
  const char* given = std::getenv(suite.answers_variable.c_str());
  if (given != nullptr && *given != '\0') return fs::path(given) / scale;
  return cache_dir() / "duckdb-2.0.1" / "answers" / suite.name / scale;
}

std::optional<ResultTable> published_answer(session::Connection& plain, const Suite& suite, double sf, uint32_t number,
                                            const ResultTable& like, const std::string& answers_dir) {
  const std::string name = suite.answer_prefix + (number < 10 ? "0" : "") + std::to_string(number) + ".csv";
  const fs::path file = answers_folder(suite, sf, answers_dir) / name;
  if (!fs::exists(file)) return std::nullopt;
  std::string columns;
  for (size_t i = 0; i < like.columns.size(); ++i) {
    columns += (i > 0 ? ", c" : "c") + std::to_string(i) + ": " + sql_text(like.columns[i].type.to_string());
  }
  ResultTable answer = run_query(plain, "SELECT * FROM read_csv(" + sql_text(file.string()) +
                                            ", auto_detect = false, delim = '|', header = true, quote = '\"', "
                                            "nullstr = " +
                                            sql_text(suite.answer_null) + ", columns = {" + columns + "})");
  answer.columns = like.columns;
  return answer;
}

std::filesystem::path cache_dir() {
  if (const char* given = std::getenv("WEFT_CACHE_DIR"); given != nullptr && *given != '\0') return given;
  const char* home = std::getenv("HOME");
  return fs::path(home == nullptr ? "." : home) / ".cache" / "weft";
}

std::string scale_text(double sf) {
  std::ostringstream text;
  text << sf;
  return text.str();
}

}  // namespace weft::workload
