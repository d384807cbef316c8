// Functions whose code is one call of the prelude over the values of all arguments, NULL if one is NULL.
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

enum class CallKind : uint8_t {
  Value,         // T f(arguments)
  Checked,       // bool f(arguments, T& result): true where DuckDB raises
  Arena,         // T f(head, arguments): takes room in the arena
  CheckedArena,  // bool f(head, arguments, T& result)
};

struct CallForm {
  std::string_view name;
  const char* code;
  Section section;
  CallKind kind;
};

// clang-format off
constexpr std::array kCalls{
    CallForm{"greatest_common_divisor", "common_divisor", Section::Integers, CallKind::Checked},
    CallForm{"least_common_multiple", "common_multiple", Section::Integers, CallKind::Checked},
    CallForm{"!__postfix", "factorial", Section::Integers, CallKind::Checked},
    CallForm{"binom", "choose", Section::Integers, CallKind::Checked},
    CallForm{"<<", "shift_left", Section::Integers, CallKind::Checked},
    CallForm{">>", "shift_right", Section::Integers, CallKind::Value},
    CallForm{"bit_count", "bit_ones", Section::Integers, CallKind::Value},
    CallForm{"even", "next_even", Section::Math, CallKind::Value},
    CallForm{"fmod", "floored_modulo", Section::Math, CallKind::Value},
    CallForm{"repeat", "repeat_text", Section::Reshape, CallKind::CheckedArena},
    CallForm{"lpad", "pad_text<true>", Section::Reshape, CallKind::CheckedArena},
    CallForm{"rpad", "pad_text<false>", Section::Reshape, CallKind::CheckedArena},
    CallForm{"translate", "translate_text", Section::Reshape, CallKind::CheckedArena},
    CallForm{"overlay", "overlay_text", Section::Reshape, CallKind::Arena},
    CallForm{"array_slice", "slice_of", Section::Reshape, CallKind::Checked},
    CallForm{"chr", "text_of_code_point", Section::Reshape, CallKind::CheckedArena},
    CallForm{"ascii", "ascii_of", Section::Reshape, CallKind::Value},
    CallForm{"unicode", "first_code_point", Section::Reshape, CallKind::Value},
    CallForm{"bit_length", "bits_of_text", Section::Reshape, CallKind::Value},
    CallForm{"regexp_escape", "escape_pattern", Section::Reshape, CallKind::Arena},
    CallForm{"url_encode", "encode_url", Section::Reshape, CallKind::Arena},
    CallForm{"url_decode", "decode_url", Section::Reshape, CallKind::CheckedArena},
    CallForm{"reverse", "reverse_graphemes", Section::Grapheme, CallKind::Arena},
    CallForm{"length_grapheme", "graphemes", Section::Grapheme, CallKind::Value},
    CallForm{"left_grapheme", "left_graphemes", Section::Grapheme, CallKind::Checked},
    CallForm{"right_grapheme", "right_graphemes", Section::Grapheme, CallKind::Checked},
    CallForm{"substring_grapheme", "substring_graphemes", Section::Grapheme, CallKind::Checked},
    CallForm{"~~~", "glob_match", Section::Glob, CallKind::Value},
    CallForm{"hex", "to_hex", Section::Radix, CallKind::Arena},
    CallForm{"bin", "to_binary", Section::Radix, CallKind::Arena},
    CallForm{"to_base", "to_base", Section::Radix, CallKind::CheckedArena},
    CallForm{"format_bytes", "size_in_words<1024>", Section::Radix, CallKind::Arena},
    CallForm{"formatReadableDecimalSize", "size_in_words<1000>", Section::Radix, CallKind::Arena},
    CallForm{"bar", "draw_bar", Section::Radix, CallKind::CheckedArena},
    CallForm{"hamming", "mismatches", Section::Distance, CallKind::Checked},
    CallForm{"jaccard", "shared_part", Section::Distance, CallKind::Checked},
    CallForm{"levenshtein", "edit_distance", Section::Distance, CallKind::Arena},
    CallForm{"damerau_levenshtein", "transposed_distance", Section::Distance, CallKind::Arena},
    CallForm{"jaro_similarity", "jaro", Section::Distance, CallKind::Arena},
    CallForm{"jaro_winkler_similarity", "jaro_winkler", Section::Distance, CallKind::Arena},
    CallForm{"md5", "md5", Section::Digest, CallKind::Arena},
    CallForm{"sha1", "sha1", Section::Digest, CallKind::Arena},
    CallForm{"sha256", "sha256", Section::Digest, CallKind::Arena},
};
// clang-format on

const CallForm* form_of(std::string_view function) {
  for (const CallForm& form : kCalls) {
    if (form.name == function) return &form;
  }
  return nullptr;
}

// DuckDB compares with a constant of ASCII on either side as if it stood on the left, and Jaro's similarity depends on
// the side.
bool swaps_sides(const Expr& expr) {
  const auto is_ascii_constant = [](const Expr& side) {
    if (side.kind != plan::ExprKind::Constant || side.constant.is_null()) return false;
    for (const char c : side.constant.as_text()) {
      if (static_cast<unsigned char>(c) > 127) return false;
    }
    return true;
  };
  return expr.function.starts_with("jaro") && expr.children[0]->kind != plan::ExprKind::Constant &&
         is_ascii_constant(*expr.children[1]);
}

Operand emit_prelude_call(Generator& g, const Expr& expr) {
  const CallForm* form = form_of(support::canonical_function(expr.function));
  WEFT_INVARIANT(form != nullptr, "a function without a call of the prelude");
  g.need(form->section);
  std::vector<Operand> operands = g.emit_all(expr.children);
  const std::string valid = g.conjunction(operands);
  if (swaps_sides(expr)) std::swap(operands[0], operands[1]);
  const bool in_arena = form->kind == CallKind::Arena || form->kind == CallKind::CheckedArena;
  if (in_arena) g.need_arena();
  std::string arguments = in_arena ? "p.head" : "";
  for (const Operand& operand : operands) arguments += (arguments.empty() ? "" : ", ") + operand.value;
  if (form->kind == CallKind::Value || form->kind == CallKind::Arena) {
    return g.guarded(expr.type, valid, fmt::format("{}({})", form->code, arguments));
  }
  const Operand result = g.declare_result(expr.type, false);
  g.open(fmt::format("if ({})", valid.empty() ? "true" : valid));
  const std::string failed = g.declare("bool", fmt::format("{}({}, {})", form->code, arguments, result.value));
  if (expr.can_throw) g.raise_if(expr, "", failed);
  g.close();
  return {result.value, valid};
}

}  // namespace

Emitter find_call(std::string_view function) { return form_of(function) == nullptr ? nullptr : emit_prelude_call; }

}  // namespace weft::gpu
