// How a statement's rows leave DuckDB: as Arrow batches, and a GPU part at the root as the backend's own.
#pragma once

#include <memory>

#include "duckdb.hpp"
#include "duckdb/main/result_format.hpp"
#include "duckdb/main/retained_result_collection.hpp"
#include "sql/arrow_bridge.hpp"
#include "sql/statement_record.hpp"

namespace weft::sql {

/// Chunks are gathered into batches of at most kResultBatchRows rows or about kResultBatchBytes bytes. A marker chunk
/// of a passthrough part stands for the next batch of the record.
inline constexpr uint64_t kResultBatchRows = 1 << 16;
inline constexpr uint64_t kResultBatchBytes = uint64_t{32} << 20;
/// Memory of batches that the reader has let go, kept for the next ones of the same statement.
inline constexpr uint64_t kResultPoolBytes = uint64_t{64} << 20;

class BatchFormat final : public duckdb::ResultFormat {
 public:
  using T = SizedBatch;
  using GlobalState = duckdb::ResultFormatGlobalState;
  static constexpr const char* NAME = "weft_batch";

  /// `as_at_seam`: in the seam's types, not in those that a user gets.
  BatchFormat(std::shared_ptr<StatementRecord> record, bool as_at_seam)
      : record_(std::move(record)), as_at_seam_(as_at_seam) {}

  const char* Name() const override { return NAME; }
  duckdb::unique_ptr<duckdb::ResultFormatGlobalState> InitGlobal(const duckdb::ResultFormatContext& context) override;
  duckdb::unique_ptr<duckdb::ResultFormatLocalState> InitLocal(duckdb::ResultFormatGlobalState& state) override;
  void AppendToUnit(duckdb::ResultFormatGlobalState& state, duckdb::ResultFormatLocalState& local,
                    duckdb::DataChunk& chunk) override;
  bool IsUnitFinished(duckdb::ResultFormatLocalState& local) override;
  duckdb::unique_ptr<duckdb::ResultUnit> FinishUnit(duckdb::ResultFormatGlobalState& state,
                                                    duckdb::ResultFormatLocalState& local) override;
  duckdb::unique_ptr<duckdb::RetainedResultCollection> CreateCollection(
      duckdb::ClientContext& context, duckdb::ResultFormatGlobalState& state,
      const duckdb::ResultFormatContext& format_context) override;

  static duckdb::unique_ptr<T> UnpackUnit(duckdb::unique_ptr<duckdb::ResultUnit> unit);

 private:
  std::shared_ptr<StatementRecord> record_;
  bool as_at_seam_;
};

}  // namespace weft::sql
