// + - * / // % and the unary minus on numbers; the same names on dates go to generate_dates.cpp.
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "gpu/expr/generate_dates.hpp"
#include "gpu/expr/generator.hpp"

namespace weft::gpu {
namespace {

using kernels::Section;
using plan::Expr;
using plan::Type;
using plan::TypeId;

// What a result of a decimal operation must stay below, as DuckDB checks it: by the size that it is stored in.
std::string decimal_limit(const Type& type) { return power_of_ten(type.width <= 9 ? 9 : type.width <= 18 ? 18 : 38); }

// Brings a decimal or integer to the width and scale of a decimal type; the value is known to fit.
std::string as_decimal(const Operand& operand, const Type& from, const Type& to) {
  std::string value = fmt::format("({}){}", c_type(to), operand.value);
  const unsigned scale = from.is_decimal() ? from.scale : 0;
  if (to.scale > scale)
    value = fmt::format("({})({} * ({}){})", c_type(to), value, c_type(to), power_of_ten(to.scale - scale));
  return value;
}

Operand checked(Generator& g, const Expr& expr, const char* operation, const std::string& a, const std::string& b,
                const std::string& valid) {
  g.need(Section::Numbers);
  const Operand result{g.declare_result(expr.type, false).value, valid};
  const std::string overflow = g.declare("bool", fmt::format("{}({}, {}, {})", operation, a, b, result.value));
  const std::string limit = expr.type.is_decimal() ? fmt::format(" || outside({}, ({}){})", result.value,
                                                                 c_type(expr.type), decimal_limit(expr.type))
                                                   : "";
  g.raise_if(expr, valid, limit.empty() ? overflow : "(" + overflow + limit + ")");
  return result;
}

// A sum, difference or product. Unchecked ones are wrapped, because a NULL's value may be anything.
Operand emit_sum(Generator& g, const Expr& expr, const char* operation, const char* symbol) {
  const std::vector<Operand> operands = g.emit_all(expr.children);
  const std::string valid = g.conjunction(operands);
  const Type& type = expr.type;
  std::array<std::string, 2> sides;
  for (size_t i = 0; i < 2; ++i) {
    // Products multiply unscaled values, so that only the width changes.
    const bool product = symbol[0] == '*';
    sides[i] = type.is_decimal() && !product ? as_decimal(operands[i], expr.children[i]->type, type)
                                             : fmt::format("({}){}", c_type(type), operands[i].value);
  }
  if (type.is_floating()) return {g.declare(c_type(type), sides[0] + " " + symbol + " " + sides[1]), valid};
  if (expr.can_throw) return checked(g, expr, operation, sides[0], sides[1], valid);
  return {g.declare(c_type(type), fmt::format("({})({} {} {})", c_type(type), sides[0], symbol, sides[1])), valid};
}

Operand emit_add(Generator& g, const Expr& expr) {
  if (expr.children.size() == 1) return g.emit(*expr.children[0]);
  return is_date_arithmetic(expr) ? emit_date_add(g, expr) : emit_sum(g, expr, "checked_add", "+");
}

Operand emit_negate(Generator& g, const Expr& expr) {
  const Operand operand = g.emit(*expr.children[0]);
  const Type& type = expr.type;
  if (type.is_floating()) return {g.declare(c_type(type), "-" + operand.value), operand.valid};
  g.need(Section::Numbers);
  const Operand result{g.declare_result(type, false).value, operand.valid};
  const std::string overflow = g.declare("bool", fmt::format("checked_negate({}, {})", operand.value, result.value));
  if (expr.can_throw && !type.is_decimal()) g.raise_if(expr, operand.valid, overflow);
  return result;
}

Operand emit_subtract(Generator& g, const Expr& expr) {
  if (expr.children.size() == 1) return emit_negate(g, expr);
  return is_date_arithmetic(expr) ? emit_date_subtract(g, expr) : emit_sum(g, expr, "checked_sub", "-");
}

Operand emit_multiply(Generator& g, const Expr& expr) {
  return expr.type.id == TypeId::Interval ? emit_interval_arithmetic(g, expr) : emit_sum(g, expr, "checked_mul", "*");
}

Operand emit_divide(Generator& g, const Expr& expr) {
  const std::vector<Operand> operands = g.emit_all(expr.children);
  const std::string valid = g.conjunction(operands);
  const char* type = c_type(expr.type);
  return {g.declare(type, fmt::format("({}){} / ({}){}", type, operands[0].value, type, operands[1].value)), valid};
}

// // and %: integers truncate; a zero divisor raises, but for % of floating numbers.
Operand emit_quotient(Generator& g, const Expr& expr, const char* operation, bool remainder) {
  const std::vector<Operand> operands = g.emit_all(expr.children);
  const std::string valid = g.conjunction(operands);
  const Type& type = expr.type;
  const std::string& a = operands[0].value;
  const std::string& b = operands[1].value;
  if (type.is_floating()) {
    if (remainder) return {g.declare(c_type(type), fmt::format("({})fmod({}, {})", c_type(type), a, b)), valid};
    if (expr.can_throw) g.raise_if(expr, valid, b + " == 0");
    return {g.declare(c_type(type), a + " / " + b), valid};
  }
  g.need(Section::Numbers);
  std::array<std::string, 2> sides;
  for (size_t i = 0; i < 2; ++i) {
    sides[i] = type.is_decimal() ? as_decimal(operands[i], expr.children[i]->type, type)
                                 : fmt::format("({}){}", c_type(type), operands[i].value);
  }
  const Operand result{g.declare_result(type, false).value, valid};
  const std::string failed =
      g.declare("bool", fmt::format("{}<{}>({}, {}, {})", operation, c_type(type), sides[0], sides[1], result.value));
  if (expr.can_throw) g.raise_if(expr, valid, failed);
  return result;
}

Operand emit_integer_divide(Generator& g, const Expr& expr) { return emit_quotient(g, expr, "checked_div", false); }
Operand emit_modulo(Generator& g, const Expr& expr) { return emit_quotient(g, expr, "checked_mod", true); }

}  // namespace

Emitter find_arithmetic(std::string_view function) {
  constexpr std::array<std::pair<std::string_view, Emitter>, 6> kEmitters{{
      {"+", emit_add},
      {"-", emit_subtract},
      {"*", emit_multiply},
      {"/", emit_divide},
      {"//", emit_integer_divide},
      {"%", emit_modulo},
  }};
  for (const auto& [name, emitter] : kEmitters) {
    if (name == function) return emitter;
  }
  return nullptr;
}

}  // namespace weft::gpu
