// One DuckDB operator over already translated children.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "sql/translate/relation.hpp"

namespace duckdb {
class LogicalAggregate;
class LogicalColumnDataGet;
class LogicalComparisonJoin;
class LogicalExpressionGet;
class LogicalJoin;
class LogicalLimit;
class LogicalOrder;
class LogicalTopN;
class LogicalSetOperation;
class LogicalWindow;
struct JoinCondition;
}  // namespace duckdb

namespace weft::sql {

/// Columns of the CTEs that a CTE_REF may read inside the same plan, by DuckDB's table index of the CTE.
using CteScope = std::map<uint64_t, std::vector<plan::Column>>;

/// Translates any operator but GET (scan_translator.hpp). Refusals go to the list given; what is returned then is void.
class OperatorTranslator {
 public:
  OperatorTranslator(duckdb::ClientContext& context, const CteScope& ctes, ExpressionList& expressions,
                     RefusalList& refusals)
      : context_(context), ctes_(ctes), expressions_(expressions), refusals_(refusals) {}

  /// `children` has a relation for each child. nullopt if the operator has no form in the plan.
  std::optional<Relation> translate(duckdb::LogicalOperator& op, std::vector<Relation> children);

 private:
  Relation translate_projection(duckdb::LogicalOperator& op, const Relation& child);
  Relation translate_filter(duckdb::LogicalOperator& op, const Relation& child);
  std::optional<Relation> translate_aggregate(duckdb::LogicalAggregate& op, const Relation& child);
  Relation translate_order(duckdb::LogicalOrder& op, const Relation& child);
  std::optional<Relation> translate_top_n(duckdb::LogicalTopN& op, const Relation& child);
  std::optional<Relation> translate_limit(duckdb::LogicalLimit& op, const Relation& child);
  std::optional<Relation> translate_cte(duckdb::LogicalOperator& op, std::vector<Relation> children);
  std::optional<Relation> translate_cte_reference(duckdb::LogicalOperator& op);
  std::optional<Relation> translate_chunk(duckdb::LogicalColumnDataGet& op);
  std::optional<Relation> translate_expression_rows(duckdb::LogicalExpressionGet& op);
  Relation translate_dummy(duckdb::LogicalOperator& op);

  // set_operation_translator.cpp
  Relation translate_distinct(duckdb::LogicalOperator& op, Relation child);
  Relation translate_distinct_on(duckdb::LogicalOperator& op, const Relation& child);
  std::optional<Relation> translate_union(duckdb::LogicalSetOperation& op, std::vector<Relation> children);
  std::optional<Relation> translate_membership(duckdb::LogicalSetOperation& op, std::vector<Relation> children);
  /// The relations with a column for each of their bindings; refuses (and gives nullopt) unless all have the same
  /// types.
  std::optional<std::vector<plan::NodePtr>> same_rows(duckdb::LogicalSetOperation& op, std::vector<Relation> children);
  /// A DISTINCT over all columns.
  plan::NodePtr distinct_rows(plan::NodePtr child, const duckdb::LogicalOperator& op);
  /// The child's columns and, as the last one, each row's number among those of its partition.
  plan::NodePtr numbered_rows(plan::NodePtr child, std::vector<plan::ExprPtr> partitions,
                              std::vector<plan::SortKey> orders, const duckdb::LogicalOperator& op);

  // window_translator.cpp
  std::optional<Relation> translate_window(duckdb::LogicalWindow& op, const Relation& child);

  // join_translator.cpp
  std::optional<Relation> translate_comparison_join(duckdb::LogicalComparisonJoin& op, std::vector<Relation> children);
  std::optional<Relation> translate_any_join(duckdb::LogicalOperator& op, std::vector<Relation> children);
  std::optional<Relation> translate_cross_product(duckdb::LogicalOperator& op, std::vector<Relation> children);
  void add_condition(const duckdb::JoinCondition& condition, bool flipped, const Relation& left, const Relation& right,
                     duckdb::LogicalOperator& op, plan::Join& join, std::vector<plan::ExprPtr>& residual);
  std::optional<Relation> finish_join(duckdb::LogicalOperator& op, plan::Join join, const Relation& left,
                                      const Relation& right, const std::vector<std::vector<size_t>>& maps);

  /// A node that keeps its child's columns.
  Relation same_columns(duckdb::LogicalOperator& op, plan::NodeBody body, const Relation& child);
  /// A draft node; adds what support refuses in it, unless its expressions were refused already.
  plan::NodePtr make_checked(plan::NodeBody body, std::vector<plan::NodePtr> children, std::vector<plan::Column> output,
                             const duckdb::LogicalOperator& op);
  void refuse(support::RefusalCode code, std::string name, const duckdb::LogicalOperator& op);

  duckdb::ClientContext& context_;
  const CteScope& ctes_;
  ExpressionList& expressions_;
  RefusalList& refusals_;
};

}  // namespace weft::sql
