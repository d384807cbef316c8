// Sharing of decoded pieces among the scans of a query; needs no GPU.
#include "gpu/io/shared_reads.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

namespace weft::gpu {
namespace {

using Layout = std::vector<std::vector<std::pair<size_t, int>>>;
const Layout kTwoPieces{{{0, 0}}, {{0, 1}}};

SharedReads::Decoded nothing() { return {{"a", nullptr}}; }

TEST(SharedReads, OneDecodesForAll) {
  SharedReads shared({}, 2, 1);
  ASSERT_TRUE(shared.join(0, kTwoPieces));
  ASSERT_TRUE(shared.join(1, kTwoPieces));
  int decoded = 0;
  const auto decode = [&] { return ++decoded, nothing(); };
  const auto first = shared.read(0, decode);
  shared.finish(0, 0);
  EXPECT_EQ(shared.read(0, decode), first);
  EXPECT_EQ(decoded, 1);
  shared.finish(1, 0);
  shared.read(0, decode);  // both have finished: it was let go
  EXPECT_EQ(decoded, 2);
}

TEST(SharedReads, AnotherLayoutReadsAlone) {
  SharedReads shared({}, 2, 1);
  ASSERT_TRUE(shared.join(0, kTwoPieces));
  EXPECT_FALSE(shared.join(1, Layout{{{0, 0}}}));
  std::weak_ptr<const SharedReads::Decoded> left = shared.read(0, nothing);
  shared.finish(0, 0);
  EXPECT_TRUE(left.expired());  // nobody else waits for it
}

TEST(SharedReads, LeavingLetsGo) {
  SharedReads shared({}, 2, 1);
  ASSERT_TRUE(shared.join(0, kTwoPieces));
  ASSERT_TRUE(shared.join(1, kTwoPieces));
  std::weak_ptr<const SharedReads::Decoded> left = shared.read(1, nothing);
  shared.finish(0, 1);
  EXPECT_FALSE(left.expired());
  shared.leave(1);
  EXPECT_TRUE(left.expired());
}

TEST(SharedReads, AFailureIsTheCallersAlone) {
  SharedReads shared({}, 2, 1);
  ASSERT_TRUE(shared.join(0, kTwoPieces));
  EXPECT_THROW(shared.read(0, []() -> SharedReads::Decoded { throw std::runtime_error("no memory"); }),
               std::runtime_error);
  EXPECT_EQ(shared.read(0, nothing)->size(), 1U);
}

TEST(SharedReads, ManyThreadsDecodeOnce) {
  SharedReads shared({}, 4, 1);
  for (size_t reader = 0; reader < 4; ++reader) ASSERT_TRUE(shared.join(reader, kTwoPieces));
  std::atomic<int> decoded{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] { shared.read(0, [&] { return ++decoded, nothing(); }); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(decoded.load(), 1);
}

}  // namespace
}  // namespace weft::gpu
