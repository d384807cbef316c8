// Where the candidates of a probe row begin and end among sorted build rows: see pipeline::RangeSearch.
#pragma once

#include "plan/expression.hpp"

namespace weft::gpu {

/// A binary search for a probe row's value in a sorted column: the first row that is not before it in the order; or,
/// `behind_equal`, the first row that is behind it.
struct SearchBound {
  bool descending = false;
  bool behind_equal = false;
};

/// Of conditions `probe compare build`: the probe value is below the rows that match; it does not match its equals.
constexpr bool is_below(plan::CompareOp compare) {
  return compare == plan::CompareOp::Less || compare == plan::CompareOp::LessEqual;
}
constexpr bool is_strict(plan::CompareOp compare) {
  return compare == plan::CompareOp::Less || compare == plan::CompareOp::Greater;
}

/// Rows are sorted so that those that satisfy RangeSearch::first come first, the nearest of them last; they end here.
constexpr SearchBound end_of(plan::CompareOp first) { return {is_below(first), !is_strict(first)}; }
/// Those that satisfy `second`, an inequality in the other direction, begin here.
constexpr SearchBound begin_of(plan::CompareOp first, plan::CompareOp second) {
  return {is_below(first), is_strict(second)};
}
/// In the running maximum (for an inequality that is_below) or minimum of another column: no row before this one
/// satisfies `reach`.
constexpr SearchBound begin_of_reach(plan::CompareOp reach) { return {!is_below(reach), is_strict(reach)}; }

}  // namespace weft::gpu
