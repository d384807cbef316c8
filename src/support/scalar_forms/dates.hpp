// Forms of the functions of dates, timestamps and intervals.
#pragma once

#include "support/scalar_forms/arguments.hpp"

namespace weft::support::forms {

// clang-format off
constexpr std::array kDates{
    // Dates and times. DuckDB writes date_part('year', x) as year(x).
    limited("date_part", {kText, kDate}, ResultRule::BigInt, Limit::DatePart),
    limited("date_part", {kText, kTimestamp}, ResultRule::BigInt, Limit::DatePart),
    limited("date_part", {kText, kTimestampNs}, ResultRule::BigInt, Limit::DatePart),
    limited("date_trunc", {kText, kDate}, ResultRule::Timestamp, Limit::DateTrunc),
    limited("date_trunc", {kText, kTimestamp}, ResultRule::Timestamp, Limit::DateTrunc),
    ScalarForm{"isfinite", {kDate}, ResultRule::Boolean},
    ScalarForm{"isfinite", {kTimestamp}, ResultRule::Boolean},
    ScalarForm{"isinf", {kDate}, ResultRule::Boolean},
    ScalarForm{"isinf", {kTimestamp}, ResultRule::Boolean},
    limited("date_diff", {kText, kDate, kDate}, ResultRule::BigInt, Limit::DateTrunc),
    limited("date_diff", {kText, kTimestamp, kTimestamp}, ResultRule::BigInt, Limit::DateTrunc),
    ScalarForm{"last_day", {kDate}, ResultRule::Date},
    ScalarForm{"last_day", {kTimestamp}, ResultRule::Date},
    ScalarForm{"dayname", {kDate}, ResultRule::Varchar},
    ScalarForm{"dayname", {kTimestamp}, ResultRule::Varchar},
    ScalarForm{"monthname", {kDate}, ResultRule::Varchar},
    ScalarForm{"monthname", {kTimestamp}, ResultRule::Varchar},
    ScalarForm{"epoch", {kDate}, ResultRule::Double},
    ScalarForm{"epoch", {kTimestamp}, ResultRule::Double},
    ScalarForm{"epoch", {kTimestampNs}, ResultRule::Double},

    limited("date_sub", {kText, kDate, kDate}, ResultRule::BigInt, Limit::DateTrunc),
    limited("date_sub", {kText, kTimestamp, kTimestamp}, ResultRule::BigInt, Limit::DateTrunc),
    limited("time_bucket", {kSpan, kDate}, ResultRule::Date, Limit::Bucket),
    limited("time_bucket", {kSpan, kDate, kDate}, ResultRule::Date, Limit::Bucket),
    limited("time_bucket", {kSpan, kTimestamp}, ResultRule::Timestamp, Limit::Bucket),
    limited("time_bucket", {kSpan, kTimestamp, kTimestamp}, ResultRule::Timestamp, Limit::Bucket),
    limited("strftime", {kDate, kText}, ResultRule::Varchar, Limit::Format),
    limited("strftime", {kTimestamp, kText}, ResultRule::Varchar, Limit::Format),
    limited("strftime", {kTimestampNs, kText}, ResultRule::Varchar, Limit::Format),
    limited("strftime", {kText, kDate}, ResultRule::Varchar, Limit::Format),
    limited("strftime", {kText, kTimestamp}, ResultRule::Varchar, Limit::Format),
    limited("strftime", {kText, kTimestampNs}, ResultRule::Varchar, Limit::Format),
    limited("strptime", {kVarchar, kText}, ResultRule::Timestamp, Limit::Parsed),
    limited("try_strptime", {kVarchar, kText}, ResultRule::Timestamp, Limit::Parsed),
    ScalarForm{"make_date", {kInt32}, ResultRule::Date},
    ScalarForm{"make_date", {kBigInt, kBigInt, kBigInt}, ResultRule::Date},
    ScalarForm{"make_timestamp", {kBigInt}, ResultRule::Timestamp},
    ScalarForm{"make_timestamp", {kBigInt, kBigInt, kBigInt, kBigInt, kBigInt, kDouble}, ResultRule::Timestamp},
    ScalarForm{"make_timestamp_ms", {kBigInt}, ResultRule::Timestamp},
    ScalarForm{"make_timestamp_ns", {kBigInt}, ResultRule::TimestampNs},
    ScalarForm{"epoch_ms", {kDate}, ResultRule::BigInt},
    ScalarForm{"epoch_ms", {kTimestamp}, ResultRule::BigInt},
    ScalarForm{"epoch_ms", {kBigInt}, ResultRule::Timestamp},
    ScalarForm{"epoch_us", {kDate}, ResultRule::BigInt},
    ScalarForm{"epoch_us", {kTimestamp}, ResultRule::BigInt},
    ScalarForm{"epoch_us", {kTimestampNs}, ResultRule::BigInt},
    ScalarForm{"epoch_ns", {kDate}, ResultRule::BigInt},
    ScalarForm{"epoch_ns", {kTimestamp}, ResultRule::BigInt},
    ScalarForm{"epoch_ns", {kTimestampNs}, ResultRule::BigInt},
    ScalarForm{"nanosecond", {kDate}, ResultRule::BigInt},
    ScalarForm{"nanosecond", {kTimestamp}, ResultRule::BigInt},
    ScalarForm{"nanosecond", {kTimestampNs}, ResultRule::BigInt},
    ScalarForm{"julian", {kDate}, ResultRule::Double},
    ScalarForm{"julian", {kTimestamp}, ResultRule::Double},

    // Of the time of day.
    limited("date_part", {kText, kTime}, ResultRule::BigInt, Limit::TimePart),
    ScalarForm{"epoch", {kTime}, ResultRule::Double},

    // Of moments, whatever the time zone. What depends on it: sql/translate/time_zone.hpp.
    ScalarForm{"isfinite", {kTimestampTz}, ResultRule::Boolean},
    ScalarForm{"isinf", {kTimestampTz}, ResultRule::Boolean},
    ScalarForm{"epoch", {kTimestampTz}, ResultRule::Double},
    ScalarForm{"epoch_ms", {kTimestampTz}, ResultRule::BigInt},
    ScalarForm{"epoch_us", {kTimestampTz}, ResultRule::BigInt},
    ScalarForm{"epoch_ns", {kTimestampTz}, ResultRule::BigInt},

    // Intervals, which are operands and never columns. Their fields: support/function_table.cpp.
    ScalarForm{"age", {kTimestamp, kTimestamp}, ResultRule::Interval},
    ScalarForm{"normalized_interval", {kInterval}, ResultRule::Interval},
    ScalarForm{"epoch", {kInterval}, ResultRule::Double},
    ScalarForm{"to_millennia", {kInt32}, ResultRule::Interval},
    ScalarForm{"to_millennia", {kBigInt}, ResultRule::Interval},
    ScalarForm{"to_centuries", {kInt32}, ResultRule::Interval},
    ScalarForm{"to_centuries", {kBigInt}, ResultRule::Interval},
    ScalarForm{"to_decades", {kInt32}, ResultRule::Interval},
    ScalarForm{"to_decades", {kBigInt}, ResultRule::Interval},
    ScalarForm{"to_years", {kInt32}, ResultRule::Interval},
    ScalarForm{"to_years", {kBigInt}, ResultRule::Interval},
    ScalarForm{"to_quarters", {kInt32}, ResultRule::Interval},
    ScalarForm{"to_quarters", {kBigInt}, ResultRule::Interval},
    ScalarForm{"to_months", {kInt32}, ResultRule::Interval},
    ScalarForm{"to_months", {kBigInt}, ResultRule::Interval},
    ScalarForm{"to_weeks", {kInt32}, ResultRule::Interval},
    ScalarForm{"to_weeks", {kBigInt}, ResultRule::Interval},
    ScalarForm{"to_days", {kInt32}, ResultRule::Interval},
    ScalarForm{"to_days", {kBigInt}, ResultRule::Interval},
    ScalarForm{"to_hours", {kBigInt}, ResultRule::Interval},
    ScalarForm{"to_minutes", {kBigInt}, ResultRule::Interval},
    ScalarForm{"to_microseconds", {kBigInt}, ResultRule::Interval},
    ScalarForm{"to_seconds", {kDouble}, ResultRule::Interval},
    ScalarForm{"to_milliseconds", {kDouble}, ResultRule::Interval},
};
// clang-format on

}  // namespace weft::support::forms
