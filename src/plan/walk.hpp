// Visiting plans. All functions are pure.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "plan/node.hpp"

namespace weft::plan {

/// Calls `visit` for the node and all below it, parents first.
void for_each_node(const Node& root, const std::function<void(const Node&)>& visit);
/// Calls `visit` for each expression that the node holds itself (not those of its children), roots only.
void for_each_expression(const Node& node, const std::function<void(const ExprPtr&)>& visit);
/// Calls `visit` for the expression and all below it.
void for_each_expr(const Expr& root, const std::function<void(const Expr&)>& visit);

/// A plan as an indented tree, one node a line, for golden tests and EXPLAIN.
std::string print(const Plan& plan);
std::string print(const Node& root);
/// One line about a node, without its children.
std::string describe(const Node& node);

/// "ROWS", "RANGE", "GROUPS"
const char* unit_text(FrameUnit unit);
/// " EXCLUDE TIES", ...
const char* exclude_text(FrameExclude exclude);
/// "ROWS BETWEEN 2 PRECEDING AND CURRENT ROW EXCLUDE TIES"; `start` and `end` stand for the bounds' values.
std::string frame_text(const Frame& frame, const std::string& start, const std::string& end);

/// Throws InternalError naming node and rule if the plan breaks a promise of node.hpp: column positions in range, key
/// and comparison types equal, output types and counts as the body says, CTE references below their definition, ids
/// unique.
void validate(const Plan& plan);

}  // namespace weft::plan
