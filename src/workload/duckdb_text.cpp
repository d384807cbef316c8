#include "workload/duckdb_text.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "workload/time_zone.hpp"

namespace weft::workload {
namespace {

constexpr int64_t kDayS = 86400;
constexpr int kFirstPositional = -4;   // exponents of ten from here
constexpr int kFirstExponential = 16;  // to below here are written without an exponent

/// Rewrites "d.ddde[+-]xx" (to_chars) in DuckDB's form.
std::string shortest_text(std::string_view scientific) {
  std::string out;
  if (scientific.front() == '-') {
    out = "-";
    scientific.remove_prefix(1);
  }
  const size_t e = scientific.find('e');
  std::string digits(scientific.substr(0, 1));
  if (e > 2) digits += scientific.substr(2, e - 2);
  const int exponent = std::atoi(std::string(scientific.substr(e + 1)).c_str());
  const auto count = static_cast<int>(digits.size());
  if (exponent < kFirstPositional || exponent >= kFirstExponential) {
    out += digits.substr(0, 1);
    if (count > 1) out += "." + digits.substr(1);
    return out + fmt::format("e{}{:02}", exponent < 0 ? '-' : '+', std::abs(exponent));
  }
  if (exponent < 0) return out + "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + digits;
  if (count <= exponent + 1) return out + digits + std::string(static_cast<size_t>(exponent + 1 - count), '0') + ".0";
  return out + digits.substr(0, static_cast<size_t>(exponent) + 1) + "." +
         digits.substr(static_cast<size_t>(exponent) + 1);
}

template <typename Number>
std::string number_text(Number number) {
  if (std::isnan(number)) return std::signbit(number) ? "-nan" : "nan";
  if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, number, std::chars_format::scientific).ptr;
  return shortest_text(std::string_view(buffer, static_cast<size_t>(end - buffer)));
}

int fraction_digits(char unit) { return unit == 's' ? 0 : unit == 'm' ? 3 : unit == 'u' ? 6 : 9; }

int64_t units_per_second(char unit) {
  int64_t units = 1;
  for (int i = 0; i < fraction_digits(unit); ++i) units *= 10;
  return units;
}

int64_t floor_divide(int64_t value, int64_t by) { return value / by - (value % by < 0 ? 1 : 0); }

/// The calendar date of a day number (Howard Hinnant, chrono-Compatible Low-Level Date Algorithms).
std::string calendar_text(int64_t days, std::string& era_suffix) {
  days += 719468;
  const int64_t era = floor_divide(days, 146097);
  const int64_t day_of_era = days - era * 146097;
  const int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t shifted_month = (5 * day_of_year + 2) / 153;
  const int64_t day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
  const int64_t month = shifted_month < 10 ? shifted_month + 3 : shifted_month - 9;
  int64_t year = year_of_era + era * 400 + (month <= 2 ? 1 : 0);
  if (year <= 0) {
    year = 1 - year;
    era_suffix = " (BC)";
  }
  return fmt::format("{:04}-{:02}-{:02}", year, month, day);
}

std::string fraction_text(int64_t fraction, int digits) {
  if (fraction == 0) return {};
  std::string text = fmt::format(".{:0{}}", fraction, digits);
  while (text.back() == '0') text.pop_back();
  return text;
}

bool infinite(int64_t value, std::string& text) {
  if (value == std::numeric_limits<int64_t>::max()) text = "infinity";
  if (value == -std::numeric_limits<int64_t>::max()) text = "-infinity";
  return !text.empty();
}

std::string offset_text(int32_t offset_s) {
  const int32_t size = std::abs(offset_s);
  std::string text = fmt::format("{}{:02}", offset_s < 0 ? '-' : '+', size / 3600);
  if (size % 3600 != 0) text += fmt::format(":{:02}", size / 60 % 60);
  if (size % 60 != 0) text += fmt::format(":{:02}", size % 60);
  return text;
}

void append_part(std::string& out, int32_t value, std::string_view unit) {
  if (value == 0) return;
  out += fmt::format("{}{} {}{}", out.empty() ? "" : " ", value, unit, value == 1 || value == -1 ? "" : "s");
}

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

bool needs_quotes(std::string_view text) {
  if (text.empty() || is_space(text.front()) || is_space(text.back())) return true;
  if (text.size() == 4) {
    std::string lower(text);
    for (char& c : lower) c = static_cast<char>(c | 0x20);
    if (lower == "null") return true;
  }
  return text.find_first_of("\"'(),:=[\\]{}") != std::string_view::npos;
}

std::string quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

}  // namespace

std::string double_text(double number) { return number_text(number); }
std::string float_text(float number) { return number_text(number); }

std::string date_text(int32_t days) {
  if (days == std::numeric_limits<int32_t>::max()) return "infinity";
  if (days == -std::numeric_limits<int32_t>::max()) return "-infinity";
  std::string era;
  const std::string text = calendar_text(days, era);
  return text + era;
}

std::string time_text(int64_t in_units, char unit) {
  const int64_t per_second = units_per_second(unit);
  const int64_t seconds = in_units / per_second;
  return fmt::format("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60) +
         fraction_text(in_units % per_second, fraction_digits(unit));
}

std::string timestamp_text(int64_t in_units, char unit) {
  std::string text;
  if (infinite(in_units, text)) return text;
  const int64_t per_day = kDayS * units_per_second(unit);
  const int64_t days = floor_divide(in_units, per_day);
  std::string era;
  const std::string date = calendar_text(days, era);
  return date + era + " " + time_text(in_units - days * per_day, unit);
}

std::string timestamp_tz_text(int64_t in_units, char unit, const std::string& zone) {
  std::string text;
  if (infinite(in_units, text)) return text;
  const int64_t per_second = units_per_second(unit);
  const int32_t offset_s = zone_offset_s(zone, floor_divide(in_units, per_second));
  return timestamp_text(in_units + offset_s * per_second, unit) + offset_text(offset_s);
}

std::string interval_text(int32_t months, int32_t days, int64_t micros) {
  std::string out;
  append_part(out, months / 12, "year");
  append_part(out, months % 12, "month");
  append_part(out, days, "day");
  if (micros != 0 || out.empty()) {
    // The magnitude may be that of INT64_MIN.
    const uint64_t size = micros < 0 ? 0 - static_cast<uint64_t>(micros) : static_cast<uint64_t>(micros);
    const uint64_t seconds = size / 1000000;
    out += fmt::format("{}{}{:02}:{:02}:{:02}", out.empty() ? "" : " ", micros < 0 ? "-" : "", seconds / 3600,
                       seconds / 60 % 60, seconds % 60);
    out += fraction_text(static_cast<int64_t>(size % 1000000), 6);
  }
  return out;
}

std::string blob_text(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) {
    const bool plain = c >= 32 && c <= 126 && c != '\\' && c != '\'' && c != '"';
    if (plain) {
      out += c;
    } else {
      out += fmt::format("\\x{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

std::string member_text(std::string_view text) { return needs_quotes(text) ? quoted(text) : std::string(text); }
std::string member_name_text(std::string_view name) { return quoted(name); }

std::string sql_text(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("''") : std::string(1, c);
  return out + "'";
}

}  // namespace weft::workload
