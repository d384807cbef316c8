#include "fuzz/coverage.hpp"

#include <array>
#include <ostream>

#include "fuzz/values.hpp"
#include "plan/walk.hpp"
#include "support/aggregate_table.hpp"
#include "support/cast_table.hpp"
#include "support/function_table.hpp"
#include "support/support.hpp"

namespace weft::fuzz {
namespace {

using plan::ExprKind;
using plan::TypeId;

constexpr std::array kJoins = {"inner join", "left join", "right join", "full join",
                               "semi join",  "anti join", "mark join",  "single join"};
constexpr std::array kOperators = {
    "SCAN",     "HOST_SOURCE", "VALUES", "FILTER", "PROJECTION", "AGGREGATE", "grouping sets", "WINDOW",
    "ORDER_BY", "TOP_N",       "LIMIT",  "UNION",  "CTE",        "CTE_SCAN",  "CROSS_PRODUCT", "NESTED_LOOP_JOIN"};
constexpr std::array kExpressions = {"AND", "OR", "NOT", "IS NULL", "IS NOT NULL", "IN", "CASE", "COALESCE"};

/// Decimals as one type: their widths and scales are many.
std::string type_name(const plan::Type& type) { return type.is_decimal() ? "DECIMAL" : type.to_string(); }

std::string cast_name(const plan::Type& from, const plan::Type& to) { return type_name(from) + " -> " + type_name(to); }

const char* expression_name(ExprKind kind) {
  switch (kind) {
    case ExprKind::And:
      return "AND";
    case ExprKind::Or:
      return "OR";
    case ExprKind::Not:
      return "NOT";
    case ExprKind::IsNull:
      return "IS NULL";
    case ExprKind::IsNotNull:
      return "IS NOT NULL";
    case ExprKind::In:
      return "IN";
    case ExprKind::Case:
      return "CASE";
    case ExprKind::Coalesce:
      return "COALESCE";
    default:
      return "";
  }
}

/// Everything that is native, with a count of 0.
std::map<std::string, std::map<std::string, uint64_t>> all_native() {
  std::map<std::string, std::map<std::string, uint64_t>> all;
  for (const auto& info : support::functions()) {
    std::string_view name = info.name;
    if (info.kind == "scalar") name = support::canonical_function(name);
    if (info.kind == "aggregate") name = support::canonical_aggregate(name);
    all[std::string(info.kind)][std::string(name)] = 0;
  }
  for (const auto& form : support::aggregate_forms()) {
    if (form.over_frames) all["aggregate over frames"][std::string(form.name)] = 0;
  }
  for (const auto* name : kJoins) all["operator"][name] = 0;
  for (const auto* name : kOperators) all["operator"][name] = 0;
  for (const auto* name : kExpressions) all["expression"][name] = 0;
  for (int op = 0; op <= static_cast<int>(plan::CompareOp::NotDistinctFrom); ++op) {
    all["expression"][plan::to_string(static_cast<plan::CompareOp>(op))] = 0;
  }
  for (const auto& from : all_types()) {
    for (const auto& to : all_types()) {
      if (from != to && support::cast_supported(from, to)) all["cast"][cast_name(from, to)] = 0;
    }
  }
  return all;
}

}  // namespace

void Coverage::add_expression(const plan::Expr& expr) {
  if (expr.kind == ExprKind::Function) {
    ++met_["scalar"][std::string(support::canonical_function(expr.function))];
  } else if (expr.kind == ExprKind::Comparison) {
    ++met_["expression"][plan::to_string(expr.compare)];
  } else if (expr.kind == ExprKind::Cast) {
    if (expr.children[0]->type.id != TypeId::Null) ++met_["cast"][cast_name(expr.children[0]->type, expr.type)];
  } else if (const std::string name = expression_name(expr.kind); !name.empty()) {
    ++met_["expression"][name];
  }
}

void Coverage::add_node(const plan::Node& node) {
  ++met_["operator"][plan::kind_name(node)];
  if (const auto* join = node.as<plan::Join>()) ++met_["operator"][kJoins.at(static_cast<size_t>(join->kind))];
  if (const auto* aggregate = node.as<plan::Aggregate>()) {
    if (!aggregate->grouping_sets.empty()) ++met_["operator"]["grouping sets"];
    for (const auto& call : aggregate->aggregates) {
      ++met_["aggregate"][std::string(support::canonical_aggregate(call.function))];
    }
  }
  if (const auto* window = node.as<plan::Window>()) {
    for (const auto& call : window->calls) {
      if (call.is_aggregate) {
        ++met_["aggregate over frames"][std::string(support::canonical_aggregate(call.function))];
      } else {
        ++met_["window"][call.function];
      }
    }
  }
  plan::for_each_expression(node, [&](const plan::ExprPtr& root) {
    plan::for_each_expr(*root, [&](const plan::Expr& expr) { add_expression(expr); });
  });
}

void Coverage::add(const plan::Plan& plan) {
  plan::for_each_node(*plan.root, [&](const plan::Node& node) { add_node(node); });
}

std::map<std::string, uint64_t> Coverage::counts(const std::string& kind) const {
  auto all = all_native()[kind];
  const auto met = met_.find(kind);
  if (met == met_.end()) return all;
  for (const auto& [name, count] : met->second) all[name] = count;
  return all;
}

void Coverage::print(std::ostream& out) const {
  for (const auto& [kind, names] : all_native()) {
    size_t hit = 0;
    const auto all = counts(kind);
    std::string met, never;
    for (const auto& [name, count] : all) {
      if (count > 0) ++hit;
      std::string& text = count > 0 ? met : never;
      text += (text.empty() ? "" : ", ") + name + (count > 0 ? " " + std::to_string(count) : "");
    }
    out << kind << ": " << hit << " of " << all.size() << " met";
    if (kind != "cast") out << "\n  met: " << met;
    out << (never.empty() ? "" : "\n  never: " + never) << "\n";
  }
}

}  // namespace weft::fuzz
