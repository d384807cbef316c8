// The walk over the tags of a snappy stream (google/snappy, format_description.txt) that tells whether it is valid, and
// where what each tag stands for begins. Made for a block of threads, and run thread by thread in the CPU's tests. What
// the tags stand for is written by snappy_expand.hpp.
//
// Where a tag begins is known only from the tag before it. The walk goes through the stream in windows, a window in
// rows of 8 bytes, one a thread, and 16 rows make a band: (1) each thread finds, for every byte of its row, where a
// chain of tags from there leaves the row (from the last byte
//     to the first, each from a later one);
// (2) four times, each of those exits that is still in its band becomes the exit of where it is: now they leave the
// band; (3) one chain over the bands gives their true entries; (4) each thread follows the rows' exits from its band's
// entry to its own row, and walks that row's tags. Copies must not reach back past what was produced: a row keeps by
// how much its copies reach before the row's own output, which is compared when the rows before it are summed up.
#pragma once

#include <cstdint>

#include "gpu/kernels/host_device.hpp"

namespace weft::gpu::kernels {

constexpr uint32_t kSnappyRowBytes = 8;
constexpr uint32_t kSnappyRows = 256;
constexpr uint32_t kSnappyWindowBytes = kSnappyRows * kSnappyRowBytes;
constexpr uint32_t kSnappyRowsOfBand = 16;
constexpr uint32_t kSnappyBandBytes = kSnappyRowsOfBand * kSnappyRowBytes;
constexpr uint32_t kSnappyBands = kSnappyRows / kSnappyRowsOfBand;
constexpr uint32_t kSnappyBandRounds = 4;  // of step 2: 2^4 rows
/// A tag's five bytes, read as two words, can begin in the window's last byte.
constexpr uint32_t kSnappyBytesBehind = 16;

struct SnappyWindow {
  alignas(16) uint8_t bytes[kSnappyWindowBytes + kSnappyBytesBehind];
  alignas(16) uint16_t row_exits[kSnappyWindowBytes];  // counted from the window's first byte, as all of these are
  alignas(16) uint16_t band_exits[kSnappyWindowBytes];
  uint16_t band_entries[kSnappyBands];
};

/// An exit that is farther is found by walking the tags.
constexpr uint32_t kFarExit = 0xffff;
/// No tag begins in the band or row.
constexpr uint32_t kNoEntry = 0xffff;
/// More than any page: so long is a literal whose length does not fit.
constexpr uint32_t kTooLong = 0x80000000;

struct SnappyTag {
  uint32_t stored_bytes = 0;  // the tag, its further bytes and a literal's characters
  uint32_t produced = 0;
  uint32_t reach = 0;  // how far back a copy reads; 0 for a literal, the most for an offset of 0, which is invalid
};

/// `next`: the four bytes behind the tag byte. Without branches: neighbours have tags of other kinds.
WEFT_HOST_DEVICE inline SnappyTag snappy_tag(uint32_t tag, uint32_t next) {
  const uint32_t kind = tag & 3;
  const uint32_t high = tag >> 2;
  const uint32_t length_bytes = high < 60 ? 0 : high - 59;
  const uint32_t long_length = next & (0xffffffffU >> (32 - 8 * (length_bytes == 0 ? 1 : length_bytes)));
  const uint32_t length = length_bytes == 0 ? high : long_length;  // less one
  const uint32_t literal = length < kTooLong - 8 ? length + 1 : kTooLong;
  const uint32_t near = (tag >> 5) << 8 | (next & 0xff);
  const uint32_t offset = kind == 1 ? near : kind == 2 ? next & 0xffff : next;
  SnappyTag result;
  result.produced = kind == 0 ? literal : kind == 1 ? (high & 7) + 4 : high + 1;
  result.stored_bytes = kind == 0 ? literal + 1 + length_bytes : kind == 1 ? 2 : kind == 2 ? 3 : 5;
  result.reach = kind == 0 ? 0 : offset == 0 ? 0xffffffff : offset;
  return result;
}

/// The tag that begins in byte `at` of the window.
WEFT_HOST_DEVICE inline SnappyTag snappy_tag_at(const SnappyWindow& window, uint32_t at) {
  const auto* words = reinterpret_cast<const uint32_t*>(window.bytes) + at / 4;
  const uint64_t two = uint64_t{words[1]} << 32 | words[0];
  const uint32_t shift = at % 4 * 8;
  return snappy_tag(static_cast<uint32_t>(two >> shift) & 0xff, static_cast<uint32_t>(two >> (shift + 8)));
}

/// Step 1 for one row.
WEFT_HOST_DEVICE inline void find_snappy_row_exits(SnappyWindow& window, uint32_t row) {
  const uint32_t end = (row + 1) * kSnappyRowBytes;
  for (uint32_t left = kSnappyRowBytes; left > 0; --left) {
    const uint32_t at = end - kSnappyRowBytes + left - 1;
    const uint32_t after = at + snappy_tag_at(window, at).stored_bytes;
    const uint32_t exit = after < end ? window.row_exits[after] : after < kFarExit ? after : kFarExit;
    window.row_exits[at] = static_cast<uint16_t>(exit);
    window.band_exits[at] = static_cast<uint16_t>(exit);
  }
}

/// Step 2 for one row, one round of kSnappyBandRounds. Rounds of other rows may be seen or not.
WEFT_HOST_DEVICE inline void follow_snappy_row_exits(SnappyWindow& window, uint32_t row) {
  const uint32_t band_end = (row / kSnappyRowsOfBand + 1) * kSnappyBandBytes;
  for (uint32_t i = 0; i < kSnappyRowBytes; ++i) {
    const uint32_t at = row * kSnappyRowBytes + i;
    const uint32_t exit = window.band_exits[at];
    if (exit < band_end) window.band_exits[at] = window.band_exits[exit];
  }
}

/// Step 3: the entries of all bands, for a chain that enters the window at `first`. The stream ends at `stop`; gives
/// where the chain goes on behind the window, or `stop` for a chain that ends with the stream, more than that for one
/// that does not.
WEFT_HOST_DEVICE inline uint32_t enter_snappy_bands(SnappyWindow& window, uint32_t first, uint32_t stop) {
  for (uint32_t band = 0; band < kSnappyBands; ++band) window.band_entries[band] = kNoEntry;
  uint32_t at = first;
  while (at < stop) {
    const uint32_t band = at / kSnappyBandBytes;
    const uint32_t band_end = (band + 1) * kSnappyBandBytes;
    window.band_entries[band] = static_cast<uint16_t>(at);
    const uint32_t exit = window.band_exits[at];
    if (exit < kFarExit && band_end <= stop) {
      at = exit;
      continue;
    }
    const uint32_t end = band_end < stop ? band_end : stop;  // the table knows nothing of the stream's end
    while (at < end) at += snappy_tag_at(window, at).stored_bytes;
  }
  return at;
}

/// Step 4: the first tag of a row.
WEFT_HOST_DEVICE inline uint32_t snappy_row_entry(const SnappyWindow& window, uint32_t row, uint32_t stop) {
  const uint32_t begin = row * kSnappyRowBytes;
  uint32_t at = window.band_entries[row / kSnappyRowsOfBand];
  while (at < begin) at = window.row_exits[at];
  return at < begin + kSnappyRowBytes && at < stop ? at : kNoEntry;
}

struct SnappyRowSum {
  uint32_t tags = 0;
  uint32_t produced = 0;
  uint32_t reach = 0;  // before the row's own output
};

/// The tags of a row from `entry` on that begin before `stop`.
WEFT_HOST_DEVICE inline SnappyRowSum sum_snappy_row(const SnappyWindow& window, uint32_t row, uint32_t entry,
                                                    uint32_t stop) {
  SnappyRowSum sum;
  const uint32_t row_end = (row + 1) * kSnappyRowBytes;
  const uint32_t end = row_end < stop ? row_end : stop;
  for (uint32_t at = entry; at < end;) {
    const SnappyTag tag = snappy_tag_at(window, at);
    if (tag.reach > sum.produced && tag.reach - sum.produced > sum.reach) sum.reach = tag.reach - sum.produced;
    ++sum.tags;
    sum.produced += tag.produced;
    at += tag.stored_bytes;
  }
  return sum;
}

/// Compressors work on fragments of this many bytes and forget what was before: a stream whose tags never cross or
/// reach across their edges (every stream of google/snappy) can be expanded by fragments.
constexpr uint32_t kSnappyFragmentBytes = 64 << 10;

/// Notes where the fragments begin that begin in the row, given as sum_snappy_row takes it: starts[i] is where the
/// first tag of fragment i is, counted from the stream's first byte. `window_at`: the window's first byte, counted so
/// too; `made`: bytes made before the row. False if a tag crosses the edge of a fragment, or reaches across it.
WEFT_HOST_DEVICE inline bool split_snappy_row(const SnappyWindow& window, uint32_t row, uint32_t entry, uint32_t stop,
                                              uint32_t window_at, uint32_t made, uint32_t* starts) {
  const uint32_t row_end = (row + 1) * kSnappyRowBytes;
  const uint32_t end = row_end < stop ? row_end : stop;
  bool apart = true;
  for (uint32_t at = entry; at < end;) {
    const SnappyTag tag = snappy_tag_at(window, at);
    const uint32_t within = made % kSnappyFragmentBytes;
    if (within == 0) starts[made / kSnappyFragmentBytes] = window_at + at;
    apart = apart && within + tag.produced <= kSnappyFragmentBytes && tag.reach <= within;
    made += tag.produced;
    at += tag.stored_bytes;
  }
  return apart;
}

/// The stream's first bytes, its produced length as a varint of 32 bits: how many bytes that takes, 0 if it is not
/// `expected`.
WEFT_HOST_DEVICE inline uint32_t snappy_preamble(const uint8_t* bytes, uint32_t stored_bytes, uint32_t expected) {
  uint64_t length = 0;
  for (uint32_t i = 0; i < 5 && i < stored_bytes; ++i) {
    length |= uint64_t{bytes[i] & 0x7fU} << (7 * i);
    if ((bytes[i] & 0x80) == 0) return length == expected ? i + 1 : 0;
  }
  return 0;
}

}  // namespace weft::gpu::kernels
