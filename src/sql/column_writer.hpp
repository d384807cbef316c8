// One column of chunks on its way into an Arrow array. The common types are copied straight into Arrow's buffers; all
// others go through DuckDB's own appender, which looks at every value and grows its buffers text by text.
#pragma once

#include <cstdint>
#include <memory>

#include "duckdb.hpp"
#include "engine/arrow_c.hpp"
#include "sql/buffer_pool.hpp"

namespace weft::sql {

/// Not thread-safe.
class ColumnWriter {
 public:
  virtual ~ColumnWriter() = default;
  /// Appends rows [from, to) of a vector of `size` rows. The texts of a batch must stay below 2^31 bytes.
  virtual void append(const duckdb::Vector& vector, uint64_t from, uint64_t to, uint64_t size) = 0;
  /// Of the buffers so far.
  virtual uint64_t bytes() const = 0;
  /// The array of what was appended, in DuckDB's Arrow form; then the writer is empty again.
  virtual engine::HostBatch finish() = 0;
};

/// `properties` choose the Arrow form and carry the client context.
std::unique_ptr<ColumnWriter> make_column_writer(const duckdb::LogicalType& type, duckdb::ClientProperties properties,
                                                 std::shared_ptr<BufferPool> pool);

}  // namespace weft::sql
