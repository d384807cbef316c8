// Contents of pages for tests, valid ones and others.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "gpu/kernels/page_header_writer.hpp"
#include "gpu/kernels/page_walk.hpp"

namespace weft::gpu::kernels {

using PageContent = std::vector<uint8_t>;

inline PageContent operator+(PageContent a, const PageContent& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

inline PageContent little_endian(uint64_t value, unsigned bytes) {
  PageContent out;
  for (unsigned i = 0; i < bytes; ++i) out.push_back(static_cast<uint8_t>(value >> (8 * i)));
  return out;
}

inline PageContent varint(uint64_t value) {
  PageContent out;
  for (; value > 0x7f; value >>= 7) out.push_back(static_cast<uint8_t>(value | 0x80));
  out.push_back(static_cast<uint8_t>(value));
  return out;
}

inline PageContent zigzag(int64_t value) {
  return varint((static_cast<uint64_t>(value) << 1) ^ (value < 0 ? ~uint64_t{0} : 0));
}

inline PageContent bit_packed(const std::vector<uint64_t>& values, unsigned bits) {
  PageContent out((values.size() * bits + 7) / 8, 0);
  for (size_t i = 0; i < values.size(); ++i) {
    for (unsigned b = 0; b < bits; ++b) {
      const size_t bit = i * bits + b;
      if ((values[i] >> b & 1) != 0) out[bit / 8] = static_cast<uint8_t>(out[bit / 8] | 1U << bit % 8);
    }
  }
  return out;
}

/// A run of one value, or of literals, whose number is made a multiple of 8.
inline PageContent repeated_run(uint64_t times, uint64_t value, unsigned bits) {
  return varint(times << 1) + little_endian(value, (bits + 7) / 8);
}
inline PageContent literal_run(std::vector<uint64_t> values, unsigned bits) {
  values.resize((values.size() + 7) / 8 * 8, 0);
  return varint(values.size() / 8 << 1 | 1) + bit_packed(values, bits);
}

/// V1's levels: their size in front.
inline PageContent with_size(const PageContent& content) { return little_endian(content.size(), 4) + content; }

inline PageContent plain_texts(const std::vector<std::string>& texts) {
  PageContent out;
  for (const std::string& text : texts) out = out + with_size(PageContent(text.begin(), text.end()));
  return out;
}

/// DELTA_BINARY_PACKED with blocks of `miniblocks` times `per_miniblock` values.
inline PageContent deltas(const std::vector<int64_t>& values, unsigned miniblocks = 4, unsigned per_miniblock = 32) {
  PageContent out = varint(uint64_t{miniblocks} * per_miniblock) + varint(miniblocks) + varint(values.size()) +
                    zigzag(values.empty() ? 0 : values[0]);
  for (size_t at = 1; at < values.size(); at += size_t{miniblocks} * per_miniblock) {
    std::vector<int64_t> differences;
    for (size_t i = at; i < values.size() && i < at + size_t{miniblocks} * per_miniblock; ++i) {
      differences.push_back(values[i] - values[i - 1]);
    }
    int64_t least = differences[0];
    for (const int64_t difference : differences) least = std::min(least, difference);
    PageContent widths(miniblocks, 0);
    PageContent packed;
    for (size_t m = 0; m * per_miniblock < differences.size(); ++m) {
      std::vector<uint64_t> numbers(per_miniblock, 0);
      unsigned width = 0;
      for (size_t i = 0; i < per_miniblock && m * per_miniblock + i < differences.size(); ++i) {
        numbers[i] = static_cast<uint64_t>(differences[m * per_miniblock + i] - least);
        while (width < 64 && numbers[i] >> width != 0) ++width;
      }
      widths[m] = static_cast<uint8_t>(width);
      packed = packed + bit_packed(numbers, width);
    }
    out = out + zigzag(least) + widths + packed;
  }
  return out;
}

/// Pages of a chunk that is not compressed.
inline PageContent data_page(int64_t values, int encoding, const PageContent& content, int level_encoding = kRle) {
  const auto size = static_cast<int64_t>(content.size());
  return PageHeaderWriter()
             .i32(1, kDataPage)
             .i32(2, size)
             .i32(3, size)
             .open(5)
             .i32(1, values)
             .i32(2, encoding)
             .i32(3, level_encoding)
             .i32(4, kRle)
             .close()
             .page(0) +
         content;
}
inline PageContent data_page_v2(int64_t values, int encoding, const PageContent& levels, const PageContent& content) {
  const auto size = static_cast<int64_t>(levels.size() + content.size());
  return PageHeaderWriter()
             .i32(1, kDataPageV2)
             .i32(2, size)
             .i32(3, size)
             .open(8)
             .i32(1, values)
             .i32(2, 0)
             .i32(3, values)
             .i32(4, encoding)
             .i32(5, static_cast<int64_t>(levels.size()))
             .i32(6, 0)
             .boolean(7, false)
             .close()
             .page(0) +
         levels + content;
}
inline PageContent dictionary_page(int64_t entries, const PageContent& content) {
  const auto size = static_cast<int64_t>(content.size());
  return PageHeaderWriter()
             .i32(1, kDictionaryPage)
             .i32(2, size)
             .i32(3, size)
             .open(7)
             .i32(1, entries)
             .i32(2, kPlain)
             .close()
             .page(0) +
         content;
}

}  // namespace weft::gpu::kernels
