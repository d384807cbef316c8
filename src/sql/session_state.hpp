// What a connection of Weft carries inside DuckDB: found by the hook and the system tables through the ClientContext.
#pragma once

#include <memory>
#include <optional>

#include "duckdb.hpp"
#include "duckdb/main/client_context_state.hpp"
#include "duckdb/planner/logical_operator.hpp"
#include "sql/lean_optimizers.hpp"
#include "sql/statement_record.hpp"

namespace weft::sql {

/// Shared by all connections of a database.
struct DatabaseShared {
  DatabaseConfig config;
  LeanOptimizers lean;
};

class SessionState final : public duckdb::ClientContextState {
 public:
  static constexpr const char* kKey = "weft";

  SessionState(std::shared_ptr<DatabaseShared> shared, const Session& session)
      : shared(std::move(shared)), session(session) {}
  ~SessionState() override { leave(); }

  /// Null on a connection that is no Session.
  static duckdb::shared_ptr<SessionState> of(duckdb::ClientContext& context);

  const std::shared_ptr<DatabaseShared> shared;
  const Session& session;
  /// The statement that runs; null while the session runs statements of its own (SET).
  std::shared_ptr<StatementRecord> record;

  // ---- between pre_optimize and optimize of one plan
  bool planning = false;                                    // the plan is for the GPU
  bool reoptimizing = false;                                // DuckDB's own optimizers run again: the hook is quiet
  duckdb::unique_ptr<duckdb::LogicalOperator> unoptimized;  // copy of the SELECT; null: it could not be copied

  /// Switches the lean list of optimizers on; leave_optimizers() restores, leave() forgets the plan too. Idempotent.
  void enter(duckdb::DBConfig& config);
  void leave_optimizers() { use_.reset(); }
  void leave();

  void StatementEnd(duckdb::ClientContext&) override { leave(); }
  void QueryEnd(duckdb::ClientContext&) override { leave(); }

 private:
  std::optional<LeanOptimizers::Use> use_;
};

}  // namespace weft::sql
