// The arithmetic of joins whose build rows are sorted: each probe row's candidates are a range of build rows. The
// functors are run by join_ranges.cu with one row a thread, and by the tests in loops on the CPU. Pointers are to
// device memory there and to host memory here. Rows are numbered from 0, fewer than 2^31; pairs may be more.
#pragma once

#include <cstdint>

#include "gpu/kernels/host_device.hpp"

namespace weft::gpu::join {

using Row = int32_t;

constexpr Row kNoRow = -1;

/// Per probe row, the build rows [begin, end); none where end <= begin, and none where the row has no bound.
struct Candidates {
  const Row* begins = nullptr;  // null: 0
  const Row* ends = nullptr;
  const uint32_t* valid = nullptr;  // a bit per probe row: its keys and bounds have values; null: all have
  WEFT_HOST_DEVICE Row begin(Row row) const { return begins == nullptr ? 0 : begins[row]; }
  WEFT_HOST_DEVICE Row count(Row row) const {
    if (valid != nullptr && (valid[row >> 5] >> (row & 31) & 1U) == 0) return 0;
    const Row from = begin(row);
    return ends[row] > from ? ends[row] - from : 0;
  }
};

struct CountCandidates {
  Candidates candidates;
  int64_t* counts;
  WEFT_HOST_DEVICE void operator()(Row row) const { counts[row] = candidates.count(row); }
};

/// marks[row] = 1 where there is a candidate.
struct MarkCandidates {
  Candidates candidates;
  uint8_t* marks;
  WEFT_HOST_DEVICE void operator()(Row row) const {
    if (candidates.count(row) > 0) marks[row] = 1;
  }
};

/// nearest[row]: the last candidate, or kNoRow.
struct LastCandidate {
  Candidates candidates;
  Row* nearest;
  WEFT_HOST_DEVICE void operator()(Row row) const {
    nearest[row] = candidates.count(row) > 0 ? candidates.ends[row] - 1 : kNoRow;
  }
};

/// The rows of pair `first` + i of all pairs of a probe row and a candidate, numbered by probe row and then by build
/// row.
struct WritePair {
  Candidates candidates;
  const int64_t* totals;  // totals[row]: pairs of the probe rows up to `row`, its own among them
  Row probe_rows;
  int64_t first;
  Row* probe;
  Row* build;
  WEFT_HOST_DEVICE void operator()(Row i) const {
    const int64_t pair = first + i;
    Row low = 0;  // the first row with totals[row] > pair is in [low, high]
    Row high = probe_rows - 1;
    while (low < high) {
      const Row middle = low + (high - low) / 2;
      if (totals[middle] > pair) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    const int64_t before = low == 0 ? 0 : totals[low - 1];
    probe[i] = low;
    build[i] = candidates.begin(low) + static_cast<Row>(pair - before);
  }
};

/// nearest[probe[i]] becomes build[i] if that is greater.
struct KeepLast {
  const Row* probe;
  const Row* build;
  Row* nearest;
  WEFT_HOST_DEVICE void operator()(Row i) const {
    Row* kept = nearest + probe[i];
#ifdef __CUDA_ARCH__
    atomicMax(kept, build[i]);
#else
    if (*kept < build[i]) *kept = build[i];
#endif
  }
};

}  // namespace weft::gpu::join
