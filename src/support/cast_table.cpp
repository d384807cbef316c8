#include "support/cast_table.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "support/support.hpp"

namespace weft::support {
namespace {

using plan::TypeId;

enum class Family : uint8_t {
  Boolean,
  Integer,
  Decimal,
  Float,
  Double,
  Varchar,
  Date,
  Timestamp,
  OtherTimestamp,
  Zoned,
  ZonedNs,
  Count
};
constexpr size_t kFamilies = static_cast<size_t>(Family::Count);

// Rows: from; columns: to.
constexpr std::array<std::array<bool, kFamilies>, kFamilies> kSupported{{
    //                    bool   int    dec    float  double text   date   ts     s,ms,ns tz    tz ns
    /* Boolean        */ {{true, true, true, true, true, true, false, false, false, false, false}},
    /* Integer        */ {{true, true, true, true, true, true, false, false, false, false, false}},
    /* Decimal        */ {{true, true, true, true, true, true, false, false, false, false, false}},
    /* Float          */ {{true, true, true, true, true, true, false, false, false, false, false}},
    /* Double         */ {{true, true, true, true, true, true, false, false, false, false, false}},
    /* Varchar        */ {{true, true, true, true, true, true, true, true, true, false, false}},
    /* Date           */ {{false, false, false, false, false, true, true, true, true, true, false}},
    /* Timestamp      */ {{false, false, false, false, false, true, true, true, true, true, false}},
    /* OtherTimestamp */ {{false, false, false, false, false, true, true, true, true, true, true}},
    /* Zoned          */ {{false, false, false, false, false, true, true, true, true, true, true}},
    /* ZonedNs        */ {{false, false, false, false, false, true, false, true, true, true, true}},
}};

// Casts of the types that are in none of the families.
struct OtherCast {
  TypeId from;
  TypeId to;
};
constexpr std::array kOthers{
    OtherCast{TypeId::Timestamp, TypeId::Time}, OtherCast{TypeId::Time, TypeId::TimeNs},
    OtherCast{TypeId::Time, TypeId::Varchar},   OtherCast{TypeId::Uuid, TypeId::Varchar},
    OtherCast{TypeId::Enum, TypeId::Varchar},
};

std::optional<Family> family_of(const plan::Type& type) {
  if (type.is_integer()) return Family::Integer;
  switch (type.id) {
    case TypeId::Boolean:
      return Family::Boolean;
    case TypeId::Decimal:
      return Family::Decimal;
    case TypeId::Float:
      return Family::Float;
    case TypeId::Double:
      return Family::Double;
    case TypeId::Varchar:
      return Family::Varchar;
    case TypeId::Date:
      return Family::Date;
    case TypeId::Timestamp:
      return Family::Timestamp;
    case TypeId::TimestampTz:
      return Family::Zoned;
    case TypeId::TimestampTzNs:
      return Family::ZonedNs;
    default:
      if (type.is_timestamp()) return Family::OtherTimestamp;
      return std::nullopt;
  }
}

}  // namespace

bool cast_supported(const plan::Type& from, const plan::Type& to) {
  if (!supported_type(to)) return false;
  if (from.id == TypeId::Null || from == to) return true;
  if (!supported_type(from)) return false;
  if (from.id == TypeId::TimestampNs && to.id == TypeId::TimestampS) return false;  // DuckDB has no such cast
  const bool nanoseconds = from.id == TypeId::TimestampTzNs || to.id == TypeId::TimestampTzNs;
  const bool coarse = from.id == TypeId::TimestampS || from.id == TypeId::TimestampMs || to.id == TypeId::TimestampS ||
                      to.id == TypeId::TimestampMs;
  if (nanoseconds && coarse) return false;  // through microseconds in DuckDB
  const auto row = family_of(from);
  const auto column = family_of(to);
  if (row && column) return kSupported[static_cast<size_t>(*row)][static_cast<size_t>(*column)];
  return std::any_of(kOthers.begin(), kOthers.end(),
                     [&](const OtherCast& cast) { return cast.from == from.id && cast.to == to.id; });
}

}  // namespace weft::support
