// Window functions that are not aggregates. Ranks are written as they are; value functions write the row that has the
// value, and kNoRow for NULL. The rules are those of DuckDB's window_rank_function.cpp, window_rownumber_function.cpp
// and window_value_function.cpp.
#pragma once

#include "gpu/kernels/window_rows.hpp"

namespace weft::gpu::window {

struct RowNumber {
  Layout layout;
  int64_t* out;
  WEFT_EACH_ROW void operator()(Row row) const { out[row] = int64_t{row} - layout.partitions.of(row).begin + 1; }
};

struct Rank {
  Layout layout;
  int64_t* out;
  WEFT_EACH_ROW void operator()(Row row) const {
    out[row] = int64_t{layout.peers.of(row).begin} - layout.partitions.of(row).begin + 1;
  }
};

struct DenseRank {
  Layout layout;
  int64_t* out;
  WEFT_EACH_ROW void operator()(Row row) const {
    const Row* group = layout.peers.number;
    out[row] = int64_t{group[row]} - group[layout.partitions.of(row).begin] + 1;
  }
};

/// 0 in a partition of one row.
struct PercentRank {
  Layout layout;
  double* out;
  WEFT_EACH_ROW void operator()(Row row) const {
    const Range partition = layout.partitions.of(row);
    const Row above = layout.peers.of(row).begin - partition.begin;
    out[row] = partition.size() <= 1 ? 0 : static_cast<double>(above) / static_cast<double>(partition.size() - 1);
  }
};

struct CumeDist {
  Layout layout;
  double* out;
  WEFT_EACH_ROW void operator()(Row row) const {
    const Range partition = layout.partitions.of(row);
    const Row up_to = layout.peers.of(row).end - partition.begin;
    out[row] = static_cast<double>(up_to) / static_cast<double>(partition.size());
  }
};

/// NULL for a number of buckets that is NULL; one below 1 is an error.
struct Ntile {
  Layout layout;
  Offsets buckets;
  int64_t* out;
  int32_t* error;
  WEFT_EACH_ROW bool operator()(Row row) const {
    out[row] = 0;
    if (buckets.is_null(row)) return false;
    if (buckets.of(row) < 1) {
      *error = 1;
      return false;
    }
    const Range partition = layout.partitions.of(row);
    const int64_t rows = partition.size();
    const int64_t wanted = buckets.of(row) < rows ? buckets.of(row) : rows;
    const int64_t size = rows / wanted;  // of a small bucket; large ones have a row more and come first
    const int64_t large = rows - wanted * size;
    const int64_t in_large = large * (size + 1);
    const int64_t at = int64_t{row} - partition.begin;
    out[row] = at < in_large ? 1 + at / (size + 1) : 1 + large + (at - in_large) / size;
    return true;
  }
};

/// lag and lead: the row that is `offset` present rows behind or ahead in the partition, whatever the frame; kNoRow for
/// an offset of NULL, kDefaultRow where there is no such row. An offset of 0 is the row itself, present or not.
constexpr Row kDefaultRow = -2;

struct Shift {
  Layout layout;
  Offsets offsets;
  bool ahead;  // lead
  Present present;
  Row* out;
  WEFT_EACH_ROW void operator()(Row row) const {
    out[row] = kNoRow;
    if (offsets.is_null(row)) return;
    const int64_t offset = offsets.of(row);
    out[row] = row;
    if (offset == 0) return;
    out[row] = kDefaultRow;
    const uint64_t steps = offset < 0 ? uint64_t{0} - static_cast<uint64_t>(offset) : static_cast<uint64_t>(offset);
    const Range partition = layout.partitions.of(row);
    const bool forward = ahead == (offset > 0);
    const Range side = forward ? Range{row + 1, partition.end} : Range{partition.begin, row};
    const Row found = present.count(side);
    if (steps > static_cast<uint64_t>(found)) return;
    const Row step = static_cast<Row>(steps);
    out[row] = present.nth(side, forward ? step : found - step + 1);
  }
};

/// first_value, last_value, nth_value and the aggregates first and any_value: the nth present row of the frame, counted
/// from its end with `from_end`; kNoRow for an nth that is NULL or below 1, and where the frame has fewer.
struct NthOfFrame {
  Frame frame;
  Present present;
  Offsets nth;
  bool from_end;
  Row* out;
  WEFT_EACH_ROW void operator()(Row row) const {
    out[row] = kNoRow;
    if (nth.is_null(row) || nth.of(row) < 1) return;
    const FrameRanges ranges = frame_of(frame, row);
    const int64_t found = count_present(ranges, present);
    if (nth.of(row) > found) return;
    int64_t left = from_end ? found - nth.of(row) + 1 : nth.of(row);
    for (int i = 0; i < ranges.count; ++i) {
      const Row here = present.count(ranges.range[i]);
      if (left <= here) {
        out[row] = present.nth(ranges.range[i], static_cast<Row>(left));
        return;
      }
      left -= here;
    }
  }
};

/// Where lag and lead take their default.
struct TakesDefault {
  const Row* rows;
  uint8_t* out;
  WEFT_EACH_ROW void operator()(Row row) const { out[row] = rows[row] == kDefaultRow ? 1 : 0; }
};

}  // namespace weft::gpu::window
