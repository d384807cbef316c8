#include "oracle/oracle.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "plan/walk.hpp"

namespace weft::oracle {
namespace {

using plan::Column;
using plan::column_ref;
using plan::CompareOp;
using plan::comparison;
using plan::constant;
using plan::ExprPtr;
using plan::JoinKind;
using plan::NodePtr;
using plan::Type;
using plan::TypeId;
using plan::Value;

const Type kInteger = Type::of(TypeId::Integer);
const Type kBigInt = Type::of(TypeId::BigInt);
const Type kBoolean = Type::of(TypeId::Boolean);
const Type kVarchar = Type::of(TypeId::Varchar);
const Type kDate = Type::of(TypeId::Date);

NodePtr node(uint32_t id, plan::NodeBody body, std::vector<NodePtr> children, std::vector<Column> output) {
  return std::make_shared<plan::Node>(plan::Node{id, std::move(body), std::move(children), std::move(output), 0});
}
NodePtr source(uint32_t id, uint32_t number = 0) {
  return node(id, plan::HostSource{number, "t"}, {}, {{"a", kInteger, true}, {"b", kInteger, true}});
}
ExprPtr column(uint32_t position, const Type& type = kInteger) { return column_ref(position, type, true); }

std::string sql(NodePtr root) {
  const plan::Plan plan{std::move(root), 2, false};
  plan::validate(plan);
  return write_sql(plan, {"t", "\"u v\""});
}

const std::string kT = "n2(c0, c1) AS NOT MATERIALIZED (SELECT c0, c1 FROM t AS t(c0, c1)),\n";
const std::string kU = "n3(c0, c1) AS NOT MATERIALIZED (SELECT c0, c1 FROM \"u v\" AS t(c0, c1)),\n";

// ---- expressions

std::string text(const ExprPtr& expr) { return write_expression(*expr, {"a", "b"}); }

TEST(Expressions, CarryTheirTypes) {
  EXPECT_EQ(text(plan::call("+", kBigInt, {column(0, kBigInt), column(1, kBigInt)})), "CAST((a + b) AS BIGINT)");
  EXPECT_EQ(text(plan::call("-", kInteger, {column(0)})), "CAST((-a) AS INTEGER)");
  EXPECT_EQ(text(plan::call("substring", kVarchar, {column(0, kVarchar), constant(Value::integer(kBigInt, 1))})),
            "CAST(\"substring\"(a, CAST('1' AS BIGINT)) AS VARCHAR)");
  EXPECT_EQ(text(plan::cast(column(0), kBigInt)), "CAST(a AS BIGINT)");
}

TEST(Expressions, UseOperatorsWhereSqlHasThem) {
  const ExprPtr pattern = constant(Value::text("%it's%"));
  EXPECT_EQ(text(plan::call("!~~", kBoolean, {column(0, kVarchar), pattern})),
            "CAST((a NOT LIKE CAST('%it''s%' AS VARCHAR)) AS BOOLEAN)");
  EXPECT_EQ(text(comparison(CompareOp::DistinctFrom, column(0), column(1))), "(a IS DISTINCT FROM b)");
  plan::Expr in;
  in.kind = plan::ExprKind::In;
  in.type = kBoolean;
  in.children = {column(0), constant(Value::integer(kInteger, 1)), constant(Value::null(kInteger))};
  EXPECT_EQ(write_expression(in, {"a"}), "(a IN (CAST('1' AS INTEGER), CAST(NULL AS INTEGER)))");
}

TEST(Expressions, WritePartsAsLiterals) {
  const ExprPtr month = constant(Value::text("month"));
  EXPECT_EQ(text(plan::call("date_part", kBigInt, {month, column(0, kDate)})),
            "CAST(\"date_part\"('month', a) AS BIGINT)");
  EXPECT_EQ(text(plan::call("year", kBigInt, {column(0, kDate)})), "CAST(\"year\"(a) AS BIGINT)");
}

TEST(Expressions, WriteCaseAndConstantOrNull) {
  plan::Expr branches;
  branches.kind = plan::ExprKind::Case;
  branches.type = kInteger;
  branches.children = {column(0, kBoolean), column(1), constant(Value::null(kInteger))};
  EXPECT_EQ(write_expression(branches, {"a", "b"}),
            "CAST(CASE WHEN a THEN b ELSE CAST(NULL AS INTEGER) END AS INTEGER)");
  EXPECT_EQ(text(plan::call("constant_or_null", kBoolean, {constant(Value::boolean(true)), column(0), column(1)})),
            "CAST(CASE WHEN a IS NULL OR b IS NULL THEN NULL ELSE CAST('true' AS BOOLEAN) END AS BOOLEAN)");
  const ExprPtr error = plan::call("error", Type::of(TypeId::Null), {constant(Value::text("two rows"))}, true);
  EXPECT_EQ(text(plan::cast(error, kInteger)), "CAST(\"error\"(CAST('two rows' AS VARCHAR)) AS INTEGER)");
}

// ---- leaves

plan::Scan scan() {
  plan::Scan scan;
  scan.table_name = "t";
  scan.files = {{"/d/y=1/a'b.parquet", 1, 1, {Value::integer(kInteger, 1)}},
                {"/d/y=1/c.parquet", 1, 1, {Value::integer(kInteger, 1)}},
                {"/d/y=2/a.parquet", 1, 1, {Value::integer(kInteger, 2)}}};
  scan.columns = {{plan::ScanColumn::Kind::File, "k\"x", kInteger, false},
                  {plan::ScanColumn::Kind::FileConstant, "y", kInteger, false}};
  scan.filters = {comparison(CompareOp::Greater, column(0), column(1))};
  scan.projection = {1};
  return scan;
}

TEST(Leaves, ScansReadFilesWithTheirConstants) {
  EXPECT_EQ(sql(node(1, scan(), {}, {{"y", kInteger, true}})),
            "WITH n1(c0) AS NOT MATERIALIZED (SELECT f1 FROM ("
            "SELECT CAST(\"k\"\"x\" AS INTEGER) AS f0, CAST(CAST('1' AS INTEGER) AS INTEGER) AS f1 FROM "
            "read_parquet(['/d/y=1/a''b.parquet', '/d/y=1/c.parquet'], hive_partitioning = false) UNION ALL "
            "SELECT CAST(\"k\"\"x\" AS INTEGER) AS f0, CAST(CAST('2' AS INTEGER) AS INTEGER) AS f1 FROM "
            "read_parquet(['/d/y=2/a.parquet'], hive_partitioning = false)) WHERE (f0 > f1))\n"
            "SELECT c0 FROM n1");
}

TEST(Leaves, ScansReadMissingColumnsAndRowNumbers) {
  plan::Scan rows;
  rows.files = {{"/a.parquet", 1, 1, {}}};
  rows.columns = {{plan::ScanColumn::Kind::File, "k", kInteger, true},
                  {plan::ScanColumn::Kind::FileRowNumber, "file_row_number", kBigInt, false}};
  rows.projection = {1, 0};
  EXPECT_EQ(sql(node(1, rows, {}, {{"r", kBigInt, true}, {"k", kInteger, true}})),
            "WITH n1(c0, c1) AS NOT MATERIALIZED (SELECT f1, f0 FROM (SELECT CAST(\"k\" AS INTEGER) AS f0, "
            "CAST(file_row_number AS BIGINT) AS f1 FROM read_parquet(['/a.parquet'], hive_partitioning = false, "
            "union_by_name = true, file_row_number = true)))\n"
            "SELECT c0, c1 FROM n1");
}

TEST(Leaves, ScansOfNoColumnsAndOfNoFilesKeepTheirRows) {
  plan::Scan rows;
  rows.files = {{"/a.parquet", 1, 1, {}}};
  EXPECT_EQ(sql(node(1, rows, {}, {})),
            "WITH n1(z) AS NOT MATERIALIZED (SELECT 0 FROM (SELECT 0 AS z FROM read_parquet(['/a.parquet'], "
            "hive_partitioning = false)))\nSELECT z FROM n1");
  plan::Scan none = scan();
  none.files.clear();
  EXPECT_EQ(sql(node(1, none, {}, {{"y", kInteger, true}})),
            "WITH n1(c0) AS NOT MATERIALIZED (SELECT CAST(NULL AS INTEGER) WHERE false)\nSELECT c0 FROM n1");
}

TEST(Leaves, ValuesWithAndWithoutRowsAndColumns) {
  plan::Values values;
  values.rows = {{Value::integer(kInteger, 1)}, {Value::null(kInteger)}};
  EXPECT_EQ(
      sql(node(1, values, {}, {{"a", kInteger, true}})),
      "WITH n1(c0) AS NOT MATERIALIZED (VALUES (CAST('1' AS INTEGER)), (CAST(NULL AS INTEGER)))\nSELECT c0 FROM n1");
  values.rows = {{}, {}};
  EXPECT_EQ(sql(node(1, values, {}, {})), "WITH n1(z) AS NOT MATERIALIZED (VALUES (0), (0))\nSELECT z FROM n1");
  values.rows = {};
  EXPECT_EQ(sql(node(1, values, {}, {})), "WITH n1(z) AS NOT MATERIALIZED (SELECT 0 WHERE false)\nSELECT z FROM n1");
}

// ---- one child

TEST(Nodes, FilterAndProject) {
  plan::Filter filter;
  filter.conjuncts = {comparison(CompareOp::Less, column(0), column(1)),
                      comparison(CompareOp::NotEqual, column(1), column(1))};
  filter.projection = {1};
  EXPECT_EQ(sql(node(1, filter, {source(2)}, {{"b", kInteger, true}})),
            "WITH " + kT +
                "n1(c0) AS NOT MATERIALIZED (SELECT c1 FROM n2 WHERE (c0 < c1) AND (c1 <> c1))\nSELECT c0 FROM n1");
  EXPECT_EQ(sql(node(1, plan::Project{}, {source(2)}, {})),
            "WITH " + kT + "n1(z) AS NOT MATERIALIZED (SELECT 0 FROM n2)\nSELECT z FROM n1");
}

TEST(Nodes, GroupingSets) {
  plan::Aggregate aggregate;
  aggregate.groups = {column(0), column(0)};  // equal expressions stay two groups
  aggregate.aggregates = {{"count", {column(1)}, kBigInt, false, nullptr, {}, 0}};
  aggregate.grouping_sets = {{0, 1}, {1}, {}, {}};
  aggregate.groupings = {{1, 0}};
  const std::vector<Column> row{
      {"a", kInteger, true}, {"b", kInteger, true}, {"n", kBigInt, true}, {"g", kBigInt, false}};
  const std::string groups = "FROM (SELECT *, c0 AS g0, c0 AS g1 FROM n2) GROUP BY ";
  EXPECT_EQ(
      sql(node(1, aggregate, {source(2)}, row)),
      "WITH " + kT +
          "n1(c0, c1, c2, c3) AS NOT MATERIALIZED (SELECT g0, g1, CAST(\"count\"(c1) AS BIGINT), GROUPING(g1, g0) " +
          groups + "GROUPING SETS ((g0, g1), (g1), (), ()))\nSELECT c0, c1, c2, c3 FROM n1");
  aggregate.grouping_sets.clear();
  EXPECT_EQ(
      sql(node(1, aggregate, {source(2)}, row)),
      "WITH " + kT +
          "n1(c0, c1, c2, c3) AS NOT MATERIALIZED (SELECT g0, g1, CAST(\"count\"(c1) AS BIGINT), GROUPING(g1, g0) " +
          groups + "g0, g1)\nSELECT c0, c1, c2, c3 FROM n1");
}

TEST(Nodes, Aggregates) {
  const Type hugeint = Type::of(TypeId::HugeInt);
  plan::Aggregate aggregate;
  aggregate.groups = {column(0)};
  aggregate.aggregates = {{"sum_no_overflow", {column(1)}, hugeint, false, nullptr, {}, 0},
                          {"count_star", {}, kBigInt, false, comparison(CompareOp::Less, column(0), column(1)), {}, 0},
                          {"count", {column(1)}, kBigInt, true, nullptr, {}, 0},
                          {"first", {column(1)}, kInteger, false, nullptr, {{column(0), true, false}}, 0}};
  EXPECT_EQ(sql(node(1, aggregate, {source(2)},
                     {{"a", kInteger, true},
                      {"s", hugeint, true},
                      {"n", kBigInt, true},
                      {"d", kBigInt, true},
                      {"f", kInteger, true}})),
            "WITH " + kT +
                "n1(c0, c1, c2, c3, c4) AS NOT MATERIALIZED (SELECT c0, CAST(\"sum\"(c1) AS HUGEINT), "
                "CAST(count(*) FILTER (WHERE (c0 < c1)) AS BIGINT), CAST(\"count\"(DISTINCT c1) AS BIGINT), "
                "CAST(\"first\"(c1 ORDER BY c0 DESC NULLS LAST) AS INTEGER) FROM n2 GROUP BY 1)\n"
                "SELECT c0, c1, c2, c3, c4 FROM n1");
}

// ---- order

const std::vector<Column> kRow{{"a", kInteger, true}, {"b", kInteger, true}};

TEST(Order, ReachesTheTopThroughAProjectionThatDropsTheKey) {
  plan::Sort sort;
  sort.keys = {{column(1), true, true}};
  NodePtr sorted = node(3, sort, {source(2)}, kRow);
  EXPECT_EQ(sql(node(1, plan::Project{{column(0)}}, {sorted}, {{"a", kInteger, true}})),
            "WITH " + kT +
                "n3(c0, c1, o) AS NOT MATERIALIZED (SELECT c0, c1, row_number() OVER (ORDER BY c1 DESC NULLS FIRST) AS "
                "o FROM n2),\n"
                "n1(c0, o) AS NOT MATERIALIZED (SELECT c0, o FROM n3)\n"
                "SELECT c0 FROM n1 ORDER BY o");
}

TEST(Order, ReachesALimitBelowAnAggregate) {
  plan::Sort sort;
  sort.keys = {{column(1), false, false}};
  NodePtr limited = node(4, plan::Limit{5, 2}, {node(3, sort, {source(2)}, kRow)}, kRow);
  plan::Aggregate distinct;
  distinct.groups = {column(0)};
  EXPECT_EQ(sql(node(1, distinct, {limited}, {{"a", kInteger, true}})),
            "WITH " + kT +
                "n3(c0, c1, o) AS NOT MATERIALIZED (SELECT c0, c1, row_number() OVER (ORDER BY c1 ASC NULLS LAST) AS o "
                "FROM n2),\n"
                "n4(c0, c1, o) AS NOT MATERIALIZED (SELECT c0, c1, o FROM n3 ORDER BY o LIMIT 5 OFFSET 2),\n"
                "n1(c0) AS NOT MATERIALIZED (SELECT c0 FROM n4 GROUP BY 1)\n"
                "SELECT c0 FROM n1");
}

TEST(Order, TopNAtTheTopAndBelow) {
  plan::TopN top_n;
  top_n.keys = {{column(0), false, false}};
  top_n.limit = 3;
  top_n.offset = 1;
  EXPECT_EQ(sql(node(1, top_n, {source(2)}, kRow)), "WITH " + kT +
                                                        "n1(c0, c1, o) AS NOT MATERIALIZED (SELECT * FROM (SELECT c0, "
                                                        "c1, row_number() OVER (ORDER BY c0 ASC NULLS LAST) "
                                                        "AS o FROM n2) WHERE o > 1 AND o <= 1 + CAST(3 AS HUGEINT))\n"
                                                        "SELECT c0, c1 FROM n1 ORDER BY o");
  plan::Aggregate distinct;
  distinct.groups = {column(0)};
  EXPECT_EQ(sql(node(1, distinct, {node(3, top_n, {source(2)}, kRow)}, {{"a", kInteger, true}})),
            "WITH " + kT +
                "n3(c0, c1) AS NOT MATERIALIZED (SELECT c0, c1 FROM n2 ORDER BY c0 ASC NULLS LAST LIMIT 3 OFFSET 1),\n"
                "n1(c0) AS NOT MATERIALIZED (SELECT c0 FROM n3 GROUP BY 1)\n"
                "SELECT c0 FROM n1");
}

// ---- joins

plan::Join join(JoinKind kind) {
  plan::Join join;
  join.kind = kind;
  join.keys = {{column(0), column(1), false}};
  join.left_output = {1};
  if (kind != JoinKind::Semi && kind != JoinKind::Anti && kind != JoinKind::Mark) join.right_output = {0};
  return join;
}

std::string join_sql(const plan::Join& join) {
  std::vector<Column> row{{"b", kInteger, true}};
  if (!join.right_output.empty()) row.push_back({"x", kInteger, true});
  if (join.kind == JoinKind::Mark) row.push_back({"m", kBoolean, true});
  const std::string text = sql(node(1, join, {source(2), source(3, 1)}, row));
  const std::string before = "WITH " + kT + kU;
  EXPECT_EQ(text.substr(0, before.size()), before);
  return text.substr(before.size(), text.find('\n', before.size()) - before.size());
}

TEST(Joins, InnerAndOuter) {
  const std::string head = "n1(c0, c1) AS NOT MATERIALIZED (SELECT l.c1, r.c0 FROM n2 AS l ";
  EXPECT_EQ(join_sql(join(JoinKind::Inner)), head + "JOIN n3 AS r ON (l.c0 = r.c1))");
  EXPECT_EQ(join_sql(join(JoinKind::Left)), head + "LEFT JOIN n3 AS r ON (l.c0 = r.c1))");
  EXPECT_EQ(join_sql(join(JoinKind::Right)), head + "RIGHT JOIN n3 AS r ON (l.c0 = r.c1))");
  EXPECT_EQ(join_sql(join(JoinKind::Full)), head + "FULL JOIN n3 AS r ON (l.c0 = r.c1))");
  plan::Join cross = join(JoinKind::Inner);
  cross.keys.clear();
  EXPECT_EQ(join_sql(cross), head + "JOIN n3 AS r ON true)");
}

TEST(Joins, KeysThatMatchNullsAndResiduals) {
  plan::Join two = join(JoinKind::Semi);
  two.keys[0].null_equal = true;
  two.residual = comparison(CompareOp::NotEqual, column(1), column(2));
  EXPECT_EQ(join_sql(two),
            "n1(c0) AS NOT MATERIALIZED (SELECT l.c1 FROM n2 AS l WHERE EXISTS (SELECT 1 FROM n3 AS r WHERE "
            "(l.c0 IS NOT DISTINCT FROM r.c1) AND (l.c1 <> r.c0)))");
  EXPECT_EQ(join_sql(join(JoinKind::Anti)),
            "n1(c0) AS NOT MATERIALIZED (SELECT l.c1 FROM n2 AS l WHERE NOT EXISTS (SELECT 1 FROM n3 AS r WHERE (l.c0 "
            "= r.c1)))");
}

TEST(Joins, Asof) {
  const std::string head = "n1(c0, c1) AS NOT MATERIALIZED (SELECT l.c1, r.c0 FROM n2 AS l ASOF ";
  plan::Join asof = join(JoinKind::Inner);
  asof.asof = plan::AsofOrder{column(1), column(0), CompareOp::GreaterEqual};
  EXPECT_EQ(join_sql(asof), head + "JOIN n3 AS r ON (l.c0 = r.c1) AND (l.c1 >= r.c0))");
  asof.kind = JoinKind::Left;
  asof.keys.clear();
  asof.residual = comparison(CompareOp::Less, column(0), column(3));
  EXPECT_EQ(join_sql(asof),
            head + "LEFT JOIN n3 AS r ON (l.c1 >= r.c0) AND CASE WHEN (l.c0 < r.c1) THEN true ELSE false END)");
  asof.kind = JoinKind::Right;
  asof.residual = nullptr;
  EXPECT_EQ(join_sql(asof), "n1_right AS MATERIALIZED (SELECT *, row_number() OVER () AS place FROM n3),");
}

TEST(Joins, Marks) {
  plan::Join mark = join(JoinKind::Mark);
  EXPECT_EQ(
      join_sql(mark),
      "n1(c0, c1) AS NOT MATERIALIZED (SELECT l.c1, EXISTS (SELECT 1 FROM n3 AS r WHERE (l.c0 = r.c1)) FROM n2 AS l)");
  mark.mark_three_valued = true;
  EXPECT_EQ(join_sql(mark),
            "n1(c0, c1) AS NOT MATERIALIZED (SELECT l.c1, (l.c0 IN (SELECT r.c1 FROM n3 AS r)) FROM n2 AS l)");
  mark.residual = comparison(CompareOp::Less, column(1), column(3));
  EXPECT_EQ(
      join_sql(mark),
      "n1(c0, c1) AS NOT MATERIALIZED (SELECT l.c1, CASE WHEN EXISTS (SELECT 1 FROM n3 AS r WHERE (l.c0 = r.c1) AND "
      "(l.c1 < r.c1)) THEN true WHEN EXISTS (SELECT 1 FROM n3 AS r WHERE ((l.c0 = r.c1) AND (l.c1 < r.c1)) IS NULL) "
      "THEN "
      "CAST(NULL AS BOOLEAN) ELSE false END FROM n2 AS l)");
}

TEST(Joins, SingleRaisesOnASecondMatch) {
  EXPECT_EQ(
      join_sql(join(JoinKind::Single)),
      "n1(c0, c1) AS NOT MATERIALIZED (SELECT s0, s1 FROM (SELECT l.c1 AS s0, r.c0 AS s1, count(*) OVER (PARTITION BY "
      "l.place) AS matches FROM (SELECT *, row_number() OVER () AS place FROM n2) AS l LEFT JOIN n3 AS r ON "
      "(l.c0 = r.c1)) WHERE CASE WHEN matches > 1 THEN CAST(\"error\"('More than one row returned by a subquery used "
      "as an "
      "expression') AS BOOLEAN) ELSE true END)");
}

// ---- several children

TEST(Nodes, UnionAndSharedCtes) {
  const auto reference = [](uint32_t id) { return node(id, plan::CteReference{7}, {}, kRow); };
  NodePtr both = node(3, plan::Union{}, {reference(4), reference(5)}, kRow);
  EXPECT_EQ(sql(node(1, plan::CteDefinition{7, "x"}, {source(2), both}, kRow)),
            "WITH " + kT +
                "cte7(c0, c1) AS MATERIALIZED (SELECT c0, c1 FROM n2),\n"
                "n3(c0, c1) AS NOT MATERIALIZED (SELECT c0, c1 FROM cte7 UNION ALL SELECT c0, c1 FROM cte7)\n"
                "SELECT c0, c1 FROM n3");
}

}  // namespace
}  // namespace weft::oracle
