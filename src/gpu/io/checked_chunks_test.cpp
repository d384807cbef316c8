#include "gpu/io/checked_chunks.hpp"

#include <gtest/gtest.h>

namespace weft::gpu {
namespace {

plan::ScanFile file(std::string path, uint64_t size_bytes = 100, int64_t mtime_ns = 7) {
  plan::ScanFile file;
  file.path = std::move(path);
  file.size_bytes = size_bytes;
  file.mtime_ns = mtime_ns;
  return file;
}

TEST(CheckedChunks, RemembersChunksOfAFile) {
  CheckedChunks checked;
  EXPECT_FALSE(checked.pages(file("a"), 4));
  checked.add(file("a"), 4, 3);
  checked.add(file("a"), 4, 3);
  EXPECT_EQ(checked.pages(file("a"), 4), 3U);
  EXPECT_FALSE(checked.pages(file("a"), 5));
  EXPECT_FALSE(checked.pages(file("b"), 4));
}

TEST(CheckedChunks, AnotherSizeOrTimeIsAnotherFile) {
  CheckedChunks checked;
  checked.add(file("a"), 4, 3);
  EXPECT_FALSE(checked.pages(file("a", 101), 4));
  EXPECT_FALSE(checked.pages(file("a", 100, 8), 4));
  EXPECT_TRUE(checked.pages(file("a"), 4)) << "a question forgets nothing";
  checked.add(file("a", 100, 8), 9, 3);
  EXPECT_TRUE(checked.pages(file("a", 100, 8), 9));
  EXPECT_FALSE(checked.pages(file("a"), 4));
  EXPECT_FALSE(checked.pages(file("a", 100, 8), 4));
}

TEST(CheckedChunks, ForgetsTheFileThatWasUsedLeastRecently) {
  CheckedChunks checked(4);
  for (const uint64_t offset : {1, 2}) checked.add(file("a"), offset, 3);
  for (const uint64_t offset : {1, 2}) checked.add(file("b"), offset, 3);
  EXPECT_TRUE(checked.pages(file("a"), 1));
  checked.add(file("c"), 1, 3);
  EXPECT_FALSE(checked.pages(file("b"), 1));
  EXPECT_TRUE(checked.pages(file("a"), 2));
  EXPECT_TRUE(checked.pages(file("c"), 1));
  for (const uint64_t offset : {1, 2, 3, 4, 5}) checked.add(file("d"), offset, 3);
  EXPECT_FALSE(checked.pages(file("d"), 1)) << "more than the limit in one file";
  checked.add(file("a"), 1, 3);
  EXPECT_TRUE(checked.pages(file("a"), 1));
}

}  // namespace
}  // namespace weft::gpu
