// Casts from and to text of floating point and timestamps, run on the CPU. Every expected value was read from DuckDB
// 2.0.1; the algorithms were compared with it on every FLOAT and on millions of random texts.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <optional>

#include "gpu/expr/host_harness.hpp"

namespace weft::gpu::test {
namespace {

using plan::ExprPtr;
using plan::Type;
using plan::TypeId;
using plan::Value;
using Lines = std::vector<std::string>;

const Type kFloat = Type::of(TypeId::Float);
const Type kDouble = Type::of(TypeId::Double);
const Type kText = Type::of(TypeId::Varchar);
const Type kDate = Type::of(TypeId::Date);
const Type kSeconds = Type::of(TypeId::TimestampS);
const Type kMillis = Type::of(TypeId::TimestampMs);
const Type kMicros = Type::of(TypeId::Timestamp);
const Type kNanos = Type::of(TypeId::TimestampNs);

std::vector<Value> cells(const Type& from, const std::vector<Value>& values, const ExprPtr& expression) {
  Rows rows;
  for (const Value& value : values) rows.push_back({value});
  const HostResult result = run_on_host({{"c", from, true}}, rows, {expression});
  EXPECT_FALSE(result.failed_row.has_value()) << "row " << result.failed_row.value_or(0);
  return result.columns.at(0);
}

ExprPtr column(const Type& type) { return plan::column_ref(0, type, true); }

ExprPtr try_cast(const Type& from, const Type& to) {
  plan::Expr copy = *plan::cast(column(from), to);
  copy.try_cast = true;
  return std::make_shared<const plan::Expr>(std::move(copy));
}

std::vector<Value> texts(const Lines& lines) {
  std::vector<Value> values;
  for (const std::string& line : lines) values.push_back(Value::text(line));
  return values;
}

Lines float_texts(const std::vector<float>& values) {
  std::vector<Value> input;
  for (const float value : values) input.push_back(Value::floating(kFloat, value));
  Lines lines;
  for (const Value& cell : cells(kFloat, input, plan::cast(column(kFloat), kText, false)))
    lines.push_back(cell.as_text());
  return lines;
}

// "NULL" where the text is no value of the type.
Lines parsed(const Lines& lines, const Type& to) {
  Lines out;
  for (const Value& cell : cells(kText, texts(lines), try_cast(kText, to))) {
    out.push_back(cell.is_null() ? "NULL" : plan::to_string(cell.as_int()));
  }
  return out;
}

std::vector<double> parsed_doubles(const Lines& lines, const Type& to) {
  std::vector<double> out;
  for (const Value& cell : cells(kText, texts(lines), try_cast(kText, to))) {
    out.push_back(cell.is_null() ? 12345678.0 : cell.as_double());
  }
  return out;
}

TEST(FloatText, IsShortestUnlessDuckDbsSearchGivesUp) {
  EXPECT_EQ(float_texts({0.1F, 1.0F, -2.5F, 16777216.0F, 3.4028235e38F, 1.17549435e-38F, 1e-45F, 0.0001F, 0.00001F}),
            (Lines{"0.1", "1.0", "-2.5", "16777216.0", "3.4028235e+38", "1.1754944e-38", "1e-45", "0.0001", "1e-05"}));
  // Here DuckDB's Grisu3 gives up, and then it writes the number as a DOUBLE.
  EXPECT_EQ(float_texts({4009361.75F, 0.000244140625F, 235453008.0F}),
            (Lines{"4009361.75", "0.000244140625", "235453008.0"}));
}

TEST(FloatText, SpecialValuesKeepTheirSign) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(float_texts({nan, std::bit_cast<float>(0xffc00000U), INFINITY, -INFINITY, 0.0F, -0.0F}),
            (Lines{"nan", "-nan", "inf", "-inf", "0.0", "-0.0"}));
  EXPECT_EQ(float_texts({1e15F, 1.00000003e16F, 123456.789F}), (Lines{"1000000000000000.0", "1e+16", "123456.79"}));
}

TEST(ParseDouble, IsTheNearestOfAnyText) {
  EXPECT_EQ(
      parsed_doubles({"86407522692809194599E-39", "78045e-237", "16.34e-33", "5277711776662545.78921398820915539",
                      "1e23", "2.2250738585072011e-308", "4.9e-324", "2.4703282292062327e-324",
                      "2.4703282292062328e-324", "1.7976931348623158e308", "1.7976931348623159e308", "-0", "1_000.5"},
                     kDouble),
      (std::vector<double>{86407522692809194599e-39, 78045e-237, 16.34e-33, 5277711776662545.78921398820915539, 1e23,
                           2.2250738585072011e-308, 4.9e-324, 0.0, 5e-324, 1.7976931348623157e308, INFINITY, -0.0,
                           1000.5}));
}

TEST(ParseDouble, TiesGoToTheEvenNeighbour) {
  // 2^53 + 1 lies in the middle; a digit far behind the point decides.
  const std::string zeros(60, '0');
  EXPECT_EQ(
      parsed_doubles({"9007199254740993", "9007199254740993." + zeros + "1", "9007199254740992.9" + zeros,
                      "9007199254740995", "9007199254740993" + zeros + "e-60", "9007199254740993" + zeros + "1e-61"},
                     kDouble),
      (std::vector<double>{9007199254740992, 9007199254740994, 9007199254740992, 9007199254740996, 9007199254740992,
                           9007199254740994}));
}

TEST(ParseFloat, IsRoundedOnce) {
  // 1 + 2^-24 is the middle of two FLOATs; a DOUBLE in between would lose what lies beyond.
  EXPECT_EQ(
      parsed_doubles({"1.000000059604644775390625", "1.00000005960464477539062500000000001",
                      "1.00000005960464477539062499999999999", "340282356779733661637539395458142568447",
                      "340282356779733661637539395458142568448", "7.0064923216240853e-46", "7.0064923216240854e-46"},
                     kFloat),
      (std::vector<double>{1.0, 1.00000011920928955078125, 1.0, 3.4028234663852886e38, INFINITY, 0.0,
                           1.401298464324817e-45}));
}

TEST(ParseFloat, WhatIsNoNumber) {
  const Lines bad{"", "1.2.3", "1e", "_1", "1_", "1.12345678_9", "infinit", "nan1", "--1"};
  for (const double value : parsed_doubles(bad, kDouble)) EXPECT_EQ(value, 12345678.0);
  EXPECT_TRUE(std::signbit(parsed_doubles({"-nan"}, kDouble).at(0)));
  EXPECT_EQ(parsed_doubles({" -Infinity ", "1.1234567_89"}, kDouble), (std::vector<double>{-INFINITY, 1.123456789}));
}

TEST(ParseTimestamp, EveryUnitRoundsOrRefuses) {
  const Lines lines{"2020-02-29 10:11:12.123456789",
                    "1969-12-31 23:59:59.9995",
                    "1969-12-31 23:59:59.5",
                    "infinity",
                    "-inf",
                    "2262-04-11 23:47:16.854775806",
                    "2262-04-12",
                    "294247-01-10 04:00:54.775806"};
  EXPECT_EQ(parsed(lines, kSeconds), (Lines{"1582971072", "0", "-1", "9223372036854775807", "-9223372036854775807",
                                            "9223372037", "9223372800", "NULL"}));
  EXPECT_EQ(parsed(lines, kMillis), (Lines{"1582971072123", "-1", "-500", "9223372036854775807", "-9223372036854775807",
                                           "9223372036855", "9223372800000", "NULL"}));
  EXPECT_EQ(parsed(lines, kNanos), (Lines{"1582971072123456789", "-500000", "-500000000", "9223372036854775807",
                                          "-9223372036854775807", "9223372036854775806", "NULL", "NULL"}));
}

TEST(ParseTimestamp, TimesAndZonesAsDuckDbReadsThem) {
  const Lines good{"2020-01-05 10:11:",
                   "2020-01-05 10:",
                   "2020-01-05 24:00:00",
                   "2020-01-05T10:11:12.5+05:30",
                   "2020-01-05 10:11:12 Europe/Berlin",
                   "2020-01-05 10:11:12 +0:05",
                   "2020-01-05 10:11:12Z  ",
                   "2020-01-05 10:11:12+0530"};
  EXPECT_EQ(parsed(good, kSeconds), (Lines{"1578219060", "1578218400", "1578268800", "1578219073", "1578219072",
                                           "1578219072", "1578219072", "1578219072"}));
  const Lines bad{"2020-01-05 24:00:00.000001",
                  "inf ",
                  "2020-01-05 10:11:12+053015",
                  "2020-01-05 10:11:12+5",
                  "2020-01-05 10:60",
                  "2020-01-05 10.5",
                  "2020-02-30",
                  ""};
  for (const Type& type : {kSeconds, kMillis, kMicros, kNanos}) {
    EXPECT_EQ(parsed(bad, type), Lines(bad.size(), "NULL")) << type.to_string();
  }
}

TEST(TimestampUnits, RoundingThatLeavesTheRangeFails) {
  const std::vector<Value> last{Value::integer(kMicros, INT64_MAX - 1), Value::integer(kMicros, 1500000)};
  for (const Type& type : {kSeconds, kMillis}) {
    const auto result = cells(kMicros, last, try_cast(kMicros, type));
    EXPECT_TRUE(result[0].is_null()) << type.to_string();
    EXPECT_FALSE(result[1].is_null()) << type.to_string();
  }
  // DuckDB goes through microseconds, which these seconds do not fit.
  const std::vector<Value> far{Value::integer(kSeconds, INT64_MAX / 1000), Value::integer(kSeconds, -86401)};
  const auto days = cells(kSeconds, far, try_cast(kSeconds, kDate));
  EXPECT_TRUE(days[0].is_null());
  EXPECT_EQ(days[1].as_int(), -2);
}

TEST(TextCastTest, MomentsAreWrittenInUtc) {
  const Type zoned = Type::of(TypeId::TimestampTz);
  const Type zoned_ns = Type::of(TypeId::TimestampTzNs);
  const auto written = [](const Type& type, const std::vector<int64_t>& ticks) {
    std::vector<Value> values;
    for (const int64_t tick : ticks) values.push_back(Value::integer(type, tick));
    Lines lines;
    for (const Value& cell : cells(type, values, plan::cast(column(type), kText, false)))
      lines.push_back(cell.as_text());
    return lines;
  };
  EXPECT_EQ(written(zoned, {0, -1, 1592217296789012, -63517788000000000, INT64_MAX, -INT64_MAX, INT64_MAX - 1}),
            (Lines{"1970-01-01 00:00:00+00", "1969-12-31 23:59:59.999999+00", "2020-06-15 10:34:56.789012+00",
                   "0044-03-15 (BC) 10:00:00+00", "infinity", "-infinity", "294247-01-10 04:00:54.775806+00"}));
  EXPECT_EQ(written(zoned_ns, {0, 123, -INT64_MAX}),
            (Lines{"1970-01-01 00:00:00+00", "1970-01-01 00:00:00.000000123+00", "-infinity"}));
}

TEST(TextCastTest, TimesOfDay) {
  const Type time = Type::of(TypeId::Time);
  std::vector<Value> values;
  for (const int64_t micros : {0ll, 1ll, 45296500000ll, 86399999999ll, 86400000000ll}) {
    values.push_back(Value::integer(time, micros));
  }
  Lines lines;
  for (const Value& cell : cells(time, values, plan::cast(column(time), kText, false))) lines.push_back(cell.as_text());
  EXPECT_EQ(lines, (Lines{"00:00:00", "00:00:00.000001", "12:34:56.5", "23:59:59.999999", "24:00:00"}));
  const Type nanos = Type::of(TypeId::TimeNs);
  EXPECT_EQ(cells(time, values, plan::cast(column(time), nanos, false))[1], Value::integer(nanos, 1000));
  const std::vector<Value> moments{Value::integer(kMicros, -1), Value::integer(kMicros, 86400000001),
                                   Value::integer(kMicros, INT64_MAX)};
  const auto times = cells(kMicros, moments, try_cast(kMicros, time));
  EXPECT_EQ(times[0], Value::integer(time, 86399999999));
  EXPECT_EQ(times[1], Value::integer(time, 1));
  EXPECT_TRUE(times[2].is_null());
}

TEST(TextCastTest, UuidsAndLabels) {
  const Type uuid = Type::of(TypeId::Uuid);
  const plan::Int128 lowest = static_cast<plan::Int128>(static_cast<unsigned __int128>(1) << 127);
  const std::vector<Value> uuids{Value::integer(uuid, 0), Value::integer(uuid, -1), Value::integer(uuid, lowest),
                                 Value::integer(uuid, lowest + 0x1234abcd)};
  Lines lines;
  for (const Value& cell : cells(uuid, uuids, plan::cast(column(uuid), kText, false))) lines.push_back(cell.as_text());
  EXPECT_EQ(lines, (Lines{"80000000-0000-0000-0000-000000000000", "7fffffff-ffff-ffff-ffff-ffffffffffff",
                          "00000000-0000-0000-0000-000000000000", "00000000-0000-0000-0000-00001234abcd"}));
  const Type labels = Type::enumeration("ENUM('b', '', 'it''s a long label')", 3);
  const std::vector<Value> positions{Value::integer(labels, 2), Value::null(labels), Value::integer(labels, 1),
                                     Value::integer(labels, 0)};
  const auto texts = cells(labels, positions, plan::cast(column(labels), kText, false));
  EXPECT_EQ(texts[0], Value::text("it's a long label"));
  EXPECT_TRUE(texts[1].is_null());
  EXPECT_EQ(texts[2], Value::text(""));
  EXPECT_EQ(texts[3], Value::text("b"));
}

TEST(TextCastTest, StoredUuidsAreBigEndian) {
  const Type blob = Type::of(TypeId::Blob);
  const Type uuid = Type::of(TypeId::Uuid);
  std::string bytes = "0123456789abcdef";
  const auto read = cells(
      blob,
      {Value{blob, std::string(16, '\0')}, Value{blob, std::string(16, '\xff')}, Value{blob, bytes}, Value::null(blob)},
      plan::call("__uuid", uuid, {column(blob)}));
  EXPECT_EQ(read[0].to_sql(), "CAST('00000000-0000-0000-0000-000000000000' AS UUID)");
  EXPECT_EQ(read[1].to_sql(), "CAST('ffffffff-ffff-ffff-ffff-ffffffffffff' AS UUID)");
  EXPECT_EQ(read[2].to_sql(), "CAST('30313233-3435-3637-3839-616263646566' AS UUID)");
  EXPECT_TRUE(read[3].is_null());
}

TEST(TextCastTest, InUtcAMomentIsItsLocalTime) {
  const Type zoned = Type::of(TypeId::TimestampTz);
  const std::vector<Value> moments{Value::integer(zoned, -1), Value::integer(zoned, INT64_MAX),
                                   Value::integer(zoned, 1500), Value::null(zoned)};
  const auto local = cells(zoned, moments, plan::cast(column(zoned), kMicros, false));
  EXPECT_EQ(local[0], Value::integer(kMicros, -1));
  EXPECT_EQ(local[1], Value::integer(kMicros, INT64_MAX));
  EXPECT_TRUE(local[3].is_null());
  EXPECT_EQ(cells(zoned, moments, plan::cast(column(zoned), kDate, false))[0], Value::integer(kDate, -1));
  const auto back =
      cells(kMillis, {Value::integer(kMillis, -2), Value::integer(kMillis, INT64_MAX / 2)}, try_cast(kMillis, zoned));
  EXPECT_EQ(back[0], Value::integer(zoned, -2000));
  EXPECT_TRUE(back[1].is_null());
}

}  // namespace
}  // namespace weft::gpu::test
