#include "plan/type.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>

namespace weft::plan {
namespace {

struct TypeInfo {
  TypeId id;
  const char* name;
  TypeId carrier;
};

// Of every type but DECIMAL, ENUM and Unsupported.
constexpr std::array kTypes{
    TypeInfo{TypeId::Boolean, "BOOLEAN", TypeId::Boolean},
    TypeInfo{TypeId::TinyInt, "TINYINT", TypeId::TinyInt},
    TypeInfo{TypeId::SmallInt, "SMALLINT", TypeId::SmallInt},
    TypeInfo{TypeId::Integer, "INTEGER", TypeId::Integer},
    TypeInfo{TypeId::BigInt, "BIGINT", TypeId::BigInt},
    TypeInfo{TypeId::HugeInt, "HUGEINT", TypeId::HugeInt},
    TypeInfo{TypeId::UTinyInt, "UTINYINT", TypeId::UTinyInt},
    TypeInfo{TypeId::USmallInt, "USMALLINT", TypeId::USmallInt},
    TypeInfo{TypeId::UInteger, "UINTEGER", TypeId::UInteger},
    TypeInfo{TypeId::UBigInt, "UBIGINT", TypeId::UBigInt},
    TypeInfo{TypeId::Float, "FLOAT", TypeId::Float},
    TypeInfo{TypeId::Double, "DOUBLE", TypeId::Double},
    TypeInfo{TypeId::Varchar, "VARCHAR", TypeId::Varchar},
    TypeInfo{TypeId::Date, "DATE", TypeId::Date},
    TypeInfo{TypeId::TimestampS, "TIMESTAMP_S", TypeId::TimestampS},
    TypeInfo{TypeId::TimestampMs, "TIMESTAMP_MS", TypeId::TimestampMs},
    TypeInfo{TypeId::Timestamp, "TIMESTAMP", TypeId::Timestamp},
    TypeInfo{TypeId::TimestampNs, "TIMESTAMP_NS", TypeId::TimestampNs},
    TypeInfo{TypeId::TimestampTz, "TIMESTAMP WITH TIME ZONE", TypeId::Timestamp},
    TypeInfo{TypeId::TimestampTzNs, "TIMESTAMPTZ_NS", TypeId::TimestampNs},
    TypeInfo{TypeId::Time, "TIME", TypeId::BigInt},
    TypeInfo{TypeId::TimeNs, "TIME_NS", TypeId::BigInt},
    TypeInfo{TypeId::Blob, "BLOB", TypeId::Varchar},
    TypeInfo{TypeId::Uuid, "UUID", TypeId::HugeInt},
    TypeInfo{TypeId::Interval, "INTERVAL", TypeId::Interval},
    TypeInfo{TypeId::Null, "\"NULL\"", TypeId::Null},
};

const TypeInfo* info_of(TypeId id) {
  const auto* const found =
      std::find_if(kTypes.begin(), kTypes.end(), [id](const TypeInfo& info) { return info.id == id; });
  return found == kTypes.end() ? nullptr : found;
}

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
    case TypeId::TimeNs:
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

// Of ticks since midnight.
std::string time_text(int64_t ticks, const TimestampUnit& unit) {
  const int64_t seconds = ticks / unit.per_second;
  std::array<char, 32> buffer;
  std::snprintf(buffer.data(), buffer.size(), "%02d:%02d:%02d", static_cast<int>(seconds / 3600),
                static_cast<int>(seconds / 60 % 60), static_cast<int>(seconds % 60));
  std::string text = buffer.data();
  if (unit.fraction_digits > 0) {
    std::snprintf(buffer.data(), buffer.size(), ".%0*lld", unit.fraction_digits,
                  static_cast<long long>(ticks % unit.per_second));
    text += buffer.data();
  }
  return text;
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
  return date_text(days) + " " + time_text(rest, unit);
}

// Every byte as \xAB.
std::string blob_text(const std::string& bytes) {
  constexpr const char* kDigits = "0123456789ABCDEF";
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return text;
}

std::string uuid_text(Int128 value) {
  constexpr const char* kDigits = "0123456789abcdef";
  const auto bits = static_cast<unsigned __int128>(value) ^ (static_cast<unsigned __int128>(1) << 127);
  std::string text;
  for (int digit = 31; digit >= 0; --digit) {
    text += kDigits[static_cast<unsigned>(bits >> (4 * digit)) & 15];
    if (digit == 24 || digit == 20 || digit == 16 || digit == 12) text += '-';
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

// The text between the quotes of a literal; none for values that have no such text.
std::optional<std::string> literal_text(const Value& value) {
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
      if (days < kFirstPlainDay || days > kLastPlainDay) return std::nullopt;
      return date_text(days);
    }
    case TypeId::Time:
    case TypeId::TimeNs:
      return time_text(static_cast<int64_t>(value.as_int()), unit_of(type.id));
    case TypeId::Varchar:
      return value.as_text();
    case TypeId::Blob:
      return blob_text(value.as_text());
    case TypeId::Uuid:
      return uuid_text(value.as_int());
    case TypeId::Enum:
      return type.labels().at(static_cast<size_t>(value.as_int()));
    default:
      break;
  }
  const TypeId unit = type.carrier().id;
  if (!Type::of(unit).is_timestamp()) return std::nullopt;
  const auto ticks = static_cast<int64_t>(value.as_int());
  if (ticks == kInfiniteTicks) return "infinity";
  if (ticks == -kInfiniteTicks) return "-infinity";
  if (!plain_timestamp(ticks, unit)) return std::nullopt;
  return timestamp_text(ticks, unit) + (type.is_zoned() ? "+00" : "");
}

// Dates and timestamps outside the years 1 to 9999, by number. Of a time zone: the session's is UTC.
std::string by_number(const Value& value) {
  const std::string number = to_string(value.as_int());
  switch (value.type.carrier().id) {
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
  if (id == TypeId::Unsupported || id == TypeId::Enum) return text;
  if (id == TypeId::Decimal) return "DECIMAL(" + std::to_string(width) + "," + std::to_string(scale) + ")";
  const TypeInfo* info = info_of(id);
  return info == nullptr ? "UNKNOWN" : info->name;
}

Type Type::enumeration(std::string spelling, uint64_t labels) {
  const uint8_t bytes = labels <= UINT8_MAX ? 1 : labels <= UINT16_MAX ? 2 : 4;
  return Type{TypeId::Enum, bytes, 0, std::move(spelling)};
}

std::vector<std::string> Type::labels() const {
  std::vector<std::string> labels;
  bool inside = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\'') {
      if (inside) labels.back() += text[i];
      continue;
    }
    const bool doubled = inside && i + 1 < text.size() && text[i + 1] == '\'';
    if (doubled) {
      labels.back() += text[++i];
    } else {
      inside = !inside;
      if (inside) labels.emplace_back();
    }
  }
  return labels;
}

Type Type::carrier() const {
  if (id == TypeId::Enum) return of(width == 1 ? TypeId::UTinyInt : width == 2 ? TypeId::USmallInt : TypeId::UInteger);
  const TypeInfo* info = info_of(id);
  return info == nullptr || info->carrier == id ? *this : of(info->carrier);
}

std::string Value::to_sql() const {
  if (type.id == TypeId::Null) return "NULL";
  std::string sql = "CAST(";
  if (is_null()) {
    sql += "NULL";
  } else {
    const auto text = literal_text(*this);
    sql += text ? quoted(*text) : by_number(*this);
  }
  return sql + " AS " + type.to_string() + ")";
}

std::string Value::to_string() const {
  if (is_null()) return type.id == TypeId::Null ? "NULL" : "NULL::" + type.to_string();
  const auto text = literal_text(*this);
  if (!text) return by_number(*this);
  if (type.is_numeric() || type.id == TypeId::Boolean) return *text;
  return type.id == TypeId::Varchar ? quoted(*text) : type.to_string() + " " + quoted(*text);
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
