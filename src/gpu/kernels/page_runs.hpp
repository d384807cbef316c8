// Runs of repeated values and runs of bit-packed literals (parquet-format, Encodings.md, "RLE/bit-packing hybrid"): the
// form of levels, dictionary indices and BOOLEANs. libcudf's decoder reads runs until it has the values that it needs:
// runs that have fewer make it wait forever, and sizes are an int32_t to it.
#pragma once

#include <cstdint>

#include "gpu/kernels/host_device.hpp"

namespace weft::gpu::kernels {

constexpr int64_t kMaxInt32 = 0x7fffffff;

struct Run {
  int64_t first = 0;  // of the run's values, how many values the runs before it have
  int64_t values = 0;
  bool literal = false;
  uint32_t begin = 0;  // of the value's or values' bytes
  uint64_t bytes = 0;
};

/// Reads the run that begins at `at` and puts `at` on the next one. False for a header that is not whole, or sizes that
/// are no int32_t.
template <typename Bytes>
WEFT_HOST_DEVICE bool next_run(Bytes& bytes, uint32_t& at, uint32_t end, uint32_t bits, Run& run) {
  uint64_t head = 0;
  uint32_t shift = 0;
  for (uint32_t next = 0x80; (next & 0x80) != 0; shift += 7) {
    if (at == end || shift == 35) return false;
    next = bytes.byte(at++);
    head |= uint64_t{next & 0x7f} << shift;
  }
  if (head > static_cast<uint64_t>(kMaxInt32)) return false;
  run.literal = (head & 1) != 0;
  run.values = static_cast<int64_t>(head >> 1) * (run.literal ? 8 : 1);
  run.begin = at;
  if (run.literal && run.values * (bits == 0 ? 1 : bits) + 7 > kMaxInt32) return false;
  run.bytes = run.literal ? static_cast<uint64_t>(run.values) * bits / 8 : (bits + 7) / 8;
  at = run.bytes > end - at ? end : at + static_cast<uint32_t>(run.bytes);
  return true;
}

/// Walks all runs in [at, end), which must have at least `needed` values. visit(run, values), false if it finds the run
/// bad, gets each run that has some of the needed values, and how many; their bytes are inside.
template <typename Bytes, typename Visit>
WEFT_HOST_DEVICE bool walk_runs(Bytes& bytes, uint32_t at, uint32_t end, uint32_t bits, int64_t needed, Visit&& visit) {
  Run run;
  while (at < end) {
    if (!next_run(bytes, at, end, bits, run)) return false;
    if (run.first < needed) {
      const int64_t values = run.values < needed - run.first ? run.values : needed - run.first;
      const uint64_t present = run.literal ? (static_cast<uint64_t>(values) * bits + 7) / 8 : run.bytes;
      if (run.literal && values == 0) return false;
      if (values > 0 && (present > end - run.begin || !visit(run, values))) return false;
    }
    run.first += run.values;
    if (run.first > kMaxInt32) return false;
  }
  return run.first >= needed;
}

/// The byte or bytes of a run's repeated value.
template <typename Bytes>
WEFT_HOST_DEVICE uint32_t repeated_value(Bytes& bytes, const Run& run) {
  uint32_t value = 0;
  for (uint32_t i = 0; i < run.bytes; ++i) value |= bytes.byte(run.begin + i) << (8 * i);
  return value;
}

/// Value `number` of a literal run; its bytes must be inside.
template <typename Bytes>
WEFT_HOST_DEVICE uint32_t literal_value(const Bytes& bytes, const Run& run, uint32_t bits, int64_t number) {
  const uint64_t bit = static_cast<uint64_t>(number) * bits;
  uint64_t value = 0;
  const uint32_t from = run.begin + static_cast<uint32_t>(bit / 8);
  const auto shift = static_cast<uint32_t>(bit % 8);
  for (uint32_t i = 0; i * 8 < shift + bits; ++i) value |= uint64_t{bytes.far(from + i)} << (8 * i);
  return static_cast<uint32_t>(value >> shift & ((uint64_t{1} << bits) - 1));
}

WEFT_HOST_DEVICE inline uint32_t count_ones(uint32_t byte) {
  uint32_t count = 0;
  for (; byte != 0; byte &= byte - 1) ++count;
  return count;
}

/// The definition levels of `values` values of a column that may be NULL, in [at, end): how many are 1; -1 if they
/// cannot be read.
template <typename Bytes>
WEFT_HOST_DEVICE int64_t count_defined(Bytes& bytes, uint32_t at, uint32_t end, int64_t values) {
  uint64_t repeated = 0;
  uint64_t literal = 0;  // this lane's share
  const bool good = walk_runs(bytes, at, end, 1, values, [&](const Run& run, int64_t taken) {
    if (!run.literal) {
      const uint32_t level = bytes.byte(run.begin);
      repeated += level != 0 ? static_cast<uint64_t>(taken) : 0;
      return level <= 1;
    }
    for (int64_t i = bytes.lane(); i * 8 < taken; i += bytes.lanes()) {
      const uint32_t mask = taken - i * 8 < 8 ? (1U << (taken - i * 8)) - 1 : 0xff;
      literal += count_ones(bytes.far(run.begin + static_cast<uint32_t>(i)) & mask);
    }
    return true;
  });
  literal = bytes.sum(literal);
  return good ? static_cast<int64_t>(repeated + literal) : -1;
}

}  // namespace weft::gpu::kernels
