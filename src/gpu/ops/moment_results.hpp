// What the statistical aggregates are of the moments of their group (ops/moments.hpp), by DuckDB's rules for groups of
// no row, of one row, and of a variable that does not vary.
#pragma once

#include <string_view>
#include <vector>

#include "plan/expression.hpp"

namespace weft::gpu {

plan::ExprPtr case_when(plan::ExprPtr condition, plan::ExprPtr then, plan::ExprPtr otherwise);

/// `squares`: of differences from the mean. NULL for no value; 0 for one.
plan::ExprPtr population_variance(const plan::ExprPtr& count, const plan::ExprPtr& squares);
/// NULL for fewer than two values.
plan::ExprPtr sample_variance(const plan::ExprPtr& count, const plan::ExprPtr& squares);
plan::ExprPtr root(const plan::ExprPtr& value);

/// covar_, corr and regr_ aggregates of (y, x) except regr_avgy and regr_avgx, over the state (count, mean y, mean x,
/// yy, yx, xx); null: another function. `type`: of the result.
plan::ExprPtr pair_result(std::string_view function, const std::vector<plan::ExprPtr>& state, const plan::Type& type);

}  // namespace weft::gpu
