#include "fuzz/trial.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "workload/small_queries.hpp"

namespace weft::fuzz {
namespace {

namespace fs = std::filesystem;

std::unique_ptr<session::Engine> open(const std::string& engine, std::shared_ptr<engine::Backend> backend,
                                      std::map<std::string, std::string> settings, std::shared_ptr<Logger> logger) {
  session::OpenOptions open;
  open.engine = engine;
  open.backend = backend ? "auto" : "none";
  open.shared_backend = std::move(backend);
  open.settings = workload::small_on_gpu(std::move(settings));
  open.logger = std::move(logger);
  open.load_tpc = false;
  return session::open_engine(open);
}

void run_all(session::Connection& connection, const std::vector<std::string>& statements) {
  for (const auto& statement : statements) workload::run_query(connection, statement);
}

bool starts_with_any(const std::string& text, std::initializer_list<const char*> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(), [&](const char* prefix) { return text.rfind(prefix, 0) == 0; });
}

/// An error of the statement, which no row has to do with.
bool is_binding_error(const std::string& error) {
  return starts_with_any(error, {"Parser Error", "Binder Error", "Catalog Error", "Not implemented Error"});
}

/// An error that an expression raises over some row.
bool is_value_error(const std::string& error) {
  return starts_with_any(error, {"Out of Range Error", "Conversion Error", "Invalid Input Error", "Syntax Error",
                                 "Not implemented Error: Period must be greater than 0"});  // time_bucket's widths
}

/// Weft's own errors carry their code: "Out of Memory Error: [query_memory_limit_exceeded] ...".
bool is_of_weft(const std::string& error) {
  const auto bracket = error.find(": [");
  return bracket != std::string::npos && bracket < 40;
}

/// Without the hint of where in the statement it was, and without the column that a cast reads, if it reads one: which
/// casts do is the optimizer's choice.
std::string first_line(const std::string& text) {
  const std::string line = text.substr(0, text.find('\n'));
  return line.substr(0, line.find(" when casting from source column "));
}

/// An error without its values: so that the reducer stays with one kind of error.
std::string without_values(const std::string& error) {
  std::string out;
  bool quoted = false;
  for (const char c : first_line(error)) {
    if (c == '\'' || c == '"') {
      quoted = !quoted;
    } else if (!quoted && (c < '0' || c > '9') && c != '-' && c != '.') {
      out += c;
    }
  }
  return out.substr(0, 80);
}

}  // namespace

// ---- Watchdog

Watchdog::Watchdog(uint32_t limit_s) : limit_s_(limit_s), thread_([this] { watch(); }) {}

Watchdog::~Watchdog() {
  {
    const std::lock_guard<std::mutex> guard(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Watchdog::begin(session::Connection& connection) {
  const std::lock_guard<std::mutex> guard(mutex_);
  watched_ = &connection;
  fired_ = false;
  ++turn_;
  changed_.notify_all();
}

bool Watchdog::end() {
  const std::lock_guard<std::mutex> guard(mutex_);
  watched_ = nullptr;
  ++turn_;
  return fired_;
}

void Watchdog::watch() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!stop_) {
    const uint64_t turn = turn_;
    const bool changed =
        changed_.wait_for(lock, std::chrono::seconds(limit_s_), [&] { return stop_ || turn_ != turn; });
    if (changed || watched_ == nullptr) continue;
    fired_ = true;
    watched_->interrupt();
  }
}

// ---- Trial

Trial::Trial(std::vector<SideOptions> sides, std::string folder, uint32_t limit_s, std::shared_ptr<Logger> logger)
    : folder_(std::move(folder)), logger_(std::move(logger)), watchdog_(limit_s) {
  plain_engine_ = open("duckdb", nullptr, {}, logger_);
  plain_ = plain_engine_->connect();
  parser_ = plain_engine_->connect();
  std::string left_out;
  for (const auto& name : sql::disabled_optimizers()) left_out += (left_out.empty() ? "" : ",") + name;
  const auto add_variant = [&](const std::string& what, const std::string& setting) {
    variants_.push_back({what, setting, setting.empty(), nullptr, nullptr, {}, false});
  };
  add_variant("without its optimizer", "PRAGMA disable_optimizer");
  add_variant("with the optimizers that Weft plans with", "SET disabled_optimizers = '" + left_out + "'");
  add_variant("when its rows come in another order", "");
  for (auto& side : sides) {
    auto engine = open("weft", side.backend, side.settings, logger_);
    auto connection = engine->connect();
    sides_.push_back({side.name, std::move(engine), std::move(connection)});
  }
  for (const char* name : {"reversed", "variant"}) fs::create_directories(fs::path(folder_) / name);
}

void Trial::load(const std::vector<Table>& tables) {
  const auto drop = drop_sql(tables_);
  const auto setup = setup_sql(tables, folder_);
  tables_ = tables;
  for (auto& variant : variants_) variant.is_current = false;
  run_all(*plain_, drop);
  run_all(*plain_, setup);
  for (auto& side : sides_) {
    run_all(*side.connection, drop);
    for (const auto& statement : setup) {
      // The files are there already, and are the same.
      if (statement.rfind("COPY ", 0) != 0) workload::run_query(*side.connection, statement);
    }
  }
}

void Trial::load_variant(Variant& variant) {
  if (variant.is_current) return;
  if (!variant.engine) {
    variant.engine = open("duckdb", nullptr, {}, logger_);
    variant.connection = variant.engine->connect();
    if (!variant.setting.empty()) workload::run_query(*variant.connection, variant.setting);
  }
  run_all(*variant.connection, drop_sql(variant.tables));
  variant.tables = tables_;
  if (variant.reversed) {
    for (auto& table : variant.tables) std::reverse(table.rows.begin(), table.rows.end());
  }
  const fs::path folder = fs::path(folder_) / (variant.reversed ? "reversed" : "variant");
  run_all(*variant.connection, setup_sql(variant.tables, folder.string()));
  variant.is_current = true;
}

Answer Trial::ask(session::Connection& connection, const std::string& sql) {
  Answer answer;
  watchdog_.begin(connection);
  try {
    answer.rows = workload::run_query(connection, sql);
  } catch (const std::exception& e) {
    answer.error = e.what();
    if (answer.error.empty()) answer.error = "an error without text";
  }
  answer.interrupted = watchdog_.end();
  answer.report = connection.last_report();
  return answer;
}

std::string Trial::disagreement(const Answer& expected, const std::string& sql) {
  const workload::OrderPromise promise = workload::order_promise(*parser_, sql, expected.rows);
  const auto differs = [&](session::Connection& connection) {
    const Answer other = ask(connection, sql);
    if (expected.error.empty() != other.error.empty()) return true;
    if (!expected.error.empty()) return first_line(expected.error) != first_line(other.error);
    const auto comparison = workload::compare(expected.rows, other.rows, promise, nullptr);
    return comparison.verdict != workload::Verdict::Equal && !comparison.values_agree;
  };
  for (auto& variant : variants_) {
    load_variant(variant);
    if (differs(*variant.connection)) return "DuckDB answers otherwise " + variant.what;
  }
  return "";
}

Judgement Trial::compare_rows(const Answer& expected, const Answer& actual, const std::string& sql) {
  const workload::OrderPromise promise = workload::order_promise(*parser_, sql, expected.rows);
  const auto unlimited = [&] { return workload::run_query(*plain_, promise.unlimited_sql); };
  const auto comparison = workload::compare(expected.rows, actual.rows, promise, unlimited);
  Judgement out;
  // The generator makes inner LIMITs and windows over total orders only, so that two answers that agree are equal.
  if (comparison.verdict == workload::Verdict::Equal || comparison.values_agree) return out;
  out.detail = comparison.detail;
  const bool by_cut_or_key = comparison.verdict == workload::Verdict::Undetermined && !promise.order_dependent;
  if (by_cut_or_key) {
    out.outcome = Outcome::Undetermined;
    out.kind = "the order is not to be seen in the answer";
    return out;
  }
  out.outcome = Outcome::Mismatch;
  out.kind = "rows";
  return out;
}

Judgement Trial::compare_errors(const Answer& expected, const Answer& actual) {
  Judgement out;
  const std::string want = first_line(expected.error), got = first_line(actual.error);
  out.outcome = want == got ? Outcome::SameError : Outcome::Mismatch;
  if (want == got && is_binding_error(want)) out.outcome = Outcome::Invalid;
  if (want == got) {
    out.kind = without_values(want);
    return out;
  }
  out.detail = "expected the error '" + want + "', got '" + got + "'";
  out.kind = "another error: " + without_values(got);
  // Which of several failing values is met first is nobody's promise.
  if (is_value_error(want) && is_value_error(got) && !is_of_weft(got)) {
    out.outcome = Outcome::Undetermined;
    out.kind = without_values(want) == without_values(got)
                   ? "the same error of another value"
                   : "another error first: " + without_values(want) + " / " + without_values(got);
  }
  return out;
}

Judgement Trial::compare_with(const std::string& side, const Answer& expected, const Answer& actual,
                              const std::string& sql) {
  Judgement out;
  if (expected.interrupted || actual.interrupted) {
    out.outcome = expected.interrupted ? Outcome::Undetermined : Outcome::Mismatch;
    out.kind = "took too long";
    out.detail = expected.interrupted ? "DuckDB was interrupted" : "the side was interrupted, DuckDB was not";
  } else if (!expected.error.empty() && !actual.error.empty()) {
    out = compare_errors(expected, actual);
  } else if (!expected.error.empty()) {
    out = {Outcome::Mismatch, "", kNoError, "expected the error '" + first_line(expected.error) + "', got rows", ""};
  } else if (!actual.error.empty()) {
    out = {Outcome::Mismatch, "", "error: " + without_values(actual.error), first_line(actual.error), ""};
  } else {
    out = compare_rows(expected, actual, sql);
  }
  out.side = side;
  out.expected = first_line(expected.error);
  const bool may_be_undetermined = out.outcome == Outcome::Mismatch && !actual.interrupted && !is_of_weft(actual.error);
  if (may_be_undetermined) {
    const std::string why = disagreement(expected, sql);
    if (!why.empty()) {
      out.outcome = Outcome::Undetermined;
      out.detail = out.kind + ": " + out.detail;
      out.kind = why;
    }
  }
  return out;
}

Judgement Trial::judge(const std::string& sql, const std::string& only) {
  answers_.clear();
  const Answer expected = ask(*plain_, sql);
  Judgement out;
  bool first = true;
  for (auto& side : sides_) {
    if (!only.empty() && side.name != only) continue;
    answers_.push_back(ask(*side.connection, sql));
    const Judgement one = compare_with(side.name, expected, answers_.back(), sql);
    const bool worse = first || one.outcome == Outcome::Mismatch ||
                       (one.outcome == Outcome::Undetermined && out.outcome == Outcome::Equal);
    if (worse && out.outcome != Outcome::Mismatch) out = one;
    first = false;
  }
  return out;
}

}  // namespace weft::fuzz
