// One connection of a Database.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "duckdb.hpp"
#include "sql/session_state.hpp"
#include "sql/statement_stream.hpp"
#include "sql/system_tables.hpp"

namespace weft::sql {

class SessionImpl final : public Session, public ReportsPrevious {
 public:
  /// `number` is unique in the database: query ids are "<number>.<statement>".
  SessionImpl(duckdb::DuckDB& database, std::shared_ptr<DatabaseShared> shared, uint64_t number);
  ~SessionImpl() override;

  std::vector<std::string> split(const std::string& script) override;
  std::unique_ptr<StatementStream> execute(const std::string& statement) override;
  void set_mode(Mode mode) override;
  Mode mode() const override;
  void set_option(const std::string& name, const std::string& value) override;
  std::string option(const std::string& name) const override;
  const StatementReport& last_report() const override;
  void create_temp_table(const std::string& name, const std::vector<plan::Column>& columns,
                         engine::BatchSource& rows) override;
  void interrupt() noexcept override;
  std::unique_ptr<StatementStream> execute_on_cpu(const std::string& statement, support::Refusal reason) override;
  StatementReport check(const std::string& statement) override;

  StatementReport previous_report() const override;

 private:
  using StatementPointer = duckdb::unique_ptr<duckdb::SQLStatement>;

  StatementPointer parse(const std::string& text);
  std::shared_ptr<StatementRecord> begin(Treatment treatment);
  std::unique_ptr<StatementStream> run(StatementPointer statement, const std::shared_ptr<StatementRecord>& record);
  std::unique_ptr<StatementStream> start(StatementPointer statement, const std::shared_ptr<StatementRecord>& record,
                                         Clock::time_point start_time);
  std::unique_ptr<StatementStream> explain(StatementPointer statement, const std::shared_ptr<StatementRecord>& record);
  /// Plans the statement as EXPLAIN would, and gives DuckDB's own rows.
  std::vector<std::pair<std::string, std::string>> plan_only(StatementPointer statement,
                                                             const std::shared_ptr<StatementRecord>& record);
  void run_quietly(const std::string& sql);

  const std::shared_ptr<DatabaseShared> shared_;
  const uint64_t number_;
  uint64_t statements_ = 0;
  std::shared_ptr<duckdb::Connection> connection_;
  duckdb::shared_ptr<SessionState> state_;
  mutable std::mutex mutex_;                 // record_, for interrupt()
  std::shared_ptr<StatementRecord> record_;  // of the last statement
  std::shared_ptr<StatementRecord> previous_;
  mutable StatementReport last_report_;
};

}  // namespace weft::sql
