// Comparisons, three-valued logic, IN, CASE, COALESCE.
#include <algorithm>
#include <array>
#include <functional>

#include <fmt/format.h>

#include "base/error.hpp"
#include "gpu/expr/generator.hpp"

namespace weft::gpu {
namespace {

using plan::CompareOp;
using plan::Expr;
using plan::ExprKind;
using plan::ExprPtr;
using plan::Type;
using plan::TypeId;

// Above this many constants an IN list is a sorted table.
constexpr size_t kInlineList = 8;
constexpr size_t kInlineTexts = 16;

std::string negated(const std::string& condition) { return "!(" + condition + ")"; }

std::string compare_condition(Generator& g, CompareOp op, const Type& type, const std::string& a,
                              const std::string& b) {
  switch (op) {
    case CompareOp::Equal:
    case CompareOp::NotDistinctFrom:
      return equal_condition(g, type, a, b);
    case CompareOp::NotEqual:
    case CompareOp::DistinctFrom:
      return negated(equal_condition(g, type, a, b));
    case CompareOp::Less:
      return less_condition(g, type, a, b);
    case CompareOp::LessEqual:
      return negated(less_condition(g, type, b, a));
    case CompareOp::Greater:
      return less_condition(g, type, b, a);
    case CompareOp::GreaterEqual:
      return negated(less_condition(g, type, a, b));
  }
  return "";
}

bool is_text_constant(const Expr& expr) {
  return expr.kind == ExprKind::Constant && expr.type.is_bytes() && !expr.constant.is_null();
}

std::string text_is(Generator& g, const std::string& text, const std::string& bytes) {
  g.need(kernels::Section::Text);
  if (bytes.empty()) return fmt::format("{}.n == 0", text);
  if (bytes.size() > 16) return fmt::format("text_equal({}, {})", text, g.text_constant(bytes));
  std::array<uint64_t, 2> words{};
  for (size_t i = 0; i < bytes.size(); ++i) {
    words[i / 8] |= static_cast<uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * (i % 8));
  }
  if (bytes.size() <= 8) {
    return fmt::format("({0}.n == {1} && load8({0}.p, {1}) == {2:#x}ull)", text, bytes.size(), words[0]);
  }
  return fmt::format("({0}.n == {1} && load8({0}.p, 8) == {2:#x}ull && load8({0}.p + 8, {3}) == {4:#x}ull)", text,
                     bytes.size(), words[0], bytes.size() - 8, words[1]);
}

Operand emit_text_equal_constant(Generator& g, const Expr& expr, const Expr& text, const std::string& bytes) {
  const Operand value = g.emit(text);
  const std::string condition = text_is(g, value.value, bytes);
  return g.guarded(expr.type, value.valid, expr.compare == CompareOp::NotEqual ? negated(condition) : condition);
}

Operand emit_distinct(Generator& g, const Expr& expr) {
  const Operand a = g.emit(*expr.children[0]);
  const Operand b = g.emit(*expr.children[1]);
  const std::string equal = equal_condition(g, expr.children[0]->type, a.value, b.value);
  const bool distinct = expr.compare == CompareOp::DistinctFrom;
  const std::string va = Generator::valid_or_true(a), vb = Generator::valid_or_true(b);
  const std::string same = fmt::format("({0} && {1} ? {2} : {0} == {1})", va, vb, equal);
  return {g.declare("bool", distinct ? negated(same) : same), ""};
}

struct InList {
  std::vector<const plan::Value*> constants;
  std::vector<const Expr*> others;
  bool has_null = false;
};

InList read_list(const Expr& expr) {
  InList list;
  for (size_t i = 1; i < expr.children.size(); ++i) {
    const Expr& child = *expr.children[i];
    if (child.kind != ExprKind::Constant) {
      list.others.push_back(&child);
    } else if (child.constant.is_null()) {
      list.has_null = true;
    } else {
      list.constants.push_back(&child.constant);
    }
  }
  return list;
}

// Many texts: sorted by bytes, one behind the other, and searched by halves.
std::string among_texts(Generator& g, const std::string& value, const std::vector<const plan::Value*>& constants) {
  std::vector<std::string> texts;
  for (const plan::Value* constant : constants) texts.push_back(constant->as_text());
  std::sort(texts.begin(), texts.end());  // std::string compares bytes as unsigned
  std::string pool;
  std::vector<std::string> starts{"0"};
  for (const std::string& text : texts) {
    pool += text;
    starts.push_back(std::to_string(pool.size()));
  }
  g.need(kernels::Section::Text);
  const std::string table = g.table("i32", starts);
  return fmt::format("among_texts({}, {}, {}, {})", g.text_constant(pool), table, texts.size(), value);
}

// A condition that the value is among the constants.
std::string among(Generator& g, const Type& type, const std::string& value, std::vector<const plan::Value*> constants) {
  const bool whole_numbers = !type.is_floating() && !type.is_bytes() && type.id != TypeId::Interval;
  if (whole_numbers && constants.size() > kInlineList) {
    std::sort(constants.begin(), constants.end(),
              [](const plan::Value* a, const plan::Value* b) { return a->as_int() < b->as_int(); });
    std::vector<std::string> sorted;
    for (const plan::Value* constant : constants) sorted.push_back(literal(constant->as_int()));
    g.need(kernels::Section::Text);
    if (!stored_as_128(type)) {
      // UBIGINT's upper half needs another spelling than a signed 64-bit literal.
      if (type.id == TypeId::UBigInt) {
        for (size_t i = 0; i < sorted.size(); ++i) {
          sorted[i] = std::to_string(static_cast<uint64_t>(constants[i]->as_int())) + "ull";
        }
      }
      const std::string table = g.table(c_type(type), sorted);
      return fmt::format("among_sorted({}, {}, {})", table, sorted.size(), value);
    }
  }
  if (type.is_bytes() && constants.size() > kInlineTexts) return among_texts(g, value, constants);
  std::string condition;
  for (const plan::Value* constant : constants) {
    if (!condition.empty()) condition += " || ";
    condition += type.is_bytes() ? text_is(g, value, constant->as_text())
                                 : equal_condition(g, type, value, g.number(type, *constant));
  }
  return condition.empty() ? "false" : "(" + condition + ")";
}

}  // namespace

std::string equal_condition(Generator& g, const Type& type, const std::string& a, const std::string& b) {
  if (type.is_floating()) {
    g.need(kernels::Section::Numbers);
    return fmt::format("float_equal({}, {})", a, b);
  }
  if (type.is_bytes()) {
    g.need(kernels::Section::Text);
    return fmt::format("text_equal({}, {})", a, b);
  }
  if (type.id == TypeId::Interval) {
    g.need(kernels::Section::Dates);
    return fmt::format("(span_micros({}) == span_micros({}))", a, b);
  }
  return fmt::format("({} == {})", a, b);
}

std::string less_condition(Generator& g, const Type& type, const std::string& a, const std::string& b) {
  if (type.is_floating()) {
    g.need(kernels::Section::Numbers);
    return fmt::format("float_less({}, {})", a, b);
  }
  if (type.is_bytes()) {
    g.need(kernels::Section::Text);
    return fmt::format("(text_compare({}, {}) < 0)", a, b);
  }
  if (type.id == TypeId::Interval) {
    g.need(kernels::Section::Dates);
    return fmt::format("(span_micros({}) < span_micros({}))", a, b);
  }
  return fmt::format("({} < {})", a, b);
}

Operand emit_comparison(Generator& g, const Expr& expr) {
  const Expr& left = *expr.children[0];
  const Expr& right = *expr.children[1];
  if (expr.compare == CompareOp::DistinctFrom || expr.compare == CompareOp::NotDistinctFrom)
    return emit_distinct(g, expr);
  if (expr.compare == CompareOp::Equal || expr.compare == CompareOp::NotEqual) {
    if (is_text_constant(right)) return emit_text_equal_constant(g, expr, left, right.constant.as_text());
    if (is_text_constant(left)) return emit_text_equal_constant(g, expr, right, left.constant.as_text());
  }
  const Operand a = g.emit(left);
  const Operand b = g.emit(right);
  const std::string valid = g.both(a.valid, b.valid);
  const std::string condition = compare_condition(g, expr.compare, left.type, a.value, b.value);
  if (left.type.is_bytes()) return g.guarded(expr.type, valid, condition);
  return {g.declare("bool", condition), valid};
}

// AND stops at the first FALSE and OR at the first TRUE: what follows is not evaluated and cannot raise.
Operand emit_and_or(Generator& g, const Expr& expr) {
  const bool is_and = expr.kind == ExprKind::And;
  Operand result = g.declare_result(expr.type, true);
  g.line(fmt::format("{} = {};", result.value, is_and ? "true" : "false"));
  g.line(fmt::format("{} = true;", result.valid));
  size_t opened = 0;
  bool nullable = false;
  for (size_t i = 0; i < expr.children.size(); ++i) {
    const Operand child = g.emit(*expr.children[i]);
    const std::string stops = is_and ? "!" + child.value : child.value;
    if (child.valid.empty()) {
      g.line(fmt::format("if ({}) {{ {} = {}; {} = true; }}", stops, result.value, is_and ? "false" : "true",
                         result.valid));
    } else {
      nullable = true;
      g.line(fmt::format("if (!{}) {{ {} = false; }} else if ({}) {{ {} = {}; {} = true; }}", child.valid, result.valid,
                         stops, result.value, is_and ? "false" : "true", result.valid));
    }
    if (i + 1 == expr.children.size()) break;
    const std::string going = is_and ? result.value : "!" + result.value;
    g.open(fmt::format("if ({})", going));
    ++opened;
  }
  for (; opened > 0; --opened) g.close();
  if (!nullable) result.valid.clear();
  return result;
}

Operand emit_not(Generator& g, const Expr& expr) {
  const Operand child = g.emit(*expr.children[0]);
  return {g.declare("bool", "!" + child.value), child.valid};
}

Operand emit_is_null(Generator& g, const Expr& expr) {
  const Operand child = g.emit(*expr.children[0]);
  const std::string valid = Generator::valid_or_true(child);
  return {expr.kind == ExprKind::IsNull ? "(!" + valid + ")" : "(" + valid + ")", ""};
}

Operand emit_in(Generator& g, const Expr& expr) {
  const Type& type = expr.children[0]->type;
  const Operand value = g.emit(*expr.children[0]);
  const InList list = read_list(expr);
  Operand result = g.declare_result(expr.type, false);
  std::string unknown = list.has_null ? "true" : "";  // a NULL in the list: not found means NULL
  g.line(fmt::format("if ({}) {} = {};", Generator::valid_or_true(value), result.value,
                     among(g, type, value.value, list.constants)));
  for (const Expr* other : list.others) {
    const Operand element = g.emit(*other);
    g.line(fmt::format("if ({} && {} && {}) {} = true;", Generator::valid_or_true(value),
                       Generator::valid_or_true(element), equal_condition(g, type, value.value, element.value),
                       result.value));
    if (!element.valid.empty()) unknown = (unknown.empty() ? "" : unknown + " || ") + ("!" + element.valid);
  }
  if (list.has_null) g.makes_nulls();
  if (unknown.empty()) {
    result.valid = value.valid;
  } else {
    result.valid =
        g.declare("bool", fmt::format("{} && ({} || !({}))", Generator::valid_or_true(value), result.value, unknown));
  }
  return result;
}

Operand emit_case(Generator& g, const Expr& expr) {
  const Operand result = g.declare_result(expr.type, true);
  size_t opened = 0;
  for (size_t i = 0; i + 1 < expr.children.size(); i += 2) {
    const Operand condition = g.emit(*expr.children[i]);
    g.open(fmt::format("if ({})", Generator::is_true(condition)));
    g.assign(result, g.emit(*expr.children[i + 1]));
    g.close();
    g.open("else");
    ++opened;
  }
  g.assign(result, g.emit(*expr.children.back()));
  for (; opened > 0; --opened) g.close();
  return result;
}

Operand emit_coalesce(Generator& g, const Expr& expr) {
  const Operand result = g.declare_result(expr.type, true);
  bool nullable = true;
  size_t opened = 0;
  for (size_t i = 0; i < expr.children.size() && nullable; ++i) {
    const Operand child = g.emit(*expr.children[i]);
    g.assign(result, child);
    nullable = !child.valid.empty();
    if (!nullable || i + 1 == expr.children.size()) break;
    g.open(fmt::format("if (!{})", child.valid));
    ++opened;
  }
  for (; opened > 0; --opened) g.close();
  return {result.value, nullable ? result.valid : ""};
}

}  // namespace weft::gpu
