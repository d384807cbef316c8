// Rounding, absolute values, signs, libm, greatest and least.
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

Operand emit_abs(Generator& g, const Expr& expr) {
  const Operand operand = g.emit(*expr.children[0]);
  const Type& type = expr.type;
  if (type.is_floating())
    return {g.declare(c_type(type), fmt::format("({})fabs({})", c_type(type), operand.value)), operand.valid};
  if (type.is_unsigned()) return operand;
  g.need(Section::Numbers);
  const Operand result = g.declare_result(type, false);
  g.line(fmt::format("{} = {};", result.value, operand.value));
  g.open(fmt::format("if ({} < 0)", operand.value));
  const std::string overflow = g.declare("bool", fmt::format("checked_negate({}, {})", operand.value, result.value));
  if (expr.can_throw && !type.is_decimal()) g.raise_if(expr, operand.valid, overflow);
  g.close();
  return {result.value, operand.valid};
}

Operand emit_sign(Generator& g, const Expr& expr) {
  const Operand x = g.emit(*expr.children[0]);
  return {g.declare(c_type(expr.type), fmt::format("{0} > 0 ? 1 : {0} < 0 ? -1 : 0", x.value)), x.valid};
}

// The digits of round(x, n), trunc(x, n); a constant.
int digits_of(const Expr& expr) {
  return expr.children.size() < 2 ? 0 : static_cast<int>(expr.children[1]->constant.as_int());
}

// Decimals: division by a power of ten, rounded as `how` says; the result has the node's scale.
Operand round_decimal(Generator& g, const Expr& expr, const char* how) {
  g.need(Section::Math);
  const Expr& argument = *expr.children[0];
  const Operand x = g.emit(argument);
  const char* from = c_type(argument.type);
  const char* wide = stored_as_128(argument.type) ? "i128" : "i64";
  const int scale = argument.type.scale;
  const int digits = digits_of(expr);
  const std::string value = fmt::format("({}){}", wide, x.value);
  if (digits >= scale)
    return {g.declare(c_type(expr.type), fmt::format("({}){}", c_type(expr.type), x.value)), x.valid};
  const int dropped = scale - digits;
  (void)from;
  if (dropped > 38) return {g.declare(c_type(expr.type), fmt::format("({})0", c_type(expr.type))), x.valid};
  // Powers above the value's own type leave nothing but, for ceil and floor, a unit.
  const bool too_big = std::string_view(wide) == "i64" && dropped > 18;
  const char* worked = too_big ? "i128" : wide;
  std::string rounded =
      fmt::format("{}(({})({}), ({}){})", how, worked, value, worked, power_of_ten(static_cast<unsigned>(dropped)));
  if (digits < 0) rounded = fmt::format("{} * ({}){}", rounded, worked, power_of_ten(static_cast<unsigned>(-digits)));
  return {g.declare(c_type(expr.type), fmt::format("({})({})", c_type(expr.type), rounded)), x.valid};
}

Operand round_integer(Generator& g, const Expr& expr, const char* how) {
  const Operand x = g.emit(*expr.children[0]);
  const int digits = digits_of(expr);
  if (digits >= 0) return x;
  g.need(Section::Math);
  const Type& type = expr.type;
  if (digits < -38) return {g.declare(c_type(type), fmt::format("({})0", c_type(type))), x.valid};
  const std::string unit = power_of_ten(static_cast<unsigned>(-digits));
  const Operand result = g.declare_result(type, false);
  const std::string overflow = g.declare("bool", fmt::format("round_to_unit<{}>({}((i128){}, (i128){}), {}, {})",
                                                             c_type(type), how, x.value, unit, unit, result.value));
  if (expr.can_throw) g.raise_if(expr, x.valid, overflow);
  return {result.value, x.valid};
}

Operand emit_rounding(Generator& g, const Expr& expr, const char* integer_how, const char* floating_how) {
  const Type& type = expr.children[0]->type;
  if (type.is_decimal()) return round_decimal(g, expr, integer_how);
  if (type.is_integer()) return round_integer(g, expr, integer_how);
  g.need(Section::Math);
  const Operand x = g.emit(*expr.children[0]);
  const char* name = c_type(type);
  if (expr.children.size() < 2)
    return {g.declare(name, fmt::format("({}){}({})", name, floating_how, x.value)), x.valid};
  return {g.declare(name, fmt::format("({0}){1}_digits<{0}>({2}, {3})", name, floating_how, x.value, digits_of(expr))),
          x.valid};
}

Operand emit_round(Generator& g, const Expr& expr) { return emit_rounding(g, expr, "divide_half_away", "round"); }
Operand emit_trunc(Generator& g, const Expr& expr) { return emit_rounding(g, expr, "divide_truncate", "trunc"); }
Operand emit_floor(Generator& g, const Expr& expr) { return emit_rounding(g, expr, "divide_floor", "floor"); }
Operand emit_ceil(Generator& g, const Expr& expr) { return emit_rounding(g, expr, "divide_ceil", "ceil"); }

Operand emit_unary_math(Generator& g, const Expr& expr, const char* function) {
  const Operand x = g.emit(*expr.children[0]);
  return {g.declare("f64", fmt::format("{}((f64){})", function, x.value)), x.valid};
}
Operand emit_sqrt(Generator& g, const Expr& expr) { return emit_unary_math(g, expr, "sqrt"); }
Operand emit_ln(Generator& g, const Expr& expr) { return emit_unary_math(g, expr, "log"); }
Operand emit_exp(Generator& g, const Expr& expr) { return emit_unary_math(g, expr, "exp"); }

Operand emit_pow(Generator& g, const Expr& expr) {
  const std::vector<Operand> x = g.emit_all(expr.children);
  return {g.declare("f64", fmt::format("pow((f64){}, (f64){})", x[0].value, x[1].value)), g.conjunction(x)};
}

// NULLs are passed over: the result is NULL only if all arguments are.
Operand emit_extreme(Generator& g, const Expr& expr, bool greatest) {
  const Operand result = g.declare_result(expr.type, true);
  bool nullable = true;
  for (const plan::ExprPtr& child : expr.children) {
    const Operand x = g.emit(*child);
    const std::string better = greatest ? less_condition(g, expr.type, result.value, x.value)
                                        : less_condition(g, expr.type, x.value, result.value);
    g.open(fmt::format("if ({} && (!{} || {}))", Generator::valid_or_true(x), result.valid, better));
    g.assign(result, {x.value, ""});
    g.close();
    nullable = nullable && !x.valid.empty();
  }
  return {result.value, nullable ? result.valid : ""};
}
Operand emit_greatest(Generator& g, const Expr& expr) { return emit_extreme(g, expr, true); }
Operand emit_least(Generator& g, const Expr& expr) { return emit_extreme(g, expr, false); }

// DuckDB's own: the first argument where none of the others is NULL.
Operand emit_constant_or_null(Generator& g, const Expr& expr) {
  const std::vector<Operand> operands = g.emit_all(expr.children);
  return {operands[0].value, g.conjunction(operands)};
}

Operand emit_error(Generator& g, const Expr& expr) {
  const Operand message = g.emit(*expr.children[0]);
  g.raise_if(expr, message.valid, "true");
  g.makes_nulls();
  return {fmt::format("{}()", c_type(expr.type)), "false"};
}

}  // namespace

Emitter find_math(std::string_view function) {
  constexpr std::array<std::pair<std::string_view, Emitter>, 14> kEmitters{{
      {"abs", emit_abs},
      {"sign", emit_sign},
      {"round", emit_round},
      {"trunc", emit_trunc},
      {"floor", emit_floor},
      {"ceil", emit_ceil},
      {"sqrt", emit_sqrt},
      {"ln", emit_ln},
      {"exp", emit_exp},
      {"pow", emit_pow},
      {"greatest", emit_greatest},
      {"least", emit_least},
      {"constant_or_null", emit_constant_or_null},
      {"error", emit_error},
  }};
  for (const auto& [name, emitter] : kEmitters) {
    if (name == function) return emitter;
  }
  return nullptr;
}

}  // namespace weft::gpu
