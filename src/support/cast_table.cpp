#include "support/cast_table.hpp"

#include <array>

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
  Count
};
constexpr size_t kFamilies = static_cast<size_t>(Family::Count);

// Rows: from; columns: to.
constexpr std::array<std::array<bool, kFamilies>, kFamilies> kSupported{{
    //                    bool   int    dec    float  double text   date   ts     s,ms,ns
    /* Boolean        */ {{true, true, true, true, true, true, false, false, false}},
    /* Integer        */ {{true, true, true, true, true, true, false, false, false}},
    /* Decimal        */ {{true, true, true, true, true, true, false, false, false}},
    /* Float          */ {{true, true, true, true, true, true, false, false, false}},
    /* Double         */ {{true, true, true, true, true, true, false, false, false}},
    /* Varchar        */ {{true, true, true, true, true, true, true, true, true}},
    /* Date           */ {{false, false, false, false, false, true, true, true, true}},
    /* Timestamp      */ {{false, false, false, false, false, true, true, true, true}},
    /* OtherTimestamp */ {{false, false, false, false, false, true, true, true, true}},
}};

Family family_of(const plan::Type& type) {
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
    default:
      return Family::OtherTimestamp;
  }
}

}  // namespace

bool cast_supported(const plan::Type& from, const plan::Type& to) {
  if (!supported_type(to)) return false;
  if (from.id == TypeId::Null || from == to) return true;
  if (!supported_type(from)) return false;
  if (from.id == TypeId::TimestampNs && to.id == TypeId::TimestampS) return false;  // DuckDB has no such cast
  return kSupported[static_cast<size_t>(family_of(from))][static_cast<size_t>(family_of(to))];
}

}  // namespace weft::support
