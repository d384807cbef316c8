#include "sql/translate/column_pruning.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "duckdb/planner/expression/bound_reference_expression.hpp"
#include "duckdb/planner/expression_iterator.hpp"
#include "plan/walk.hpp"

namespace weft::sql {

namespace {

constexpr uint32_t kGone = UINT32_MAX;
using ColumnMap = std::vector<uint32_t>;  // old position -> new one, or kGone

struct Pruned {
  plan::NodePtr node;
  ColumnMap map;
};

bool is_identity(const ColumnMap& map) {
  for (uint32_t i = 0; i < map.size(); ++i)
    if (map[i] != i) return false;
  return true;
}

void move_references(duckdb::Expression& expression, const ColumnMap& map) {
  if (expression.GetExpressionClass() == duckdb::ExpressionClass::BOUND_REF) {
    auto& index = expression.Cast<duckdb::BoundReferenceExpression>().IndexMutable();
    if (index < map.size() && map[index] != kGone) index = map[index];
    return;
  }
  duckdb::ExpressionIterator::EnumerateChildren(
      expression, [&](duckdb::unique_ptr<duckdb::Expression>& child) { move_references(*child, map); });
}

class ColumnPruner {
 public:
  explicit ColumnPruner(ExpressionList& expressions) : expressions_(expressions) {}

  Pruned prune(const plan::NodePtr& node, std::vector<bool> needed) {
    if (!needed.empty() && std::find(needed.begin(), needed.end(), true) == needed.end()) needed[0] = true;
    plan::Node copy = *node;
    if (auto* scan = std::get_if<plan::Scan>(&copy.body)) return prune_scan(copy, *scan, needed);
    if (auto* filter = std::get_if<plan::Filter>(&copy.body)) return prune_filter(copy, *filter, needed);
    if (auto* project = std::get_if<plan::Project>(&copy.body)) return prune_project(copy, *project, needed);
    if (auto* aggregate = std::get_if<plan::Aggregate>(&copy.body)) return prune_aggregate(copy, *aggregate);
    if (auto* window = std::get_if<plan::Window>(&copy.body)) return prune_window(copy, *window, needed);
    if (auto* join = std::get_if<plan::Join>(&copy.body)) return prune_join(copy, *join, needed);
    if (auto* sort = std::get_if<plan::Sort>(&copy.body)) return prune_sort(copy, sort->keys, needed);
    if (auto* top_n = std::get_if<plan::TopN>(&copy.body)) return prune_sort(copy, top_n->keys, needed);
    if (std::holds_alternative<plan::Limit>(copy.body)) {
      std::vector<plan::SortKey> no_keys;
      return prune_sort(copy, no_keys, needed);
    }
    if (std::holds_alternative<plan::CteDefinition>(copy.body)) {
      copy.children[0] = prune(copy.children[0], all(*copy.children[0])).node;
      Pruned consumer = prune(copy.children[1], needed);
      copy.children[1] = consumer.node;
      copy.output = consumer.node->output;
      return {finish(std::move(copy)), std::move(consumer.map)};
    }
    for (auto& child : copy.children) child = prune(child, all(*child)).node;
    return unchanged(std::move(copy));
  }

 private:
  static plan::NodePtr finish(plan::Node node) { return std::make_shared<const plan::Node>(std::move(node)); }
  static std::vector<bool> all(const plan::Node& node) { return std::vector<bool>(node.output.size(), true); }

  static Pruned unchanged(plan::Node node) {
    ColumnMap map(node.output.size());
    std::iota(map.begin(), map.end(), 0U);
    return {finish(std::move(node)), std::move(map)};
  }

  /// Keeps the needed ones of the node's output columns and of `items` beside them.
  template <typename T>
  static ColumnMap keep(std::vector<plan::Column>& output, std::vector<T>& items, const std::vector<bool>& needed) {
    ColumnMap map(output.size(), kGone);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < map.size(); ++i) {
      if (!needed[i]) continue;
      output[kept] = output[i];
      items[kept] = items[i];
      map[i] = kept++;
    }
    output.resize(kept);
    items.resize(kept);
    return map;
  }

  static void mark(const plan::ExprPtr& expr, std::vector<bool>& used) {
    if (expr) plan::collect_columns(*expr, used);
  }

  /// Moves an expression of the plan, and DuckDB's copies of what it names, to the child's new columns.
  void move(plan::ExprPtr& expr, const ColumnMap& map) {
    if (!expr || is_identity(map)) return;
    plan::for_each_expr(*expr, [&](const plan::Expr& part) { move_copy(part.id, map); });
    expr = plan::remap(expr, map);
  }
  void move_copy(uint32_t id, const ColumnMap& map) {
    if (id > 0 && !is_identity(map) && moved_.insert(id).second) move_references(*expressions_[id - 1], map);
  }

  Pruned prune_scan(plan::Node& node, plan::Scan& scan, const std::vector<bool>& needed) {
    ColumnMap map = keep(node.output, scan.projection, needed);
    std::vector<bool> used(scan.columns.size(), false);
    for (const uint32_t column : scan.projection) used[column] = true;
    for (const auto& filter : scan.filters) mark(filter, used);
    ColumnMap columns(scan.columns.size(), kGone);
    std::vector<plan::ScanColumn> kept;
    size_t constant = 0;
    for (uint32_t i = 0; i < used.size(); ++i) {
      const bool is_constant = scan.columns[i].kind == plan::ScanColumn::Kind::FileConstant;
      if (used[i]) {
        columns[i] = static_cast<uint32_t>(kept.size());
        kept.push_back(std::move(scan.columns[i]));
        constant += is_constant ? 1 : 0;
      } else if (is_constant) {
        for (auto& file : scan.files) file.constants.erase(file.constants.begin() + static_cast<ptrdiff_t>(constant));
      }
    }
    scan.columns = std::move(kept);
    for (auto& column : scan.projection) column = columns[column];
    for (auto& filter : scan.filters) move(filter, columns);
    return {finish(std::move(node)), std::move(map)};
  }

  Pruned prune_filter(plan::Node& node, plan::Filter& filter, const std::vector<bool>& needed) {
    ColumnMap map = keep(node.output, filter.projection, needed);
    std::vector<bool> used(node.children[0]->output.size(), false);
    for (const uint32_t column : filter.projection) used[column] = true;
    for (const auto& conjunct : filter.conjuncts) mark(conjunct, used);
    Pruned child = prune(node.children[0], std::move(used));
    for (auto& column : filter.projection) column = child.map[column];
    for (auto& conjunct : filter.conjuncts) move(conjunct, child.map);
    node.children[0] = std::move(child.node);
    return {finish(std::move(node)), std::move(map)};
  }

  Pruned prune_project(plan::Node& node, plan::Project& project, std::vector<bool> needed) {
    for (size_t i = 0; i < needed.size(); ++i) needed[i] = needed[i] || plan::any_can_throw(*project.expressions[i]);
    ColumnMap map = keep(node.output, project.expressions, needed);
    std::vector<bool> used(node.children[0]->output.size(), false);
    for (const auto& expression : project.expressions) mark(expression, used);
    Pruned child = prune(node.children[0], std::move(used));
    for (auto& expression : project.expressions) move(expression, child.map);
    node.children[0] = std::move(child.node);
    return {finish(std::move(node)), std::move(map)};
  }

  Pruned prune_aggregate(plan::Node& node, plan::Aggregate& aggregate) {
    std::vector<bool> used(node.children[0]->output.size(), false);
    const auto each = [&](auto&& visit) {
      for (auto& group : aggregate.groups) visit(group);
      for (auto& call : aggregate.aggregates) {
        for (auto& argument : call.arguments) visit(argument);
        visit(call.filter);
        for (auto& key : call.order_by) visit(key.expression);
      }
    };
    each([&](plan::ExprPtr& expr) { mark(expr, used); });
    Pruned child = prune(node.children[0], std::move(used));
    each([&](plan::ExprPtr& expr) { move(expr, child.map); });
    for (const auto& call : aggregate.aggregates) move_copy(call.id, child.map);
    node.children[0] = std::move(child.node);
    return unchanged(std::move(node));
  }

  static bool can_throw(const plan::WindowCall& call) {
    const auto throws = [](const plan::ExprPtr& expr) { return expr != nullptr && plan::any_can_throw(*expr); };
    return std::any_of(call.arguments.begin(), call.arguments.end(), throws) || throws(call.filter) ||
           call.frame.start.value != nullptr || call.frame.end.value != nullptr;
  }

  /// Drops the child's columns and the calls that nobody reads. A call that may raise stays, and so does the last one.
  Pruned prune_window(plan::Node& node, plan::Window& window, std::vector<bool> needed) {
    const size_t width = node.children[0]->output.size();
    std::vector<plan::WindowCall> calls;
    std::vector<plan::Column> columns;
    ColumnMap call_map;
    for (size_t i = 0; i < window.calls.size(); ++i) {
      const bool last_chance = calls.empty() && i + 1 == window.calls.size();
      const bool kept = needed[width + i] || can_throw(window.calls[i]) || last_chance;
      call_map.push_back(kept ? static_cast<uint32_t>(calls.size()) : kGone);
      if (!kept) continue;
      calls.push_back(std::move(window.calls[i]));
      columns.push_back(std::move(node.output[width + i]));
    }
    window.calls = std::move(calls);
    std::vector<bool> used(needed.begin(), needed.begin() + static_cast<ptrdiff_t>(width));
    const auto each = [&](auto&& visit) {
      for (auto& partition : window.partitions) visit(partition);
      for (auto& key : window.orders) visit(key.expression);
      for (auto& call : window.calls) {
        for (auto& argument : call.arguments) visit(argument);
        visit(call.filter);
        for (auto& key : call.argument_order_by) visit(key.expression);
        visit(call.frame.start.value);
        visit(call.frame.end.value);
      }
    };
    each([&](plan::ExprPtr& expr) { mark(expr, used); });
    Pruned child = prune(node.children[0], std::move(used));
    each([&](plan::ExprPtr& expr) { move(expr, child.map); });
    for (const auto& call : window.calls) move_copy(call.id, child.map);
    ColumnMap map = std::move(child.map);
    node.output = child.node->output;
    const auto new_width = static_cast<uint32_t>(node.output.size());
    for (const uint32_t call : call_map) map.push_back(call == kGone ? kGone : new_width + call);
    node.output.insert(node.output.end(), columns.begin(), columns.end());
    node.children[0] = std::move(child.node);
    return {finish(std::move(node)), std::move(map)};
  }

  /// Nodes that hand on their child's columns.
  Pruned prune_sort(plan::Node& node, std::vector<plan::SortKey>& keys, std::vector<bool> needed) {
    for (const auto& key : keys) mark(key.expression, needed);
    Pruned child = prune(node.children[0], std::move(needed));
    for (auto& key : keys) move(key.expression, child.map);
    node.output = child.node->output;
    node.children[0] = std::move(child.node);
    return {finish(std::move(node)), std::move(child.map)};
  }

  Pruned prune_join(plan::Node& node, plan::Join& join, const std::vector<bool>& needed) {
    std::vector<uint32_t> outputs = join.left_output;
    outputs.insert(outputs.end(), join.right_output.begin(), join.right_output.end());
    if (join.kind == plan::JoinKind::Mark) outputs.push_back(0);
    std::vector<bool> kept_columns = needed;
    if (join.kind == plan::JoinKind::Mark) kept_columns.back() = true;
    const auto kept_left = static_cast<ptrdiff_t>(
        std::count(kept_columns.begin(), kept_columns.begin() + static_cast<ptrdiff_t>(join.left_output.size()), true));
    ColumnMap map = keep(node.output, outputs, kept_columns);
    if (join.kind == plan::JoinKind::Mark) outputs.pop_back();
    join.left_output.assign(outputs.begin(), outputs.begin() + kept_left);
    join.right_output.assign(outputs.begin() + kept_left, outputs.end());

    const size_t left_count = node.children[0]->output.size();
    std::vector<bool> used(left_count + node.children[1]->output.size(), false);
    mark(join.residual, used);
    std::vector<bool> left_used(used.begin(), used.begin() + static_cast<ptrdiff_t>(left_count));
    std::vector<bool> right_used(used.begin() + static_cast<ptrdiff_t>(left_count), used.end());
    for (const uint32_t column : join.left_output) left_used[column] = true;
    for (const uint32_t column : join.right_output) right_used[column] = true;
    for (const auto& key : join.keys) {
      mark(key.left, left_used);
      mark(key.right, right_used);
    }
    if (join.asof) {
      mark(join.asof->left, left_used);
      mark(join.asof->right, right_used);
    }
    Pruned left = prune(node.children[0], std::move(left_used));
    Pruned right = prune(node.children[1], std::move(right_used));
    for (auto& column : join.left_output) column = left.map[column];
    for (auto& column : join.right_output) column = right.map[column];
    for (auto& key : join.keys) {
      move(key.left, left.map);
      move(key.right, right.map);
    }
    if (join.asof) {
      move(join.asof->left, left.map);
      move(join.asof->right, right.map);
    }
    ColumnMap both = left.map;
    const auto new_left_count = static_cast<uint32_t>(left.node->output.size());
    for (const uint32_t column : right.map) both.push_back(column == kGone ? kGone : column + new_left_count);
    move(join.residual, both);
    node.children = {std::move(left.node), std::move(right.node)};
    return {finish(std::move(node)), std::move(map)};
  }

  ExpressionList& expressions_;
  std::set<uint32_t> moved_;  // ids whose copies have moved: a BETWEEN's input occurs twice
};

}  // namespace

plan::NodePtr prune_columns(const plan::NodePtr& root, ExpressionList& expressions) {
  return ColumnPruner(expressions).prune(root, std::vector<bool>(root->output.size(), true)).node;
}

}  // namespace weft::sql
