#include "workload/bench.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <ostream>

#include "workload/chart.hpp"
#include "workload/power_run.hpp"
#include "workload/process.hpp"
#include "workload/small_queries.hpp"

namespace weft::workload {
namespace {

namespace fs = std::filesystem;

/// One engine's run: its report and its answers, in the order of the queries.
struct EngineRun {
  Report report;
  std::vector<ResultTable> answers;
};

/// Every setting that may change times; paths and logging do not, and a path would name the machine.
std::map<std::string, std::string> settings_in_force(const BenchOptions& options) {
  const auto settings = small_on_gpu(options.settings);
  std::map<std::string, std::string> out;
  for (const auto& setting : session::settings()) {
    if (setting.name == "log_level" || setting.name == "kernel_cache_dir") continue;
    out["weft_" + std::string(setting.name)] = session::starting_value(setting, settings);
  }
  out["warmups"] = std::to_string(options.warmups);
  out["iterations"] = std::to_string(options.iterations);
  return out;
}

void check_scale(const BenchOptions& options, const DataSummary& data) {
  if (options.sf <= 0 || std::abs(options.sf - data.sf) <= 0.01 * options.sf) return;
  throw Exception(ErrorCode::InvalidInput,
                  fmt::format("--sf {} was given, but {} holds SF {}", options.sf, options.data, data.sf));
}

std::string peak_text(uint64_t bytes) {
  return bytes == 0 ? "" : fmt::format("  peak {:.2f} GiB", static_cast<double>(bytes) / (1ULL << 30));
}

void print_query(const QueryResult& result, const std::string& reasons, std::ostream& out) {
  if (!result.error.empty()) {
    out << fmt::format("  Q{:<3} FAILED: {}\n", result.query, result.error) << std::flush;
    return;
  }
  out << fmt::format("  Q{:<3} {:>10.1f} ms  cold {:>10.1f} ms  {:<5}  {}{}{}\n", result.query, median(result.ms),
                     result.cold_ms, result.where, to_string(result.parity), peak_text(result.peak_device_bytes),
                     result.where == "gpu" || reasons.empty() ? "" : "  (" + reasons + ")")
      << std::flush;
}

/// A benchmark of the GPU without one would time something else: it says what to ask for instead.
std::unique_ptr<session::Engine> open_measured(const session::OpenOptions& options) {
  try {
    return session::open_engine(options);
  } catch (const Exception& e) {
    if (options.backend != "gpu") throw;
    Error error = e.error();
    error.message += "; --engine cpu times DuckDB, --backend none times Weft on the CPU";
    throw Exception(std::move(error));
  }
}

/// Runs the queries in this process. `engine` is "gpu" (Weft) or "cpu" (plain DuckDB).
EngineRun run_engine(const BenchOptions& options, const std::string& engine, std::ostream& out) {
  session::OpenOptions open;
  open.engine = engine == "gpu" ? "weft" : "duckdb";
  open.backend = options.backend == "auto" ? "gpu" : options.backend;
  open.logger = options.logger;
  if (engine == "gpu") open.settings = small_on_gpu(options.settings);
  const auto measured_engine = open_measured(open);
  session::OpenOptions plain_open;
  plain_open.engine = "duckdb";
  const auto plain_engine = session::open_engine(plain_open);
  const auto connection = measured_engine->connect();
  const auto plain = plain_engine->connect();

  const Suite& suite = find_suite(options.suite);
  EngineRun run;
  run.report = new_report(options.suite, engine, *connection);
  run.report.data = open_suite(*connection, suite, options.data);
  open_suite(*plain, suite, options.data);
  check_scale(options, run.report.data);
  run.report.sf = run.report.data.sf;
  run.report.settings = settings_in_force(options);
  const std::string device = run.report.device.empty() ? "the CPU" : run.report.device;
  out << fmt::format("{} SF {} on {}: {} file{}, {:.2f} GB\n", suite.title, run.report.sf,
                     engine == "cpu" ? "DuckDB" : device, run.report.data.files, run.report.data.files == 1 ? "" : "s",
                     static_cast<double>(run.report.data.bytes) / 1e9);
  const auto answers = answers_folder(suite, run.report.sf, options.answers_dir);
  if (!std::filesystem::exists(answers)) out << "Answers are unchecked: there is no " << answers.string() << "\n";
  out << std::flush;
  for (const uint32_t number : parse_query_list(suite, options.queries)) {
    const std::string sql = suite_query(*plain, suite, number);
    MeasuredQuery query = measure_query(*connection, std::to_string(number), sql, options.warmups, options.iterations);
    std::string detail;
    if (query.result.error.empty()) {
      query.result.parity =
          check_published(*plain, {suite, run.report.sf, number, options.answers_dir}, sql, query.answer, detail);
    }
    print_query(query.result, query.reasons, out);
    if (!detail.empty()) out << "       " << detail << "\n";
    run.report.queries.push_back(std::move(query.result));
    run.answers.push_back(std::move(query.answer));
  }
  out << fmt::format("  total {:.1f} ms (sum of medians)\n", run.report.total_ms()) << std::flush;
  return run;
}

fs::path answer_file(const fs::path& folder, const std::string& query) { return folder / ("q" + query + ".answer"); }

/// A folder that goes away with this object.
class TemporaryFolder {
 public:
  TemporaryFolder() : path_(fs::temp_directory_path() / fmt::format("weft-bench-{}", getpid())) {
    fs::create_directories(path_);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// The cpu engine in a process of its own; its answers go to `folder`.
Report run_cpu_process(const BenchOptions& options, const fs::path& folder, std::ostream& out) {
  const fs::path file = folder / "cpu.json";
  std::vector<std::string> argv = {options.program.empty() ? this_program() : options.program,
                                   "bench",
                                   options.suite,
                                   "--engine",
                                   "cpu",
                                   "--cpu-process",
                                   "--data",
                                   fs::absolute(options.data).string(),
                                   "--warmups",
                                   std::to_string(options.warmups),
                                   "--iterations",
                                   std::to_string(options.iterations),
                                   "--results",
                                   folder.string(),
                                   "--out",
                                   file.string()};
  if (options.sf > 0) argv.insert(argv.end(), {"--sf", fmt::format("{}", options.sf)});
  if (!options.queries.empty()) argv.insert(argv.end(), {"--queries", options.queries});
  if (!options.answers_dir.empty()) argv.insert(argv.end(), {"--answers", options.answers_dir});
  out << std::flush;
  const int status = run_program(argv);
  if (!fs::exists(file)) {
    throw Exception(ErrorCode::IoError,
                    fmt::format("the process of the cpu engine ended with status {} and left no report", status));
  }
  Report report = read_report(file.string());
  report.settings = settings_in_force(options);
  return report;
}

/// Compares both engines' answers and puts the verdict into both reports.
void check_both(EngineRun& gpu, Report& cpu, const fs::path& folder, const BenchOptions& options, std::ostream& out) {
  session::OpenOptions plain_open;
  plain_open.engine = "duckdb";
  const auto plain_engine = session::open_engine(plain_open);
  const auto plain = plain_engine->connect();
  const Suite& suite = find_suite(options.suite);
  open_suite(*plain, suite, options.data);
  for (size_t i = 0; i < gpu.report.queries.size(); ++i) {
    QueryResult& ours = gpu.report.queries[i];
    QueryResult& theirs = cpu.queries.at(i);
    if (!ours.error.empty() || !theirs.error.empty()) continue;
    std::ifstream in(answer_file(folder, theirs.query));
    const std::string sql = suite_query(*plain, suite, static_cast<uint32_t>(std::stoul(ours.query)));
    const Comparison comparison = check_answers(*plain, sql, read_table(in), gpu.answers[i]);
    if (comparison.verdict != Verdict::Equal) {
      out << fmt::format("  Q{}: {}: {}\n", ours.query, to_string(comparison.verdict), comparison.detail);
    }
    ours.parity = worst(ours.parity, comparison.verdict);
    theirs.parity = worst(theirs.parity, comparison.verdict);
  }
}

void write_outputs(const BenchOptions& options, const BenchResult& result, std::ostream& out) {
  if (options.out.empty()) return;
  if (options.cpu_process) return write_report(*result.cpu, options.out);
  const fs::path file = options.out;
  std::vector<Report> reports;
  if (result.gpu) {
    write_report(*result.gpu, file.string());
    reports.push_back(*result.gpu);
    out << "wrote " << file.string() << "\n";
  }
  if (result.cpu) {
    const fs::path cpu_file = result.gpu ? fs::path(file).replace_extension(".cpu.json") : file;
    write_report(*result.cpu, cpu_file.string());
    reports.push_back(*result.cpu);
    out << "wrote " << cpu_file.string() << "\n";
  }
  const fs::path chart_file = fs::path(file).replace_extension(".svg");
  std::ofstream chart(chart_file);
  chart << bar_chart(reports, fmt::format("{} SF {}", find_suite(options.suite).title, reports.front().sf));
  chart.close();
  if (!chart) throw Exception(ErrorCode::IoError, "the chart cannot be written to " + chart_file.string());
  out << "wrote " << chart_file.string() << "\n";
}

void print_totals(const BenchResult& result, std::ostream& out) {
  if (!result.gpu) return;
  uint64_t peak = 0;
  for (const auto& query : result.gpu->queries) peak = std::max(peak, query.peak_device_bytes);
  out << fmt::format("Weft {:.1f} ms{}", result.gpu->total_ms(), peak_text(peak));
  if (result.cpu) {
    out << fmt::format(", CPU {:.1f} ms: {:.2f} times as fast", result.cpu->total_ms(),
                       result.cpu->total_ms() / std::max(1e-6, result.gpu->total_ms()));
  }
  out << "\n";
}

void check_options(const BenchOptions& options) {
  const auto fail = [](const std::string& what) { throw Exception(ErrorCode::InvalidInput, what); };
  const Suite& suite = find_suite(options.suite);
  if (options.engine != "gpu" && options.engine != "cpu" && options.engine != "both") {
    fail("there is no engine '" + options.engine + "': it is gpu, cpu or both");
  }
  if (options.data.empty()) fail("--data needs the folder of the data (see 'weft " + suite.name + " generate')");
  if (options.iterations == 0) fail("--iterations must be at least 1");
  parse_query_list(suite, options.queries);
  // Said now: after the runs it would cost their results.
  const fs::path folder = fs::path(options.out).parent_path();
  if (!options.out.empty() && (fs::is_directory(options.out) || !(folder.empty() || fs::is_directory(folder)))) {
    throw Exception(ErrorCode::IoError, "the report cannot be written to " + options.out);
  }
}

}  // namespace

bool BenchResult::ok() const {
  for (const auto* report : {&gpu, &cpu}) {
    if (!report->has_value()) continue;
    for (const auto& query : (*report)->queries) {
      if (!query.error.empty() || query.parity == Verdict::Different) return false;
    }
  }
  return true;
}

BenchResult bench(const BenchOptions& options, std::ostream& out) {
  check_options(options);
  BenchResult result;
  if (options.cpu_process) {
    EngineRun run = run_engine(options, "cpu", out);
    for (size_t i = 0; i < run.answers.size() && !options.results_dir.empty(); ++i) {
      std::ofstream file(answer_file(options.results_dir, run.report.queries[i].query));
      write_table(run.answers[i], file);
    }
    result.cpu = std::move(run.report);
    write_outputs(options, result, out);
    return result;
  }
  const TemporaryFolder folder;
  std::optional<EngineRun> gpu;
  if (options.engine != "cpu") gpu = run_engine(options, "gpu", out);
  if (options.engine != "gpu") result.cpu = run_cpu_process(options, folder.path(), out);
  if (gpu && result.cpu) check_both(*gpu, *result.cpu, folder.path(), options, out);
  if (gpu) result.gpu = std::move(gpu->report);
  print_totals(result, out);
  write_outputs(options, result, out);
  return result;
}

}  // namespace weft::workload
