// Expressions of a plan: immutable trees shared by pointer. Columns are positions in the input row (for a join's
// residual predicate: the left columns, then the right ones). Semantics are DuckDB's (docs/ARCHITECTURE.md).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "plan/type.hpp"

namespace weft::plan {

enum class ExprKind : uint8_t {
  ColumnRef,   // column
  Constant,    // constant
  Comparison,  // compare; 2 children of the same type
  And,
  Or,         // n children, three-valued
  Not,        // 1
  IsNull,     // 1, never NULL
  IsNotNull,  // 1, never NULL
  In,         // children[0] IN (children[1..]), three-valued
  Case,       // WHEN c0 THEN c1 WHEN c2 THEN c3 ... ELSE c(last): an odd number of children; branches are lazy
  Coalesce,   // n, lazy
  Cast,       // 1; try_cast: NULL in place of an error
  Function,   // function (DuckDB's name) over children: "+", "substring", "~~", "date_part", ...
};

enum class CompareOp : uint8_t {
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  DistinctFrom,
  NotDistinctFrom
};

struct Expr;
using ExprPtr = std::shared_ptr<const Expr>;

struct Expr {
  ExprKind kind = ExprKind::Constant;
  Type type;               // of the result
  bool nullable = true;    // false: proven never NULL, given inputs that keep their own promise
  bool can_throw = false;  // DuckDB may raise here; false is a proof (statistics), so no check is needed
  uint32_t id = 0;         // names the DuckDB expression it came from, for error texts; 0: none

  uint32_t column = 0;                   // ColumnRef
  Value constant;                        // Constant
  CompareOp compare = CompareOp::Equal;  // Comparison
  bool try_cast = false;                 // Cast
  std::string function;                  // Function
  std::vector<ExprPtr> children;
};

ExprPtr column_ref(uint32_t column, Type type, bool nullable);
ExprPtr constant(Value value);
ExprPtr comparison(CompareOp op, ExprPtr left, ExprPtr right);
ExprPtr call(std::string function, Type type, std::vector<ExprPtr> children, bool can_throw = false);
ExprPtr cast(ExprPtr child, Type type, bool can_throw = true);
ExprPtr conjunction(std::vector<ExprPtr> children);  // And; one child gives itself
/// DuckDB spelling of an operator: "=", "<>", "<", "<=", ">", ">=", "IS DISTINCT FROM", "IS NOT DISTINCT FROM".
const char* to_string(CompareOp op);
/// a op b is b mirrored(op) a.
CompareOp mirrored(CompareOp op);
/// <, <=, > or >=.
bool is_order(CompareOp op);

/// True if the two are the same expression (ids apart): for common subexpressions.
bool same(const Expr& a, const Expr& b);
/// Rewrites every column reference through `map` (map[old] = new position).
ExprPtr remap(const ExprPtr& expr, const std::vector<uint32_t>& map);
/// Marks used[c] for each column referenced. `used` must be large enough.
void collect_columns(const Expr& expr, std::vector<bool>& used);
/// True if this expression or one below it can raise.
bool any_can_throw(const Expr& expr);
/// One line for EXPLAIN and golden tests, columns as names where given, else #n.
std::string to_string(const Expr& expr, const std::vector<std::string>& column_names = {});

}  // namespace weft::plan
