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
//   merging them loses no digits as sums of squares would.
// - first takes the value with the smallest order key: (pipeline, sequence, row) of its row.
// - DISTINCT: the distinct rows (groups, argument) first, then the aggregate over those. min, max, any_value, first,
//   bool_and and bool_or do not care and are taken without it.
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
  Max,      // one column
  First,    // [order key, value]: the value with the smallest order key; an order key of NULL is out of the race
  Moments,  // [count, mean, squares]
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

/// Aggregates over distinct arguments: their own grouping over the distinct rows of (groups, argument).
struct DistinctGrouping {
  std::vector<plan::ExprPtr> rows;  // over the input row: the group keys, then the argument
  std::vector<plan::Column> row;    // their types
  Grouping grouping;                // over `row`; the same keys as the main grouping
};

struct AggregateRecipe {
  Grouping main;
  std::vector<DistinctGrouping> distinct;
  std::vector<plan::Column> final_row;  // main.state_row, then each distinct grouping's states without its keys
  std::vector<plan::ExprPtr> results;   // over final_row: the groups, then the aggregates
};

/// Inputs of a part, by kind: Sum: as many as columns; Count: none (all rows) or one (its valid rows); Min, Max: one;
/// First: the value, then perhaps a column whose NULLs are out of the race; Moments: one DOUBLE.
AggregateRecipe make_recipe(const plan::Aggregate& aggregate, const pipeline::RowType& input);

/// What to say when a result raises: the only error that one can raise is a sum out of range.
std::string sum_overflow_text(const plan::Aggregate& aggregate);

}  // namespace weft::gpu
