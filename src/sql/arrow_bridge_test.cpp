// Chunks that go into Arrow batches and come back must be the same rows, whatever form their vectors have.
#include "sql/arrow_bridge.hpp"

#include <gtest/gtest.h>

#include "sql/database.hpp"

namespace weft::sql {
namespace {

/// Every type with a writer of its own, some that DuckDB's appender writes, each with NULLs and with texts of the
/// lengths around DuckDB's inlined ones.
constexpr const char* kRows = R"(
  SELECT CASE WHEN i % 5 = 0 THEN NULL ELSE i % 3 = 0 END AS flag, i % 7 = 0 AS flag_without_null,
    (i % 100)::TINYINT AS a, (i % 200)::UTINYINT AS b, (-i)::SMALLINT AS c, i::USMALLINT AS d,
    CASE WHEN i % 11 > 0 THEN (-i)::INTEGER END AS e, i::UINTEGER AS f, -i * 1000000007 AS g, i::UBIGINT AS h,
    (-i * 1000000007)::HUGEINT * 1000000007 AS huge, i::FLOAT / 7 AS real, CASE WHEN i % 2 = 0 THEN -i / 3 END AS double,
    DATE '1960-01-01' + i::INTEGER AS day, TIME '01:02:03' + to_seconds(i) AS clock,
    TIMESTAMP '1960-01-01' + to_hours(i) AS stamp, (TIMESTAMP '1960-01-01' + to_hours(i))::TIMESTAMP_S AS stamp_s,
    (-i)::DECIMAL(4, 0) AS narrow, (-i / 8)::DECIMAL(9, 3) AS middle, CASE WHEN i % 3 > 0 THEN (-i / 8)::DECIMAL(18, 3) END
    AS wide, (-i / 8)::DECIMAL(38, 3) AS widest, repeat('x', (i % 40)::INTEGER) AS text,
    CASE WHEN i % 4 > 0 THEN repeat('é', (i % 9)::INTEGER) END AS text_or_null, (i::VARCHAR)::BLOB AS bytes,
    'constant' AS constant, NULL::VARCHAR AS nothing, [i, NULL] AS list, {'a': i, 'b': i::VARCHAR} AS struct,
    INTERVAL (i) DAY AS interval
  FROM range(5000) t(i))";

class BatchBuilderTest : public ::testing::Test {
 protected:
  BatchBuilderTest() : connection_(database_) {
    connection_.BeginTransaction();  // type lookups need one
    auto result = connection_.Query(kRows);
    EXPECT_FALSE(result->HasError()) << result->GetError();
    types_ = result->GetTypes();
    while (auto chunk = result->Fetch()) {
      if (chunk->size() == 0) break;
      chunks_.push_back(std::move(chunk));
    }
  }

  std::deque<SizedBatch> build(uint64_t max_rows) {
    BatchBuilder builder(types_, seam_properties(*connection_.context), max_rows, UINT64_MAX, pool_);
    for (auto& chunk : chunks_) builder.append(*chunk);
    builder.seal();
    return std::move(builder.sealed());
  }

  /// Builds batches and compares what they hold with the chunks.
  void check(uint64_t max_rows) {
    auto batches = build(max_rows);
    const BatchReader reader(*connection_.context, types_);
    size_t chunk = 0;
    uint64_t row = 0;
    for (auto& batch : batches) {
      ASSERT_LE(batch.rows, max_rows);
      check_null_counts(*batch.batch.get());
      BatchReader::Scan scan(*connection_.context, std::move(batch.batch));
      duckdb::DataChunk read;
      read.Initialize(*connection_.context, types_);
      for (; scan.next(reader, read); read.Reset()) {
        for (uint64_t i = 0; i < read.size(); ++i) {
          if (row == chunks_[chunk]->size()) {
            ++chunk;
            row = 0;
          }
          ASSERT_LT(chunk, chunks_.size());
          for (size_t c = 0; c < types_.size(); ++c) {
            const auto want = chunks_[chunk]->GetValue(c, row);
            const auto got = read.GetValue(c, i);
            ASSERT_TRUE(duckdb::Value::NotDistinctFrom(want, got))
                << "column " << c << " " << types_[c].ToString() << ": " << want.ToString() << ", " << got.ToString();
          }
          ++row;
        }
      }
    }
    ASSERT_EQ(chunk + 1, chunks_.size());
    ASSERT_EQ(row, chunks_.back()->size());
  }

  void check_null_counts(const ArrowArray& batch) {
    for (int64_t c = 0; c < batch.n_children; ++c) {
      const auto& column = *batch.children[c];
      if (column.n_buffers == 0 || column.buffers[0] == nullptr) continue;
      int64_t nulls = 0;
      for (int64_t i = 0; i < column.length; ++i) {
        nulls += (static_cast<const uint8_t*>(column.buffers[0])[i / 8] >> (i % 8) & 1) == 0 ? 1 : 0;
      }
      ASSERT_EQ(column.null_count, nulls) << "column " << c;
    }
  }

  const std::shared_ptr<Database> first_ = open_database({});  // registers DuckDB's extensions for this process
  duckdb::DuckDB database_;
  duckdb::Connection connection_;
  duckdb::vector<duckdb::LogicalType> types_;
  std::vector<duckdb::unique_ptr<duckdb::DataChunk>> chunks_;
  std::shared_ptr<BufferPool> pool_ = std::make_shared<BufferPool>(uint64_t{1} << 30);
};

TEST_F(BatchBuilderTest, KeepsFlatVectorsInBatchesOfAnySize) {
  for (const uint64_t rows : {1U, 7U, 64U, 1001U, 2048U, 100000U}) check(rows);
}

TEST_F(BatchBuilderTest, KeepsDictionariesAndConstants) {
  for (auto& chunk : chunks_) {
    const auto size = chunk->size();
    duckdb::SelectionVector backwards(size);
    for (duckdb::idx_t i = 0; i < size; ++i) backwards.set_index(i, size - 1 - i);
    auto sliced = duckdb::make_uniq<duckdb::DataChunk>();
    sliced->InitializeEmpty(types_);
    sliced->Slice(*chunk, backwards, size);
    for (size_t c = 0; c < types_.size(); c += 2) {
      sliced->data[c].Reference(chunk->GetValue(c, 3), duckdb::count_t(size));
    }
    chunk = std::move(sliced);
  }
  for (const uint64_t rows : {7U, 1001U, 100000U}) check(rows);
}

TEST_F(BatchBuilderTest, UsesTheMemoryOfReleasedBatchesAgain) {
  build(1000);
  const uint64_t kept = pool_->kept_bytes();
  EXPECT_GT(kept, 0U);
  build(1000);
  EXPECT_EQ(pool_->kept_bytes(), kept);
}

TEST_F(BatchBuilderTest, BatchesOutliveTheirPool) {
  auto batches = build(1000);
  pool_.reset();
  check_null_counts(*batches.front().batch.get());
}

TEST(BufferPool, KeepsNoMoreThanItMay) {
  const auto pool = std::make_shared<BufferPool>(10000);
  {
    const Block small = pool->take(5000);
    const Block large = pool->take(20000);
    EXPECT_EQ(small.capacity(), 8192U);
    EXPECT_EQ(large.capacity(), 32768U);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(large.data()) % 64, 0U);
  }
  EXPECT_EQ(pool->kept_bytes(), 8192U);
}

/// UUID and ENUM cross as integers, whatever form their vectors have, and are themselves again.
TEST(SeamTypes, ComeBackAsTheyWere) {
  duckdb::DuckDB database(nullptr);
  duckdb::Connection connection(database);
  connection.BeginTransaction();
  auto result = connection.Query(R"(
    SELECT CASE WHEN i % 5 > 0 THEN md5(i::VARCHAR)::UUID END AS u, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::UUID AS same,
      CASE WHEN i % 3 > 0 THEN (CASE WHEN i % 2 = 0 THEN 'even' ELSE 'odd' END)::ENUM('odd', 'even') END AS e,
      'even'::ENUM('odd', 'even') AS label, i
    FROM range(5000) t(i) ORDER BY i)");
  ASSERT_FALSE(result->HasError()) << result->GetError();
  const auto types = result->GetTypes();
  const auto crossing = seam_types(types);
  EXPECT_EQ(crossing[0], duckdb::LogicalType::HUGEINT);
  EXPECT_EQ(crossing[2], duckdb::LogicalType::UTINYINT);
  EXPECT_EQ(crossing[4], types[4]);
  BatchBuilder builder(crossing, seam_properties(*connection.context), 1000, UINT64_MAX,
                       std::make_shared<BufferPool>(1 << 20));
  std::vector<std::vector<duckdb::Value>> want;
  while (auto chunk = result->Fetch()) {
    if (chunk->size() == 0) break;
    for (uint64_t row = 0; row < chunk->size(); ++row) {
      want.emplace_back();
      for (size_t c = 0; c < types.size(); ++c) want.back().push_back(chunk->GetValue(c, row));
    }
    duckdb::DataChunk stored;
    reinterpret_chunk(*chunk, crossing, stored);
    builder.append(stored);
  }
  builder.seal();
  const BatchReader reader(*connection.context, types);
  size_t row = 0;
  for (auto& batch : builder.sealed()) {
    BatchReader::Scan scan(*connection.context, std::move(batch.batch));
    duckdb::DataChunk read;
    read.Initialize(*connection.context, types);
    for (; scan.next(reader, read); read.Reset()) {
      for (uint64_t i = 0; i < read.size(); ++i, ++row) {
        ASSERT_LT(row, want.size());
        for (size_t c = 0; c < types.size(); ++c)
          ASSERT_TRUE(duckdb::Value::NotDistinctFrom(want[row][c], read.GetValue(c, i))) << c << " " << row;
      }
    }
  }
  EXPECT_EQ(row, want.size());
}

}  // namespace
}  // namespace weft::sql
