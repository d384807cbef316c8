#include "plan/expression.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/error.hpp"

namespace weft::plan {
namespace {

bool any_nullable(const std::vector<ExprPtr>& children) {
  return std::any_of(children.begin(), children.end(), [](const ExprPtr& child) { return child->nullable; });
}

// Functions that are never NULL on arguments that are not NULL. (date_part of an infinite date is NULL, for example.)
bool keeps_not_null(std::string_view function) {
  constexpr std::array<std::string_view, 4> kTotal{"+", "-", "*", "/"};
  return std::find(kTotal.begin(), kTotal.end(), function) != kTotal.end();
}

bool is_operator(const Expr& expr) {
  return !expr.function.empty() && std::string_view("+-*/%~!|&<>^").find(expr.function[0]) != std::string_view::npos;
}

struct Printer {
  const std::vector<std::string>& names;

  std::string list(const std::vector<ExprPtr>& children, std::string_view separator, size_t first = 0) const {
    std::string text;
    for (size_t i = first; i < children.size(); ++i) {
      if (i > first) text += separator;
      text += print(*children[i]);
    }
    return text;
  }

  std::string print_case(const Expr& expr) const {
    std::string text = "CASE";
    for (size_t i = 0; i + 1 < expr.children.size(); i += 2) {
      text += " WHEN " + print(*expr.children[i]) + " THEN " + print(*expr.children[i + 1]);
    }
    return text + " ELSE " + print(*expr.children.back()) + " END";
  }

  std::string print_function(const Expr& expr) const {
    if (is_operator(expr) && expr.children.size() == 2)
      return "(" + list(expr.children, " " + expr.function + " ") + ")";
    return expr.function + "(" + list(expr.children, ", ") + ")";
  }

  std::string print(const Expr& expr) const {
    switch (expr.kind) {
      case ExprKind::ColumnRef:
        return expr.column < names.size() ? names[expr.column] : "#" + std::to_string(expr.column);
      case ExprKind::Constant:
        return expr.constant.to_string();
      case ExprKind::Comparison:
        return "(" + list(expr.children, std::string(" ") + to_string(expr.compare) + " ") + ")";
      case ExprKind::And:
        return "(" + list(expr.children, " AND ") + ")";
      case ExprKind::Or:
        return "(" + list(expr.children, " OR ") + ")";
      case ExprKind::Not:
        return "(NOT " + list(expr.children, ", ") + ")";
      case ExprKind::IsNull:
        return "(" + list(expr.children, ", ") + " IS NULL)";
      case ExprKind::IsNotNull:
        return "(" + list(expr.children, ", ") + " IS NOT NULL)";
      case ExprKind::In:
        return "(" + print(*expr.children[0]) + " IN (" + list(expr.children, ", ", 1) + "))";
      case ExprKind::Case:
        return print_case(expr);
      case ExprKind::Coalesce:
        return "COALESCE(" + list(expr.children, ", ") + ")";
      case ExprKind::Cast:
        return std::string(expr.try_cast ? "TRY_CAST(" : "CAST(") + list(expr.children, ", ") + " AS " +
               expr.type.to_string() + ")";
      case ExprKind::Function:
        return print_function(expr);
    }
    return "";
  }
};

}  // namespace

ExprPtr column_ref(uint32_t column, Type type, bool nullable) {
  Expr expr;
  expr.kind = ExprKind::ColumnRef;
  expr.type = std::move(type);
  expr.nullable = nullable;
  expr.column = column;
  return std::make_shared<const Expr>(std::move(expr));
}

ExprPtr constant(Value value) {
  Expr expr;
  expr.kind = ExprKind::Constant;
  expr.type = value.type;
  expr.nullable = value.is_null();
  expr.constant = std::move(value);
  return std::make_shared<const Expr>(std::move(expr));
}

ExprPtr comparison(CompareOp op, ExprPtr left, ExprPtr right) {
  Expr expr;
  expr.kind = ExprKind::Comparison;
  expr.type = Type::of(TypeId::Boolean);
  expr.compare = op;
  expr.children = {std::move(left), std::move(right)};
  expr.nullable = op != CompareOp::DistinctFrom && op != CompareOp::NotDistinctFrom && any_nullable(expr.children);
  return std::make_shared<const Expr>(std::move(expr));
}

ExprPtr call(std::string function, Type type, std::vector<ExprPtr> children, bool can_throw) {
  Expr expr;
  expr.kind = ExprKind::Function;
  expr.type = std::move(type);
  expr.nullable = !keeps_not_null(function) || any_nullable(children);
  expr.can_throw = can_throw;
  expr.function = std::move(function);
  expr.children = std::move(children);
  return std::make_shared<const Expr>(std::move(expr));
}

ExprPtr cast(ExprPtr child, Type type, bool can_throw) {
  Expr expr;
  expr.kind = ExprKind::Cast;
  expr.type = std::move(type);
  expr.nullable = child->nullable;
  expr.can_throw = can_throw;
  expr.children = {std::move(child)};
  return std::make_shared<const Expr>(std::move(expr));
}

ExprPtr conjunction(std::vector<ExprPtr> children) {
  WEFT_INVARIANT(!children.empty(), "a conjunction needs a child");
  if (children.size() == 1) return children[0];
  Expr expr;
  expr.kind = ExprKind::And;
  expr.type = Type::of(TypeId::Boolean);
  expr.nullable = any_nullable(children);
  expr.children = std::move(children);
  return std::make_shared<const Expr>(std::move(expr));
}

const char* to_string(CompareOp op) {
  switch (op) {
    case CompareOp::Equal:
      return "=";
    case CompareOp::NotEqual:
      return "<>";
    case CompareOp::Less:
      return "<";
    case CompareOp::LessEqual:
      return "<=";
    case CompareOp::Greater:
      return ">";
    case CompareOp::GreaterEqual:
      return ">=";
    case CompareOp::DistinctFrom:
      return "IS DISTINCT FROM";
    case CompareOp::NotDistinctFrom:
      return "IS NOT DISTINCT FROM";
  }
  return "";
}

bool is_order(CompareOp op) {
  return op == CompareOp::Less || op == CompareOp::LessEqual || op == CompareOp::Greater ||
         op == CompareOp::GreaterEqual;
}

CompareOp mirrored(CompareOp op) {
  switch (op) {
    case CompareOp::Less:
      return CompareOp::Greater;
    case CompareOp::LessEqual:
      return CompareOp::GreaterEqual;
    case CompareOp::Greater:
      return CompareOp::Less;
    case CompareOp::GreaterEqual:
      return CompareOp::LessEqual;
    default:
      return op;
  }
}

bool same(const Expr& a, const Expr& b) {
  if (&a == &b) return true;
  if (a.kind != b.kind || a.type != b.type || a.nullable != b.nullable || a.can_throw != b.can_throw ||
      a.column != b.column || a.constant != b.constant || a.compare != b.compare || a.try_cast != b.try_cast ||
      a.function != b.function || a.children.size() != b.children.size()) {
    return false;
  }
  return std::equal(a.children.begin(), a.children.end(), b.children.begin(),
                    [](const ExprPtr& x, const ExprPtr& y) { return same(*x, *y); });
}

ExprPtr remap(const ExprPtr& expr, const std::vector<uint32_t>& map) {
  if (expr->kind == ExprKind::ColumnRef) {
    WEFT_INVARIANT(expr->column < map.size(), "a column reference outside the map");
    if (map[expr->column] == expr->column) return expr;
    Expr moved = *expr;
    moved.column = map[expr->column];
    return std::make_shared<const Expr>(std::move(moved));
  }
  std::vector<ExprPtr> children;
  children.reserve(expr->children.size());
  for (const ExprPtr& child : expr->children) children.push_back(remap(child, map));
  if (children == expr->children) return expr;
  Expr moved = *expr;
  moved.children = std::move(children);
  return std::make_shared<const Expr>(std::move(moved));
}

void collect_columns(const Expr& expr, std::vector<bool>& used) {
  if (expr.kind == ExprKind::ColumnRef) {
    WEFT_INVARIANT(expr.column < used.size(), "a column reference outside the row");
    used[expr.column] = true;
  }
  for (const ExprPtr& child : expr.children) collect_columns(*child, used);
}

bool any_can_throw(const Expr& expr) {
  return expr.can_throw || std::any_of(expr.children.begin(), expr.children.end(),
                                       [](const ExprPtr& child) { return any_can_throw(*child); });
}

std::string to_string(const Expr& expr, const std::vector<std::string>& column_names) {
  return Printer{column_names}.print(expr);
}

}  // namespace weft::plan
