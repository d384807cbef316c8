// The walk over the sequences of an LZ4 block (lz4_Block_format.md) that tells whether a decoder would stay inside its
// buffers. Damaged blocks were seen to cost the device in nvCOMP's decompressor.
#pragma once

#include <cstdint>

#include "gpu/kernels/host_device.hpp"

namespace weft::gpu::kernels {

/// Bytes [at, end), taken in order.
class Lz4Reader {
 public:
  WEFT_HOST_DEVICE Lz4Reader(const uint8_t* at, const uint8_t* end) : at_(at), end_(end) {}

  WEFT_HOST_DEVICE uint32_t left() const { return static_cast<uint32_t>(end_ - at_); }
  WEFT_HOST_DEVICE bool broken() const { return broken_; }

  WEFT_HOST_DEVICE uint32_t byte() {
    if (at_ == end_) {
      broken_ = true;
      return 0;
    }
    return *at_++;
  }
  WEFT_HOST_DEVICE void skip(uint32_t bytes) {
    if (bytes > left()) {
      broken_ = true;
      return;
    }
    at_ += bytes;
  }
  /// The length that half a token begins; more than `most` is broken.
  WEFT_HOST_DEVICE uint32_t length(uint32_t half, uint32_t most) {
    constexpr uint32_t kMore = 15;
    uint64_t length = half;
    for (uint32_t next = half == kMore ? 255 : 0; next == 255 && !broken_;) {
      next = byte();
      length += next;
      if (length > most) broken_ = true;
    }
    if (length > most) broken_ = true;
    return static_cast<uint32_t>(length);
  }

 private:
  const uint8_t* at_;
  const uint8_t* end_;
  bool broken_ = false;
};

/// Whether the block stands for exactly `page_bytes` bytes, of literals and of copies of what is before them.
WEFT_HOST_DEVICE inline bool is_lz4_block(const uint8_t* bytes, uint32_t stored_bytes, uint32_t page_bytes) {
  constexpr uint32_t kLeastMatch = 4;
  Lz4Reader in(bytes, bytes + stored_bytes);
  uint32_t produced = 0;
  while (in.left() > 0) {
    const uint32_t token = in.byte();
    const uint32_t literals = in.length(token >> 4, page_bytes - produced);
    in.skip(literals);
    if (in.broken()) return false;
    produced += literals;
    if (in.left() == 0) return produced == page_bytes;  // the last sequence has no match
    const uint32_t low = in.byte();
    const uint32_t offset = low | in.byte() << 8;
    if (in.broken() || offset == 0 || offset > produced || page_bytes - produced < kLeastMatch) return false;
    const uint32_t match = in.length(token & 0xf, page_bytes - produced - kLeastMatch) + kLeastMatch;
    if (in.broken()) return false;
    produced += match;
  }
  return false;  // nothing, or a match at the end
}

}  // namespace weft::gpu::kernels
