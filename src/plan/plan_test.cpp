#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "plan/walk.hpp"

namespace weft::plan {
namespace {

const Type kInteger = Type::of(TypeId::Integer);
const Type kDate = Type::of(TypeId::Date);

Int128 power_of_ten(int exponent) {
  Int128 value = 1;
  for (int i = 0; i < exponent; ++i) value *= 10;
  return value;
}

std::shared_ptr<Node> node(uint32_t id, NodeBody body, std::vector<NodePtr> children, std::vector<Column> output) {
  return std::make_shared<Node>(Node{id, std::move(body), std::move(children), std::move(output), 0});
}

// a INTEGER not NULL, b INTEGER
std::shared_ptr<Node> source(uint32_t id, uint32_t number = 0) {
  return node(id, HostSource{number, "table t"}, {}, {{"a", kInteger, false}, {"b", kInteger, true}});
}

std::shared_ptr<Node> join(JoinKind kind, bool right_nullable) {
  Join body;
  body.kind = kind;
  body.keys = {{column_ref(0, kInteger, false), column_ref(0, kInteger, false), false}};
  body.left_output = {0};
  body.right_output = {0};
  return node(1, body, {source(2), source(3, 1)}, {{"a", kInteger, false}, {"c", kInteger, right_nullable}});
}

std::string failure(NodePtr root, uint32_t host_sources = 2) {
  try {
    validate(Plan{std::move(root), host_sources, false});
  } catch (const Exception& error) {
    EXPECT_EQ(error.code(), ErrorCode::InternalError);
    return error.error().message;
  }
  return "";
}

TEST(Type, SpellsTypesAsDuckDbDoes) {
  EXPECT_EQ(Type::decimal(15, 2).to_string(), "DECIMAL(15,2)");
  EXPECT_EQ(Type::of(TypeId::TimestampS).to_string(), "TIMESTAMP_S");
  EXPECT_EQ((Type{TypeId::Unsupported, 0, 0, "INTEGER[]"}).to_string(), "INTEGER[]");
  EXPECT_TRUE(Type::of(TypeId::UBigInt).is_integer());
  EXPECT_TRUE(Type::of(TypeId::HugeInt).is_integer());
  EXPECT_FALSE(Type::of(TypeId::Boolean).is_integer());
  EXPECT_FALSE(Type::of(TypeId::HugeInt).is_unsigned());
}

TEST(Value, WritesSqlThatReadsBack) {
  EXPECT_EQ(Value::integer(Type::decimal(15, 2), -5).to_sql(), "CAST('-0.05' AS DECIMAL(15,2))");
  EXPECT_EQ(Value::integer(Type::decimal(38, 0), power_of_ten(37)).to_sql(),
            "CAST('10000000000000000000000000000000000000' AS DECIMAL(38,0))");
  EXPECT_EQ(Value::text("it's").to_sql(), "CAST('it''s' AS VARCHAR)");
  EXPECT_EQ(Value::text(std::string("a\0b", 3)).to_sql(), "CAST('a' || chr(0) || 'b' AS VARCHAR)");
  EXPECT_EQ(Value::null(kDate).to_sql(), "CAST(NULL AS DATE)");
  EXPECT_EQ(Value::integer(kDate, 10471).to_sql(), "CAST('1998-09-02' AS DATE)");
  EXPECT_EQ(Value::integer(kDate, -1).to_sql(), "CAST('1969-12-31' AS DATE)");
  EXPECT_EQ(Value::integer(kDate, -719163).to_sql(),
            "CAST(CAST('1970-01-01' AS DATE) + CAST('-719163' AS INTEGER) AS DATE)");
  EXPECT_EQ(Value::integer(kDate, std::numeric_limits<int32_t>::max()).to_sql(), "CAST('infinity' AS DATE)");
  EXPECT_EQ(Value::floating(Type::of(TypeId::Double), 0.1).to_sql(), "CAST('0.1' AS DOUBLE)");
  EXPECT_EQ(Value::floating(Type::of(TypeId::Float), 0.1F).to_sql(), "CAST('0.1' AS FLOAT)");
  EXPECT_EQ(Value::floating(Type::of(TypeId::Double), -std::numeric_limits<double>::infinity()).to_sql(),
            "CAST('-inf' AS DOUBLE)");
  EXPECT_EQ(Value::integer(Type::of(TypeId::Timestamp), -1).to_sql(),
            "CAST('1969-12-31 23:59:59.999999' AS TIMESTAMP)");
  EXPECT_EQ(Value::integer(Type::of(TypeId::TimestampMs), 1).to_sql(),
            "CAST('1970-01-01 00:00:00.001' AS TIMESTAMP_MS)");
  EXPECT_EQ(Value::boolean(true).to_sql(), "CAST('true' AS BOOLEAN)");
  EXPECT_EQ((Value{Type::of(TypeId::Interval), IntervalValue{3, -1, 5}}).to_sql(),
            "CAST('3 months -1 days 5 microseconds' AS INTERVAL)");
}

TEST(Value, WritesCarriedTypesThatReadBack) {
  const auto sql = [](TypeId id, Int128 value) { return Value::integer(Type::of(id), value).to_sql(); };
  EXPECT_EQ(sql(TypeId::TimestampTz, -1), "CAST('1969-12-31 23:59:59.999999+00' AS TIMESTAMP WITH TIME ZONE)");
  EXPECT_EQ(sql(TypeId::TimestampTz, std::numeric_limits<int64_t>::max()),
            "CAST('infinity' AS TIMESTAMP WITH TIME ZONE)");
  EXPECT_EQ(sql(TypeId::TimestampTz, std::numeric_limits<int64_t>::max() - 1),
            "CAST(make_timestamp(CAST('9223372036854775806' AS BIGINT)) AS TIMESTAMP WITH TIME ZONE)");
  EXPECT_EQ(sql(TypeId::TimestampTzNs, 1), "CAST('1970-01-01 00:00:00.000000001+00' AS TIMESTAMPTZ_NS)");
  EXPECT_EQ(sql(TypeId::Time, 86400000000), "CAST('24:00:00.000000' AS TIME)");
  EXPECT_EQ(sql(TypeId::TimeNs, 1), "CAST('00:00:00.000000001' AS TIME_NS)");
  EXPECT_EQ(sql(TypeId::Uuid, 0), "CAST('80000000-0000-0000-0000-000000000000' AS UUID)");
  EXPECT_EQ(sql(TypeId::Uuid, -1), "CAST('7fffffff-ffff-ffff-ffff-ffffffffffff' AS UUID)");
  EXPECT_EQ((Value{Type::of(TypeId::Blob), std::string("a\0\xFF", 3)}).to_sql(), "CAST('\\x61\\x00\\xFF' AS BLOB)");
  const Type labels = Type::enumeration("ENUM('a', 'it''s', '')", 3);
  EXPECT_EQ(Value::integer(labels, 1).to_sql(), "CAST('it''s' AS ENUM('a', 'it''s', ''))");
  EXPECT_EQ(Value::integer(labels, 2).to_sql(), "CAST('' AS ENUM('a', 'it''s', ''))");
}

TEST(Type, IsCarriedByATypeOfTheSameOrder) {
  EXPECT_EQ(Type::of(TypeId::TimestampTz).carrier(), Type::of(TypeId::Timestamp));
  EXPECT_EQ(Type::of(TypeId::Blob).carrier(), Type::of(TypeId::Varchar));
  EXPECT_EQ(Type::decimal(9, 2).carrier(), Type::decimal(9, 2));
  EXPECT_EQ(Type::enumeration("ENUM('a')", 1).carrier(), Type::of(TypeId::UTinyInt));
  EXPECT_EQ(Type::enumeration("ENUM('a', ...)", 256).carrier(), Type::of(TypeId::USmallInt));
  EXPECT_EQ(Type::enumeration("ENUM('a', 'it''s', '')", 3).labels(), (std::vector<std::string>{"a", "it's", ""}));
}

TEST(Value, PrintsForPeople) {
  EXPECT_EQ(Value::integer(kDate, 10471).to_string(), "DATE '1998-09-02'");
  EXPECT_EQ(Value::integer(Type::decimal(15, 2), 150).to_string(), "1.50");
  EXPECT_EQ(Value::null(kDate).to_string(), "NULL::DATE");
}

TEST(Int128Text, HoldsBothEnds) {
  const Int128 least = static_cast<Int128>(static_cast<unsigned __int128>(1) << 127);
  EXPECT_EQ(to_string(least), "-170141183460469231731687303715884105728");
  EXPECT_EQ(to_string(-(least + 1)), "170141183460469231731687303715884105727");
}

TEST(Expression, PrintsWithNamesAndPositions) {
  const ExprPtr sum = call("+", kInteger, {column_ref(0, kInteger, false), column_ref(1, kInteger, true)}, true);
  const ExprPtr test = comparison(CompareOp::LessEqual, sum, constant(Value::integer(kInteger, 7)));
  EXPECT_EQ(to_string(*test), "((#0 + #1) <= 7)");
  EXPECT_EQ(to_string(*conjunction({test, test}), {"a", "b"}), "(((a + b) <= 7) AND ((a + b) <= 7))");
  EXPECT_EQ(conjunction({test}), test);
  EXPECT_TRUE(any_can_throw(*test));
}

TEST(Expression, KnowsWhatIsNeverNull) {
  const ExprPtr a = column_ref(0, kInteger, false);
  const ExprPtr b = column_ref(1, kInteger, true);
  EXPECT_FALSE(call("+", kInteger, {a, a})->nullable);
  EXPECT_TRUE(call("+", kInteger, {a, b})->nullable);
  EXPECT_TRUE(call("date_part", kInteger, {a})->nullable);
  EXPECT_FALSE(comparison(CompareOp::NotDistinctFrom, a, b)->nullable);
  EXPECT_TRUE(comparison(CompareOp::Equal, a, b)->nullable);
}

TEST(Expression, RemapMovesOnlyWhatItMust) {
  const ExprPtr sum = call("+", kInteger, {column_ref(0, kInteger, false), column_ref(2, kInteger, true)});
  EXPECT_EQ(to_string(*remap(sum, {5, 1, 0})), "(#5 + #0)");
  EXPECT_EQ(remap(sum, {0, 1, 2}), sum);
  std::vector<bool> used(3);
  collect_columns(*sum, used);
  EXPECT_EQ(used, (std::vector<bool>{true, false, true}));
}

TEST(Expression, SameIgnoresOnlyTheId) {
  Expr first = *column_ref(0, kInteger, false);
  Expr second = first;
  second.id = 9;
  EXPECT_TRUE(same(first, second));
  second.column = 1;
  EXPECT_FALSE(same(first, second));
}

TEST(Print, ShowsATreeAndNumbersAmbiguousNames) {
  Filter filter;
  filter.conjuncts = {
      comparison(CompareOp::Equal, column_ref(2, kInteger, false), constant(Value::integer(kInteger, 3)))};
  filter.projection = {2, 3};
  Join cross;
  cross.left_output = {0, 1};
  cross.right_output = {0, 1};
  const std::vector<Column> row{
      {"a", kInteger, false}, {"b", kInteger, true}, {"a", kInteger, false}, {"b", kInteger, true}};
  const auto root = node(1, filter, {node(2, cross, {source(3), source(4, 1)}, row)}, {row[2], row[3]});
  EXPECT_EQ(print(Plan{root, 2, false}),
            "FILTER (a#2 = 3) -> [a#2, b#3]\n"
            "  CROSS_PRODUCT INNER build right -> [a, b] [a, b]\n"
            "    HOST_SOURCE 0: table t\n"
            "    HOST_SOURCE 1: table t\n");
  EXPECT_EQ(failure(root), "");
  int nodes = 0;
  for_each_node(*root, [&](const Node&) { ++nodes; });
  EXPECT_EQ(nodes, 4);
}

TEST(Validate, AcceptsJoinsAndChecksTheirNullability) {
  EXPECT_EQ(failure(join(JoinKind::Inner, false)), "");
  EXPECT_EQ(failure(join(JoinKind::Left, true)), "");
  EXPECT_EQ(failure(join(JoinKind::Left, false)),
            "invalid plan: node 1 (HASH_JOIN) promises output column #1 without NULLs");
}

TEST(Validate, RefusesAKeyOfTwoTypes) {
  auto root = join(JoinKind::Inner, false);
  std::get<Join>(root->body).keys[0].right = cast(column_ref(0, kInteger, false), Type::of(TypeId::BigInt), false);
  EXPECT_EQ(failure(root), "invalid plan: node 1 (HASH_JOIN) joins keys of different types");
}

TEST(Validate, RefusesColumnsOfASemiJoinsRightSide) {
  EXPECT_EQ(failure(join(JoinKind::Semi, false)), "invalid plan: node 1 (HASH_JOIN) gives columns of the right side");
}

std::string asof_failure(JoinKind kind, BuildSide build, CompareOp compare, const ExprPtr& right) {
  auto root = join(kind, kind != JoinKind::Inner);
  auto& body = std::get<Join>(root->body);
  body.build = build;
  body.asof = AsofOrder{column_ref(1, kInteger, true), right, compare};
  EXPECT_STREQ(kind_name(*root), "ASOF_JOIN");
  return failure(root);
}

TEST(Validate, ChecksTheOrderOfAsofJoins) {
  const ExprPtr right = column_ref(1, kInteger, true);
  const std::string invalid = "invalid plan: node 1 (ASOF_JOIN) ";
  EXPECT_EQ(asof_failure(JoinKind::Inner, BuildSide::Right, CompareOp::Less, right), "");
  EXPECT_EQ(asof_failure(JoinKind::Left, BuildSide::Right, CompareOp::GreaterEqual, right), "");
  EXPECT_EQ(asof_failure(JoinKind::Inner, BuildSide::Right, CompareOp::Equal, right),
            invalid + "has an ASOF condition that is no inequality");
  EXPECT_EQ(asof_failure(JoinKind::Inner, BuildSide::Left, CompareOp::Less, right),
            invalid + "is an ASOF join of a kind that there is not");
  EXPECT_EQ(asof_failure(JoinKind::Single, BuildSide::Right, CompareOp::Less, right),
            invalid + "is an ASOF join of a kind that there is not");
  EXPECT_EQ(asof_failure(JoinKind::Inner, BuildSide::Right, CompareOp::Less,
                         cast(column_ref(1, kInteger, true), Type::of(TypeId::BigInt), false)),
            invalid + "orders by keys of different types");
  EXPECT_EQ(asof_failure(JoinKind::Inner, BuildSide::Right, CompareOp::Less, column_ref(2, kInteger, true)),
            invalid + "has a column reference out of range: #2");
}

TEST(Print, ShowsTheOrderOfAsofJoins) {
  auto root = join(JoinKind::Inner, false);
  std::get<Join>(root->body).asof =
      AsofOrder{column_ref(1, kInteger, true), column_ref(1, kInteger, true), CompareOp::GreaterEqual};
  EXPECT_EQ(describe(*root), "ASOF_JOIN INNER build right on a = a nearest b >= b -> [a] [a]");
}

TEST(Validate, RefusesMarkJoinsThatBuildLeft) {
  Join mark;
  mark.kind = JoinKind::Mark;
  mark.build = BuildSide::Left;
  mark.left_output = {0};
  const auto root =
      node(1, mark, {source(2), source(3, 1)}, {{"a", kInteger, false}, {"m", Type::of(TypeId::Boolean), true}});
  EXPECT_EQ(failure(root), "invalid plan: node 1 (CROSS_PRODUCT) must build its right side");
}

TEST(Validate, RefusesColumnsOutOfRangeAndOfAnotherType) {
  const std::vector<Column> row{{"x", kInteger, true}};
  EXPECT_EQ(failure(node(1, Project{{column_ref(2, kInteger, true)}}, {source(2)}, row)),
            "invalid plan: node 1 (PROJECTION) has a column reference out of range: #2");
  EXPECT_EQ(failure(node(1, Project{{column_ref(1, kDate, true)}}, {source(2)}, row)),
            "invalid plan: node 1 (PROJECTION) reads column #1 of INTEGER as DATE");
  EXPECT_EQ(failure(node(1, Project{{column_ref(1, kInteger, false)}}, {source(2)}, row)),
            "invalid plan: node 1 (PROJECTION) reads a nullable column as not nullable");
}

TEST(Validate, RefusesIdsAndSourcesUsedTwice) {
  const std::vector<Column> row{{"a", kInteger, false}, {"b", kInteger, true}};
  EXPECT_EQ(failure(node(1, Union{}, {source(2), source(2, 1)}, row)),
            "invalid plan: node 2 (HOST_SOURCE) has the id of another node");
  EXPECT_EQ(failure(node(1, Union{}, {source(2), source(3)}, row)),
            "invalid plan: node 3 (HOST_SOURCE) reads a host source that another node reads");
  EXPECT_EQ(failure(node(1, Union{}, {source(2), source(3, 1)}, row), 1),
            "invalid plan: node 3 (HOST_SOURCE) reads a host source that the plan does not have");
}

TEST(Validate, LetsCtesBeReadBelowTheirDefinitionOnly) {
  const std::vector<Column> row{{"a", kInteger, false}, {"b", kInteger, true}};
  const auto reference = [&](uint32_t id) { return node(id, CteReference{7}, {}, row); };
  EXPECT_EQ(
      failure(node(1, CteDefinition{7, "t"}, {source(2), node(3, Union{}, {reference(4), reference(5)}, row)}, row)),
      "");
  EXPECT_EQ(failure(node(1, CteDefinition{7, "t"}, {reference(2), source(3)}, row)),
            "invalid plan: node 2 (CTE_SCAN) reads CTE 7 outside its definition");
  EXPECT_EQ(failure(reference(1)), "invalid plan: node 1 (CTE_SCAN) reads CTE 7 outside its definition");
}

TEST(Validate, RefusesACaseOfTwoTypesAndAConditionThatIsNoBoolean) {
  Expr branches;
  branches.kind = ExprKind::Case;
  branches.type = kInteger;
  branches.children = {constant(Value::boolean(true)), column_ref(0, kInteger, false), constant(Value::null(kDate))};
  const auto project = [&] {
    return node(1, Project{{std::make_shared<const Expr>(branches)}}, {source(2)}, {{"x", kInteger, true}});
  };
  EXPECT_EQ(failure(project()), "invalid plan: node 1 (PROJECTION) has an ELSE branch of another type than its result");
  branches.children = {column_ref(0, kInteger, false), column_ref(0, kInteger, false), column_ref(1, kInteger, true)};
  EXPECT_EQ(failure(project()), "invalid plan: node 1 (PROJECTION) has a CASE condition that is no BOOLEAN");
}

TEST(Validate, RefusesConstantsThatAreNotOfTheirType) {
  Expr wrong;
  wrong.type = kInteger;
  wrong.constant = Value{kInteger, std::string("5")};
  EXPECT_EQ(failure(node(1, Project{{std::make_shared<const Expr>(wrong)}}, {source(2)}, {{"x", kInteger, true}})),
            "invalid plan: node 1 (PROJECTION) has a constant that is not of its type");
}

TEST(Validate, RefusesAScanFileWithoutItsConstants) {
  Scan scan;
  scan.columns = {{ScanColumn::Kind::FileConstant, "year", kInteger, false}};
  scan.files = {ScanFile{"/data/a.parquet", 1, 1, {Value::integer(kInteger, 1998)}},
                ScanFile{"/data/b.parquet", 1, 1, {}}};
  scan.projection = {0};
  EXPECT_EQ(failure(node(1, scan, {}, {{"year", kInteger, true}})),
            "invalid plan: node 1 (SCAN) has a file with too few constants");
}

// Groups a and b of source(2), a count, and one GROUPING().
std::shared_ptr<Node> grouping_sets(std::vector<std::vector<uint32_t>> sets, std::vector<uint32_t> grouping,
                                    bool a_nullable = true) {
  Aggregate aggregate;
  aggregate.groups = {column_ref(0, kInteger, false), column_ref(1, kInteger, true)};
  aggregate.aggregates = {{"count_star", {}, Type::of(TypeId::BigInt), false, nullptr, {}, 0}};
  aggregate.grouping_sets = std::move(sets);
  aggregate.groupings = {std::move(grouping)};
  return node(1, aggregate, {source(2)},
              {{"a", kInteger, a_nullable},
               {"b", kInteger, true},
               {"n", Type::of(TypeId::BigInt), false},
               {"g", Type::of(TypeId::BigInt), false}});
}

TEST(Validate, ChecksGroupingSets) {
  const std::string at = "invalid plan: node 1 (AGGREGATE) ";
  EXPECT_EQ(failure(grouping_sets({{0, 1}, {0}, {0}, {}}, {1, 0, 1})), "");
  EXPECT_EQ(failure(grouping_sets({}, {1}, false)), "");
  EXPECT_EQ(failure(grouping_sets({{0, 1}, {0}}, {1}, false)), "");
  EXPECT_EQ(failure(grouping_sets({{0, 1}, {1}}, {1}, false)), at + "promises output column #0 without NULLs");
  EXPECT_EQ(failure(grouping_sets({{2}}, {1})), at + "has a grouping set with a group out of range");
  EXPECT_EQ(failure(grouping_sets({{1, 0}}, {1})), at + "has a grouping set that is not in ascending order");
  EXPECT_EQ(failure(grouping_sets({{1, 1}}, {1})), at + "has a grouping set that is not in ascending order");
  EXPECT_EQ(failure(grouping_sets({{1}}, {2})), at + "has a GROUPING() of a group out of range");
  EXPECT_EQ(failure(grouping_sets({{1}}, {})), at + "has a GROUPING() that does not fit a BIGINT");
}

TEST(Print, ShowsGroupingSets) {
  EXPECT_EQ(describe(*grouping_sets({{0, 1}, {1}, {}}, {1, 0})),
            "AGGREGATE groups [a, b] [count_star()] sets [(a, b), (b), ()] grouping [(b, a)]");
}

WindowCall running_sum() {
  WindowCall call;
  call.function = "sum";
  call.is_aggregate = true;
  call.arguments = {column_ref(1, kInteger, true)};
  call.type = Type::of(TypeId::HugeInt);
  call.filter = comparison(CompareOp::Less, column_ref(0, kInteger, false), column_ref(1, kInteger, true));
  return call;
}

// Rows of source 2 by b in partitions of a, with one call.
std::shared_ptr<Node> window(const WindowCall& call) {
  Window body;
  body.partitions = {column_ref(0, kInteger, false)};
  body.orders = {{column_ref(1, kInteger, true), true, true}};
  body.calls = {call};
  return node(1, body, {source(2)}, {{"a", kInteger, false}, {"b", kInteger, true}, {"w", call.type, true}});
}

TEST(Windows, ArePrintedWithTheFramesThatAreRead) {
  WindowCall call = running_sum();
  call.frame = {FrameUnit::Rows,
                {FrameBoundKind::Preceding, constant(Value::integer(Type::of(TypeId::BigInt), 2))},
                {FrameBoundKind::CurrentRow, nullptr},
                FrameExclude::Ties};
  const auto root = window(call);
  EXPECT_EQ(failure(root), "");
  EXPECT_EQ(describe(*root),
            "WINDOW partition by [a] order by [b DESC NULLS FIRST] [sum(b) FILTER (a < b) ROWS BETWEEN 2 PRECEDING AND "
            "CURRENT ROW EXCLUDE TIES]");
  WindowCall nth = call;
  nth.function = "nth_value";
  nth.is_aggregate = false;
  nth.ignore_nulls = true;
  nth.filter = nullptr;
  EXPECT_TRUE(reads_frame(nth));
  nth.function = "ntile";
  EXPECT_FALSE(reads_frame(nth));
  EXPECT_EQ(describe(*window(nth)), "WINDOW partition by [a] order by [b DESC NULLS FIRST] [ntile(b IGNORE NULLS)]");
  size_t expressions = 0;
  for_each_expression(*root, [&](const ExprPtr&) { ++expressions; });
  EXPECT_EQ(expressions, 5U);
}

TEST(Validate, RefusesFramesThatBreakTheContract) {
  const auto with_frame = [](const Frame& frame) {
    WindowCall call = running_sum();
    call.frame = frame;
    return failure(window(call));
  };
  const FrameBound current{FrameBoundKind::CurrentRow, nullptr};
  const std::string who = "invalid plan: node 1 (WINDOW) ";
  EXPECT_EQ(with_frame({FrameUnit::Rows, {FrameBoundKind::Preceding, nullptr}, current, {}}),
            who + "has a frame bound without its value, or the reverse");
  EXPECT_EQ(with_frame({FrameUnit::Rows, {FrameBoundKind::Preceding, column_ref(1, kInteger, true)}, current, {}}),
            who + "has a frame offset that is no BIGINT");
  EXPECT_EQ(with_frame({FrameUnit::Range, {FrameBoundKind::Preceding, column_ref(1, kInteger, true)}, current, {}}),
            "");
  EXPECT_EQ(with_frame({FrameUnit::Range, current, {FrameBoundKind::Following, constant(Value::null(kDate))}, {}}),
            who + "has a RANGE bound of another type than its key");
  EXPECT_EQ(with_frame({FrameUnit::Range, {FrameBoundKind::UnboundedFollowing, nullptr}, current, {}}),
            who + "has a frame that starts after its partition");
  EXPECT_EQ(with_frame({FrameUnit::Range, current, {FrameBoundKind::UnboundedPreceding, nullptr}, {}}),
            who + "has a frame that ends before its partition");
}

TEST(Validate, RefusesWindowsOfAnotherRow) {
  WindowCall lag;
  lag.function = "lag";
  lag.type = kInteger;
  lag.arguments = {column_ref(1, kInteger, true)};
  EXPECT_EQ(failure(window(lag)), "invalid plan: node 1 (WINDOW) has a lag or lead without value, offset and default");
  auto root = window(running_sum());
  root->output.pop_back();
  EXPECT_EQ(failure(root), "invalid plan: node 1 (WINDOW) must have 3 output columns");
  std::get<Window>(root->body).calls.clear();
  EXPECT_EQ(failure(root), "invalid plan: node 1 (WINDOW) has no call");
}

TEST(Validate, RefusesRowsOfAnotherWidth) {
  Values values;
  values.rows = {{}, {Value::integer(kInteger, 1)}};
  EXPECT_EQ(failure(node(1, values, {}, {})), "invalid plan: node 1 (VALUES) must have 1 output columns");
}

}  // namespace
}  // namespace weft::plan
