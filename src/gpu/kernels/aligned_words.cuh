// Aligned reads of bytes that may begin anywhere, in an allocation that begins at a multiple of 16.
#pragma once

#include <cstdint>

namespace weft::gpu::kernels {

/// 16 bytes at a multiple of 16; zeros for those from `end` on.
__device__ inline uint4 load_words(const uint8_t* from, const uint8_t* end) {
  if (end - from >= 16) return *reinterpret_cast<const uint4*>(from);
  uint32_t words[4] = {0, 0, 0, 0};
  for (int i = 0; i < end - from; ++i) words[i / 4] |= uint32_t{from[i]} << (i % 4 * 8);
  return {words[0], words[1], words[2], words[3]};
}

}  // namespace weft::gpu::kernels
