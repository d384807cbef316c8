#include "sql/host_queue.hpp"

#include <gtest/gtest.h>

#include "sql/fake_backend.hpp"

namespace weft::sql {
namespace {

using testing::make_batch;

TEST(HostQueue, GivesBatchesInOrderAndThenDone) {
  HostQueue queue({2, 1000});
  for (int i = 0; i < 2; ++i) {
    auto batch = make_batch(i * 10, 5, 1);
    ASSERT_EQ(queue.push(batch, 10), HostQueue::Push::Taken);
    EXPECT_TRUE(batch.empty());
  }
  queue.finish();
  engine::HostBatch out;
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(queue.poll(out, {}).value(), engine::Poll::Ready);
    EXPECT_EQ(static_cast<const int64_t*>(out->children[0]->buffers[1])[0], i * 10);
  }
  EXPECT_EQ(queue.poll(out, {}).value(), engine::Poll::Done);
}

TEST(HostQueue, IsFullByBatchesOrBytesAndWakesProducers) {
  for (const HostQueue::Limits limits : {HostQueue::Limits{1, 1000}, HostQueue::Limits{10, 5}}) {
    HostQueue queue(limits);
    auto first = make_batch(0, 1, 1);
    auto second = make_batch(1, 1, 1);
    EXPECT_FALSE(queue.when_space([] {}));
    ASSERT_EQ(queue.push(first, 100), HostQueue::Push::Taken);
    ASSERT_EQ(queue.push(second, 100), HostQueue::Push::Full);
    EXPECT_FALSE(second.empty());
    int woken = 0;
    ASSERT_TRUE(queue.when_space([&] { ++woken; }));
    engine::HostBatch out;
    ASSERT_EQ(queue.poll(out, {}).value(), engine::Poll::Ready);
    EXPECT_EQ(woken, 1);
    EXPECT_EQ(queue.push(second, 100), HostQueue::Push::Taken);
  }
}

TEST(HostQueue, WakesConsumersOnPushAndOnFinish) {
  HostQueue queue({1, 1000});
  engine::HostBatch out;
  int woken = 0;
  ASSERT_EQ(queue.poll(out, [&] { ++woken; }).value(), engine::Poll::Pending);
  auto batch = make_batch(0, 1, 1);
  ASSERT_EQ(queue.push(batch, 1), HostQueue::Push::Taken);
  EXPECT_EQ(woken, 1);
  ASSERT_EQ(queue.poll(out, {}).value(), engine::Poll::Ready);
  ASSERT_EQ(queue.poll(out, [&] { ++woken; }).value(), engine::Poll::Pending);
  queue.finish();
  EXPECT_EQ(woken, 2);
}

TEST(HostQueue, CancelReleasesWhatItHoldsAndWakesEverybody) {
  HostQueue queue({1, 1000});
  auto batch = make_batch(0, 1, 1);
  ASSERT_EQ(queue.push(batch, 1), HostQueue::Push::Taken);
  int woken = 0;
  ASSERT_TRUE(queue.when_space([&] { ++woken; }));
  queue.cancel();
  queue.cancel();
  EXPECT_EQ(woken, 1);
  EXPECT_TRUE(queue.closed());
  auto late = make_batch(0, 1, 1);
  EXPECT_EQ(queue.push(late, 1), HostQueue::Push::Closed);
  EXPECT_TRUE(late.empty());
  engine::HostBatch out;
  EXPECT_EQ(queue.poll(out, {}).value(), engine::Poll::Done);
}

TEST(HostQueue, PushAnywayGoesOverTheLimit) {
  HostQueue queue({1, 1000});
  for (int i = 0; i < 3; ++i) {
    auto batch = make_batch(i, 1, 1);
    queue.push_anyway(batch, 1);
  }
  queue.finish();
  engine::HostBatch out;
  int batches = 0;
  while (queue.poll(out, {}).value() == engine::Poll::Ready) ++batches;
  EXPECT_EQ(batches, 3);
}

}  // namespace
}  // namespace weft::sql
