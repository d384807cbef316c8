#include "workload/tpcds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <ostream>
#include <thread>

#include "workload/duckdb_text.hpp"

namespace weft::workload {
namespace {

namespace fs = std::filesystem;

constexpr double kStoreSalesPerScale = 2880000;
/// DuckDB encodes one file on several threads but writes it on one.
constexpr unsigned kThreadsPerFile = 4;
constexpr unsigned kMaxFilesAtOnce = 8;

/// store_sales has a random number of rows, near a multiple of the scale: two digits of the quotient are certain.
double scale_of_store_sales(uint64_t rows) {
  if (rows == 0) return 0;
  const double scale = static_cast<double>(rows) / kStoreSalesPerScale;
  const double unit = std::pow(10, std::floor(std::log10(scale)) - 1);
  // Through a text: 3 * 0.001 is not the double 0.003 that a user gives.
  return std::stod(fmt::format("{:.4g}", std::round(scale / unit) * unit));
}

uint64_t parse_rows(const std::string& text) {
  const bool digits = !text.empty() && text.size() < 10 && text.find_first_not_of("0123456789") == std::string::npos;
  const uint64_t rows = digits ? std::stoull(text) : 0;
  if (rows == 0) throw Exception(ErrorCode::InvalidInput, "--row-group-rows is a number of rows, not '" + text + "'");
  return rows;
}

struct TableCopy {
  std::string name;
  uint64_t rows = 0;
  uint64_t files = 0;
  std::atomic<uint64_t> open_files{0};
};

struct FileCopy {
  TableCopy* table = nullptr;
  uint64_t number = 0;
  uint64_t from = 0, to = 0;  // row ids
};

/// Copies the tables of a DuckDB to files, several at once, and drops each table when its last file is written.
class ParquetCopy {
 public:
  ParquetCopy(session::Engine& engine, const GenerateOptions& options, std::ostream& out)
      : engine_(engine), folder_(options.out), row_group_rows_(parse_rows(options.row_group)), out_(out) {
    const auto connection = engine.connect();
    for (const auto& name : tpcds().tables) add_table(*connection, name, options.parts);
  }

  /// Throws the first error.
  void run() {
    const unsigned threads = std::clamp(std::thread::hardware_concurrency() / kThreadsPerFile, 1U, kMaxFilesAtOnce);
    std::vector<std::thread> workers;
    for (unsigned i = 0; i < threads; ++i) workers.emplace_back([this] { work(); });
    for (auto& worker : workers) worker.join();
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  /// Files of whole row groups, so that no file ends in many small ones.
  void add_table(session::Connection& connection, const std::string& name, uint64_t parts) {
    auto table = std::make_unique<TableCopy>();
    table->name = name;
    table->rows = std::stoull(run_query(connection, "SELECT count(*) FROM " + name).rows.at(0).at(0).text);
    const uint64_t row_groups = std::max<uint64_t>(1, (table->rows + row_group_rows_ - 1) / row_group_rows_);
    const uint64_t file_rows = (row_groups + parts - 1) / parts * row_group_rows_;
    table->files = std::max<uint64_t>(1, (table->rows + file_rows - 1) / file_rows);
    table->open_files = table->files;
    fs::create_directories(folder_ / name);
    for (uint64_t i = 0; i < table->files; ++i) {
      files_.push_back({table.get(), i + 1, i * file_rows, (i + 1) * file_rows});
    }
    tables_.push_back(std::move(table));
  }

  void work() {
    try {
      const auto connection = engine_.connect();
      for (size_t i = next_++; i < files_.size() && !stop_; i = next_++) copy(*connection, files_[i]);
    } catch (...) {
      const std::lock_guard<std::mutex> guard(mutex_);
      if (!failure_) failure_ = std::current_exception();
      stop_ = true;
    }
  }

  void copy(session::Connection& connection, const FileCopy& file) {
    TableCopy& table = *file.table;
    const fs::path path = folder_ / table.name / fmt::format("{}.{}.parquet", table.name, file.number);
    run_query(connection, fmt::format("COPY (SELECT * FROM {} WHERE rowid >= {} AND rowid < {}) TO {} (FORMAT parquet, "
                                      "ROW_GROUP_SIZE {})",
                                      table.name, file.from, file.to, sql_text(path.string()), row_group_rows_));
    if (--table.open_files > 0) return;
    run_query(connection, "DROP TABLE " + table.name);
    const std::lock_guard<std::mutex> guard(mutex_);
    out_ << fmt::format("  {:<24}{:>12} rows{:>5} files\n", table.name, table.rows, table.files) << std::flush;
  }

  session::Engine& engine_;
  const fs::path folder_;
  const uint64_t row_group_rows_;
  std::ostream& out_;
  std::vector<std::unique_ptr<TableCopy>> tables_;
  std::vector<FileCopy> files_;
  std::atomic<size_t> next_{0};
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::exception_ptr failure_;
};

void generate_and_copy(const GenerateOptions& options, const fs::path& spill, std::ostream& out) {
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  session::OpenOptions open;
  open.engine = "duckdb";
  const auto engine = session::open_engine(open);
  const auto connection = engine->connect();
  run_query(*connection, "SET temp_directory = " + sql_text(spill.string()));
  run_query(*connection, "CALL dsdgen(sf = " + scale_text(options.sf) + ")");
  out << fmt::format("  made in memory in {:.1f} s\n", seconds()) << std::flush;
  ParquetCopy(*engine, options, out).run();
  out << fmt::format("  written after {:.1f} s\n", seconds()) << std::flush;
}

void write_tpcds(const GenerateOptions& options, std::ostream& out) {
  parse_rows(options.row_group);
  const fs::path spill = fs::path(options.out) / "weft_spill";
  std::error_code ignored;
  try {
    generate_and_copy(options, spill, out);
  } catch (const std::exception& e) {
    fs::remove_all(spill, ignored);
    const std::string message = e.what();
    if (message.find("No space left on device") == std::string::npos) throw;
    throw Exception(ErrorCode::IoError,
                    fmt::format("the disk of {} is full ({:.1f} GB free): TPC-DS SF{} needs about "
                                "{:.1f} GB, and room for what does not fit into memory; {}",
                                options.out, static_cast<double>(fs::space(options.out, ignored).available) / 1e9,
                                scale_text(options.sf), tpcds().bytes_per_scale * options.sf / 1e9, message));
  }
  fs::remove_all(spill, ignored);
}

Suite describe() {
  Suite suite;
  suite.name = "tpcds";
  suite.title = "TPC-DS";
  // The largest first: their memory is given back early.
  suite.tables = {"store_sales",
                  "catalog_sales",
                  "web_sales",
                  "inventory",
                  "store_returns",
                  "catalog_returns",
                  "web_returns",
                  "customer",
                  "customer_address",
                  "customer_demographics",
                  "item",
                  "catalog_page",
                  "time_dim",
                  "date_dim",
                  "household_demographics",
                  "promotion",
                  "store",
                  "call_center",
                  "web_page",
                  "web_site",
                  "warehouse",
                  "reason",
                  "ship_mode",
                  "income_band"};
  suite.queries = 99;
  suite.query_function = "tpcds_queries()";
  suite.answer_null = "NULL";
  suite.answers_variable = "WEFT_TPCDS_ANSWERS";
  suite.scale_table = "store_sales";
  suite.scale_of = scale_of_store_sales;
  suite.bytes_per_scale = 0.32e9;
  suite.row_group_setting = "row_group_rows";
  suite.row_group_help = "Rows of a row group";
  suite.row_group_default = "122880";
  suite.write = write_tpcds;
  return suite;
}

}  // namespace

const Suite& tpcds() {
  static const Suite suite = describe();
  return suite;
}

}  // namespace weft::workload
