#include "base/error.hpp"
#include "duckdb/common/types/hugeint.hpp"
#include "duckdb/common/types/interval.hpp"
#include "sql/translate/translator.hpp"

namespace weft::sql {

namespace {

plan::Type unsupported(const duckdb::LogicalType& type) {
  std::string text = type.ToString();
  if (type.id() == duckdb::LogicalTypeId::VARCHAR && !duckdb::StringType::GetCollation(type).empty())
    text += " COLLATE " + duckdb::StringType::GetCollation(type);
  return plan::Type{plan::TypeId::Unsupported, 0, 0, std::move(text)};
}

plan::Int128 to_int128(const duckdb::hugeint_t& value) {
  return (static_cast<plan::Int128>(value.upper) << 64) | static_cast<plan::Int128>(value.lower);
}

/// The unscaled value of a DECIMAL, which DuckDB stores in 2 to 16 bytes by its width.
plan::Int128 unscaled(const duckdb::Value& value) {
  switch (value.type().InternalType()) {
    case duckdb::PhysicalType::INT16:
      return value.GetValueUnsafe<int16_t>();
    case duckdb::PhysicalType::INT32:
      return value.GetValueUnsafe<int32_t>();
    case duckdb::PhysicalType::INT64:
      return value.GetValueUnsafe<int64_t>();
    default:
      return to_int128(value.GetValueUnsafe<duckdb::hugeint_t>());
  }
}

plan::Int128 as_integer(const duckdb::Value& value, plan::TypeId id) {
  switch (id) {
    case plan::TypeId::Boolean:
      return value.GetValueUnsafe<bool>() ? 1 : 0;
    case plan::TypeId::TinyInt:
      return value.GetValueUnsafe<int8_t>();
    case plan::TypeId::SmallInt:
      return value.GetValueUnsafe<int16_t>();
    case plan::TypeId::Integer:
      return value.GetValueUnsafe<int32_t>();
    case plan::TypeId::BigInt:
      return value.GetValueUnsafe<int64_t>();
    case plan::TypeId::HugeInt:
      return to_int128(value.GetValueUnsafe<duckdb::hugeint_t>());
    case plan::TypeId::UTinyInt:
      return value.GetValueUnsafe<uint8_t>();
    case plan::TypeId::USmallInt:
      return value.GetValueUnsafe<uint16_t>();
    case plan::TypeId::UInteger:
      return value.GetValueUnsafe<uint32_t>();
    case plan::TypeId::UBigInt:
      return value.GetValueUnsafe<uint64_t>();
    case plan::TypeId::Decimal:
      return unscaled(value);
    case plan::TypeId::Date:
      return value.GetValueUnsafe<duckdb::date_t>().days;
    case plan::TypeId::TimestampS:
      return value.GetValueUnsafe<duckdb::timestamp_sec_t>().value;
    case plan::TypeId::TimestampMs:
      return value.GetValueUnsafe<duckdb::timestamp_ms_t>().value;
    case plan::TypeId::Timestamp:
      return value.GetValueUnsafe<duckdb::timestamp_t>().value;
    case plan::TypeId::TimestampNs:
      return value.GetValueUnsafe<duckdb::timestamp_ns_t>().value;
    default:
      broken_invariant("a value that is no integer", __FILE__, __LINE__);
  }
}

}  // namespace

plan::Type translate_type(const duckdb::LogicalType& type) {
  using duckdb::LogicalTypeId;
  using plan::Type;
  using plan::TypeId;
  // An alias (JSON is VARCHAR with one) has casts and functions of its own.
  if (type.HasAlias()) return unsupported(type);
  switch (type.id()) {
    case LogicalTypeId::BOOLEAN:
      return Type::of(TypeId::Boolean);
    case LogicalTypeId::TINYINT:
      return Type::of(TypeId::TinyInt);
    case LogicalTypeId::SMALLINT:
      return Type::of(TypeId::SmallInt);
    case LogicalTypeId::INTEGER:
      return Type::of(TypeId::Integer);
    case LogicalTypeId::BIGINT:
      return Type::of(TypeId::BigInt);
    case LogicalTypeId::HUGEINT:
      return Type::of(TypeId::HugeInt);
    case LogicalTypeId::UTINYINT:
      return Type::of(TypeId::UTinyInt);
    case LogicalTypeId::USMALLINT:
      return Type::of(TypeId::USmallInt);
    case LogicalTypeId::UINTEGER:
      return Type::of(TypeId::UInteger);
    case LogicalTypeId::UBIGINT:
      return Type::of(TypeId::UBigInt);
    case LogicalTypeId::FLOAT:
      return Type::of(TypeId::Float);
    case LogicalTypeId::DOUBLE:
      return Type::of(TypeId::Double);
    case LogicalTypeId::DATE:
      return Type::of(TypeId::Date);
    case LogicalTypeId::TIMESTAMP_SEC:
      return Type::of(TypeId::TimestampS);
    case LogicalTypeId::TIMESTAMP_MS:
      return Type::of(TypeId::TimestampMs);
    case LogicalTypeId::TIMESTAMP:
      return Type::of(TypeId::Timestamp);
    case LogicalTypeId::TIMESTAMP_NS:
      return Type::of(TypeId::TimestampNs);
    case LogicalTypeId::INTERVAL:
      return Type::of(TypeId::Interval);
    case LogicalTypeId::SQLNULL:
      return Type::of(TypeId::Null);
    case LogicalTypeId::DECIMAL:
      return Type::decimal(duckdb::DecimalType::GetWidth(type), duckdb::DecimalType::GetScale(type));
    case LogicalTypeId::VARCHAR:
      return duckdb::StringType::GetCollation(type).empty() ? Type::of(TypeId::Varchar) : unsupported(type);
    default:
      return unsupported(type);
  }
}

plan::Value translate_value(const duckdb::Value& value) {
  plan::Type type = translate_type(value.type());
  if (value.IsNull()) return plan::Value::null(std::move(type));
  switch (type.id) {
    case plan::TypeId::Unsupported:
    case plan::TypeId::Null:
      return plan::Value::null(std::move(type));
    case plan::TypeId::Varchar:
      return plan::Value::text(duckdb::StringValue::Get(value));
    case plan::TypeId::Float:
      return plan::Value::floating(std::move(type), value.GetValueUnsafe<float>());
    case plan::TypeId::Double:
      return plan::Value::floating(std::move(type), value.GetValueUnsafe<double>());
    case plan::TypeId::Interval: {
      const auto interval = value.GetValueUnsafe<duckdb::interval_t>();
      return plan::Value{std::move(type), plan::IntervalValue{interval.months, interval.days, interval.micros}};
    }
    default: {
      const plan::Int128 number = as_integer(value, type.id);
      return plan::Value::integer(std::move(type), number);
    }
  }
}

}  // namespace weft::sql
