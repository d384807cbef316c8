#include "gpu/io/stored_chunks.hpp"

#include <gtest/gtest.h>

namespace weft::gpu {
namespace {

std::vector<std::pair<uint64_t, uint64_t>> merged(std::vector<FileRange> ranges) {
  std::vector<std::pair<uint64_t, uint64_t>> pairs;
  for (const FileRange& range : merged_ranges(std::move(ranges))) pairs.emplace_back(range.offset, range.bytes);
  return pairs;
}

using Pairs = std::vector<std::pair<uint64_t, uint64_t>>;

TEST(StoredChunks, RangesThatTouchBecomeOne) {
  EXPECT_EQ(merged({}), (Pairs{}));
  EXPECT_EQ(merged({{4, 10}}), (Pairs{{4, 10}}));
  EXPECT_EQ(merged({{14, 6}, {4, 10}}), (Pairs{{4, 16}}));
  EXPECT_EQ(merged({{4, 10}, {15, 5}}), (Pairs{{4, 10}, {15, 5}}));
  EXPECT_EQ(merged({{4, 10}, {6, 2}, {10, 10}}), (Pairs{{4, 16}}));
}

}  // namespace
}  // namespace weft::gpu
