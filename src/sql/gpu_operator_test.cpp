// Runs GPU parts inside DuckDB's pipelines: back-pressure, early ends, errors and cancellation, with one thread and
// more.
#include <gtest/gtest.h>

#include <filesystem>
#include <future>
#include <numeric>

#include "sql/fake_backend.hpp"

namespace weft::sql {
namespace {

using testing::Fixture;
using testing::Script;
using namespace std::chrono_literals;

/// Fails the test program rather than hang it: a deadlock here has no other end.
class Deadline {
 public:
  explicit Deadline(std::chrono::seconds limit = 60s) {
    watcher_ = std::async(std::launch::async, [this, limit] {
      if (done_.get_future().wait_for(limit) == std::future_status::timeout) {
        std::fprintf(stderr, "a query did not end within %lld s\n", static_cast<long long>(limit.count()));
        std::abort();
      }
    });
  }
  ~Deadline() { done_.set_value(); }

 private:
  std::promise<void> done_;
  std::future<void> watcher_;
};

class GpuOperator : public ::testing::TestWithParam<int> {
 protected:
  GpuOperator() {
    fixture.run("SET threads = " + std::to_string(GetParam()));
    fixture.setup("CREATE TABLE t AS SELECT range AS i, range AS j FROM range(2000000)");
    fixture.session->set_mode(Mode::NativeRequired);
  }
  ~GpuOperator() override { EXPECT_EQ(fixture.backend->counters->streams.load(), 0); }
  void script(Script script) { fixture.backend->script = std::move(script); }
  int submitted() { return fixture.backend->counters->submitted.load(); }

  Deadline deadline;
  Fixture fixture;
};

// With Script::Echo the answer is the source's columns i and j.
constexpr const char* kAll = "SELECT i + j AS a, j - i AS b FROM t";
// A part below what only DuckDB runs; the part's columns are i and the group's maximum.
constexpr const char* kUnnest = "SELECT unnest([a, m]) FROM (SELECT i AS a, max(j) AS m FROM t GROUP BY i)";

TEST_P(GpuOperator, EveryRowPassesBoundedQueuesOnBothSides) {
  script({Script::Kind::Echo});
  EXPECT_EQ(fixture.run(kAll), 2000000);
  EXPECT_EQ(submitted(), 1);
}

TEST_P(GpuOperator, RowsKeepTheirOrder) {
  script({Script::Kind::Echo});
  const auto values = fixture.numbers(kAll);
  ASSERT_EQ(values.size(), 2000000u);
  for (size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], static_cast<int64_t>(i));
}

TEST_P(GpuOperator, ASlowReaderHoldsBackTheBackend) {
  Script rows{Script::Kind::Rows, 40000000, 100000};
  script(rows);
  const auto stream = fixture.session->execute(kAll);
  engine::HostBatch batch;
  ASSERT_TRUE(stream->next(batch));
  std::this_thread::sleep_for(200ms);
  EXPECT_LT(fixture.backend->counters->batches.load(), 150) << "all batches were made although nobody reads";
}

TEST_P(GpuOperator, PendingStreamsAreWokenFromOtherThreads) {
  Script rows{Script::Kind::Rows, 20000, 1000};
  rows.delay_ms = 2;
  script(rows);
  EXPECT_EQ(fixture.run(kAll), 20000);
}

TEST_P(GpuOperator, TinyAndEmptyAnswers) {
  script({Script::Kind::Rows, 0, 1});
  EXPECT_EQ(fixture.run(kAll), 0);
  script({Script::Kind::Rows, 500, 1});
  EXPECT_EQ(fixture.run(kAll), 500);
}

TEST_P(GpuOperator, ABackendThatNeedsNoInputEndsTheQuery) {
  script({Script::Kind::Rows, 10, 10});
  EXPECT_EQ(fixture.run(kAll), 10);
}

TEST_P(GpuOperator, ALimitAboveStopsTheBackendAndTheSinks) {
  fixture.session->set_mode(Mode::Auto);
  for (const auto kind : {Script::Kind::Echo, Script::Kind::Rows}) {
    script({kind, 100000000, 1000});
    EXPECT_EQ(fixture.run(std::string(kUnnest) + " LIMIT 5"), 5);
    ASSERT_EQ(fixture.session->last_report().where, "mixed");
    EXPECT_LT(fixture.backend->counters->batches.load(), 1000);
    EXPECT_EQ(fixture.backend->counters->streams.load(), 0);
  }
}

TEST_P(GpuOperator, AStreamThatIsDroppedEndsEverything) {
  script({Script::Kind::Rows, 100000000, 1000});
  {
    const auto stream = fixture.session->execute(kAll);
    engine::HostBatch batch;
    ASSERT_TRUE(stream->next(batch));
  }
  EXPECT_EQ(fixture.backend->counters->streams.load(), 0);
  script({Script::Kind::Rows, 10, 10});
  EXPECT_EQ(fixture.run(kAll), 10);
}

TEST_P(GpuOperator, ErrorsOfTheBackendKeepTheirCode) {
  for (const auto code : {ErrorCode::QueryMemoryLimitExceeded, ErrorCode::DeviceLost, ErrorCode::InternalError,
                          ErrorCode::CorruptFile, ErrorCode::DeviceMemoryExhausted}) {
    for (const int batches : {0, 3}) {
      Script failing{Script::Kind::Echo};
      failing.fail_after_batches = batches;
      failing.failure = Error{code, "needed 3 GB", std::nullopt};
      if (batches > 0) failing.kind = Script::Kind::Rows, failing.rows = 1000000;
      script(failing);
      const auto error = fixture.error(kAll);
      EXPECT_EQ(error.code, code);
      EXPECT_EQ(error.message, "needed 3 GB");
      EXPECT_EQ(fixture.session->last_report().error_code, std::string(to_string(code)));
      EXPECT_EQ(fixture.backend->counters->streams.load(), 0);
    }
  }
  script({Script::Kind::Rows, 10, 10});
  EXPECT_EQ(fixture.run(kAll), 10) << "the database must live on";
}

TEST_P(GpuOperator, ErrorsOfSubmitKeepTheirCode) {
  Script failing;
  failing.fail_submit = true;
  failing.failure = Error{ErrorCode::SourceChanged, "a.parquet has changed", std::nullopt};
  script(failing);
  EXPECT_EQ(fixture.error(kAll).code, ErrorCode::SourceChanged);
}

TEST_P(GpuOperator, ErrorsOfTheFeedingSideEndTheQuery) {
  fixture.session->set_mode(Mode::Auto);
  script({Script::Kind::Echo});
  fixture.setup(
      "CREATE TABLE words AS SELECT CASE WHEN range = 1500000 THEN '(' ELSE 'a' END AS w, range AS i FROM "
      "range(2000000)");
  const auto error = fixture.error("SELECT i + 1 AS k FROM words WHERE regexp_matches('aaa', w)");
  EXPECT_EQ(submitted(), 1);
  EXPECT_EQ(error.code, ErrorCode::DuckDbError);
  EXPECT_NE(error.message.find("missing )"), std::string::npos) << error.message;
}

TEST_P(GpuOperator, FailedExpressionsHaveDuckDbsText) {
  fixture.session->set_mode(Mode::Auto);
  fixture.setup("CREATE TABLE small AS SELECT 100::TINYINT AS a, 50::TINYINT AS b");
  Script failing{Script::Kind::Rows};
  failing.fail_after_batches = 0;
  failing.failure = Error{ErrorCode::ExpressionError, "the backend's own words",
                          ExpressionFailure{1, {std::string("100"), std::string("50")}}};
  script(failing);
  const auto error = fixture.error("SELECT a + b FROM small WHERE a > 3");
  EXPECT_EQ(error.code, ErrorCode::DuckDbError);
  EXPECT_EQ(error.message, "Out of Range Error: Overflow in addition of INT8 (100 + 50)!");
}

TEST_P(GpuOperator, FailuresThatDuckDbDoesNotRepeatKeepTheBackendsText) {
  fixture.session->set_mode(Mode::Auto);
  fixture.setup("CREATE TABLE small AS SELECT 100::TINYINT AS a, 50::TINYINT AS b");
  Script failing{Script::Kind::Rows};
  failing.fail_after_batches = 0;
  failing.failure = Error{ErrorCode::ExpressionError, "the backend's own words",
                          ExpressionFailure{1, {std::string("1"), std::nullopt}}};
  script(failing);
  const auto error = fixture.error("SELECT a + b FROM small WHERE a > 3");
  EXPECT_EQ(error.code, ErrorCode::ExpressionError);
  EXPECT_EQ(error.message, "the backend's own words");
}

TEST_P(GpuOperator, ErrorsInDuckDbsWordsStayAsTheyAre) {
  Script failing{Script::Kind::Rows};
  failing.fail_after_batches = 0;
  const std::string text = "Out of Range Error: Overflow in SUM of DECIMAL: the result does not fit in DECIMAL(38)";
  failing.failure = Error{ErrorCode::DuckDbError, text, std::nullopt};
  script(failing);
  const auto error = fixture.error(kAll);
  EXPECT_EQ(error.code, ErrorCode::DuckDbError);
  EXPECT_EQ(error.message, text);
}

TEST_P(GpuOperator, CancelEndsAQueryThatWaitsForTheBackend) {
  script({Script::Kind::Forever});
  for (const bool through_session : {false, true}) {
    const auto stream = fixture.session->execute(kAll);
    const auto start = std::chrono::steady_clock::now();
    std::thread canceller([&] {
      std::this_thread::sleep_for(50ms);
      if (through_session) {
        fixture.session->interrupt();
      } else {
        stream->cancel();
      }
    });
    engine::HostBatch batch;
    try {
      stream->next(batch);
      ADD_FAILURE() << "the query did not fail";
    } catch (const Exception& error) {
      EXPECT_EQ(error.code(), ErrorCode::Cancelled);
    }
    canceller.join();
    EXPECT_LT(std::chrono::steady_clock::now() - start, 2s);
  }
  script({Script::Kind::Rows, 10, 10});
  EXPECT_EQ(fixture.run(kAll), 10);
}

TEST_P(GpuOperator, CancelEndsAQueryWhoseInputWaits) {
  // Forever never reads its source, so the sinks are parked on a full queue when the cancel comes.
  fixture.session->set_mode(Mode::Auto);
  script({Script::Kind::Forever});
  const auto stream = fixture.session->execute("SELECT max(a.i), max(b.i) FROM t a JOIN t b ON a.i = b.j GROUP BY a.j");
  std::thread canceller([&] {
    std::this_thread::sleep_for(300ms);
    stream->cancel();
  });
  engine::HostBatch batch;
  EXPECT_THROW(stream->next(batch), Exception);
  canceller.join();
}

TEST_P(GpuOperator, CreateInsertCopyAndExecuteUseThePart) {
  script({Script::Kind::Echo});
  fixture.run("CREATE TABLE c AS SELECT i + j AS i, j - i AS j FROM t");
  EXPECT_EQ(fixture.session->last_report().where, "gpu");
  fixture.run("INSERT INTO c SELECT i + j AS i, j - i AS j FROM t");
  EXPECT_EQ(fixture.session->last_report().where, "gpu");
  const auto file = std::filesystem::temp_directory_path() / "weft_gpu_operator_test.parquet";
  fixture.run("COPY (SELECT i + j AS i, j - i AS j FROM t) TO '" + file.string() + "'");
  EXPECT_EQ(fixture.session->last_report().where, "gpu");
  EXPECT_EQ(submitted(), 3);
  fixture.run("PREPARE p AS SELECT i + j AS i, j - i + $1::BIGINT AS j FROM t");
  EXPECT_EQ(submitted(), 3);
  EXPECT_EQ(fixture.run("EXECUTE p(0)"), 2000000);
  EXPECT_EQ(fixture.session->last_report().where, "gpu");
  EXPECT_EQ(fixture.run("EXECUTE p(1)"), 2000000);
  EXPECT_EQ(submitted(), 5);
  fixture.session->set_mode(Mode::FunctionsOnly);
  EXPECT_EQ(fixture.numbers("SELECT count(*) FROM c WHERE i = j"), std::vector<int64_t>{4000000});
  EXPECT_EQ(fixture.numbers("SELECT max(j) FROM '" + file.string() + "'"), std::vector<int64_t>{1999999});
  EXPECT_EQ(fixture.numbers(
                "SELECT count(*) FROM (SELECT i, lag(i) OVER (ORDER BY rowid) AS p FROM c LIMIT 2000000) WHERE i < p"),
            std::vector<int64_t>{0})
      << "CTAS keeps the source's order";
  std::filesystem::remove(file);
}

TEST_P(GpuOperator, PartsBelowCpuOperators) {
  fixture.session->set_mode(Mode::Auto);
  script({Script::Kind::Echo});
  const auto values = fixture.numbers(kUnnest);
  EXPECT_EQ(fixture.session->last_report().where, "mixed");
  ASSERT_EQ(values.size(), 4000000u);
  EXPECT_EQ(std::accumulate(values.begin(), values.end(), int64_t{0}), int64_t{2000000} * 1999999);
}

TEST_P(GpuOperator, PartsAboveAndBelowACpuOperator) {
  fixture.session->set_mode(Mode::Auto);
  script({Script::Kind::Echo});
  // The outer part is fed by DuckDB's UNNEST, which is fed by the inner part.
  const auto values = fixture.numbers(std::string("SELECT x + 0 * x AS y FROM (") + kUnnest + ") AS q(x)");
  EXPECT_EQ(fixture.session->last_report().gpu_plans.size(), 2u);
  EXPECT_EQ(submitted(), 2);
  ASSERT_EQ(values.size(), 4000000u);
  EXPECT_EQ(std::accumulate(values.begin(), values.end(), int64_t{0}), int64_t{2000000} * 1999999);
}

TEST_P(GpuOperator, WidthsAndTypesOfTheFeedingSide) {
  script({Script::Kind::Echo});
  fixture.session->set_mode(Mode::NativeRequired);
  fixture.setup(
      "CREATE TABLE wide AS SELECT range::INTEGER AS a, range::HUGEINT * 1000000007 AS b, range::DECIMAL(12,2) AS c, "
      "CASE WHEN range % 3 = 0 THEN NULL ELSE 'text ' || range END AS d, DATE '2020-01-01' + range::INTEGER % 900 AS "
      "e, "
      "range % 2 = 0 AS f, range::DOUBLE / 3 AS g, range::DECIMAL(38,3) AS h FROM range(150000)");
  const char* columns = "a, b, c, d, e, f, g, h";
  fixture.run(std::string("CREATE TABLE copy AS SELECT ") + columns + " FROM wide ORDER BY a");
  ASSERT_EQ(fixture.session->last_report().where, "gpu");
  fixture.session->set_mode(Mode::FunctionsOnly);
  EXPECT_EQ(fixture.numbers("SELECT count(*) FROM copy"), std::vector<int64_t>{150000});
  EXPECT_EQ(fixture.numbers("SELECT count(*) FROM (FROM wide EXCEPT ALL FROM copy)"), std::vector<int64_t>{0});
}

INSTANTIATE_TEST_SUITE_P(Threads, GpuOperator, ::testing::Values(1, 4));

}  // namespace
}  // namespace weft::sql
