// Window calls as DuckDB SQL.
//
// A RANGE bound of a plan is a value of the order key's type, and SQL has an offset there, from which DuckDB's binder
// makes the bound: key - offset, or key + offset where the order and the side say so. So the offset is read back from a
// bound of that form, and for any other bound it is the distance between key and bound.
#include <string>

#include "oracle/clauses.hpp"
#include "oracle/oracle.hpp"
#include "plan/walk.hpp"

namespace weft::oracle {
namespace {

using plan::Expr;
using plan::FrameBoundKind;
using plan::TypeId;

// The binder puts at most one cast on each to bring key and bound to one type.
const Expr& without_cast(const Expr& expr) { return expr.kind == plan::ExprKind::Cast ? *expr.children[0] : expr; }

// DuckDB computes key - offset for a bound before the key in value, else key + offset.
std::string range_offset(const plan::FrameBound& bound, const plan::SortKey& key, const Columns& columns) {
  const bool before = (bound.kind == FrameBoundKind::Preceding) != key.descending;
  const Expr& computed = without_cast(*bound.value);
  const bool is_step = computed.kind == plan::ExprKind::Function && computed.children.size() == 2 &&
                       computed.function == (before ? "-" : "+") &&
                       plan::same(without_cast(*computed.children[0]), without_cast(*key.expression));
  if (is_step) return write_expression(*computed.children[1], columns);
  const std::string at_key = write_expression(*key.expression, columns);
  const std::string at_bound = write_expression(*bound.value, columns);
  const std::string distance = before ? at_key + " - " + at_bound : at_bound + " - " + at_key;
  const plan::Type& type = key.expression->type;
  if (type.id == TypeId::Date) return "CAST(" + distance + " AS INTEGER)";  // DuckDB adds no BIGINT to a DATE
  return type.is_timestamp() ? "(" + distance + ")" : typed(distance, type);
}

std::string bound_value(const plan::Window& window, const plan::Frame& frame, const plan::FrameBound& bound,
                        const Columns& columns) {
  if (!bound.value) return "";
  if (frame.unit == plan::FrameUnit::Range) return range_offset(bound, window.orders.at(0), columns);
  return write_expression(*bound.value, columns);
}

std::string write_call(const plan::WindowCall& call, const Columns& columns) {
  if (call.function == "count_star") return "count(*)";
  std::string text = aggregate_name(call.function) + "(" + (call.distinct ? "DISTINCT " : "") +
                     joined(expressions(call.arguments, columns), ", ");
  if (!call.argument_order_by.empty()) text += " " + order_by(call.argument_order_by, columns);
  return text + (call.ignore_nulls ? " IGNORE NULLS)" : ")");
}

}  // namespace

Columns write_window_calls(const plan::Window& window, const Columns& columns) {
  Columns parts;
  if (!window.partitions.empty()) {
    parts.push_back("PARTITION BY " + joined(expressions(window.partitions, columns), ", "));
  }
  if (!window.orders.empty()) parts.push_back(order_by(window.orders, columns));
  Columns texts;
  for (const plan::WindowCall& call : window.calls) {
    std::string text = write_call(call, columns);
    if (call.filter) text += " FILTER (WHERE " + write_expression(*call.filter, columns) + ")";
    Columns over = parts;
    if (plan::reads_frame(call)) {
      over.push_back(plan::frame_text(call.frame, bound_value(window, call.frame, call.frame.start, columns),
                                      bound_value(window, call.frame, call.frame.end, columns)));
    }
    texts.push_back(typed(text + " OVER (" + joined(over, " ") + ")", call.type));
  }
  return texts;
}

}  // namespace weft::oracle
