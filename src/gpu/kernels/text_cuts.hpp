// Where a page of PLAIN texts can be cut into pages of fewer rows: functors of host and device. The bytes have passed
// page_contents.hpp; what has not makes them give up, and read nothing outside.
#pragma once

#include <cstdint>

#include "gpu/kernels/page_runs.hpp"
#include "gpu/kernels/page_walk.hpp"

namespace weft::gpu::kernels {

/// Rows of a page that was cut. A multiple of 32, so that each has words of definition levels of its own.
constexpr uint32_t kRowsPerCut = 2048;
constexpr uint32_t kLevelsPerWord = 32;

struct TextCut {
  uint32_t begin = 0;    // of its texts, in the page's bytes
  uint32_t defined = 0;  // how many of its rows are not NULL
};

WEFT_HOST_DEVICE inline uint32_t cuts_of(int32_t values) {
  return (static_cast<uint32_t>(values) + kRowsPerCut - 1) / kRowsPerCut;
}
WEFT_HOST_DEVICE inline uint32_t rows_of_cut(int32_t values, uint32_t cut) {
  const uint32_t left = static_cast<uint32_t>(values) - cut * kRowsPerCut;
  return left < kRowsPerCut ? left : kRowsPerCut;
}
WEFT_HOST_DEVICE inline uint32_t level_words_of(int32_t values) {
  return cuts_of(values) * kRowsPerCut / kLevelsPerWord;
}

/// Makes what the lanes of a warp wrote visible to each other.
WEFT_HOST_DEVICE inline void meet_lanes() {
#ifdef __CUDA_ARCH__
  __syncwarp();
#endif
}
WEFT_HOST_DEVICE inline void set_bits(uint32_t* word, uint32_t bits) {
#ifdef __CUDA_ARCH__
  atomicOr(word, bits);
#else
  *word |= bits;
#endif
}
/// Not from a cache that does not know of set_bits.
WEFT_HOST_DEVICE inline uint32_t fresh(const uint32_t* word) { return *static_cast<const volatile uint32_t*>(word); }

/// Sets bits [first, first + count) where `bits` has them; count is at most 32.
WEFT_HOST_DEVICE inline void set_levels(uint32_t* levels, uint64_t first, uint32_t count, uint32_t bits) {
  const uint64_t mask = (uint64_t{1} << count) - 1;
  const uint64_t shifted = (bits & mask) << (first % kLevelsPerWord);
  uint32_t* const word = levels + first / kLevelsPerWord;
  if (static_cast<uint32_t>(shifted) != 0) set_bits(word, static_cast<uint32_t>(shifted));
  if (shifted >> 32 != 0) set_bits(word + 1, static_cast<uint32_t>(shifted >> 32));
}

/// The definition levels of `values` values in [at, end) as bits; `levels` has level_words_of(values) words of zeros.
/// False if they cannot be read.
template <typename Bytes>
WEFT_HOST_DEVICE bool unpack_levels(Bytes& bytes, uint32_t at, uint32_t end, int32_t values, uint32_t* levels) {
  return walk_runs(bytes, at, end, 1, values, [&](const Run& run, int64_t taken) {
    const auto count = static_cast<uint64_t>(taken);
    if (run.literal) {
      for (uint64_t i = bytes.lane(); i * 8 < count; i += bytes.lanes()) {
        const uint64_t left = count - i * 8;
        set_levels(levels, static_cast<uint64_t>(run.first) + i * 8, static_cast<uint32_t>(left < 8 ? left : 8),
                   bytes.far(run.begin + static_cast<uint32_t>(i)));
      }
      return true;
    }
    const uint32_t level = bytes.byte(run.begin);
    for (uint64_t i = bytes.lane(); level == 1 && i * kLevelsPerWord < count; i += bytes.lanes()) {
      const uint64_t left = count - i * kLevelsPerWord;
      set_levels(levels, static_cast<uint64_t>(run.first) + i * kLevelsPerWord,
                 static_cast<uint32_t>(left < kLevelsPerWord ? left : kLevelsPerWord), 0xffffffff);
    }
    return level <= 1;
  });
}

/// A data page of PLAIN BYTE_ARRAY values, not compressed. `cuts` has a place for each of cuts_of(page.values) and one
/// more, whose `begin` is where the texts end; `levels`, of a nullable column, is as unpack_levels has it. False if the
/// page is damaged.
template <typename Bytes>
WEFT_HOST_DEVICE bool cut_texts(const ChunkToWalk& chunk, const StoredPage& page, Bytes& bytes, uint32_t* levels,
                                TextCut* cuts) {
  const uint32_t count = cuts_of(page.values);
  uint32_t at = 0;
  if (chunk.nullable) {
    const bool v2 = page.kind == kDataPageV2;
    uint32_t begin = 0;
    uint32_t end = page.level_bytes;
    if (v2) {
      bytes.open(page.levels, page.level_bytes);
    } else {
      bytes.open(page.bytes, page.page_bytes);
      if (page.page_bytes < 4 || bytes.word(0) > page.page_bytes - 4) return false;
      begin = 4;
      end = at = 4 + bytes.word(0);
    }
    if (!unpack_levels(bytes, begin, end, page.values, levels)) return false;
  }
  meet_lanes();
  for (uint32_t cut = bytes.lane(); cut < count; cut += bytes.lanes()) {
    const uint32_t rows = rows_of_cut(page.values, cut);
    uint32_t defined = chunk.nullable ? 0 : rows;
    for (uint32_t row = 0; chunk.nullable && row < rows; row += kLevelsPerWord) {
      defined += count_ones(fresh(levels + (cut * kRowsPerCut + row) / kLevelsPerWord));
    }
    cuts[cut].defined = defined;
  }
  meet_lanes();
  bytes.open(page.bytes, page.page_bytes);
  for (uint32_t cut = 0; cut < count; ++cut) {
    if (bytes.lane() == 0) cuts[cut].begin = at;
    if (!bytes.skip_texts(at, fresh(&cuts[cut].defined))) return false;
  }
  if (bytes.lane() == 0) cuts[count].begin = at;
  return true;
}

}  // namespace weft::gpu::kernels
