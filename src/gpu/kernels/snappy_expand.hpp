// What the tags of a snappy window stand for, written by a block of threads; the CPU's tests run it thread by thread.
//
// A window's output is made in slices. Each byte of a slice either has its value at once (a literal's, or a copy of
// what was made before the slice) or is a copy of an earlier byte of the slice; those follow each other's links, all at
// once, twice as far in every round, until each byte's link leads to one that has its value. A chain of short copies,
// each of what the one before made, is as long as its window but takes no more rounds than its length has bits.
#pragma once

#include <cstdint>

#include "gpu/kernels/host_device.hpp"
#include "gpu/kernels/snappy_walk.hpp"

namespace weft::gpu::kernels {

/// Tags that can begin in a window: none is shorter than two bytes.
constexpr uint32_t kSnappyTags = kSnappyWindowBytes / 2;
/// Consecutive bytes of a slice, which one thread makes.
constexpr uint32_t kSnappyRunBytes = 16;
constexpr uint32_t kSnappySliceBytes = kSnappyRows * kSnappyRunBytes;

/// In sources: a literal. What is left is where its first character is, counted from the stream's first byte.
constexpr uint32_t kSnappyLiteral = 0x80000000;

struct SnappyTags {
  uint32_t starts[kSnappyTags + 1];  // of what the tag makes, counted from the window's output; then the output's end
  uint32_t sources[kSnappyTags];     // how far back a copy reads, or kSnappyLiteral
};

struct SnappySlice {
  alignas(16) uint16_t links[kSnappySliceBytes];  // to the byte that this one is a copy of; to itself if it has a value
  alignas(16) uint8_t values[kSnappySliceBytes + 4];
};

/// What the threads of a block know of the window that they expand.
struct SnappyWork {
  const SnappyWindow& window;
  const SnappyTags& tags;
  uint32_t count;         // of tags
  const uint8_t* stream;  // its first byte
  uint32_t stream_bytes;
  uint32_t window_at;  // the window's first byte, counted from the stream's first (it can be before it: modulo 2^32)
  const uint8_t*
      made;  // the output of the window's first tag, behind everything made before; four bytes more can be read
};

/// The row's tags as sum_snappy_row walks them. `tag`, `start`: sums of the rows before it.
WEFT_HOST_DEVICE inline void write_snappy_tags(const SnappyWindow& window, uint32_t row, uint32_t entry, uint32_t stop,
                                               uint32_t window_at, uint32_t tag, uint32_t start, SnappyTags& tags) {
  const uint32_t row_end = (row + 1) * kSnappyRowBytes;
  const uint32_t end = row_end < stop ? row_end : stop;
  for (uint32_t at = entry; at < end; ++tag) {
    const SnappyTag next = snappy_tag_at(window, at);
    at += next.stored_bytes;
    tags.starts[tag] = start;
    tags.sources[tag] = next.reach != 0 ? next.reach : kSnappyLiteral | (window_at + at - next.produced);
    start += next.produced;
  }
}

/// The last tag whose output begins at or before `at`.
WEFT_HOST_DEVICE inline uint32_t snappy_tag_of(const SnappyTags& tags, uint32_t count, uint32_t at) {
  uint32_t low = 0;
  while (count > 1) {
    const uint32_t half = count / 2;
    if (tags.starts[low + half] <= at) low += half;
    count -= half;
  }
  return low;
}

/// Four bytes from anywhere, of the two aligned words that they lie in: the four behind them may be read.
WEFT_HOST_DEVICE inline uint32_t four_bytes(const uint8_t* at) {
  const auto within = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(at) % 4);
  const auto* words = reinterpret_cast<const uint32_t*>(at - within);
  if (within == 0) return words[0];
  return words[0] >> (8 * within) | words[1] << (32 - 8 * within);
}

/// Where `bytes` bytes of a literal can be read with four_bytes, from byte `at` of the stream on; null if only one by
/// one.
WEFT_HOST_DEVICE inline const uint8_t* snappy_literal(const SnappyWork& work, uint32_t at, uint32_t bytes) {
  const uint32_t in_window = at - work.window_at;
  if (in_window + bytes + 4 <= kSnappyWindowBytes) return work.window.bytes + in_window;
  return at + bytes + 4 <= work.stream_bytes ? work.stream + at : nullptr;
}

/// Begins the run whose first byte is byte `begin` of the slice, whose first byte is byte `slice_at` of the window's
/// output and which ends at `end`. True if a byte is a copy of another in the slice.
WEFT_HOST_DEVICE inline bool begin_snappy_run(const SnappyWork& work, uint32_t slice_at, uint32_t begin, uint32_t end,
                                              SnappySlice& slice) {
  if (begin >= end) return false;
  const SnappyTags& tags = work.tags;
  auto* links = reinterpret_cast<uint32_t*>(slice.links + begin);
  for (uint32_t i = 0; i < kSnappyRunBytes / 2; ++i) links[i] = (begin + 2 * i) | (begin + 2 * i + 1) << 16;
  const uint32_t run_end = begin + kSnappyRunBytes < end ? begin + kSnappyRunBytes : end;
  uint32_t tag = snappy_tag_of(tags, work.count, slice_at + begin);
  if (run_end - begin == kSnappyRunBytes && tags.starts[tag + 1] >= slice_at + run_end) {  // all of one tag
    const uint32_t source = tags.sources[tag];
    const int64_t from = int64_t{slice_at} + begin - source;
    const uint8_t* bytes = nullptr;
    if ((source & kSnappyLiteral) != 0) {
      bytes = snappy_literal(work, (source & ~kSnappyLiteral) + (slice_at + begin - tags.starts[tag]), kSnappyRunBytes);
    } else if (source >= tags.starts[tag + 1] - tags.starts[tag] && from + kSnappyRunBytes <= slice_at) {
      bytes = work.made + from;
    }
    if (bytes != nullptr) {
      auto* values = reinterpret_cast<uint32_t*>(slice.values + begin);
      for (uint32_t i = 0; i < kSnappyRunBytes / 4; ++i) values[i] = four_bytes(bytes + 4 * i);
      return false;
    }
  }
  bool linked = false;
  uint32_t start = tags.starts[tag];
  uint32_t next_start = tags.starts[tag + 1];
  uint32_t source = tags.sources[tag];
  for (uint32_t at = begin; at < run_end; ++at) {
    const uint32_t place = slice_at + at;
    while (place >= next_start) {
      ++tag;
      start = next_start;
      next_start = tags.starts[tag + 1];
      source = tags.sources[tag];
    }
    const uint32_t within = place - start;
    if ((source & kSnappyLiteral) != 0) {
      const uint32_t from = (source & ~kSnappyLiteral) + within;
      const uint32_t in_window = from - work.window_at;
      slice.values[at] = in_window < kSnappyWindowBytes ? work.window.bytes[in_window] : work.stream[from];
      continue;
    }
    // A copy of more bytes than it reaches back repeats itself.
    const int64_t from = int64_t{start} - source + (within < source ? within : within % source);
    if (from >= slice_at) {
      slice.links[at] = static_cast<uint16_t>(from - slice_at);
      linked = true;
    } else {
      slice.values[at] = work.made[from];
    }
  }
  return linked;
}

/// One round for the run that begins at `begin`; rounds of other runs may be seen or not. True if a link leads farther
/// now.
WEFT_HOST_DEVICE inline bool follow_snappy_links(SnappySlice& slice, uint32_t begin) {
  auto* links = reinterpret_cast<uint32_t*>(slice.links + begin);
  uint32_t farther[kSnappyRunBytes / 2];
  bool changed = false;
  for (uint32_t i = 0; i < kSnappyRunBytes / 2; ++i) {
    const uint32_t two = links[i];
    farther[i] = slice.links[two & 0xffff] | uint32_t{slice.links[two >> 16]} << 16;
    changed |= farther[i] != two;
  }
  for (uint32_t i = 0; i < kSnappyRunBytes / 2; ++i) links[i] = farther[i];
  return changed;
}

/// The values of the run's bytes that had none, after the last round.
WEFT_HOST_DEVICE inline void take_snappy_values(SnappySlice& slice, uint32_t begin) {
  for (uint32_t at = begin; at < begin + kSnappyRunBytes; ++at) {
    const uint16_t link = slice.links[at];
    if (link != at) slice.values[at] = slice.values[link];
  }
}

}  // namespace weft::gpu::kernels
