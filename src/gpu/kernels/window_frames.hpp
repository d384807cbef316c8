// Bounds of frames that are not an edge of the partition, of the peers or of the row. The rules are those of DuckDB's
// window_boundaries_state.cpp: each functor writes the first row of the frame, or the row after its last one, for every
// row, within the row's partition; an error is noted and raised by the caller.
#pragma once

#include "gpu/kernels/window_rows.hpp"

namespace weft::gpu::window {

enum class BoundError : int32_t { None, Null, Negative };

/// What the three kinds of bound have in common.
struct Bound {
  Layout layout;
  bool preceding = false;
  bool is_end = false;
  Row* out = nullptr;
  int32_t* error = nullptr;  // a BoundError; any row's, if there are several
  WEFT_EACH_ROW void fail(BoundError what) const { *error = static_cast<int32_t>(what); }
  WEFT_EACH_ROW Row peer_edge(Row row) const {
    const Range peers = layout.peers.of(row);
    return is_end ? peers.end : peers.begin;
  }
};

/// ROWS: an offset of NULL or below 0 is an error.
struct RowsBound {
  Bound bound;
  Offsets offsets;
  WEFT_EACH_ROW void operator()(Row row) const {
    const Range partition = bound.layout.partitions.of(row);
    bound.out[row] = partition.begin;
    if (offsets.is_null(row)) return bound.fail(BoundError::Null);
    const int64_t offset = offsets.of(row);
    if (offset < 0) return bound.fail(BoundError::Negative);
    const int64_t from = int64_t{row} + (bound.is_end ? 1 : 0);
    if (bound.preceding) {
      bound.out[row] = clamp(from - offset, partition);
    } else {
      bound.out[row] = offset > partition.end - from ? partition.end : clamp(from + offset, partition);
    }
  }
};

/// GROUPS: an offset of NULL is the current group, one below 0 an error.
struct GroupsBound {
  Bound bound;
  Offsets offsets;
  WEFT_EACH_ROW void operator()(Row row) const {
    bound.out[row] = bound.peer_edge(row);
    if (offsets.is_null(row)) return;
    const int64_t offset = offsets.of(row);
    if (offset < 0) return bound.fail(BoundError::Negative);
    const Runs& peers = bound.layout.peers;
    const Range partition = bound.layout.partitions.of(row);
    const Row group = peers.number[row];
    const Row last = peers.number[partition.end - 1];
    const Row edge = bound.is_end ? 1 : 0;  // a frame ends where the group after its last one begins
    if (bound.preceding) {
      const Row room = group - peers.number[partition.begin];
      bound.out[row] = offset > room ? partition.begin : peers.starts[group - static_cast<Row>(offset) + edge];
    } else {
      bound.out[row] = offset > last - group ? partition.end : peers.starts[group + static_cast<Row>(offset) + edge];
    }
  }
};

/// RANGE: the first row whose key is not before the bound, or the row after the last one whose key is not after it. A
/// bound of NULL (that of a NULL key, or of a NULL offset) is the edge of the peers; rows with a key of NULL are never
/// within a bound. A bound on the wrong side of the row's own key (an offset below 0) is an error.
template <typename T>
struct RangeBound {
  Bound bound;
  const T* keys;
  const uint32_t* key_valid;
  const T* values;  // the bounds
  const uint32_t* value_valid;
  T flip;  // 0, or all ones for a descending order: x ^ flip then ascends

  // The keys of the partition that are not NULL: NULLs are peers at one of its ends.
  WEFT_EACH_ROW Range with_key(Row row) const {
    Range range = bound.layout.partitions.of(row);
    if (!has_value(key_valid, range.begin)) range.begin = bound.layout.peers.of(range.begin).end;
    if (!has_value(key_valid, range.end - 1)) range.end = bound.layout.peers.of(range.end - 1).begin;
    return range;
  }
  WEFT_EACH_ROW T key(Row row) const { return static_cast<T>(keys[row] ^ flip); }

  // The first row of the range whose key is not below `value`, or with `above`, is above it.
  WEFT_EACH_ROW Row search(Range range, T value, bool above) const {
    while (range.begin < range.end) {
      const Row middle = range.begin + range.size() / 2;
      if (above ? key(middle) > value : key(middle) >= value) {
        range.end = middle;
      } else {
        range.begin = middle + 1;
      }
    }
    return range.begin;
  }

  WEFT_EACH_ROW void operator()(Row row) const {
    bound.out[row] = bound.peer_edge(row);
    if (!has_value(value_valid, row) || !has_value(key_valid, row)) return;
    const T value = static_cast<T>(values[row] ^ flip);
    const T own = key(row);
    if (bound.preceding ? own < value : value < own) return bound.fail(BoundError::Negative);
    Range range = with_key(row);
    const Range peers = bound.layout.peers.of(row);
    if (bound.preceding) {
      range.end = peers.end;
    } else {
      range.begin = peers.begin;
    }
    bound.out[row] = search(range, value, bound.is_end);
  }
};

}  // namespace weft::gpu::window
