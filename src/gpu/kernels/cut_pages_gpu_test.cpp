// Chunks of texts on the device are cut into small pages with the same texts.
#include "gpu/kernels/cut_pages.hpp"

#include "gpu/kernels/text_cuts.hpp"
#include "gpu/kernels/text_page_writer.hpp"
#include "gpu/ops/test_batches.hpp"

namespace weft::gpu::kernels {
namespace {

struct Chunk {
  PageContent bytes;
  Texts texts;
  uint64_t pages = 0;
  bool nullable = false;

  void add(std::mt19937& random, size_t rows, unsigned nulls, bool v2) {
    const Texts more = some_texts(random, rows, nullable ? nulls : 0);
    bytes = bytes + text_page(random, more, nullable, v2);
    texts.insert(texts.end(), more.begin(), more.end());
    ++pages;
  }
};

class CutPagesTest : public OperatorTest {
 protected:
  CutChunks cut(const std::vector<Chunk>& chunks) {
    std::vector<ChunkToWalk> walks;
    std::vector<uint64_t> pages;
    for (const Chunk& chunk : chunks) {
      const size_t before = walks.size() % 16;  // somewhere in a larger allocation
      const PageContent padded = PageContent(before, 0xee) + chunk.bytes;
      buffers_.emplace_back(padded.data(), padded.size(), context().stream, context().mr);
      walks.push_back(text_chunk({static_cast<const uint8_t*>(buffers_.back().data()) + before, chunk.bytes.size()},
                                 static_cast<int64_t>(chunk.texts.size()), chunk.nullable));
      pages.push_back(chunk.pages);
    }
    return cut_text_pages(walks, pages, context().stream, context().mr);
  }
  PageContent bytes_of(const CutChunks& cut, size_t number) {
    PageContent bytes(cut.offsets[number + 1] - cut.offsets[number]);
    check_cuda(cudaMemcpy(bytes.data(), static_cast<const uint8_t*>(cut.bytes.data()) + cut.offsets[number],
                          bytes.size(), cudaMemcpyDeviceToHost));
    return bytes;
  }

 private:
  std::vector<rmm::device_buffer> buffers_;
};

TEST_F(CutPagesTest, LargePagesAreCutAndSmallOnesStay) {
  std::mt19937 random(1);
  std::vector<Chunk> chunks(24);
  std::vector<size_t> large;
  for (size_t i = 0; i < chunks.size(); ++i) {
    chunks[i].nullable = i % 3 != 0;
    for (unsigned page = 0; page < 1 + i % 4; ++page) {
      chunks[i].add(random, i % 5 == 4 ? 1 + random() % 4096 : 1 + random() % 30000, static_cast<unsigned>(i % 4),
                    i % 2 == 0);
    }
    if (i % 5 != 4) chunks[i].add(random, 4097 + random() % 100000, static_cast<unsigned>(i % 4), i % 2 == 0);
    if (i % 5 != 4) large.push_back(i);
  }
  const CutChunks result = cut(chunks);
  EXPECT_EQ(result.chunks, large);
  for (size_t i = 0; i < result.chunks.size(); ++i) {
    const Chunk& chunk = chunks[result.chunks[i]];
    const PageContent bytes = bytes_of(result, i);
    const auto rows = static_cast<int64_t>(chunk.texts.size());
    int32_t largest = 0;
    const ChunkWalk walk = walk_pages(text_chunk(bytes, rows, chunk.nullable), [&](uint64_t, const StoredPage& page) {
      largest = std::max(largest, page.values);
    });
    EXPECT_EQ(walk.problem, PageProblem::None);
    EXPECT_LE(largest, static_cast<int32_t>(2 * kRowsPerCut));
    EXPECT_TRUE(texts_in(bytes, rows, chunk.nullable) == chunk.texts) << result.chunks[i];
  }
}

TEST_F(CutPagesTest, NothingToCut) {
  EXPECT_TRUE(cut({}).chunks.empty());
  std::mt19937 random(2);
  std::vector<Chunk> chunks(1);
  chunks[0].add(random, 100, 0, false);
  EXPECT_TRUE(cut(chunks).chunks.empty());
}

// A chunk with another number of pages than it is said to have is left alone, and so is a page whose lengths do not
// fit.
TEST_F(CutPagesTest, WhatIsNotAsItShouldBeStays) {
  std::mt19937 random(3);
  std::vector<Chunk> chunks(3);
  for (Chunk& chunk : chunks) chunk.add(random, 10000, 0, false);
  chunks[1].pages = 2;
  for (size_t i = 3000; i + 200 < chunks[2].bytes.size(); ++i) chunks[2].bytes[i] = 0xff;
  const CutChunks result = cut(chunks);
  EXPECT_EQ(result.chunks, (std::vector<size_t>{0, 2}));
  EXPECT_TRUE(bytes_of(result, 1) == chunks[2].bytes);
}

}  // namespace
}  // namespace weft::gpu::kernels
