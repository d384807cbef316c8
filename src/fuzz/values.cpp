#include "fuzz/values.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "support/support.hpp"
#include "workload/duckdb_text.hpp"

namespace weft::fuzz {
namespace {

using plan::Type;
using plan::TypeId;

template <size_t N>
std::string pick(const std::array<const char*, N>& from, Random& random) {
  return from[random.below(N)];
}

constexpr std::array kWords = {
    "",      "a",      "b",   "ab", "abc",         "b",        "ba",           "aab",           "A",     "Ab",
    " ",     " a ",    "a b", "zz", "a%b",         "a_b",      "\\",           "it's",          "x\ty",  "0",
    "Äpfel", "straße", "ß",   "é",  "e\u0301",     "日本",     "日本語",       "🙂",          "🙂a", "ÅÄÖ",
    "ﬁ",     "İ",      "ı",   "Ω",  "line\nbreak", "a\u00a0b", "twelve bytes", "thirteen byte", "NULL",  "nan"};
constexpr const char* kLongText =
    "the quick brown fox jumps over the lazy dog, and then the dog, being quick too, jumps over the brown fox äöü 日本";
constexpr std::array kShort = {"a", "b", "ab", "", " ", "A", "ß", "日", "🙂", "x", "an", "0", "."};
constexpr std::array kNumbersAsText = {"0",   "1",     "-1",    "42",    "7.5",   "-0.0",  "1e3",    " 12 ",
                                       "+3",  "127",   "128",   "255",   "32768", "1_000", "0x1F",   "2147483648",
                                       "inf", "nan",   "1e400", ".5",    "5.",    "x",     "",       "-",
                                       "1 2", "99.95", "true",  "false", "T",     "yes",   "2.5e-3", "1e-400"};
constexpr std::array kTimesAsText = {"2020-02-29",
                                     "2021-02-29",
                                     " 2020-01-05 ",
                                     "1969-12-31 23:59:59.999999",
                                     "2020-1-5",
                                     "2020-01-05 10:00:00",
                                     "2020-01-05T24:00:00",
                                     "2020-01-05 10:00:00.1234567",
                                     "infinity",
                                     "-infinity",
                                     "0044-03-15 (BC)",
                                     "10:00:00",
                                     "9999-12-31",
                                     "2020-13-01",
                                     "epoch",
                                     "1582-10-15"};
constexpr std::array kEdgeDates = {"1970-01-01",    "1969-12-31", "0001-01-01", "9999-12-31",
                                   "2000-02-29",    "1900-02-28", "1582-10-15", "5877642-06-25 (BC)",
                                   "5881580-07-10", "infinity",   "-infinity",  "0044-03-15 (BC)",
                                   "2020-12-31",    "2021-01-03", "1677-09-22"};
constexpr std::array kEdgeTimestamps = {"1970-01-01 00:00:00",
                                        "1969-12-31 23:59:59.999999",
                                        "0001-01-01 00:00:00",
                                        "9999-12-31 23:59:59.999999",
                                        "2000-02-29 12:34:56.789012",
                                        "infinity",
                                        "-infinity",
                                        "294247-01-10 04:00:54",
                                        "1582-10-15 00:00:00",
                                        "290309-12-22 (BC) 00:00:00",
                                        "2020-12-31 23:59:59.5",
                                        "1969-12-31 23:59:59.5",
                                        "2262-04-11 23:47:16",
                                        "1677-09-22 00:00:00"};
constexpr std::array kEdgeNanoseconds = {"1970-01-01 00:00:00",
                                         "1969-12-31 23:59:59.999999999",
                                         "2262-04-11 23:47:16.854775806",
                                         "1677-09-22 00:00:00",
                                         "2000-02-29 12:34:56.789012345",
                                         "2020-06-30 23:59:59.999999500",
                                         "infinity",
                                         "-infinity"};
constexpr std::array kEdgeTimes = {"00:00:00", "24:00:00", "23:59:59.999999", "00:00:00.000001", "12:00:00"};
constexpr std::array kBlobs = {"",
                               "a",
                               "\\x00",
                               "\\x00\\x00",
                               "\\xFF",
                               "\\xFF\\xFE",
                               "\\x80",
                               "ab",
                               "\\xC3",
                               "abc",
                               "\\xF8\\xF9\\xFA\\xFB",
                               "\\xFF\\xFF\\xFF\\xFF\\xFF",
                               "twelve bytes",
                               "thirteen byte"};
constexpr std::array kUuids = {"00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff",
                               "80000000-0000-0000-0000-000000000000", "7fffffff-ffff-ffff-ffff-ffffffffffff",
                               "00000000-0000-0000-0000-000000000001", "00000000-0000-0001-0000-000000000000",
                               "0123abcd-4567-89ef-0123-456789abcdef"};
constexpr std::array kEdgeDoubles = {"inf",
                                     "-inf",
                                     "nan",
                                     "-0.0",
                                     "0.0",
                                     "1.7976931348623157e308",
                                     "-1.7976931348623157e308",
                                     "5e-324",
                                     "1e16",
                                     "0.1",
                                     "-0.1",
                                     "1e-5",
                                     "2147483647.5",
                                     "9223372036854775807",
                                     "2.5",
                                     "0.5",
                                     "-1.5",
                                     "1e308",
                                     "1e15",
                                     "123456.789",
                                     "0.3333333333333333",
                                     "4294967296",
                                     "1e20",
                                     "-1e20",
                                     "9007199254740993",
                                     "2.2250738585072014e-308"};
constexpr std::array kEdgeFloats = {"inf",   "-inf", "nan",  "-0.0", "0.0",   "3.4028235e38", "-3.4028235e38",
                                    "1e-45", "0.1",  "-0.1", "1e16", "2.5",   "0.5",          "16777217",
                                    "1.5",   "-1.5", "1e-5", "1e30", "65504", "0.33333334",   "2147483648"};

std::string least_of(const Type& type) {
  switch (type.id) {
    case TypeId::TinyInt:
      return "-128";
    case TypeId::SmallInt:
      return "-32768";
    case TypeId::Integer:
      return "-2147483648";
    case TypeId::BigInt:
      return "-9223372036854775808";
    case TypeId::HugeInt:
      return "-170141183460469231731687303715884105728";
    default:
      return "0";
  }
}

std::string most_of(const Type& type) {
  switch (type.id) {
    case TypeId::TinyInt:
      return "127";
    case TypeId::SmallInt:
      return "32767";
    case TypeId::Integer:
      return "2147483647";
    case TypeId::BigInt:
      return "9223372036854775807";
    case TypeId::HugeInt:
      return "170141183460469231731687303715884105727";
    case TypeId::UTinyInt:
      return "255";
    case TypeId::USmallInt:
      return "65535";
    case TypeId::UInteger:
      return "4294967295";
    case TypeId::UBigInt:
      return "18446744073709551615";
    default:
      return "0";
  }
}

std::string decimal_text(const Type& type, int64_t unscaled_quarters, Random& random) {
  // A whole number and, where the scale has room, some digits behind the point.
  std::string text = std::to_string(unscaled_quarters);
  if (type.scale == 0 || random.chance(40)) return text;
  static constexpr std::array kFractions = {".5", ".25", ".1", ".9", ".05", ".75"};
  std::string fraction = pick(kFractions, random);
  if (fraction.size() > static_cast<size_t>(type.scale) + 1) fraction.resize(type.scale + 1);
  return text + fraction;
}

std::string edge_integer(const Type& type, Random& random) {
  static constexpr std::array kSmall = {"0", "1", "2", "10", "100", "127"};
  switch (random.below(type.is_unsigned() ? 3 : 5)) {
    case 0:
      return most_of(type);
    case 1:
      return least_of(type);
    case 2:
      return pick(kSmall, random);
    case 3:
      return "-1";
    default:
      return "-100";
  }
}

std::string edge_decimal(const Type& type, Random& random) {
  const std::string nines =
      std::string(type.width - type.scale, '9') + (type.scale > 0 ? "." + std::string(type.scale, '9') : std::string());
  const std::string least = type.scale > 0 ? "0." + std::string(type.scale - 1, '0') + "1" : std::string("1");
  switch (random.below(5)) {
    case 0:
      return nines.front() == '.' ? "0" + nines : nines;
    case 1:
      return "-" + (nines.front() == '.' ? "0" + nines : nines);
    case 2:
      return least;
    case 3:
      return "-" + least;
    default:
      return "0";
  }
}

std::string plain_date(Random& random) {
  const std::string month = std::to_string(random.between(1, 12));
  const std::string day = std::to_string(random.chance(30) ? 28 : random.between(1, 28));
  const std::string year = std::to_string(random.between(2019, 2021));
  return year + (month.size() < 2 ? "-0" : "-") + month + (day.size() < 2 ? "-0" : "-") + day;
}

std::string plain_timestamp(const Type& type, Random& random) {
  static constexpr std::array kTimes = {"00:00:00", "12:00:00", "23:59:59", "06:30:15"};
  static constexpr std::array kFractions = {".5", ".123", ".000001", ".999999", ".25"};
  const bool date = type.id != TypeId::Time && type.id != TypeId::TimeNs;
  std::string text = date ? plain_date(random) + " " : std::string();
  text += pick(kTimes, random);
  if (type.id != TypeId::TimestampS && random.chance(40)) text += pick(kFractions, random);
  return text + (type.is_zoned() ? "+00" : "");
}

bool is_time(const Type& type) { return type.id == TypeId::Time || type.id == TypeId::TimeNs; }

std::string plain_floating(Random& random, double bound) {
  const auto quarters = static_cast<int64_t>(bound * 4);
  const auto number = static_cast<double>(random.between(-quarters, quarters)) / 4;
  return workload::double_text(number);
}

std::vector<Type> make_types() {
  std::vector<Type> types;
  for (int id = 0; id <= static_cast<int>(TypeId::Unsupported); ++id) {
    const Type type = Type::of(static_cast<TypeId>(id));
    if (type.id == TypeId::Decimal || type.id == TypeId::Enum || !support::supported_type(type)) continue;
    types.push_back(type);
  }
  for (const auto& [width, scale] : {std::pair{4, 1}, std::pair{9, 2}, std::pair{18, 4}, std::pair{38, 10}}) {
    types.push_back(Type::decimal(static_cast<uint8_t>(width), static_cast<uint8_t>(scale)));
  }
  const Type labels = Type::enumeration("ENUM('b', 'a', '', 'c''d', 'Ä')", 5);
  if (support::supported_type(labels)) types.push_back(labels);
  return types;
}

}  // namespace

const std::vector<Type>& all_types() {
  static const std::vector<Type> types = make_types();
  return types;
}

double greatest_of(const Type& type) {
  switch (type.id) {
    case TypeId::TinyInt:
      return 0x1p7;
    case TypeId::SmallInt:
      return 0x1p15;
    case TypeId::Integer:
      return 0x1p31;
    case TypeId::BigInt:
      return 0x1p63;
    case TypeId::HugeInt:
      return 0x1p127;
    case TypeId::UTinyInt:
      return 0x1p8;
    case TypeId::USmallInt:
      return 0x1p16;
    case TypeId::UInteger:
      return 0x1p32;
    case TypeId::UBigInt:
      return 0x1p64;
    case TypeId::Decimal:
      return std::pow(10.0, type.width - type.scale);
    case TypeId::Float:
    case TypeId::Double:
      return std::numeric_limits<double>::infinity();
    default:
      return 0;
  }
}

std::string plain_value(const Type& type, Random& random, double bound) {
  const double most = std::min(bound, kPlainBound);
  const auto whole = static_cast<int64_t>(most);
  if (type.is_integer()) return std::to_string(random.between(type.is_unsigned() ? 0 : -(whole / 2), whole));
  if (type.is_decimal())
    return decimal_text(type, random.between(whole > 1 ? -(whole / 2) : 0, std::max<int64_t>(whole - 1, 0)), random);
  if (type.is_floating()) return plain_floating(random, most);
  if (type.is_timestamp() || type.is_zoned() || is_time(type)) return plain_timestamp(type, random);
  if (type.id == TypeId::Date) return plain_date(random);
  if (type.id == TypeId::Boolean) return random.chance(50) ? "true" : "false";
  if (type.id == TypeId::Blob) return pick(kBlobs, random);
  if (type.id == TypeId::Uuid) return pick(kUuids, random);
  if (type.id == TypeId::Enum) return random.pick(type.labels());
  return random.chance(3) ? kLongText : pick(kWords, random);
}

std::string edge_value(const Type& type, Random& random) {
  if (type.is_integer()) return edge_integer(type, random);
  if (type.is_decimal()) return edge_decimal(type, random);
  if (type.id == TypeId::Double) return pick(kEdgeDoubles, random);
  if (type.id == TypeId::Float) return pick(kEdgeFloats, random);
  if (type.id == TypeId::Date) return pick(kEdgeDates, random);
  if (is_time(type)) return pick(kEdgeTimes, random);
  const TypeId unit = type.carrier().id;
  if (!Type::of(unit).is_timestamp()) return plain_value(type, random);
  const std::string moment =
      unit == TypeId::TimestampNs ? pick(kEdgeNanoseconds, random) : pick(kEdgeTimestamps, random);
  if (type.is_zoned() && !moment.ends_with("infinity")) return moment + "+00";
  return moment;
}

std::string text_of_a_value(Random& random) {
  switch (random.below(5)) {
    case 0:
      return pick(kTimesAsText, random);
    case 1:
      return pick(kNumbersAsText, random);
    case 2:
      return std::to_string(random.between(-30, 300));
    case 3:
      return plain_date(random);
    default:
      return edge_value(random.pick(all_types()), random);
  }
}

std::string short_text(Random& random) { return pick(kShort, random); }

std::string literal_sql(const Type& type, const std::string& value) {
  if (type.id == TypeId::Varchar) return workload::sql_text(value);
  if (type.id == TypeId::Boolean) return value;
  if (type.id == TypeId::Integer && value != "-2147483648") return value.front() == '-' ? "(" + value + ")" : value;
  return "CAST(" + workload::sql_text(value) + " AS " + type.to_string() + ")";
}

}  // namespace weft::fuzz
