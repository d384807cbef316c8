#include "gpu/kernels/snappy_walk.hpp"

#include <gtest/gtest.h>

#include "gpu/kernels/guarded_bytes.hpp"
#include "gpu/kernels/snappy_host_expand.hpp"
#include "gpu/kernels/snappy_streams.hpp"

namespace weft::gpu::kernels {
namespace {

/// Whether the stream is valid; if it is, it also becomes the bytes that it should.
bool walk(const SnappyBytes& stream, uint32_t expected, uint32_t misaligned = 0) {
  const GuardedBytes bytes(stream);
  const auto expanded = expand_snappy_on_host({bytes.data(), bytes.size()}, expected, misaligned);
  if (expanded) {
    EXPECT_EQ(expanded, decode_snappy(stream, expected));
  }
  return expanded.has_value();
}

SnappyBytes bytes(std::initializer_list<int> values) {
  SnappyBytes out;
  for (const int value : values) out.push_back(static_cast<uint8_t>(value));
  return out;
}

TEST(SnappyWalk, SmallStreams) {
  EXPECT_TRUE(walk(bytes({0}), 0));
  EXPECT_FALSE(walk({}, 0)) << "no preamble";
  EXPECT_TRUE(walk(bytes({1, 0, 'a'}), 1));
  EXPECT_FALSE(walk(bytes({1, 0, 'a'}), 2)) << "another length than the page's";
  EXPECT_FALSE(walk(bytes({2, 0, 'a'}), 2)) << "ends early";
  EXPECT_FALSE(walk(bytes({1, 4, 'a'}), 1)) << "the literal is cut";
  EXPECT_FALSE(walk(bytes({1, 0, 'a', 0, 'b'}), 1)) << "goes on behind its length";
  EXPECT_TRUE(walk(bytes({5, 0, 'a', 1, 1}), 5)) << "a copy of what it makes itself";
  EXPECT_FALSE(walk(bytes({5, 0, 'a', 1, 0}), 5)) << "offset 0";
  EXPECT_FALSE(walk(bytes({5, 0, 'a', 1, 2}), 5)) << "offset before the first byte";
  EXPECT_FALSE(walk(bytes({5, 0, 'a', 1}), 5)) << "a cut tag";
  EXPECT_TRUE(walk(bytes({3, 0, 'a', 6, 1, 0}), 3));
  EXPECT_TRUE(walk(bytes({3, 0, 'a', 7, 1, 0, 0, 0}), 3));
  EXPECT_FALSE(walk(bytes({3, 0, 'a', 7, 1, 0, 0, 1}), 3));
  EXPECT_FALSE(walk(bytes({4, 1, 1}), 4)) << "a copy of nothing";
}

TEST(SnappyWalk, LongLiterals) {
  for (const uint32_t length_bytes : {1, 2, 3, 4}) {
    SnappyBytes stream = bytes({100, static_cast<int>((59 + length_bytes) << 2), 99});
    for (uint32_t i = 1; i < length_bytes; ++i) stream.push_back(0);
    stream.resize(stream.size() + 100, 'x');
    EXPECT_TRUE(walk(stream, 100)) << length_bytes;
    stream.pop_back();
    EXPECT_FALSE(walk(stream, 100)) << length_bytes;
  }
  // Lengths that overflow 32 bits when anything is added to them.
  for (const int last : {0x7f, 0x80, 0xff}) {
    SnappyBytes stream = bytes({100, 63 << 2, 0xff, 0xff, 0xff, last});
    stream.resize(5000, 0);
    EXPECT_FALSE(walk(stream, 100));
  }
}

TEST(SnappyWalk, ThePreambleHasFiveBytesAtMost) {
  EXPECT_TRUE(walk(bytes({0x81, 0x80, 0x80, 0x80, 0x00, 0, 'a'}), 1));
  EXPECT_FALSE(walk(bytes({0x81, 0x80, 0x80, 0x80, 0x10, 0, 'a'}), 1)) << "2^32 + 1";
  EXPECT_FALSE(walk(bytes({0x81, 0x80, 0x80, 0x80, 0x80, 0x00, 0, 'a'}), 1));
  EXPECT_FALSE(walk(bytes({0x80, 0x80}), 0));
}

TEST(SnappyWalk, ValidStreamsPassWhereverTheyLie) {
  std::mt19937 random(1);
  for (unsigned i = 0; i < 3000; i += 7) {
    const auto [stream, length] = random_snappy(random, i % 3000 + 1);
    ASSERT_TRUE(decode_snappy(stream, length)) << i;
    ASSERT_TRUE(walk(stream, length, i % 16)) << i;
  }
}

TEST(SnappyWalk, ChainsOfCopies) {
  // Every byte is a copy of the one before it, tag after tag; then numbers that share bytes with the one before.
  SnappyBytes run = bytes({0, 'a'});
  uint32_t length = 1;
  for (unsigned tag = 0; tag < 3000; ++tag) {
    const int size = 4 + static_cast<int>(tag % 8);
    run.insert(run.end(), {static_cast<uint8_t>(1 | (size - 4) << 2), 1});
    length += static_cast<uint32_t>(size);
  }
  SnappyBytes numbers = bytes({3 << 2, 0, 0, 0, 0});
  for (unsigned i = 1; i < 5000; ++i) {
    const SnappyBytes next = bytes({0, static_cast<int>(i % 256), 2 << 2 | 2, 4, 0});
    numbers.insert(numbers.end(), next.begin(), next.end());
  }
  for (uint32_t misaligned = 0; misaligned < 16; ++misaligned) {
    EXPECT_TRUE(walk(snappy_stream(length, run), length, misaligned));
    EXPECT_TRUE(walk(snappy_stream(5000 * 4, numbers), 5000 * 4, misaligned));
  }
}

TEST(SnappyWalk, FragmentsThatAreApartCanBeExpandedAlone) {
  std::mt19937 random(4);
  for (uint32_t i = 0; i < 12; ++i) {
    const auto [stream, length] = random_snappy_fragments(random, i % 4 + 1);
    const auto whole = decode_snappy(stream, length);
    ASSERT_TRUE(whole) << i;
    ASSERT_EQ(expand_snappy_fragments(stream, length, i), whole) << i;
    ASSERT_TRUE(walk(stream, length, i)) << i;
  }
  const SnappyBytes first = {62 << 2, 0xff, 0xff, 0};  // a literal of 64 KB; then, of the next fragment:
  SnappyBytes start = first;
  start.resize(first.size() + kSnappyFragmentBytes, 'x');
  const auto fragments = [&](const SnappyBytes& next, uint32_t bytes) {
    SnappyBytes body = start;
    body.insert(body.end(), next.begin(), next.end());
    const uint32_t length = kSnappyFragmentBytes + bytes;
    const SnappyBytes stream = snappy_stream(length, body);
    EXPECT_TRUE(walk(stream, length));
    return split_snappy_on_host(stream, length, 0);
  };
  EXPECT_EQ(fragments(bytes({0, 'a'}), 1),
            (std::vector<uint32_t>{3, 3 + 4 + kSnappyFragmentBytes, 9 + kSnappyFragmentBytes}));
  EXPECT_FALSE(fragments(bytes({1, 1}), 4)) << "a copy of the last byte of the fragment before";
  EXPECT_FALSE(fragments(bytes({0, 'a', 1, 2}), 5));
  EXPECT_TRUE(fragments(bytes({0, 'a', 1, 1}), 5));
  start.resize(start.size() - 1);  // one byte less, and the next literal lies across the edge
  start[1] = 0xfe;
  SnappyBytes across = start;
  across.insert(across.end(), {1 << 2, 'a', 'b'});
  EXPECT_FALSE(split_snappy_on_host(snappy_stream(kSnappyFragmentBytes + 1, across), kSnappyFragmentBytes + 1, 0));
}

TEST(SnappyWalk, AgreesWithADecoderAboutDamage) {
  std::mt19937 random(2);
  unsigned invalid = 0;
  unsigned valid = 0;
  for (unsigned i = 0; i < 6000; ++i) {
    auto [stream, length] = random_snappy(random, i % 10 == 0 ? i / 2 + 1 : i % 60 + 1);
    damage(random, stream);
    const bool expected = decode_snappy(stream, length).has_value();
    ++(expected ? valid : invalid);
    ASSERT_EQ(walk(stream, length, i % 16), expected) << i;
  }
  EXPECT_GT(invalid, 1000U);
  EXPECT_GT(valid, 500U) << "damage to a literal's characters";
}

}  // namespace
}  // namespace weft::gpu::kernels
