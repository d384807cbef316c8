#include "workload/tpch.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <set>
#include <sstream>

#include "workload/process.hpp"

namespace weft::workload {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 8> kTables = {"region", "nation",   "supplier", "customer",
                                                "part",   "partsupp", "orders",   "lineitem"};
constexpr const char* kMarker = "weft_tpch.txt";
constexpr double kSuppliersPerScale = 10000;

std::string sql_text(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("''") : std::string(1, c);
  return out + "'";
}

std::string scale_text(double sf) {
  std::ostringstream text;
  text << sf;
  return text.str();
}

fs::path cache_dir() {
  if (const char* given = std::getenv("WEFT_CACHE_DIR"); given != nullptr && *given != '\0') return given;
  const char* home = std::getenv("HOME");
  return fs::path(home == nullptr ? "." : home) / ".cache" / "weft";
}

std::string find_tpchgen() {
  std::vector<fs::path> candidates;
  if (const char* given = std::getenv("WEFT_TPCHGEN"); given != nullptr && *given != '\0')
    candidates.emplace_back(given);
  candidates.push_back(cache_dir() / "venv" / "bin" / "tpchgen-cli");
  std::istringstream path(std::getenv("PATH") == nullptr ? "" : std::getenv("PATH"));
  for (std::string folder; std::getline(path, folder, ':');) candidates.push_back(fs::path(folder) / "tpchgen-cli");
  for (const auto& candidate : candidates) {
    if (access(candidate.c_str(), X_OK) == 0) return candidate.string();
  }
  throw Exception(ErrorCode::LibraryMissing,
                  "tpchgen-cli was not found: run tools/deps, or install it with 'pip install tpchgen-cli'");
}

uint32_t parts_of(double sf) {
  if (sf < 0.5) return 2;
  if (sf < 5) return 4;
  if (sf < 50) return 16;
  return 64;
}

std::string marker_text(const TpchGenerate& options, uint32_t parts) {
  return "sf " + scale_text(options.sf) + "\nparts " + std::to_string(parts) + "\nrow_group_bytes " +
         options.row_group_bytes + "\n";
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

std::string table_pattern(const fs::path& dir, const std::string& table) {
  if (has_parquet(dir / table)) return (dir / table / "*.parquet").string();
  if (has_parts(dir, table)) return (dir / (table + ".*.parquet")).string();
  if (fs::exists(dir / (table + ".parquet"))) return (dir / (table + ".parquet")).string();
  throw Exception(ErrorCode::InvalidInput, "there are no Parquet files of " + table + " in " + dir.string() +
                                               ": make them with 'weft tpch generate --sf 1 --out " + dir.string() +
                                               "'");
}

uint64_t number(const Cell& cell) { return cell.kind == Cell::Kind::Text ? std::stoull(cell.text) : 0; }

}  // namespace

void generate_tpch(const TpchGenerate& options, std::ostream& out) {
  if (!(options.sf > 0)) throw Exception(ErrorCode::InvalidInput, "--sf must be above 0");
  if (options.out.empty()) throw Exception(ErrorCode::InvalidInput, "--out needs a folder");
  const uint32_t parts = options.parts > 0 ? options.parts : parts_of(options.sf);
  const fs::path folder = options.out;
  const std::string marker = marker_text(options, parts);
  if (fs::exists(folder / kMarker) && !options.overwrite) {
    if (read_file(folder / kMarker) == marker) {
      out << "TPC-H SF" << scale_text(options.sf) << " is already in " << folder.string() << "\n";
      return;
    }
    throw Exception(ErrorCode::InvalidInput,
                    folder.string() + " holds other TPC-H data: name another folder, or give --overwrite");
  }
  const std::string program = find_tpchgen();
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) {
    throw Exception(ErrorCode::IoError, "cannot make the folder " + folder.string() + ": " + failed.message());
  }
  fs::remove(folder / kMarker);
  out << "Making TPC-H SF" << scale_text(options.sf) << " in " << folder.string() << ", " << parts
      << " files a large table" << std::endl;
  // --overwrite: without our marker the folder holds at most an interrupted run.
  const int status =
      run_program({program, "parquet", "--scale-factor", scale_text(options.sf), "--output-dir", folder.string(),
                   "--parts", std::to_string(parts), "--row-group-bytes", options.row_group_bytes, "--overwrite"});
  if (status != 0) {
    throw Exception(ErrorCode::IoError, "tpchgen-cli failed with status " + std::to_string(status) +
                                            "; its message is above (is there room in " + folder.string() + "?)");
  }
  std::ofstream(folder / kMarker) << marker;
}

DataSummary open_tpch(session::Connection& connection, const std::string& dir) {
  DataSummary data;
  for (const char* table : kTables) {
    const std::string pattern = sql_text(table_pattern(fs::absolute(dir), table));
    run_query(connection,
              std::string("CREATE OR REPLACE VIEW ") + table + " AS SELECT * FROM read_parquet(" + pattern + ")");
    const ResultTable counted = run_query(
        connection, "SELECT count(*), sum(num_rows), sum(file_size_bytes) FROM parquet_file_metadata(" + pattern + ")");
    const auto& row = counted.rows.at(0);
    data.files += number(row[0]);
    data.rows += number(row[1]);
    data.bytes += number(row[2]);
    if (std::string(table) == "supplier") data.sf = static_cast<double>(number(row[1])) / kSuppliersPerScale;
  }
  return data;
}

std::string tpch_query(session::Connection& plain, uint32_t number) {
  const ResultTable table =
      run_query(plain, "SELECT query FROM tpch_queries() WHERE query_nr = " + std::to_string(number));
  if (table.rows.empty()) {
    throw Exception(ErrorCode::InvalidInput, "TPC-H has no query " + std::to_string(number) + ": they are 1 to 22");
  }
  std::string text = table.rows[0][0].text;
  while (!text.empty() && (text.back() == ';' || std::isspace(static_cast<unsigned char>(text.back())) != 0)) {
    text.pop_back();
  }
  return text;
}

std::vector<uint32_t> parse_query_list(const std::string& text) {
  std::set<uint32_t> numbers;
  const auto fail = [&] {
    throw Exception(ErrorCode::InvalidInput, "'" + text + "' is no list of queries: write numbers from 1 to " +
                                                 std::to_string(kTpchQueries) + ", such as 1,6,14-16");
  };
  const auto parse = [&](const std::string& word) {
    uint32_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || value < 1 || value > kTpchQueries) fail();
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
    for (uint32_t i = 1; i <= kTpchQueries; ++i) numbers.insert(i);
  }
  return {numbers.begin(), numbers.end()};
}

std::optional<ResultTable> tpch_answer(session::Connection& plain, double sf, uint32_t number, const ResultTable& like,
                                       const std::string& answers_dir) {
  fs::path folder = answers_dir;
  if (folder.empty()) {
    const char* given = std::getenv("WEFT_TPCH_ANSWERS");
    folder = given != nullptr && *given != '\0' ? fs::path(given) : cache_dir() / "duckdb-2.0.1" / "answers" / "tpch";
  }
  const std::string name = (number < 10 ? "q0" : "q") + std::to_string(number) + ".csv";
  const fs::path file = folder / ("sf" + scale_text(sf)) / name;
  if (!fs::exists(file)) return std::nullopt;
  std::string columns;
  for (size_t i = 0; i < like.columns.size(); ++i) {
    columns += (i > 0 ? ", c" : "c") + std::to_string(i) + ": " + sql_text(like.columns[i].type.to_string());
  }
  ResultTable answer = run_query(plain, "SELECT * FROM read_csv(" + sql_text(file.string()) +
                                            ", auto_detect = false, delim = '|', header = true, quote = '\"', "
                                            "columns = {" +
                                            columns + "})");
  answer.columns = like.columns;
  return answer;
}

}  // namespace weft::workload
