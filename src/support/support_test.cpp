#include "support/support.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/aggregate_table.hpp"
#include "support/cast_table.hpp"
#include "support/function_table.hpp"
#include "support/parquet_column.hpp"

namespace weft::support {
namespace {

using plan::column_ref;
using plan::ExprPtr;
using plan::Type;
using plan::TypeId;
using plan::Value;

const Type kBoolean = Type::of(TypeId::Boolean);
const Type kInteger = Type::of(TypeId::Integer);
const Type kBigInt = Type::of(TypeId::BigInt);
const Type kDouble = Type::of(TypeId::Double);
const Type kVarchar = Type::of(TypeId::Varchar);
const Type kDate = Type::of(TypeId::Date);
const Type kTimestamp = Type::of(TypeId::Timestamp);
const Type kInterval = Type::of(TypeId::Interval);

ExprPtr column(const Type& type) { return column_ref(0, type, true); }
ExprPtr text(std::string value) { return plan::constant(Value::text(std::move(value))); }
ExprPtr number(const Type& type, int value) { return plan::constant(Value::integer(type, value)); }
ExprPtr three_months() { return plan::constant(Value{kInterval, plan::IntervalValue{3, 0, 0}}); }

// "" or "code name; code name".
std::string verdict(const ExprPtr& expr) {
  std::string text;
  for (const Refusal& refusal : check_expression(*expr, "PROJECTION")) {
    EXPECT_EQ(refusal.node, "PROJECTION");
    if (!text.empty()) text += "; ";
    text += std::string(to_string(refusal.code)) + " " + refusal.name;
  }
  return text;
}

std::string call_verdict(const std::string& function, const Type& result, std::vector<ExprPtr> arguments) {
  return verdict(plan::call(function, result, std::move(arguments)));
}

TEST(Types, IntervalNullAndUnknownTypesAreNoColumns) {
  EXPECT_TRUE(supported_type(Type::of(TypeId::HugeInt)));
  EXPECT_TRUE(supported_type(Type::of(TypeId::TimestampNs)));
  EXPECT_FALSE(supported_type(kInterval));
  EXPECT_FALSE(supported_type(Type::of(TypeId::Null)));
  const Type list{TypeId::Unsupported, 0, 0, "INTEGER[]"};
  EXPECT_EQ(verdict(column(list)), "unsupported_type INTEGER[]");
  EXPECT_EQ(verdict(three_months()), "unsupported_type INTERVAL");
}

TEST(Arithmetic, TakesEqualTypesAndDecimals) {
  EXPECT_EQ(call_verdict("+", kBigInt, {column(kBigInt), column(kBigInt)}), "");
  EXPECT_EQ(call_verdict("+", kBigInt, {column(kBigInt), column(kInteger)}), "unsupported_function +(BIGINT, INTEGER)");
  EXPECT_EQ(call_verdict("*", Type::decimal(18, 4), {column(Type::decimal(15, 2)), column(Type::decimal(3, 2))}), "");
  EXPECT_EQ(call_verdict("/", kDouble, {column(kDouble), column(kDouble)}), "");
  EXPECT_EQ(call_verdict("/", kBigInt, {column(kBigInt), column(kBigInt)}), "unsupported_function /(BIGINT, BIGINT)");
  EXPECT_EQ(call_verdict("-", kBigInt, {column(kDate), column(kDate)}), "");
  EXPECT_EQ(call_verdict("-", kInterval, {column(kTimestamp), column(kTimestamp)}),
            "unsupported_type INTERVAL; unsupported_function -(TIMESTAMP, TIMESTAMP)");
  EXPECT_EQ(call_verdict("round", Type::decimal(15, 1), {column(Type::decimal(15, 2)), number(kInteger, 1)}), "");
  EXPECT_EQ(call_verdict("round", kDouble, {column(kDouble), column(kInteger)}),
            "constant_only round(DOUBLE, INTEGER)");
}

TEST(Arithmetic, RefusesAResultThatIsNotDuckDbs) {
  EXPECT_EQ(call_verdict("+", kDouble, {column(kBigInt), column(kBigInt)}), "unsupported_function +(BIGINT, BIGINT)");
  EXPECT_EQ(call_verdict("length", kInteger, {column(kVarchar)}), "unsupported_function length(VARCHAR)");
}

TEST(Dates, TakeConstantIntervalsOnly) {
  EXPECT_EQ(call_verdict("+", kTimestamp, {column(kDate), three_months()}), "");
  EXPECT_EQ(call_verdict("-", kTimestamp, {column(kTimestamp), three_months()}), "");
  EXPECT_EQ(call_verdict("+", kTimestamp, {column(kDate), column(kInterval)}),
            "constant_only +(DATE, INTERVAL); unsupported_type INTERVAL");
  EXPECT_EQ(verdict(plan::comparison(plan::CompareOp::Equal, three_months(), three_months())),
            "unsupported_type INTERVAL");
}

TEST(Dates, KnowPartsByNameAndByArgument) {
  EXPECT_EQ(call_verdict("year", kBigInt, {column(kDate)}), "");
  EXPECT_EQ(call_verdict("weekofyear", kBigInt, {column(kTimestamp)}), "");
  EXPECT_EQ(call_verdict("date_part", kBigInt, {text("Months"), column(kDate)}), "");
  EXPECT_EQ(call_verdict("date_part", kBigInt, {text("fortnight"), column(kDate)}),
            "unsupported_function date_part(VARCHAR, DATE)");
  EXPECT_EQ(call_verdict("date_part", kBigInt, {column(kVarchar), column(kDate)}),
            "constant_only date_part(VARCHAR, DATE)");
  EXPECT_EQ(call_verdict("date_trunc", kTimestamp, {text("quarter"), column(kDate)}), "");
  EXPECT_EQ(call_verdict("century", kBigInt, {column(kDate)}), "");
  EXPECT_EQ(call_verdict("julian", Type::of(TypeId::Double), {column(kDate)}), "unsupported_function julian(DATE)");
  EXPECT_EQ(canonical_date_part("DAYS"), "day");
  EXPECT_EQ(canonical_date_part("dow"), "dayofweek");
  EXPECT_EQ(canonical_trunc_unit("milliseconds"), "millisecond");
  EXPECT_EQ(canonical_trunc_unit("dow"), "");
}

TEST(Text, AnyPatternButAConstantEscape) {
  EXPECT_EQ(call_verdict("~~", kBoolean, {column(kVarchar), text("%green%")}), "");
  EXPECT_EQ(call_verdict("~~", kBoolean, {column(kVarchar), column(kVarchar)}), "");
  EXPECT_EQ(call_verdict("~~*", kBoolean, {column(kVarchar), text("gr\xc3\xbcn")}), "");
  EXPECT_EQ(call_verdict("like_escape", kBoolean, {column(kVarchar), column(kVarchar), text("!")}), "");
  EXPECT_EQ(call_verdict("like_escape", kBoolean, {column(kVarchar), text("a"), text("\xc3\xbc")}),
            "unsupported_function like_escape(VARCHAR, VARCHAR, VARCHAR)");
  EXPECT_EQ(call_verdict("like_escape", kBoolean, {column(kVarchar), text("a"), column(kVarchar)}),
            "constant_only like_escape(VARCHAR, VARCHAR, VARCHAR)");
  EXPECT_EQ(call_verdict("regexp_matches", kBoolean, {column(kVarchar), text("a")}),
            "unsupported_function regexp_matches(VARCHAR, VARCHAR)");
}

TEST(Text, AliasesAndAnyNumberOfArguments) {
  EXPECT_EQ(call_verdict("substr", kVarchar, {column(kVarchar), number(kBigInt, 1), column(kBigInt)}), "");
  EXPECT_EQ(call_verdict("starts_with", kBoolean, {column(kVarchar), column(kVarchar)}), "");
  EXPECT_EQ(call_verdict("concat", kVarchar, std::vector<ExprPtr>(5, column(kVarchar))), "");
  EXPECT_EQ(call_verdict("concat", kVarchar, {}), "unsupported_function concat()");
  EXPECT_EQ(call_verdict("trim", kVarchar, {column(kVarchar), text("x")}), "");
  EXPECT_EQ(call_verdict("lpad", kVarchar, {column(kVarchar), column(kBigInt), text("x")}),
            "unsupported_function lpad(VARCHAR, BIGINT, VARCHAR)");
}

TEST(Errors, RaiseInsideACaseOfAnyType) {
  const ExprPtr error = plan::call("error", Type::of(TypeId::Null), {text("More than one row")}, true);
  EXPECT_EQ(verdict(plan::cast(error, kBigInt, false)), "");
  EXPECT_EQ(call_verdict("error", kVarchar, {text("x")}), "");
}

TEST(Casts, FollowTheTable) {
  const auto cast_verdict = [](const Type& from, const Type& to) { return verdict(plan::cast(column(from), to)); };
  EXPECT_EQ(cast_verdict(kVarchar, kInteger), "");
  EXPECT_EQ(cast_verdict(kVarchar, Type::decimal(38, 10)), "");
  EXPECT_EQ(cast_verdict(kDate, Type::of(TypeId::TimestampNs)), "");
  EXPECT_EQ(cast_verdict(kBoolean, kVarchar), "");
  EXPECT_EQ(cast_verdict(kDouble, kVarchar), "");
  EXPECT_EQ(cast_verdict(Type::of(TypeId::Float), kVarchar), "");
  for (const TypeId unit : {TypeId::TimestampS, TypeId::TimestampMs, TypeId::Timestamp, TypeId::TimestampNs}) {
    EXPECT_EQ(cast_verdict(kVarchar, Type::of(unit)), "");
  }
  EXPECT_EQ(cast_verdict(Type::of(TypeId::TimestampNs), Type::of(TypeId::TimestampS)),
            "unsupported_cast TIMESTAMP_NS -> TIMESTAMP_S");
  EXPECT_EQ(cast_verdict(kDate, kInteger), "unsupported_cast DATE -> INTEGER");
  EXPECT_EQ(verdict(plan::cast(plan::constant(Value::null(Type::of(TypeId::Null))), kDate, false)), "");
}

TEST(Casts, NumbersConvertBothWays) {
  const std::vector<Type> numbers{
      kInteger, Type::of(TypeId::HugeInt), Type::of(TypeId::UTinyInt), Type::of(TypeId::Float),
      kDouble,  Type::decimal(4, 1),       Type::decimal(38, 38)};
  for (const Type& from : numbers) {
    for (const Type& to : numbers)
      EXPECT_TRUE(cast_supported(from, to)) << from.to_string() << " -> " << to.to_string();
  }
}

TEST(ParquetColumns, WhatTheGpuReaderLacks) {
  for (const int codec : {0, 1, 2, 4, 6, 7}) EXPECT_EQ(refused_parquet_column(1, codec, kInteger), "");
  EXPECT_EQ(refused_parquet_column(1, 3, kInteger), "compression codec LZO");
  EXPECT_EQ(refused_parquet_column(1, 5, kInteger), "compression codec LZ4");
  EXPECT_EQ(refused_parquet_column(1, 8, kInteger), "compression codec number 8");
  EXPECT_EQ(refused_parquet_column(3, 0, kTimestamp), "INT96 timestamps");
  EXPECT_EQ(refused_parquet_column(7, 0, Type::of(TypeId::Float)), "FLOAT stored as bytes");
  EXPECT_EQ(refused_parquet_column(7, 0, Type::decimal(38, 2)), "");
  EXPECT_EQ(refused_parquet_column(6, 0, kVarchar), "");
}

plan::AggregateCall aggregate(const std::string& function, const Type& argument, const Type& result) {
  plan::AggregateCall call;
  call.function = function;
  call.arguments = {column(argument)};
  call.type = result;
  return call;
}

TEST(Aggregates, FollowTheTable) {
  const Type hugeint = Type::of(TypeId::HugeInt);
  EXPECT_EQ(refused_aggregate(aggregate("sum", kInteger, hugeint)), "");
  EXPECT_EQ(refused_aggregate(aggregate("sum", kInteger, kBigInt)), "sum(INTEGER)");
  EXPECT_EQ(refused_aggregate(aggregate("sum_no_overflow", Type::decimal(15, 2), Type::decimal(38, 2))), "");
  EXPECT_EQ(refused_aggregate(aggregate("arbitrary", kVarchar, kVarchar)), "");
  EXPECT_EQ(refused_aggregate(aggregate("stddev", kDouble, kDouble)), "");
  EXPECT_EQ(refused_aggregate(aggregate("avg", kTimestamp, kTimestamp)), "avg(TIMESTAMP)");
  EXPECT_EQ(refused_aggregate(aggregate("mode", kVarchar, kVarchar)), "mode(VARCHAR)");
  auto distinct = aggregate("count", kVarchar, kBigInt);
  distinct.distinct = true;
  EXPECT_EQ(refused_aggregate(distinct), "");
  auto ordered = aggregate("first", kVarchar, kVarchar);
  ordered.order_by = {plan::SortKey{column(kVarchar), false, false}};
  EXPECT_EQ(refused_aggregate(ordered), "first(VARCHAR ORDER BY)");
}

TEST(Plans, RefusalsComeInPreOrderAndOnce) {
  const Type list{TypeId::Unsupported, 0, 0, "INTEGER[]"};
  const auto source = std::make_shared<plan::Node>(
      plan::Node{3, plan::HostSource{0, "t"}, {}, {{"s", kVarchar, true}, {"l", list, true}}, 0});
  const ExprPtr matches = plan::call("regexp_matches", kBoolean, {column(kVarchar), text("a")});
  const auto filter = std::make_shared<plan::Node>(
      plan::Node{2, plan::Filter{{matches, matches}, {0}}, {source}, {{"s", kVarchar, true}}, 0});
  const auto project = std::make_shared<plan::Node>(
      plan::Node{1,
                 plan::Project{{plan::cast(plan::cast(column(kVarchar), kDate), kInteger)}},
                 {filter},
                 {{"t", kInteger, true}},
                 0});
  const std::vector<Refusal> expected{
      {RefusalCode::UnsupportedCast, "DATE -> INTEGER", "PROJECTION"},
      {RefusalCode::UnsupportedFunction, "regexp_matches(VARCHAR, VARCHAR)", "FILTER"},
      {RefusalCode::UnsupportedType, "INTEGER[]", "HOST_SOURCE"},
  };
  EXPECT_EQ(check(plan::Plan{project, 1, false}), expected);
  EXPECT_TRUE(
      check_node(*std::make_shared<plan::Node>(plan::Node{1, plan::HostSource{0, "t"}, {}, {{"s", kVarchar, true}}, 0}))
          .empty());
}

TEST(Functions, AreListedOnceAndSorted) {
  const std::vector<FunctionInfo> all = functions();
  const auto less = [](const FunctionInfo& a, const FunctionInfo& b) {
    return std::pair(a.name, a.kind) < std::pair(b.name, b.kind);
  };
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end(), less));
  const auto has = [&](std::string_view name, std::string_view kind) {
    return std::count_if(all.begin(), all.end(),
                         [&](const FunctionInfo& f) { return f.name == name && f.kind == kind; });
  };
  EXPECT_EQ(has("+", "scalar"), 1);
  EXPECT_EQ(has("year", "scalar"), 1);
  EXPECT_EQ(has("substr", "scalar"), 1);
  EXPECT_EQ(has("sum", "aggregate"), 1);
  EXPECT_EQ(has("regexp_matches", "scalar"), 0);
}

}  // namespace
}  // namespace weft::support
