// Windows: LOGICAL_WINDOW of OperatorTranslator and the calls in it.
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "duckdb/function/aggregate_function.hpp"
#include "duckdb/function/window_function.hpp"
#include "duckdb/planner/expression/bound_window_expression.hpp"
#include "duckdb/planner/operator/logical_window.hpp"
#include "sql/translate/expression_translator.hpp"
#include "sql/translate/operator_translator.hpp"

namespace weft::sql {

namespace {

using duckdb::ExpressionType;
using duckdb::WindowBoundary;
using plan::FrameBoundKind;
using plan::FrameUnit;
using support::RefusalCode;

/// Empty: no function that the plan knows. An alias (rank_dense) is told by its type.
std::string window_name(ExpressionType type) {
  switch (type) {
    case ExpressionType::WINDOW_ROW_NUMBER:
      return "row_number";
    case ExpressionType::WINDOW_RANK:
      return "rank";
    case ExpressionType::WINDOW_RANK_DENSE:
      return "dense_rank";
    case ExpressionType::WINDOW_PERCENT_RANK:
      return "percent_rank";
    case ExpressionType::WINDOW_CUME_DIST:
      return "cume_dist";
    case ExpressionType::WINDOW_NTILE:
      return "ntile";
    case ExpressionType::WINDOW_LAG:
      return "lag";
    case ExpressionType::WINDOW_LEAD:
      return "lead";
    case ExpressionType::WINDOW_FIRST_VALUE:
      return "first_value";
    case ExpressionType::WINDOW_LAST_VALUE:
      return "last_value";
    case ExpressionType::WINDOW_NTH_VALUE:
      return "nth_value";
    default:
      return "";
  }
}

FrameBoundKind bound_kind(WindowBoundary boundary) {
  switch (boundary) {
    case WindowBoundary::UNBOUNDED_FOLLOWING:
      return FrameBoundKind::UnboundedFollowing;
    case WindowBoundary::CURRENT_ROW_RANGE:
    case WindowBoundary::CURRENT_ROW_ROWS:
    case WindowBoundary::CURRENT_ROW_GROUPS:
      return FrameBoundKind::CurrentRow;
    case WindowBoundary::EXPR_PRECEDING_ROWS:
    case WindowBoundary::EXPR_PRECEDING_RANGE:
    case WindowBoundary::EXPR_PRECEDING_GROUPS:
      return FrameBoundKind::Preceding;
    case WindowBoundary::EXPR_FOLLOWING_ROWS:
    case WindowBoundary::EXPR_FOLLOWING_RANGE:
    case WindowBoundary::EXPR_FOLLOWING_GROUPS:
      return FrameBoundKind::Following;
    default:
      return FrameBoundKind::UnboundedPreceding;
  }
}

/// Unbounded ends have no unit: the other end tells it, and between two of them it does not matter.
FrameUnit frame_unit(WindowBoundary start, WindowBoundary end) {
  const auto is_one_of = [&](WindowBoundary current, WindowBoundary preceding, WindowBoundary following) {
    return start == current || start == preceding || start == following || end == current || end == preceding ||
           end == following;
  };
  if (is_one_of(WindowBoundary::CURRENT_ROW_ROWS, WindowBoundary::EXPR_PRECEDING_ROWS,
                WindowBoundary::EXPR_FOLLOWING_ROWS)) {
    return FrameUnit::Rows;
  }
  return is_one_of(WindowBoundary::CURRENT_ROW_GROUPS, WindowBoundary::EXPR_PRECEDING_GROUPS,
                   WindowBoundary::EXPR_FOLLOWING_GROUPS)
             ? FrameUnit::Groups
             : FrameUnit::Range;
}

plan::FrameExclude frame_exclude(duckdb::WindowExcludeMode mode) {
  switch (mode) {
    case duckdb::WindowExcludeMode::CURRENT_ROW:
      return plan::FrameExclude::CurrentRow;
    case duckdb::WindowExcludeMode::GROUP:
      return plan::FrameExclude::Group;
    case duckdb::WindowExcludeMode::TIES:
      return plan::FrameExclude::Ties;
    default:
      return plan::FrameExclude::NoOthers;
  }
}

/// DuckDB binds a default offset and a default NULL; the NULL may still be untyped.
void complete_offset_arguments(plan::WindowCall& call) {
  if (call.arguments.size() == 1) {
    call.arguments.push_back(plan::constant(plan::Value::integer(plan::Type::of(plan::TypeId::BigInt), 1)));
  }
  if (call.arguments.size() == 2) call.arguments.push_back(plan::constant(plan::Value::null(call.type)));
  plan::ExprPtr& otherwise = call.arguments[2];
  const bool untyped = otherwise->type.id == plan::TypeId::Null && otherwise->kind == plan::ExprKind::Constant;
  if (untyped) otherwise = plan::constant(plan::Value::null(call.type));
}

bool never_null(const std::string& function) {
  constexpr std::array<std::string_view, 7> kNames{"row_number", "rank",  "dense_rank", "percent_rank",
                                                   "cume_dist",  "count", "count_star"};
  return std::find(kNames.begin(), kNames.end(), function) != kNames.end();
}

bool same_partitions(const std::vector<plan::ExprPtr>& a, const std::vector<plan::ExprPtr>& b) {
  return std::is_permutation(a.begin(), a.end(), b.begin(), b.end(),
                             [](const plan::ExprPtr& x, const plan::ExprPtr& y) { return plan::same(*x, *y); });
}

bool same_orders(const std::vector<plan::SortKey>& a, const std::vector<plan::SortKey>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const plan::SortKey& x, const plan::SortKey& y) {
    return x.descending == y.descending && x.nulls_first == y.nulls_first && plan::same(*x.expression, *y.expression);
  });
}

/// A plan node in the making: the calls of one partitioning and order, with their places in DuckDB's list.
struct SharedWindow {
  plan::Window window;
  std::vector<size_t> places;
};

}  // namespace

plan::FrameBound ExpressionTranslator::translate_bound(FrameBoundKind kind,
                                                       const duckdb::unique_ptr<duckdb::Expression>& value) {
  const bool has_value = kind == FrameBoundKind::Preceding || kind == FrameBoundKind::Following;
  return {kind, has_value ? translate(*value) : nullptr};
}

plan::WindowCall ExpressionTranslator::translate_window(const duckdb::BoundWindowExpression& window) {
  plan::WindowCall call;
  call.type = translate_type(window.GetReturnType());
  call.is_aggregate = window.AggregateFunction() != nullptr;
  if (call.is_aggregate) {
    call.function = aggregate_name(window.AggregateFunction()->GetName().GetIdentifierName());
    // count(*) of a window is bound as count without arguments.
    if (call.function == "count" && window.GetChildren().empty()) call.function = "count_star";
    if (window.AggregateFunction()->GetStability() == duckdb::FunctionStability::VOLATILE)
      refusals_.add(RefusalCode::VolatileFunction, signature(call.function, window.GetChildren()), node_);
  } else {
    call.function = window_name(window.GetExpressionType());
    if (call.function.empty()) {
      const std::string name = window.WindowFunction()->GetName().GetIdentifierName();
      refusals_.add(RefusalCode::UnsupportedAggregate, signature(name, window.GetChildren()), node_);
    }
  }
  call.arguments = translate_all(window.GetChildren());
  if (call.function == "lag" || call.function == "lead") complete_offset_arguments(call);
  call.distinct = window.Distinct();
  call.ignore_nulls = window.IgnoreNulls();
  if (window.Filter()) call.filter = translate(*window.Filter());
  call.argument_order_by = translate_order(window.ArgOrders());
  call.frame.unit = frame_unit(window.WindowStart(), window.WindowEnd());
  call.frame.start = translate_bound(bound_kind(window.WindowStart()), window.StartExpr());
  call.frame.end = translate_bound(bound_kind(window.WindowEnd()), window.EndExpr());
  call.frame.exclude = frame_exclude(window.WindowExclude());
  call.id = remember(window);
  return call;
}

std::optional<Relation> OperatorTranslator::translate_window(duckdb::LogicalWindow& op, const Relation& child) {
  const ColumnScope scope(child);
  ExpressionTranslator translator(scope, operator_name(op), expressions_, refusals_);
  std::vector<SharedWindow> windows;
  for (size_t i = 0; i < op.expressions.size(); ++i) {
    const auto& expression = op.expressions[i]->Cast<duckdb::BoundWindowExpression>();
    std::vector<plan::ExprPtr> partitions = translator.translate_all(expression.Partitions());
    std::vector<plan::SortKey> orders = translator.translate_order(expression.OrderBy());
    auto shared = std::find_if(windows.begin(), windows.end(), [&](const SharedWindow& other) {
      return same_partitions(other.window.partitions, partitions) && same_orders(other.window.orders, orders);
    });
    if (shared == windows.end()) {
      windows.push_back({plan::Window{std::move(partitions), std::move(orders), {}}, {}});
      shared = windows.end() - 1;
    }
    shared->window.calls.push_back(translator.translate_window(expression));
    shared->places.push_back(i);
  }
  // Each window hands on its child's columns in front, so that the columns of the first child keep their places.
  Relation relation;
  const auto bindings = op.GetColumnBindings();
  relation.bindings.assign(bindings.begin(), bindings.end());
  relation.positions = child.positions;
  relation.positions.resize(relation.bindings.size());
  relation.node = child.node;
  for (SharedWindow& shared : windows) {
    std::vector<plan::Column> output = relation.node->output;
    for (size_t c = 0; c < shared.places.size(); ++c) {
      const plan::WindowCall& call = shared.window.calls[c];
      const std::string name = op.expressions[shared.places[c]]->GetName().GetIdentifierName();
      relation.positions[child.bindings.size() + shared.places[c]] = static_cast<uint32_t>(output.size());
      output.push_back(plan::Column{name, call.type, !never_null(call.function)});
    }
    relation.node = make_checked(std::move(shared.window), {relation.node}, std::move(output), op);
  }
  return relation;
}

}  // namespace weft::sql
