// The arithmetic of windows, row by row, over rows that are sorted by (partition keys, order keys). The functors here
// and in window_frames.hpp, window_functions.hpp and window_aggregates.hpp are run by window_kernels.cu with one row a
// thread, and by the tests in loops on the CPU. Pointers are to device memory there and to host memory here.
//
// Rows are numbered from 0 within one part of a window, fewer than 2^31. A mask has a bit per row, set where there is a
// value; a null mask means that there always is.
#pragma once

#include <cstdint>

#include "plan/node.hpp"

#ifdef __CUDACC__
#define WEFT_EACH_ROW __host__ __device__
#else
#define WEFT_EACH_ROW
#endif

namespace weft::gpu::window {

using Row = int32_t;

constexpr Row kNoRow = -1;

struct Range {
  Row begin = 0;
  Row end = 0;
  WEFT_EACH_ROW Row size() const { return end - begin; }
};

WEFT_EACH_ROW inline Row least(Row a, Row b) { return a < b ? a : b; }
WEFT_EACH_ROW inline Row greatest(Row a, Row b) { return a < b ? b : a; }
WEFT_EACH_ROW inline Row clamp(int64_t row, Range within) {
  return row < within.begin ? within.begin : row > within.end ? within.end : static_cast<Row>(row);
}
WEFT_EACH_ROW inline bool has_value(const uint32_t* mask, Row row) {
  return mask == nullptr || (mask[row >> 5] >> (row & 31) & 1U) != 0;
}

/// Consecutive rows that belong together: run r has the rows [starts[r], starts[r + 1]).
struct Runs {
  const Row* number = nullptr;  // per row: its run
  const Row* starts = nullptr;  // one more than there are runs
  WEFT_EACH_ROW Range of(Row row) const { return {starts[number[row]], starts[number[row] + 1]}; }
};

/// Without ORDER BY all rows of a partition are peers, and `peers` are the same runs as `partitions`.
struct Layout {
  Runs partitions;
  Runs peers;
};

/// The rows that a count, a value function with IGNORE NULLS or an aggregate sees.
struct Present {
  const Row* before = nullptr;  // before[row]: present rows ahead of `row`, for 0 <= row <= rows. Null: all are present
  WEFT_EACH_ROW Row count(Range range) const {
    return before == nullptr ? range.size() : before[range.end] - before[range.begin];
  }
  /// The nth present row of the range, 1 <= nth <= count(range).
  WEFT_EACH_ROW Row nth(Range range, Row nth) const {
    if (before == nullptr) return range.begin + nth - 1;
    const Row wanted = before[range.begin] + nth;
    Row low = range.begin + 1;  // the least position with before[position] >= wanted is in [low, high]
    Row high = range.end;
    while (low < high) {
      const Row middle = low + (high - low) / 2;
      if (before[middle] >= wanted) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low - 1;
  }
};

/// A BIGINT argument: a column or a constant.
struct Offsets {
  const int64_t* values = nullptr;  // null: `constant` for every row
  const uint32_t* valid = nullptr;
  int64_t constant = 0;
  bool constant_is_null = false;
  WEFT_EACH_ROW bool is_null(Row row) const { return values == nullptr ? constant_is_null : !has_value(valid, row); }
  WEFT_EACH_ROW int64_t of(Row row) const { return values == nullptr ? constant : values[row]; }
};

/// Where a frame begins or ends.
enum class Edge : uint8_t { Partition, Peers, CurrentRow, Computed };

struct Frame {
  Layout layout;
  Edge start = Edge::Partition;
  Edge end = Edge::Partition;
  plan::FrameExclude exclude = plan::FrameExclude::NoOthers;
  const Row* starts = nullptr;  // if start is Computed, within the partition
  const Row* ends = nullptr;    // if end is Computed, within the partition
};

/// The rows of a frame, from left to right, without overlap; some may be empty.
struct FrameRanges {
  Range range[3];
  int count = 0;
  WEFT_EACH_ROW void add(Row begin, Row end) { range[count++] = Range{begin, end}; }
};

/// The rows that an edge other than Computed stands for: a frame begins at their begin, or ends at their end.
WEFT_EACH_ROW inline Range rows_at(const Layout& layout, Edge edge, Row row) {
  if (edge == Edge::Partition) return layout.partitions.of(row);
  if (edge == Edge::Peers) return layout.peers.of(row);
  return {row, row + 1};
}

WEFT_EACH_ROW inline Range whole_frame(const Frame& frame, Row row) {
  Range whole;
  whole.begin = frame.start == Edge::Computed ? frame.starts[row] : rows_at(frame.layout, frame.start, row).begin;
  whole.end = frame.end == Edge::Computed ? frame.ends[row] : rows_at(frame.layout, frame.end, row).end;
  whole.end = greatest(whole.end, whole.begin);  // a frame that ends before it starts is empty
  return whole;
}

WEFT_EACH_ROW inline FrameRanges frame_of(const Frame& frame, Row row) {
  const Range whole = whole_frame(frame, row);
  FrameRanges ranges;
  if (frame.exclude == plan::FrameExclude::NoOthers) {
    ranges.add(whole.begin, whole.end);
    return ranges;
  }
  Range out{row, row + 1};
  if (frame.exclude != plan::FrameExclude::CurrentRow) out = frame.layout.peers.of(row);
  ranges.add(whole.begin, clamp(out.begin, whole));
  if (frame.exclude == plan::FrameExclude::Ties) ranges.add(clamp(row, whole), clamp(int64_t{row} + 1, whole));
  ranges.add(clamp(out.end, whole), whole.end);
  return ranges;
}

WEFT_EACH_ROW inline int64_t count_present(const FrameRanges& ranges, const Present& present) {
  int64_t count = 0;
  for (int i = 0; i < ranges.count; ++i) count += present.count(ranges.range[i]);
  return count;
}

// ---- where runs begin

/// changed[row] = 1 where a column's value differs from the row above; NULL is equal to NULL, and the first row is left
/// alone. For floating point the column holds order keys, so that equal values have equal bits.
template <typename T>
struct MarkChanges {
  const T* values;
  const uint32_t* valid;
  uint8_t* changed;
  WEFT_EACH_ROW void operator()(Row row) const {
    if (row == 0) return;
    const bool here = has_value(valid, row);
    const bool above = has_value(valid, row - 1);
    if (here != above || (here && values[row] != values[row - 1])) changed[row] = 1;
  }
};

template <typename Offset>
struct MarkTextChanges {
  const char* chars;
  const Offset* offsets;
  const uint32_t* valid;
  uint8_t* changed;
  WEFT_EACH_ROW bool equal(Row a, Row b) const {
    const Offset size = offsets[a + 1] - offsets[a];
    if (size != offsets[b + 1] - offsets[b]) return false;
    for (Offset i = 0; i < size; ++i) {
      if (chars[offsets[a] + i] != chars[offsets[b] + i]) return false;
    }
    return true;
  }
  WEFT_EACH_ROW void operator()(Row row) const {
    if (row == 0) return;
    const bool here = has_value(valid, row);
    const bool above = has_value(valid, row - 1);
    if (here != above || (here && !equal(row, row - 1))) changed[row] = 1;
  }
};

/// Runs::starts, from the numbers of the runs that begin at the changed rows (the first one among them).
struct WriteStarts {
  const uint8_t* changed;
  const Row* number;
  Row rows;
  Row* starts;
  WEFT_EACH_ROW void operator()(Row row) const {
    if (changed[row] != 0) starts[number[row]] = row;
    if (row + 1 == rows) starts[number[row] + 1] = rows;
  }
};

}  // namespace weft::gpu::window
