#include "fuzz/fuzz.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <set>

#include "fuzz/queries.hpp"
#include "fuzz/reduce.hpp"
#include "workload/placement.hpp"

namespace weft::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kQueriesPerRound = 20;  // over the same tables

/// A folder for Parquet files that goes away with its object.
class DataFolder {
 public:
  DataFolder() : path_(fs::temp_directory_path() / ("weft_fuzz_" + std::to_string(getpid()))) {
    fs::create_directories(path_);
  }
  ~DataFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  DataFolder(const DataFolder&) = delete;
  DataFolder& operator=(const DataFolder&) = delete;
  std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

std::shared_ptr<engine::Backend> open_backend(const std::string& name, const FuzzOptions& options) {
  session::OpenOptions open;
  open.backend = name;
  open.settings = options.settings;
  open.logger = options.logger;
  open.load_tpc = false;
  return session::open_engine(open)->backend();
}

std::vector<SideOptions> open_sides(const FuzzOptions& options) {
  if (options.shared_backend) return {{options.shared_backend->name(), options.shared_backend, options.settings}};
  if (options.backend == "none") return {{"weft", nullptr, options.settings}};
  std::vector<SideOptions> sides{{"oracle", open_backend("oracle", options), {}}};
  if (options.backend == "oracle") return sides;
  if (auto gpu = open_backend(options.backend, options)) sides.push_back({"gpu", std::move(gpu), options.settings});
  return sides;
}

std::string case_text(const FuzzOptions& options, uint64_t number, const Reproduction& found) {
  const std::string name = "seed-" + std::to_string(options.seed) + "-query-" + std::to_string(number);
  std::string text = "-- kind: found by weft fuzz --seed " + std::to_string(options.seed) + " --first " +
                     std::to_string(number) + " --queries 1: " + found.judgement.side + " differs, " +
                     found.judgement.kind + "\n";
  text += "-- case: " + name + "\n";
  for (const auto& statement : setup_sql(found.tables, "")) text += statement + ";\n";
  const std::string& error = found.judgement.expected;
  text += error.empty() ? "-- query\n" : "-- error: " + error + "\n";
  return text + to_sql(*found.query) + ";\n";
}

class Run {
 public:
  Run(const FuzzOptions& options, std::ostream& out)
      : options_(options),
        out_(out),
        begin_(std::chrono::steady_clock::now()),
        sides_(open_sides(options)),
        trial_(sides_, folder_.path(), options.limit_s, options.logger) {}

  FuzzSummary run() {
    std::optional<uint64_t> round;
    for (uint64_t number = options_.first; number < options_.first + options_.queries; ++number) {
      if (options_.seconds > 0 && elapsed_s() > options_.seconds) break;
      if (summary_.mismatches.size() >= options_.most_mismatches) {
        out_ << "stopped after " << summary_.mismatches.size() << " mismatches\n";
        break;
      }
      if (round != number / kQueriesPerRound) {
        round = number / kQueriesPerRound;
        tables_ = make_tables(seed_of(options_.seed, 2 * *round));
        trial_.load(tables_);
      }
      one(number);
      if (!device_lost()) continue;
      out_ << "the device is lost since query " << number << "\n";
      break;
    }
    summary_.seconds = elapsed_s();
    for (const auto& side : sides_) {
      const uint64_t bytes = side.backend ? side.backend->device().used_bytes : 0;
      if (bytes > 0) summary_.device_bytes[side.name] = bytes;
    }
    return std::move(summary_);
  }

 private:
  bool device_lost() const {
    return std::any_of(sides_.begin(), sides_.end(),
                       [](const SideOptions& side) { return side.backend && side.backend->device().lost; });
  }

  double elapsed_s() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }

  void one(uint64_t number) {
    const GeneratedQuery made = make_query(tables_, seed_of(options_.seed, 2 * number + 1));
    const std::string sql = to_sql(*made.query);
    if (options_.verbose) out_ << "query " << number << ": " << sql << "\n" << std::flush;
    const Judgement judgement = trial_.judge(sql);
    if (options_.write_all) write(number, {tables_, made.query, judgement});
    ++summary_.queries;
    count(judgement);
    if (judgement.outcome != Outcome::Invalid) count_placement(trial_.answers());
    if (options_.verbose) out_ << "  " << workload::placement_text(trial_.answers().back().report) << "\n";
    if (judgement.outcome == Outcome::Mismatch) {
      mismatch(number, {tables_, made.query, judgement});
    } else if (options_.verbose && judgement.outcome != Outcome::Equal) {
      out_ << "  " << (judgement.outcome == Outcome::Undetermined ? "UNDETERMINED " : "") << "  " << judgement.side
           << " " << judgement.kind << ": " << judgement.expected << " " << judgement.detail << "\n";
    }
  }

  void count(const Judgement& judgement) {
    switch (judgement.outcome) {
      case Outcome::Equal:
        ++summary_.equal;
        break;
      case Outcome::SameError:
        ++summary_.same_error;
        break;
      case Outcome::Undetermined:
        ++summary_.undetermined[judgement.kind];
        break;
      case Outcome::Invalid:
        ++summary_.invalid[judgement.kind];
        break;
      case Outcome::Mismatch:
        break;
    }
  }

  void count_placement(const std::vector<Answer>& answers) {
    const auto& report = answers.back().report;
    for (const auto& plan : report.gpu_plans) summary_.coverage.add(*plan);
    ++(report.where == "gpu" ? summary_.gpu : report.where == "mixed" ? summary_.mixed : summary_.cpu);
    if (report.where == "gpu") return;
    std::set<std::string> reasons;
    for (const auto& refusal : workload::true_refusals(report)) reasons.insert(workload::reason_text(refusal));
    for (const auto& reason : reasons) ++summary_.refusals[reason];
  }

  void mismatch(uint64_t number, Reproduction found) {
    const Reproduction original = found;
    const bool reduced = options_.reduce && !device_lost();
    if (reduced) {
      ReduceLimits limits;
      limits.time = std::chrono::seconds(options_.reduce_s);
      found = reduce(trial_, std::move(found), limits);
      trial_.load(tables_);
    }
    // DuckDB raises for a value, Weft does not meet the value: right, unless nothing made its row not matter.
    if (reduced && found.judgement.kind == kNoError && !reads_every_row(found.query)) {
      ++summary_.undetermined["only DuckDB raises, for rows that a join, filter or set operation may leave out"];
      if (options_.verbose) out_ << "  UNDETERMINED " << to_sql(*found.query) << "\n";
      return;
    }
    out_ << "MISMATCH query " << number << ": " << original.judgement.side << ", " << original.judgement.kind << ": "
         << original.judgement.detail << "\n  " << to_sql(*original.query) << "\n";
    if (reduced) out_ << "  reduced: " << found.judgement.detail << "\n  " << to_sql(*found.query) << "\n";
    summary_.mismatches.push_back({number, found.judgement, to_sql(*found.query), write(number, found)});
    out_ << "  written to " << summary_.mismatches.back().file << "\n" << std::flush;
  }

  std::string write(uint64_t number, const Reproduction& found) {
    const fs::path folder(options_.out);
    fs::create_directories(folder);
    const std::string name = "fuzz_" + std::to_string(options_.seed) + "_" + std::to_string(number) + ".sql";
    std::ofstream file(folder / name);
    file << case_text(options_, number, found);
    if (!file.flush()) throw Exception(ErrorCode::IoError, "cannot write " + (folder / name).string());
    return (folder / name).string();
  }

  const FuzzOptions& options_;
  std::ostream& out_;
  std::chrono::steady_clock::time_point begin_;
  DataFolder folder_;
  std::vector<SideOptions> sides_;
  Trial trial_;
  std::vector<Table> tables_;
  FuzzSummary summary_;
};

uint64_t total(const std::map<std::string, uint64_t>& counts) {
  uint64_t sum = 0;
  for (const auto& [name, count] : counts) sum += count;
  return sum;
}

void print_counts(const std::map<std::string, uint64_t>& counts, std::ostream& out) {
  std::multimap<uint64_t, std::string, std::greater<>> sorted;
  for (const auto& [name, count] : counts) sorted.emplace(count, name);
  for (const auto& [count, name] : sorted) out << "    " << count << " x " << name << "\n";
}

void print_summary(const FuzzOptions& options, const FuzzSummary& summary, std::ostream& out) {
  summary.coverage.print(out);
  out << "undetermined: " << total(summary.undetermined) << "\n";
  print_counts(summary.undetermined, out);
  out << "not valid: " << total(summary.invalid) << "\n";
  print_counts(summary.invalid, out);
  out << "refused: \n";
  print_counts(summary.refusals, out);
  const uint64_t ran = summary.gpu + summary.mixed + summary.cpu;
  out << "where: gpu " << summary.gpu << ", mixed " << summary.mixed << ", cpu " << summary.cpu << " ("
      << (ran == 0 ? 0 : 100 * summary.gpu / ran) << " % native)\n";
  for (const auto& [name, bytes] : summary.device_bytes) out << name << " still holds " << bytes << " device bytes\n";
  out << "seed " << options.seed << ": " << summary.queries << " queries in " << static_cast<uint64_t>(summary.seconds)
      << " s: " << summary.equal << " equal, " << summary.same_error << " the same error, "
      << total(summary.undetermined) << " undetermined, " << total(summary.invalid) << " not valid, "
      << summary.mismatches.size() << " mismatches\n";
  for (const auto& one : summary.mismatches) out << "  " << one.file << "\n";
}

}  // namespace

FuzzSummary run_fuzz(const FuzzOptions& options, std::ostream& out) {
  std::error_code failed;
  fs::create_directories(options.out, failed);
  if (failed && !options.out.empty()) {
    throw Exception(ErrorCode::IoError, "cannot make the folder " + options.out + ": " + failed.message());
  }
  FuzzSummary summary = Run(options, out).run();
  print_summary(options, summary, out);
  return summary;
}

}  // namespace weft::fuzz
