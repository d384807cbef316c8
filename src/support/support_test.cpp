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
#include "support/window_table.hpp"

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
  EXPECT_EQ(call_verdict("-", kInterval, {column(kTimestamp), column(kTimestamp)}), "unsupported_type INTERVAL");
  EXPECT_EQ(call_verdict("round", Type::decimal(15, 1), {column(Type::decimal(15, 2)), number(kInteger, 1)}), "");
  EXPECT_EQ(call_verdict("round", kDouble, {column(kDouble), column(kInteger)}),
            "constant_only round(DOUBLE, INTEGER)");
}

TEST(Arithmetic, RefusesAResultThatIsNotDuckDbs) {
  EXPECT_EQ(call_verdict("+", kDouble, {column(kBigInt), column(kBigInt)}), "unsupported_function +(BIGINT, BIGINT)");
  EXPECT_EQ(call_verdict("length", kInteger, {column(kVarchar)}), "unsupported_function length(VARCHAR)");
}

TEST(Dates, TakeIntervalsThatAreNoColumns) {
  EXPECT_EQ(call_verdict("+", kTimestamp, {column(kDate), three_months()}), "");
  EXPECT_EQ(call_verdict("-", kTimestamp, {column(kTimestamp), three_months()}), "");
  EXPECT_EQ(call_verdict("+", kTimestamp, {column(kDate), column(kInterval)}), "unsupported_type INTERVAL");
  const ExprPtr days = plan::call("to_days", kInterval, {column(kBigInt)}, true);
  EXPECT_EQ(call_verdict("+", kTimestamp, {column(kDate), days}), "");
  EXPECT_EQ(verdict(days), "unsupported_type INTERVAL");
  EXPECT_EQ(verdict(plan::comparison(plan::CompareOp::Equal, days, three_months())), "");
  EXPECT_EQ(verdict(plan::comparison(plan::CompareOp::Equal, days, column(kInterval))), "unsupported_type INTERVAL");
  EXPECT_EQ(call_verdict("day", kBigInt, {days}), "");
  EXPECT_EQ(call_verdict("week", kBigInt, {days}), "unsupported_function week(INTERVAL)");
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
  EXPECT_EQ(call_verdict("julian", Type::of(TypeId::Double), {column(kDate)}), "");
  EXPECT_EQ(canonical_date_part("DAYS"), "day");
  EXPECT_EQ(canonical_date_part("dow"), "dayofweek");
  EXPECT_EQ(canonical_trunc_unit("milliseconds"), "millisecond");
  EXPECT_EQ(canonical_trunc_unit("dow"), "");
}

TEST(Dates, ChecksBucketsAndFormats) {
  const auto bucket = [](plan::IntervalValue width) {
    return call_verdict("time_bucket", kDate, {plan::constant(Value{kInterval, width}), column(kDate)});
  };
  EXPECT_EQ(bucket({3, 0, 0}), "");
  EXPECT_EQ(bucket({0, 1, 1}), "");
  EXPECT_EQ(bucket({1, 1, 0}), "unsupported_function time_bucket(INTERVAL, DATE)");
  EXPECT_EQ(bucket({0, -1, 0}), "unsupported_function time_bucket(INTERVAL, DATE)");
  EXPECT_EQ(bucket({0, 2147483647, 0}), "unsupported_function time_bucket(INTERVAL, DATE)");
  const auto format = [](const std::string& wanted) {
    return call_verdict("strftime", kVarchar, {column(kDate), text(wanted)});
  };
  EXPECT_EQ(format("%Y-%m-%d %-H 100%% %c"), "");
  const auto parsed = [](const std::string& wanted) {
    return call_verdict("strptime", kTimestamp, {column(kVarchar), text(wanted)});
  };
  EXPECT_EQ(parsed("%d/%m/%Y %I:%M %p"), "");
  for (const char* wrong : {"%j", "%z", "%G-%V", "%-j"}) {
    EXPECT_EQ(parsed(wrong), "unsupported_function strptime(VARCHAR, VARCHAR)") << wrong;
  }
  for (const char* wrong : {"", "%z", "%-Y", "%", "%-", "%Q"}) {
    EXPECT_EQ(format(wrong), "unsupported_function strftime(DATE, VARCHAR)") << wrong;
  }
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
  EXPECT_EQ(call_verdict("lpad", kVarchar, {column(kVarchar), column(kInteger), text("x")}), "");
  EXPECT_EQ(call_verdict("strip_accents", kVarchar, {column(kVarchar)}), "unsupported_function strip_accents(VARCHAR)");
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

TEST(Casts, OfMomentsAreThoseOfTheLocalTimeInUtc) {
  const Type zoned = Type::of(TypeId::TimestampTz);
  const Type zoned_ns = Type::of(TypeId::TimestampTzNs);
  for (const Type& local : {kDate, kTimestamp, Type::of(TypeId::TimestampS), Type::of(TypeId::TimestampNs)}) {
    EXPECT_TRUE(cast_supported(zoned, local)) << local.to_string();
    EXPECT_TRUE(cast_supported(local, zoned)) << local.to_string();
  }
  EXPECT_TRUE(cast_supported(zoned_ns, Type::of(TypeId::TimestampNs)));
  EXPECT_FALSE(cast_supported(zoned_ns, kDate));
  EXPECT_FALSE(cast_supported(zoned_ns, Type::of(TypeId::TimestampS)));
  EXPECT_TRUE(cast_supported(zoned, kVarchar));
  EXPECT_FALSE(cast_supported(kVarchar, zoned));
  EXPECT_EQ(call_verdict("year", kBigInt, {column(zoned)}), "unsupported_function year(TIMESTAMP WITH TIME ZONE)");
  EXPECT_EQ(call_verdict("epoch", kDouble, {column(zoned)}), "");
}

TEST(Casts, OfTypesWithoutAFamily) {
  const Type time = Type::of(TypeId::Time);
  EXPECT_TRUE(cast_supported(kTimestamp, time));
  EXPECT_TRUE(cast_supported(time, kVarchar));
  EXPECT_FALSE(cast_supported(kVarchar, time));
  EXPECT_FALSE(cast_supported(kDate, time));
  const Type blob = Type::of(TypeId::Blob);
  EXPECT_FALSE(cast_supported(blob, kVarchar));
  EXPECT_FALSE(cast_supported(kVarchar, blob));
  EXPECT_TRUE(cast_supported(Type::of(TypeId::Uuid), kVarchar));
  const Type labels = Type::enumeration("ENUM('a', 'b')", 2);
  EXPECT_TRUE(cast_supported(labels, kVarchar));
  EXPECT_FALSE(cast_supported(labels, Type::enumeration("ENUM('b')", 1)));
  EXPECT_EQ(call_verdict("hour", kBigInt, {column(time)}), "");
  EXPECT_EQ(call_verdict("day", kBigInt, {column(time)}), "unsupported_function day(TIME)");
  EXPECT_EQ(call_verdict("lower", kVarchar, {column(blob)}), "unsupported_function lower(BLOB)");
}

TEST(ParquetColumns, WhatTheGpuReaderLacks) {
  for (const int codec : {0, 1, 2, 6, 7}) EXPECT_EQ(refused_parquet_column(1, codec, kInteger), "");
  EXPECT_EQ(refused_parquet_column(1, 4, kInteger), "compression codec BROTLI");
  EXPECT_EQ(refused_parquet_column(1, 3, kInteger), "compression codec LZO");
  EXPECT_EQ(refused_parquet_column(1, 5, kInteger), "compression codec LZ4");
  EXPECT_EQ(refused_parquet_column(1, 8, kInteger), "compression codec number 8");
  EXPECT_EQ(refused_parquet_column(3, 0, kTimestamp), "INT96 timestamps");
  EXPECT_EQ(refused_parquet_column(7, 0, Type::of(TypeId::Float)), "FLOAT stored as bytes");
  EXPECT_EQ(refused_parquet_column(7, 0, Type::decimal(38, 2)), "");
  EXPECT_EQ(refused_parquet_column(6, 0, kVarchar), "");
  EXPECT_EQ(refused_parquet_column(6, 0, Type::decimal(9, 2)), "DECIMAL(9,2) stored as BYTE_ARRAY");
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
  auto by = aggregate("max_by", kVarchar, kVarchar);
  EXPECT_EQ(refused_aggregate(by), "max_by(VARCHAR)");
  by.arguments.push_back(column(kDouble));
  EXPECT_EQ(refused_aggregate(by), "");
  EXPECT_EQ(refused_aggregate(aggregate("bit_xor", kInteger, kInteger)), "");
  EXPECT_EQ(refused_aggregate(aggregate("bit_xor", hugeint, hugeint)), "bit_xor(HUGEINT)");
  auto distinct = aggregate("count", kVarchar, kBigInt);
  distinct.distinct = true;
  EXPECT_EQ(refused_aggregate(distinct), "");
  auto ordered = aggregate("first", kVarchar, kVarchar);
  ordered.order_by = {plan::SortKey{column(kVarchar), false, false}};
  EXPECT_EQ(refused_aggregate(ordered), "first(VARCHAR ORDER BY)");
}

TEST(Aggregates, WithTooManyGroupingSetsAreRefused) {
  const auto source =
      std::make_shared<plan::Node>(plan::Node{2, plan::HostSource{0, "t"}, {}, {{"s", kVarchar, true}}, 0});
  const auto refused = [&](size_t groups, size_t sets) {
    plan::Aggregate body;
    body.groups.assign(groups, column(kVarchar));
    body.grouping_sets.assign(sets, {0});
    return check_node(plan::Node{1, body, {source}, std::vector<plan::Column>(groups, {"s", kVarchar, true}), 0});
  };
  EXPECT_TRUE(refused(40, 1024).empty());
  EXPECT_TRUE(refused(41, 0).empty());
  const std::vector<Refusal> expected{
      {RefusalCode::UnsupportedOperator, "GROUPING SETS of so many groups or sets", "AGGREGATE"}};
  EXPECT_EQ(refused(41, 1), expected);
  EXPECT_EQ(refused(2, 1025), expected);
}

plan::WindowCall window(const std::string& function, std::vector<ExprPtr> arguments, const Type& result,
                        bool is_aggregate = false) {
  plan::WindowCall call;
  call.function = function;
  call.is_aggregate = is_aggregate;
  call.arguments = std::move(arguments);
  call.type = result;
  return call;
}

TEST(Windows, FollowTheTable) {
  EXPECT_EQ(refused_window(window("row_number", {}, kBigInt)), "");
  EXPECT_EQ(refused_window(window("cume_dist", {}, kDouble)), "");
  EXPECT_EQ(refused_window(window("ntile", {column(kBigInt)}, kBigInt)), "");
  EXPECT_EQ(refused_window(window("ntile", {column(kInteger)}, kBigInt)), "ntile(INTEGER)");
  EXPECT_EQ(refused_window(window("lag", {column(kVarchar), column(kBigInt), column(kVarchar)}, kVarchar)), "");
  EXPECT_EQ(refused_window(window("lag", {column(kVarchar)}, kVarchar)), "lag(VARCHAR)");
  EXPECT_EQ(refused_window(window("nth_value", {column(kDate), column(kBigInt)}, kDate)), "");
  EXPECT_EQ(refused_window(window("first_value", {column(kDate)}, kInteger)), "first_value(DATE)");
  EXPECT_EQ(refused_window(window("fill", {column(kDouble)}, kDouble)), "fill(DOUBLE)");
}

TEST(Windows, TakeTheAggregatesOfTheTable) {
  EXPECT_EQ(refused_window(window("sum", {column(kInteger)}, Type::of(TypeId::HugeInt), true)), "");
  EXPECT_EQ(refused_window(window("count_star", {}, kBigInt, true)), "");
  EXPECT_EQ(refused_window(window("min", {column(kVarchar)}, kVarchar, true)), "");
  EXPECT_EQ(refused_window(window("mode", {column(kVarchar)}, kVarchar, true)), "mode(VARCHAR)");
  EXPECT_EQ(refused_window(window("sum", {column(kInteger)}, Type::of(TypeId::HugeInt))), "sum(INTEGER)");
  EXPECT_EQ(refused_window(window("bit_or", {column(kInteger)}, kInteger, true)), "bit_or(INTEGER)");
  EXPECT_EQ(refused_window(window("min_by", {column(kInteger), column(kDouble)}, kInteger, true)),
            "min_by(INTEGER, DOUBLE)");
  EXPECT_EQ(refused_window(window("rank", {}, kBigInt, true)), "rank()");
}

TEST(Windows, RefuseDistinctOrderAndNullsWhereTheyDoNotBelong) {
  const auto changed = [](plan::WindowCall call, auto change) {
    change(call);
    return refused_window(call);
  };
  const plan::WindowCall sum = window("sum", {column(kInteger)}, Type::of(TypeId::HugeInt), true);
  const plan::WindowCall last = window("last_value", {column(kInteger)}, kInteger);
  const auto filtered = [](plan::WindowCall& call) { call.filter = column(kBoolean); };
  const auto distinct = [](plan::WindowCall& call) { call.distinct = true; };
  const auto ignoring = [](plan::WindowCall& call) { call.ignore_nulls = true; };
  const auto ordered = [](plan::WindowCall& call) { call.argument_order_by = {{column(kInteger), false, false}}; };
  EXPECT_EQ(changed(sum, filtered), "");
  EXPECT_EQ(changed(last, filtered), "last_value(INTEGER) FILTER");
  EXPECT_EQ(changed(last, ignoring), "");
  EXPECT_EQ(changed(sum, ignoring), "sum(INTEGER IGNORE NULLS)");
  EXPECT_EQ(changed(sum, distinct), "sum(DISTINCT INTEGER)");
  EXPECT_EQ(changed(last, ordered), "last_value(INTEGER ORDER BY)");
  EXPECT_EQ(changed(window("rank", {}, kBigInt), ignoring), "rank( IGNORE NULLS)");
}

TEST(Windows, KeysAreNoUntypedNulls) {
  plan::Window body;
  body.partitions = {plan::constant(Value::null(Type::of(TypeId::Null)))};
  body.calls = {window("fill", {column(kDouble)}, kDouble)};
  const plan::Node node{1, body, {}, {{"f", kDouble, true}}, 0};
  const std::vector<Refusal> expected{{RefusalCode::UnsupportedAggregate, "fill(DOUBLE)", "WINDOW"},
                                      {RefusalCode::UnsupportedType, "\"NULL\"", "WINDOW"}};
  EXPECT_EQ(check_node(node), expected);
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
  EXPECT_EQ(has("nth_value", "window"), 1);
  EXPECT_EQ(has("regexp_matches", "scalar"), 1);
  for (const FunctionInfo& f : all) {
    EXPECT_EQ(f.support, f.name == "regexp_matches" ? "planned" : f.name == "sum" ? "native" : f.support) << f.name;
  }
}

}  // namespace
}  // namespace weft::support
