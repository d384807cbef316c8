// DuckDB as Weft's front end: the only layer that includes DuckDB (and none of its headers leak from here).
// A Database is an instance with Weft's hooks; a Session is one connection of it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/cancellation.hpp"
#include "engine/backend.hpp"
#include "plan/node.hpp"
#include "support/support.hpp"

namespace weft::sql {

enum class Mode : unsigned char { Auto, NativeRequired, FunctionsOnly };

/// A setting of Weft as SQL sees it: "weft_" + name. The registry is session's (session/settings.hpp,
/// docs/settings.md). sql registers each as an extension option, so that SET, RESET and current_setting() work, lists
/// all in weft_settings(), and reads those that concern a query: mode, memory_limit_bytes, batch_bytes, workers,
/// force_spill.
struct Option {
  std::string name;           // without the prefix: "mode"
  std::string type;           // "text", "integer", "boolean", "bytes", "milliseconds"
  bool per_session = true;    // false: read once at start; SET raises and says so
  std::string default_value;  // canonical text
  std::string value;          // what a new session starts with: flag, else environment, else the default
  std::string help;           // one line
  /// The canonical text of a value; throws weft::Exception(InvalidInput) that names what is accepted.
  std::function<std::string(const std::string&)> check;
};

struct DatabaseConfig {
  std::string path;                          // ":memory:" or a DuckDB file
  std::shared_ptr<engine::Backend> backend;  // null: no GPU; `backend_error` says why
  std::optional<Error> backend_error;
  bool hooks = true;            // false: plain DuckDB, as its users run it (bench --engine cpu, oracle)
  bool seam_results = false;    // rows of results as they cross the backend's seam (oracle)
  bool load_tpc = true;         // the tpch and tpcds extensions
  std::vector<Option> options;  // none in a database without hooks; at most 64
  /// The pipelines of a plan, one a line, for EXPLAIN. Empty: EXPLAIN shows none.
  std::function<std::string(const plan::Plan&)> describe_pipelines;
};

/// What Weft did with the last statement of a session, for weft_last_query(), EXPLAIN and tests.
struct StatementReport {
  std::string query_id;
  Mode mode = Mode::Auto;                                    // when the statement began
  std::string where = "cpu";                                 // "gpu": every operator; "mixed"; "cpu"
  std::vector<support::Refusal> refusals;                    // why parts ran on the CPU
  std::vector<std::shared_ptr<const plan::Plan>> gpu_plans;  // one per part that the backend runs
  std::vector<engine::QueryProfile> profiles;                // beside gpu_plans, filled when they end
  std::string cpu_plan;    // EXPLAIN: DuckDB's tree of what stays on the CPU; empty if nothing
  double planning_ms = 0;  // parse to pipelines
  double total_ms = 0;
  uint64_t rows = 0;
  std::string error_code;  // "" or to_string(ErrorCode)
};

enum class StatementKind : unsigned char { Select, Explain, Other };

/// A running statement. One thread at a time, except cancel() and progress().
class StatementStream {
 public:
  virtual ~StatementStream() = default;
  virtual const std::vector<plan::Column>& columns() const = 0;  // names and types as DuckDB gives them
  virtual const ArrowSchema& schema() const = 0;                 // DuckDB's Arrow schema of them
  virtual StatementKind kind() const = 0;
  /// Blocks until a batch, the end (false), or an error (Exception; DuckDB's own errors keep their text).
  virtual bool next(engine::HostBatch& batch) = 0;
  virtual void cancel() noexcept = 0;
  virtual double progress() const noexcept = 0;  // 0 to 1, negative: unknown
};

class Session {
 public:
  virtual ~Session() = default;
  /// Splits a script; throws DuckDB's parser error.
  virtual std::vector<std::string> split(const std::string& script) = 0;
  /// Plans and starts one statement. EXPLAIN [ANALYZE] SELECT gives Weft's own text (docs/ARCHITECTURE.md).
  virtual std::unique_ptr<StatementStream> execute(const std::string& statement) = 0;
  /// Settings that take part in planning; SET weft_mode and friends set them too.
  virtual void set_mode(Mode mode) = 0;
  virtual Mode mode() const = 0;
  /// Any of DatabaseConfig::options by its name, as SET does (checked, canonical). Not while a statement runs.
  virtual void set_option(const std::string& name, const std::string& value) = 0;
  virtual std::string option(const std::string& name) const = 0;
  /// Of the statement that execute() was called for last; complete when its stream ended or was destroyed.
  virtual const StatementReport& last_report() const = 0;
  /// Registers rows as a temporary table of this session (OracleBackend, comparator).
  virtual void create_temp_table(const std::string& name, const std::vector<plan::Column>& columns,
                                 engine::BatchSource& rows) = 0;
  virtual void interrupt() noexcept = 0;
  /// As execute(), with no part on the GPU; `reason` becomes the report's refusal (device_memory_exhausted). In mode
  /// native_required too.
  virtual std::unique_ptr<StatementStream> execute_on_cpu(const std::string& statement, support::Refusal reason) = 0;
  /// Plans the statement as if there were a GPU and runs nothing: `where`, `refusals` and `gpu_plans` say what a GPU
  /// would do, with no backend and in any mode. Throws DuckDB's errors.
  virtual StatementReport check(const std::string& statement) = 0;
};

/// Rows of a system table, made anew for each query. Values have the declared columns' types or are NULL.
using TableRows = std::function<std::vector<std::vector<plan::Value>>(const Session& session)>;

class Database {
 public:
  virtual ~Database() = default;
  virtual std::unique_ptr<Session> connect() = 0;
  virtual const DatabaseConfig& config() const = 0;
  /// Makes the table function `name()`, e.g. "weft_settings". weft_last_query(), weft_devices() and weft_settings()
  /// exist already. Call it before connect(). In a connection that is no Session of this database the table is empty.
  virtual void register_table(const std::string& name, const std::vector<plan::Column>& columns, TableRows rows) = 0;
};

/// Throws DuckDB's own error if the file cannot be opened.
std::shared_ptr<Database> open_database(DatabaseConfig config);

/// The optimizers that Weft plans without (names of the setting disabled_optimizers), see docs/ARCHITECTURE.md.
const std::vector<std::string>& disabled_optimizers();

/// DuckDB's version, "v2.0.1".
std::string duckdb_version();

}  // namespace weft::sql
