// The error of a sum that is out of its type's range, in DuckDB's words.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "plan/expression.hpp"

namespace weft::gpu {

/// `results`: AggregateRecipe::results; `row`: the columns of the final row on which their kernel failed, as texts.
/// DuckDB checks the 128 bits of a running total and, of a DECIMAL, its 38 digits at the end. What it adds to what when
/// the 128 bits overflow depends on the order of the rows; here it is the largest (or least) HUGEINT and what goes
/// beyond.
Error sum_overflow(const std::vector<plan::ExprPtr>& results, const std::vector<std::optional<std::string>>& row);

}  // namespace weft::gpu
