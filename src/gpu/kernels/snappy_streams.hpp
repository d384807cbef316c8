// Snappy streams for tests: random valid ones, damage, and a plain decoder that says which are valid.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <vector>

namespace weft::gpu::kernels {

using SnappyBytes = std::vector<uint8_t>;

/// Decodes byte by byte, as the format description says it; nothing if it is not a stream of `expected` bytes.
inline std::optional<SnappyBytes> decode_snappy(std::span<const uint8_t> in, uint32_t expected) {
  size_t at = 0;
  uint64_t length = 0;
  for (unsigned shift = 0;; shift += 7) {
    if (at == in.size() || shift == 35) return std::nullopt;
    length |= uint64_t{in[at] & 0x7fU} << shift;
    if ((in[at++] & 0x80) == 0) break;
  }
  if (length != expected) return std::nullopt;
  std::vector<uint8_t> out;
  const auto number = [&](unsigned bytes, uint64_t& value) {
    if (in.size() - at < bytes) return false;
    value = 0;
    for (unsigned i = 0; i < bytes; ++i) value |= uint64_t{in[at++]} << (8 * i);
    return true;
  };
  while (at < in.size()) {
    const uint8_t tag = in[at++];
    uint64_t size = (tag >> 2) + 1;
    uint64_t offset = 0;
    if ((tag & 3) == 0) {
      if (size > 60) {
        if (!number(static_cast<unsigned>(size - 60), size)) return std::nullopt;
        ++size;
      }
      if (in.size() - at < size || expected - out.size() < size) return std::nullopt;
      out.insert(out.end(), in.begin() + static_cast<ptrdiff_t>(at), in.begin() + static_cast<ptrdiff_t>(at + size));
      at += size;
      continue;
    }
    if ((tag & 3) == 1) {
      if (!number(1, offset)) return std::nullopt;
      offset |= uint64_t{tag & 0xe0U} << 3;
      size = ((tag >> 2) & 7) + 4;
    } else if (!number((tag & 3) == 2 ? 2 : 4, offset)) {
      return std::nullopt;
    }
    if (offset == 0 || offset > out.size() || expected - out.size() < size) return std::nullopt;
    for (; size > 0; --size) out.push_back(out[out.size() - offset]);
  }
  if (out.size() != expected) return std::nullopt;
  return out;
}

/// Adds valid tags of every kind, about `tags` of them but for at most `most` bytes, that reach no farther back than
/// the first; gives for how many bytes they stand.
inline uint32_t add_random_tags(std::mt19937& random, uint32_t tags, uint32_t most, SnappyBytes& body) {
  const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  uint32_t produced = 0;
  const auto bytes_of = [&](uint32_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i) body.push_back(static_cast<uint8_t>(value >> (8 * i)));
  };
  const uint32_t literals = below(10);  // in ten: some streams are nearly all copies, some nearly none
  for (unsigned i = 0; i < tags && produced < most; ++i) {
    if (produced == 0 || below(10) < literals) {
      const uint32_t kind = below(40);
      const uint32_t size = std::min(most - produced, 1 + (kind == 0  ? below(5000)
                                                           : kind < 4 ? below(400)
                                                                      : below(60)));
      const unsigned least = size <= 60 ? 0 : size <= 256 ? 1 : 2;
      const unsigned length_bytes = kind < 8 ? least + below(5 - least) : least;
      body.push_back(static_cast<uint8_t>((length_bytes == 0 ? size - 1 : 59 + length_bytes) << 2));
      bytes_of(size - 1, length_bytes);
      for (uint32_t b = 0; b < size; ++b) body.push_back(static_cast<uint8_t>(random()));
      produced += size;
      continue;
    }
    const uint32_t kind = 1 + below(3);
    const uint32_t limit = std::min(produced, kind == 1 ? 2047U : kind == 2 ? 65535U : produced);
    const uint32_t offset = below(4) == 0 ? limit : 1 + below(limit);
    const uint32_t size = kind == 1 ? 4 + below(8) : 1 + below(64);
    if (size > most - produced) continue;
    if (kind == 1) {
      body.push_back(static_cast<uint8_t>(1 | (size - 4) << 2 | offset >> 8 << 5));
      body.push_back(static_cast<uint8_t>(offset));
    } else {
      body.push_back(static_cast<uint8_t>(kind | (size - 1) << 2));
      bytes_of(offset, kind == 2 ? 2 : 4);
    }
    produced += size;
  }
  return produced;
}

/// The tags behind the length that they stand for.
inline SnappyBytes snappy_stream(uint32_t length, const SnappyBytes& tags) {
  SnappyBytes stream;
  for (; length > 0x7f; length >>= 7) stream.push_back(static_cast<uint8_t>(length | 0x80));
  stream.push_back(static_cast<uint8_t>(length));
  stream.insert(stream.end(), tags.begin(), tags.end());
  return stream;
}

/// A valid stream of about `tags` tags of every kind, and the length that it stands for.
inline std::pair<SnappyBytes, uint32_t> random_snappy(std::mt19937& random, uint32_t tags) {
  SnappyBytes body;
  const uint32_t produced = add_random_tags(random, tags, 1U << 31, body);
  return {snappy_stream(produced, body), produced};
}

/// A valid stream as compressors make them, of `fragments` fragments that are full but for the last one.
inline std::pair<SnappyBytes, uint32_t> random_snappy_fragments(std::mt19937& random, uint32_t fragments) {
  SnappyBytes body;
  uint32_t produced = 0;
  for (; fragments > 1; --fragments) produced += add_random_tags(random, 1U << 31, 64 << 10, body);
  produced += add_random_tags(random, 1 + static_cast<uint32_t>(random() % 300), 64 << 10, body);
  return {snappy_stream(produced, body), produced};
}

/// Changes some bytes, or cuts bytes off, or adds some.
inline void damage(std::mt19937& random, SnappyBytes& bytes) {
  if (bytes.empty()) return;
  const size_t place = random() % bytes.size();
  switch (random() % 6) {
    case 0:
      bytes.resize(place);
      break;
    case 1:
      bytes.push_back(static_cast<uint8_t>(random()));
      break;
    case 2:
      for (size_t i = place; i < bytes.size() && i < place + 40; ++i) bytes[i] = static_cast<uint8_t>(random());
      break;
    case 3:
      bytes.erase(bytes.begin() + static_cast<ptrdiff_t>(place));
      break;
    default:
      bytes[place] ^= static_cast<uint8_t>(1U << (random() % 8));
  }
}

}  // namespace weft::gpu::kernels
