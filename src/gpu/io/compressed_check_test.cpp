#include "gpu/io/compressed_check.hpp"

#include <gtest/gtest.h>

#include <random>

#include <cudf/io/detail/codec.hpp>

#include "gpu/kernels/page_header_writer.hpp"

namespace weft::gpu {
namespace {

using Bytes = std::vector<uint8_t>;
using kernels::PageHeaderWriter;

Bytes some_bytes(std::mt19937& random, size_t size) {
  Bytes bytes(size);
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<uint8_t>(i % 3 == 0 ? random() % 20 : i / 7);
  return bytes;
}

Bytes compressed(kernels::PageCodec codec, const Bytes& bytes) {
  const bool gzip = codec == kernels::PageCodec::Gzip;
  return cudf::io::detail::compress(gzip ? cudf::io::compression_type::GZIP : cudf::io::compression_type::ZSTD,
                                    {bytes.data(), bytes.size()});
}

void add_page(Bytes& chunk, size_t page_bytes, const Bytes& stream) {
  const Bytes header = PageHeaderWriter()
                           .i32(1, 0)
                           .i32(2, static_cast<int64_t>(page_bytes))
                           .i32(3, static_cast<int64_t>(stream.size()))
                           .open(5)
                           .i32(1, 1)
                           .i32(2, 0)
                           .i32(3, 3)
                           .i32(4, 3)
                           .close()
                           .page(0);
  chunk.insert(chunk.end(), header.begin(), header.end());
  chunk.insert(chunk.end(), stream.begin(), stream.end());
}

std::optional<kernels::BadPage> find(kernels::PageCodec codec, const std::vector<Bytes>& chunks, int64_t pages) {
  std::vector<kernels::ChunkToWalk> walks;
  for (const Bytes& chunk : chunks) {
    walks.push_back({chunk.data(), chunk.size(), pages, kernels::PhysicalType::Int64, codec, 0, false, false});
  }
  return find_bad_compressed_page(walks);
}

class CompressedCheck : public ::testing::TestWithParam<kernels::PageCodec> {};

INSTANTIATE_TEST_SUITE_P(Codecs, CompressedCheck, ::testing::Values(kernels::PageCodec::Zstd, kernels::PageCodec::Gzip),
                         [](const auto& info) { return info.param == kernels::PageCodec::Gzip ? "gzip" : "zstd"; });

TEST_P(CompressedCheck, SoundPagesPass) {
  EXPECT_FALSE(find(GetParam(), {}, 0));
  std::mt19937 random(1);
  std::vector<Bytes> chunks(7);
  for (Bytes& chunk : chunks) {
    for (unsigned page = 0; page < 9; ++page) {
      const Bytes bytes = some_bytes(random, 1 + random() % 50000);
      add_page(chunk, bytes.size(), compressed(GetParam(), bytes));
    }
  }
  EXPECT_FALSE(find(GetParam(), chunks, 9));
}

TEST_P(CompressedCheck, TheFirstBadPageIsNamed) {
  std::mt19937 random(2);
  unsigned noticed = 0;
  for (unsigned i = 0; i < 200; ++i) {
    std::vector<Bytes> chunks(3);
    const Bytes bytes = some_bytes(random, 20000);
    const Bytes sound = compressed(GetParam(), bytes);
    for (Bytes& chunk : chunks) {
      for (unsigned page = 0; page < 4; ++page) {
        Bytes stream = sound;
        // Chunk 1 from page 2 on: garbage in the middle, cut off, or of another length.
        const bool bad = &chunk == &chunks[1] && page >= 2;
        if (bad && i % 3 == 0) stream[4 + random() % (stream.size() - 4)] ^= static_cast<uint8_t>(1 + random() % 255);
        if (bad && i % 3 == 1) stream.resize(stream.size() - 1 - random() % (stream.size() / 2));
        add_page(chunk, bytes.size() + (bad && i % 3 == 2 ? 1 : 0), stream);
      }
    }
    const auto found = find(GetParam(), chunks, 4);
    ASSERT_TRUE(found || i % 3 == 0) << i << ": only a changed byte can be a literal's";
    if (!found) continue;
    ++noticed;
    EXPECT_EQ(found->chunk, 1U);
    EXPECT_GE(found->page, 2U);
    EXPECT_TRUE(found->page == 2 || i % 3 == 0) << i;
    EXPECT_EQ(found->problem, kernels::PageProblem::Compressed);
  }
  EXPECT_GE(noticed, 133U) << "all but changes of literals";
}

TEST(CompressedCheck, OptionalFieldsOfAGzipHeaderAreRefused) {
  std::mt19937 random(3);
  const Bytes bytes = some_bytes(random, 5000);
  Bytes stream = compressed(kernels::PageCodec::Gzip, bytes);
  // A file's name, which RFC 1952 allows: flag 8, then text to a zero.
  stream[3] = 8;
  stream.insert(stream.begin() + 10, {'n', 'a', 'm', 'e', 0});
  Bytes chunk;
  add_page(chunk, bytes.size(), stream);
  const auto found = find(kernels::PageCodec::Gzip, {chunk}, 1);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->problem, kernels::PageProblem::GzipFields);
}

}  // namespace
}  // namespace weft::gpu
