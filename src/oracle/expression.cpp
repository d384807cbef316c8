// Expressions as DuckDB SQL.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "oracle/oracle.hpp"
#include "oracle/text.hpp"

namespace weft::oracle {
namespace {

using plan::Expr;
using plan::ExprKind;
using plan::ExprPtr;
using Columns = std::vector<std::string>;

std::string list(const std::vector<ExprPtr>& children, std::string_view separator, const Columns& columns,
                 size_t first = 0) {
  std::string text;
  for (size_t i = first; i < children.size(); ++i) {
    if (i > first) text += separator;
    text += write_expression(*children[i], columns);
  }
  return text;
}

std::string write_case(const Expr& expr, const Columns& columns) {
  std::string text = "CASE";
  for (size_t i = 0; i + 1 < expr.children.size(); i += 2) {
    text += " WHEN " + write_expression(*expr.children[i], columns) + " THEN " +
            write_expression(*expr.children[i + 1], columns);
  }
  return text + " ELSE " + write_expression(*expr.children.back(), columns) + " END";
}

// DuckDB wants a plain constant as the first argument of constant_or_null, so it is written as what it means.
std::string write_constant_or_null(const Expr& call, const Columns& columns) {
  std::string any_null;
  for (size_t i = 1; i < call.children.size(); ++i) {
    any_null += (i == 1 ? "" : " OR ") + write_expression(*call.children[i], columns) + " IS NULL";
  }
  return "CASE WHEN " + any_null + " THEN NULL ELSE " + write_expression(*call.children[0], columns) + " END";
}

// The operator that DuckDB's parser turns into the function; empty: it has none.
std::string infix(const Expr& call) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kNamed{{{"~~", "LIKE"},
                                                                                 {"!~~", "NOT LIKE"},
                                                                                 {"~~*", "ILIKE"},
                                                                                 {"!~~*", "NOT ILIKE"},
                                                                                 {"add", "+"},
                                                                                 {"subtract", "-"},
                                                                                 {"multiply", "*"},
                                                                                 {"divide", "//"},
                                                                                 {"mod", "%"}}};
  if (call.children.size() != 2) return "";
  for (const auto& [function, spelling] : kNamed) {
    if (function == call.function) return std::string(spelling);
  }
  const bool symbols = call.function.find_first_not_of("+-*/%|&<>^@~!") == std::string::npos;
  return symbols ? call.function : "";
}

bool takes_a_part(const Expr& call) {
  constexpr std::array<std::string_view, 4> kNames{"date_part", "datepart", "date_trunc", "datetrunc"};
  return std::find(kNames.begin(), kNames.end(), call.function) != kNames.end() && call.children.size() == 2 &&
         call.children[0]->kind == ExprKind::Constant && !call.children[0]->constant.is_null();
}

// An element of string_split, whose list is no value of a plan.
std::string write_split_element(const Expr& call, const Columns& columns) {
  return quoted_name(call.function) + "(string_split(" + write_expression(*call.children[0], columns) + ", " +
         write_expression(*call.children[1], columns) + "), " + write_expression(*call.children[2], columns) + ")";
}

bool is_split_element(const Expr& call) {
  constexpr std::array<std::string_view, 3> kNames{"array_extract", "list_extract", "list_element"};
  return call.children.size() == 3 && std::find(kNames.begin(), kNames.end(), call.function) != kNames.end();
}

std::string write_call(const Expr& call, const Columns& columns) {
  if (is_split_element(call)) return write_split_element(call, columns);
  if (call.function == "constant_or_null") return write_constant_or_null(call, columns);
  if (const std::string spelling = infix(call); !spelling.empty()) {
    return "(" + list(call.children, " " + spelling + " ", columns) + ")";
  }
  if ((call.function == "-" || call.function == "subtract") && call.children.size() == 1) {
    return "(-" + list(call.children, "", columns) + ")";
  }
  // DuckDB chooses the result type by the part, so it must stand there as a plain literal.
  if (takes_a_part(call)) {
    return quoted_name(call.function) + "(" + quoted_text(call.children[0]->constant.as_text()) + ", " +
           write_expression(*call.children[1], columns) + ")";
  }
  return quoted_name(call.function) + "(" + list(call.children, ", ", columns) + ")";
}

std::string typed(const std::string& text, const plan::Type& type) {
  return type.id == plan::TypeId::Null ? text : "CAST(" + text + " AS " + type.to_string() + ")";
}

std::string quoted(std::string_view text, char quote) {
  std::string sql(1, quote);
  for (const char c : text) {
    if (c == quote) sql += quote;
    sql += c;
  }
  return sql + quote;
}

}  // namespace

std::string quoted_name(std::string_view name) { return quoted(name, '"'); }
std::string quoted_text(std::string_view text) { return quoted(text, '\''); }

std::string write_expression(const Expr& expr, const Columns& columns) {
  switch (expr.kind) {
    case ExprKind::ColumnRef:
      return columns.at(expr.column);
    case ExprKind::Constant:
      return expr.constant.to_sql();
    case ExprKind::Comparison:
      return "(" + list(expr.children, std::string(" ") + to_string(expr.compare) + " ", columns) + ")";
    case ExprKind::And:
      return "(" + list(expr.children, " AND ", columns) + ")";
    case ExprKind::Or:
      return "(" + list(expr.children, " OR ", columns) + ")";
    case ExprKind::Not:
      return "(NOT " + list(expr.children, "", columns) + ")";
    case ExprKind::IsNull:
      return "(" + list(expr.children, "", columns) + " IS NULL)";
    case ExprKind::IsNotNull:
      return "(" + list(expr.children, "", columns) + " IS NOT NULL)";
    case ExprKind::In:
      return "(" + write_expression(*expr.children[0], columns) + " IN (" + list(expr.children, ", ", columns, 1) +
             "))";
    case ExprKind::Case:
      return typed(write_case(expr, columns), expr.type);
    case ExprKind::Coalesce:
      return typed("COALESCE(" + list(expr.children, ", ", columns) + ")", expr.type);
    case ExprKind::Cast:
      return (expr.try_cast ? "TRY_CAST(" : "CAST(") + list(expr.children, "", columns) + " AS " +
             expr.type.to_string() + ")";
    case ExprKind::Function:
      return typed(write_call(expr, columns), expr.type);
  }
  return "";
}

}  // namespace weft::oracle
