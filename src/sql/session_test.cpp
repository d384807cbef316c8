#include <gtest/gtest.h>

#include "sql/fake_backend.hpp"

namespace weft::sql {
namespace {

using testing::Fixture;
using testing::Script;

std::string type_names(const std::vector<plan::Column>& columns) {
  std::string text;
  for (const auto& column : columns) text += column.name + ":" + column.type.to_string() + " ";
  return text;
}

TEST(Session, PlainQueriesAnswerAsDuckDb) {
  Fixture fixture;
  const auto stream = fixture.session->execute("SELECT 42::BIGINT AS a, 'x' AS b, 1.5::DECIMAL(4,2) AS c");
  EXPECT_EQ(type_names(stream->columns()), "a:BIGINT b:VARCHAR c:DECIMAL(4,2) ");
  EXPECT_STREQ(stream->schema().children[0]->format, "l");
  EXPECT_EQ(stream->kind(), StatementKind::Select);
  engine::HostBatch batch;
  ASSERT_TRUE(stream->next(batch));
  EXPECT_EQ(batch->length, 1);
  EXPECT_EQ(static_cast<const int64_t*>(batch->children[0]->buffers[1])[0], 42);
  EXPECT_FALSE(stream->next(batch));
  const auto report = fixture.session->last_report();
  EXPECT_EQ(report.where, "cpu");
  EXPECT_EQ(report.rows, 1u);
  EXPECT_GT(report.total_ms, 0);
}

TEST(Session, ManyRowsComeInBatches) {
  Fixture fixture;
  const auto values = fixture.numbers("SELECT range FROM range(300000)");
  ASSERT_EQ(values.size(), 300000u);
  EXPECT_EQ(values[299999], 299999);
}

TEST(Session, StatementKinds) {
  Fixture fixture;
  EXPECT_EQ(fixture.session->execute("CREATE TABLE t(i INTEGER)")->kind(), StatementKind::Other);
  EXPECT_EQ(fixture.session->execute("INSERT INTO t VALUES (1), (2)")->kind(), StatementKind::Other);
  EXPECT_EQ(fixture.session->execute("EXPLAIN SELECT 1")->kind(), StatementKind::Explain);
  EXPECT_EQ(fixture.session->execute("SHOW TABLES")->kind(), StatementKind::Select);
  fixture.session->set_mode(Mode::FunctionsOnly);
  EXPECT_EQ(fixture.numbers("SELECT count(*) FROM t"), std::vector<int64_t>{2});
}

TEST(Session, DuckDbErrorsKeepTheirText) {
  Fixture fixture;
  fixture.session->set_mode(Mode::FunctionsOnly);
  Fixture plain(false, [](DatabaseConfig& config) { config.hooks = false; });
  for (const char* sql : {"SELECT * FROM nosuch", "SELEC 1", "SELECT nosuch FROM range(3)", "SELECT 'a'::INTEGER",
                          "SELECT * FROM 'nosuch.parquet'", "SELECT 9223372036854775807 + range FROM range(3)"}) {
    const auto error = fixture.error(sql);
    EXPECT_EQ(error.code, ErrorCode::DuckDbError) << sql;
    EXPECT_EQ(error.message, plain.error(sql).message) << sql;
    EXPECT_NE(error.message.find("Error"), std::string::npos) << error.message;
  }
  EXPECT_EQ(fixture.session->last_report().error_code, "duckdb_error");
}

TEST(Session, SplitsScripts) {
  Fixture fixture;
  const auto parts = fixture.session->split("SELECT 1; SELECT ';' ;\n CREATE TABLE t(i INTEGER)");
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_NE(parts[1].find("';'"), std::string::npos);
  EXPECT_THROW(fixture.session->split("SELECT 1; SELEC"), Exception);
  EXPECT_EQ(fixture.error("SELECT 1; SELECT 2").code, ErrorCode::InvalidInput);
  EXPECT_EQ(fixture.error("").code, ErrorCode::InvalidInput);
}

TEST(Session, ModeIsASettingOfTheConnection) {
  Fixture fixture;
  EXPECT_EQ(fixture.session->mode(), Mode::Auto);
  fixture.run("SET weft_mode = 'native_required'");
  EXPECT_EQ(fixture.session->mode(), Mode::NativeRequired);
  EXPECT_EQ(fixture.database->connect()->mode(), Mode::Auto);
  const auto error = fixture.error("SET weft_mode = 'fast'");
  EXPECT_EQ(error.code, ErrorCode::InvalidInput);
  EXPECT_NE(error.message.find("native_required"), std::string::npos);
  fixture.run("RESET weft_mode");
  EXPECT_EQ(fixture.session->mode(), Mode::Auto);
  EXPECT_THROW(fixture.session->set_option("nosuch", "1"), Exception);
  EXPECT_EQ(fixture.session->option("mode"), "auto");
}

TEST(Session, OptionsAreCheckedAndReachTheBackend) {
  Fixture fixture(true, [](DatabaseConfig& config) {
    const auto doubled = [](const std::string& value) { return std::to_string(2 * std::stoll(value)); };
    config.options.push_back({"batch_bytes", "bytes", true, "0", "0", "batches", doubled});
    config.options.push_back({"workers", "integer", true, "0", "0", "workers", {}});
    config.options.push_back({"device", "integer", false, "0", "0", "device", {}});
  });
  fixture.setup("CREATE TABLE t AS SELECT range AS i FROM range(10)");
  fixture.run("SET weft_batch_bytes = 50");
  fixture.session->set_option("workers", "3");
  fixture.run("SELECT max(i * 2) FROM t");
  EXPECT_EQ(fixture.backend->last_options().batch_bytes, 100u);
  EXPECT_EQ(fixture.backend->last_options().workers, 3u);
  EXPECT_EQ(fixture.error("SET weft_device = 1").code, ErrorCode::InvalidInput);
  EXPECT_EQ(fixture.texts("SELECT value FROM weft_settings() WHERE name = 'weft_batch_bytes'"),
            std::vector<std::string>{"100"});
}

TEST(Session, RootPartGivesTheBackendsRows) {
  Fixture fixture;
  fixture.setup("CREATE TABLE t AS SELECT range AS i, range AS j FROM range(10)");
  fixture.backend->script = Script{Script::Kind::Rows, 2500, 1000};
  const auto values = fixture.numbers("SELECT i, max(j) FROM t GROUP BY i");
  ASSERT_EQ(values.size(), 2500u);
  EXPECT_EQ(values[2499], 2499);
  const auto report = fixture.session->last_report();
  EXPECT_EQ(report.where, "gpu");
  EXPECT_EQ(report.rows, 2500u);
  ASSERT_EQ(report.profiles.size(), 1u);
  EXPECT_EQ(report.profiles[0].rows, 2500u);
  EXPECT_EQ(report.profiles[0].peak_device_bytes, 4096u);
  EXPECT_EQ(report.error_code, "");
  EXPECT_EQ(fixture.backend->counters->streams.load(), 0);
}

TEST(Session, TheSameRowsThroughChunks) {
  Fixture fixture;
  fixture.setup("CREATE TABLE t AS SELECT range AS i, range AS j FROM range(10)");
  fixture.backend->script = Script{Script::Kind::Rows, 5000, 3000};
  fixture.run("CREATE TABLE answer AS SELECT i, max(j) AS m FROM t GROUP BY i");
  EXPECT_EQ(fixture.session->last_report().where, "gpu");
  fixture.session->set_mode(Mode::FunctionsOnly);
  EXPECT_EQ(fixture.numbers("SELECT count(*) FROM answer WHERE i = m"), std::vector<int64_t>{5000});
  EXPECT_EQ(fixture.numbers("SELECT max(i) FROM answer"), std::vector<int64_t>{4999});
}

TEST(Session, TempTableFromBatches) {
  class Source final : public engine::BatchSource {
   public:
    Result<engine::Poll> poll(engine::HostBatch& batch, engine::Waker waker) override {
      if (step_ >= 3) return engine::Poll::Done;
      if (!std::exchange(ready_, false)) {
        ready_ = true;
        std::thread([waker = std::move(waker)] { waker(); }).detach();
        return engine::Poll::Pending;
      }
      batch = testing::make_batch(step_++ * 3000, 3000, 2);
      return engine::Poll::Ready;
    }
    void cancel() noexcept override {}

   private:
    int step_ = 0;
    bool ready_ = false;
  } source;
  Fixture fixture(false);
  const auto big = plan::Type::of(plan::TypeId::BigInt);
  fixture.session->create_temp_table("odd \"name", {{"a", big, true}, {"b c", big, true}}, source);
  EXPECT_EQ(fixture.numbers("SELECT count(*) FROM \"odd \"\"name\" WHERE a = \"b c\""), std::vector<int64_t>{9000});
  EXPECT_EQ(fixture.numbers("SELECT max(a) FROM \"odd \"\"name\""), std::vector<int64_t>{8999});
}

TEST(Session, LastQueryTable) {
  Fixture fixture;
  fixture.setup("CREATE TABLE t AS SELECT range AS i FROM range(10)");
  fixture.backend->script = Script{Script::Kind::Rows, 3, 10};
  fixture.run("SELECT max(i * 2), max(i) FROM t");
  EXPECT_EQ(fixture.texts("SELECT \"where\" FROM weft_last_query()"), std::vector<std::string>{"gpu"});
  fixture.run("SELECT regexp_matches(i::VARCHAR, '[13]') FROM t");
  EXPECT_EQ(fixture.texts("SELECT r.code FROM (SELECT unnest(refusals) AS r FROM weft_last_query()) LIMIT 1"),
            std::vector<std::string>{"unsupported_function"});
  EXPECT_EQ(fixture.error("SELECT * FROM nosuch").code, ErrorCode::DuckDbError);
  EXPECT_EQ(fixture.texts("SELECT error_code FROM weft_last_query()"), std::vector<std::string>{"duckdb_error"});
  EXPECT_EQ(fixture.texts("SELECT name FROM weft_devices()"), std::vector<std::string>{"Fake Device"});
}

TEST(Session, RegisteredTables) {
  Fixture fixture;
  const auto text = plan::Type::of(plan::TypeId::Varchar);
  const auto big = plan::Type::of(plan::TypeId::BigInt);
  fixture.database->register_table("weft_numbers", {{"n", big, true}, {"t", text, true}}, [&](const Session& session) {
    std::vector<std::vector<plan::Value>> rows;
    rows.push_back({plan::Value::integer(big, 7), plan::Value::text(session.option("mode"))});
    rows.push_back({plan::Value::integer(big, -1), plan::Value::null(text)});
    return rows;
  });
  EXPECT_EQ(fixture.numbers("SELECT n FROM weft_numbers() ORDER BY n"), (std::vector<int64_t>{-1, 7}));
  EXPECT_EQ(fixture.texts("SELECT t FROM weft_numbers() WHERE n = 7"), std::vector<std::string>{"auto"});
}

TEST(Session, CheckPlansWithoutAGpu) {
  Fixture fixture(false);
  fixture.setup("CREATE TABLE t AS SELECT range AS i FROM range(10)");
  EXPECT_EQ(fixture.session->check("SELECT max(i * 2) FROM t").where, "gpu");
  EXPECT_EQ(fixture.session->check("EXPLAIN SELECT max(i * 2) FROM t").gpu_plans.size(), 1u);
  const auto refused = fixture.session->check("SELECT regexp_matches(i::VARCHAR, '[13]') FROM t");
  EXPECT_EQ(refused.where, "cpu");
  EXPECT_FALSE(refused.refusals.empty());
  EXPECT_THROW(fixture.session->check("SELECT * FROM nosuch"), Exception);
  fixture.run("SELECT max(i * 2) FROM t");
  const auto report = fixture.session->last_report();
  EXPECT_EQ(report.where, "cpu");
  ASSERT_EQ(report.refusals.size(), 1u);
  EXPECT_EQ(report.refusals[0].code, support::RefusalCode::NoDevice);
}

TEST(Session, ExecuteOnCpuSaysWhy) {
  Fixture fixture;
  fixture.setup("CREATE TABLE t AS SELECT range AS i FROM range(10)");
  fixture.session->set_mode(Mode::NativeRequired);
  const support::Refusal reason{support::RefusalCode::DeviceMemoryExhausted, "3 GB needed", "STATEMENT"};
  const auto stream = fixture.session->execute_on_cpu("SELECT sum(i * 2)::BIGINT FROM t", reason);
  engine::HostBatch batch;
  ASSERT_TRUE(stream->next(batch));
  EXPECT_EQ(static_cast<const int64_t*>(batch->children[0]->buffers[1])[0], 90);
  EXPECT_EQ(fixture.session->last_report().refusals, std::vector<support::Refusal>{reason});
  EXPECT_EQ(fixture.backend->counters->submitted.load(), 0);
}

}  // namespace
}  // namespace weft::sql
