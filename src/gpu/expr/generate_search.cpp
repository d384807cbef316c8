// LIKE and its relatives, prefix, suffix, contains.
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "gpu/expr/generator.hpp"

namespace weft::gpu {
namespace {

using kernels::Section;
using plan::Expr;
using plan::ExprKind;

// A constant pattern without `_` as the literals between its %; nullopt: another form is needed.
std::optional<std::vector<std::string>> literals_of(const std::string& pattern) {
  std::vector<std::string> literals{""};
  for (const char c : pattern) {
    if (c == '_') return std::nullopt;
    if (c == '%') {
      literals.emplace_back();
    } else {
      literals.back() += c;
    }
  }
  return literals;
}

std::string find_call(Generator& g, const std::string& from, const std::string& to, const std::string& bytes) {
  const std::string constant = g.declare("Text", g.text_constant(bytes));
  if (bytes.size() < 4) return fmt::format("find_short({}, {}, {}.p, {})", from, to, constant, bytes.size());
  uint32_t head = 0;
  for (int i = 3; i >= 0; --i) head = head << 8 | static_cast<unsigned char>(bytes[static_cast<size_t>(i)]);
  return fmt::format("find4({}, {}, {}.p, {}, {:#x}u)", from, to, constant, bytes.size(), head);
}

// first%middle%...%last: the ends are anchored, the middle ones are found from left to right.
void match_literals(Generator& g, const std::string& result, const std::string& text,
                    const std::vector<std::string>& literals) {
  if (literals.size() == 1) {
    g.line(fmt::format("{} = text_equal({}, {});", result, text, g.text_constant(literals[0])));
    return;
  }
  const std::string& first = literals.front();
  const std::string& last = literals.back();
  std::string ends = fmt::format("{}.n >= {}", text, first.size() + last.size());
  if (!first.empty()) ends += fmt::format(" && has_prefix({}, {})", text, g.text_constant(first));
  if (!last.empty()) ends += fmt::format(" && has_suffix({}, {})", text, g.text_constant(last));
  g.open(fmt::format("if ({})", ends));
  const std::string end = g.declare("char*", fmt::format("{0}.p + ({0}.n - {1})", text, last.size()));
  std::string from = g.declare("char*", fmt::format("{}.p + {}", text, first.size()));
  size_t opened = 0;
  for (size_t k = 1; k + 1 < literals.size(); ++k) {
    if (literals[k].empty()) continue;
    const std::string found = g.declare("char*", find_call(g, from, end, literals[k]));
    g.open(fmt::format("if ({} != 0)", found));
    ++opened;
    from = g.declare("char*", fmt::format("{} + {}", found, literals[k].size()));
  }
  g.line(result + " = true;");
  for (; opened > 0; --opened) g.close();
  g.close();
}

Operand negate_if(Generator& g, bool negative, const Operand& matched) {
  return negative ? Operand{g.declare("bool", "!" + matched.value), matched.valid} : matched;
}

// Any pattern, by a function that interprets it. Its escape character is a constant: a byte, or none.
Operand match_any(Generator& g, const Expr& expr, const char* function) {
  g.need(Section::Unicode);
  const Operand text = g.emit(*expr.children[0]);
  const Operand pattern = g.emit(*expr.children[1]);
  const std::string valid = g.both(text.valid, pattern.valid);
  int escape = -1;
  if (expr.children.size() == 3) {
    const std::string& bytes = expr.children[2]->constant.as_text();
    WEFT_INVARIANT(bytes.size() <= 1, "an escape is one character");
    if (!bytes.empty()) escape = static_cast<unsigned char>(bytes[0]);
  }
  const Operand result = g.declare_result(expr.type, false);
  const std::string bad = g.declare("bool", fmt::format("{} && {}({}, {}, {}, {})", valid.empty() ? "true" : valid,
                                                        function, text.value, pattern.value, escape, result.value));
  if (expr.can_throw) g.raise_if(expr, "", bad);
  return {result.value, valid};
}

Operand emit_pattern(Generator& g, const Expr& expr, bool negative) {
  g.need(Section::Search);
  const Expr& pattern = *expr.children[1];
  const bool constant = pattern.kind == ExprKind::Constant && !pattern.constant.is_null();
  if (constant && expr.children.size() == 2) {
    if (const auto literals = literals_of(pattern.constant.as_text())) {
      const Operand text = g.emit(*expr.children[0]);
      const Operand result = g.declare_result(expr.type, false);
      g.open(fmt::format("if ({})", Generator::valid_or_true(text)));
      match_literals(g, result.value, text.value, *literals);
      g.close();
      return negate_if(g, negative, {result.value, text.valid});
    }
  }
  return negate_if(g, negative, match_any(g, expr, "like_match"));
}

Operand emit_like(Generator& g, const Expr& expr) { return emit_pattern(g, expr, false); }
Operand emit_not_like(Generator& g, const Expr& expr) { return emit_pattern(g, expr, true); }
Operand emit_ilike(Generator& g, const Expr& expr) { return match_any(g, expr, "ilike_match"); }
Operand emit_not_ilike(Generator& g, const Expr& expr) { return negate_if(g, true, match_any(g, expr, "ilike_match")); }

Operand emit_affix(Generator& g, const Expr& expr, const char* function) {
  g.need(Section::Search);
  const std::vector<Operand> operands = g.emit_all(expr.children);
  const std::string valid = g.conjunction(operands);
  return g.guarded(expr.type, valid, fmt::format("{}({}, {})", function, operands[0].value, operands[1].value));
}
Operand emit_prefix(Generator& g, const Expr& expr) { return emit_affix(g, expr, "has_prefix"); }
Operand emit_suffix(Generator& g, const Expr& expr) { return emit_affix(g, expr, "has_suffix"); }

Operand emit_contains(Generator& g, const Expr& expr) {
  const Expr& part = *expr.children[1];
  if (part.kind != ExprKind::Constant || part.constant.is_null()) return emit_affix(g, expr, "has_text");
  g.need(Section::Search);
  const Operand text = g.emit(*expr.children[0]);
  const std::string& bytes = part.constant.as_text();
  if (bytes.empty()) return {"true", text.valid};
  const Operand result = g.declare_result(expr.type, false);
  g.open(fmt::format("if ({})", Generator::valid_or_true(text)));
  g.line(fmt::format("{} = {} != 0;", result.value,
                     find_call(g, text.value + ".p", fmt::format("({0}.p + {0}.n)", text.value), bytes)));
  g.close();
  return {result.value, text.valid};
}

// The position of the first match in code points, from 1; 0: none.
Operand emit_position(Generator& g, const Expr& expr) { return emit_affix(g, expr, "text_position"); }

}  // namespace

Emitter find_search(std::string_view function) {
  constexpr std::array<std::pair<std::string_view, Emitter>, 12> kEmitters{{
      {"~~", emit_like},
      {"!~~", emit_not_like},
      {"~~*", emit_ilike},
      {"!~~*", emit_not_ilike},
      {"like_escape", emit_like},
      {"not_like_escape", emit_not_like},
      {"ilike_escape", emit_ilike},
      {"not_ilike_escape", emit_not_ilike},
      {"prefix", emit_prefix},
      {"suffix", emit_suffix},
      {"contains", emit_contains},
      {"strpos", emit_position},
  }};
  for (const auto& [name, emitter] : kEmitters) {
    if (name == function) return emitter;
  }
  return nullptr;
}

}  // namespace weft::gpu
