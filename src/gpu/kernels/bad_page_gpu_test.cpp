// The kernels say of chunks on the device what the walks on the CPU say.
#include "gpu/kernels/bad_page.hpp"

#include "gpu/kernels/page_header_writer.hpp"
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

  std::vector<uint64_t> pages;  // of the last walk

  std::optional<BadPage> find(const std::vector<Chunk>& chunks, PageCodec codec = PageCodec::Snappy) {
    std::vector<rmm::device_buffer> buffers;
    std::vector<ChunkToWalk> walks;
    for (const Chunk& chunk : chunks) {
      buffers.emplace_back(chunk.bytes.data(), chunk.bytes.size(), context().stream, context().mr);
      walks.push_back({static_cast<const uint8_t*>(buffers.back().data()), chunk.bytes.size(), chunk.values,
                       PhysicalType::Boolean, codec});
    }
    return find_bad_page(walks, pages, context().stream, context().mr);
  }
};

TEST_F(BadPageTest, NothingAndSoundChunksPass) {
  EXPECT_FALSE(find({}));
  const SnappyBytes raw = {0x28, 0xb5, 0x2f, 0xfd, 0x20, 3, 0x19, 0, 0, 'a', 'b', 'c'};  // one block as it is
  std::vector<Chunk> chunks(60);
  for (size_t i = 0; i < chunks.size(); ++i) {
    // Chunks of many small pages too: more than places are laid out for.
    for (size_t page = 0; page < (i % 20 == 0 ? 300 : 3); ++page) chunks[i].add(raw, 3);
  }
  EXPECT_FALSE(find(chunks, PageCodec::Zstd));
  ASSERT_EQ(pages.size(), chunks.size());
  EXPECT_EQ(pages[20], 300U);
  EXPECT_EQ(pages[21], 3U);
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
