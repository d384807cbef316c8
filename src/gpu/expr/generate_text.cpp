// Text functions whose result is a number, a view of an argument, or new text in the kernel's arena.
#include <array>
#include <utility>

#include <fmt/format.h>

#include "gpu/expr/generator.hpp"
#include "support/function_table.hpp"

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

// Offsets and lengths that DuckDB refuses, because they do not fit its 32-bit positions. (right() takes any.)
void check_positions(Generator& g, const Expr& expr, const std::vector<Operand>& operands, const std::string& valid) {
  const std::string_view function = support::canonical_function(expr.function);
  if (!expr.can_throw || function == "right") return;
  const char* least = function == "left" ? "-9223372036854775807ll" : "-4294967295ll";
  for (size_t i = 1; i < operands.size(); ++i) {
    const Expr& position = *expr.children[i];
    constexpr plan::Int128 kMost = 4294967295;
    if (position.kind == plan::ExprKind::Constant && !position.constant.is_null() &&
        position.constant.as_int() <= kMost && position.constant.as_int() >= -kMost - 1) {
      continue;
    }
    g.raise_if(expr, valid, fmt::format("({0} > 4294967295ll || {0} < {1} - 1)", operands[i].value, least));
  }
}

Operand emit_slice(Generator& g, const Expr& expr, const char* function) {
  g.need(Section::Text);
  const std::vector<Operand> operands = g.emit_all(expr.children);
  const std::string valid = g.conjunction(operands);
  check_positions(g, expr, operands, valid);
  std::string arguments;
  for (const Operand& operand : operands) arguments += (arguments.empty() ? "" : ", ") + operand.value;
  return g.guarded(expr.type, valid, fmt::format("{}({})", function, arguments));
}
Operand emit_substring(Generator& g, const Expr& expr) {
  return emit_slice(g, expr, expr.children.size() == 2 ? "substring_from" : "substring");
}
// A character by its place, or a piece of the text between separators: NULL where there is none. Without a separator
// the whole text is one piece.
Operand emit_element(Generator& g, const Expr& expr) {
  g.need(Section::Reshape);
  const std::vector<Operand> x = g.emit_all(expr.children);
  if (x.size() == 2) {
    const std::string valid = g.conjunction(x);
    check_positions(g, expr, x, valid);
    return g.guarded(expr.type, valid, fmt::format("substring({}, {}, 1)", x[0].value, x[1].value));
  }
  g.makes_nulls();
  Operand result = g.declare_result(expr.type, true);
  const std::string valid = g.both(x[0].valid, x[2].valid);
  g.line(fmt::format("{}{} = split_piece({}, {}, {}, {}, {});", valid.empty() ? "" : fmt::format("if ({}) ", valid),
                     result.valid, x[0].value, x[1].value, Generator::valid_or_true(x[1]), x[2].value, result.value));
  return result;
}
Operand emit_left(Generator& g, const Expr& expr) { return emit_slice(g, expr, "left_of"); }
Operand emit_right(Generator& g, const Expr& expr) { return emit_slice(g, expr, "right_of"); }

// trim(text) takes off space separators; trim(text, characters) those.
Operand emit_ltrim(Generator& g, const Expr& expr) {
  if (expr.children.size() == 2) return emit_call(g, expr, "trim_left_of", Section::Compose);
  return emit_call(g, expr, "trim_left", Section::Text);
}
Operand emit_rtrim(Generator& g, const Expr& expr) {
  if (expr.children.size() == 2) return emit_call(g, expr, "trim_right_of", Section::Compose);
  return emit_call(g, expr, "trim_right", Section::Text);
}
Operand emit_trim(Generator& g, const Expr& expr) {
  g.need(Section::Text);
  if (expr.children.size() == 2) {
    g.need(Section::Compose);
    const std::vector<Operand> x = g.emit_all(expr.children);
    return g.guarded(expr.type, g.conjunction(x),
                     fmt::format("trim_right_of(trim_left_of({0}, {1}), {1})", x[0].value, x[1].value));
  }
  const Operand text = g.emit(*expr.children[0]);
  return g.guarded(expr.type, text.valid, fmt::format("trim_right(trim_left({}))", text.value));
}

// New text: computed only where it is there, because it takes room in the arena.
Operand emit_new_text(Generator& g, const Expr& expr, const std::string& valid, const std::string& call) {
  g.need(Section::Compose);
  g.need_arena();
  return g.guarded(expr.type, valid, call);
}

Operand emit_case_map(Generator& g, const Expr& expr, const char* to_upper) {
  const Operand text = g.emit(*expr.children[0]);
  return emit_new_text(g, expr, text.valid, fmt::format("to_case<{}>(p.head, {})", to_upper, text.value));
}
Operand emit_lower(Generator& g, const Expr& expr) { return emit_case_map(g, expr, "false"); }
Operand emit_upper(Generator& g, const Expr& expr) { return emit_case_map(g, expr, "true"); }

Operand join(Generator& g, const Expr& expr, const std::string& valid, const std::vector<Operand>& parts) {
  std::string list;
  for (const Operand& part : parts) list += (list.empty() ? "" : ", ") + part.value;
  const std::string array = g.declare_array("Text", list);
  return emit_new_text(g, expr, valid, fmt::format("join_texts(p.head, {}, {})", array, parts.size()));
}
Operand emit_double_bar(Generator& g, const Expr& expr) {
  const std::vector<Operand> parts = g.emit_all(expr.children);
  return join(g, expr, g.conjunction(parts), parts);
}
// concat passes over NULLs.
Operand emit_concat(Generator& g, const Expr& expr) {
  std::vector<Operand> parts = g.emit_all(expr.children);
  for (Operand& part : parts) {
    if (!part.valid.empty()) part = {fmt::format("({} ? {} : Text())", part.valid, part.value), ""};
  }
  return join(g, expr, "", parts);
}

Operand emit_replace(Generator& g, const Expr& expr) {
  const std::vector<Operand> x = g.emit_all(expr.children);
  return emit_new_text(g, expr, g.conjunction(x),
                       fmt::format("replace_text(p.head, {}, {}, {})", x[0].value, x[1].value, x[2].value));
}

// NULL where the separator is; NULLs among the rest are passed over, with their separator.
Operand emit_concat_ws(Generator& g, const Expr& expr) {
  g.need(Section::Reshape);
  const std::vector<Operand> x = g.emit_all(expr.children);
  std::string parts, present;
  for (size_t i = 1; i < x.size(); ++i) {
    parts += (i == 1 ? "" : ", ") + x[i].value;
    present += (i == 1 ? "" : ", ") + Generator::valid_or_true(x[i]);
  }
  const std::string array = g.declare_array("Text", parts);
  const std::string flags = g.declare_array("bool", present);
  return emit_new_text(g, expr, x[0].valid,
                       fmt::format("join_with(p.head, {}, {}, {}, {})", x[0].value, array, flags, x.size() - 1));
}

// A part of a path; a constant says what separates: "both_slash", "forward_slash", "backslash" or "system".
Operand emit_path(Generator& g, const Expr& expr) {
  g.need(Section::Reshape);
  const Operand path = g.emit(*expr.children[0]);
  int separators = 3;
  bool without_extension = false;
  for (size_t i = 1; i < expr.children.size(); ++i) {
    const plan::Value& option = expr.children[i]->constant;
    if (option.type.id == plan::TypeId::Boolean) {
      without_extension = option.as_int() != 0;
    } else if (option.as_text() == "forward_slash" || option.as_text() == "system") {
      separators = 1;
    } else if (option.as_text() == "backslash") {
      separators = 2;
    }
  }
  std::string call = expr.function == "parse_dirname" ? "top_folder" : "folder_of";
  std::string arguments = fmt::format("{}, {}", path.value, separators);
  if (expr.function == "parse_filename") {
    call = "file_of";
    arguments += without_extension ? ", true" : ", false";
  }
  return g.guarded(expr.type, path.valid, fmt::format("{}({})", call, arguments));
}

}  // namespace

Emitter find_text(std::string_view function) {
  constexpr std::array<std::pair<std::string_view, Emitter>, 18> kEmitters{{
      {"length", emit_length},
      {"strlen", emit_strlen},
      {"substring", emit_substring},
      {"left", emit_left},
      {"array_extract", emit_element},
      {"right", emit_right},
      {"trim", emit_trim},
      {"ltrim", emit_ltrim},
      {"rtrim", emit_rtrim},
      {"lower", emit_lower},
      {"upper", emit_upper},
      {"||", emit_double_bar},
      {"concat", emit_concat},
      {"replace", emit_replace},
      {"concat_ws", emit_concat_ws},
      {"parse_dirname", emit_path},
      {"parse_dirpath", emit_path},
      {"parse_filename", emit_path},
  }};
  for (const auto& [name, emitter] : kEmitters) {
    if (name == function) return emitter;
  }
  return nullptr;
}

}  // namespace weft::gpu
