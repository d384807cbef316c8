// A spilled batch comes back as it was.
#include "gpu/ops/stored_batch.hpp"

#include "gpu/ops/test_batches.hpp"

namespace weft::gpu {
namespace {

class StoredBatchTest : public OperatorTest {};

TEST_F(StoredBatchTest, SpillsAndComesBack) {
  const plan::Type wide = plan::Type::decimal(38, 2);
  const Batch rows =
      batch({column<int32_t>(kTestInteger, {1, std::nullopt, -3}), text({"", std::nullopt, "naïve text"}),
             column<__int128>(wide, {7, -8, {}}), text({std::nullopt, std::nullopt, std::nullopt})});
  const auto expected = rows_of(rows);
  StoredBatches stored;
  stored.add(rows);
  const uint64_t bytes = stored.bytes();
  EXPECT_GT(bytes, 0U);
  EXPECT_EQ(stored.device_bytes(), bytes);
  EXPECT_EQ(stored.spill(context(), services().pinned, 1), bytes);
  EXPECT_EQ(stored.device_bytes(), 0U);
  EXPECT_EQ(stored.bytes(), bytes);
  EXPECT_FALSE(stored.at(0).on_device());
  EXPECT_EQ(stored.spill(context(), services().pinned, ~uint64_t{0}), 0U);  // there is nothing left to spill
  const Batch back = stored.at(0).load(context());
  EXPECT_EQ(rows_of(back), expected);
  EXPECT_EQ(back.columns[0]->null_count(), 1);
  EXPECT_EQ(stored.take().size(), 1U);
  EXPECT_EQ(services().pinned.used_bytes(), 0U);  // the host memory went back with the last batch
}

TEST_F(StoredBatchTest, RowsWithoutColumnsAndNoRows) {
  Batch counted;
  counted.rows = 5;
  StoredBatch stored(counted);
  stored.spill(context(), services().pinned);
  EXPECT_EQ(stored.load(context()).rows, 5);
  StoredBatch empty(batch({column<int32_t>(kTestInteger, {}), text({})}));
  empty.spill(context(), services().pinned);
  const Batch back = empty.load(context());
  EXPECT_EQ(back.rows, 0);
  EXPECT_EQ(back.columns.size(), 2U);
}

}  // namespace
}  // namespace weft::gpu
