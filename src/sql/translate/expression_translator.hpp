// DuckDB's bound expressions as plan expressions.
#pragma once

#include <string>
#include <vector>

#include "sql/translate/relation.hpp"

namespace duckdb {
class BoundAggregateExpression;
class BoundFunctionExpression;
class BoundOperatorExpression;
class BoundWindowExpression;
struct BoundOrderByNode;
}  // namespace duckdb

namespace weft::sql {

/// Translates the expressions of one operator over one scope. What has no form in the plan is added to `refusals` under
/// the operator's name, and a typed NULL stands in its place, so that all refusals of an expression are found; whether
/// the GPU can run what was translated is support's answer, not this class's.
class ExpressionTranslator {
 public:
  ExpressionTranslator(const ColumnScope& scope, std::string node, ExpressionList& expressions, RefusalList& refusals)
      : scope_(scope), node_(std::move(node)), expressions_(expressions), refusals_(refusals) {}

  plan::ExprPtr translate(const duckdb::Expression& expression);
  plan::AggregateCall translate_aggregate(const duckdb::BoundAggregateExpression& aggregate);
  /// The call alone: its partitions and orders are the caller's. window_translator.cpp
  plan::WindowCall translate_window(const duckdb::BoundWindowExpression& window);
  std::vector<plan::ExprPtr> translate_all(const duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& expressions);
  std::vector<plan::SortKey> translate_order(const duckdb::vector<duckdb::BoundOrderByNode>& orders);
  /// Splits a predicate at its ANDs, in order, and leaves out what DuckDB calls optional (a scan's hints). A predicate
  /// that is all hints gives nothing.
  void translate_conjuncts(const duckdb::Expression& predicate, std::vector<plan::ExprPtr>& conjuncts);

 private:
  plan::ExprPtr refuse(support::RefusalCode code, std::string name, const duckdb::Expression& expression);
  plan::ExprPtr translate_reference(const duckdb::Expression& expression);
  plan::ExprPtr translate_function(const duckdb::BoundFunctionExpression& function);
  plan::ExprPtr translate_call(const duckdb::BoundFunctionExpression& function);
  std::vector<plan::ExprPtr> translate_arguments(const duckdb::BoundFunctionExpression& function);
  plan::ExprPtr translate_cast(const duckdb::BoundFunctionExpression& function);
  plan::ExprPtr translate_between(const duckdb::BoundFunctionExpression& function);
  plan::ExprPtr translate_operator(const duckdb::BoundOperatorExpression& expression);
  plan::ExprPtr translate_conjunction(const duckdb::Expression& expression);
  plan::ExprPtr translate_case(const duckdb::Expression& expression);
  plan::FrameBound translate_bound(plan::FrameBoundKind kind, const duckdb::unique_ptr<duckdb::Expression>& value);
  /// Keeps a copy of the expression with positions for references, and gives its id.
  uint32_t remember(const duckdb::Expression& expression);
  void bind_references(duckdb::unique_ptr<duckdb::Expression>& expression) const;

  const ColumnScope& scope_;
  std::string node_;
  ExpressionList& expressions_;
  RefusalList& refusals_;
};

/// The plan's name of an aggregate that DuckDB's plan calls `name`: a sum proven not to overflow has the same values.
std::string aggregate_name(const std::string& name);
/// "sum(BIGINT)", for people.
std::string signature(const std::string& name, const duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& arguments);

/// The comparison of a DuckDB expression type; nullopt if it is none.
std::optional<plan::CompareOp> compare_op(duckdb::ExpressionType type);

}  // namespace weft::sql
