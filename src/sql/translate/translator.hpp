// Translation of DuckDB's optimized logical plans to weft::plan. It reads the DuckDB plan and changes nothing in it.
//
// Every operator is either translated whole or refused with reason codes; nothing is dropped silently. An operator is
// translated if its plan nodes pass support::check_node. Below a translated operator a refused one becomes a HostSource
// leaf: its whole subtree runs on DuckDB and feeds the GPU. Subtrees below a refused operator may be parts themselves.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "duckdb.hpp"
#include "duckdb/planner/expression.hpp"
#include "duckdb/planner/logical_operator.hpp"
#include "plan/node.hpp"
#include "sql/value_bridge.hpp"
#include "support/support.hpp"

namespace weft::sql {

/// A place in the DuckDB plan where an operator hangs: the root's pointer, or an element of a parent's `children`.
using OperatorSlot = duckdb::unique_ptr<duckdb::LogicalOperator>*;

using ExpressionList = std::vector<duckdb::unique_ptr<duckdb::Expression>>;

/// A DuckDB subtree whose rows feed plan::HostSource number = its index in Translation::host_leaves. Column i of the
/// HostSource is `(*subtree)->GetColumnBindings()[i]` with type `(*subtree)->types[i]`. A subtree may have no
/// columns: then it delivers row counts. It may be a CTE_REF to a CTE that stays on the CPU.
struct HostLeaf {
  OperatorSlot subtree = nullptr;
  std::string description;            // for people: "table lineitem", "read_csv", "WINDOW (refused)"
  std::vector<support::Refusal> why;  // HostTable or UnsupportedFile alone: a leaf that is no refusal of the plan
};

/// One DuckDB subtree as a plan. Output column i of the plan is `(*root)->GetColumnBindings()[i]` with DuckDB's type
/// `(*root)->types[i]`.
struct Translation {
  std::shared_ptr<const plan::Plan> plan;
  std::vector<HostLeaf> host_leaves;  // in HostSource order
  /// Index = plan::Expr::id - 1, plan::AggregateCall::id - 1 or plan::WindowCall::id - 1; shared by all parts of a
  /// PlanCut. Copies whose column references are BoundReferenceExpressions to the positions that the plan's expression
  /// uses (ExpressionFailure::inputs), so they can be evaluated on one row. An aggregate's entry is its
  /// BoundAggregateExpression, a window's its BoundWindowExpression. Only expressions that can throw, and all
  /// aggregates and windows, have an id.
  std::shared_ptr<const ExpressionList> expressions;
};

/// A subtree for the GPU: replace `*root` by an operator that runs the plan.
struct Part {
  OperatorSlot root = nullptr;
  Translation translation;
};

struct PlanCut {
  /// Inner parts first: a part inside the host leaf of another one comes before it, so replace in this order. Slots
  /// stay valid while no `children` vector of the plan is resized.
  std::vector<Part> parts;
  /// Every refusal of the whole plan, in the order of its operators, children first. HostTable leaves are not in it;
  /// UnsupportedFile leaves are. "Nothing" alone: all is supported but there is no work for a GPU.
  std::vector<support::Refusal> refusals;
  /// One part at the root, and every leaf that DuckDB feeds is there because it is a host table (or file), not because
  /// an operator was refused.
  bool whole = false;
};

struct CutOptions {
  bool keep_order = false;  // copied to plan::Plan::keep_order
  /// Make the root a part even if it has no work for a GPU: a bare scan, a projection of columns, constants.
  bool keep_trivial = false;
};

/// `select_root` is an optimized plan of a SELECT (never EXPLAIN, INSERT, ... above it). Resolves its types. Throws
/// only what DuckDB throws while its file lists and values are read.
PlanCut cut(duckdb::ClientContext& context, duckdb::unique_ptr<duckdb::LogicalOperator>& select_root,
            const CutOptions& options = {});

}  // namespace weft::sql
