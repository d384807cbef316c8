// One query put to plain DuckDB and to every side that is fuzzed, and what to make of their answers.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "fuzz/data.hpp"
#include "session/connection.hpp"
#include "workload/compare.hpp"

namespace weft::fuzz {

/// Judgement::kind where DuckDB raises and the side gives rows.
inline constexpr const char* kNoError = "no error";

enum class Outcome : unsigned char {
  Equal,
  SameError,     // both failed with the same text
  Undetermined,  // they differ, and so may two right answers: Judgement::kind says why
  Invalid,       // DuckDB cannot bind the query: the fuzzer's own mistake
  Mismatch,
};

struct Judgement {
  Outcome outcome = Outcome::Equal;
  std::string side;      // Undetermined, Mismatch: which side differs
  std::string kind;      // what differs, in a few words that are the same for mismatches of one kind
  std::string detail;    // the first difference, for people
  std::string expected;  // DuckDB's error; empty: it gave rows
};

struct Answer {
  std::string error;  // empty: none
  workload::ResultTable rows;
  sql::StatementReport report;
  bool interrupted = false;
};

/// Interrupts a statement that takes too long, so that a run goes on.
class Watchdog {
 public:
  explicit Watchdog(uint32_t limit_s);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  void begin(session::Connection& connection);
  /// True if it interrupted what `begin` began.
  bool end();

 private:
  void watch();
  uint32_t limit_s_;
  std::mutex mutex_;
  std::condition_variable changed_;
  session::Connection* watched_ = nullptr;
  uint64_t turn_ = 0;
  bool fired_ = false, stop_ = false;
  std::thread thread_;
};

struct SideOptions {
  std::string name;  // "oracle", "gpu"
  std::shared_ptr<engine::Backend> backend;
  std::map<std::string, std::string> settings;
};

class Trial {
 public:
  /// Parquet files go below `folder`, which must exist.
  Trial(std::vector<SideOptions> sides, std::string folder, uint32_t limit_s, std::shared_ptr<Logger> logger);

  /// Replaces the tables of all sides. Throws what DuckDB throws.
  void load(const std::vector<Table>& tables);
  /// The first side that differs decides; Undetermined only if none is a mismatch. `only`: the side to ask; "": all.
  Judgement judge(const std::string& sql, const std::string& only = "");
  /// What the sides did with the last query, in the order of the options.
  const std::vector<Answer>& answers() const { return answers_; }

 private:
  struct Side {
    std::string name;
    std::unique_ptr<session::Engine> engine;
    std::unique_ptr<session::Connection> connection;
  };

  /// Plain DuckDB, but for one thing that must not matter. It is opened, and gets its tables, when it is asked.
  struct Variant {
    std::string what;
    std::string setting;
    bool reversed = false;
    std::unique_ptr<session::Engine> engine;
    std::unique_ptr<session::Connection> connection;
    std::vector<Table> tables;
    bool is_current = false;
  };

  void load_variant(Variant& variant);
  Answer ask(session::Connection& connection, const std::string& sql);
  Judgement compare_with(const std::string& side, const Answer& expected, const Answer& actual, const std::string& sql);
  Judgement compare_rows(const Answer& expected, const Answer& actual, const std::string& sql);
  static Judgement compare_errors(const Answer& expected, const Answer& actual);
  /// Why DuckDB itself may answer otherwise: with other optimizers or its rows in another order; "": it does not.
  std::string disagreement(const Answer& expected, const std::string& sql);

  std::string folder_;
  std::shared_ptr<Logger> logger_;
  std::unique_ptr<session::Engine> plain_engine_;
  std::unique_ptr<session::Connection> plain_, parser_;
  std::vector<Variant> variants_;
  std::vector<Side> sides_;
  std::vector<Answer> answers_;
  std::vector<Table> tables_;
  Watchdog watchdog_;
};

}  // namespace weft::fuzz
