#include "plan/type.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

namespace weft::plan {
namespace {

constexpr std::array<std::pair<TypeId, const char*>, 20> kNames{{
    {TypeId::Boolean, "BOOLEAN"},          {TypeId::TinyInt, "TINYINT"},     {TypeId::SmallInt, "SMALLINT"},
    {TypeId::Integer, "INTEGER"},          {TypeId::BigInt, "BIGINT"},       {TypeId::HugeInt, "HUGEINT"},
    {TypeId::UTinyInt, "UTINYINT"},        {TypeId::USmallInt, "USMALLINT"}, {TypeId::UInteger, "UINTEGER"},
    {TypeId::UBigInt, "UBIGINT"},          {TypeId::Float, "FLOAT"},         {TypeId::Double, "DOUBLE"},
    {TypeId::Varchar, "VARCHAR"},          {TypeId::Date, "DATE"},           {TypeId::TimestampS, "TIMESTAMP_S"},
    {TypeId::TimestampMs, "TIMESTAMP_MS"}, {TypeId::Timestamp, "TIMESTAMP"}, {TypeId::TimestampNs, "TIMESTAMP_NS"},
    {TypeId::Interval, "INTERVAL"},        {TypeId::Null, "\"NULL\""},
}};

constexpr int64_t kInfiniteDays = std::numeric_limits<int32_t>::max();
constexpr int64_t kInfiniteTicks = std::numeric_limits<int64_t>::max();
// Days of 0001-01-01 and 9999-12-31: the years that every form of date text has in common.
constexpr int64_t kFirstPlainDay = -719162;
constexpr int64_t kLastPlainDay = 2932896;

std::string decimal_text(Int128 unscaled, unsigned scale) {
  std::string digits = to_string(unscaled);
  if (scale == 0) return digits;
  const bool negative = digits[0] == '-';
  if (negative) digits.erase(0, 1);
  if (digits.size() <= scale) digits.insert(0, scale + 1 - digits.size(), '0');
  digits.insert(digits.size() - scale, 1, '.');
  return negative ? "-" + digits : digits;
}

template <typename T>
std::string floating_text(T value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  std::array<char, 64> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  std::string text(buffer.data(), end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

// Proleptic Gregorian date of a day number (Howard Hinnant, "chrono-compatible low-level date algorithms").
std::string date_text(int64_t days) {
  const int64_t shifted = days + 719468;
  const int64_t era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
  const int64_t day_of_era = shifted - era * 146097;
  const int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t month_index = (5 * day_of_year + 2) / 153;
  const int64_t day = day_of_year - (153 * month_index + 2) / 5 + 1;
  const int64_t month = month_index < 10 ? month_index + 3 : month_index - 9;
  const int64_t year = year_of_era + era * 400 + (month <= 2 ? 1 : 0);
  std::array<char, 64> buffer;
  std::snprintf(buffer.data(), buffer.size(), "%04lld-%02lld-%02lld", static_cast<long long>(year),
                static_cast<long long>(month), static_cast<long long>(day));
  return buffer.data();
}

struct TimestampUnit {
  int64_t per_second;
  int fraction_digits;
};

TimestampUnit unit_of(TypeId id) {
  switch (id) {
    case TypeId::TimestampS:
      return {1, 0};
    case TypeId::TimestampMs:
      return {1'000, 3};
    case TypeId::TimestampNs:
      return {1'000'000'000, 9};
    default:
      return {1'000'000, 6};
  }
}

bool plain_timestamp(int64_t ticks, TypeId id) {
  const int64_t per_second = unit_of(id).per_second;
  const Int128 value = ticks;
  return value >= Int128{kFirstPlainDay} * 86400 * per_second &&
         value < (Int128{kLastPlainDay} + 1) * 86400 * per_second;
}

std::string timestamp_text(int64_t ticks, TypeId id) {
  const TimestampUnit unit = unit_of(id);
  const int64_t per_day = unit.per_second * 86400;
  int64_t days = ticks / per_day;
  int64_t rest = ticks % per_day;
  if (rest < 0) {
    rest += per_day;
    --days;
  }
  const int64_t seconds = rest / unit.per_second;
  std::array<char, 32> buffer;
  std::snprintf(buffer.data(), buffer.size(), " %02d:%02d:%02d", static_cast<int>(seconds / 3600),
                static_cast<int>(seconds / 60 % 60), static_cast<int>(seconds % 60));
  std::string text = date_text(days) + buffer.data();
  if (unit.fraction_digits > 0) {
    std::snprintf(buffer.data(), buffer.size(), ".%0*lld", unit.fraction_digits,
                  static_cast<long long>(rest % unit.per_second));
    text += buffer.data();
  }
  return text;
}

std::string interval_text(const IntervalValue& value) {
  return std::to_string(value.months) + " months " + std::to_string(value.days) + " days " +
         std::to_string(value.micros) + " microseconds";
}

// A SQL expression of VARCHAR: a zero byte cannot stand in SQL text.
std::string quoted(const std::string& text) {
  std::string sql = "'";
  for (const char c : text) {
    if (c == '\'') {
      sql += "''";
    } else if (c == '\0') {
      sql += "' || chr(0) || '";
    } else {
      sql += c;
    }
  }
  return sql + "'";
}

// The text between the quotes of a literal; empty for values that have no such text.
std::string literal_text(const Value& value) {
  const Type& type = value.type;
  if (type.is_integer()) return to_string(value.as_int());
  switch (type.id) {
    case TypeId::Boolean:
      return value.as_int() != 0 ? "true" : "false";
    case TypeId::Decimal:
      return decimal_text(value.as_int(), type.scale);
    case TypeId::Float:
      return floating_text(static_cast<float>(value.as_double()));
    case TypeId::Double:
      return floating_text(value.as_double());
    case TypeId::Interval:
      return interval_text(std::get<IntervalValue>(value.data));
    case TypeId::Date: {
      const auto days = static_cast<int64_t>(value.as_int());
      if (days == kInfiniteDays) return "infinity";
      if (days == -kInfiniteDays) return "-infinity";
      return days >= kFirstPlainDay && days <= kLastPlainDay ? date_text(days) : "";
    }
    default:
      break;
  }
  if (!type.is_timestamp()) return "";
  const auto ticks = static_cast<int64_t>(value.as_int());
  if (ticks == kInfiniteTicks) return "infinity";
  if (ticks == -kInfiniteTicks) return "-infinity";
  return plain_timestamp(ticks, type.id) ? timestamp_text(ticks, type.id) : "";
}

// Dates and timestamps outside the years 1 to 9999, by number.
std::string by_number(const Value& value) {
  const std::string number = to_string(value.as_int());
  switch (value.type.id) {
    case TypeId::Date:
      return "CAST('1970-01-01' AS DATE) + CAST('" + number + "' AS INTEGER)";
    case TypeId::TimestampS:
      return "make_timestamp(CAST('" + number + "000000' AS BIGINT))";
    case TypeId::TimestampMs:
      return "make_timestamp(CAST('" + number + "000' AS BIGINT))";
    case TypeId::TimestampNs:
      return "make_timestamp_ns(CAST('" + number + "' AS BIGINT))";
    default:
      return "make_timestamp(CAST('" + number + "' AS BIGINT))";
  }
}

}  // namespace

bool Type::is_integer() const { return id >= TypeId::TinyInt && id <= TypeId::UBigInt; }
bool Type::is_unsigned() const { return id >= TypeId::UTinyInt && id <= TypeId::UBigInt; }
bool Type::is_timestamp() const { return id >= TypeId::TimestampS && id <= TypeId::TimestampNs; }

std::string Type::to_string() const {
  if (id == TypeId::Unsupported) return text;
  if (id == TypeId::Decimal) return "DECIMAL(" + std::to_string(width) + "," + std::to_string(scale) + ")";
  for (const auto& [type_id, name] : kNames) {
    if (type_id == id) return name;
  }
  return "UNKNOWN";
}

std::string Value::to_sql() const {
  if (type.id == TypeId::Null) return "NULL";
  std::string sql = "CAST(";
  if (is_null()) {
    sql += "NULL";
  } else if (type.id == TypeId::Varchar) {
    sql += quoted(as_text());
  } else {
    const std::string text = literal_text(*this);
    sql += text.empty() ? by_number(*this) : "'" + text + "'";
  }
  return sql + " AS " + type.to_string() + ")";
}

std::string Value::to_string() const {
  if (is_null()) return type.id == TypeId::Null ? "NULL" : "NULL::" + type.to_string();
  if (type.id == TypeId::Varchar) return quoted(as_text());
  const std::string text = literal_text(*this);
  if (text.empty()) return by_number(*this);
  const bool needs_type = type.id == TypeId::Date || type.id == TypeId::Interval || type.is_timestamp();
  return needs_type ? type.to_string() + " '" + text + "'" : text;
}

std::string to_string(Int128 value) {
  if (value == 0) return "0";
  const bool negative = value < 0;
  auto rest = static_cast<unsigned __int128>(value);
  if (negative) rest = ~rest + 1;
  std::string digits;
  for (; rest != 0; rest /= 10) digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(rest % 10)));
  return negative ? "-" + digits : digits;
}

}  // namespace weft::plan
