// Wrong plans made from a right one, for testing the tests: the oracle must give another answer for each of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plan/node.hpp"

namespace weft::plan {

struct Mutation {
  std::string what;  // "node 3 (FILTER): conjunct 0 dropped"
  Plan plan;
};

/// Every plan that differs from `plan` in one field of one node: join kind, null equality, key order, residuals and
/// conjuncts dropped, sort direction and NULL order, limits and offsets by one, aggregates swapped, DISTINCT and
/// FILTER, windows (partitions, functions, IGNORE NULLS, arguments, frame units, bounds and EXCLUDE), columns swapped,
/// comparison operators, CASE branches, constants, decimal scales, mark flags, values, files, unions, CTEs. Build sides
/// are left alone: they change no answer. Mutants keep all types and column counts, so the oracle can write them; a
/// mutated join kind may break what validate() says on nullability. Deterministic; each prints unlike `plan` and the
/// others.
std::vector<Mutation> mutations(const Plan& plan);

/// One-field mutants of an expression over `row`: operators, constants, columns of the same type, branches.
struct ExprMutation {
  std::string what;
  ExprPtr expression;
};
std::vector<ExprMutation> mutations(const ExprPtr& expr, const std::vector<Column>& row);

/// Another value of the same type, or nothing for a NULL.
std::optional<Value> another_value(const Value& value);

}  // namespace weft::plan
