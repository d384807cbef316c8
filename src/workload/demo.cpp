#include "workload/demo.hpp"

#include <fmt/format.h>

#include <ostream>

#include "workload/power_run.hpp"
#include "workload/small_queries.hpp"
#include "workload/tpch.hpp"

namespace weft::workload {
namespace {

constexpr uint32_t kWarmups = 1;
constexpr uint32_t kIterations = 1;

/// "yes", or why not.
std::string supported_text(session::Connection& weft, const std::string& sql) {
  const sql::StatementReport report = weft.check(sql);
  if (report.where == "gpu") return "yes";
  const std::string reasons = reasons_text(report);
  return reasons.empty() ? report.where : reasons;
}

struct Row {
  MeasuredQuery gpu;  // unmeasured without a GPU
  MeasuredQuery cpu;
  Verdict parity = Verdict::Unchecked;
  std::string detail;
  std::string plan;  // without a GPU: would it run there
};

std::string time_text(const QueryResult& result) {
  return result.ms.empty() ? (result.error.empty() ? "-" : "failed") : fmt::format("{:.1f}", median(result.ms));
}

bool failed(const Row& row) {
  return !row.gpu.result.error.empty() || !row.cpu.result.error.empty() || row.parity == Verdict::Different;
}

Row run_row(session::Connection& weft, session::Connection& plain, uint32_t number, double sf, bool has_gpu,
            const DemoOptions& options) {
  Row row;
  const std::string sql = suite_query(plain, tpch(), number);
  const std::string label = std::to_string(number);
  row.cpu = measure_query(plain, label, sql, kWarmups, kIterations);
  if (has_gpu) {
    row.gpu = measure_query(weft, label, sql, kWarmups, kIterations);
  } else {
    row.plan = supported_text(weft, sql);
  }
  const ResultTable& answer = has_gpu ? row.gpu.answer : row.cpu.answer;
  if (!row.cpu.result.error.empty() || !row.gpu.result.error.empty()) {
    row.detail = row.cpu.result.error + row.gpu.result.error;
    return row;
  }
  if (has_gpu) {
    const Comparison comparison = check_answers(plain, sql, row.cpu.answer, answer);
    row.parity = comparison.verdict;
    row.detail = comparison.detail;
  }
  row.parity =
      worst(row.parity, check_published(plain, {tpch(), sf, number, options.answers_dir}, sql, answer, row.detail));
  return row;
}

void print_row(const Row& row, uint32_t number, bool has_gpu, std::ostream& out) {
  if (has_gpu) {
    const std::string where = row.gpu.result.where + (row.gpu.result.where == "gpu" ? "" : " " + row.gpu.reasons);
    out << fmt::format("{:>5}  {:>9}  {:>9}  {:<6}  {}\n", fmt::format("Q{}", number), time_text(row.gpu.result),
                       time_text(row.cpu.result), where, to_string(row.parity));
  } else {
    out << fmt::format("{:>5}  {:>9}  {:>9}  {:<6}  {:<12}  {}\n", fmt::format("Q{}", number), "-",
                       time_text(row.cpu.result), "cpu", to_string(row.parity), row.plan);
  }
  if (!row.detail.empty()) out << "       " << row.detail << "\n";
  out << std::flush;
}

}  // namespace

bool demo(const DemoOptions& options, std::ostream& out) {
  session::OpenOptions weft_open;
  weft_open.backend = options.backend;
  weft_open.logger = options.logger;
  weft_open.settings = small_on_gpu({});
  session::OpenOptions plain_open;
  plain_open.engine = "duckdb";
  const auto weft_engine = session::open_engine(weft_open);
  const auto plain_engine = session::open_engine(plain_open);
  const auto weft = weft_engine->connect();
  const auto plain = plain_engine->connect();
  open_suite(*weft, tpch(), options.data);
  const DataSummary data = open_suite(*plain, tpch(), options.data);
  const auto device = weft->device();
  if (device) {
    out << fmt::format("TPC-H SF {} on {} and on DuckDB's CPU engine, {:.2f} GB of Parquet, second run\n", data.sf,
                       device->name, static_cast<double>(data.bytes) / 1e9);
    out << fmt::format("{:>5}  {:>9}  {:>9}  {:<6}  {}\n", "query", "GPU ms", "CPU ms", "where", "parity");
  } else {
    out << "No GPU, so everything runs on the CPU: " << weft->no_device_reason() << "\n";
    out << fmt::format("TPC-H SF {}, {:.2f} GB of Parquet, second run; parity is with DuckDB's published answers\n",
                       data.sf, static_cast<double>(data.bytes) / 1e9);
    out << fmt::format("{:>5}  {:>9}  {:>9}  {:<6}  {:<12}  {}\n", "query", "GPU ms", "CPU ms", "where", "parity",
                       "plan supported on a GPU");
  }
  bool ok = true;
  double gpu_ms = 0;
  double cpu_ms = 0;
  for (uint32_t number = 1; number <= tpch().queries; ++number) {
    const Row row = run_row(*weft, *plain, number, data.sf, device.has_value(), options);
    print_row(row, number, device.has_value(), out);
    ok = ok && !failed(row);
    gpu_ms += median(row.gpu.result.ms);
    cpu_ms += median(row.cpu.result.ms);
  }
  out << fmt::format("{:>5}  {:>9}  {:>9.1f}\n", "total", device ? fmt::format("{:.1f}", gpu_ms) : "-", cpu_ms);
  return ok;
}

}  // namespace weft::workload
