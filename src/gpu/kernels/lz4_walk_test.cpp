#include "gpu/kernels/lz4_walk.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "gpu/kernels/guarded_bytes.hpp"

namespace weft::gpu::kernels {
namespace {

using Bytes = std::vector<uint8_t>;

bool walk(const Bytes& block, uint32_t expected) {
  const GuardedBytes bytes(block);
  return is_lz4_block(bytes.data(), static_cast<uint32_t>(bytes.size()), expected);
}

/// Decodes byte by byte, as the format description says it.
bool decodes(const Bytes& in, uint32_t expected) {
  size_t at = 0;
  Bytes out;
  const auto length = [&](size_t half, size_t& value) {
    value = half;
    for (uint8_t next = half == 15 ? 255 : 0; next == 255;) {
      if (at == in.size()) return false;
      next = in[at++];
      value += next;
    }
    return true;
  };
  while (at < in.size()) {
    const uint8_t token = in[at++];
    size_t literals = 0;
    if (!length(token >> 4, literals) || in.size() - at < literals) return false;
    out.insert(out.end(), in.begin() + static_cast<ptrdiff_t>(at), in.begin() + static_cast<ptrdiff_t>(at + literals));
    at += literals;
    if (at == in.size()) return out.size() == expected;
    if (in.size() - at < 2) return false;
    const size_t offset = in[at] | in[at + 1] << 8;
    at += 2;
    size_t match = 0;
    if (offset == 0 || offset > out.size() || !length(token & 0xf, match)) return false;
    for (match += 4; match > 0; --match) out.push_back(out[out.size() - offset]);
  }
  return false;
}

void add_length(size_t value, Bytes& block) {
  if (value < 15) return;
  for (value -= 15; value >= 255; value -= 255) block.push_back(255);
  block.push_back(static_cast<uint8_t>(value));
}

/// A valid block of about `sequences` sequences, and how many bytes it stands for.
std::pair<Bytes, uint32_t> random_block(std::mt19937& random, unsigned sequences) {
  Bytes block;
  size_t produced = 0;
  const auto some = [&] { return random() % 8 == 0 ? random() % 1000 : random() % 20; };
  for (unsigned i = 0; i <= sequences; ++i) {
    const bool last = i == sequences;
    const size_t literals = some() + (produced == 0 || last ? 1 : 0);
    const size_t match = some();
    block.push_back(
        static_cast<uint8_t>(std::min<size_t>(literals, 15) << 4 | (last ? 0 : std::min<size_t>(match, 15))));
    add_length(literals, block);
    for (size_t b = 0; b < literals; ++b) block.push_back(static_cast<uint8_t>(random()));
    produced += literals;
    if (last) break;
    const size_t offset = 1 + random() % std::min<size_t>(produced, 65535);
    block.push_back(static_cast<uint8_t>(offset));
    block.push_back(static_cast<uint8_t>(offset >> 8));
    add_length(match, block);
    produced += match + 4;
  }
  return {block, static_cast<uint32_t>(produced)};
}

TEST(Lz4Walk, SmallBlocks) {
  EXPECT_FALSE(walk({}, 0));
  EXPECT_TRUE(walk({0}, 0));
  EXPECT_TRUE(walk({0x10, 'a'}, 1));
  EXPECT_FALSE(walk({0x10, 'a'}, 2));
  EXPECT_FALSE(walk({0x20, 'a'}, 2)) << "a literal that ends early";
  EXPECT_TRUE(walk({0x10, 'a', 1, 0, 0x10, 'b'}, 6));
  EXPECT_FALSE(walk({0x10, 'a', 1, 0}, 5)) << "a match at the end";
  EXPECT_FALSE(walk({0x10, 'a', 0, 0, 0x10, 'b'}, 6)) << "offset 0";
  EXPECT_FALSE(walk({0x10, 'a', 2, 0, 0x10, 'b'}, 6)) << "offset before the first byte";
  EXPECT_FALSE(walk({0x10, 'a', 1}, 5));
  EXPECT_FALSE(walk({0xf0, 255}, 500)) << "a length that does not end";
  EXPECT_FALSE(walk({0x1f, 'a', 1, 0, 255, 255, 10, 0x10, 'b'}, 20)) << "a match longer than the page";
}

TEST(Lz4Walk, AgreesWithADecoder) {
  std::mt19937 random(5);
  unsigned valid = 0;
  unsigned invalid = 0;
  for (unsigned i = 0; i < 6000; ++i) {
    auto [block, length] = random_block(random, i % 40);
    ASSERT_TRUE(decodes(block, length)) << i;
    ASSERT_TRUE(walk(block, length)) << i;
    for (unsigned n = 1 + random() % 3; n > 0; --n) block[random() % block.size()] = static_cast<uint8_t>(random());
    if (i % 5 == 0) block.resize(random() % block.size());
    const bool expected = decodes(block, length);
    ++(expected ? valid : invalid);
    ASSERT_EQ(walk(block, length), expected) << i;
  }
  EXPECT_GT(valid, 300U);
  EXPECT_GT(invalid, 1000U);
}

}  // namespace
}  // namespace weft::gpu::kernels
