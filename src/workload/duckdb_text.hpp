// Texts of values exactly as DuckDB's CAST(x AS VARCHAR) writes them, and texts in statements.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weft::workload {

/// Shortest digits that read back as the same number, always with a point or an exponent: "1.0", "1e+16", "-inf",
/// "nan".
std::string double_text(double number);
std::string float_text(float number);

/// Days since 1970-01-01, proleptic Gregorian: "2024-02-29", "0044-03-15 (BC)"; INT32_MAX and -INT32_MAX are "infinity"
/// and "-infinity".
std::string date_text(int32_t days);
/// Since midnight, in units 's', 'm', 'u' or 'n' of Arrow: "12:34:56.5".
std::string time_text(int64_t in_units, char unit);
/// Since 1970-01-01, in such units; INT64_MAX and -INT64_MAX are infinite.
std::string timestamp_text(int64_t in_units, char unit);
/// TIMESTAMP WITH TIME ZONE, shown in an IANA time zone: "2024-06-01 12:00:00+02". UTC if the zone is not known here.
std::string timestamp_tz_text(int64_t in_units, char unit, const std::string& zone);
/// "1 year 2 months 3 days 04:05:06.7".
std::string interval_text(int32_t months, int32_t days, int64_t micros);

/// Printable ASCII as it is, other bytes as \xAB.
std::string blob_text(std::string_view bytes);
/// A member's text inside of [..], {..} and the like: in quotes if it would be misread without.
std::string member_text(std::string_view text);
/// The name of a struct's member: always in quotes.
std::string member_name_text(std::string_view name);

/// A string literal of SQL: 'it''s'.
std::string sql_text(std::string_view text);

}  // namespace weft::workload
