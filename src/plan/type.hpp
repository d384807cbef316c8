// SQL types and constants of a plan, in DuckDB's sense. No DuckDB and no CUDA here.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace weft::plan {

using Int128 = __int128;

enum class TypeId : uint8_t {
  Boolean,
  TinyInt,
  SmallInt,
  Integer,
  BigInt,
  HugeInt,
  UTinyInt,
  USmallInt,
  UInteger,
  UBigInt,
  Float,
  Double,
  Decimal,  // width <= 38, scale <= width
  Varchar,
  Date,  // days since 1970-01-01, 32 bits
  TimestampS,
  TimestampMs,
  Timestamp /* microseconds */,
  TimestampNs,
  TimestampTz,  // WITH TIME ZONE: microseconds in UTC
  TimestampTzNs,
  Time,  // microseconds of a day, up to 24:00:00
  TimeNs,
  Blob,
  Uuid,         // 128 bits, the highest inverted: their order as a signed integer is that of the text
  Enum,         // a position among the labels; `text` is DuckDB's spelling of the type, `width` the bytes of a position
  Interval,     // months, days, microseconds; today only as a constant operand
  Null,         // the type of an untyped NULL
  Unsupported,  // any other DuckDB type; `text` names it. support refuses it
};

struct Type {
  TypeId id = TypeId::Null;
  uint8_t width = 0;  // Decimal, Enum
  uint8_t scale = 0;  // Decimal
  std::string text;   // Unsupported, Enum: DuckDB's name of the type

  bool operator==(const Type& other) const = default;
  bool is_integer() const;  // TinyInt..UBigInt, HugeInt
  bool is_unsigned() const;
  bool is_floating() const { return id == TypeId::Float || id == TypeId::Double; }
  bool is_decimal() const { return id == TypeId::Decimal; }
  bool is_numeric() const { return is_integer() || is_floating() || is_decimal(); }
  bool is_timestamp() const;  // any of the four without a zone
  bool is_zoned() const { return id == TypeId::TimestampTz || id == TypeId::TimestampTzNs; }
  /// The type whose values stand for this one's on the device and in generated code: equality, order and bits of a
  /// value are the same. TIMESTAMP for TIMESTAMP WITH TIME ZONE, VARCHAR for BLOB; most types are their own.
  Type carrier() const;
  std::vector<std::string> labels() const;  // of an Enum
  bool is_bytes() const { return carrier().id == TypeId::Varchar; }
  /// DuckDB's spelling, which DuckDB's parser reads back: "DECIMAL(15,2)", "TIMESTAMP_S", "HUGEINT".
  std::string to_string() const;

  static Type of(TypeId id) { return Type{id, 0, 0, {}}; }
  static Type enumeration(std::string spelling, uint64_t labels);
  static Type decimal(uint8_t width, uint8_t scale) { return Type{TypeId::Decimal, width, scale, {}}; }
};

struct IntervalValue {
  int32_t months = 0;
  int32_t days = 0;
  int64_t micros = 0;
  bool operator==(const IntervalValue& other) const = default;
};

/// A typed constant. Integers, Boolean, Decimal (unscaled), Date (days) and timestamps (in their unit) are Int128;
/// other types have the data of their carrier.
struct Value {
  Type type;
  std::variant<std::monostate, Int128, double, std::string, IntervalValue> data;  // monostate: NULL

  bool is_null() const { return std::holds_alternative<std::monostate>(data); }
  Int128 as_int() const { return std::get<Int128>(data); }
  double as_double() const { return std::get<double>(data); }
  const std::string& as_text() const { return std::get<std::string>(data); }
  bool operator==(const Value& other) const = default;
  /// SQL text with its type: CAST('1.50' AS DECIMAL(15,2)), CAST(NULL AS DATE), CAST('it''s' AS VARCHAR). DuckDB reads
  /// back the same value and type (FLOAT and DOUBLE with all their digits, inf and nan too).
  std::string to_sql() const;
  /// For people, in EXPLAIN and golden tests: 1.50, 'it''s', DATE '1998-09-02', NULL::DATE.
  std::string to_string() const;

  static Value null(Type type) { return Value{std::move(type), std::monostate{}}; }
  static Value integer(Type type, Int128 value) { return Value{std::move(type), value}; }
  static Value boolean(bool value) { return Value{Type::of(TypeId::Boolean), Int128{value ? 1 : 0}}; }
  static Value floating(Type type, double value) { return Value{std::move(type), value}; }
  static Value text(std::string value) { return Value{Type::of(TypeId::Varchar), std::move(value)}; }
};

/// Decimal digits of a 128-bit integer.
std::string to_string(Int128 value);

}  // namespace weft::plan
