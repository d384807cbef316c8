// Chunks of snappy pages on the device become what a plain decoder makes of their pages.
#include "gpu/kernels/expand_pages.hpp"

#include "gpu/kernels/page_header_writer.hpp"
#include "gpu/kernels/snappy_streams.hpp"
#include "gpu/ops/test_batches.hpp"

namespace weft::gpu::kernels {
namespace {

PageHeaderWriter v1_header(uint32_t page_bytes, size_t stored_bytes) {
  return PageHeaderWriter()
      .i32(1, 0)
      .i32(2, page_bytes)
      .i32(3, static_cast<int64_t>(stored_bytes))
      .i32(4, 0x1234567)  // a checksum, behind what is changed
      .open(5)
      .i32(1, 1)
      .i32(2, 0)
      .i32(3, 3)
      .i32(4, 3)
      .close();
}

PageHeaderWriter v2_header(uint32_t page_bytes, size_t stored_bytes, uint32_t level_bytes, bool compressed) {
  return PageHeaderWriter()
      .i32(1, 3)
      .i32(2, page_bytes)
      .i32(3, static_cast<int64_t>(stored_bytes))
      .open(8)
      .i32(1, 1)
      .i32(2, 0)
      .i32(3, 1)
      .i32(4, 0)
      .i32(5, level_bytes)
      .i32(6, 0)
      .boolean(7, compressed)
      .close();
}

SnappyBytes operator+(SnappyBytes a, const SnappyBytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// A chunk of pages of one value each, and what it is when its pages are not compressed.
struct Chunk {
  SnappyBytes bytes;
  SnappyBytes expanded;
  int64_t values = 0;

  void add(const SnappyBytes& stream, uint32_t length) {
    const SnappyBytes plain = decode_snappy(stream, length).value_or(SnappyBytes{});
    bytes = bytes + v1_header(length, stream.size()).page(0) + stream;
    expanded = expanded + v1_header(length, length).page(0) + plain;
    ++values;
  }
  void add_v2(const SnappyBytes& levels, const SnappyBytes& stream, uint32_t length, bool compressed) {
    const auto level_bytes = static_cast<uint32_t>(levels.size());
    const SnappyBytes plain = compressed ? decode_snappy(stream, length).value() : stream;
    bytes = bytes + v2_header(length + level_bytes, stream.size() + level_bytes, level_bytes, compressed).page(0) +
            levels + stream;
    expanded = expanded + v2_header(length + level_bytes, length + level_bytes, level_bytes, compressed).page(0) +
               levels + plain;
    ++values;
  }
};

class ExpandPagesTest : public OperatorTest {
 protected:
  /// The expanded chunks, or the bad page.
  std::optional<BadPage> expand(const std::vector<Chunk>& chunks, std::vector<SnappyBytes>& expanded) {
    std::vector<rmm::device_buffer> buffers;
    std::vector<ChunkToWalk> walks;
    for (const Chunk& chunk : chunks) {
      // Somewhere in a larger allocation, as a chunk among others.
      const size_t before = walks.size() % 16;
      const SnappyBytes padded = SnappyBytes(before, 0xee) + chunk.bytes;
      buffers.emplace_back(padded.data(), padded.size(), context().stream, context().mr);
      walks.push_back({static_cast<const uint8_t*>(buffers.back().data()) + before, chunk.bytes.size(), chunk.values,
                       PhysicalType::Int64, PageCodec::Snappy});
    }
    const ExpandedChunks result = expand_snappy_chunks(walks, context().stream, context().mr);
    if (result.bad) return result.bad;
    EXPECT_EQ(result.offsets.size(), chunks.size() + 1);
    SnappyBytes all(result.bytes.size());
    check_cuda(cudaMemcpy(all.data(), result.bytes.data(), all.size(), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < chunks.size(); ++i) {
      expanded.emplace_back(all.begin() + static_cast<ptrdiff_t>(result.offsets[i]),
                            all.begin() + static_cast<ptrdiff_t>(result.offsets[i + 1]));
    }
    return std::nullopt;
  }

  void expect_expanded(const std::vector<Chunk>& chunks) {
    std::vector<SnappyBytes> expanded;
    ASSERT_FALSE(expand(chunks, expanded));
    for (size_t i = 0; i < chunks.size(); ++i) ASSERT_TRUE(expanded[i] == chunks[i].expanded) << i;
  }
};

TEST_F(ExpandPagesTest, ChunksOfEverySize) {
  expect_expanded({});
  expect_expanded({Chunk{}});
  std::mt19937 random(11);
  std::vector<Chunk> chunks(60);
  for (size_t i = 0; i < chunks.size(); ++i) {
    // Chunks of many small pages too: more than places are laid out for.
    for (size_t page = 0; page < (i % 20 == 0 ? 300 : 3); ++page) {
      const auto [stream, length] = random_snappy(random, i % 20 == 0 ? 5 : static_cast<uint32_t>(i * 100 + 1));
      chunks[i].add(stream, length);
    }
  }
  expect_expanded(chunks);
}

TEST_F(ExpandPagesTest, LevelsAndPagesThatAreNotCompressed) {
  std::mt19937 random(14);
  std::vector<Chunk> chunks(3);
  for (unsigned i = 0; i < 30; ++i) {
    const auto [stream, length] = random_snappy(random, 200);
    chunks[i % 3].add_v2(SnappyBytes(i, 0x11), stream, length, true);
    chunks[i % 3].add_v2(SnappyBytes(i, 0x22), SnappyBytes(i * 7 + 1, 0x33), i * 7 + 1, false);
  }
  expect_expanded(chunks);
}

TEST_F(ExpandPagesTest, LongRunsAndIncompressibleBytes) {
  Chunk chunk;
  SnappyBytes run = {0xc0, 0x84, 0x3d, 0, 'a'};  // a million of one byte
  for (uint32_t made = 1; made < 1'000'000;) {
    const uint32_t size = std::min<uint32_t>(64, 1'000'000 - made);
    run = run + SnappyBytes{static_cast<uint8_t>(2 | (size - 1) << 2), 1, 0};
    made += size;
  }
  chunk.add(run, 1'000'000);
  SnappyBytes literal = {0xc0, 0x84, 0x3d, 62 << 2, 0x3f, 0x42, 0x0f};
  std::mt19937 random(15);
  for (unsigned i = 0; i < 1'000'000; ++i) literal.push_back(static_cast<uint8_t>(random()));
  chunk.add(literal, 1'000'000);
  expect_expanded({chunk});
}

TEST_F(ExpandPagesTest, LargePagesByFragments) {
  std::mt19937 random(16);
  std::vector<Chunk> chunks(4);
  for (uint32_t i = 0; i < 24; ++i) {
    const auto [stream, length] = random_snappy_fragments(random, i % 7 + 1);
    chunks[i % 4].add(stream, length);
    const auto [other, other_length] = random_snappy(random, 5000);  // copies from anywhere
    chunks[i % 4].add(other, other_length);
  }
  expect_expanded(chunks);
  // A stream that goes on behind its length.
  auto [stream, length] = random_snappy_fragments(random, 5);
  ASSERT_TRUE(decode_snappy(stream, length));
  stream.push_back(0);
  chunks[2].add(stream, length);
  std::vector<SnappyBytes> expanded;
  const auto found = expand(chunks, expanded);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->chunk, 2U);
  EXPECT_EQ(found->page, 12U);
  EXPECT_EQ(found->problem, PageProblem::Compressed);
}

TEST_F(ExpandPagesTest, OfDamagedPagesItSaysWhatADecoderSays) {
  std::mt19937 random(12);
  unsigned bad = 0;
  for (unsigned i = 0; i < 2000; ++i) {
    std::vector<Chunk> chunks(1 + i % 3);
    std::optional<std::pair<size_t, uint64_t>> first_bad;
    for (size_t c = 0; c < chunks.size(); ++c) {
      for (uint64_t page = 0; page < 1 + i % 4; ++page) {
        auto [stream, length] = random_snappy(random, i % 20 == 0 ? i + 1 : i % 60 + 1);
        if (random() % 6 == 0) damage(random, stream);
        if (stream.empty()) stream.push_back(0x80);  // a page without bytes is bad for its header already
        if (!first_bad && !decode_snappy(stream, length)) first_bad = {c, page};
        chunks[c].add(stream, length);
      }
    }
    std::vector<SnappyBytes> expanded;
    const auto found = expand(chunks, expanded);
    ASSERT_EQ(found.has_value(), first_bad.has_value()) << i;
    if (!found) {
      for (size_t c = 0; c < chunks.size(); ++c) ASSERT_TRUE(expanded[c] == chunks[c].expanded) << i;
      continue;
    }
    ++bad;
    EXPECT_EQ(found->chunk, first_bad->first) << i;
    EXPECT_EQ(found->page, first_bad->second) << i;
    EXPECT_EQ(found->problem, PageProblem::Compressed);
  }
  EXPECT_GT(bad, 100U);
}

TEST_F(ExpandPagesTest, HeadersAreWalked) {
  std::mt19937 random(13);
  std::vector<Chunk> chunks(5);
  for (Chunk& chunk : chunks) {
    const auto [stream, length] = random_snappy(random, 50);
    chunk.add(stream, length);
  }
  std::vector<SnappyBytes> expanded;
  chunks[3].values = 2;
  auto found = expand(chunks, expanded);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->chunk, 3U);
  EXPECT_EQ(found->problem, PageProblem::Values);
  chunks[2].bytes[0] = 0xff;
  found = expand(chunks, expanded);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->chunk, 2U);
  EXPECT_EQ(found->problem, PageProblem::Header);
}

}  // namespace
}  // namespace weft::gpu::kernels
