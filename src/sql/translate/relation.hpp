// What the translation of one DuckDB operator gives to its parent, and how the parent's expressions find columns in it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sql/translate/translator.hpp"

namespace weft::sql {

/// A translated subtree. Its node is a draft: ids and HostSource numbers are given when the part is complete.
struct Relation {
  plan::NodePtr node;
  std::vector<duckdb::ColumnBinding> bindings;     // the columns as the DuckDB operator lists them
  std::vector<std::optional<uint32_t>> positions;  // of them in node->output; none: a column whose content means
                                                   // nothing (Parquet's EMPTY for count(*), DUMMY_SCAN's)
};

/// The columns that an expression may refer to.
class ColumnScope {
 public:
  ColumnScope() = default;
  explicit ColumnScope(const Relation& relation) { append(relation); }
  /// The left columns, then the right ones.
  ColumnScope(const Relation& left, const Relation& right) {
    append(left);
    append(right);
  }
  /// A scan's filters: BoundReference i is column `references[i]`.
  ColumnScope(std::vector<plan::Column> columns, std::vector<std::optional<uint32_t>> references)
      : columns_(std::move(columns)), references_(std::move(references)) {}

  struct Found {
    bool known = false;                // the reference names a column of the scope
    std::optional<uint32_t> position;  // none: a column without content
  };
  /// `reference` is a BoundColumnRefExpression or a BoundReferenceExpression.
  Found find(const duckdb::Expression& reference) const;
  const plan::Column& column(uint32_t position) const { return columns_[position]; }

 private:
  void append(const Relation& relation);

  std::vector<plan::Column> columns_;
  std::map<std::pair<uint64_t, uint64_t>, std::optional<uint32_t>> bindings_;
  std::vector<std::optional<uint32_t>> references_;
};

/// Refusals without repetition, in the order of their discovery.
class RefusalList {
 public:
  void add(support::RefusalCode code, std::string name, std::string node);
  /// Adds refusals of a plan node under the name of the DuckDB operator it came from.
  void add(std::vector<support::Refusal> refusals, const std::string& node);
  bool empty() const { return refusals_.empty(); }
  const std::vector<support::Refusal>& all() const { return refusals_; }

 private:
  std::vector<support::Refusal> refusals_;
};

/// A draft of a plan node.
plan::NodePtr make_node(plan::NodeBody body, std::vector<plan::NodePtr> children, std::vector<plan::Column> output,
                        const duckdb::LogicalOperator& op);
/// The operator's name for people: "FILTER", "COMPARISON_JOIN", "GET".
std::string operator_name(const duckdb::LogicalOperator& op);
/// DuckDB's columns of the operator with their names for people, all nullable.
std::vector<plan::Column> output_columns(duckdb::LogicalOperator& op);
/// A relation whose output column i is the operator's column i.
Relation whole_relation(plan::NodePtr node, duckdb::LogicalOperator& op);
/// The relation with a column for each of its bindings: those without content become typed NULLs.
Relation with_every_column(Relation relation, duckdb::LogicalOperator& op);

}  // namespace weft::sql
