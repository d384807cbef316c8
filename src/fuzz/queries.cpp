#include "fuzz/queries.hpp"

#include <algorithm>

#include "fuzz/values.hpp"

namespace weft::fuzz {
namespace {

using plan::Type;
using plan::TypeId;

struct OutputColumn {
  std::string name;
  Type type;
  double bound = 0;
  bool exact = true;
};

/// What a FROM clause can name: a table or a CTE.
struct Source {
  std::string name;
  std::vector<OutputColumn> columns;
  bool has_id = false;
  double rows = 0;  // about
};

struct MadeQuery {
  QueryPtr query;
  std::vector<OutputColumn> columns;
};

constexpr double kMostRows = 60000;   // about, of a join
constexpr double kMostPairs = 30000;  // of a join without an equality
constexpr double kRowsOfDerived = 60;

class QueryGenerator {
 public:
  QueryGenerator(const std::vector<Table>& tables, uint64_t seed)
      : random_(seed),
        risky_(random_.chance(7)),
        expressions_(random_, risky_),
        aggregates_(random_, expressions_, risky_) {
    for (const auto& table : tables) {
      Source source{table.name, {}, table.has_id, static_cast<double>(table.rows.size())};
      for (const auto& column : table.columns) source.columns.push_back({column.name, column.type, column.bound, true});
      sources_.push_back(std::move(source));
    }
    expressions_.subquery = [this](const Want& want, const Scope& scope) { return subquery(want, scope); };
  }

  GeneratedQuery make() {
    std::vector<Cte> ctes;
    if (random_.chance(15)) {
      const auto count = random_.between(1, 2);
      for (int64_t i = 0; i < count; ++i) ctes.push_back(make_cte("w" + std::to_string(i)));
    }
    MadeQuery made = random_.chance(16) ? set_operation(2, false) : select(2, nullptr, false);
    made.query->ctes = std::move(ctes);
    if (made.query->order.empty()) order_result(made);
    return {made.query, risky_};
  }

 private:
  std::string new_alias() { return "r" + std::to_string(aliases_++); }

  // ---- FROM

  Cte make_cte(const std::string& name) {
    MadeQuery made = random_.chance(20) ? set_operation(1, true) : select(1, nullptr, true);
    Source source{name, made.columns, false, kRowsOfDerived};
    sources_.push_back(std::move(source));
    static constexpr const char* kHow[] = {"", "MATERIALIZED ", "MATERIALIZED ", "NOT MATERIALIZED "};
    return {name, kHow[random_.below(4)], made.query};
  }

  Scope scope_of(const std::string& alias, const std::vector<OutputColumn>& columns, bool has_id) {
    Scope scope;
    for (const auto& column : columns) {
      auto expr = Compose(column.type, column.bound).text(alias + "." + column.name).done();
      expr->exact = column.exact;
      expr->reads_column = true;
      scope.columns.push_back(expr);
      if (!has_id && column.exact) scope.identity.push_back(expr);
    }
    if (has_id) {
      scope.identity.push_back(scope.columns.front());
      scope.unique = scope.columns.front();
      scope.rows_differ = true;
    }
    return scope;
  }

  Relation values_relation(std::vector<OutputColumn>& columns) {
    Relation relation;
    const auto count = random_.between(1, 3);
    for (int64_t i = 0; i < count; ++i) {
      const Type type = i == 0 ? Type::of(TypeId::Integer) : random_.pick(all_types());
      const double bound = type.is_numeric() ? greatest_of(type) : kNoLimit;
      columns.push_back({"v" + std::to_string(i), type, bound, true});
      relation.columns.push_back(columns.back().name);
    }
    const auto rows = random_.between(1, 5);
    for (int64_t r = 0; r < rows; ++r) {
      relation.values.emplace_back();
      for (const auto& column : columns) {
        // A first row without casts would give the column another type.
        auto value = expressions_.literal({column.type});
        relation.values.back().push_back(
            Compose(column.type).text("CAST(").expr(value).text(" AS " + column.type.to_string() + ")").done());
      }
    }
    return relation;
  }

  struct NewRelation {
    Relation relation;
    Scope scope;
    double rows = 0;
  };

  NewRelation make_relation(int depth) {
    NewRelation out;
    const std::string alias = new_alias();
    const auto roll = random_.below(100);
    if (depth > 0 && roll < 16) {
      MadeQuery made = random_.chance(20) ? set_operation(depth - 1, true) : select(depth - 1, nullptr, true);
      if (random_.chance(20)) limit_inside(made);
      out.relation.query = made.query;
      out.scope = scope_of(alias, made.columns, false);
      out.rows = kRowsOfDerived;
    } else if (roll < 22) {
      std::vector<OutputColumn> columns;
      out.relation = values_relation(columns);
      out.scope = scope_of(alias, columns, false);
      out.rows = 5;
    } else {
      const Source& source = random_.pick(sources_);
      out.relation.table = source.name;
      out.scope = scope_of(alias, source.columns, source.has_id);
      out.rows = source.rows;
    }
    out.relation.alias = alias;
    return out;
  }

  /// left.a = right.b, of one type or of two numeric ones; null if there are no such columns.
  ExprPtr key_pair(const Scope& left, const Scope& right) {
    const bool mixed = random_.chance(12);
    for (int attempt = 0; attempt < 12; ++attempt) {
      const auto a = expressions_.some_column(left, [](const Expr& c) { return c.exact; });
      if (!a) return nullptr;
      const auto b = expressions_.some_column(right, [&](const Expr& c) {
        const bool numbers = mixed && c.type.is_numeric() && a->type.is_numeric();
        return c.exact && (c.type == a->type || numbers);
      });
      if (!b) continue;
      const char* equal = random_.chance(12) ? " IS NOT DISTINCT FROM " : " = ";
      return Compose(Type::of(TypeId::Boolean)).text("(").expr(a).text(equal).expr(b).text(")").done();
    }
    return nullptr;
  }

  static ExprPtr both(const ExprPtr& a, const ExprPtr& b) {
    return Compose(Type::of(TypeId::Boolean)).text("(").expr(a).text(" AND ").expr(b).text(")").done();
  }

  /// JOIN LATERAL (SELECT ... WHERE inner.a = outer.b) ON true; false if there are no such columns.
  bool add_lateral(Query& query, Scope& scope) {
    auto inside = std::make_shared<Query>();
    const NewRelation from = make_relation(0);
    inside->from.push_back(from.relation);
    inside->where = key_pair(from.scope, scope);
    if (!inside->where) return false;
    if (random_.chance(40)) {
      for (int i = 0; i < 2; ++i) {
        auto call = aggregates_.aggregate(from.scope);
        if (!call || !call->exact) call = Compose(Type::of(TypeId::BigInt), 1e6).text("count(*)").done();
        inside->items.push_back({call, "x" + std::to_string(i)});
      }
    } else {
      add_items(*inside, from.scope, nullptr, true);
    }
    Relation relation;
    relation.join = random_.chance(50) ? "JOIN" : "LEFT JOIN";
    relation.lateral = true;
    relation.query = inside;
    relation.alias = new_alias();
    relation.on = Compose(Type::of(TypeId::Boolean)).text("true").done();
    scope.add(scope_of(relation.alias, finished(inside).columns, false));
    query.from.push_back(std::move(relation));
    return true;
  }

  void add_join(Query& query, Scope& scope, double& rows, int depth) {
    if (depth > 0 && rows < 200 && random_.chance(7) && add_lateral(query, scope)) return;
    static constexpr const char* kJoins[] = {"JOIN",       "JOIN",      "JOIN",      "LEFT JOIN", "LEFT JOIN",
                                             "RIGHT JOIN", "FULL JOIN", "SEMI JOIN", "ANTI JOIN", "FULL JOIN"};
    NewRelation next = make_relation(depth);
    const bool few_pairs = rows * next.rows <= kMostPairs;
    Scope all = scope;
    all.add(next.scope);
    if (few_pairs && random_.chance(8)) {
      next.relation.join = "CROSS JOIN";
      rows *= next.rows;
    } else {
      next.relation.join = kJoins[random_.below(10)];
      ExprPtr on = key_pair(scope, next.scope);
      if (on && random_.chance(25)) {
        if (const auto second = key_pair(scope, next.scope)) on = both(on, second);
      }
      if (!on && !few_pairs) return;
      if (!on) on = expressions_.predicate(all, 1);
      if (random_.chance(30)) on = both(on, expressions_.predicate(all, 1));
      if (few_pairs && random_.chance(8)) on = expressions_.predicate(all, 1);
      next.relation.on = on;
      rows = std::max({rows, next.rows, rows * next.rows / 6});
    }
    if (rows > kMostRows) return;
    const bool left_only = next.relation.join == "SEMI JOIN" || next.relation.join == "ANTI JOIN";
    if (!left_only) scope = all;
    query.from.push_back(std::move(next.relation));
  }

  Scope make_from(Query& query, int depth) {
    NewRelation first = make_relation(depth);
    query.from.push_back(first.relation);
    Scope scope = first.scope;
    double rows = first.rows;
    const auto roll = random_.below(100);
    const int joins = roll < 55 ? 0 : roll < 88 ? 1 : 2;
    for (int i = 0; i < joins; ++i) add_join(query, scope, rows, depth);
    return scope;
  }

  // ---- SELECT

  /// While it lives, expressions may hold subqueries.
  class AllowSubqueries {
   public:
    explicit AllowSubqueries(QueryGenerator& generator)
        : generator_(generator), before_(generator.subqueries_allowed_) {
      generator_.subqueries_allowed_ = generator_.subquery_depth_ == 0;
    }
    ~AllowSubqueries() { generator_.subqueries_allowed_ = before_; }
    AllowSubqueries(const AllowSubqueries&) = delete;
    AllowSubqueries& operator=(const AllowSubqueries&) = delete;

   private:
    QueryGenerator& generator_;
    bool before_;
  };

  /// Items of given types, or of any. `exact`: their digits will decide something.
  void add_items(Query& query, const Scope& scope, const std::vector<Type>* types, bool exact) {
    const auto count = types ? types->size() : static_cast<size_t>(random_.between(1, 4));
    for (size_t i = 0; i < count; ++i) {
      const Type type = types ? (*types)[i] : expressions_.some_type(scope);
      ExprPtr expr;
      if (!types && random_.chance(30))
        expr = expressions_.some_column(scope, [&](const Expr& c) { return c.exact || !exact; });
      if (!expr && !types && random_.chance(50)) {
        expr = expressions_.any_call(scope, static_cast<int>(random_.between(1, 2)), exact);
      }
      if (!expr) expr = expressions_.make({type, static_cast<int>(random_.between(1, 3)), kNoLimit, exact}, scope);
      query.items.push_back({expr, "x" + std::to_string(query.items.size())});
    }
  }

  MadeQuery finished(const QueryPtr& query) {
    MadeQuery out{query, {}};
    for (const auto& item : query->items) {
      double bound = item.expr->bound;
      if (!item.expr->type.is_numeric()) bound = std::max(bound, 1.0);
      out.columns.push_back({item.name, item.expr->type, bound, item.expr->exact});
    }
    return out;
  }

  /// Makes the grouping and gives what can be named above it.
  Scope make_groups(Query& query, Scope scope) {
    const auto keys = random_.between(0, 3);
    Scope above;
    for (int64_t i = 0; i < keys; ++i) {
      const auto key = expressions_.key(scope, 1);
      if (!key) break;
      query.groups.push_back(key);
      above.columns.push_back(clone(key));
      above.identity.push_back(clone(key));
    }
    scope.constants = query.groups;
    if (query.groups.size() == 1) above.unique = above.columns.front();
    if (!query.groups.empty() && random_.chance(25)) make_sets(query, above);
    if (!query.grouping.empty()) scope.constants.clear();
    const auto calls = random_.between(query.groups.empty() ? 1 : 0, 3);
    for (int64_t i = 0; i < calls; ++i) {
      ExprPtr call;
      for (int attempt = 0; attempt < 4 && !call; ++attempt) call = aggregates_.aggregate(scope);
      if (!call) call = Compose(Type::of(TypeId::BigInt), 1e6).text("count(*)").done();
      above.columns.push_back(call);
    }
    return above;
  }

  void make_sets(Query& query, Scope& above) {
    static constexpr const char* kKinds[] = {"ROLLUP", "CUBE", "GROUPING SETS"};
    query.grouping = kKinds[random_.below(3)];
    above.identity.clear();  // a set may come twice, and NULL may be of the data or of the set
    above.unique = nullptr;
    if (query.grouping == "GROUPING SETS") {
      const auto sets = random_.between(1, 4);
      for (int64_t s = 0; s < sets; ++s) {
        query.sets.emplace_back();
        for (size_t i = 0; i < query.groups.size(); ++i) {
          if (random_.chance(50)) query.sets.back().push_back(i);
        }
      }
      // What is in no set is no group, and could not be named above.
      for (size_t i = 0; i < query.groups.size(); ++i) query.sets.front().push_back(i);
      std::sort(query.sets.front().begin(), query.sets.front().end());
      query.sets.front().erase(std::unique(query.sets.front().begin(), query.sets.front().end()),
                               query.sets.front().end());
    }
    if (!random_.chance(60)) return;
    Compose grouping(Type::of(TypeId::BigInt), 8);
    grouping.text("GROUPING(").expr(clone(query.groups.front()));
    if (query.groups.size() > 1 && random_.chance(50)) grouping.text(", ", 1).expr(clone(query.groups.back()), 1);
    above.columns.push_back(grouping.text(")").done());
  }

  void grouped(Query& query, const Scope& scope, const std::vector<Type>* types, bool exact) {
    const Scope above = make_groups(query, scope);
    if (random_.chance(25)) query.having = expressions_.predicate(above, 1);
    if (types != nullptr) return add_items(query, above, types, exact);
    for (const auto& column : above.columns) {
      if (exact && !column->exact) continue;
      if (random_.chance(80)) query.items.push_back({clone(column), "x" + std::to_string(query.items.size())});
    }
    if (random_.chance(20)) {
      if (const auto window = aggregates_.window(above); window && (window->exact || !exact)) {
        query.items.push_back({window, "x" + std::to_string(query.items.size())});
      }
    }
    if (query.items.empty() || random_.chance(30)) add_items(query, above, nullptr, exact);
  }

  void windowed(Query& query, const Scope& scope, const std::vector<Type>* types, bool exact) {
    Scope above = scope;
    // Two calls need not take rows that are the same in the same order, and so pair their values otherwise.
    const auto calls = random_.between(1, scope.rows_differ ? 3 : 1);
    std::vector<ExprPtr> windows;
    bool shown = false;
    for (int64_t i = 0; i < calls; ++i) {
      ExprPtr window;
      for (int attempt = 0; attempt < 4 && !window; ++attempt) window = aggregates_.window(scope);
      if (!window) continue;
      windows.push_back(window);
      above.columns.push_back(window);
    }
    if (types == nullptr) {
      for (const auto& window : windows) {
        if (exact && !window->exact) continue;
        query.items.push_back({clone(window), "x" + std::to_string(query.items.size())});
        shown = true;
      }
      for (const auto& column : scope.identity) {
        if (random_.chance(50)) query.items.push_back({clone(column), "x" + std::to_string(query.items.size())});
      }
    }
    // DuckDB wants a window beside QUALIFY.
    if (shown && random_.chance(15)) query.qualify = expressions_.predicate(above, 1);
    if (types != nullptr || query.items.empty()) add_items(query, above, types, exact);
  }

  /// `inside`: its rows go into another query, where the digits of its columns decide things.
  MadeQuery select(int depth, const std::vector<Type>* types, bool inside) {
    auto query = std::make_shared<Query>();
    const Scope scope = make_from(*query, depth);
    {
      const AllowSubqueries allow(*this);
      if (random_.chance(50)) query->where = expressions_.predicate(scope, 2);
    }
    const auto roll = random_.below(100);
    const bool keep_exact = inside && random_.chance(80);
    if (roll < 30) {
      grouped(*query, scope, types, keep_exact);
    } else if (roll < 50) {
      windowed(*query, scope, types, keep_exact);
    } else {
      const bool distinct = roll < 60;
      const AllowSubqueries allow(*this);
      add_items(*query, scope, types, distinct || keep_exact);
      query->distinct = distinct;
      if (!distinct && !inside && types == nullptr && roll < 66) distinct_on(*query, scope);
    }
    return finished(query);
  }

  void distinct_on(Query& query, const Scope& scope) {
    const auto key = expressions_.key(scope, 1);
    if (!key || scope.identity.empty()) return;
    query.distinct_on.push_back(key);
    query.order.push_back({clone(key), random_.chance(40), ""});
    if (random_.chance(40)) {
      if (const auto more = expressions_.key(scope, 1))
        query.order.push_back({more, random_.chance(50), random_.chance(30) ? "FIRST" : ""});
    }
    for (const auto& column : scope.identity) query.order.push_back({clone(column), random_.chance(40), ""});
  }

  MadeQuery set_operation(int depth, bool inside) {
    static constexpr const char* kOperations[] = {"UNION ALL",     "UNION ALL", "UNION",     "INTERSECT",
                                                  "INTERSECT ALL", "EXCEPT",    "EXCEPT ALL"};
    std::vector<Type> types;
    const auto count = random_.between(1, 3);
    for (int64_t i = 0; i < count; ++i) {
      types.push_back(random_.chance(50) ? Type::of(TypeId::Integer) : random_.pick(all_types()));
    }
    auto query = std::make_shared<Query>();
    query->set_operation = kOperations[random_.below(7)];
    const bool exact = inside || query->set_operation != "UNION ALL";
    MadeQuery left = select(depth - 1, &types, exact);
    MadeQuery right =
        random_.chance(15) && depth > 0 ? set_operation_of(types, depth - 1) : select(depth - 1, &types, exact);
    // The digits of both sides are compared, so that none may be inexact.
    if (exact) {
      const auto inexact = [](const OutputColumn& column) { return !column.exact; };
      if (std::any_of(left.columns.begin(), left.columns.end(), inexact) ||
          std::any_of(right.columns.begin(), right.columns.end(), inexact)) {
        query->set_operation = "UNION ALL";
      }
    }
    query->left = left.query;
    query->right = right.query;
    MadeQuery out{query, left.columns};
    for (size_t i = 0; i < out.columns.size(); ++i) {
      out.columns[i].bound = std::max(left.columns[i].bound, right.columns[i].bound);
      out.columns[i].exact = left.columns[i].exact && right.columns[i].exact;
    }
    return out;
  }

  MadeQuery set_operation_of(const std::vector<Type>& types, int depth) {
    auto query = std::make_shared<Query>();
    query->set_operation = "UNION ALL";
    MadeQuery left = select(depth, &types, true);
    MadeQuery right = select(depth, &types, true);
    query->left = left.query;
    query->right = right.query;
    for (size_t i = 0; i < left.columns.size(); ++i) {
      left.columns[i].bound = std::max(left.columns[i].bound, right.columns[i].bound);
      left.columns[i].exact = left.columns[i].exact && right.columns[i].exact;
    }
    return {query, left.columns};
  }

  // ---- order

  ExprPtr position(size_t column) { return Compose(Type::of(TypeId::Integer)).text(std::to_string(column + 1)).done(); }

  OrderKey order_key(const ExprPtr& expr) {
    static constexpr const char* kNulls[] = {"", "", "FIRST", "LAST"};
    return {expr, random_.chance(40), kNulls[random_.below(4)]};
  }

  void order_result(MadeQuery& made) {
    if (random_.chance(45)) {
      const auto keys = random_.between(1, 3);
      for (int64_t i = 0; i < keys; ++i) {
        const size_t column = random_.below(made.columns.size());
        if (made.columns[column].exact) made.query->order.push_back(order_key(position(column)));
      }
    }
    if (random_.chance(made.query->order.empty() ? 5 : 40)) limit(*made.query);
  }

  void limit(Query& query) {
    if (random_.chance(90)) query.limit = random_.below(random_.chance(15) ? 2 : 30);
    if (!query.limit || random_.chance(30)) query.offset = random_.below(10);
  }

  /// Cuts rows of a derived table: by an order of all its columns, so that rows that tie are the same.
  void limit_inside(MadeQuery& made) {
    for (const auto& column : made.columns) {
      if (!column.exact || column.type.is_floating()) return;
    }
    for (size_t i = 0; i < made.columns.size(); ++i) made.query->order.push_back(order_key(position(i)));
    limit(*made.query);
  }

  // ---- subqueries

  ExprPtr correlation(const Scope& inner, const Scope& outer) {
    if (random_.chance(85)) return key_pair(inner, outer);
    Scope all = inner;
    all.add(outer);
    return expressions_.predicate(all, 1);
  }

  ExprPtr subquery(const Want& want, const Scope& scope) {
    if (!subqueries_allowed_ || subquery_depth_ > 0 || want.limit != kNoLimit) return nullptr;
    ++subquery_depth_;
    const bool allowed = subqueries_allowed_;
    subqueries_allowed_ = false;
    auto query = std::make_shared<Query>();
    const Scope inner = make_from(*query, 0);
    const bool correlated = random_.chance(55);
    if (correlated) query->where = correlation(inner, scope);
    if (random_.chance(35)) {
      const auto more = expressions_.predicate(inner, 1);
      query->where = query->where ? both(query->where, more) : more;
    }
    ExprPtr made = want.type.id == TypeId::Boolean && random_.chance(80) ? membership(query, inner, scope)
                                                                         : scalar(query, inner, want);
    subqueries_allowed_ = allowed;
    --subquery_depth_;
    return made;
  }

  ExprPtr membership(const QueryPtr& query, const Scope& inner, const Scope& outer) {
    const Type boolean = Type::of(TypeId::Boolean);
    if (random_.chance(45)) {
      query->items.push_back({position(0), "x0"});
      return Compose(boolean).text(random_.chance(40) ? "(NOT EXISTS (" : "(EXISTS (").query(query).text("))").done();
    }
    const auto outer_column = expressions_.some_column(outer, [](const Expr& c) { return c.exact; });
    if (!outer_column) return nullptr;
    query->items.push_back({expressions_.make({outer_column->type, 1, kNoLimit, true}, inner), "x0"});
    const auto roll = random_.below(100);
    Compose out(boolean);
    if (roll < 15) {
      static constexpr const char* kCompare[] = {" = ", " <> ", " < ", " >= "};
      const char* compare = kCompare[random_.below(4)];
      return out.text("(")
          .expr(outer_column)
          .text(compare)
          .text(random_.chance(50) ? "ANY (" : "ALL (")
          .query(query)
          .text("))")
          .done();
    }
    const char* in = random_.chance(35) ? " NOT IN (" : " IN (";
    const auto second = roll < 30 ? expressions_.some_column(outer, [](const Expr& c) { return c.exact; }) : nullptr;
    if (!second) return out.text("(").expr(outer_column).text(in).query(query).text("))").done();
    query->items.push_back({expressions_.leaf({second->type, 0, kNoLimit, true}, inner), "x1"});
    return out.text("((").expr(outer_column).text(", ").expr(second).text(")").text(in).query(query).text("))").done();
  }

  ExprPtr scalar(const QueryPtr& query, const Scope& inner, const Want& want) {
    if (inner.unique && query->from.size() == 1 && random_.chance(30)) {
      // At most one row without an aggregate: the column that numbers the rows is given.
      const auto number = Compose(Type::of(TypeId::Integer)).text(std::to_string(random_.between(1, 40))).done();
      const auto one = Compose(Type::of(TypeId::Boolean))
                           .text("(")
                           .expr(clone(inner.unique))
                           .text(" = ")
                           .expr(number)
                           .text(")")
                           .done();
      query->where = query->where ? both(query->where, one) : one;
      query->items.push_back({expressions_.make({want.type, 1, kNoLimit, true}, inner), "x0"});
      const double bound = std::max(query->items.back().expr->bound, 1.0);
      return Compose(want.type, bound).text("(").query(query).text(")").done();
    }
    const char* function = random_.chance(50) ? "min(" : "max(";
    auto argument = expressions_.make({want.type, 1, kNoLimit, true}, inner);
    const double bound = argument->bound;
    auto call = Compose(want.type, bound).text(function).expr(argument).text(")").done();
    if (want.type.id == TypeId::BigInt && random_.chance(50)) call = Compose(want.type, 1e6).text("count(*)").done();
    query->items.push_back({call, "x0"});
    return Compose(want.type, std::max(bound, 1e6)).text("(").query(query).text(")").done();
  }

  Random random_;
  bool risky_;
  ExpressionGenerator expressions_;
  AggregateGenerator aggregates_;
  std::vector<Source> sources_;
  size_t aliases_ = 0;
  bool subqueries_allowed_ = false;
  int subquery_depth_ = 0;
};

}  // namespace

GeneratedQuery make_query(const std::vector<Table>& tables, uint64_t seed) {
  return QueryGenerator(tables, seed).make();
}

}  // namespace weft::fuzz
