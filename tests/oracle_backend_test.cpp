// The engine's promises, shown on the oracle behind the Backend interface: cancellation, failures, the rerun on the
// CPU.
#include "session/oracle_backend.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "support/temporary_folder.hpp"
#include "workload/result_table.hpp"

namespace weft::tests {
namespace {

using session::OracleOptions;
using Clock = std::chrono::steady_clock;

/// A Weft engine over one backend with a Parquet file of 100000 rows as view `t`.
struct Fixture {
  explicit Fixture(OracleOptions options, const std::string& mode = "auto") {
    const std::string file = folder.file("t.parquet");
    session::OpenOptions plain;
    plain.engine = "duckdb";
    plain.load_tpc = false;
    workload::run_query(*session::open_engine(plain)->connect(),
                        "COPY (SELECT i AS a, i % 7 AS b FROM range(100000) x(i)) TO '" + file + "' (FORMAT parquet)");
    session::OpenOptions open;
    open.shared_backend = session::make_oracle_backend(std::move(options));
    open.load_tpc = false;
    open.settings = {{"mode", mode}};
    engine = session::open_engine(open);
    connection = engine->connect();
    // DuckDB hands rows on once this much is there, or all.
    workload::run_query(*connection, "SET streaming_buffer_size = '1KB'");
    workload::run_query(*connection, "CREATE VIEW t AS SELECT * FROM '" + file + "'");
  }

  TemporaryFolder folder;
  std::unique_ptr<session::Engine> engine;
  std::unique_ptr<session::Connection> connection;
};

Error error_of(session::Connection& connection, const std::string& sql) {
  try {
    workload::run_query(connection, sql);
  } catch (const Exception& e) {
    return e.error();
  }
  return Error{ErrorCode::InternalError, "no error", std::nullopt};
}

TEST(OracleBackend, RunsAQueryWhole) {
  Fixture fixture({});
  const auto table = workload::run_query(*fixture.connection, "SELECT a FROM t WHERE b = 3 ORDER BY a DESC");
  EXPECT_EQ(table.rows.size(), 14286U);
  EXPECT_EQ(table.rows.front().front().text, "99998");
  EXPECT_EQ(fixture.connection->last_report().where, "gpu");
  EXPECT_TRUE(fixture.connection->last_report().refusals.empty());
}

TEST(OracleBackend, AShortageBeforeTheFirstBatchRunsOnTheCpu) {
  Fixture fixture({.fail_after_batches = 0, .failure = {ErrorCode::DeviceMemoryExhausted, "injected", std::nullopt}});
  const auto table = workload::run_query(*fixture.connection, "SELECT count(*), sum(a) FROM t WHERE b < 3");
  EXPECT_EQ(table.rows.at(0).at(0).text, "42858");
  const auto report = fixture.connection->last_report();
  EXPECT_EQ(report.where, "cpu");
  ASSERT_FALSE(report.refusals.empty());
  EXPECT_EQ(report.refusals.front().code, support::RefusalCode::DeviceMemoryExhausted);
}

TEST(OracleBackend, AShortageIsAnErrorInNativeRequired) {
  Fixture fixture({.fail_after_batches = 0, .failure = {ErrorCode::DeviceMemoryExhausted, "injected", std::nullopt}},
                  "native_required");
  EXPECT_EQ(error_of(*fixture.connection, "SELECT sum(a) FROM t").code, ErrorCode::DeviceMemoryExhausted);
}

TEST(OracleBackend, AShortageAfterTheFirstBatchIsAnError) {
  // Slow enough that the first batches are delivered before the failure.
  Fixture fixture({.delay_ms = 100,
                   .fail_after_batches = 4,
                   .failure = {ErrorCode::DeviceMemoryExhausted, "injected", std::nullopt}});
  const auto rows = fixture.connection->execute("SELECT a + 1 AS c FROM t WHERE b < 6");
  engine::HostBatch batch;
  ASSERT_TRUE(rows->next(batch));
  bool more = true;
  EXPECT_THROW(while (more) more = rows->next(batch), Exception);
}

TEST(OracleBackend, OtherFailuresNeverFallBack) {
  Fixture fixture({.fail_after_batches = 0, .failure = {ErrorCode::DeviceLost, "injected", std::nullopt}});
  EXPECT_EQ(error_of(*fixture.connection, "SELECT sum(a) FROM t").code, ErrorCode::DeviceLost);
  EXPECT_EQ(fixture.connection->last_report().error_code, "device_lost");
}

TEST(OracleBackend, AFileThatTheGpuCannotReadRunsOnTheCpu) {
  Fixture fixture({.fail_after_batches = 0, .failure = {ErrorCode::NotSupportedOnGpu, "codec", std::nullopt}});
  EXPECT_EQ(workload::run_query(*fixture.connection, "SELECT sum(a) FROM t").rows.at(0).at(0).text, "4999950000");
  const auto report = fixture.connection->last_report();
  EXPECT_EQ(report.where, "cpu");
  ASSERT_FALSE(report.refusals.empty());
  EXPECT_EQ(report.refusals.front().code, support::RefusalCode::UnsupportedFile);
}

TEST(OracleBackend, TheNextStatementWorksAfterAnError) {
  Fixture fixture({.fail_after_batches = 1, .failure = {ErrorCode::InternalError, "injected", std::nullopt}});
  EXPECT_EQ(error_of(*fixture.connection, "SELECT a + 1 AS c FROM t WHERE b < 6").code, ErrorCode::InternalError);
  EXPECT_EQ(workload::run_query(*fixture.connection, "SELECT sum(a) FROM t").rows.at(0).at(0).text, "4999950000");
  EXPECT_EQ(fixture.connection->last_report().where, "gpu");
}

TEST(OracleBackend, AfterTheDeviceIsLostTheCpuGoesOn) {
  Fixture fixture({.fail_after_batches = 1, .failure = {ErrorCode::DeviceLost, "injected", std::nullopt}});
  EXPECT_EQ(error_of(*fixture.connection, "SELECT a + 1 AS c FROM t WHERE b < 6").code, ErrorCode::DeviceLost);
  EXPECT_EQ(workload::run_query(*fixture.connection, "SELECT sum(a) FROM t").rows.at(0).at(0).text, "4999950000");
  const auto report = fixture.connection->last_report();
  EXPECT_EQ(report.where, "cpu");
  ASSERT_FALSE(report.refusals.empty());
  EXPECT_EQ(report.refusals.front().code, support::RefusalCode::NoDevice);
  fixture.connection->set("mode", "native_required");
  EXPECT_EQ(error_of(*fixture.connection, "SELECT sum(a) FROM t").code, ErrorCode::DeviceLost);
}

TEST(OracleBackend, CancelEndsASlowQuery) {
  Fixture fixture({.rows_per_batch = 100, .delay_ms = 50});
  const auto rows = fixture.connection->execute("SELECT a + 1 AS c FROM t WHERE b < 6");
  const auto start = Clock::now();
  std::thread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    rows->cancel();
  });
  engine::HostBatch batch;
  ErrorCode code = ErrorCode::InternalError;
  try {
    while (rows->next(batch)) {
    }
  } catch (const Exception& e) {
    code = e.code();
  }
  canceller.join();
  EXPECT_EQ(to_string(code), "cancelled");
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(5));  // uncancelled it takes 50 s
}

TEST(OracleBackend, RowsMayBeDroppedUnread) {
  Fixture fixture({.rows_per_batch = 100, .delay_ms = 20});
  const auto start = Clock::now();
  {
    const auto rows = fixture.connection->execute("SELECT a + 1 AS c FROM t WHERE b < 6");
    engine::HostBatch batch;
    ASSERT_TRUE(rows->next(batch));
  }
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(5));
  EXPECT_EQ(workload::run_query(*fixture.connection, "SELECT 42").rows.at(0).at(0).text, "42");
}

TEST(OracleBackend, SettingsAreCheckedAndKept) {
  Fixture fixture({});
  fixture.connection->set("memory_limit_bytes", "8GB");
  EXPECT_EQ(fixture.connection->get("memory_limit_bytes"), "8000000000");
  workload::run_query(*fixture.connection, "SET weft_mode = 'native_required'");
  EXPECT_EQ(fixture.connection->get("mode"), "native_required");
  EXPECT_EQ(
      error_of(*fixture.connection, "SET weft_mode = 'fast'").message.find("native_required") != std::string::npos,
      true);
  EXPECT_THROW(fixture.connection->set("device", "1"), Exception);
  EXPECT_THROW(fixture.connection->set("no_such", "1"), Exception);
  const auto table = workload::run_query(*fixture.connection,
                                         "SELECT count(*) FROM weft_settings() WHERE name LIKE '%memory_limit_bytes'");
  EXPECT_EQ(table.rows.at(0).at(0).text, "1");
}

}  // namespace
}  // namespace weft::tests
