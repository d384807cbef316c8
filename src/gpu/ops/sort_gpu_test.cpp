// Sort and top-n: NULLs first and last in both directions, NaN, several batches, ranges, spilling, offsets.
#include <cmath>
#include <random>

#include "gpu/ops/test_batches.hpp"

namespace weft::gpu {
namespace {

using Rows = std::vector<std::string>;

class SortTest : public OperatorTest {
 protected:
  static plan::SortKey key(uint32_t column, const plan::Type& type, bool descending, bool nulls_first) {
    return plan::SortKey{plan::column_ref(column, type, true), descending, nulls_first};
  }

  static pipeline::RowType row_type(const std::vector<plan::Type>& types) {
    pipeline::RowType row;
    for (const plan::Type& type : types) row.columns.push_back(plan::Column{"c", type, true});
    return row;
  }

  Rows finish(SinkState& state, const std::vector<Batch>& batches) const {
    for (const Batch& batch : batches) state.consume(context(), 0, batch);
    state.finalize(context());
    return rows_of(state);
  }

  Rows sort(std::vector<plan::SortKey> keys, const std::vector<plan::Type>& types,
            const std::vector<Batch>& batches) const {
    const plan::Sort spec{std::move(keys)};
    const auto state = make_sort(services(), spec, row_type(types));
    return finish(*state, batches);
  }

  Rows top(std::vector<plan::SortKey> keys, uint64_t limit, uint64_t offset, const std::vector<plan::Type>& types,
           const std::vector<Batch>& batches) const {
    const plan::TopN spec{std::move(keys), limit, offset};
    const auto state = make_top_n(services(), spec, row_type(types));
    return finish(*state, batches);
  }

  std::vector<Batch> integers() const {
    return {batch({column<int32_t>(kTestInteger, {3, {}, 1})}), batch({column<int32_t>(kTestInteger, {{}, 2})})};
  }
};

TEST_F(SortTest, NullsAndDirections) {
  const std::vector<plan::Type> types{kTestInteger};
  EXPECT_EQ(sort({key(0, kTestInteger, false, false)}, types, integers()), (Rows{"1", "2", "3", "NULL", "NULL"}));
  EXPECT_EQ(sort({key(0, kTestInteger, false, true)}, types, integers()), (Rows{"NULL", "NULL", "1", "2", "3"}));
  EXPECT_EQ(sort({key(0, kTestInteger, true, false)}, types, integers()), (Rows{"3", "2", "1", "NULL", "NULL"}));
  EXPECT_EQ(sort({key(0, kTestInteger, true, true)}, types, integers()), (Rows{"NULL", "NULL", "3", "2", "1"}));
}

TEST_F(SortTest, NanIsGreatestBelowNull) {
  const double nan = std::nan("");
  const double inf = INFINITY;
  const std::vector<Batch> batches{batch({column<double>(kTestDouble, {nan, 1.5, {}, -inf})}),
                                   batch({column<double>(kTestDouble, {inf, -0.5})})};
  EXPECT_EQ(sort({key(0, kTestDouble, false, false)}, {kTestDouble}, batches),
            (Rows{"-inf", "-0.500000", "1.500000", "inf", "nan", "NULL"}));
  EXPECT_EQ(sort({key(0, kTestDouble, true, false)}, {kTestDouble}, batches),
            (Rows{"nan", "inf", "1.500000", "-0.500000", "-inf", "NULL"}));
}

TEST_F(SortTest, TwoKeysAndText) {
  const std::vector<Batch> batches{batch({text({"b", "a", "b"}), column<int32_t>(kTestInteger, {1, 5, 2})}),
                                   batch({text({"", std::nullopt, "B"}), column<int32_t>(kTestInteger, {7, 8, 9})})};
  EXPECT_EQ(sort({key(0, kTestVarchar, false, false), key(1, kTestInteger, true, false)}, {kTestVarchar, kTestInteger},
                 batches),
            (Rows{"|7", "B|9", "a|5", "b|2", "b|1", "NULL|8"}));
}

TEST_F(SortTest, NoRows) {
  EXPECT_EQ(sort({key(0, kTestInteger, false, false)}, {kTestInteger}, {}), Rows{});
  EXPECT_EQ(top({key(0, kTestInteger, false, false)}, 5, 0, {kTestInteger}, {}), Rows{});
}

TEST_F(SortTest, TopRowsAndOffset) {
  const std::vector<plan::Type> types{kTestInteger};
  const std::vector<plan::SortKey> ascending{key(0, kTestInteger, false, false)};
  EXPECT_EQ(top(ascending, 2, 0, types, integers()), (Rows{"1", "2"}));
  EXPECT_EQ(top(ascending, 2, 2, types, integers()), (Rows{"3", "NULL"}));
  EXPECT_EQ(top(ascending, 10, 4, types, integers()), (Rows{"NULL"}));
  EXPECT_EQ(top(ascending, 10, 9, types, integers()), Rows{});
  EXPECT_EQ(top(ascending, 0, 0, types, integers()), Rows{});
  EXPECT_EQ(top({key(0, kTestInteger, true, true)}, 3, 0, types, integers()), (Rows{"NULL", "NULL", "3"}));
}

class LargeSortTest : public SortTest {
 protected:
  // Rows (key, position) of many batches: the keys must come in order, and every row once.
  void check_large(bool as_top_n) const {
    std::mt19937 random(7);
    std::vector<Batch> batches;
    std::vector<std::optional<int32_t>> all;
    for (int b = 0; b < 8; ++b) {
      Values<int32_t> keys;
      for (int i = 0; i < 50000; ++i) {
        std::optional<int32_t> value;
        if (random() % 50 != 0) value = static_cast<int32_t>(random() % 100000);
        keys.push_back(value);
        all.push_back(value);
      }
      batches.push_back(batch({column(kTestInteger, keys)}));
    }
    // Descending, NULLs first: NULL counts as greatest.
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
      if (!a || !b) return !a && b;
      return *a > *b;
    });
    if (as_top_n) all.resize(60000);
    Rows expected;
    for (const auto& value : all) expected.push_back(value ? std::to_string(*value) : "NULL");
    const std::vector<plan::SortKey> keys{key(0, kTestInteger, true, true)};
    const Rows rows = as_top_n ? top(keys, 60000, 0, {kTestInteger}, batches) : sort(keys, {kTestInteger}, batches);
    EXPECT_TRUE(rows == expected);
  }
};

TEST_F(LargeSortTest, AmpleMemory) { check_large(false); }
TEST_F(LargeSortTest, SmallCapMakesRanges) {
  make_services(uint64_t{4} << 20, false);
  check_large(false);
}
TEST_F(LargeSortTest, ForcedSpill) {
  make_services(uint64_t{4} << 20, true);
  check_large(false);
  check_large(true);
}
TEST_F(LargeSortTest, TopN) { check_large(true); }

}  // namespace
}  // namespace weft::gpu
