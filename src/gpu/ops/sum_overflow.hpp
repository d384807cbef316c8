// The error of a sum that is out of its type's range, in DuckDB's words.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "gpu/expr/expressions.hpp"
#include "plan/expression.hpp"

namespace weft::gpu {

/// `results`: AggregateRecipe::results; `row`: the columns of the final row on which their kernel failed, as texts.
/// DuckDB checks the 128 bits of a running total and, of a DECIMAL, its 38 digits at the end. What it adds to what when
/// the 128 bits overflow depends on the order of the rows; here it is the largest (or least) HUGEINT and what goes
/// beyond.
Error sum_overflow(const std::vector<plan::ExprPtr>& results, const std::vector<std::optional<std::string>>& row);

/// compiled.evaluate(context, states), where `compiled` was made of `results`. The only error that they can raise is a
/// sum out of range: it becomes sum_overflow().
std::vector<ColumnPtr> evaluate_results(const TaskContext& context, const Expressions& compiled,
                                        const std::vector<plan::ExprPtr>& results, const Batch& states);

}  // namespace weft::gpu
