#include <gtest/gtest.h>

#include "sql/fake_backend.hpp"

namespace weft::sql {
namespace {

using support::RefusalCode;
using testing::Fixture;
using testing::Script;

Fixture with_table() {
  Fixture fixture;
  fixture.setup("CREATE TABLE t AS SELECT range AS i, range::VARCHAR AS s FROM range(1000)");
  return fixture;
}

TEST(Hook, NativeRequiredNamesEveryRefusal) {
  auto fixture = with_table();
  fixture.session->set_mode(Mode::NativeRequired);
  const auto error = fixture.error("SELECT regexp_matches(s, '[13]'), list(i) FROM t GROUP BY 1");
  EXPECT_EQ(error.code, ErrorCode::NotSupportedOnGpu);
  EXPECT_NE(error.message.find("unsupported_function: regexp_matches"), std::string::npos) << error.message;
  EXPECT_NE(error.message.find("; "), std::string::npos) << error.message;
  EXPECT_NE(error.message.find("(in "), std::string::npos) << error.message;
  EXPECT_EQ(fixture.session->last_report().error_code, "not_supported_on_gpu");
}

TEST(Hook, NativeRequiredLetsStatementsWithoutAQueryPass) {
  auto fixture = with_table();
  fixture.session->set_mode(Mode::NativeRequired);
  for (const char* sql : {"SELECT 1", "CREATE TABLE u(i INTEGER)", "INSERT INTO u VALUES (1)", "SHOW TABLES",
                          "SELECT count(*) FROM duckdb_settings()", "PRAGMA table_info('t')", "BEGIN", "COMMIT",
                          "SET preserve_insertion_order = true", "DROP TABLE u", "SELECT * FROM weft_last_query()",
                          "DESCRIBE t", "PREPARE p AS SELECT regexp_matches(s, '[13]') FROM t"}) {
    EXPECT_NO_THROW(fixture.run(sql)) << sql;
  }
  EXPECT_EQ(fixture.error("EXECUTE p").code, ErrorCode::NotSupportedOnGpu);
}

TEST(Hook, ChangesOfDataAreLeftAlone) {
  auto fixture = with_table();
  for (const char* sql :
       {"UPDATE t SET i = i + 1 WHERE s = '5'", "DELETE FROM t WHERE i IN (SELECT i FROM t WHERE s = '7')"}) {
    fixture.run(sql);
    const auto report = fixture.session->last_report();
    EXPECT_EQ(report.where, "cpu");
    ASSERT_FALSE(report.refusals.empty()) << sql;
    EXPECT_EQ(report.refusals[0].code, RefusalCode::UnsupportedStatement);
  }
  EXPECT_EQ(fixture.backend->counters->submitted.load(), 0);
  fixture.session->set_mode(Mode::FunctionsOnly);
  EXPECT_EQ(fixture.numbers("SELECT count(*) FROM t"), std::vector<int64_t>{999});
}

TEST(Hook, WhatReadsLittleStaysOnTheCpu) {
  Fixture fixture(true, [](DatabaseConfig& config) {
    config.options.push_back({"small_on_cpu", "boolean", true, "true", "true", "", {}});
  });
  fixture.setup("CREATE TABLE t AS SELECT range AS i, range * 2 AS j FROM range(1000)");
  const auto where = [&](const std::string& sql) {
    fixture.run(sql);
    return fixture.session->last_report().where;
  };
  const std::string one_column = "SELECT max(i * 2) FROM t";  // 8000 bytes
  const std::string both = "SELECT max(i * j) FROM t";
  EXPECT_EQ(where(one_column), "gpu") << "a backend that nothing is too small for";
  fixture.backend->least = 10000;
  EXPECT_EQ(fixture.numbers(one_column), std::vector<int64_t>{1998}) << "DuckDB's answer, not the fake's";
  const auto report = fixture.session->last_report();
  EXPECT_EQ(report.where, "cpu");
  ASSERT_EQ(report.refusals.size(), 1U);
  EXPECT_EQ(report.refusals[0].code, RefusalCode::TooSmall);
  EXPECT_EQ(report.refusals[0].name, "8000 bytes");
  EXPECT_EQ(where(both), "gpu");
  EXPECT_EQ(where("SELECT max(x.i + y.i) FROM t x JOIN t y ON x.i = y.j"), "gpu") << "two sources, together enough";
  fixture.run("SET weft_small_on_cpu = 'false'");
  EXPECT_EQ(where(one_column), "gpu");
  fixture.run("SET weft_small_on_cpu = 'true'");
  EXPECT_EQ(where(one_column), "cpu");
  fixture.session->set_mode(Mode::NativeRequired);
  EXPECT_EQ(where(one_column), "gpu");
}

TEST(Hook, ModesDecide) {
  auto fixture = with_table();
  fixture.session->set_mode(Mode::FunctionsOnly);
  fixture.run("SELECT max(i * 2) FROM t");
  EXPECT_EQ(fixture.session->last_report().refusals.at(0).code, RefusalCode::ModeFunctionsOnly);
  EXPECT_EQ(fixture.session->last_report().where, "cpu");
  fixture.session->set_mode(Mode::Auto);
  fixture.run("SELECT max(i * 2) FROM t");
  EXPECT_EQ(fixture.session->last_report().where, "gpu");
}

TEST(Hook, WithoutADeviceNativeRequiredSaysWhy) {
  Fixture fixture(false, [](DatabaseConfig& config) {
    config.backend_error = Error{ErrorCode::NoDevice, "no GPU was found: see weft doctor", std::nullopt};
  });
  fixture.setup("CREATE TABLE t AS SELECT range AS i FROM range(10)");
  fixture.session->set_mode(Mode::NativeRequired);
  const auto error = fixture.error("SELECT max(i * 2) FROM t");
  EXPECT_EQ(error.code, ErrorCode::NotSupportedOnGpu);
  EXPECT_NE(error.message.find("no_device: no GPU was found: see weft doctor"), std::string::npos) << error.message;
}

TEST(Hook, WhatStaysOnTheCpuIsPlannedAsDuckDbPlansIt) {
  const char* setup = "CREATE TABLE t AS SELECT range AS i, range % 10 AS k, range::VARCHAR AS s FROM range(100000)";
  const char* queries[] = {"SELECT s, list(i) FROM t WHERE k IN (1, 2, 3, 4, 5, 6, 7) GROUP BY s ORDER BY s LIMIT 10",
                           "SELECT list(i) FROM t WHERE k IN (1, 2, 3, 4, 5, 6, 7) GROUP BY s",
                           "SELECT list(k) FROM t WHERE i BETWEEN 5 AND 50000"};
  Fixture plain(false, [](DatabaseConfig& config) { config.hooks = false; });
  plain.run(setup);
  auto fixture = Fixture();
  fixture.setup(setup);
  for (const char* query : queries) {
    const std::string explain = std::string("EXPLAIN ") + query;
    auto text = fixture.texts(explain, 1).at(0);
    ASSERT_EQ(fixture.session->last_report().where, "cpu") << query;
    const auto reasons = text.find("\nOn the CPU because");
    ASSERT_NE(reasons, std::string::npos) << text;
    EXPECT_EQ(text.substr(0, reasons), plain.texts(explain, 1).at(0)) << query;
  }
}

TEST(Hook, DisabledOptimizersAreRestored) {
  auto fixture = with_table();
  const auto disabled = [&] {
    return fixture.texts("SELECT value FROM duckdb_settings() WHERE name = 'disabled_optimizers'");
  };
  const auto before = disabled();
  fixture.run("SELECT max(i * 2) FROM t");
  EXPECT_EQ(disabled(), before);
  fixture.session->set_mode(Mode::NativeRequired);
  EXPECT_EQ(fixture.error("SELECT list(i) FROM t").code, ErrorCode::NotSupportedOnGpu);
  EXPECT_EQ(disabled(), before);
  fixture.session->set_mode(Mode::Auto);
  fixture.run("SET disabled_optimizers = 'top_n'");
  fixture.run("SELECT max(i * 2) FROM t");
  EXPECT_EQ(disabled(), std::vector<std::string>{"top_n"});
}

TEST(Hook, ABypassedHookIsAnErrorInNativeRequired) {
  auto fixture = with_table();
  fixture.run("SET enable_optimizer = false");
  fixture.run("SELECT max(i * 2) FROM t");
  EXPECT_EQ(fixture.session->last_report().where, "cpu");
  fixture.session->set_mode(Mode::NativeRequired);
  EXPECT_EQ(fixture.error("SELECT max(i * 2) FROM t").code, ErrorCode::NotSupportedOnGpu);
}

TEST(Hook, RecursiveCtesStayOnTheCpu) {
  auto fixture = with_table();
  fixture.backend->script = Script{Script::Kind::Rows, 0, 1};
  const auto rows = fixture.numbers(
      "WITH RECURSIVE r(n) AS (SELECT 1::BIGINT UNION ALL SELECT t.i FROM r JOIN t ON t.i = r.n + 1 WHERE t.i * 2 < "
      "20) "
      "SELECT n FROM r");
  EXPECT_EQ(rows.size(), 9u);
}

TEST(Hook, PlanningIsQuick) {
  auto fixture = with_table();
  std::vector<double> times;
  for (int i = 0; i < 21; ++i) {
    fixture.run("SELECT i % 7 AS k, max(i * 2) FROM t WHERE s <> 'x' GROUP BY 1 ORDER BY 1 LIMIT 5");
    times.push_back(fixture.session->last_report().planning_ms);
  }
  std::sort(times.begin(), times.end());
  EXPECT_LT(times[10], 50) << "median of planning in ms; the target is 10 on an idle machine";
}

TEST(Hook, ExplainShowsWhereEachOperatorRuns) {
  Fixture fixture(true, [](DatabaseConfig& config) {
    config.describe_pipelines = [](const plan::Plan&) { return std::string("0: source -> sink\n1: other\n"); };
  });
  fixture.setup("CREATE TABLE t AS SELECT range AS i, range::VARCHAR AS s FROM range(1000)");
  const auto key = fixture.texts("EXPLAIN SELECT list(m) FROM (SELECT s, max(i * 2) AS m FROM t GROUP BY s)", 0);
  EXPECT_EQ(key, std::vector<std::string>{"weft_plan"});
  const auto text = fixture.texts("EXPLAIN SELECT list(m) FROM (SELECT s, max(i * 2) AS m FROM t GROUP BY s)", 1).at(0);
  EXPECT_NE(text.find("GPU  "), std::string::npos) << text;
  EXPECT_NE(text.find("CPU  "), std::string::npos) << text;
  EXPECT_NE(text.find("unsupported_aggregate: list"), std::string::npos) << text;
  EXPECT_NE(text.find("Pipelines\n  0: source -> sink\n  1: other"), std::string::npos) << text;
  EXPECT_EQ(fixture.backend->counters->submitted.load(), 0);
  EXPECT_EQ(fixture.session->last_report().where, "mixed");
}

TEST(Hook, ExplainAnalyzeAddsCounts) {
  auto fixture = with_table();
  const auto text = fixture.texts("EXPLAIN ANALYZE SELECT max(i * 2) FROM t", 1).at(0);
  EXPECT_EQ(fixture.backend->counters->submitted.load(), 1);
  EXPECT_TRUE(fixture.backend->last_options().profile);
  EXPECT_NE(text.find("(7 rows, 2 batches, 1.50 ms busy)"), std::string::npos) << text;
  EXPECT_NE(text.find("peak device bytes 4096, bytes read 512"), std::string::npos) << text;
  fixture.run("SELECT max(i * 2) FROM t");
  EXPECT_FALSE(fixture.backend->last_options().profile);
}

TEST(Hook, ExplainNeverFailsOnRefusals) {
  auto fixture = with_table();
  fixture.session->set_mode(Mode::NativeRequired);
  const auto text = fixture.texts("EXPLAIN SELECT list(i) FROM t", 1).at(0);
  EXPECT_NE(text.find("unsupported_aggregate: list"), std::string::npos) << text;
  EXPECT_EQ(fixture.error("EXPLAIN SELECT * FROM nosuch").code, ErrorCode::DuckDbError);
  EXPECT_NE(fixture.texts("EXPLAIN (FORMAT json) SELECT list(i) FROM t", 1).at(0).find('{'), std::string::npos);
  EXPECT_NE(fixture.texts("EXPLAIN (SQL) SELECT max(i * 2) FROM t", 1).at(0).find("SELECT"), std::string::npos);
}

TEST(Hook, ExplainAsJsonShowsThePlansNodes) {
  auto fixture = with_table();
  const auto text = fixture.texts("EXPLAIN (FORMAT json) SELECT max(i * 2) FROM t WHERE i > 1", 1).at(0);
  EXPECT_EQ(text.rfind("[\n  {\"name\": \"PROJECTION", 0), 0U) << text;
  EXPECT_NE(
      text.find("\"extra_info\": {\"device\": \"GPU\", \"part\": 1, \"node\": 1}, \"children\": [\n    {\"name\": "
                "\"AGGREGATE"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("{\"device\": \"CPU\"}"), std::string::npos) << text;
  EXPECT_EQ(fixture.backend->counters->submitted.load(), 0);
  const auto counts = fixture.texts("EXPLAIN (ANALYZE, FORMAT json) SELECT max(i * 2) FROM t", 1).at(0);
  EXPECT_NE(counts.find("\"rows\": 7, \"batches\": 2, \"busy_ms\": 1.50"), std::string::npos) << counts;
  const auto error = fixture.error("EXPLAIN (FORMAT html) SELECT max(i * 2) FROM t");
  EXPECT_EQ(error.code, ErrorCode::InvalidInput);
  EXPECT_NE(error.message.find("FORMAT html"), std::string::npos) << error.message;
}

}  // namespace
}  // namespace weft::sql
