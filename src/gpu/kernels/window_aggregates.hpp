// Aggregates over frames.
//
// Counts and the limbs of integer sums are differences of running totals: exact, since fewer than 2^31 limbs of 32 bits
// cannot overflow 64. Floating-point sums would lose digits and mix up infinities that way, and minima have no
// difference at all, so these and variances ask a tree: level 0 is the rows, and each level above has a state for every
// kFanOut of the level below (Leis et al., "Efficient Processing of Window Functions in Analytical SQL Queries", 2015).
// A frame takes fewer than 2 kFanOut states of each level, always the same ones: equal data give equal sums on every
// run.
#pragma once

#include "gpu/kernels/window_rows.hpp"

namespace weft::gpu::window {

struct CountFrame {
  Frame frame;
  Present present;
  int64_t* out;
  WEFT_EACH_ROW void operator()(Row row) const { out[row] = count_present(frame_of(frame, row), present); }
};

/// The sum of one limb; NULL over no present rows.
struct SumFrame {
  Frame frame;
  Present present;
  const int64_t* totals;  // totals[row]: the sum ahead of `row`, for 0 <= row <= rows
  int64_t* out;
  WEFT_EACH_ROW bool operator()(Row row) const {
    const FrameRanges ranges = frame_of(frame, row);
    int64_t sum = 0;
    for (int i = 0; i < ranges.count; ++i) sum += totals[ranges.range[i].end] - totals[ranges.range[i].begin];
    out[row] = sum;
    return count_present(ranges, present) > 0;
  }
};

// ---- trees

constexpr Row kFanOut = 16;
constexpr int kMaxLevels = 8;  // above the rows: 16^8 = 2^32

/// Leaves is a column with `State leaf(Row)`, `State none()` and `State merge(State, State)`. A row that is not present
/// has the state none().
template <typename Leaves>
struct Tree {
  using State = typename Leaves::State;
  Leaves leaves;
  const State* levels[kMaxLevels] = {};
  int height = 0;  // levels that are there

  WEFT_EACH_ROW State at(int level, Row node) const { return level == 0 ? leaves.leaf(node) : levels[level - 1][node]; }
  WEFT_EACH_ROW State merged(State state, int level, Row begin, Row end) const {
    for (Row node = begin; node < end; ++node) state = Leaves::merge(state, at(level, node));
    return state;
  }
  WEFT_EACH_ROW State merged(State state, Range rows) const {
    Row begin = rows.begin;
    Row end = rows.end;
    for (int level = 0; begin < end; ++level) {
      const Row first = begin / kFanOut + (begin % kFanOut == 0 ? 0 : 1);  // parents with all their children inside
      const Row last = end / kFanOut;
      if (level == height || first >= last) return merged(state, level, begin, end);
      state = merged(state, level, begin, first * kFanOut);
      state = merged(state, level, last * kFanOut, end);
      begin = first;
      end = last;
    }
    return state;
  }
  WEFT_EACH_ROW State of(const FrameRanges& ranges) const {
    State state = leaves.none();
    for (int i = 0; i < ranges.count; ++i) state = merged(state, ranges.range[i]);
    return state;
  }
};

/// One node of the level above the tree's highest, which has `below` nodes.
template <typename Leaves>
struct BuildLevel {
  Tree<Leaves> tree;
  Row below;
  typename Leaves::State* out;
  WEFT_EACH_ROW void operator()(Row node) const {
    const Row begin = node * kFanOut;
    const Row end = below - begin < kFanOut ? below : begin + kFanOut;
    out[node] = tree.merged(tree.leaves.none(), tree.height, begin, end);
  }
};

struct DoubleLeaves {
  using State = double;
  const double* values;
  const uint32_t* valid;
  WEFT_EACH_ROW State leaf(Row row) const { return has_value(valid, row) ? values[row] : 0; }
  WEFT_EACH_ROW State none() const { return 0; }
  WEFT_EACH_ROW static State merge(State a, State b) { return a + b; }
};

struct MomentsState {
  int64_t count;
  double mean;
  double squares;  // of the differences from the mean
};

/// Chan, Golub and LeVeque (1979), as ops/moments.hpp.
struct MomentsLeaves {
  using State = MomentsState;
  const double* values;
  const uint32_t* valid;
  WEFT_EACH_ROW State leaf(Row row) const { return has_value(valid, row) ? State{1, values[row], 0} : State{0, 0, 0}; }
  WEFT_EACH_ROW State none() const { return {0, 0, 0}; }
  WEFT_EACH_ROW static State merge(State a, State b) {
    if (b.count == 0) return a;
    if (a.count == 0) return b;
    const int64_t count = a.count + b.count;
    const double difference = b.mean - a.mean;
    const double share = static_cast<double>(b.count) / static_cast<double>(count);
    const double mean = a.mean + difference * share;
    const double squares = a.squares + b.squares + difference * difference * static_cast<double>(a.count) * share;
    return {count, mean, squares + (mean - mean)};  // NaN with an infinity among the values, as in DuckDB
  }
};

/// Minima of whole numbers; maxima with a flip of all ones, since ~x reverses the order. States are flipped values.
template <typename T>
struct LeastLeaves {
  using State = T;
  const T* values;
  const uint32_t* valid;
  T flip;
  T largest;  // the type's
  WEFT_EACH_ROW State leaf(Row row) const {
    return has_value(valid, row) ? static_cast<T>(values[row] ^ flip) : largest;
  }
  WEFT_EACH_ROW State none() const { return largest; }
  WEFT_EACH_ROW static State merge(State a, State b) { return b < a ? b : a; }
};

struct DoubleSumFrame {
  Frame frame;
  Present present;
  Tree<DoubleLeaves> tree;
  double* out;
  WEFT_EACH_ROW bool operator()(Row row) const {
    const FrameRanges ranges = frame_of(frame, row);
    out[row] = tree.of(ranges);
    return count_present(ranges, present) > 0;
  }
};

template <typename T>
struct LeastFrame {
  Frame frame;
  Present present;
  Tree<LeastLeaves<T>> tree;
  T* out;
  WEFT_EACH_ROW bool operator()(Row row) const {
    const FrameRanges ranges = frame_of(frame, row);
    out[row] = static_cast<T>(tree.of(ranges) ^ tree.leaves.flip);
    return count_present(ranges, present) > 0;
  }
};

/// For types whose order is in `order` (position -> row) and whose tree is over the positions: the row of the least, or
/// kNoRow.
struct LeastRowOfFrame {
  Frame frame;
  Present present;
  Tree<LeastLeaves<Row>> tree;
  const Row* order;
  Row* out;
  WEFT_EACH_ROW void operator()(Row row) const {
    const FrameRanges ranges = frame_of(frame, row);
    out[row] = count_present(ranges, present) > 0 ? order[tree.of(ranges) ^ tree.leaves.flip] : kNoRow;
  }
};

/// positions[order[i]] = i.
struct InvertOrder {
  const Row* order;
  Row* positions;
  WEFT_EACH_ROW void operator()(Row row) const { positions[order[row]] = row; }
};

struct MomentsFrame {
  Frame frame;
  Tree<MomentsLeaves> tree;
  int64_t* count;   // each may be null: not wanted
  double* mean;     // 0 over no values
  double* squares;  // 0 over no values
  WEFT_EACH_ROW void operator()(Row row) const {
    const MomentsState state = tree.of(frame_of(frame, row));
    if (count != nullptr) count[row] = state.count;
    if (mean != nullptr) mean[row] = state.mean;
    if (squares != nullptr) squares[row] = state.squares;
  }
};

}  // namespace weft::gpu::window
