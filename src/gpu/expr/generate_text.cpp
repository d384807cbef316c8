// Text functions whose result is a number or a view of their argument.
#include <array>
#include <utility>

#include <fmt/format.h>

#include "gpu/expr/generator.hpp"

namespace weft::gpu {
namespace {

using kernels::Section;
using plan::Expr;

// A call of a prelude function over all arguments, NULL if one is NULL.
Operand emit_call(Generator& g, const Expr& expr, const char* function, Section section) {
  g.need(section);
  const std::vector<Operand> operands = g.emit_all(expr.children);
  const std::string valid = g.conjunction(operands);
  std::string arguments;
  for (const Operand& operand : operands) arguments += (arguments.empty() ? "" : ", ") + operand.value;
  return g.guarded(expr.type, valid, fmt::format("{}({})", function, arguments));
}

Operand emit_length(Generator& g, const Expr& expr) { return emit_call(g, expr, "code_points", Section::Text); }
Operand emit_strlen(Generator& g, const Expr& expr) {
  const Operand text = g.emit(*expr.children[0]);
  return {g.declare("i64", text.value + ".n"), text.valid};
}
Operand emit_substring(Generator& g, const Expr& expr) {
  return emit_call(g, expr, expr.children.size() == 2 ? "substring_from" : "substring", Section::Text);
}
Operand emit_left(Generator& g, const Expr& expr) { return emit_call(g, expr, "left_of", Section::Text); }
Operand emit_right(Generator& g, const Expr& expr) { return emit_call(g, expr, "right_of", Section::Text); }
Operand emit_ltrim(Generator& g, const Expr& expr) { return emit_call(g, expr, "trim_left", Section::Text); }
Operand emit_rtrim(Generator& g, const Expr& expr) { return emit_call(g, expr, "trim_right", Section::Text); }
Operand emit_trim(Generator& g, const Expr& expr) {
  g.need(Section::Text);
  const Operand text = g.emit(*expr.children[0]);
  return g.guarded(expr.type, text.valid, fmt::format("trim_right(trim_left({}))", text.value));
}

}  // namespace

Emitter find_text(std::string_view function) {
  constexpr std::array<std::pair<std::string_view, Emitter>, 8> kEmitters{{
      {"length", emit_length},
      {"strlen", emit_strlen},
      {"substring", emit_substring},
      {"left", emit_left},
      {"right", emit_right},
      {"trim", emit_trim},
      {"ltrim", emit_ltrim},
      {"rtrim", emit_rtrim},
  }};
  for (const auto& [name, emitter] : kEmitters) {
    if (name == function) return emitter;
  }
  return nullptr;
}

}  // namespace weft::gpu
