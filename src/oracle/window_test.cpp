// Windows as SQL.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "oracle/oracle.hpp"
#include "plan/walk.hpp"

namespace weft::oracle {
namespace {

using plan::column_ref;
using plan::ExprPtr;
using plan::FrameBoundKind;
using plan::FrameUnit;
using plan::Type;
using plan::TypeId;
using plan::Value;

const Type kInteger = Type::of(TypeId::Integer);
const Type kBigInt = Type::of(TypeId::BigInt);
const Type kDate = Type::of(TypeId::Date);
const Type kTimestamp = Type::of(TypeId::Timestamp);
const Type kHugeInt = Type::of(TypeId::HugeInt);
const std::vector<plan::Column> kRow{{"a", kInteger, true}, {"b", kInteger, true}, {"d", kDate, true}};
const plan::FrameBound kCurrentRow{FrameBoundKind::CurrentRow, nullptr};

ExprPtr a() { return column_ref(0, kInteger, true); }
ExprPtr b() { return column_ref(1, kInteger, true); }
ExprPtr d() { return column_ref(2, kDate, true); }
ExprPtr number(const Type& type, int value) { return plan::constant(Value::integer(type, value)); }

// The last column of a window over host source 0.
std::string call_sql(const plan::Window& window) {
  std::vector<plan::Column> row = kRow;
  for (const plan::WindowCall& call : window.calls) row.push_back({"w", call.type, true});
  auto source = std::make_shared<plan::Node>(plan::Node{2, plan::HostSource{0, "t"}, {}, kRow, 0});
  const plan::Plan plan{std::make_shared<plan::Node>(plan::Node{1, window, {source}, row, 0}), 1, false};
  plan::validate(plan);
  const std::string text = write_sql(plan, {"t"});
  const std::string before = "AS NOT MATERIALIZED (SELECT c0, c1, c2, ";
  const size_t begin = text.rfind(before) + before.size();
  return text.substr(begin, text.find(" FROM n2)") - begin);
}

plan::WindowCall sum() {
  plan::WindowCall call;
  call.function = "sum";
  call.is_aggregate = true;
  call.arguments = {b()};
  call.type = kHugeInt;
  return call;
}

std::string range_sql(const ExprPtr& key, bool descending, plan::FrameBound start) {
  plan::Window window;
  window.orders = {{key, descending, false}};
  window.calls = {sum()};
  window.calls[0].frame = {FrameUnit::Range, std::move(start), kCurrentRow, plan::FrameExclude::NoOthers};
  const std::string text = call_sql(window);
  const size_t begin = text.find("RANGE BETWEEN ") + 14;
  return text.substr(begin, text.find(" AND CURRENT ROW") - begin);
}

TEST(Windows, HaveExplicitFramesWhereTheyAreRead) {
  plan::Window window;
  window.partitions = {a()};
  window.orders = {{b(), true, true}};
  plan::WindowCall rank;
  rank.function = "rank";
  rank.type = kBigInt;
  window.calls = {sum(), rank};
  EXPECT_EQ(call_sql(window),
            "CAST(\"sum\"(c1) OVER (PARTITION BY c0 ORDER BY c1 DESC NULLS FIRST RANGE BETWEEN UNBOUNDED PRECEDING AND "
            "CURRENT ROW) AS HUGEINT), CAST(\"rank\"() OVER (PARTITION BY c0 ORDER BY c1 DESC NULLS FIRST) AS BIGINT)");
}

TEST(Windows, FilterExcludeAndOffsets) {
  plan::Window window;
  window.orders = {{a(), false, false}};
  plan::WindowCall count;
  count.function = "count_star";
  count.is_aggregate = true;
  count.type = kBigInt;
  count.filter = comparison(plan::CompareOp::Less, a(), b());
  count.frame = {FrameUnit::Groups,
                 {FrameBoundKind::Preceding, number(kBigInt, 2)},
                 {FrameBoundKind::Following, plan::cast(b(), kBigInt)},
                 plan::FrameExclude::Ties};
  window.calls = {count};
  EXPECT_EQ(
      call_sql(window),
      "CAST(count(*) FILTER (WHERE (c0 < c1)) OVER (ORDER BY c0 ASC NULLS LAST GROUPS BETWEEN CAST('2' AS BIGINT) "
      "PRECEDING AND CAST(c1 AS BIGINT) FOLLOWING EXCLUDE TIES) AS BIGINT)");
}

TEST(Windows, ValueFunctionsIgnoreNulls) {
  plan::Window window;
  plan::WindowCall lag;
  lag.function = "lag";
  lag.type = kInteger;
  lag.arguments = {b(), number(kBigInt, 1), a()};
  lag.ignore_nulls = true;
  window.calls = {lag};
  EXPECT_EQ(call_sql(window), "CAST(\"lag\"(c1, CAST('1' AS BIGINT), c0 IGNORE NULLS) OVER () AS INTEGER)");
}

TEST(RangeBounds, GiveBackTheOffsetThatDuckDbAddedOrSubtracted) {
  const ExprPtr minus = plan::call("-", kInteger, {a(), number(kInteger, 5)});
  const ExprPtr plus = plan::call("+", kInteger, {a(), b()});
  EXPECT_EQ(range_sql(a(), false, {FrameBoundKind::Preceding, minus}), "CAST('5' AS INTEGER) PRECEDING");
  EXPECT_EQ(range_sql(a(), true, {FrameBoundKind::Preceding, plus}), "c1 PRECEDING");
  EXPECT_EQ(range_sql(a(), false, {FrameBoundKind::Following, plus}), "c1 FOLLOWING");
  EXPECT_EQ(range_sql(a(), true, {FrameBoundKind::Following, minus}), "CAST('5' AS INTEGER) FOLLOWING");
}

TEST(RangeBounds, SeeThroughTheCastsToOneType) {
  const ExprPtr month = plan::constant(Value{Type::of(TypeId::Interval), plan::IntervalValue{1, 0, 0}});
  const ExprPtr bound = plan::call("-", kTimestamp, {d(), month});
  EXPECT_EQ(range_sql(plan::cast(d(), kTimestamp), false, {FrameBoundKind::Preceding, bound}),
            month->constant.to_sql() + " PRECEDING");
}

TEST(RangeBounds, OfAnotherFormAreDistancesFromTheKey) {
  EXPECT_EQ(range_sql(a(), false, {FrameBoundKind::Preceding, b()}), "CAST(c0 - c1 AS INTEGER) PRECEDING");
  EXPECT_EQ(range_sql(a(), true, {FrameBoundKind::Preceding, b()}), "CAST(c1 - c0 AS INTEGER) PRECEDING");
  EXPECT_EQ(range_sql(d(), false, {FrameBoundKind::Following, number(kDate, 0)}),
            "CAST(CAST('1970-01-01' AS DATE) - c2 AS INTEGER) FOLLOWING");
  // The wrong one of the two signs is a distance too, so that a wrong plan is seen to be one.
  const ExprPtr plus = plan::call("+", kInteger, {a(), b()});
  EXPECT_EQ(range_sql(a(), false, {FrameBoundKind::Preceding, plus}),
            "CAST(c0 - CAST((c0 + c1) AS INTEGER) AS INTEGER) PRECEDING");
}

}  // namespace
}  // namespace weft::oracle
