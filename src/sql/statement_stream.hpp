// The rows of one statement, as the user of a Session reads them.
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <vector>

#include "duckdb.hpp"
#include "duckdb/main/query_result_stream.hpp"
#include "sql/database.hpp"
#include "sql/result_format.hpp"
#include "sql/statement_record.hpp"

namespace weft::sql {

using Clock = std::chrono::steady_clock;

inline double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// Rows that DuckDB and the backend still make.
class RunningStream final : public StatementStream {
 public:
  /// `result` must carry no error and be in BatchFormat. Runs a statement that is no plain query to its end.
  RunningStream(std::shared_ptr<duckdb::Connection> connection, duckdb::unique_ptr<duckdb::QueryResult> result,
                std::shared_ptr<StatementRecord> record, StatementKind kind, bool streams, Clock::time_point start);
  ~RunningStream() override;

  const std::vector<plan::Column>& columns() const override { return columns_; }
  const ArrowSchema& schema() const override { return *schema_.get(); }
  StatementKind kind() const override { return kind_; }
  bool next(engine::HostBatch& batch) override;
  void cancel() noexcept override;
  double progress() const noexcept override;

 private:
  void describe(const duckdb::vector<duckdb::Identifier>& names, const duckdb::vector<duckdb::LogicalType>& types);
  void collect(duckdb::unique_ptr<duckdb::QueryResult> result);
  duckdb::unique_ptr<SizedBatch> fetch();
  void end();

  const std::shared_ptr<duckdb::Connection> connection_;
  const std::shared_ptr<StatementRecord> record_;
  const StatementKind kind_;
  const Clock::time_point start_;
  std::vector<plan::Column> columns_;
  engine::HostSchema schema_;
  std::unique_ptr<duckdb::QueryResultStream<BatchFormat>> stream_;
  std::deque<duckdb::unique_ptr<SizedBatch>> retained_;
  bool ended_ = false;
};

/// Lines of text as two VARCHAR columns: EXPLAIN's answer.
std::unique_ptr<StatementStream> text_stream(duckdb::Connection& connection,
                                             const std::vector<std::pair<std::string, std::string>>& rows);

/// Throws the error of a DuckDB result as the seam's Exception, and notes its code in the record.
[[noreturn]] void throw_result_error(const duckdb::ErrorData& data, StatementRecord& record);

}  // namespace weft::sql
