// The kernels say of chunks on the device what the walks on the CPU say.
#include "gpu/kernels/bad_page.hpp"

#include "gpu/kernels/page_header_writer.hpp"
#include "gpu/kernels/snappy_host_walk.hpp"
#include "gpu/kernels/snappy_streams.hpp"
#include "gpu/ops/test_batches.hpp"

namespace weft::gpu::kernels {
namespace {

class BadPageTest : public OperatorTest {
 protected:
  /// A chunk with a page for each stream, of one value each.
  struct Chunk {
    std::vector<uint8_t> bytes;
    int64_t values = 0;
    void add(const SnappyBytes& stream, uint32_t length) {
      auto page = PageHeaderWriter()
                      .i32(1, 0)
                      .i32(2, length)
                      .i32(3, static_cast<int64_t>(stream.size()))
                      .open(5)
                      .i32(1, 1)
                      .i32(2, 0)
                      .i32(3, 3)
                      .i32(4, 3)
                      .close()
                      .page(0);
      bytes.insert(bytes.end(), page.begin(), page.end());
      bytes.insert(bytes.end(), stream.begin(), stream.end());
      ++values;
    }
  };

  std::optional<BadPage> find(const std::vector<Chunk>& chunks, PageCodec codec = PageCodec::Snappy) {
    std::vector<rmm::device_buffer> buffers;
    std::vector<ChunkToWalk> walks;
    for (const Chunk& chunk : chunks) {
      buffers.emplace_back(chunk.bytes.data(), chunk.bytes.size(), context().stream, context().mr);
      walks.push_back({static_cast<const uint8_t*>(buffers.back().data()), chunk.bytes.size(), chunk.values,
                       PhysicalType::Boolean, codec});
    }
    return find_bad_page(walks, context().stream, context().mr);
  }
};

TEST_F(BadPageTest, NothingAndSoundChunksPass) {
  EXPECT_FALSE(find({}));
  std::mt19937 random(11);
  std::vector<Chunk> chunks(60);
  for (size_t i = 0; i < chunks.size(); ++i) {
    // Chunks of many small pages too: more than places are laid out for.
    for (size_t page = 0; page < (i % 20 == 0 ? 300 : 3); ++page) {
      const auto [stream, length] = random_snappy(random, i % 20 == 0 ? 5 : static_cast<uint32_t>(i * 100 + 1));
      chunks[i].add(stream, length);
    }
  }
  EXPECT_FALSE(find(chunks));
}

TEST_F(BadPageTest, AgreesWithTheWalkOnTheCpu) {
  std::mt19937 random(12);
  unsigned bad = 0;
  for (unsigned i = 0; i < 2000; ++i) {
    std::vector<Chunk> chunks(1 + i % 3);
    std::optional<std::pair<size_t, uint64_t>> expected;
    for (size_t c = 0; c < chunks.size(); ++c) {
      for (uint64_t page = 0; page < 1 + i % 4; ++page) {
        auto [stream, length] = random_snappy(random, i % 20 == 0 ? i + 1 : i % 60 + 1);
        if (random() % 6 == 0) damage(random, stream);
        if (stream.empty()) stream.push_back(0x80);  // a page without bytes is bad for its header already
        if (!expected && !decodes_as_snappy(stream, length)) expected = {c, page};
        chunks[c].add(stream, length);
      }
    }
    const auto found = find(chunks);
    ASSERT_EQ(found.has_value(), expected.has_value()) << i;
    if (!found) continue;
    ++bad;
    EXPECT_EQ(found->chunk, expected->first) << i;
    EXPECT_EQ(found->page, expected->second) << i;
    EXPECT_EQ(found->problem, PageProblem::Compressed);
  }
  EXPECT_GT(bad, 100U);
}

TEST_F(BadPageTest, ZstdIsLookedInto) {
  const SnappyBytes raw = {0x28, 0xb5, 0x2f, 0xfd, 0x20, 3, 0x19, 0, 0, 'a', 'b', 'c'};  // one block as it is
  std::vector<Chunk> chunks(2);
  for (unsigned page = 0; page < 40; ++page) chunks[page % 2].add(raw, 3);
  EXPECT_FALSE(find(chunks, PageCodec::Zstd));
  EXPECT_FALSE(find(chunks, PageCodec::Other));
  chunks[1].add(raw, 4);
  const auto found = find(chunks, PageCodec::Zstd);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->chunk, 1U);
  EXPECT_EQ(found->page, 20U);
  EXPECT_EQ(found->problem, PageProblem::Compressed);
}

TEST_F(BadPageTest, HeadersAreWalked) {
  std::mt19937 random(13);
  std::vector<Chunk> chunks(5);
  for (Chunk& chunk : chunks) {
    const auto [stream, length] = random_snappy(random, 50);
    chunk.add(stream, length);
  }
  chunks[3].values = 2;
  auto found = find(chunks);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->chunk, 3U);
  EXPECT_EQ(found->problem, PageProblem::Values);
  chunks[2].bytes[0] = 0xff;
  found = find(chunks);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->chunk, 2U);
  EXPECT_EQ(found->problem, PageProblem::Header);
}

}  // namespace
}  // namespace weft::gpu::kernels
