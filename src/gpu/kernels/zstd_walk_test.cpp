#include "gpu/kernels/zstd_walk.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "gpu/kernels/guarded_bytes.hpp"

namespace weft::gpu::kernels {
namespace {

using Bytes = std::vector<uint8_t>;

bool walk(const Bytes& stream, uint32_t page_bytes) {
  const GuardedBytes bytes(stream);
  return has_zstd_structure(bytes.data(), static_cast<uint32_t>(bytes.size()), page_bytes);
}

Bytes operator+(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

const Bytes kMagic = {0x28, 0xb5, 0x2f, 0xfd};

/// 835 bytes of text by zstd 1.5 at level 5: one compressed block, with a Huffman tree whose weights are compressed,
/// and tables of its own for its sequences.
Bytes text_frame() {
  const std::string digits =
      "28b52ffd6043024d09004289191690a76d08419e7ea9b76fc8d81d4e68a557b69cc64ee4be9160ae155c7de1d928e58376ac"
      "5afa9b5803cbfaa0f247c122bfb343c323bee67df4cf379a4d9167ba8464f141556c8aa4484a7d8f53d53be86e1408870102"
      "38d32961920ff26d2e92006113b82164a801aab7490aed19200282183bf31028c6aad639ddd14129f49520335296a828e7a3"
      "53894171949bd1a6ff53478261cb62baeb5902cb18902060eb05906a423465c9f9a06a7d659838aa09c00fd1cb012a941b60"
      "0c25e971a3977c24136ee80003ed3b608df4636240f8dba87c20bdd0dddad5579198bd2230530372080bb85aa1d720cc25a7"
      "6143300c827d7214d2c48f41dcdfd4f8013a95a510815133e176899ee386014ee7fa3197eaec6c0614ed181fd6010c530fe8"
      "fd8f25ab1a9c1a";
  Bytes bytes;
  for (size_t i = 0; i < digits.size(); i += 2) {
    bytes.push_back(static_cast<uint8_t>(std::stoul(digits.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

TEST(ZstdWalk, BlocksThatAreNotCompressed) {
  const Bytes raw = kMagic + Bytes{0x20, 3, 0x19, 0, 0, 'a', 'b', 'c'};
  EXPECT_TRUE(walk(raw, 3));
  EXPECT_FALSE(walk(raw, 4));
  EXPECT_FALSE(walk(raw, 2));
  EXPECT_TRUE(walk(raw + raw, 6)) << "two frames";
  EXPECT_TRUE(walk(Bytes{0x53, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 9, 9} + raw, 3)) << "a frame that is skipped";
  EXPECT_TRUE(walk(kMagic + Bytes{0, 0, 0x23, 0, 0, 'x'}, 4)) << "no content size: a window of 1 KB, four times x";
  EXPECT_FALSE(walk(kMagic + Bytes{0, 0, 0x23, 0, 0, 'x'}, 5));
  EXPECT_TRUE(walk(kMagic + Bytes{4, 0, 0x0a, 0, 0, 'x', 0x0b, 0, 0, 'y', 1, 2, 3, 4}, 2)) << "two blocks, a checksum";
  EXPECT_FALSE(walk(kMagic + Bytes{4, 0, 0x0a, 0, 0, 'x', 0x0b, 0, 0, 'y', 1, 2, 3}, 2));
}

TEST(ZstdWalk, HeadersThatNoDecoderTakes) {
  EXPECT_FALSE(walk({}, 0));
  EXPECT_FALSE(walk(kMagic, 0));
  EXPECT_FALSE(walk({1, 2, 3, 4, 0x20, 0, 1, 0, 0}, 0));
  EXPECT_TRUE(walk(kMagic + Bytes{0x20, 0, 1, 0, 0}, 0));
  EXPECT_FALSE(walk(kMagic + Bytes{0x28, 0, 1, 0, 0}, 0)) << "the reserved bit";
  EXPECT_FALSE(walk(kMagic + Bytes{0x21, 7, 0, 1, 0, 0}, 0)) << "a dictionary";
  EXPECT_FALSE(walk(kMagic + Bytes{0x20, 0, 0, 0, 0}, 0)) << "no last block";
  EXPECT_FALSE(walk(kMagic + Bytes{0x20, 3, 0x1f, 0, 0, 'a', 'b', 'c'}, 3)) << "the reserved kind of block";
  EXPECT_FALSE(walk(kMagic + Bytes{0x20, 3, 0x21, 0, 0, 'a', 'b', 'c', 'd'}, 3)) << "a block of more than the frame";
  EXPECT_FALSE(walk(kMagic + Bytes{0x20, 3, 0x19, 0, 0, 'a', 'b'}, 3));
  EXPECT_FALSE(walk(kMagic + Bytes{0x20, 9, 0x15, 0, 0, 0x48, 0}, 9)) << "literals of more than the block";
}

TEST(ZstdWalk, CompressedBlocks) {
  const Bytes text = text_frame();
  EXPECT_TRUE(walk(text, 835));
  EXPECT_FALSE(walk(text, 836));
  for (size_t size = 0; size < text.size(); ++size) {
    EXPECT_FALSE(walk(Bytes(text.begin(), text.begin() + static_cast<ptrdiff_t>(size)), 835)) << size;
  }
  EXPECT_FALSE(walk(text + Bytes{0}, 835));
  // The frame's header, the block's, the literals', the tree's.
  const auto changed = [&](size_t place, uint8_t value) {
    Bytes damaged = text;
    damaged[place] = value;
    return damaged;
  };
  EXPECT_FALSE(walk(changed(7, 0x4f), 835));
  EXPECT_FALSE(walk(changed(8, 0x19), 835));
  EXPECT_FALSE(walk(changed(10, 0x43), 835)) << "a tree of an earlier block";
  EXPECT_FALSE(walk(changed(13, 0xff), 835)) << "a tree with other weights";
  EXPECT_FALSE(walk(changed(14, 0xff), 835)) << "a table that is too fine";
}

TEST(ZstdWalk, DamageIsNeverReadPastTheEndAndEnds) {
  const Bytes text = text_frame();
  std::mt19937 random(7);
  unsigned noticed = 0;
  for (unsigned i = 0; i < 20000; ++i) {
    Bytes damaged = text;
    for (uint_fast32_t n = random() % 3; n < 3; ++n) {
      damaged[4 + random() % (i % 2 == 0 ? 60 : damaged.size() - 4)] = static_cast<uint8_t>(random());
    }
    if (i % 5 == 0) damaged.resize(random() % damaged.size());
    if (!walk(damaged, 835)) ++noticed;
  }
  EXPECT_GT(noticed, 10000U);
}

}  // namespace
}  // namespace weft::gpu::kernels
