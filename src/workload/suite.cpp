#include "workload/suite.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <set>
#include <sstream>

namespace weft::workload {
namespace {

namespace fs = std::filesystem;

const std::array<Suite, 2>& suites() {
  static const std::array<Suite, 2> all = {
      Suite{"tpch",
            "TPC-H",
            {"region", "nation", "supplier", "customer", "part", "partsupp", "orders", "lineitem"},
            22,
            "tpch_queries",
            "supplier",
            10000,
            "WEFT_TPCH_ANSWERS",
            "q",
            ""},
      Suite{"tpcds",
            "TPC-DS",
            {"call_center",
             "catalog_page",
             "catalog_returns",
             "catalog_sales",
             "customer",
             "customer_address",
             "customer_demographics",
             "date_dim",
             "household_demographics",
             "income_band",
             "inventory",
             "item",
             "promotion",
             "reason",
             "ship_mode",
             "store",
             "store_returns",
             "store_sales",
             "time_dim",
             "warehouse",
             "web_page",
             "web_returns",
             "web_sales",
             "web_site"},
            99,
            "tpcds_queries",
            "store_sales",
            2880000,
            "WEFT_TPCDS_ANSWERS",
            "",
            "NULL"},
  };
  return all;
}

/// Rows over rows a scale, to two digits: tables come a little short of, or past, an exact multiple.
double scale_of(double rows, double rows_per_scale) {
  if (rows <= 0) return 0;
  const double scale = rows / rows_per_scale;
  const double unit = std::pow(10, std::floor(std::log10(scale)) - 1);
  const double rounded = std::round(scale / unit);
  // Divided where it can be, so that 0.01 is the nearest double to 0.01.
  return unit < 1 ? rounded / std::round(1 / unit) : rounded * unit;
}

std::string read_file(const fs::path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

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
                                               ": make them with 'weft " + suite.name + " generate --sf 1 --out " +
                                               dir.string() + "'");
}

fs::path cache_dir() {
  if (const char* given = std::getenv("WEFT_CACHE_DIR"); given != nullptr && *given != '\0') return given;
  const char* home = std::getenv("HOME");
  return fs::path(home == nullptr ? "." : home) / ".cache" / "weft";
}

uint64_t number(const Cell& cell) { return cell.kind == Cell::Kind::Text ? std::stoull(cell.text) : 0; }

fs::path marker_file(const Suite& suite, const std::string& folder) {
  return fs::path(folder) / ("weft_" + suite.name + ".txt");
}

}  // namespace

const Suite& find_suite(const std::string& name) {
  std::string names;
  for (const Suite& suite : suites()) {
    if (suite.name == name) return suite;
    names += (names.empty() ? "" : " or ") + suite.name;
  }
  throw Exception(ErrorCode::InvalidInput, "there is no benchmark '" + name + "': it is " + names);
}

DataSummary open_data(const Suite& suite, session::Connection& connection, const std::string& dir) {
  DataSummary data;
  for (const std::string& table : suite.tables) {
    const std::string pattern = sql_text(table_pattern(suite, fs::absolute(dir), table));
    run_query(connection, "CREATE OR REPLACE VIEW " + table + " AS SELECT * FROM read_parquet(" + pattern + ")");
    const ResultTable counted = run_query(
        connection, "SELECT count(*), sum(num_rows), sum(file_size_bytes) FROM parquet_file_metadata(" + pattern + ")");
    const auto& row = counted.rows.at(0);
    data.files += number(row[0]);
    data.rows += number(row[1]);
    data.bytes += number(row[2]);
    if (table == suite.scale_table) data.sf = scale_of(static_cast<double>(number(row[1])), suite.rows_per_scale);
  }
  return data;
}

std::string query_text(const Suite& suite, session::Connection& plain, uint32_t number) {
  const ResultTable table =
      run_query(plain, "SELECT query FROM " + suite.query_function + "() WHERE query_nr = " + std::to_string(number));
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

std::optional<ResultTable> published_answer(const Suite& suite, session::Connection& plain, double sf, uint32_t number,
                                            const ResultTable& like, const std::string& answers_dir) {
  fs::path folder = answers_dir;
  if (folder.empty()) {
    const char* given = std::getenv(suite.answers_variable.c_str());
    folder =
        given != nullptr && *given != '\0' ? fs::path(given) : cache_dir() / "duckdb-2.0.1" / "answers" / suite.name;
  }
  const std::string name = suite.answer_prefix + (number < 10 ? "0" : "") + std::to_string(number) + ".csv";
  const fs::path file = folder / ("sf" + scale_text(sf)) / name;
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

std::string scale_text(double sf) {
  std::ostringstream text;
  text << sf;
  return text.str();
}

std::string sql_text(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("''") : std::string(1, c);
  return out + "'";
}

bool holds_data(const Suite& suite, const std::string& folder, const std::string& marker, double sf, bool overwrite,
                std::ostream& out) {
  const fs::path file = marker_file(suite, folder);
  if (fs::exists(file) && !overwrite) {
    if (read_file(file) == marker) {
      out << suite.title << " SF" << scale_text(sf) << " is already in " << folder << "\n";
      return true;
    }
    throw Exception(ErrorCode::InvalidInput,
                    folder + " holds other " + suite.title + " data: name another folder, or give --overwrite");
  }
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) throw Exception(ErrorCode::IoError, "cannot make the folder " + folder + ": " + failed.message());
  fs::remove(file);
  return false;
}

void write_marker(const Suite& suite, const std::string& folder, const std::string& marker) {
  std::ofstream(marker_file(suite, folder)) << marker;
}

}  // namespace weft::workload
