// Rounding, absolute values, signs, libm, greatest and least, hash.
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "gpu/expr/generator.hpp"
#include "support/function_table.hpp"

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
  const char* wide = stored_as_128(argument.type) ? "i128" : "i64";
  const int scale = argument.type.scale;
  const int digits = digits_of(expr);
  const std::string value = fmt::format("({}){}", wide, x.value);
  if (digits >= scale)
    return {g.declare(c_type(expr.type), fmt::format("({}){}", c_type(expr.type), x.value)), x.valid};
  const int dropped = scale - digits;
  if (dropped > 38) return {g.declare(c_type(expr.type), fmt::format("({})0", c_type(expr.type))), x.valid};
  // Powers above the value's own type leave nothing but, for ceil and floor, a unit.
  const bool too_big = std::string_view(wide) == "i64" && dropped > 18;
  const char* worked = too_big ? "i128" : wide;
  std::string rounded =
      fmt::format("{}(({})({}), ({}){})", how, worked, value, worked, power_of_ten(static_cast<unsigned>(dropped)));
  if (digits < 0) rounded = fmt::format("{} * ({}){}", rounded, worked, power_of_ten(static_cast<unsigned>(-digits)));
  if (!expr.can_throw || !stored_as_128(expr.type)) {
    return {g.declare(c_type(expr.type), fmt::format("({})({})", c_type(expr.type), rounded)), x.valid};
  }
  // Only DECIMALs of 128 bits are checked.
  const std::string result = g.declare("i128", "(i128)(" + rounded + ")");
  g.raise_if(expr, x.valid, fmt::format("outside({}, {})", result, power_of_ten(38)));
  return {result, x.valid};
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
Operand emit_round_even(Generator& g, const Expr& expr) {
  return emit_rounding(g, expr, "divide_half_even", "round_even");
}
Operand emit_trunc(Generator& g, const Expr& expr) { return emit_rounding(g, expr, "divide_truncate", "trunc"); }
Operand emit_floor(Generator& g, const Expr& expr) { return emit_rounding(g, expr, "divide_floor", "floor"); }
Operand emit_ceil(Generator& g, const Expr& expr) { return emit_rounding(g, expr, "divide_ceil", "ceil"); }

// Functions of libm, by the names that CUDA has too. Their last digits may differ between the two.
using Named = std::pair<std::string_view, const char*>;
constexpr std::array<Named, 23> kLibm{
    {{"ln", "log"},       {"log10", "log10"},   {"log2", "log2"},    {"sqrt", "sqrt"},   {"cbrt", "cbrt"},
     {"exp", "exp"},      {"pow", "pow"},       {"sin", "sin"},      {"cos", "cos"},     {"tan", "tan"},
     {"asin", "asin"},    {"acos", "acos"},     {"atan", "atan"},    {"atan2", "atan2"}, {"sinh", "sinh"},
     {"cosh", "cosh"},    {"tanh", "tanh"},     {"asinh", "asinh"},  {"acosh", "acosh"}, {"atanh", "atanh"},
     {"gamma", "tgamma"}, {"lgamma", "lgamma"}, {"cot", "1.0 / tan"}}};

const char* libm_name(std::string_view function) {
  for (const auto& [name, code] : kLibm) {
    if (name == function) return code;
  }
  return nullptr;
}

Operand emit_libm(Generator& g, const Expr& expr) {
  const std::vector<Operand> x = g.emit_all(expr.children);
  const std::string_view name = support::canonical_function(expr.function);
  std::string call = libm_name(name);
  if (name == "log10" && x.size() == 2) {  // of a base
    call = fmt::format("log10({}) / log10({})", x[1].value, x[0].value);
  } else {
    call += "((f64)" + x[0].value + (x.size() == 2 ? ", (f64)" + x[1].value : "") + ")";
  }
  return {g.declare("f64", call), g.conjunction(x)};
}

Operand emit_next_after(Generator& g, const Expr& expr) {
  const std::vector<Operand> x = g.emit_all(expr.children);
  const char* code = expr.type.id == TypeId::Float ? "nextafterf" : "nextafter";
  return {g.declare(c_type(expr.type), fmt::format("{}({}, {})", code, x[0].value, x[1].value)), g.conjunction(x)};
}

Operand emit_sign_bit(Generator& g, const Expr& expr) {
  const Operand x = g.emit(*expr.children[0]);
  return {g.declare("bool", fmt::format("bits_of({}) < 0", x.value)), x.valid};
}

Operand emit_angle(Generator& g, const Expr& expr) {
  const Operand x = g.emit(*expr.children[0]);
  const std::string pi = literal(3.14159265358979323846);
  const char* form = expr.function == "radians" ? "{} * ({} / 180.0)" : "{} * (180.0 / {})";
  return {g.declare("f64", fmt::format(fmt::runtime(form), x.value, pi)), x.valid};
}

Operand emit_float_test(Generator& g, const Expr& expr) {
  const Operand x = g.emit(*expr.children[0]);
  const std::string finite = fmt::format("{0} - {0} == 0", x.value);
  const std::string nan = fmt::format("{0} != {0}", x.value);
  if (!expr.children[0]->type.is_floating()) {
    g.need(Section::Dates);
    const char* code = expr.children[0]->type.id == TypeId::Date ? "finite_days" : "finite_ticks";
    const bool negative = expr.function == "isinf";
    return {g.declare("bool", fmt::format("{}{}({})", negative ? "!" : "", code, x.value)), x.valid};
  }
  const std::string test = expr.function == "isnan"   ? nan
                           : expr.function == "isinf" ? fmt::format("!({}) && !({})", nan, finite)
                                                      : finite;
  return {g.declare("bool", test), x.valid};
}

Operand emit_bits(Generator& g, const Expr& expr) {
  const std::vector<Operand> x = g.emit_all(expr.children);
  const std::string symbol = expr.function == "xor" ? "^" : expr.function;
  const std::string bits = x.size() == 1 ? "~" + x[0].value : x[0].value + " " + symbol + " " + x[1].value;
  return {g.declare(c_type(expr.type), fmt::format("({})({})", c_type(expr.type), bits)), g.conjunction(x)};
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

Operand emit_hash(Generator& g, const Expr& expr) {
  g.need(Section::Hash);
  std::string hash;
  for (const plan::ExprPtr& child : expr.children) {
    const Operand x = g.emit(*child);
    std::string one = fmt::format("hash_of({})", x.value);
    if (!x.valid.empty()) one = fmt::format("({} ? {} : HASH_OF_NULL)", x.valid, one);
    hash = hash.empty() ? one : fmt::format("combined_hash({}, {})", hash, one);
  }
  return {g.declare("u64", hash), ""};
}

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
  constexpr std::array<std::pair<std::string_view, Emitter>, 23> kEmitters{{
      {"abs", emit_abs},
      {"sign", emit_sign},
      {"round", emit_round},
      {"trunc", emit_trunc},
      {"floor", emit_floor},
      {"ceil", emit_ceil},
      {"round_even", emit_round_even},
      {"nextafter", emit_next_after},
      {"signbit", emit_sign_bit},
      {"radians", emit_angle},
      {"degrees", emit_angle},
      {"isnan", emit_float_test},
      {"isinf", emit_float_test},
      {"isfinite", emit_float_test},
      {"&", emit_bits},
      {"|", emit_bits},
      {"xor", emit_bits},
      {"~", emit_bits},
      {"greatest", emit_greatest},
      {"least", emit_least},
      {"constant_or_null", emit_constant_or_null},
      {"error", emit_error},
      {"hash", emit_hash},
  }};
  for (const auto& [name, emitter] : kEmitters) {
    if (name == function) return emitter;
  }
  return libm_name(function) == nullptr ? nullptr : emit_libm;
}

}  // namespace weft::gpu
