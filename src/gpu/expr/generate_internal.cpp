// The functions that only the backend writes, for aggregates and keys (expressions.hpp).
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "gpu/expr/generator.hpp"

namespace weft::gpu {
namespace {

using kernels::Section;
using plan::Expr;
using plan::Type;
using plan::TypeId;

// Bytes of an integer or decimal on the device.
unsigned bytes_of(const Type& type) {
  const std::string_view name = c_type(type);
  return name == "i128" ? 16 : name == "i64" || name == "u64" ? 8 : 4;
}

Operand emit_limb(Generator& g, const Expr& expr) {
  const Expr& argument = *expr.children[0];
  const Operand x = g.emit(argument);
  const auto k = static_cast<unsigned>(expr.children[1]->constant.as_int());
  const unsigned limbs = bytes_of(argument.type) / 4;
  WEFT_INVARIANT(k < limbs, "a limb beyond the type's size");
  std::string limb;
  if (limbs == 1) {
    limb = fmt::format("(i64){}", x.value);
  } else if (k + 1 == limbs) {
    limb = fmt::format("(i64)({} >> {})", x.value, 32 * k);  // signed, but for UBIGINT
  } else {
    limb = fmt::format("(i64)(u32)({} >> {})", x.value, 32 * k);
  }
  return {g.declare("i64", limb), x.valid};
}

Operand emit_from_limbs(Generator& g, const Expr& expr) {
  g.need(Section::Numbers);
  const std::vector<Operand> limbs = g.emit_all(expr.children);
  const std::string valid = g.conjunction(limbs);
  std::string arguments;
  for (size_t k = 0; k < 4; ++k) arguments += (k < limbs.size() ? "(i64)" + limbs[k].value : "0") + ", ";
  const Operand result = g.declare_result(Type::of(TypeId::HugeInt), false);
  std::string overflow = g.declare("bool", fmt::format("join_limbs({}{})", arguments, result.value));
  if (expr.type.is_decimal()) {
    overflow = fmt::format("({} || outside({}, (i128){}))", overflow, result.value, power_of_ten(expr.type.width));
  }
  g.raise_if(expr, valid, overflow);
  if (stored_as_128(expr.type)) return {result.value, valid};
  return {g.declare(c_type(expr.type), fmt::format("({}){}", c_type(expr.type), result.value)), valid};
}

Operand emit_average(Generator& g, const Expr& expr) {
  const Operand total = g.emit(*expr.children[0]);
  const Operand count = g.emit(*expr.children[1]);
  const auto scale = static_cast<unsigned>(expr.children[2]->constant.as_int());
  g.makes_nulls();  // of no rows
  const std::string some = g.declare("bool", fmt::format("{} != 0", count.value));
  const std::string valid = g.both(g.both(total.valid, count.valid), some);
  return g.guarded(expr.type, valid,
                   fmt::format("({})((f64){} / ((f64){} * (f64){}))", c_type(expr.type), total.value, count.value,
                               power_of_ten(scale)));
}

Operand emit_order_key(Generator& g, const Expr& expr) {
  g.need(Section::Numbers);
  const Operand x = g.emit(*expr.children[0]);
  return {g.declare("i64", fmt::format("order_key({})", x.value)), x.valid};
}

Operand emit_from_order_key(Generator& g, const Expr& expr) {
  g.need(Section::Numbers);
  const Operand key = g.emit(*expr.children[0]);
  const bool single = expr.type.id == TypeId::Float;
  return {g.declare(c_type(expr.type), fmt::format("from_order_key{}({})", single ? 32 : 64, key.value)), key.valid};
}

Operand emit_normalize(Generator& g, const Expr& expr) {
  g.need(Section::Numbers);
  const Operand x = g.emit(*expr.children[0]);
  return {g.declare(c_type(expr.type), fmt::format("normalize({})", x.value)), x.valid};
}

Operand emit_grouping(Generator& g, const Expr& expr) {
  const Operand key = g.emit(*expr.children[0]);
  std::string bits = "(i64)0";
  for (size_t i = 1; i < expr.children.size(); ++i) {
    const auto bit = static_cast<unsigned>(expr.children[i]->constant.as_int());
    bits = fmt::format("({} << 1 | ({} >> {} & 1))", bits, key.value, bit);
  }
  return {g.declare("i64", bits), key.valid};
}

// The sixteen bytes of a stored UUID, highest first, as the integer that DuckDB has for it.
Operand emit_uuid(Generator& g, const Expr& expr) {
  g.need(Section::Text);
  const Operand x = g.emit(*expr.children[0]);
  const Operand result = g.declare_result(expr.type, false);
  g.open(fmt::format("if ({})", Generator::valid_or_true(x)));
  g.line("u128 bits = 0;");
  g.line(fmt::format("for (i32 k = 0; k < 16; ++k) bits = bits << 8 | (u128)(unsigned char){}.p[k];", x.value));
  g.line(fmt::format("{} = (i128)(bits ^ (u128)1 << 127);", result.value));
  g.close();
  return {result.value, x.valid};
}

}  // namespace

Emitter find_internal(std::string_view function) {
  constexpr std::array<std::pair<std::string_view, Emitter>, 8> kEmitters{{
      {"__limb", emit_limb},
      {"__from_limbs", emit_from_limbs},
      {"__average", emit_average},
      {"__order_key", emit_order_key},
      {"__from_order_key", emit_from_order_key},
      {"__normalize", emit_normalize},
      {"__grouping", emit_grouping},
      {"__uuid", emit_uuid},
  }};
  for (const auto& [name, emitter] : kEmitters) {
    if (name == function) return emitter;
  }
  return nullptr;
}

}  // namespace weft::gpu
