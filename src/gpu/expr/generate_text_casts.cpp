// Casts from text and to text.
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/error.hpp"
#include "gpu/expr/generate_dates.hpp"
#include "gpu/expr/generator.hpp"

namespace weft::gpu {

using kernels::Section;
using plan::Type;
using plan::TypeId;

namespace {

// A view of the label at a position.
std::string label_of(Generator& g, const Type& type, const std::string& position) {
  g.need(Section::Dates);
  std::string bytes;
  std::vector<std::string> starts{"0"};
  for (const std::string& label : type.labels()) {
    bytes += label;
    starts.push_back(std::to_string(bytes.size()));
  }
  const std::string labels = g.text_constant(bytes);
  return fmt::format("pick_name({}, {}, {})", labels, g.table("i32", starts), position);
}

}  // namespace

std::string emit_parse(Generator& g, const Type& to, const std::string& text, const std::string& result) {
  g.need(to.is_floating() ? Section::FloatParse : Section::Parse);
  if (to.is_integer()) return fmt::format("parse_integer<{}>({}, {})", c_type(to), text, result);
  switch (to.id) {
    case TypeId::Boolean:
      return fmt::format("parse_bool({}, {})", text, result);
    case TypeId::Float:
      return fmt::format("parse_float({}, {})", text, result);
    case TypeId::Double:
      return fmt::format("parse_double({}, {})", text, result);
    case TypeId::Date:
      return fmt::format("parse_date({}, {})", text, result);
    case TypeId::Timestamp:
      return fmt::format("parse_timestamp({}, {})", text, result);
    case TypeId::TimestampNs:
      return fmt::format("parse_timestamp_ns({}, {})", text, result);
    case TypeId::TimestampS:
    case TypeId::TimestampMs:
      return fmt::format("parse_timestamp_coarse({}, {}ll, {})", text, 1'000'000 / ticks_per_second(to), result);
    case TypeId::Decimal:
      return fmt::format("parse_decimal<{}>({}, {}, (u128){}, {})", c_type(to), text, to.scale, power_of_ten(to.width),
                         result);
    default:
      throw Exception(ErrorCode::InternalError, "no kernel code for the cast VARCHAR -> " + to.to_string());
  }
}

std::string emit_format(Generator& g, const Type& from, const std::string& value) {
  g.need(Section::Format);
  if (from.id == TypeId::Boolean) return fmt::format("format_bool({})", value);
  if (from.id == TypeId::Enum) return label_of(g, from, value);
  g.need_arena();
  if (from.id == TypeId::Uuid) return fmt::format("format_uuid(p.head, {})", value);
  if (from.is_integer()) return fmt::format("format_decimal(p.head, (i128){}, 0, 1)", value);
  if (from.is_decimal()) {
    // DuckDB prints no 0 before the point of a DECIMAL(n, n).
    const int least = from.scale + (from.width > from.scale ? 1 : 0);
    return fmt::format("format_decimal(p.head, (i128){}, {}, {})", value, from.scale, least);
  }
  if (from.is_floating()) {
    g.need(Section::FloatText);
    return fmt::format("{}(p.head, {})", from.id == TypeId::Float ? "format_float" : "format_double", value);
  }
  if (from.id == TypeId::Time) return fmt::format("format_time(p.head, {}, 1000000ll, 6)", value);
  if (from.id == TypeId::Date) return fmt::format("format_date(p.head, {})", value);
  if (from.is_timestamp() || from.is_zoned()) {
    const int64_t per_second = ticks_per_second(from);
    int digits = 0;
    for (int64_t unit = 1; unit < per_second; unit *= 10) ++digits;
    return fmt::format("format_timestamp(p.head, {}, {}ll, {}, {})", value, per_second, digits, from.is_zoned());
  }
  throw Exception(ErrorCode::InternalError, "no kernel code for the cast " + from.to_string() + " -> VARCHAR");
}

}  // namespace weft::gpu
