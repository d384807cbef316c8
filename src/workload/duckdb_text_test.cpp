// tests/cli/run.py compares the same texts with DuckDB's own casts, for many more values.
#include "workload/duckdb_text.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "workload/time_zone.hpp"

namespace weft::workload {
namespace {

TEST(DuckDbText, Doubles) {
  EXPECT_EQ(double_text(1), "1.0");
  EXPECT_EQ(double_text(-0.0), "-0.0");
  EXPECT_EQ(double_text(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(double_text(1e15), "1000000000000000.0");
  EXPECT_EQ(double_text(1e16), "1e+16");
  EXPECT_EQ(double_text(1.25e-5), "1.25e-05");
  EXPECT_EQ(double_text(0.0001), "0.0001");
  EXPECT_EQ(double_text(-std::numeric_limits<double>::infinity()), "-inf");
  EXPECT_EQ(double_text(std::numeric_limits<double>::quiet_NaN()), "nan");
  EXPECT_EQ(float_text(0.1F), "0.1");
  EXPECT_EQ(float_text(16777216.0F), "16777216.0");
}

TEST(DuckDbText, DatesAndTimes) {
  EXPECT_EQ(date_text(0), "1970-01-01");
  EXPECT_EQ(date_text(-719528), "0001-01-01 (BC)");
  EXPECT_EQ(date_text(std::numeric_limits<int32_t>::max()), "infinity");
  EXPECT_EQ(date_text(-std::numeric_limits<int32_t>::max()), "-infinity");
  EXPECT_EQ(time_text(86399500000, 'u'), "23:59:59.5");
  EXPECT_EQ(timestamp_text(-1, 'u'), "1969-12-31 23:59:59.999999");
  EXPECT_EQ(timestamp_text(1, 'n'), "1970-01-01 00:00:00.000000001");
  EXPECT_EQ(timestamp_text(60, 's'), "1970-01-01 00:01:00");
  EXPECT_EQ(timestamp_tz_text(0, 'u', "Asia/Kolkata"), "1970-01-01 05:30:00+05:30");
  EXPECT_EQ(timestamp_tz_text(0, 'u', "no/such/zone"), "1970-01-01 00:00:00+00");
}

TEST(DuckDbText, Intervals) {
  EXPECT_EQ(interval_text(14, 3, 14706700000), "1 year 2 months 3 days 04:05:06.7");
  EXPECT_EQ(interval_text(0, 0, 0), "00:00:00");
  EXPECT_EQ(interval_text(0, -1, -1), "-1 day -00:00:00.000001");
  EXPECT_EQ(interval_text(0, 0, std::numeric_limits<int64_t>::min()), "-2562047788:00:54.775808");
}

TEST(DuckDbText, MembersAreQuotedWhereTheyWouldBeMisread) {
  EXPECT_EQ(member_text("plain text"), "plain text");
  EXPECT_EQ(member_text(""), "''");
  EXPECT_EQ(member_text("NULL"), "'NULL'");
  EXPECT_EQ(member_text(" x"), "' x'");
  EXPECT_EQ(member_text("it's"), "'it\\'s'");
  EXPECT_EQ(member_name_text("a"), "'a'");
  EXPECT_EQ(blob_text(std::string_view("\xAB\0a'", 4)), "\\xAB\\x00a\\x27");
}

TEST(TimeZone, FollowsTheDatabaseAndItsLastRule) {
  EXPECT_EQ(zone_offset_s("Europe/Berlin", 1717243200), 7200);   // 2024-06-01
  EXPECT_EQ(zone_offset_s("Europe/Berlin", 1733011200), 3600);   // 2024-12-01
  EXPECT_EQ(zone_offset_s("Europe/Berlin", 2540289600), 7200);   // 2050-07-01
  EXPECT_EQ(zone_offset_s("Europe/Berlin", 33309014400), 7200);  // 3025-07-10
  EXPECT_EQ(zone_offset_s("UTC", 2540289600), 0);
  EXPECT_EQ(zone_offset_s("../../etc/passwd", 0), 0);
}

}  // namespace
}  // namespace weft::workload
