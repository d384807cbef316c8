// What cut() refuses, and what it makes of the rest.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plan/walk.hpp"
#include "sql/translate/translate_test_database.hpp"

namespace weft::sql::testing {
namespace {

using support::RefusalCode;
using ::testing::IsEmpty;

struct RefusalCase {
  std::string select;
  support::Refusal refusal;
};

template <typename T>
bool contains(const plan::Node& root) {
  bool found = false;
  plan::for_each_node(root, [&](const plan::Node& node) { found = found || node.as<T>(); });
  return found;
}

TEST(PlanCut, RefusesWithCodeNameAndOperator) {
  TranslateDatabase database;
  const std::vector<RefusalCase> cases{
      {"SELECT a, sum(DISTINCT b) OVER () FROM pt",
       {RefusalCode::UnsupportedAggregate, "sum(DISTINCT BIGINT)", "WINDOW"}},
      {"SELECT a, median(b) OVER () FROM pt", {RefusalCode::UnsupportedAggregate, "median(BIGINT)", "WINDOW"}},
      {"SELECT fill(a) OVER (ORDER BY b) FROM pt", {RefusalCode::UnsupportedAggregate, "fill(INTEGER)", "WINDOW"}},
      {"SELECT lag(a ORDER BY b) OVER (ORDER BY a) FROM pt",
       {RefusalCode::UnsupportedAggregate, "lag(INTEGER, BIGINT, INTEGER ORDER BY)", "WINDOW"}},
      {"SELECT count(*) OVER (ORDER BY c COLLATE nocase) FROM pt",
       {RefusalCode::UnsupportedCollation, "nocase", "WINDOW"}},
      {"SELECT x.a FROM pt x POSITIONAL JOIN pu y",
       {RefusalCode::UnsupportedOperator, "POSITIONAL_JOIN", "POSITIONAL_JOIN"}},
      {"SELECT a FROM pt USING SAMPLE 10%", {RefusalCode::UnsupportedOperator, "SAMPLE", "SAMPLE"}},
      {"SELECT unnest([a, 1]) FROM pt", {RefusalCode::UnsupportedOperator, "UNNEST", "UNNEST"}},
      {"WITH RECURSIVE r AS (SELECT 1 n UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT n FROM r",
       {RefusalCode::UnsupportedOperator, "REC_CTE", "REC_CTE"}},
      {"SELECT a FROM pt LIMIT 10%", {RefusalCode::UnsupportedOperator, "LIMIT of an expression", "LIMIT"}},
      {"SELECT a, (a, b) <> ANY (SELECT a, b FROM pu) FROM pt",
       {RefusalCode::UnsupportedType, "TUPLE(INTEGER, BIGINT)", "COMPARISON_JOIN"}},
      {"SELECT median(a) FROM pt", {RefusalCode::UnsupportedAggregate, "median(INTEGER)", "AGGREGATE"}},
      {"SELECT strip_accents(c) FROM pt", {RefusalCode::UnsupportedFunction, "strip_accents(VARCHAR)", "PROJECTION"}},
      {"SELECT a FROM pt WHERE regexp_matches(c, 'x.*y')",
       {RefusalCode::UnsupportedFunction, "regexp_matches(VARCHAR, VARCHAR)", "FILTER"}},
      {"SELECT a, random() FROM pt", {RefusalCode::VolatileFunction, "random()", "PROJECTION"}},
      {"SELECT a FROM pt ORDER BY c COLLATE nocase", {RefusalCode::UnsupportedCollation, "nocase", "PROJECTION"}},
      {"SELECT c::BIT FROM pt", {RefusalCode::UnsupportedType, "BIT", "PROJECTION"}},
      {"SELECT [a] FROM pt", {RefusalCode::UnsupportedType, "INTEGER[]", "PROJECTION"}}};
  for (const auto& one : cases) {
    const Seen seen = database.see(one.select);
    EXPECT_FALSE(seen.whole) << one.select;
    std::string found;
    for (const auto& refusal : seen.refusals)
      found += std::string(support::to_string(refusal.code)) + " " + refusal.name + " in " + refusal.node + "\n";
    EXPECT_THAT(seen.refusals, ::testing::Contains(one.refusal)) << one.select << " gave\n" << found;
  }
}

TEST(PlanCut, ARefusedOperatorDividesThePlanInnerPartFirst) {
  TranslateDatabase database;
  const Seen seen = database.see(
      "SELECT a, s FROM (SELECT a, sum(b) s, row_number(ORDER BY a) OVER () r FROM pt GROUP BY a) WHERE r > 2 ORDER BY "
      "s");
  EXPECT_FALSE(seen.whole);
  ASSERT_EQ(seen.parts.size(), 2U);
  EXPECT_TRUE(contains<plan::Aggregate>(*seen.parts[0].plan->root));
  EXPECT_THAT(seen.parts[0].leaves, IsEmpty());
  EXPECT_TRUE(contains<plan::Sort>(*seen.parts[1].plan->root));
  ASSERT_EQ(seen.parts[1].leaves.size(), 1U);
  EXPECT_EQ(seen.parts[1].leaves[0].description, "WINDOW (on the CPU)");
  EXPECT_EQ(seen.parts[1].leaves[0].why[0].code, RefusalCode::UnsupportedAggregate);
  EXPECT_EQ(seen.parts[1].plan->host_sources, 1U);
}

TEST(PlanCut, EachPartHasItsRootsColumns) {
  TranslateDatabase database;
  // The count needs no column of the scan, but DuckDB's WINDOW above expects the column that DuckDB's scan has.
  const Seen seen = database.see("SELECT sum(DISTINCT 1) OVER () FROM pt WHERE b % 3 = 1");
  for (const SeenPart& part : seen.parts) {
    std::vector<std::string> types;
    for (const auto& column : part.plan->root->output) types.push_back(column.type.to_string());
    EXPECT_EQ(types, part.types);
  }
  ASSERT_EQ(seen.parts.size(), 1U);
}

TEST(PlanCut, ACteThatTheCpuReadsStaysOnTheCpu) {
  TranslateDatabase database;
  const Seen seen = database.see(
      "WITH q AS MATERIALIZED (SELECT a, sum(b) s FROM pt GROUP BY a) "
      "SELECT x.a, row_number(ORDER BY x.a) OVER () FROM q x JOIN q y ON x.s = y.s");
  EXPECT_FALSE(seen.whole);
  ASSERT_EQ(seen.parts.size(), 2U);
  for (const SeenPart& part : seen.parts) {
    EXPECT_FALSE(contains<plan::CteReference>(*part.plan->root));
    EXPECT_FALSE(contains<plan::CteDefinition>(*part.plan->root));
  }
  const support::Refusal reason{RefusalCode::UnsupportedOperator, "CTE q read on the CPU", "CTE"};
  EXPECT_THAT(seen.refusals, ::testing::Contains(reason));
}

TEST(PlanCut, ACteOfARefusedDefinitionIsReadOnTheGpu) {
  TranslateDatabase database;
  const Seen seen = database.see(
      "WITH q AS MATERIALIZED (SELECT a, row_number(ORDER BY a) OVER () s FROM pt) SELECT x.a FROM q x JOIN q y ON x.s "
      "= y.s + "
      "1");
  EXPECT_FALSE(seen.whole);
  ASSERT_EQ(seen.parts.size(), 1U);
  EXPECT_TRUE(contains<plan::CteDefinition>(*seen.parts[0].plan->root));
  EXPECT_EQ(seen.parts[0].leaves.size(), 1U);
}

TEST(PlanCut, NoWorkForAGpu) {
  TranslateDatabase database;
  for (const std::string select :
       {"SELECT * FROM pt", "SELECT a, 1 FROM t", "SELECT 1 + 1", "SELECT a FROM t LIMIT 5"}) {
    const Seen seen = database.see(select);
    EXPECT_THAT(seen.parts, IsEmpty()) << select;
    ASSERT_EQ(seen.refusals.size(), 1U) << select;
    EXPECT_EQ(seen.refusals[0].code, RefusalCode::Nothing);
    const Seen kept = database.see(select, true);
    EXPECT_TRUE(kept.whole) << select;
    EXPECT_EQ(kept.parts.size(), 1U) << select;
  }
}

TEST(PlanCut, NumbersNodesAndSources) {
  TranslateDatabase database;
  const Seen seen = database.see("SELECT x.a, count(*) FROM t x JOIN u y ON x.b = y.b GROUP BY x.a");
  ASSERT_EQ(seen.parts.size(), 1U);
  uint32_t next = 1;
  uint32_t source = 0;
  plan::for_each_node(*seen.parts[0].plan->root, [&](const plan::Node& node) {
    EXPECT_EQ(node.id, next++);
    const auto* host = node.as<plan::HostSource>();
    if (host) {
      EXPECT_EQ(host->source, source++);
    }
  });
  EXPECT_EQ(source, 2U);
  EXPECT_EQ(seen.parts[0].plan->host_sources, 2U);
  EXPECT_EQ(seen.parts[0].leaves.size(), 2U);
}

}  // namespace
}  // namespace weft::sql::testing
