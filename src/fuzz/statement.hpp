// A query as the fuzzer sees it: the clauses of SELECT as a struct, expressions as text with holes. It is printed as
// SQL and taken apart by the reducer; nothing here knows what a query means.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plan/type.hpp"

namespace weft::fuzz {

struct Expr;
struct Query;
using ExprPtr = std::shared_ptr<Expr>;
using QueryPtr = std::shared_ptr<Query>;

/// Text, an expression or a subquery. Segments of one `group` (not 0) can be left out together: FILTER (WHERE ...), a
/// branch of CASE.
struct Segment {
  std::string text;
  ExprPtr expr;
  QueryPtr query;
  int group = 0;
};

/// Its segments one after the other; parentheses are part of the text.
struct Expr {
  plan::Type type;  // as generated: DuckDB may give a decimal another width and scale
  std::vector<Segment> segments;
  bool literal = false;
  bool reads_column = false;  // it or a part of it; else it is a constant
  double bound = 0;           // of a number: no value is further from 0; of a time: finite if all are near the present
  bool exact = true;          // false: a floating value that may differ in its last places
};

struct OrderKey {
  ExprPtr expr;
  bool descending = false;
  std::string nulls;  // "", "FIRST", "LAST"
};

struct Item {
  ExprPtr expr;
  std::string name;
};

struct Relation {
  std::string join;      // "" for the first, else "JOIN", "LEFT JOIN", ..., "CROSS JOIN"
  std::string table;     // a table or a CTE, or
  QueryPtr query;        // a derived table, or
  bool lateral = false;  // it names columns of the relations before it
  std::vector<std::vector<ExprPtr>> values;
  std::vector<std::string> columns;  // names of the columns of `values`
  std::string alias;
  ExprPtr on;  // null: none
};

struct Cte {
  std::string name;
  std::string materialized;  // "", "MATERIALIZED ", "NOT MATERIALIZED "
  QueryPtr query;
};

struct Query {
  std::vector<Cte> ctes;
  std::string set_operation;  // "" for a SELECT, else "UNION ALL", "EXCEPT", ... of left and right
  QueryPtr left, right;

  bool distinct = false;
  std::vector<ExprPtr> distinct_on;
  std::vector<Item> items;
  std::vector<Relation> from;
  ExprPtr where, having, qualify;
  std::vector<ExprPtr> groups;
  std::string grouping;                   // "": GROUP BY groups; "ROLLUP", "CUBE", "GROUPING SETS"
  std::vector<std::vector<size_t>> sets;  // GROUPING SETS: positions in `groups`

  std::vector<OrderKey> order;
  std::optional<uint64_t> limit, offset;
};

ExprPtr clone(const ExprPtr& expr);
QueryPtr clone(const QueryPtr& query);
std::string to_sql(const Expr& expr);
std::string to_sql(const Query& query);

/// Calls `visit` for every expression slot of this query and of its subqueries, CTEs and derived tables, outer first;
/// what `visit` puts into a slot is walked next.
void for_each_expression(Query& query, const std::function<void(ExprPtr&)>& visit);
/// Calls `visit` for this query and for every query in it, outer first.
void for_each_query(const QueryPtr& query, const std::function<void(const QueryPtr&)>& visit);

}  // namespace weft::fuzz
