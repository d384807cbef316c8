// What a block of expand_pages.cu does with a snappy stream, thread by thread on the CPU, for tests.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "gpu/kernels/snappy_expand.hpp"

namespace weft::gpu::kernels {

inline void expand_snappy_window(const SnappyWork& work, uint8_t* made, SnappySlice& slice) {
  const uint32_t produced = work.tags.starts[work.count];
  for (uint32_t slice_at = 0; slice_at < produced; slice_at += kSnappySliceBytes) {
    const uint32_t bytes = std::min(produced - slice_at, kSnappySliceBytes);
    bool linked = false;
    for (uint32_t begin = 0; begin < bytes; begin += kSnappyRunBytes) {
      linked |= begin_snappy_run(work, slice_at, begin, bytes, slice);
    }
    while (linked) {
      linked = false;
      for (uint32_t begin = 0; begin < bytes; begin += kSnappyRunBytes) linked |= follow_snappy_links(slice, begin);
    }
    for (uint32_t begin = 0; begin < bytes; begin += kSnappyRunBytes) take_snappy_values(slice, begin);
    std::memcpy(made + slice_at, slice.values, bytes);
  }
}

/// One window of a stream, walked by all rows.
struct SnappyHostWalk {
  SnappyWindow window;
  uint32_t window_at = 0;
  uint32_t stop = 0;
  uint32_t next = 0;                                   // where the tags go on, counted from the window's first byte
  std::array<SnappyRowSum, kSnappyRows + 1> before{};  // of each row; then of all
  std::array<uint32_t, kSnappyRows> entries{};

  /// False if the stream is damaged. The tags from byte `at` of the stream on make `produced` bytes before them.
  bool walk(std::span<const uint8_t> stream, uint32_t at, uint32_t misaligned, uint32_t produced, uint32_t expected) {
    const auto stored_bytes = static_cast<uint32_t>(stream.size());
    const uint32_t first = (misaligned + at) % 16;
    window_at = at - first;
    for (uint32_t i = 0; i < sizeof(window.bytes); ++i) {
      window.bytes[i] = i >= first && window_at + i < stored_bytes ? stream[window_at + i] : 0;
    }
    for (uint32_t row = 0; row < kSnappyRows; ++row) find_snappy_row_exits(window, row);
    for (uint32_t round = 0; round < kSnappyBandRounds; ++round) {
      for (uint32_t row = 0; row < kSnappyRows; ++row) follow_snappy_row_exits(window, row);
    }
    const uint32_t left = stored_bytes - window_at;
    stop = std::min(left, kSnappyWindowBytes);
    next = enter_snappy_bands(window, first, stop);
    if (next > left) return false;
    for (uint32_t row = 0; row < kSnappyRows; ++row) {
      entries[row] = snappy_row_entry(window, row, stop);
      const SnappyRowSum sum = sum_snappy_row(window, row, entries[row], stop);
      if (sum.reach > produced + before[row].produced) return false;
      before[row + 1] = {before[row].tags + sum.tags, before[row].produced + sum.produced, 0};
      if (before[row + 1].produced > expected - produced) return false;
    }
    return true;
  }
};

/// The tags of the stream from byte `at` on; nothing if they do not stand for `expected` bytes. `misaligned`: how far
/// behind a multiple of 16 the stream lies; the walk's windows follow from it.
inline std::optional<std::vector<uint8_t>> expand_snappy_tags(std::span<const uint8_t> stream, uint32_t at,
                                                              uint32_t expected, uint32_t misaligned) {
  std::vector<uint8_t> made(size_t{expected} + 4);
  uint32_t produced = 0;
  const auto tags = std::make_unique<SnappyTags>();
  const auto slice = std::make_unique<SnappySlice>();
  while (at < stream.size()) {
    const auto walk = std::make_unique<SnappyHostWalk>();
    if (!walk->walk(stream, at, misaligned, produced, expected)) return std::nullopt;
    for (uint32_t row = 0; row < kSnappyRows; ++row) {
      write_snappy_tags(walk->window, row, walk->entries[row], walk->stop, walk->window_at, walk->before[row].tags,
                        walk->before[row].produced, *tags);
    }
    const SnappyRowSum& all = walk->before[kSnappyRows];
    tags->starts[all.tags] = all.produced;
    uint8_t* const out = made.data() + produced;
    expand_snappy_window(
        {walk->window, *tags, all.tags, stream.data(), static_cast<uint32_t>(stream.size()), walk->window_at, out}, out,
        *slice);
    produced += all.produced;
    at = walk->window_at + walk->next;
  }
  if (produced != expected) return std::nullopt;
  made.resize(expected);
  return made;
}

/// The fragments' starts and then the stream's end; nothing if they are not apart. The stream is valid.
inline std::optional<std::vector<uint32_t>> split_snappy_on_host(std::span<const uint8_t> stream, uint32_t expected,
                                                                 uint32_t misaligned) {
  std::vector<uint32_t> starts((expected + kSnappyFragmentBytes - 1) / kSnappyFragmentBytes);
  uint32_t produced = 0;
  bool apart = true;
  uint32_t at = snappy_preamble(stream.data(), static_cast<uint32_t>(stream.size()), expected);
  while (at < stream.size()) {
    const auto walk = std::make_unique<SnappyHostWalk>();
    if (!walk->walk(stream, at, misaligned, produced, expected)) return std::nullopt;
    for (uint32_t row = 0; row < kSnappyRows; ++row) {
      apart &= split_snappy_row(walk->window, row, walk->entries[row], walk->stop, walk->window_at,
                                produced + walk->before[row].produced, starts.data());
    }
    produced += walk->before[kSnappyRows].produced;
    at = walk->window_at + walk->next;
  }
  if (!apart) return std::nullopt;
  starts.push_back(static_cast<uint32_t>(stream.size()));
  return starts;
}

/// A whole stream. Nothing if it is not valid or stands for another number of bytes than `expected`.
inline std::optional<std::vector<uint8_t>> expand_snappy_on_host(std::span<const uint8_t> stream, uint32_t expected,
                                                                 uint32_t misaligned) {
  const uint32_t at = snappy_preamble(stream.data(), static_cast<uint32_t>(stream.size()), expected);
  if (at == 0) return std::nullopt;
  return expand_snappy_tags(stream, at, expected, misaligned);
}

/// As expand_snappy_on_host, a fragment at a time, of a valid stream; nothing if its fragments are not apart.
inline std::optional<std::vector<uint8_t>> expand_snappy_fragments(std::span<const uint8_t> stream, uint32_t expected,
                                                                   uint32_t misaligned) {
  const auto starts = split_snappy_on_host(stream, expected, misaligned);
  if (!starts) return std::nullopt;
  std::vector<uint8_t> made;
  for (size_t i = 0; i + 1 < starts->size(); ++i) {
    const uint32_t bytes = std::min(expected - static_cast<uint32_t>(made.size()), kSnappyFragmentBytes);
    const auto fragment = expand_snappy_tags(stream.first((*starts)[i + 1]), (*starts)[i], bytes, misaligned);
    if (!fragment) return std::nullopt;
    made.insert(made.end(), fragment->begin(), fragment->end());
  }
  return made;
}

}  // namespace weft::gpu::kernels
