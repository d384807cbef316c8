// The part of a DuckDB plan that is a query: the SELECT below EXPLAIN, CREATE TABLE AS, INSERT, COPY and EXECUTE.
#pragma once

#include <optional>
#include <vector>

#include "duckdb.hpp"
#include "sql/translate/translator.hpp"
#include "support/support.hpp"

namespace weft::sql {

struct SelectRoot {
  OperatorSlot slot = nullptr;  // null: the statement has no query that Weft looks at
  bool at_root = false;         // the statement is the SELECT itself
  /// Why Weft leaves the statement alone, if it could have had a query; empty else.
  std::vector<support::Refusal> refusals;
};

SelectRoot find_select(duckdb::unique_ptr<duckdb::LogicalOperator>& root);

/// The slots below the recursive side of a recursive CTE: DuckDB runs them many times, which a GPU part cannot.
std::vector<OperatorSlot> repeated_slots(duckdb::unique_ptr<duckdb::LogicalOperator>& root);

}  // namespace weft::sql
