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

/// Nothing if the stream does not stand for `expected` bytes. `misaligned`: how far behind a multiple of 16 the stream
/// lies; the walk's windows follow from it.
inline std::optional<std::vector<uint8_t>> expand_snappy_on_host(std::span<const uint8_t> stream, uint32_t expected,
                                                                 uint32_t misaligned) {
  const auto stored_bytes = static_cast<uint32_t>(stream.size());
  std::vector<uint8_t> made(size_t{expected} + 4);
  uint32_t produced = 0;
  uint32_t at = snappy_preamble(stream.data(), stored_bytes, expected);
  if (at == 0) return std::nullopt;
  const auto window = std::make_unique<SnappyWindow>();
  const auto tags = std::make_unique<SnappyTags>();
  const auto slice = std::make_unique<SnappySlice>();
  while (at < stored_bytes) {
    const uint32_t first = (misaligned + at) % 16;
    const uint32_t window_at = at - first;
    for (uint32_t i = 0; i < sizeof(window->bytes); ++i) {
      window->bytes[i] = i >= first && window_at + i < stored_bytes ? stream[window_at + i] : 0;
    }
    for (uint32_t row = 0; row < kSnappyRows; ++row) find_snappy_row_exits(*window, row);
    for (uint32_t round = 0; round < kSnappyBandRounds; ++round) {
      for (uint32_t row = 0; row < kSnappyRows; ++row) follow_snappy_row_exits(*window, row);
    }
    const uint32_t left = stored_bytes - window_at;
    const uint32_t stop = std::min(left, kSnappyWindowBytes);
    const uint32_t next = enter_snappy_bands(*window, first, stop);
    if (next > left) return std::nullopt;
    std::array<SnappyRowSum, kSnappyRows + 1> before{};  // sums of the rows before the row
    for (uint32_t row = 0; row < kSnappyRows; ++row) {
      const SnappyRowSum sum = sum_snappy_row(*window, row, snappy_row_entry(*window, row, stop), stop);
      if (sum.reach > produced + before[row].produced) return std::nullopt;
      before[row + 1] = {before[row].tags + sum.tags, before[row].produced + sum.produced, 0};
      if (before[row + 1].produced > expected - produced) return std::nullopt;
    }
    for (uint32_t row = 0; row < kSnappyRows; ++row) {
      write_snappy_tags(*window, row, snappy_row_entry(*window, row, stop), stop, window_at, before[row].tags,
                        before[row].produced, *tags);
    }
    const SnappyRowSum& all = before[kSnappyRows];
    tags->starts[all.tags] = all.produced;
    uint8_t* const out = made.data() + produced;
    expand_snappy_window({*window, *tags, all.tags, stream.data(), stored_bytes, window_at, out}, out, *slice);
    produced += all.produced;
    at = window_at + next;
  }
  if (produced != expected) return std::nullopt;
  made.resize(expected);
  return made;
}

}  // namespace weft::gpu::kernels
