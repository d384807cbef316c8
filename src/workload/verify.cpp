#include "workload/verify.hpp"

#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>

#include "workload/case_file.hpp"
#include "workload/compare.hpp"
#include "workload/placement.hpp"
#include "workload/small_queries.hpp"

namespace weft::workload {
namespace {

namespace fs = std::filesystem;

std::unique_ptr<session::Engine> open(const std::string& engine, const VerifyOptions& options,
                                      std::shared_ptr<engine::Backend> backend) {
  session::OpenOptions open;
  open.engine = engine;
  open.backend = backend ? "auto" : "none";
  open.shared_backend = std::move(backend);
  open.logger = options.logger;
  open.load_tpc = false;
  if (engine == "weft") open.settings = small_on_gpu(options.settings);
  return session::open_engine(open);
}

/// What `{folder}` stands for in a case: an empty folder that goes away with the case.
class CaseFolder {
 public:
  CaseFolder() : path_((fs::temp_directory_path() / "weft-case-XXXXXX").string()) {
    if (::mkdtemp(path_.data()) == nullptr)
      throw Exception(ErrorCode::InvalidInput,
                      "no folder for a case can be made in " + fs::temp_directory_path().string());
  }
  ~CaseFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  CaseFolder(const CaseFolder&) = delete;
  CaseFolder& operator=(const CaseFolder&) = delete;

  std::string placed(std::string sql) const {
    constexpr std::string_view kPlace = "{folder}";
    for (size_t at = 0; (at = sql.find(kPlace, at)) != std::string::npos; at += path_.size())
      sql.replace(at, kPlace.size(), path_);
    return sql;
  }

 private:
  std::string path_;
};

/// One case file: its databases, its counts, its failures, its placements.
class FileRun {
 public:
  FileRun(const VerifyOptions& options, std::shared_ptr<engine::Backend> backend, std::ostream& out)
      : options_(options), backend_(std::move(backend)), out_(out) {}

  VerifyFile run(const CaseFile& file) {
    result_.file = file.path;
    for (const auto& one : file.cases) {
      if (!options_.only_case.empty() && one.name != options_.only_case) continue;
      run_case(one);
    }
    return std::move(result_);
  }

  const std::vector<std::string>& placements() const { return placements_; }

 private:
  void run_case(const Case& one) {
    const auto plain_engine = open("duckdb", options_, nullptr);
    const auto weft_engine = open("weft", options_, backend_);
    const auto plain = plain_engine->connect();
    const auto weft = weft_engine->connect();
    const auto parser = plain_engine->connect();
    const CaseFolder folder;
    uint32_t number = 0;
    for (CaseBlock block : one.blocks) {
      block.sql = folder.placed(std::move(block.sql));
      where_ = result_.file + ":" + std::to_string(block.line) + " (" + one.name + ")";
      switch (block.kind) {
        case CaseBlock::Kind::Setup:
          setup(*plain, *weft, block);
          break;
        case CaseBlock::Kind::Query:
          query(*plain, *weft, *parser, block, one.name + "/" + std::to_string(++number));
          break;
        case CaseBlock::Kind::Error:
          error(*plain, *weft, block);
          break;
      }
    }
  }

  void fail(const std::string& sql, const std::string& what) {
    result_.failures.push_back({where_, sql, what});
    out_ << "  FAILED " << where_ << "\n    " << what << "\n    " << sql << std::flush;
  }

  void setup(session::Connection& plain, session::Connection& weft, const CaseBlock& block) {
    try {
      for (const auto& statement : plain.split(block.sql)) {
        run_query(plain, statement);
        run_query(weft, statement);
      }
    } catch (const std::exception& e) {
      fail(block.sql, std::string("setup: ") + e.what());
    }
  }

  void query(session::Connection& plain, session::Connection& weft, session::Connection& parser, const CaseBlock& block,
             const std::string& label) {
    ++result_.queries;
    ResultTable expected;
    try {
      expected = run_query(plain, block.sql);
    } catch (const std::exception& e) {
      return fail(block.sql, std::string("plain DuckDB failed: ") + e.what());
    }
    ResultTable actual;
    try {
      actual = run_query(weft, block.sql);
    } catch (const std::exception& e) {
      placements_.push_back(label + ": failed");
      return fail(block.sql, e.what());
    }
    count_placement(weft.last_report(), label);
    const OrderPromise promise = order_promise(parser, block.sql, expected);
    const Comparison comparison =
        compare(expected, actual, promise, [&] { return run_query(plain, promise.unlimited_sql); });
    // The cases were chosen to have one answer, so an undetermined comparison counts by its values.
    const bool same = comparison.verdict == Verdict::Equal || comparison.values_agree;
    if (!same) fail(block.sql, comparison.detail);
    if (options_.verbose) out_ << "  " << placements_.back() << (same ? "" : "  DIFFERENT") << "\n";
  }

  void error(session::Connection& plain, session::Connection& weft, const CaseBlock& block) {
    ++result_.errors;
    expect_error(plain, block, "plain DuckDB");
    expect_error(weft, block, "Weft");
  }

  void expect_error(session::Connection& connection, const CaseBlock& block, const std::string& who) {
    try {
      const ResultTable table = run_query(connection, block.sql);
      fail(block.sql,
           who + " gave " + std::to_string(table.rows.size()) + " rows; expected the error '" + block.error + "'");
    } catch (const std::exception& e) {
      const std::string message = e.what();
      if (message.find(block.error) == std::string::npos) {
        fail(block.sql, who + " said '" + message + "'; expected '" + block.error + "'");
      }
    }
  }

  void count_placement(const sql::StatementReport& report, const std::string& label) {
    placements_.push_back(label + ": " + placement_text(report));
    if (report.where == "gpu") {
      ++result_.gpu;
      return;
    }
    ++(report.where == "mixed" ? result_.mixed : result_.cpu);
    std::set<std::string> reasons;
    for (const auto& refusal : true_refusals(report)) reasons.insert(reason_text(refusal));
    for (const auto& reason : reasons) ++result_.reasons[reason];
  }

  const VerifyOptions& options_;
  std::shared_ptr<engine::Backend> backend_;
  std::ostream& out_;
  VerifyFile result_;
  std::vector<std::string> placements_;
  std::string where_;
};

std::vector<std::string> lines_of(const fs::path& path) {
  std::vector<std::string> lines;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// Compares with, or rewrites, the committed placements of one file.
void check_placements(const VerifyOptions& options, const std::vector<std::string>& placements, VerifyFile& file,
                      std::ostream& out) {
  const fs::path path = fs::path(options.expect_dir) / (fs::path(file.file).stem().string() + ".txt");
  if (options.update && !file.failures.empty()) {
    out << "  " << path.string() << " stays as it is: there are failures\n";
    return;
  }
  if (options.update) {
    fs::create_directories(options.expect_dir);
    std::ofstream text(path);
    for (const auto& line : placements) text << line << "\n";
    return;
  }
  if (!fs::exists(path)) {
    file.failures.push_back({file.file, "", "there is no " + path.string() + ": run with --update to make it"});
    out << "  FAILED " << file.failures.back().what << "\n";
    return;
  }
  std::map<std::string, std::string> expected;
  for (const auto& line : lines_of(path)) expected[line.substr(0, line.find(": "))] = line;
  std::set<std::string> seen;
  for (const auto& line : placements) {
    const std::string label = line.substr(0, line.find(": "));
    seen.insert(label);
    if (expected[label] == line) continue;
    file.failures.push_back(
        {file.file + " " + label, "",
         "placement: expected '" + expected[label] + "', got '" + line + "' (run with --update if this is wanted)"});
    out << "  FAILED " << file.failures.back().what << "\n";
  }
  if (!options.only_case.empty()) return;
  for (const auto& [label, line] : expected) {
    if (line.empty() || seen.count(label) != 0) continue;
    file.failures.push_back({file.file + " " + label, "", "placement: '" + line + "' names a query that did not run"});
    out << "  FAILED " << file.failures.back().what << "\n";
  }
}

void print_file(const VerifyFile& file, std::ostream& out) {
  out << fs::path(file.file).filename().string() << ": " << file.queries << " queries (gpu " << file.gpu << ", mixed "
      << file.mixed << ", cpu " << file.cpu << "), " << file.errors << " expected errors, " << file.failures.size()
      << " failures\n";
  for (const auto& [reason, count] : file.reasons) out << "    " << count << " x " << reason << "\n";
  out << std::flush;
}

}  // namespace

bool VerifySummary::ok() const {
  return std::all_of(files.begin(), files.end(), [](const auto& file) { return file.failures.empty(); });
}

VerifySummary verify(const VerifyOptions& options, std::ostream& out) {
  std::shared_ptr<engine::Backend> backend = options.shared_backend;
  if (!backend) {
    session::OpenOptions open;
    open.backend = options.backend;
    open.settings = options.settings;
    open.logger = options.logger;
    open.load_tpc = false;
    const auto engine = session::open_engine(open);
    backend = engine->backend();
    if (!backend && !options.expect_dir.empty()) {
      throw Exception(ErrorCode::InvalidInput,
                      "--expect needs a GPU, or --backend oracle, which plans as if there were one (" +
                          engine->connect()->no_device_reason() + ")");
    }
    if (!backend) out << "No GPU: every query runs on the CPU (" << engine->connect()->no_device_reason() << ")\n";
  }
  VerifySummary summary;
  VerifyFile total;
  bool found = options.only_case.empty();
  for (const auto& path : options.files) {
    FileRun run(options, backend, out);
    const CaseFile cases = read_case_file(path);
    found = found || std::any_of(cases.cases.begin(), cases.cases.end(),
                                 [&](const Case& one) { return one.name == options.only_case; });
    VerifyFile file = run.run(cases);
    if (!options.expect_dir.empty()) check_placements(options, run.placements(), file, out);
    print_file(file, out);
    total.queries += file.queries;
    total.errors += file.errors;
    total.gpu += file.gpu;
    total.mixed += file.mixed;
    total.cpu += file.cpu;
    total.failures.insert(total.failures.end(), file.failures.begin(), file.failures.end());
    summary.files.push_back(std::move(file));
  }
  if (options.files.size() > 1) {
    total.file = "total";
    print_file(total, out);
  }
  if (!found) throw Exception(ErrorCode::InvalidInput, "there is no case '" + options.only_case + "'");
  return summary;
}

}  // namespace weft::workload
