// The walk over the tags of a snappy stream (google/snappy, format_description.txt) that tells whether it is valid,
// without writing what it stands for. Made for a warp, and run lane by lane in the CPU's tests.
//
// Where a tag begins is known only from the tag before it. The walk goes through the stream in windows of 32 rows, a
// row a lane, in three steps: (1) each lane finds, for every byte of its row, where a chain of tags from there leaves
// the row (from the last byte to the first, each from a later one); (2) one chain of 32 look-ups gives the row's true
// entries; (3) each lane walks its row's tags from its entry and adds up what they produce. Copies must not reach back
// past what was produced: a row keeps by how much its copies reach before the row's own output, which is compared when
// the rows before it are summed up.
#pragma once

#include <cstdint>

#include "gpu/kernels/host_device.hpp"

namespace weft::gpu::kernels {

constexpr uint32_t kSnappyRows = 32;
constexpr uint32_t kSnappyRowBytes = 64;
constexpr uint32_t kSnappyWindowBytes = kSnappyRows * kSnappyRowBytes;
/// A row's words and the first of the next row: a tag's five bytes can begin in the last byte. The odd number keeps the
/// lanes on different memory banks.
constexpr uint32_t kSnappyRowWords = kSnappyRowBytes / 4 + 1;

struct SnappyWindow {
  uint32_t words[kSnappyRows * kSnappyRowWords];
  uint8_t exits[kSnappyRows * kSnappyRowWords * 4];
};

/// An exit that is farther than this behind its row is found by walking the row.
constexpr uint32_t kFarExit = 255;
/// More than any page: so long is a literal whose length does not fit.
constexpr uint32_t kTooLong = 0x80000000;

struct SnappyTag {
  uint32_t stored_bytes = 0;  // the tag, its further bytes and a literal's characters
  uint32_t produced = 0;
  uint32_t reach = 0;  // how far back a copy reads; 0 for a literal, the most for an offset of 0, which is invalid
};

/// `next`: the four bytes behind the tag byte.
WEFT_HOST_DEVICE inline SnappyTag snappy_tag(uint32_t tag, uint32_t next) {
  const uint32_t high = tag >> 2;
  SnappyTag result;
  switch (tag & 3) {
    case 0: {
      const uint32_t length_bytes = high < 60 ? 0 : high - 59;
      uint32_t length = high;  // less one
      if (length_bytes > 0) length = length_bytes == 4 ? next : next & ((1U << (8 * length_bytes)) - 1);
      result.produced = length < kTooLong - 8 ? length + 1 : kTooLong;
      result.stored_bytes = result.produced + 1 + length_bytes;
      return result;
    }
    case 1:
      result.stored_bytes = 2;
      result.produced = (high & 7) + 4;
      result.reach = (tag >> 5) << 8 | (next & 0xff);
      break;
    case 2:
      result.stored_bytes = 3;
      result.produced = high + 1;
      result.reach = next & 0xffff;
      break;
    default:
      result.stored_bytes = 5;
      result.produced = high + 1;
      result.reach = next;
  }
  if (result.reach == 0) result.reach = 0xffffffff;
  return result;
}

/// The tag that begins in byte `at` of a row, given the row's words.
WEFT_HOST_DEVICE inline SnappyTag snappy_tag_at(const uint32_t* row, uint32_t at) {
  const uint64_t two = uint64_t{row[at / 4 + 1]} << 32 | row[at / 4];
  const uint32_t shift = at % 4 * 8;
  return snappy_tag(static_cast<uint32_t>(two >> shift) & 0xff, static_cast<uint32_t>(two >> (shift + 8)));
}

/// Step 1 for one row: exits[i] = how far behind the row the chain from byte i goes on, at most kFarExit.
WEFT_HOST_DEVICE inline void find_snappy_exits(const uint32_t* row, uint8_t* exits) {
  for (uint32_t left = kSnappyRowBytes; left > 0; --left) {
    const uint32_t at = left - 1;
    const uint32_t after = at + snappy_tag_at(row, at).stored_bytes;
    if (after < kSnappyRowBytes) {
      exits[at] = exits[after];
    } else {
      const uint32_t behind = after - kSnappyRowBytes;
      exits[at] = static_cast<uint8_t>(behind < kFarExit ? behind : kFarExit);
    }
  }
}

/// Step 2: where the chain that enters a row at `at` goes on behind that row, both counted from the window's first
/// byte. The stream ends at `stop`; a chain that ends with it gives `stop`, one that does not more than that.
WEFT_HOST_DEVICE inline uint32_t snappy_exit(const SnappyWindow& window, uint32_t at, uint32_t stop) {
  const uint32_t row = at / kSnappyRowBytes;
  uint32_t within = at % kSnappyRowBytes;
  uint32_t end = kSnappyRowBytes;
  if (stop - row * kSnappyRowBytes < kSnappyRowBytes) {
    end = stop - row * kSnappyRowBytes;  // the table knows nothing of the stream's end
  } else {
    const uint32_t behind = window.exits[row * kSnappyRowWords * 4 + within];
    if (behind < kFarExit) return (row + 1) * kSnappyRowBytes + behind;
  }
  while (within < end) within += snappy_tag_at(window.words + row * kSnappyRowWords, within).stored_bytes;
  return row * kSnappyRowBytes + within;
}

struct SnappyRowSum {
  uint32_t produced = 0;
  uint32_t reach = 0;  // before the row's own output
};

/// Step 3 for one row: the tags from byte `entry` on that begin before byte `end` (at most kSnappyRowBytes).
WEFT_HOST_DEVICE inline SnappyRowSum sum_snappy_row(const uint32_t* row, uint32_t entry, uint32_t end) {
  SnappyRowSum sum;
  for (uint32_t at = entry; at < end;) {
    const SnappyTag tag = snappy_tag_at(row, at);
    if (tag.reach > sum.produced && tag.reach - sum.produced > sum.reach) sum.reach = tag.reach - sum.produced;
    sum.produced += tag.produced;
    at += tag.stored_bytes;
  }
  return sum;
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
