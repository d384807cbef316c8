#include "support/support.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "plan/walk.hpp"
#include "support/aggregate_table.hpp"
#include "support/cast_table.hpp"
#include "support/function_table.hpp"
#include "support/window_table.hpp"

namespace weft::support {
namespace {

using plan::Expr;
using plan::ExprKind;
using plan::ExprPtr;
using plan::Node;
using plan::TypeId;

// What DuckDB lists as functions and a plan has as kinds of expressions.
constexpr std::array<std::string_view, 11> kExpressionNames{
    "=", "!=", "<", "<=", ">", ">=", "IS DISTINCT FROM", "IS NOT DISTINCT FROM", "__between", "__cast", "cast_to_type"};

// Collects refusals, each once.
class Refusals {
 public:
  explicit Refusals(std::string_view node) : node_(node) {}

  void add(RefusalCode code, std::string name) {
    Refusal refusal{code, std::move(name), std::string(node_)};
    if (std::find(found_.begin(), found_.end(), refusal) == found_.end()) found_.push_back(std::move(refusal));
  }
  void require_type(const plan::Type& type) {
    if (!supported_type(type)) add(RefusalCode::UnsupportedType, type.to_string());
  }
  std::vector<Refusal> take() { return std::move(found_); }

 private:
  std::string_view node_;
  std::vector<Refusal> found_;
};

std::string function_name(const Expr& call) {
  std::string name = call.function + "(";
  for (size_t i = 0; i < call.children.size(); ++i) {
    if (i > 0) name += ", ";
    name += call.children[i]->type.to_string();
  }
  return name + ")";
}

bool is_error(const Expr& expr) { return expr.kind == ExprKind::Function && expr.function == "error"; }

void check_call(const Expr& call, Refusals& refusals) {
  switch (check_function(call)) {
    case FunctionVerdict::Supported:
      return;
    case FunctionVerdict::ConstantOnly:
      refusals.add(RefusalCode::ConstantOnly, function_name(call));
      return;
    case FunctionVerdict::Unsupported:
      refusals.add(RefusalCode::UnsupportedFunction, function_name(call));
      return;
  }
}

// An INTERVAL that a function may take: no column of the device holds one.
bool is_interval_operand(const Expr& expr) {
  return expr.type.id == TypeId::Interval && (expr.kind == ExprKind::Constant || expr.kind == ExprKind::Function);
}

void check_tree(const Expr& expr, Refusals& refusals) {
  // An untyped NULL is cast by whatever reads it, error() never gives a value, and the function table has its own word
  // on intervals: so none of these is refused for its type here.
  const bool untyped = expr.type.id == TypeId::Null && (expr.kind == ExprKind::Constant || is_error(expr));
  const bool interval = is_interval_operand(expr);
  if (!untyped && !interval) refusals.require_type(expr.type);
  if (expr.kind == ExprKind::Function) check_call(expr, refusals);
  if (expr.kind == ExprKind::Cast && !cast_supported(expr.children[0]->type, expr.type)) {
    refusals.add(RefusalCode::UnsupportedCast, expr.children[0]->type.to_string() + " -> " + expr.type.to_string());
  }
  for (const ExprPtr& child : expr.children) {
    const bool takes_intervals = expr.kind == ExprKind::Function || expr.kind == ExprKind::Comparison;
    if (is_interval_operand(*child) && !takes_intervals) refusals.require_type(child->type);
    check_tree(*child, refusals);
  }
}

void check_window(const plan::Window& window, Refusals& refusals) {
  for (const plan::WindowCall& call : window.calls) {
    std::string name = refused_window(call);
    if (!name.empty()) refusals.add(RefusalCode::UnsupportedAggregate, std::move(name));
    for (const ExprPtr& argument : call.arguments) refusals.require_type(argument->type);
  }
  // These become columns, so that an untyped NULL has no type to be of.
  for (const ExprPtr& partition : window.partitions) refusals.require_type(partition->type);
  for (const plan::SortKey& key : window.orders) refusals.require_type(key.expression->type);
}

void check_root(const Expr& expr, Refusals& refusals) {
  if (expr.type.id == TypeId::Interval) refusals.require_type(expr.type);
  check_tree(expr, refusals);
}

}  // namespace

std::string_view to_string(RefusalCode code) {
  switch (code) {
    case RefusalCode::UnsupportedOperator:
      return "unsupported_operator";
    case RefusalCode::UnsupportedJoin:
      return "unsupported_join";
    case RefusalCode::UnsupportedFunction:
      return "unsupported_function";
    case RefusalCode::UnsupportedAggregate:
      return "unsupported_aggregate";
    case RefusalCode::UnsupportedCast:
      return "unsupported_cast";
    case RefusalCode::UnsupportedType:
      return "unsupported_type";
    case RefusalCode::UnsupportedCollation:
      return "unsupported_collation";
    case RefusalCode::UnsupportedSetting:
      return "unsupported_setting";
    case RefusalCode::UnsupportedStatement:
      return "unsupported_statement";
    case RefusalCode::VolatileFunction:
      return "volatile_function";
    case RefusalCode::ConstantOnly:
      return "constant_only";
    case RefusalCode::UnsupportedFile:
      return "unsupported_file";
    case RefusalCode::HostTable:
      return "host_table";
    case RefusalCode::TooSmall:
      return "too_small";
    case RefusalCode::NoDevice:
      return "no_device";
    case RefusalCode::DeviceMemoryExhausted:
      return "device_memory_exhausted";
    case RefusalCode::ModeFunctionsOnly:
      return "mode_functions_only";
    case RefusalCode::Nothing:
      return "nothing_to_do";
  }
  return "unsupported_operator";
}

bool supported_type(const plan::Type& type) {
  switch (type.id) {
    case TypeId::Interval:
    case TypeId::Null:
    case TypeId::Unsupported:
      return false;
    default:
      return true;
  }
}

std::vector<Refusal> check_expression(const Expr& expr, std::string_view node) {
  Refusals refusals(node);
  check_root(expr, refusals);
  return refusals.take();
}

std::vector<Refusal> check_node(const Node& node) {
  Refusals refusals(plan::kind_name(node));
  if (const auto* scan = node.as<plan::Scan>()) {
    for (const plan::ScanColumn& column : scan->columns) refusals.require_type(column.type);
  }
  for (const plan::Column& column : node.output) refusals.require_type(column.type);
  if (const auto* aggregate = node.as<plan::Aggregate>()) {
    const bool too_many =
        aggregate->groups.size() > kMaxSetGroups || aggregate->grouping_sets.size() > kMaxGroupingSets;
    if (!aggregate->grouping_sets.empty() && too_many) {
      refusals.add(RefusalCode::UnsupportedOperator, "GROUPING SETS of so many groups or sets");
    }
    for (const plan::AggregateCall& call : aggregate->aggregates) {
      std::string name = refused_aggregate(call);
      if (!name.empty()) refusals.add(RefusalCode::UnsupportedAggregate, std::move(name));
      // Nothing casts an untyped NULL that an aggregate reads, so it would have to be a column.
      for (const ExprPtr& argument : call.arguments) refusals.require_type(argument->type);
    }
  }
  if (const auto* window = node.as<plan::Window>()) check_window(*window, refusals);
  plan::for_each_expression(node, [&](const ExprPtr& expr) { check_root(*expr, refusals); });
  return refusals.take();
}

std::vector<Refusal> check(const plan::Plan& plan) {
  std::vector<Refusal> all;
  plan::for_each_node(*plan.root, [&](const Node& node) {
    for (Refusal& refusal : check_node(node)) {
      if (std::find(all.begin(), all.end(), refusal) == all.end()) all.push_back(std::move(refusal));
    }
  });
  return all;
}

std::vector<FunctionInfo> functions() {
  std::map<std::pair<std::string_view, std::string_view>, std::string_view> names;
  for (const std::string_view name : kExpressionNames) names.try_emplace({name, "scalar"}, "native");
  for (const std::string_view name : scalar_names()) names.try_emplace({name, "scalar"}, "native");
  for (const std::string_view name : planned_scalars()) names.try_emplace({name, "scalar"}, "planned");
  for (const std::string_view name : aggregate_names()) names.try_emplace({name, "aggregate"}, "native");
  for (const WindowForm& form : window_forms()) names.try_emplace({form.name, "window"}, "native");
  std::vector<FunctionInfo> infos;
  infos.reserve(names.size());
  for (const auto& [key, support] : names) infos.push_back(FunctionInfo{key.first, key.second, support});
  return infos;
}

}  // namespace weft::support
