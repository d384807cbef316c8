#include "plan/walk.hpp"

#include <algorithm>

namespace weft::plan {
namespace {

using Visit = std::function<void(const ExprPtr&)>;

void visit_all(const std::vector<ExprPtr>& expressions, const Visit& visit) {
  for (const ExprPtr& expr : expressions) visit(expr);
}

void visit_keys(const std::vector<SortKey>& keys, const Visit& visit) {
  for (const SortKey& key : keys) visit(key.expression);
}

void visit_aggregate(const Aggregate& aggregate, const Visit& visit) {
  visit_all(aggregate.groups, visit);
  for (const AggregateCall& call : aggregate.aggregates) {
    visit_all(call.arguments, visit);
    if (call.filter) visit(call.filter);
    visit_keys(call.order_by, visit);
  }
}

void visit_window(const Window& window, const Visit& visit) {
  visit_all(window.partitions, visit);
  visit_keys(window.orders, visit);
  for (const WindowCall& call : window.calls) {
    visit_all(call.arguments, visit);
    if (call.filter) visit(call.filter);
    visit_keys(call.argument_order_by, visit);
    if (call.frame.start.value) visit(call.frame.start.value);
    if (call.frame.end.value) visit(call.frame.end.value);
  }
}

void visit_join(const Join& join, const Visit& visit) {
  for (const JoinKey& key : join.keys) {
    visit(key.left);
    visit(key.right);
  }
  if (join.asof) {
    visit(join.asof->left);
    visit(join.asof->right);
  }
  if (join.residual) visit(join.residual);
}

}  // namespace

bool in_every_set(const Aggregate& aggregate, uint32_t group) {
  return std::all_of(aggregate.grouping_sets.begin(), aggregate.grouping_sets.end(),
                     [&](const auto& set) { return std::binary_search(set.begin(), set.end(), group); });
}

void for_each_node(const Node& root, const std::function<void(const Node&)>& visit) {
  visit(root);
  for (const NodePtr& child : root.children) for_each_node(*child, visit);
}

void for_each_expression(const Node& node, const std::function<void(const ExprPtr&)>& visit) {
  if (const auto* scan = node.as<Scan>()) visit_all(scan->filters, visit);
  if (const auto* filter = node.as<Filter>()) visit_all(filter->conjuncts, visit);
  if (const auto* project = node.as<Project>()) visit_all(project->expressions, visit);
  if (const auto* aggregate = node.as<Aggregate>()) visit_aggregate(*aggregate, visit);
  if (const auto* window = node.as<Window>()) visit_window(*window, visit);
  if (const auto* sort = node.as<Sort>()) visit_keys(sort->keys, visit);
  if (const auto* top_n = node.as<TopN>()) visit_keys(top_n->keys, visit);
  if (const auto* join = node.as<Join>()) visit_join(*join, visit);
}

void for_each_expr(const Expr& root, const std::function<void(const Expr&)>& visit) {
  visit(root);
  for (const ExprPtr& child : root.children) for_each_expr(*child, visit);
}

}  // namespace weft::plan
