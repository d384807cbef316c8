#include "sql/row_order.hpp"

#include <functional>

#include "plan/walk.hpp"

namespace weft::sql {
namespace {

using plan::Node;

/// Visits the nodes whose row order the root's rows have: down through what keeps it.
void for_each_order_giver(const Node& node, const std::function<void(const Node&)>& visit) {
  visit(node);
  const bool keeps = node.as<plan::Filter>() != nullptr || node.as<plan::Project>() != nullptr ||
                     node.as<plan::Limit>() != nullptr || node.as<plan::Union>() != nullptr ||
                     node.as<plan::CteDefinition>() != nullptr;
  if (!keeps) return;
  for (const auto& child : node.children) for_each_order_giver(*child, visit);
}

bool gives(const Node& root, const std::function<bool(const Node&)>& test) {
  bool found = false;
  for_each_order_giver(root, [&](const Node& node) { found = found || test(node); });
  return found;
}

}  // namespace

bool has_ordered_result(const plan::Plan& plan) {
  return gives(*plan.root, [&](const Node& node) {
    if (node.as<plan::Sort>() != nullptr || node.as<plan::TopN>() != nullptr) return true;
    return plan.keep_order && (node.as<plan::Scan>() != nullptr || node.as<plan::HostSource>() != nullptr ||
                               node.as<plan::Values>() != nullptr);
  });
}

bool needs_source_order(const plan::Plan& plan, uint32_t source) {
  if (!plan.keep_order) return false;
  const auto is_source = [&](const Node& node) {
    const auto* host = node.as<plan::HostSource>();
    return host != nullptr && host->source == source;
  };
  bool found = gives(*plan.root, is_source);
  plan::for_each_node(*plan.root, [&](const Node& node) {
    const auto* window = node.as<plan::Window>();
    const bool by_position = window != nullptr && window->partitions.empty() && window->orders.empty();
    found = found || (by_position && gives(*node.children[0], is_source));
  });
  return found;
}

}  // namespace weft::sql
