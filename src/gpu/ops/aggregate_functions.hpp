// How each aggregate is computed: from input rows to states, from states to one state, from a state to the result.
//
// A state is a few columns, one row a group. A single input row is a state too, so partial aggregation and merging are
// the same operation (ops/group_states.hpp), except that counts count rows first and are added later.
// - Sums of integers and decimals are exact: the bits of the value in 32-bit limbs, each summed in a BIGINT. After
// every
//   merge the carry goes up a limb, so that fewer than 2^31 states a merge cannot overflow. The highest limb is signed:
//   it holds 2^32 extreme values (design: never libcudf's DECIMAL128 sums). __from_limbs checks the range of the
//   result.
// - avg is the exact sum over count. stddev and variance keep (count, mean, sum of squared differences from the mean):
//   merging them loses no digits as sums of squares would. covar, corr and regr_ keep the same of two variables.
// - first takes the value with the smallest order key: (pipeline, sequence, row) of its row. arg_min and arg_max take
// the
//   value at the extreme key, of equal keys the first.
// - DISTINCT: the distinct rows (groups, arguments) first, then the aggregate over those. min, max, any_value, first,
//   bool_and, bool_or, arg_min, arg_max, bit_and and bit_or do not care and are taken without it.
// - Grouping sets: everything is grouped by all groups first, and each set's states are merged from those of a finer
// one
//   (ops/grouping_sets.hpp). A set's rows carry its key behind the groups: a group that is NULL in the data and one
//   that is not in the set stay apart, and GROUPING() reads the key's bits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/pipeline.hpp"
#include "plan/node.hpp"

namespace weft::gpu {

/// How the columns of a state part are merged.
enum class MergeKind : uint8_t {
  Sum,    // each column's sum; several columns are limbs, lowest first
  Count,  // rows of an input, or its valid rows, then sums
  Min,
  Max,    // one column
  First,  // [order key, value]: the value with the smallest order key; an order key of NULL is out of the race
  ArgMin,
  ArgMax,   // [key, order key, value]: ops/arg_extremes.hpp
  Moments,  // of one or two variables: ops/moments.hpp
  Product,
  BitAnd,
  BitOr,
  BitXor,  // one column
};

struct StatePart {
  MergeKind kind = MergeKind::Sum;
  std::vector<uint32_t> inputs;   // columns of Grouping::inputs, see make_recipe
  std::vector<plan::Type> types;  // of its state columns
  uint32_t first_column = 0;      // of its state columns, in the state row
};

/// One grouping: what it reads of an input row, and its states.
struct Grouping {
  std::vector<plan::ExprPtr> inputs;  // over the input row: the group keys, then what the parts read
  uint32_t keys = 0;
  std::vector<StatePart> parts;
  std::vector<plan::Column> state_row;  // the keys, then the parts' columns
};

/// Aggregates over distinct arguments: their own grouping over the distinct rows of (groups, arguments).
struct DistinctGrouping {
  std::vector<plan::ExprPtr> rows;  // over the input row: the group keys, then the arguments
  std::vector<plan::Column> row;    // their types; with grouping sets, the set's key between groups and arguments
  Grouping grouping;                // over `row`; the same keys as AggregateRecipe::final_grouping()
};

struct GroupingSet {
  std::vector<uint32_t> groups;  // positions, ascending
  int64_t key =
      0;  // bit g: group g is not in the set; above support::kMaxSetGroups: how many equal sets stand before it
};

struct AggregateRecipe {
  Grouping main;
  std::vector<DistinctGrouping> distinct;
  std::vector<GroupingSet> sets;  // the larger ones first; empty: all is grouped by all groups
  Grouping by_set;                // with sets: merges main's states with the set's key behind the groups; no inputs
  std::vector<plan::Column> final_row;  // the state_row of main (with sets: of by_set), then each distinct grouping's
                                        // states without its keys
  std::vector<plan::ExprPtr> results;   // over final_row: the groups, the aggregates, the GROUPING()s

  /// What the rows at the end are keyed by.
  const Grouping& final_grouping() const { return sets.empty() ? main : by_set; }
};

/// Inputs of a part, by kind: Sum: as many as columns; Count: none (all rows) or one (its valid rows); Min, Max: one;
/// First: the value, then perhaps a column whose NULLs are out of the race; ArgMin, ArgMax: key, value; Moments: one or
/// two DOUBLEs; the rest: one.
AggregateRecipe make_recipe(const plan::Aggregate& aggregate, const pipeline::RowType& input);

}  // namespace weft::gpu
