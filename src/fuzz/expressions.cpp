#include "fuzz/expressions.hpp"

#include <algorithm>
#include <cmath>

#include "fuzz/values.hpp"
#include "support/cast_table.hpp"

namespace weft::fuzz {

using plan::Type;
using plan::TypeId;

void Scope::add(const Scope& other) {
  columns.insert(columns.end(), other.columns.begin(), other.columns.end());
  identity.insert(identity.end(), other.identity.begin(), other.identity.end());
  rows_differ = rows_differ && other.rows_differ;
  unique = nullptr;
}

Compose::Compose(Type type, double bound) : expr_(std::make_shared<Expr>()) {
  expr_->type = std::move(type);
  expr_->bound = bound;
}

Compose& Compose::text(std::string text, int group) {
  expr_->segments.push_back({std::move(text), nullptr, nullptr, group});
  return *this;
}

Compose& Compose::expr(const ExprPtr& expr, int group) {
  expr_->reads_column = expr_->reads_column || expr->reads_column;
  expr_->exact = expr_->exact && (expr->exact || !expr_->type.is_floating());
  expr_->segments.push_back({"", expr, nullptr, group});
  return *this;
}

Compose& Compose::query(const QueryPtr& query) {
  expr_->reads_column = true;
  expr_->segments.push_back({"", nullptr, query, 0});
  return *this;
}

namespace {

bool fits(const Expr& column, const Want& want) {
  return column.type == want.type && column.bound <= want.limit && (column.exact || !want.exact);
}

bool same_family(const Type& a, const Type& b) {
  const auto family = [](const Type& type) {
    if (type.is_numeric()) return 0;
    if (type.is_timestamp() || type.is_zoned() || type.id == TypeId::Date) return 1;
    return 2 + static_cast<int>(type.id);
  };
  return family(a) == family(b);
}

double largest(const std::vector<ExprPtr>& list) {
  double bound = 0;
  for (const auto& expr : list) bound = std::max(bound, expr->bound);
  return bound;
}

}  // namespace

ExprPtr ExpressionGenerator::some_column(const Scope& scope, const std::function<bool(const Expr&)>& fits) {
  std::vector<const ExprPtr*> found;
  for (const auto& column : scope.columns) {
    if (fits(*column)) found.push_back(&column);
  }
  return found.empty() ? nullptr : clone(*random_.pick(found));
}

ExprPtr ExpressionGenerator::literal(const Want& want) {
  if (random_.chance(4)) {
    auto null = Compose(want.type).text("CAST(NULL AS " + want.type.to_string() + ")").done();
    null->literal = true;
    return null;
  }
  const bool free = want.limit == kNoLimit;
  const bool edge = free && random_.chance(30);
  std::string value = edge ? edge_value(want.type, random_) : plain_value(want.type, random_, want.limit);
  if (want.type.id == TypeId::Varchar && random_.chance(30)) value = text_of_a_value(random_);
  double bound = std::min(want.limit, kPlainBound);
  if (edge) bound = want.type.is_numeric() ? greatest_of(want.type) : kNoLimit;
  if (!want.type.is_numeric() && !edge) bound = 1;
  auto out = Compose(want.type, bound).text(literal_sql(want.type, value)).done();
  out->literal = true;
  return out;
}

ExprPtr ExpressionGenerator::column_as(const Want& want, const Scope& scope) {
  if (random_.chance(90)) {
    if (auto column = some_column(scope, [&](const Expr& c) { return fits(c, want); })) return column;
  }
  const bool any_family = want.limit == kNoLimit && random_.chance(50);
  auto column = some_column(scope, [&](const Expr& c) {
    const bool near = want.limit == kNoLimit || c.bound <= want.limit;
    return c.type != want.type && (any_family || same_family(c.type, want.type)) && near && c.exact &&
           support::cast_supported(c.type, want.type);
  });
  if (!column) return nullptr;
  double bound = want.type.is_numeric() ? greatest_of(want.type) : kNoLimit;
  if (same_family(column->type, want.type)) bound = std::min(bound, column->bound);
  return Compose(want.type, bound)
      .text(risky_ ? "CAST(" : "TRY_CAST(")
      .expr(column)
      .text(" AS " + want.type.to_string() + ")")
      .done();
}

ExprPtr ExpressionGenerator::leaf(const Want& want, const Scope& scope) {
  if (random_.chance(92)) {
    if (auto column = column_as(want, scope)) return column;
  }
  return literal(want);
}

Type ExpressionGenerator::some_type(const Scope& scope) {
  if (scope.columns.empty() || random_.chance(25)) return random_.pick(all_types());
  return random_.pick(scope.columns)->type;
}

ExprPtr ExpressionGenerator::key(const Scope& scope, int depth) {
  if (depth > 0 && random_.chance(35)) {
    auto column = some_column(scope, [](const Expr& c) { return c.exact; });
    if (column) {
      auto made = make({column->type, depth, kNoLimit, true}, scope);
      if (made->reads_column && made->segments.size() > 1) return made;
    }
  }
  return some_column(scope, [](const Expr& c) { return c.exact; });
}

std::vector<Type> ExpressionGenerator::types_of(support::TypeClass type_class) const {
  std::vector<Type> types;
  for (const auto& type : all_types()) {
    if (support::matches(type_class, type)) types.push_back(type);
  }
  return types;
}

ExprPtr ExpressionGenerator::make(const Want& want, const Scope& scope) {
  if (want.depth <= 0) return leaf(want, scope);
  if (subquery && random_.chance(4)) {
    if (auto made = subquery(want, scope)) return made;
  }
  const auto roll = random_.below(100);
  if (roll < 15) return leaf(want, scope);
  if (want.type.id == TypeId::Boolean && roll < 70) return predicate(scope, want.depth);
  if (roll < 30) {
    if (auto made = cast(want, scope)) return made;
  }
  if (roll < 45) return branches(want, scope);
  if (auto made = call(want, scope)) return made;
  return leaf(want, scope);
}

ExprPtr ExpressionGenerator::cast(const Want& want, const Scope& scope) {
  const bool limited = want.limit != kNoLimit;
  std::vector<Type> sources;
  for (const auto& type : all_types()) {
    if (type == want.type || !support::cast_supported(type, want.type)) continue;
    if (limited && !same_family(type, want.type)) continue;
    sources.push_back(type);
  }
  if (sources.empty()) return nullptr;
  const Type from = random_.pick(sources);
  const bool to_wider = from.is_integer() && want.type.is_integer() && greatest_of(from) <= greatest_of(want.type) &&
                        (want.type.is_unsigned() == from.is_unsigned() || !want.type.is_unsigned()) &&
                        greatest_of(from) < greatest_of(want.type);
  const bool cannot_fail = to_wider || want.type.id == TypeId::Varchar || from.id == TypeId::Boolean ||
                           (want.type.id == TypeId::Double && from.is_numeric());
  const bool plain = cannot_fail || risky_ ? random_.chance(80) : false;
  auto child = make({from, want.depth - 1, want.limit, true}, scope);
  double bound = child->bound;
  if (want.type.is_numeric())
    bound = from.is_numeric() ? std::min(bound, greatest_of(want.type)) : greatest_of(want.type);
  if (want.type.is_numeric() && from.id == TypeId::Boolean) bound = 1;
  if (!want.type.is_numeric() && from.id == TypeId::Varchar) bound = kNoLimit;
  if (!from.is_numeric() && want.type.is_floating() && from.id == TypeId::Varchar) bound = kNoLimit;
  return Compose(want.type, bound)
      .text(plain ? "CAST(" : "TRY_CAST(")
      .expr(child)
      .text(" AS " + want.type.to_string() + ")")
      .done();
}

ExprPtr ExpressionGenerator::branches(const Want& want, const Scope& scope) {
  Want inner = want;
  --inner.depth;
  const auto kind = random_.below(4);
  std::vector<ExprPtr> values;
  for (int i = 0; i < 3; ++i) values.push_back(make(inner, scope));
  if (kind == 0) {
    Compose out(want.type, largest(values));
    out.text("COALESCE(").expr(values[0]);
    for (size_t i = 1; i < 3; ++i) {
      const int group = out.new_group();
      out.text(", ", group).expr(values[i], group);
    }
    return out.text(")").done();
  }
  if (kind == 1)
    return Compose(want.type, values[0]->bound)
        .text("NULLIF(")
        .expr(values[0])
        .text(", ")
        .expr(leaf({want.type, 0, kNoLimit, true}, scope))
        .text(")")
        .done();
  Compose out(want.type, largest(values));
  out.text("CASE WHEN ").expr(predicate(scope, want.depth - 1)).text(" THEN ").expr(values[0]);
  if (kind == 2) {
    const int group = out.new_group();
    out.text(" WHEN ", group)
        .expr(predicate(scope, want.depth - 1), group)
        .text(" THEN ", group)
        .expr(values[1], group);
  }
  const int otherwise = out.new_group();
  return out.text(" ELSE ", otherwise).expr(values[2], otherwise).text(" END").done();
}

// ---- predicates

ExprPtr ExpressionGenerator::comparison(const Scope& scope, int depth) {
  static constexpr const char* kOperators[] = {
      "=", "<>", "<", "<=", ">", ">=", "=", "<", "IS DISTINCT FROM", "IS NOT DISTINCT FROM"};
  const Type type = some_type(scope);
  Type other = type;
  if (type.is_numeric() && random_.chance(15)) {
    do {
      other = random_.pick(all_types());
    } while (!other.is_numeric());
  }
  if (depth > 0 && random_.chance(25)) {
    const auto call = any_call(scope, depth, true);
    return Compose(Type::of(TypeId::Boolean))
        .text("(")
        .expr(call)
        .text(std::string(" ") + kOperators[random_.below(10)] + " ")
        .expr(random_.chance(60) ? literal({call->type}) : leaf({call->type, 0, kNoLimit, true}, scope))
        .text(")")
        .done();
  }
  const auto left = make({type, depth - 1, kNoLimit, true}, scope);
  if (random_.chance(12)) {
    return Compose(Type::of(TypeId::Boolean))
        .text("(")
        .expr(left)
        .text(random_.chance(20) ? " NOT BETWEEN " : " BETWEEN ")
        .expr(leaf({type, 0, kNoLimit, true}, scope))
        .text(" AND ")
        .expr(make({type, depth - 1, kNoLimit, true}, scope))
        .text(")")
        .done();
  }
  const auto right = random_.chance(40) ? literal({other}) : make({other, depth - 1, kNoLimit, true}, scope);
  return Compose(Type::of(TypeId::Boolean))
      .text("(")
      .expr(left)
      .text(std::string(" ") + kOperators[random_.below(10)] + " ")
      .expr(right)
      .text(")")
      .done();
}

ExprPtr ExpressionGenerator::in_list(const Scope& scope, int depth) {
  const Type type = some_type(scope);
  Compose out(Type::of(TypeId::Boolean));
  out.text("(").expr(make({type, depth - 1, kNoLimit, true}, scope)).text(random_.chance(30) ? " NOT IN (" : " IN (");
  const auto count = random_.between(1, 6);
  for (int64_t i = 0; i < count; ++i) {
    const int group = i == 0 ? 0 : out.new_group();
    if (i > 0) out.text(", ", group);
    out.expr(random_.chance(85) ? literal({type}) : leaf({type, 0, kNoLimit, true}, scope), group);
  }
  return out.text("))").done();
}

ExprPtr ExpressionGenerator::predicate(const Scope& scope, int depth) {
  const Type boolean = Type::of(TypeId::Boolean);
  const auto roll = random_.below(100);
  if (depth > 0 && roll < 22) {
    Compose out(boolean);
    const char* word = random_.chance(60) ? " AND " : " OR ";
    out.text("(").expr(predicate(scope, depth - 1)).text(word).expr(predicate(scope, depth - 1));
    if (random_.chance(25)) out.text(word, 1).expr(predicate(scope, depth - 1), 1);
    return out.text(")").done();
  }
  if (depth > 0 && roll < 28) return Compose(boolean).text("(NOT ").expr(predicate(scope, depth - 1)).text(")").done();
  if (roll < 38) {
    return Compose(boolean)
        .text("(")
        .expr(make({some_type(scope), depth - 1, kNoLimit, true}, scope))
        .text(random_.chance(50) ? " IS NULL)" : " IS NOT NULL)")
        .done();
  }
  if (roll < 50) return in_list(scope, depth);
  if (depth > 0 && roll < 65) {
    if (auto made = call({boolean, depth}, scope)) return made;
  }
  if (subquery && depth > 0 && roll < 72) {
    if (auto made = subquery({boolean, depth}, scope)) return made;
  }
  return comparison(scope, depth);
}

}  // namespace weft::fuzz
