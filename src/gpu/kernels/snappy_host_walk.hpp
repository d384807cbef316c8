// What bad_page.cu's warp does with a snappy page, lane by lane on the CPU, for tests.
#pragma once

#include <algorithm>
#include <vector>

#include "gpu/kernels/page_walk.hpp"
#include "gpu/kernels/snappy_walk.hpp"

namespace weft::gpu::kernels {

/// `misaligned`: how far behind a multiple of 16 the page lies; the walk's windows follow from it.
inline bool is_snappy_on_host(const StoredPage& page, uint32_t misaligned) {
  uint64_t produced = 0;
  uint32_t at = snappy_preamble(page.bytes, page.stored_bytes, page.page_bytes);
  if (at == 0) return false;
  SnappyWindow window;
  while (at < page.stored_bytes) {
    const uint32_t first = (misaligned + at) % 16;
    const auto byte = [&](uint32_t i) -> uint32_t {  // of the window
      return i >= first && at + (i - first) < page.stored_bytes ? page.bytes[at + (i - first)] : 0;
    };
    for (uint32_t row = 0; row < kSnappyRows; ++row) {
      for (uint32_t w = 0; w < kSnappyRowWords; ++w) {
        const uint32_t i = row * kSnappyRowBytes + w * 4;
        window.words[row * kSnappyRowWords + w] = byte(i) | byte(i + 1) << 8 | byte(i + 2) << 16 | byte(i + 3) << 24;
      }
      find_snappy_exits(window.words + row * kSnappyRowWords, window.exits + row * kSnappyRowWords * 4);
    }
    const uint32_t left = page.stored_bytes - at + first;
    const uint32_t stop = std::min(left, kSnappyWindowBytes);
    std::vector<uint32_t> entries(kSnappyRows, kSnappyRowBytes);
    uint32_t next = first;
    while (next < stop) {
      entries[next / kSnappyRowBytes] = next % kSnappyRowBytes;
      next = snappy_exit(window, next, stop);
    }
    if (next > left) return false;
    for (uint32_t row = 0; row < kSnappyRows; ++row) {
      const uint32_t begin = row * kSnappyRowBytes;
      const SnappyRowSum sum = sum_snappy_row(window.words + row * kSnappyRowWords, entries[row],
                                              stop > begin ? std::min(stop - begin, kSnappyRowBytes) : 0);
      if (sum.reach > produced) return false;
      produced += sum.produced;
    }
    if (produced > page.page_bytes) return false;
    at += next - first;
  }
  return produced == page.page_bytes;
}

}  // namespace weft::gpu::kernels
