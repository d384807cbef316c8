// The steps by which the reducer makes a query simpler. Most of what they make is no valid query or has no mismatch any
// more: then the reducer forgets it.
#include <algorithm>

#include "fuzz/reduce.hpp"
#include "fuzz/values.hpp"

namespace weft::fuzz {
namespace {

using plan::Type;
using plan::TypeId;
using Steps = std::vector<std::function<void()>>;

template <typename List>
void erase_steps(List& list, size_t keep, Steps& steps) {
  if (list.size() <= keep) return;
  for (size_t i = 0; i < list.size(); ++i) {
    steps.push_back([&list, i] { list.erase(list.begin() + static_cast<std::ptrdiff_t>(i)); });
  }
}

void drop_column(const QueryPtr& query, size_t column) {
  if (!query->set_operation.empty()) {
    drop_column(query->left, column);
    drop_column(query->right, column);
    return;
  }
  if (column < query->items.size() && query->items.size() > 1) {
    query->items.erase(query->items.begin() + static_cast<std::ptrdiff_t>(column));
  }
}

size_t column_count(const QueryPtr& query) {
  return query->set_operation.empty() ? query->items.size() : column_count(query->left);
}

/// One query takes the place of another that holds it.
void replace_with(const QueryPtr& whole, QueryPtr part) {
  const Query copy = *part;
  *whole = copy;
}

void whole_query_steps(const QueryPtr& root, Steps& steps) {
  for_each_query(root, [&](const QueryPtr& part) {
    if (part == root) return;
    steps.push_back([root, part] {
      auto ctes = root->ctes;
      replace_with(root, part);
      for (auto& cte : ctes) {
        if (cte.query != part) root->ctes.push_back(cte);
      }
    });
  });
}

void relation_steps(const QueryPtr& query, Steps& steps) {
  for (size_t i = 0; i < query->from.size() && query->from.size() > 1; ++i) {
    steps.push_back([query, i] {
      query->from.erase(query->from.begin() + static_cast<std::ptrdiff_t>(i));
      query->from.front().join.clear();
      query->from.front().on = nullptr;
    });
  }
  for (size_t i = 0; i < query->from.size(); ++i) {
    Relation& relation = query->from[i];
    if (relation.join != "JOIN" && relation.on) steps.push_back([&relation] { relation.join = "JOIN"; });
    if (relation.values.size() > 1) erase_steps(relation.values, 1, steps);
  }
}

void clause_steps(const QueryPtr& query, Steps& steps) {
  for (auto* clause : {&query->where, &query->having, &query->qualify}) {
    if (*clause) steps.push_back([query, clause] { *clause = nullptr; });
  }
  if (query->distinct) steps.push_back([query] { query->distinct = false; });
  if (!query->distinct_on.empty()) steps.push_back([query] { query->distinct_on.clear(); });
  if (query->limit) steps.push_back([query] { query->limit.reset(); });
  if (query->offset) steps.push_back([query] { query->offset.reset(); });
  if (!query->order.empty()) steps.push_back([query] { query->order.clear(); });
  if (!query->grouping.empty()) {
    steps.push_back([query] {
      query->grouping.clear();
      query->sets.clear();
    });
  }
  erase_steps(query->ctes, 0, steps);
  erase_steps(query->order, 0, steps);
  erase_steps(query->sets, 1, steps);
  if (query->sets.empty()) erase_steps(query->groups, 0, steps);
  for (size_t i = column_count(query); i-- > 0 && column_count(query) > 1;) {
    steps.push_back([query, i] { drop_column(query, i); });
  }
  for (auto& key : query->order) {
    if (key.descending) steps.push_back([&key] { key.descending = false; });
    if (!key.nulls.empty()) steps.push_back([&key] { key.nulls.clear(); });
  }
}

/// All expressions below `expr` that have its type, so that they can take its place.
void same_typed(const ExprPtr& expr, const Type& type, std::vector<ExprPtr>& out, int depth) {
  if (depth == 0) return;
  for (const auto& segment : expr->segments) {
    if (!segment.expr) continue;
    if (segment.expr->type.id == type.id) out.push_back(segment.expr);
    same_typed(segment.expr, type, out, depth - 1);
  }
}

void group_steps(const ExprPtr& expr, Steps& steps) {
  int last = 0;
  for (const auto& segment : expr->segments) {
    if (segment.group <= last) continue;
    last = segment.group;
    steps.push_back(
        [expr, last] { std::erase_if(expr->segments, [last](const Segment& one) { return one.group == last; }); });
  }
}

std::string simple_literal(const Type& type) {
  if (type.is_numeric()) return literal_sql(type, "1");
  if (type.id == TypeId::Date || type.is_timestamp()) return literal_sql(type, "2020-01-01");
  return type.id == TypeId::Boolean ? "true" : "'a'";
}

void expression_steps(ExprPtr& slot, Steps& steps) {
  const ExprPtr expr = slot;
  const bool compound = std::any_of(expr->segments.begin(), expr->segments.end(),
                                    [](const Segment& segment) { return segment.expr || segment.query; });
  group_steps(expr, steps);
  if (!compound) return;
  std::vector<ExprPtr> parts;
  same_typed(expr, expr->type, parts, 4);
  for (const auto& part : parts) steps.push_back([&slot, part] { slot = clone(part); });
  for (const std::string& text : {simple_literal(expr->type), "CAST(NULL AS " + expr->type.to_string() + ")"}) {
    steps.push_back([&slot, expr, text] {
      auto simple = std::make_shared<Expr>();
      simple->type = expr->type;
      simple->segments.push_back({text, nullptr, nullptr, 0});
      slot = simple;
    });
  }
}

}  // namespace

bool reads_every_row(const QueryPtr& query) {
  bool all = true;
  for_each_query(query, [&](const QueryPtr& part) {
    const bool cuts = part->where || part->having || part->qualify || part->limit || part->offset ||
                      !part->set_operation.empty() || !part->ctes.empty() || part->from.size() > 1;
    all = all && !cuts;
  });
  for_each_expression(*query, [&](ExprPtr& slot) {
    for (const auto& segment : slot->segments) all = all && !segment.query;
  });
  return all;
}

Steps simplifications(const QueryPtr& query) {
  Steps steps;
  whole_query_steps(query, steps);
  for_each_query(query, [&](const QueryPtr& part) { relation_steps(part, steps); });
  for_each_query(query, [&](const QueryPtr& part) { clause_steps(part, steps); });
  for_each_expression(*query, [&](ExprPtr& slot) { expression_steps(slot, steps); });
  return steps;
}

}  // namespace weft::fuzz
