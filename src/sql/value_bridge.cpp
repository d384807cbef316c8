#include "sql/value_bridge.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "duckdb/common/types/hugeint.hpp"
#include "duckdb/common/types/interval.hpp"

namespace weft::sql {
namespace {

using duckdb::LogicalTypeId;
using duckdb::PhysicalType;
using plan::TypeId;

struct TypePair {
  LogicalTypeId duckdb;
  TypeId plan;
};

/// The types that are their ids and nothing else.
constexpr std::array kTypes{
    TypePair{LogicalTypeId::BOOLEAN, TypeId::Boolean},
    TypePair{LogicalTypeId::TINYINT, TypeId::TinyInt},
    TypePair{LogicalTypeId::SMALLINT, TypeId::SmallInt},
    TypePair{LogicalTypeId::INTEGER, TypeId::Integer},
    TypePair{LogicalTypeId::BIGINT, TypeId::BigInt},
    TypePair{LogicalTypeId::HUGEINT, TypeId::HugeInt},
    TypePair{LogicalTypeId::UTINYINT, TypeId::UTinyInt},
    TypePair{LogicalTypeId::USMALLINT, TypeId::USmallInt},
    TypePair{LogicalTypeId::UINTEGER, TypeId::UInteger},
    TypePair{LogicalTypeId::UBIGINT, TypeId::UBigInt},
    TypePair{LogicalTypeId::FLOAT, TypeId::Float},
    TypePair{LogicalTypeId::DOUBLE, TypeId::Double},
    TypePair{LogicalTypeId::VARCHAR, TypeId::Varchar},
    TypePair{LogicalTypeId::DATE, TypeId::Date},
    TypePair{LogicalTypeId::TIMESTAMP_SEC, TypeId::TimestampS},
    TypePair{LogicalTypeId::TIMESTAMP_MS, TypeId::TimestampMs},
    TypePair{LogicalTypeId::TIMESTAMP, TypeId::Timestamp},
    TypePair{LogicalTypeId::TIMESTAMP_NS, TypeId::TimestampNs},
    TypePair{LogicalTypeId::TIMESTAMP_TZ, TypeId::TimestampTz},
    TypePair{LogicalTypeId::TIMESTAMP_TZ_NS, TypeId::TimestampTzNs},
    TypePair{LogicalTypeId::TIME, TypeId::Time},
    TypePair{LogicalTypeId::TIME_NS, TypeId::TimeNs},
    TypePair{LogicalTypeId::BLOB, TypeId::Blob},
    TypePair{LogicalTypeId::UUID, TypeId::Uuid},
    TypePair{LogicalTypeId::INTERVAL, TypeId::Interval},
    TypePair{LogicalTypeId::SQLNULL, TypeId::Null},
};

std::string collation_of(const duckdb::LogicalType& type) {
  return type.id() == LogicalTypeId::VARCHAR ? duckdb::StringType::GetCollation(type) : std::string();
}

plan::Type unsupported(const duckdb::LogicalType& type) {
  const std::string collation = collation_of(type);
  return plan::Type{TypeId::Unsupported, 0, 0, type.ToString() + (collation.empty() ? "" : " COLLATE " + collation)};
}

/// The spelling holds every label, and plans compare and print it.
constexpr duckdb::idx_t kMostLabels = 65535;

plan::Type enumeration(const duckdb::LogicalType& type) {
  const auto labels = duckdb::EnumType::GetSize(type);
  if (labels > kMostLabels) return plan::Type{TypeId::Unsupported, 0, 0, "ENUM of more than 65535 labels"};
  std::string spelling = "ENUM(";
  for (duckdb::idx_t i = 0; i < labels; ++i) {
    const std::string label = duckdb::EnumType::GetString(type, i).GetString();
    spelling += (i > 0 ? ", " : "") + duckdb::StringUtil::Format("'%s'", duckdb::StringUtil::Replace(label, "'", "''"));
  }
  return plan::Type::enumeration(spelling + ")", labels);
}

duckdb::LogicalType enumeration(const plan::Type& type) {
  const std::vector<std::string> labels = type.labels();
  duckdb::Vector values(duckdb::LogicalType::VARCHAR, labels.size());
  for (size_t i = 0; i < labels.size(); ++i) values.Append(duckdb::Value(labels[i]));
  return duckdb::LogicalType::ENUM(values, labels.size());
}

plan::Int128 to_int128(const duckdb::hugeint_t& value) {
  return (static_cast<plan::Int128>(value.upper) << 64) | static_cast<plan::Int128>(value.lower);
}

duckdb::hugeint_t to_hugeint(plan::Int128 value) {
  duckdb::hugeint_t out;
  out.lower = static_cast<uint64_t>(value);
  out.upper = static_cast<int64_t>(value >> 64);
  return out;
}

/// The integer that DuckDB stores for a value: the unscaled one of a DECIMAL, the days of a DATE.
plan::Int128 stored_integer(const duckdb::Value& value) {
  switch (value.type().InternalType()) {
    case PhysicalType::BOOL:
      return value.GetValueUnsafe<bool>() ? 1 : 0;
    case PhysicalType::INT8:
      return value.GetValueUnsafe<int8_t>();
    case PhysicalType::INT16:
      return value.GetValueUnsafe<int16_t>();
    case PhysicalType::INT32:
      return value.GetValueUnsafe<int32_t>();
    case PhysicalType::INT64:
      return value.GetValueUnsafe<int64_t>();
    case PhysicalType::INT128:
      return to_int128(value.GetValueUnsafe<duckdb::hugeint_t>());
    case PhysicalType::UINT8:
      return value.GetValueUnsafe<uint8_t>();
    case PhysicalType::UINT16:
      return value.GetValueUnsafe<uint16_t>();
    case PhysicalType::UINT32:
      return value.GetValueUnsafe<uint32_t>();
    case PhysicalType::UINT64:
      return value.GetValueUnsafe<uint64_t>();
    default:
      broken_invariant("a value that is no integer", __FILE__, __LINE__);
  }
}

/// The reverse of stored_integer.
duckdb::Value integer_value(plan::Int128 number, const duckdb::LogicalType& type) {
  using duckdb::Value;
  const auto stored = [&] {
    switch (type.InternalType()) {
      case PhysicalType::BOOL:
        return Value::BOOLEAN(number != 0);
      case PhysicalType::INT8:
        return Value::TINYINT(static_cast<int8_t>(number));
      case PhysicalType::INT16:
        return Value::SMALLINT(static_cast<int16_t>(number));
      case PhysicalType::INT32:
        return Value::INTEGER(static_cast<int32_t>(number));
      case PhysicalType::INT64:
        return Value::BIGINT(static_cast<int64_t>(number));
      case PhysicalType::INT128:
        return Value::HUGEINT(to_hugeint(number));
      case PhysicalType::UINT8:
        return Value::UTINYINT(static_cast<uint8_t>(number));
      case PhysicalType::UINT16:
        return Value::USMALLINT(static_cast<uint16_t>(number));
      case PhysicalType::UINT32:
        return Value::UINTEGER(static_cast<uint32_t>(number));
      case PhysicalType::UINT64:
        return Value::UBIGINT(static_cast<uint64_t>(number));
      default:
        broken_invariant("an integer of a type that stores none", __FILE__, __LINE__);
    }
  };
  return stored().WithType(type);
}

}  // namespace

plan::Type translate_type(const duckdb::LogicalType& type) {
  // The name that a user gave to an ENUM is no other type.
  if (type.id() == LogicalTypeId::ENUM) return enumeration(type);
  // An alias (JSON is VARCHAR with one) has casts and functions of its own.
  if (type.HasAlias() || !collation_of(type).empty()) return unsupported(type);
  if (type.id() == LogicalTypeId::DECIMAL) {
    return plan::Type::decimal(duckdb::DecimalType::GetWidth(type), duckdb::DecimalType::GetScale(type));
  }
  const auto* const pair =
      std::find_if(kTypes.begin(), kTypes.end(), [&](const TypePair& one) { return one.duckdb == type.id(); });
  return pair == kTypes.end() ? unsupported(type) : plan::Type::of(pair->plan);
}

plan::Value translate_value(const duckdb::Value& value) {
  plan::Type type = translate_type(value.type());
  if (value.IsNull()) return plan::Value::null(std::move(type));
  switch (type.carrier().id) {
    case TypeId::Unsupported:
    case TypeId::Null:
      return plan::Value::null(std::move(type));
    case TypeId::Varchar:
      return plan::Value{std::move(type), duckdb::StringValue::Get(value)};
    case TypeId::Float:
      return plan::Value::floating(std::move(type), value.GetValueUnsafe<float>());
    case TypeId::Double:
      return plan::Value::floating(std::move(type), value.GetValueUnsafe<double>());
    case TypeId::Interval: {
      const auto interval = value.GetValueUnsafe<duckdb::interval_t>();
      return plan::Value{std::move(type), plan::IntervalValue{interval.months, interval.days, interval.micros}};
    }
    default:
      return plan::Value::integer(std::move(type), stored_integer(value));
  }
}

duckdb::LogicalType to_duckdb(const plan::Type& type) {
  if (type.is_decimal()) return duckdb::LogicalType::DECIMAL(type.width, type.scale);
  if (type.id == TypeId::Enum) return enumeration(type);
  const auto* const pair =
      std::find_if(kTypes.begin(), kTypes.end(), [&](const TypePair& one) { return one.plan == type.id; });
  if (pair == kTypes.end()) throw Exception(ErrorCode::InternalError, "no DuckDB type for " + type.to_string());
  return {pair->duckdb};
}

duckdb::Value to_duckdb(const plan::Value& value) {
  const auto type = to_duckdb(value.type);
  if (value.is_null()) return duckdb::Value(type);
  if (std::holds_alternative<plan::Int128>(value.data)) return integer_value(value.as_int(), type);
  if (std::holds_alternative<double>(value.data)) return duckdb::Value::DOUBLE(value.as_double()).DefaultCastAs(type);
  if (value.type.id == TypeId::Blob) return duckdb::Value::BLOB_RAW(value.as_text());
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
