// Drops the columns that DuckDB's plan carries but nobody reads: its projection maps cannot say "none", so every join
// brings at least one column of each side.
#pragma once

#include "sql/translate/translator.hpp"

namespace weft::sql {

/// The same plan without columns that nothing above them reads. The root keeps its columns and their order; aggregates,
/// what can throw, host sources, constants, CTEs and the children of a UNION keep theirs. A node that had columns keeps
/// one. References in `expressions` (by the ids in the plan) move with the columns; call it once for a draft.
plan::NodePtr prune_columns(const plan::NodePtr& root, ExpressionList& expressions);

}  // namespace weft::sql
