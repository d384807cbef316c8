#include "fuzz/statement.hpp"

namespace weft::fuzz {
namespace {

using ExprVisitor = std::function<void(ExprPtr&)>;

template <typename T, typename Text>
std::string joined(const std::vector<T>& list, Text text) {
  std::string out;
  for (size_t i = 0; i < list.size(); ++i) out += (i > 0 ? ", " : "") + text(list[i]);
  return out;
}

std::string list_text(const std::vector<ExprPtr>& list) {
  return joined(list, [](const ExprPtr& expr) { return to_sql(*expr); });
}

std::string order_text(const OrderKey& key) {
  std::string text = to_sql(*key.expr) + (key.descending ? " DESC" : "");
  return key.nulls.empty() ? text : text + " NULLS " + key.nulls;
}

std::string relation_text(const Relation& relation) {
  std::string text = relation.join.empty() ? "" : " " + relation.join + " ";
  if (!relation.values.empty()) {
    text += "(VALUES " + joined(relation.values, [](const auto& row) { return "(" + list_text(row) + ")"; }) + ") " +
            relation.alias + "(" + joined(relation.columns, [](const std::string& name) { return name; }) + ")";
  } else {
    if (relation.lateral) text += "LATERAL ";
    text += (relation.query ? "(" + to_sql(*relation.query) + ")" : relation.table) + " " + relation.alias;
  }
  return relation.on ? text + " ON " + to_sql(*relation.on) : text;
}

std::string group_text(const Query& query) {
  if (query.groups.empty()) return query.grouping == "GROUPING SETS" ? " GROUP BY GROUPING SETS (())" : "";
  if (query.grouping.empty()) return " GROUP BY " + list_text(query.groups);
  if (query.grouping != "GROUPING SETS") return " GROUP BY " + query.grouping + " (" + list_text(query.groups) + ")";
  return " GROUP BY GROUPING SETS (" +
         joined(query.sets,
                [&](const std::vector<size_t>& set) {
                  return "(" + joined(set, [&](size_t i) { return to_sql(*query.groups.at(i)); }) + ")";
                }) +
         ")";
}

std::string select_text(const Query& query) {
  std::string text = "SELECT ";
  if (!query.distinct_on.empty()) text += "DISTINCT ON (" + list_text(query.distinct_on) + ") ";
  if (query.distinct) text += "DISTINCT ";
  text += joined(query.items, [](const Item& item) { return to_sql(*item.expr) + " AS " + item.name; });
  for (size_t i = 0; i < query.from.size(); ++i) text += (i == 0 ? " FROM " : "") + relation_text(query.from[i]);
  if (query.where) text += " WHERE " + to_sql(*query.where);
  text += group_text(query);
  if (query.having) text += " HAVING " + to_sql(*query.having);
  if (query.qualify) text += " QUALIFY " + to_sql(*query.qualify);
  return text;
}

void walk(ExprPtr& slot, const ExprVisitor& visit) {
  if (!slot) return;
  visit(slot);
  for (auto& segment : slot->segments) {
    if (segment.expr) walk(segment.expr, visit);
    if (segment.query) for_each_expression(*segment.query, visit);
  }
}

void walk_subqueries(const ExprPtr& expr, const std::function<void(const QueryPtr&)>& visit) {
  if (!expr) return;
  for (const auto& segment : expr->segments) {
    walk_subqueries(segment.expr, visit);
    if (segment.query) for_each_query(segment.query, visit);
  }
}

}  // namespace

ExprPtr clone(const ExprPtr& expr) {
  if (!expr) return nullptr;
  auto copy = std::make_shared<Expr>(*expr);
  for (auto& segment : copy->segments) {
    segment.expr = clone(segment.expr);
    segment.query = clone(segment.query);
  }
  return copy;
}

QueryPtr clone(const QueryPtr& query) {
  if (!query) return nullptr;
  auto copy = std::make_shared<Query>(*query);
  for (auto& cte : copy->ctes) cte.query = clone(cte.query);
  copy->left = clone(copy->left);
  copy->right = clone(copy->right);
  for (auto& item : copy->items) item.expr = clone(item.expr);
  for (auto& relation : copy->from) {
    relation.query = clone(relation.query);
    relation.on = clone(relation.on);
    for (auto& row : relation.values) {
      for (auto& value : row) value = clone(value);
    }
  }
  for (auto* one : {&copy->where, &copy->having, &copy->qualify}) *one = clone(*one);
  for (auto* list : {&copy->distinct_on, &copy->groups}) {
    for (auto& one : *list) one = clone(one);
  }
  for (auto& key : copy->order) key.expr = clone(key.expr);
  return copy;
}

std::string to_sql(const Expr& expr) {
  std::string text;
  for (const auto& segment : expr.segments) {
    text += segment.text;
    if (segment.expr) text += to_sql(*segment.expr);
    if (segment.query) text += to_sql(*segment.query);
  }
  return text;
}

std::string to_sql(const Query& query) {
  std::string text;
  if (!query.ctes.empty()) {
    text =
        "WITH " +
        joined(query.ctes,
               [](const Cte& cte) { return cte.name + " AS " + cte.materialized + "(" + to_sql(*cte.query) + ")"; }) +
        " ";
  }
  text += query.set_operation.empty()
              ? select_text(query)
              : "(" + to_sql(*query.left) + ") " + query.set_operation + " (" + to_sql(*query.right) + ")";
  if (!query.order.empty()) text += " ORDER BY " + joined(query.order, order_text);
  if (query.limit) text += " LIMIT " + std::to_string(*query.limit);
  if (query.offset) text += " OFFSET " + std::to_string(*query.offset);
  return text;
}

void for_each_expression(Query& query, const ExprVisitor& visit) {
  for (auto& cte : query.ctes) for_each_expression(*cte.query, visit);
  if (query.left) for_each_expression(*query.left, visit);
  if (query.right) for_each_expression(*query.right, visit);
  for (auto& relation : query.from) {
    if (relation.query) for_each_expression(*relation.query, visit);
    walk(relation.on, visit);
    for (auto& row : relation.values) {
      for (auto& value : row) walk(value, visit);
    }
  }
  for (auto* one : {&query.where, &query.having, &query.qualify}) walk(*one, visit);
  for (auto& item : query.items) walk(item.expr, visit);
  for (auto* list : {&query.distinct_on, &query.groups}) {
    for (auto& one : *list) walk(one, visit);
  }
  for (auto& key : query.order) walk(key.expr, visit);
}

void for_each_query(const QueryPtr& query, const std::function<void(const QueryPtr&)>& visit) {
  if (!query) return;
  visit(query);
  for (const auto& cte : query->ctes) for_each_query(cte.query, visit);
  for_each_query(query->left, visit);
  for_each_query(query->right, visit);
  for (const auto& relation : query->from) {
    for_each_query(relation.query, visit);
    walk_subqueries(relation.on, visit);
  }
  for (const auto& one : {query->where, query->having, query->qualify}) walk_subqueries(one, visit);
  for (const auto& item : query->items) walk_subqueries(item.expr, visit);
  for (const auto& key : query->order) walk_subqueries(key.expr, visit);
}

}  // namespace weft::fuzz
