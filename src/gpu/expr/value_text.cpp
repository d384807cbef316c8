#include "gpu/expr/value_text.hpp"

#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace weft::gpu {
namespace {

using plan::Type;
using plan::TypeId;
using plan::Value;

// DuckDB prints no 0 before the point of a DECIMAL(n, n).
std::string decimal_text(plan::Int128 unscaled, unsigned width, unsigned scale) {
  std::string digits = plan::to_string(unscaled);
  if (scale == 0) return digits;
  const bool negative = digits[0] == '-';
  if (negative) digits.erase(0, 1);
  const unsigned least = scale + (width > scale ? 1 : 0);
  if (digits.size() < least) digits.insert(0, least - digits.size(), '0');
  digits.insert(digits.size() - scale, 1, '.');
  return negative ? "-" + digits : digits;
}

int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

// Howard Hinnant, "chrono-compatible low-level date algorithms".
std::string date_text(int64_t days, const std::string& time = "") {
  const int64_t shifted = days + 719468;
  const int64_t era = floor_div(shifted, 146097);
  const int64_t day_of_era = shifted - era * 146097;
  const int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t month_index = (5 * day_of_year + 2) / 153;
  const int64_t day = day_of_year - (153 * month_index + 2) / 5 + 1;
  const int64_t month = month_index < 10 ? month_index + 3 : month_index - 9;
  const int64_t year = year_of_era + era * 400 + (month <= 2 ? 1 : 0);
  const bool before_christ = year <= 0;
  return fmt::format("{:04}-{:02}-{:02}{}{}", before_christ ? 1 - year : year, month, day, before_christ ? " (BC)" : "",
                     time);
}

int64_t ticks_per_second(int digits) {
  int64_t per_second = 1;
  for (int i = 0; i < digits; ++i) per_second *= 10;
  return per_second;
}

// Of ticks since midnight, with so many digits of a second.
std::string time_text(int64_t ticks, int digits) {
  const int64_t per_second = ticks_per_second(digits);
  const int64_t seconds = ticks / per_second;
  std::string time = fmt::format("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
  int64_t fraction = ticks % per_second;
  if (fraction != 0) {
    int shown = digits;
    for (; fraction % 10 == 0; fraction /= 10) --shown;
    time += fmt::format(".{:0{}}", fraction, shown);
  }
  return time;
}

std::string timestamp_text(int64_t ticks, TypeId id) {
  const int digits = id == TypeId::TimestampS ? 0 : id == TypeId::TimestampMs ? 3 : id == TypeId::TimestampNs ? 9 : 6;
  const int64_t per_day = ticks_per_second(digits) * 86400;
  const int64_t days = floor_div(ticks, per_day);
  return date_text(days, " " + time_text(ticks - days * per_day, digits));
}

std::string uuid_text(plan::Int128 value) {
  const auto bits = static_cast<unsigned __int128>(value) ^ (static_cast<unsigned __int128>(1) << 127);
  const std::string digits =
      fmt::format("{:016x}{:016x}", static_cast<uint64_t>(bits >> 64), static_cast<uint64_t>(bits));
  return digits.substr(0, 8) + "-" + digits.substr(8, 4) + "-" + digits.substr(12, 4) + "-" + digits.substr(16, 4) +
         "-" + digits.substr(20);
}

// Every byte as \xAB, which DuckDB reads back.
std::string blob_text(const std::string& bytes) {
  std::string text;
  for (const char c : bytes) text += fmt::format("\\x{:02X}", static_cast<unsigned char>(c));
  return text;
}

}  // namespace

std::optional<std::string> value_text(const Value& value) {
  if (value.is_null()) return std::nullopt;
  const Type& type = value.type;
  if (type.id == TypeId::Uuid) return uuid_text(value.as_int());
  if (type.id == TypeId::Enum) return type.labels().at(static_cast<size_t>(value.as_int()));
  if (type.id == TypeId::Blob) return blob_text(value.as_text());
  if (type.is_bytes()) return value.as_text();
  if (type.id == TypeId::Boolean) return value.as_int() != 0 ? "true" : "false";
  if (type.is_decimal()) return decimal_text(value.as_int(), type.width, type.scale);
  if (type.is_floating()) {
    const double x = value.as_double();
    if (std::isnan(x)) return "nan";
    if (std::isinf(x)) return x < 0 ? "-inf" : "inf";
    return fmt::format("{:.17g}", x);
  }
  if (type.id == TypeId::Time || type.id == TypeId::TimeNs) {
    return time_text(static_cast<int64_t>(value.as_int()), type.id == TypeId::Time ? 6 : 9);
  }
  const TypeId unit = type.carrier().id;
  if (unit != TypeId::Date && !Type::of(unit).is_timestamp()) return plan::to_string(value.as_int());
  const auto ticks = static_cast<int64_t>(value.as_int());
  const int64_t infinite =
      unit == TypeId::Date ? std::numeric_limits<int32_t>::max() : std::numeric_limits<int64_t>::max();
  if (ticks == infinite) return "infinity";
  if (ticks == -infinite) return "-infinity";
  return unit == TypeId::Date ? date_text(ticks) : timestamp_text(ticks, unit) + (type.is_zoned() ? "+00" : "");
}

}  // namespace weft::gpu
