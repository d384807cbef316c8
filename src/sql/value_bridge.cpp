#include "sql/value_bridge.hpp"

#include "base/error.hpp"
#include "sql/translate/translator.hpp"

namespace weft::sql {
namespace {

duckdb::hugeint_t to_hugeint(plan::Int128 value) {
  duckdb::hugeint_t out;
  out.lower = static_cast<uint64_t>(value);
  out.upper = static_cast<int64_t>(value >> 64);
  return out;
}

duckdb::Value integer_value(const plan::Value& value, const duckdb::LogicalType& type) {
  using plan::TypeId;
  const auto number = value.as_int();
  switch (value.type.id) {
    case TypeId::Boolean:
      return duckdb::Value::BOOLEAN(number != 0);
    case TypeId::Decimal: {
      const auto width = value.type.width;
      const auto scale = value.type.scale;
      if (width <= 18) return duckdb::Value::DECIMAL(static_cast<int64_t>(number), width, scale);
      return duckdb::Value::DECIMAL(to_hugeint(number), width, scale);
    }
    case TypeId::Date:
      return duckdb::Value::DATE(duckdb::date_t(static_cast<int32_t>(number)));
    case TypeId::TimestampS:
      return duckdb::Value::TIMESTAMPSEC(duckdb::timestamp_sec_t(static_cast<int64_t>(number)));
    case TypeId::TimestampMs:
      return duckdb::Value::TIMESTAMPMS(duckdb::timestamp_ms_t(static_cast<int64_t>(number)));
    case TypeId::Timestamp:
      return duckdb::Value::TIMESTAMP(duckdb::timestamp_t(static_cast<int64_t>(number)));
    case TypeId::TimestampNs:
      return duckdb::Value::TIMESTAMPNS(duckdb::timestamp_ns_t(static_cast<int64_t>(number)));
    default:
      return duckdb::Value::HUGEINT(to_hugeint(number)).DefaultCastAs(type);
  }
}

}  // namespace

duckdb::LogicalType to_duckdb(const plan::Type& type) {
  using duckdb::LogicalType;
  using plan::TypeId;
  switch (type.id) {
    case TypeId::Boolean:
      return LogicalType::BOOLEAN;
    case TypeId::TinyInt:
      return LogicalType::TINYINT;
    case TypeId::SmallInt:
      return LogicalType::SMALLINT;
    case TypeId::Integer:
      return LogicalType::INTEGER;
    case TypeId::BigInt:
      return LogicalType::BIGINT;
    case TypeId::HugeInt:
      return LogicalType::HUGEINT;
    case TypeId::UTinyInt:
      return LogicalType::UTINYINT;
    case TypeId::USmallInt:
      return LogicalType::USMALLINT;
    case TypeId::UInteger:
      return LogicalType::UINTEGER;
    case TypeId::UBigInt:
      return LogicalType::UBIGINT;
    case TypeId::Float:
      return LogicalType::FLOAT;
    case TypeId::Double:
      return LogicalType::DOUBLE;
    case TypeId::Decimal:
      return LogicalType::DECIMAL(type.width, type.scale);
    case TypeId::Varchar:
      return LogicalType::VARCHAR;
    case TypeId::Date:
      return LogicalType::DATE;
    case TypeId::TimestampS:
      return LogicalType::TIMESTAMP_S;
    case TypeId::TimestampMs:
      return LogicalType::TIMESTAMP_MS;
    case TypeId::Timestamp:
      return LogicalType::TIMESTAMP;
    case TypeId::TimestampNs:
      return LogicalType::TIMESTAMP_NS;
    case TypeId::Interval:
      return LogicalType::INTERVAL;
    case TypeId::Null:
      return LogicalType::SQLNULL;
    case TypeId::Unsupported:
      break;
  }
  throw Exception(ErrorCode::InternalError, "no DuckDB type for " + type.to_string());
}

duckdb::Value to_duckdb(const plan::Value& value) {
  const auto type = to_duckdb(value.type);
  if (value.is_null()) return duckdb::Value(type);
  if (std::holds_alternative<plan::Int128>(value.data)) return integer_value(value, type);
  if (std::holds_alternative<double>(value.data)) return duckdb::Value::DOUBLE(value.as_double()).DefaultCastAs(type);
  if (std::holds_alternative<std::string>(value.data)) return duckdb::Value(value.as_text());
  const auto& interval = std::get<plan::IntervalValue>(value.data);
  return duckdb::Value::INTERVAL(interval.months, interval.days, interval.micros);
}

std::vector<plan::Column> to_columns(const duckdb::vector<duckdb::Identifier>& names,
                                     const duckdb::vector<duckdb::LogicalType>& types) {
  std::vector<plan::Column> columns;
  for (size_t i = 0; i < types.size(); ++i) {
    columns.push_back({names[i].GetIdentifierName(), translate_type(types[i]), true});
  }
  return columns;
}

std::string quoted(const std::string& identifier) {
  std::string text = "\"";
  for (const char c : identifier) {
    if (c == '"') text += '"';
    text += c;
  }
  return text + "\"";
}

}  // namespace weft::sql
