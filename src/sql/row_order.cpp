#include "sql/row_order.hpp"

#include <functional>

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

bool gives(const plan::Plan& plan, const std::function<bool(const Node&)>& test) {
  bool found = false;
  for_each_order_giver(*plan.root, [&](const Node& node) { found = found || test(node); });
  return found;
}

}  // namespace

bool has_ordered_result(const plan::Plan& plan) {
  return gives(plan, [&](const Node& node) {
    if (node.as<plan::Sort>() != nullptr || node.as<plan::TopN>() != nullptr) return true;
    return plan.keep_order && (node.as<plan::Scan>() != nullptr || node.as<plan::HostSource>() != nullptr ||
                               node.as<plan::Values>() != nullptr);
  });
}

bool needs_source_order(const plan::Plan& plan, uint32_t source) {
  if (!plan.keep_order) return false;
  return gives(plan, [&](const Node& node) {
    const auto* host = node.as<plan::HostSource>();
    return host != nullptr && host->source == source;
  });
}

}  // namespace weft::sql
