// What plans become: TPC-H and TPC-DS whole, then one small query per operator, join kind, expression and scan.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <set>

#include "plan/walk.hpp"
#include "sql/translate/translate_fixture.hpp"
#include "sql/translate/translator.hpp"

namespace weft::sql::testing {
namespace {

using plan::JoinKind;
using plan::TypeId;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// ---- whole benchmarks

TEST_F(TranslateTest, TpchTranslatesWhole) {
  generate("CALL dbgen(sf = 0.01)");
  const auto queries = database.query_texts("SELECT query FROM tpch_queries() ORDER BY query_nr");
  ASSERT_EQ(queries.size(), 22U);
  for (size_t i = 0; i < queries.size(); ++i) {
    SCOPED_TRACE("TPC-H " + std::to_string(i + 1));
    const auto root = whole(queries[i], false);
    EXPECT_TRUE(support::check(*seen.parts[0].plan).empty());
    EXPECT_THAT(seen.parts[0].leaves, IsEmpty());
    EXPECT_GT(root->output.size(), 0U);
  }
}

TEST_F(TranslateTest, TpcdsRefusesOnlyWhatThePlanLacks) {
  generate("CALL dsdgen(sf = 0.01)");
  const auto queries = database.query_texts("SELECT query FROM tpcds_queries() ORDER BY query_nr");
  ASSERT_EQ(queries.size(), 99U);
  size_t whole_count = 0;
  std::set<std::string> refused;
  for (const auto& query : queries) {
    const Seen one = database.see(query);
    whole_count += one.whole ? 1 : 0;
    for (const auto& refusal : one.refusals)
      if (!refusal.name.starts_with("CTE ")) refused.insert(refusal.name);
  }
  EXPECT_EQ(whole_count, 99U);
  EXPECT_THAT(refused, IsEmpty());
}

// ---- scans

TEST_F(TranslateTest, ScanHasFiltersAndIdentityOfItsFiles) {
  const auto root = whole("SELECT c FROM pt WHERE a > 3 AND b BETWEEN 5 AND 900");
  const auto& scan = body<plan::Scan>(root);
  ASSERT_EQ(scan.files.size(), 1U);
  struct stat status {};
  ASSERT_EQ(::stat((database.folder() + "/t.parquet").c_str(), &status), 0);
  EXPECT_EQ(scan.files[0].path, database.folder() + "/t.parquet");
  EXPECT_EQ(scan.files[0].size_bytes, static_cast<uint64_t>(status.st_size));
  EXPECT_EQ(scan.files[0].mtime_ns, status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec);
  std::vector<std::string> names;
  for (const auto& column : scan.columns) names.push_back(column.name + " " + column.type.to_string());
  EXPECT_THAT(names, ::testing::UnorderedElementsAre("c VARCHAR", "a INTEGER", "b BIGINT"));
  std::vector<std::string> column_names;
  for (const auto& column : scan.columns) column_names.push_back(column.name);
  std::vector<std::string> filters;
  for (const auto& filter : scan.filters) filters.push_back(plan::to_string(*filter, column_names));
  EXPECT_THAT(filters, ::testing::UnorderedElementsAre("(a > 3)", "(b >= 5)", "(b <= 900)"));
  ASSERT_EQ(scan.projection.size(), 1U);
  EXPECT_EQ(scan.columns[scan.projection[0]].name, "c");
}

TEST_F(TranslateTest, CountReadsNoColumns) {
  const auto root = whole("SELECT count(*) FROM pt, pu");
  const auto& scan = node<plan::Scan>(root);
  EXPECT_THAT(scan.output, IsEmpty());
  EXPECT_THAT(scan.as<plan::Scan>()->columns, IsEmpty());
}

TEST_F(TranslateTest, HiveKeysFileNamesAndRowNumbers) {
  const std::string files = "'" + database.folder() + "/hive/*/*.parquet'";
  database.execute("COPY (SELECT i AS v, i % 3 AS k FROM range(9) r(i)) TO '" + database.folder() +
                   "/hive' (FORMAT parquet, PARTITION_BY (k))");
  const auto hive = whole("SELECT k, v FROM " + files + " WHERE k > 0");
  const auto& scan = body<plan::Scan>(hive);
  ASSERT_EQ(scan.files.size(), 2U);  // k = 0 is pruned
  EXPECT_EQ(scan.files[0].constants, std::vector<plan::Value>{plan::Value::integer(plan::Type::of(TypeId::BigInt), 1)});
  EXPECT_EQ(scan.files[1].constants, std::vector<plan::Value>{plan::Value::integer(plan::Type::of(TypeId::BigInt), 2)});
  EXPECT_FALSE(node<plan::Scan>(hive).output[0].nullable);

  for (const auto& source : {"read_parquet(" + files + ", filename = true)", files}) {
    const auto named = whole("SELECT filename, v FROM " + source);
    const auto& file = body<plan::Scan>(named).files[0];
    EXPECT_EQ(file.constants, std::vector<plan::Value>{plan::Value::text(file.path)});
  }
  const auto numbered = whole("SELECT file_row_number, v FROM " + files);
  EXPECT_EQ(body<plan::Scan>(numbered).columns[0].kind, plan::ScanColumn::Kind::FileRowNumber);
}

TEST_F(TranslateTest, UnionByNameAllowsMissingColumns) {
  database.execute("COPY (SELECT 1 a) TO '" + database.folder() + "/one.parquet'");
  database.execute("COPY (SELECT 2::BIGINT a, 3 z) TO '" + database.folder() + "/two.parquet'");
  const std::string list = "['" + database.folder() + "/one.parquet', '" + database.folder() + "/two.parquet']";
  const auto strict = whole("SELECT a FROM read_parquet(" + list + ")");
  EXPECT_FALSE(body<plan::Scan>(strict).columns[0].null_if_missing);
  const auto loose = whole("SELECT z FROM read_parquet(" + list + ", union_by_name = true)");
  EXPECT_TRUE(body<plan::Scan>(loose).columns[0].null_if_missing);
}

TEST_F(TranslateTest, WhatDuckDbReadsBecomesAHostSource) {
  database.execute("COPY (SELECT 1 a, 'x' b) TO '" + database.folder() + "/c.csv'");
  const std::vector<std::pair<std::string, std::string>> sources{
      {"t", "table t"}, {"'" + database.folder() + "/c.csv'", "read_csv_auto('"}, {"range(7) r(a)", "range(7)"}};
  for (const auto& [from, description] : sources) {
    const auto root = whole("SELECT a, count(*) FROM " + from + " GROUP BY a", false);
    EXPECT_EQ(body<plan::HostSource>(root).source, 0U);
    ASSERT_EQ(seen.parts[0].leaves.size(), 1U);
    EXPECT_THAT(seen.parts[0].leaves[0].description, HasSubstr(description));
    EXPECT_EQ(seen.parts[0].leaves[0].why[0].code, support::RefusalCode::HostTable);
  }
}

TEST_F(TranslateTest, ParquetThatTheGpuCannotReadBecomesAHostSource) {
  const std::string file = "'" + database.folder() + "/t.parquet'";
  for (const std::string& from :
       {"read_parquet(" + file + ", binary_as_string = true)", file + " WHERE file_index = 0"}) {
    seen = database.see("SELECT a, count(*) FROM " + from + " GROUP BY a");
    EXPECT_TRUE(seen.whole) << from;
    ASSERT_EQ(seen.refusals.size(), 1U) << from;
    EXPECT_EQ(seen.refusals[0].code, support::RefusalCode::UnsupportedFile);
    EXPECT_EQ(seen.parts[0].leaves.size(), 1U);
  }
}

// ---- joins

struct JoinCase {
  std::string select;
  JoinKind kind;
  plan::BuildSide build;
  std::vector<bool> null_equal;  // per key
  bool residual = false;
  bool three_valued = false;
};

TEST_F(TranslateTest, EveryJoinKind) {
  make_small_view();
  using plan::BuildSide;
  const std::vector<JoinCase> cases{
      {"SELECT x.a FROM pt x JOIN pu y ON x.b = y.b", JoinKind::Inner, BuildSide::Right, {false}},
      {"SELECT x.a FROM pt x JOIN pu y ON x.b = y.b AND x.a < y.a", JoinKind::Inner, BuildSide::Right, {false}, true},
      {"SELECT x.a FROM pt x JOIN pu y ON x.b IS NOT DISTINCT FROM y.b", JoinKind::Inner, BuildSide::Right, {true}},
      {"SELECT x.a FROM pt x JOIN pu y ON x.b < y.b", JoinKind::Inner, BuildSide::Right, {}, true},
      {"SELECT x.a, y.c FROM pt x LEFT JOIN small y ON x.b = y.b", JoinKind::Left, BuildSide::Right, {false}},
      {"SELECT x.a, y.c FROM small x LEFT JOIN pt y ON x.b = y.b", JoinKind::Right, BuildSide::Right, {false}},
      {"SELECT x.a, y.c FROM pt x FULL JOIN pu y ON x.b = y.b", JoinKind::Full, BuildSide::Right, {false}},
      {"SELECT x.a, y.c FROM pt x LEFT JOIN small y ON x.b = y.b OR x.a = 3",
       JoinKind::Left,
       BuildSide::Right,
       {},
       true},
      {"SELECT a FROM pt WHERE b IN (SELECT b FROM small)", JoinKind::Semi, BuildSide::Right, {false}},
      {"SELECT a FROM small WHERE b IN (SELECT b FROM pt)", JoinKind::Semi, BuildSide::Left, {false}},
      {"SELECT a FROM pt x WHERE NOT EXISTS (SELECT 1 FROM small y WHERE x.b = y.b)",
       JoinKind::Anti,
       BuildSide::Right,
       {true}},
      {"SELECT a FROM small x ANTI JOIN pt y ON x.b = y.b", JoinKind::Anti, BuildSide::Left, {false}},
      {"SELECT a, b IN (SELECT b FROM small) FROM pt", JoinKind::Mark, BuildSide::Right, {false}, false, true},
      {"SELECT a, EXISTS (SELECT 1 FROM small y WHERE x.b = y.b) FROM pt x", JoinKind::Mark, BuildSide::Right, {true}},
      {"SELECT a, (a, b) IN (SELECT a, b FROM small) FROM pt",
       JoinKind::Mark,
       BuildSide::Right,
       {false, false},
       false,
       true},
      {"SELECT a, a IN (SELECT y.a FROM small y WHERE x.b = y.b) FROM pt x",
       JoinKind::Mark,
       BuildSide::Right,
       {true, false},
       false,
       true},
      {"SELECT a, a <> ANY (SELECT a FROM small) FROM pt", JoinKind::Mark, BuildSide::Right, {}, true, true},
      {"SELECT a, a <> ANY (SELECT y.a FROM small y WHERE x.b = y.b) FROM pt x",
       JoinKind::Mark,
       BuildSide::Right,
       {true},
       true,
       true},
      {"SELECT a, (SELECT c FROM small y WHERE x.b = y.b) FROM pt x", JoinKind::Single, BuildSide::Right, {true}},
      {"SELECT x.a, y.a FROM pt x CROSS JOIN pu y", JoinKind::Inner, BuildSide::Right, {}}};
  for (const auto& one : cases) {
    SCOPED_TRACE(one.select);
    const auto& join = body<plan::Join>(whole(one.select));
    EXPECT_EQ(join.kind, one.kind);
    EXPECT_EQ(join.build, one.build);
    std::vector<bool> null_equal;
    for (const auto& key : join.keys) null_equal.push_back(key.null_equal);
    EXPECT_EQ(null_equal, one.null_equal);
    EXPECT_EQ(join.residual != nullptr, one.residual);
    EXPECT_EQ(join.mark_three_valued, one.three_valued);
  }
}

TEST_F(TranslateTest, AsofJoins) {
  struct AsofCase {
    std::string select;
    JoinKind kind;
    plan::CompareOp compare;
    size_t keys = 0;
    bool residual = false;
  };
  using plan::CompareOp;
  const std::vector<AsofCase> cases{
      {"SELECT x.a, y.c FROM pt x ASOF JOIN pu y ON x.b >= y.b", JoinKind::Inner, CompareOp::GreaterEqual},
      {"SELECT x.a, y.c FROM pt x ASOF JOIN pu y ON x.a = y.a AND x.b < y.b", JoinKind::Inner, CompareOp::Less, 1},
      {"SELECT x.a, y.c FROM pt x ASOF LEFT JOIN pu y ON y.b < x.b AND x.a IS NOT DISTINCT FROM y.a AND x.c = y.c",
       JoinKind::Left, CompareOp::Greater, 2},
      {"SELECT x.a, y.c FROM pt x ASOF RIGHT JOIN pu y ON x.e <= y.e", JoinKind::Right, CompareOp::LessEqual},
      {"SELECT x.a, y.c FROM pt x ASOF FULL JOIN pu y ON x.d > y.d", JoinKind::Full, CompareOp::Greater},
      {"SELECT x.a, y.c FROM pt x ASOF JOIN pu y ON x.a = y.a AND x.b >= y.b AND x.c <> y.c", JoinKind::Inner,
       CompareOp::GreaterEqual, 1, true}};
  for (const auto& one : cases) {
    SCOPED_TRACE(one.select);
    const auto& join = body<plan::Join>(whole(one.select));
    EXPECT_EQ(join.kind, one.kind);
    EXPECT_EQ(join.build, plan::BuildSide::Right);
    ASSERT_TRUE(join.asof);
    EXPECT_EQ(join.asof->compare, one.compare);
    EXPECT_EQ(join.keys.size(), one.keys);
    EXPECT_EQ(join.residual != nullptr, one.residual);
  }
  // What is nearest does not matter to these.
  const auto& semi = body<plan::Join>(whole("SELECT x.a FROM pt x ASOF SEMI JOIN pu y ON x.b >= y.b"));
  EXPECT_EQ(semi.kind, JoinKind::Semi);
  EXPECT_FALSE(semi.asof);
}

TEST_F(TranslateTest, OuterJoinsMakeTheOtherSideNullable) {
  make_small_view();
  const std::string small = "(SELECT a, count(*) n FROM small GROUP BY a) ";
  const std::string large = "(SELECT b::INTEGER a, count(*) n FROM pt GROUP BY b) ";
  struct OuterCase {
    std::string select;
    JoinKind kind;
    bool left_nullable, right_nullable;
  };
  const std::vector<OuterCase> cases{
      {"SELECT x.n, y.n FROM " + large + "x LEFT JOIN " + small + "y ON x.a = y.a", JoinKind::Left, false, true},
      {"SELECT x.n, y.n FROM " + small + "x LEFT JOIN " + large + "y ON x.a = y.a", JoinKind::Right, true, false},
      {"SELECT x.n, y.n FROM " + small + "x FULL JOIN " + large + "y ON x.a = y.a", JoinKind::Full, true, true}};
  for (const auto& one : cases) {
    SCOPED_TRACE(one.select);
    const auto root = whole(one.select);
    const plan::Node& join = node<plan::Join>(root);
    EXPECT_EQ(join.as<plan::Join>()->kind, one.kind);
    ASSERT_EQ(join.output.size(), 2U);
    EXPECT_EQ(join.output[0].nullable, one.left_nullable);
    EXPECT_EQ(join.output[1].nullable, one.right_nullable);
  }
}

TEST_F(TranslateTest, FlippedJoinsKeepTheirResidualsColumns) {
  // The build side is DuckDB's right child and the plan's left one: residual columns count from it.
  make_small_view();
  const auto root = whole("SELECT x.a FROM small x SEMI JOIN pt y ON x.b = y.b AND x.a > y.a");
  const plan::Node& node_ = node<plan::Join>(root);
  const auto& join = *node_.as<plan::Join>();
  ASSERT_EQ(join.build, plan::BuildSide::Left);
  ASSERT_NE(join.residual, nullptr);
  std::vector<std::string> names;
  for (const auto& column : node_.children[0]->output) names.push_back("x." + column.name);
  for (const auto& column : node_.children[1]->output) names.push_back("y." + column.name);
  EXPECT_THAT(plan::to_string(*join.residual, names), ::testing::AnyOf("(x.a > y.a)", "(y.a < x.a)"));
}

TEST_F(TranslateTest, ColumnsThatNobodyReadsAreDropped) {
  const auto root = whole("SELECT x.c FROM pt x JOIN pu y ON x.b = y.b");
  const auto& join = body<plan::Join>(root);
  EXPECT_EQ(join.left_output.size() + join.right_output.size(), 1U);
}

TEST_F(TranslateTest, CopiesOfExpressionsMoveWithDroppedColumns) {
  const auto root = whole("SELECT x.c, x.b * 40000000000000000 + y.a FROM pt x JOIN pu y ON x.b = y.b");
  const plan::Node& project = node<plan::Project>(root);
  const plan::Expr& sum = *project.as<plan::Project>()->expressions[1];
  ASSERT_GT(sum.id, 0U) << plan::print(*root);
  std::vector<bool> used(project.children[0]->output.size(), false);
  plan::collect_columns(sum, used);
  const std::string& copy = seen.parts[0].expressions[sum.id - 1];
  for (size_t i = 0; i < used.size(); ++i)
    EXPECT_EQ(used[i], copy.find("#" + std::to_string(i)) != std::string::npos) << copy << "\n" << plan::print(*root);
}

// ---- other operators

TEST_F(TranslateTest, SortTopNAndLimit) {
  const auto& sort = body<plan::Sort>(whole("SELECT a, c FROM pt ORDER BY a DESC NULLS FIRST, c"));
  ASSERT_EQ(sort.keys.size(), 2U);
  EXPECT_TRUE(sort.keys[0].descending);
  EXPECT_TRUE(sort.keys[0].nulls_first);
  EXPECT_FALSE(sort.keys[1].descending);
  EXPECT_FALSE(sort.keys[1].nulls_first);
  const auto& top = body<plan::TopN>(whole("SELECT a FROM pt ORDER BY b LIMIT 7 OFFSET 3"));
  EXPECT_EQ(top.limit, 7U);
  EXPECT_EQ(top.offset, 3U);
  const auto& limit = body<plan::Limit>(whole("SELECT a FROM pt LIMIT 7 OFFSET 3"));
  EXPECT_EQ(limit.limit, std::optional<uint64_t>(7));
  EXPECT_EQ(limit.offset, 3U);
}

TEST_F(TranslateTest, GroupingSets) {
  using Lists = std::vector<std::vector<uint32_t>>;
  const auto root = whole(
      "SELECT a % 3 AS k, c, sum(b), grouping(c, k), grouping(k) FROM pt GROUP BY ROLLUP (k, c) HAVING grouping(c) >= "
      "0");
  const plan::Node& node_ = node<plan::Aggregate>(root);
  const auto& rollup = *node_.as<plan::Aggregate>();
  ASSERT_EQ(rollup.groups.size(), 2U);
  EXPECT_EQ(rollup.grouping_sets, (Lists{{}, {0}, {0, 1}}));
  EXPECT_THAT(rollup.groupings, ::testing::IsSupersetOf(Lists{{1, 0}, {0}}));
  EXPECT_EQ(node_.output.size(), 3U + rollup.groupings.size());
  EXPECT_TRUE(node_.output[0].nullable);
  EXPECT_FALSE(node_.output[3].nullable);

  const auto& repeated =
      body<plan::Aggregate>(whole("SELECT a, c, count(DISTINCT b) FROM pt GROUP BY GROUPING SETS ((a), (c), (a), ())"));
  EXPECT_EQ(repeated.grouping_sets, (Lists{{0}, {1}, {0}, {}}));
  const auto& plain = body<plan::Aggregate>(whole("SELECT a, count(*), grouping(a) FROM pt GROUP BY a"));
  EXPECT_THAT(plain.grouping_sets, IsEmpty());
  EXPECT_EQ(plain.groupings, (Lists{{0}}));
  EXPECT_EQ(body<plan::Aggregate>(whole("SELECT a, c FROM pt GROUP BY CUBE (a, c)")).grouping_sets.size(), 4U);
}

TEST_F(TranslateTest, AggregatesWithFilterDistinctAndProofs) {
  database.execute("SET disabled_optimizers = 'distinct_aggregate_rewrite'");
  const auto root = whole("SELECT a, count(DISTINCT c), sum(d) FILTER (WHERE b > 2), count(*) FROM pt GROUP BY a");
  const plan::Node& node_ = node<plan::Aggregate>(root);
  const auto& aggregate = *node_.as<plan::Aggregate>();
  ASSERT_EQ(aggregate.groups.size(), 1U);
  ASSERT_EQ(aggregate.aggregates.size(), 3U);
  EXPECT_EQ(aggregate.aggregates[0].function, "count");
  EXPECT_TRUE(aggregate.aggregates[0].distinct);
  EXPECT_EQ(aggregate.aggregates[1].function, "sum");
  EXPECT_NE(aggregate.aggregates[1].filter, nullptr);
  EXPECT_EQ(aggregate.aggregates[1].type, plan::Type::decimal(38, 2));
  EXPECT_EQ(aggregate.aggregates[2].function, "count_star");
  EXPECT_FALSE(node_.output[1].nullable);  // count
  EXPECT_TRUE(node_.output[2].nullable);   // sum
  EXPECT_FALSE(node_.output[3].nullable);  // count(*)
}

TEST_F(TranslateTest, SumThatCannotOverflowIsASum) {
  const auto& aggregate = body<plan::Aggregate>(whole("SELECT sum(a) FROM t WHERE b > 3"));
  EXPECT_EQ(aggregate.aggregates[0].function, "sum");
  EXPECT_THAT(seen.parts[0].expressions, ::testing::Contains(HasSubstr("sum_no_overflow")));
}

TEST_F(TranslateTest, DistinctUnionValuesAndCtes) {
  EXPECT_THAT(body<plan::Aggregate>(whole("SELECT DISTINCT a, c FROM pt")).aggregates, IsEmpty());
  EXPECT_EQ(body<plan::Aggregate>(whole("SELECT DISTINCT a, c FROM pt")).groups.size(), 2U);
  EXPECT_EQ(node<plan::Union>(whole("SELECT a FROM pt UNION ALL SELECT a FROM pu UNION ALL SELECT 3")).children.size(),
            3U);
  const auto values = whole("SELECT c, v FROM pt JOIN (VALUES (1, 'p'), (2, NULL)) k(a, v) USING (a)");
  EXPECT_EQ(body<plan::Values>(values).rows[1][0], plan::Value::integer(plan::Type::of(TypeId::Integer), 2));
  EXPECT_EQ(body<plan::Values>(values).rows[1][1], plan::Value::null(plan::Type::of(TypeId::Varchar)));
  const auto cte = whole(
      "WITH q AS MATERIALIZED (SELECT a, sum(b) s FROM pt GROUP BY a) "
      "SELECT x.a FROM q x JOIN q y ON x.s = y.s");
  const plan::Node& definition = node<plan::CteDefinition>(cte);
  size_t readers = 0;
  plan::for_each_node(*definition.children[1], [&](const plan::Node& reader) {
    const auto* reference = reader.as<plan::CteReference>();
    readers += reference && reference->cte == definition.as<plan::CteDefinition>()->cte ? 1 : 0;
  });
  EXPECT_EQ(readers, 2U);
  const auto one_row = whole("SELECT a, z FROM pt, (SELECT 5 z)");
  EXPECT_EQ(body<plan::Values>(one_row).rows, (std::vector<std::vector<plan::Value>>{{}}));
}

// ---- expressions and constants

TEST_F(TranslateTest, Expressions) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"a BETWEEN 2 AND b", "((CAST(a AS BIGINT) >= 2) AND (CAST(a AS BIGINT) <= b))"},
      {"a IN (1, 2, 5)", "(a IN (1, 2, 5))"},
      {"a NOT IN (1, 2, 5)", "(NOT (a IN (1, 2, 5)))"},
      {"CASE WHEN a > 3 THEN b ELSE 7 END", "CASE WHEN (a > 3) THEN b ELSE 7 END"},
      {"a IS DISTINCT FROM 3", "(a IS DISTINCT FROM 3)"},
      {"NOT f AND c IS NULL OR c IS NOT NULL", "((c IS NOT NULL) OR ((NOT f) AND (c IS NULL)))"},
      {"TRY_CAST(c AS INTEGER)", "TRY_CAST(c AS INTEGER)"},
      {"c LIKE 'a_b%'", "(c ~~ 'a_b%')"},
      {"substring(c, 2, 3)", "substring(c, 2, 3)"},
      {"date_part('year', e)", "year(e)"}};
  for (const auto& [sql, expected] : cases) {
    SCOPED_TRACE(sql);
    // NULLs from the outer join keep statistics from folding the expression.
    const auto root = whole("SELECT " + sql + " FROM (SELECT y.* FROM pu x LEFT JOIN pt y ON x.b = y.b + 5000) s");
    const plan::Node& project = node<plan::Project>(root);
    std::vector<std::string> names;
    for (const auto& column : project.children[0]->output) names.push_back(column.name);
    EXPECT_EQ(plan::to_string(*project.as<plan::Project>()->expressions[0], names), expected);
  }
}

TEST_F(TranslateTest, DecimalArithmeticKeepsTheBoundTypes) {
  const auto root = whole("SELECT d * (1 - d), d + a FROM pt WHERE b > 2");
  const auto& project = body<plan::Project>(root);
  EXPECT_EQ(project.expressions[0]->type.scale, 4);
  EXPECT_EQ(project.expressions[0]->children[0]->type, plan::Type::decimal(15, 2));
  EXPECT_EQ(project.expressions[1]->type, seen.parts[0].plan->root->output[1].type);
  EXPECT_EQ(project.expressions[1]->type.to_string(), seen.parts[0].types[1]);
}

TEST_F(TranslateTest, ConstantsAreExact) {
  const auto root = whole(
      "SELECT a, (-170141183460469231731687303715884105728)::HUGEINT, 1.50::DECIMAL(38, 5), -0.01::DECIMAL(3, 2), "
      "TIMESTAMP '1969-12-31 23:59:59.5', '2020-02-03 04:05:06.789'::TIMESTAMP_NS, '2020-02-03'::TIMESTAMP_S, "
      "'inf'::DOUBLE, 0.1::FLOAT, DATE '1960-01-01', NULL::INTEGER, 'it''s', 18446744073709551615::UBIGINT, true "
      "FROM pt WHERE b > 5");
  std::vector<plan::Value> values;
  for (const auto& expr : body<plan::Project>(root).expressions)
    if (expr->kind == plan::ExprKind::Constant) values.push_back(expr->constant);
  const auto integer = [](plan::Type type, plan::Int128 value) { return plan::Value::integer(std::move(type), value); };
  const plan::Int128 least = plan::Int128{1} << 126;
  EXPECT_THAT(values, ElementsAre(integer(plan::Type::of(TypeId::HugeInt), -least - least),
                                  integer(plan::Type::decimal(38, 5), 150000), integer(plan::Type::decimal(3, 2), -1),
                                  integer(plan::Type::of(TypeId::Timestamp), -500000),
                                  integer(plan::Type::of(TypeId::TimestampNs), plan::Int128{1580702706789} * 1000000),
                                  integer(plan::Type::of(TypeId::TimestampS), 1580688000),
                                  plan::Value::floating(plan::Type::of(TypeId::Double), HUGE_VAL),
                                  plan::Value::floating(plan::Type::of(TypeId::Float), 0.1F),
                                  integer(plan::Type::of(TypeId::Date), -3653),
                                  plan::Value::null(plan::Type::of(TypeId::Integer)), plan::Value::text("it's"),
                                  integer(plan::Type::of(TypeId::UBigInt), UINT64_MAX), plan::Value::boolean(true)));
}

TEST_F(TranslateTest, ExpressionsThatCanThrowHaveAnId) {
  const auto root = whole("SELECT c::INTEGER, a + 1 FROM pt WHERE b > 5");
  const auto& project = body<plan::Project>(root);
  ASSERT_EQ(project.expressions.size(), 2U);
  EXPECT_TRUE(project.expressions[0]->can_throw);
  ASSERT_GT(project.expressions[0]->id, 0U);
  EXPECT_THAT(seen.parts[0].expressions[project.expressions[0]->id - 1], HasSubstr("CAST(#"));
  EXPECT_FALSE(project.expressions[1]->can_throw);  // the file's statistics prove it
  EXPECT_EQ(project.expressions[1]->id, 0U);
}

TEST_F(TranslateTest, EveryTypeComesBackFromThePlan) {
  duckdb::Vector labels(duckdb::LogicalType::VARCHAR, 3);
  for (const char* label : {"b", "it's", ""}) labels.Append(duckdb::Value(label));
  const auto named = duckdb::LogicalType::ENUM(labels, 3);
  for (const auto& type :
       {duckdb::LogicalType(duckdb::LogicalType::UUID), duckdb::LogicalType(duckdb::LogicalType::TIME),
        duckdb::LogicalType(duckdb::LogicalType::BLOB), duckdb::LogicalType(duckdb::LogicalType::TIMESTAMP_TZ_NS),
        named}) {
    EXPECT_EQ(to_duckdb(translate_type(type)), type) << type.ToString();
  }
  EXPECT_EQ(translate_type(named), plan::Type::enumeration("ENUM('b', 'it''s', '')", 3));
  const plan::Value value = translate_value(duckdb::Value::ENUM(1, named));
  EXPECT_EQ(value.as_int(), 1);
  EXPECT_EQ(to_duckdb(value).ToString(), "it's");
  const auto uuid = duckdb::Value::UUID("00000000-0000-0000-0000-000000000001");
  EXPECT_EQ(to_duckdb(translate_value(uuid)), uuid);
  const auto blob = duckdb::Value::BLOB_RAW(std::string("a\0\xFF", 3));
  EXPECT_EQ(to_duckdb(translate_value(blob)), blob);
}

TEST_F(TranslateTest, TypesWithoutAFormAreNamed) {
  EXPECT_EQ(translate_type(duckdb::LogicalType::BIT).text, "BIT");
  EXPECT_EQ(translate_type(duckdb::LogicalType::LIST(duckdb::LogicalType::INTEGER)).text, "INTEGER[]");
  EXPECT_EQ(translate_type(duckdb::LogicalType::JSON()).id, TypeId::Unsupported);
  EXPECT_EQ(translate_type(duckdb::LogicalType::VARCHAR_COLLATION("nocase")).id, TypeId::Unsupported);
  EXPECT_EQ(translate_type(duckdb::LogicalType::DECIMAL(18, 3)), plan::Type::decimal(18, 3));
}

}  // namespace
}  // namespace weft::sql::testing
