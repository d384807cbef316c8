// EXPLAIN's text: which operator runs where, and why.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "duckdb.hpp"
#include "sql/statement_record.hpp"

namespace weft::sql {

/// The planned statement as lines: GPU parts as their plans, all else as DuckDB's operators with the reason if one of
/// `refusals` or a part's host leaf names it.
std::vector<ExplainLine> explain_lines(duckdb::LogicalOperator& root, const std::vector<support::Refusal>& refusals);

struct ExplainOptions {
  bool analyze = false;                                              // with the counts of the report's profiles
  std::function<std::string(const plan::Plan&)> describe_pipelines;  // may be empty
};

/// The whole text: tree, pipelines, reasons, and with `analyze` the counts.
std::string explain_text(const StatementRecord& record, const ExplainOptions& options);
/// The same tree as JSON, in the shape of DuckDB's EXPLAIN (FORMAT json): an array of nodes with "name", "children" and
/// "extra_info", which says where the node runs and, with `analyze`, its counts.
std::string explain_json(const StatementRecord& record, const ExplainOptions& options);
/// The reason lines alone, for statements whose tree is DuckDB's own; empty without refusals.
std::string reason_text(const StatementReport& report);

}  // namespace weft::sql
