// Rows between DuckDB's chunks and Arrow batches.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "duckdb.hpp"
#include "duckdb/function/table/arrow.hpp"
#include "engine/arrow_c.hpp"
#include "sql/buffer_pool.hpp"
#include "sql/column_writer.hpp"

namespace weft::sql {

/// An Arrow batch with what a bounded queue counts.
struct SizedBatch {
  engine::HostBatch batch;
  uint64_t rows = 0;
  uint64_t bytes = 0;
};

/// Gathers chunks into batches of at most `max_rows` rows and about `max_bytes` bytes. A string column of a batch stays
/// below 2^31 bytes. Not thread-safe.
class BatchBuilder {
 public:
  /// `properties` choose the Arrow form and carry the client context. Buffers come from `pool`.
  BatchBuilder(const duckdb::vector<duckdb::LogicalType>& types, const duckdb::ClientProperties& properties,
               uint64_t max_rows, uint64_t max_bytes, std::shared_ptr<BufferPool> pool);

  void append(duckdb::DataChunk& chunk);
  /// Makes a batch of what is gathered, if anything is.
  void seal();
  /// The batches that are complete, oldest first.
  std::deque<SizedBatch>& sealed() { return sealed_; }

 private:
  void append_rows(duckdb::DataChunk& chunk, uint64_t from, uint64_t to);

  uint64_t bytes() const;

  uint64_t max_rows_;
  uint64_t max_bytes_;
  uint64_t rows_ = 0;  // gathered
  std::vector<duckdb::idx_t> text_columns_;
  std::vector<std::unique_ptr<ColumnWriter>> columns_;
  std::deque<SizedBatch> sealed_;
};

/// DuckDB's Arrow form with default settings, which batches of the backend seam have.
duckdb::ClientProperties seam_properties(duckdb::ClientContext& context);
/// True if results in the user's settings have that form too.
bool same_form(const duckdb::ClientProperties& a, const duckdb::ClientProperties& b);

/// The types in whose Arrow form rows of `types` cross the seam: of UUID and ENUM the integers that DuckDB stores,
/// since their own forms are text and a dictionary.
duckdb::vector<duckdb::LogicalType> seam_types(const duckdb::vector<duckdb::LogicalType>& types);
/// Makes `to` the rows of `from` in types that are stored alike; it shares their data.
void reinterpret_chunk(duckdb::DataChunk& from, const duckdb::vector<duckdb::LogicalType>& types,
                       duckdb::DataChunk& to);

/// Reads Arrow batches of the seam's form of the given types as chunks. Zero-copy where DuckDB can: chunks keep the
/// batch alive.
class BatchReader {
 public:
  BatchReader(duckdb::ClientContext& context, const duckdb::vector<duckdb::LogicalType>& types);
  /// The table of conversions, shared by scans.
  const duckdb::arrow_column_map_t& columns() const { return schema_.GetColumns(); }
  /// The types of the batches.
  const duckdb::vector<duckdb::LogicalType>& types() const { return types_; }

  /// A position in one batch.
  class Scan {
   public:
    Scan(duckdb::ClientContext& context, engine::HostBatch batch);
    /// Fills `chunk` with the next rows; false at the end of the batch.
    bool next(const BatchReader& reader, duckdb::DataChunk& chunk);

   private:
    void read(const BatchReader& reader, uint64_t rows, duckdb::DataChunk& chunk);

    duckdb::ClientContext& context_;
    duckdb::ArrowScanLocalState state_;
  };

 private:
  const duckdb::vector<duckdb::LogicalType> types_;
  duckdb::ArrowTableSchema schema_;
};

}  // namespace weft::sql
