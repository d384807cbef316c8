// Aggregates of every kind, with NULLs, several batches, merges, parts, spilling, overflow and empty input.
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "gpu/ops/test_batches.hpp"

namespace weft::gpu {
namespace {

using plan::Type;
using plan::TypeId;
using Rows = std::vector<std::string>;

class AggregateTest : public OperatorTest {
 protected:
  static plan::ExprPtr ref(uint32_t column, const Type& type) { return plan::column_ref(column, type, true); }

  static plan::AggregateCall call(const std::string& function, plan::ExprPtr argument, const Type& result) {
    plan::AggregateCall made;
    made.function = function;
    if (argument) made.arguments = {std::move(argument)};
    made.type = result;
    return made;
  }

  static pipeline::RowType row_type(const std::vector<Type>& types) {
    pipeline::RowType row;
    for (const Type& type : types) row.columns.push_back(plan::Column{"c", type, true});
    return row;
  }

  Rows run(const plan::Aggregate& aggregate, const std::vector<Type>& types, const std::vector<Batch>& batches) const {
    const auto row = row_type(types);
    const auto state = make_aggregate(services(), aggregate, row);
    uint64_t sequence = 0;
    for (Batch batch : batches) {
      batch.sequence = sequence++;
      state->consume(context(), 0, batch);
    }
    state->finalize(context());
    return sorted(rows_of(*state));
  }
};

TEST_F(AggregateTest, GroupsWithNullsOverSeveralBatches) {
  plan::Aggregate aggregate;
  aggregate.groups = {ref(0, kTestInteger)};
  const auto x = ref(1, kTestInteger);
  aggregate.aggregates = {call("sum", x, kTestHugeInt),  call("avg", x, kTestDouble),
                          call("count", x, kTestBigInt), call("count_star", nullptr, kTestBigInt),
                          call("min", x, kTestInteger),  call("max", x, kTestInteger)};
  const Batch one = batch({column<int32_t>(kTestInteger, {1, 2, std::nullopt, 1}),
                           column<int32_t>(kTestInteger, {10, std::nullopt, 5, -20})});
  const Batch two =
      batch({column<int32_t>(kTestInteger, {1, std::nullopt, 2}), column<int32_t>(kTestInteger, {1, 7, std::nullopt})});
  EXPECT_EQ(run(aggregate, {kTestInteger, kTestInteger}, {one, two}),
            (Rows{"1|-9|-3.000000|3|3|-20|10", "2|NULL|NULL|0|2|NULL|NULL", "NULL|12|6.000000|2|2|5|7"}));
}

TEST_F(AggregateTest, NoGroupsOverNothing) {
  plan::Aggregate aggregate;
  const auto x = ref(0, kTestInteger);
  aggregate.aggregates = {call("sum", x, kTestHugeInt),
                          call("count", x, kTestBigInt),
                          call("count_star", nullptr, kTestBigInt),
                          call("max", x, kTestInteger),
                          call("first", x, kTestInteger),
                          call("stddev_samp", ref(1, kTestDouble), kTestDouble)};
  auto distinct = call("count", x, kTestBigInt);
  distinct.distinct = true;
  aggregate.aggregates.push_back(distinct);
  EXPECT_EQ(run(aggregate, {kTestInteger, kTestDouble}, {}), (Rows{"NULL|0|0|NULL|NULL|NULL|0"}));
}

TEST_F(AggregateTest, GroupsOverNothing) {
  plan::Aggregate aggregate;
  aggregate.groups = {ref(0, kTestInteger)};
  aggregate.aggregates = {call("count_star", nullptr, kTestBigInt)};
  EXPECT_EQ(run(aggregate, {kTestInteger}, {}), Rows{});
}

TEST_F(AggregateTest, NoGroups) {
  plan::Aggregate aggregate;
  const auto x = ref(0, kTestBigInt);
  const auto s = plan::column_ref(1, kTestVarchar, true);
  aggregate.aggregates = {call("sum", x, kTestHugeInt),
                          call("min", s, kTestVarchar),
                          call("max", s, kTestVarchar),
                          call("count", s, kTestBigInt),
                          call("first", x, kTestBigInt),
                          call("any_value", x, kTestBigInt),
                          call("count_star", nullptr, kTestBigInt)};
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  const Batch one = batch({column<int64_t>(kTestBigInt, {std::nullopt, kMax, kMax}), text({"b", std::nullopt, ""})});
  const Batch two = batch({column<int64_t>(kTestBigInt, {kMax, 3}), text({"zz", "abc"})});
  EXPECT_EQ(run(aggregate, {kTestBigInt, kTestVarchar}, {one, two}),
            (Rows{"27670116110564327424||zz|4|NULL|9223372036854775807|5"}));
}

TEST_F(AggregateTest, ExactSumsOfWideDecimalsAndTheirExtremes) {
  const Type wide = Type::decimal(38, 2);
  plan::Aggregate aggregate;
  aggregate.groups = {ref(0, kTestInteger)};
  const auto x = ref(1, wide);
  aggregate.aggregates = {call("sum", x, wide), call("min", x, wide), call("max", x, wide)};
  const __int128 big = static_cast<__int128>(1) << 100;
  const Batch one = batch({column<int32_t>(kTestInteger, {1, 1, 2, 3}), column<__int128>(wide, {big, -1, -big, {}})});
  const Batch two = batch({column<int32_t>(kTestInteger, {2, 1, 3}), column<__int128>(wide, {5, big, {}})});
  EXPECT_EQ(run(aggregate, {kTestInteger, wide}, {one, two}),
            (Rows{"1|" + plan::to_string(2 * big - 1) + "|-1|" + plan::to_string(big),
                  "2|" + plan::to_string(5 - big) + "|" + plan::to_string(-big) + "|5", "3|NULL|NULL|NULL"}));
}

TEST_F(AggregateTest, SumOutOfRangeRaises) {
  const Type wide = Type::decimal(38, 0);
  plan::Aggregate aggregate;
  aggregate.aggregates = {call("sum", ref(0, wide), wide)};
  __int128 nines = 0;
  for (int i = 0; i < 38; ++i) nines = nines * 10 + 9;
  const Batch fits = batch({column<__int128>(wide, {nines, -5})});
  EXPECT_EQ(run(aggregate, {wide}, {fits}), (Rows{plan::to_string(nines - 5)}));
  const Batch overflows = batch({column<__int128>(wide, {nines, 1})});
  try {
    run(aggregate, {wide}, {overflows});
    FAIL() << "the sum has 39 digits";
  } catch (const Exception& e) {
    EXPECT_EQ(e.code(), ErrorCode::DuckDbError);
    EXPECT_EQ(e.error().message,
              "Out of Range Error: Overflow in SUM of DECIMAL: the result does not fit in DECIMAL(38)");
  }
}

TEST_F(AggregateTest, FilterAndDistinct) {
  plan::Aggregate aggregate;
  aggregate.groups = {ref(0, kTestInteger)};
  const auto x = ref(1, kTestInteger);
  const auto positive = plan::comparison(plan::CompareOp::Greater, x,
                                         plan::constant(plan::Value::integer(kTestInteger, plan::Int128{0})));
  auto distinct_count = call("count", x, kTestBigInt);
  distinct_count.distinct = true;
  auto distinct_sum = call("sum", x, kTestHugeInt);
  distinct_sum.distinct = true;
  auto filtered = call("count_star", nullptr, kTestBigInt);
  filtered.filter = positive;
  auto filtered_distinct = distinct_count;
  filtered_distinct.filter = positive;
  aggregate.aggregates = {distinct_count, call("sum", x, kTestHugeInt), distinct_sum, filtered, filtered_distinct};
  const std::vector<Batch> batches{
      batch({column<int32_t>(kTestInteger, {1, 1, 1, 2}), column<int32_t>(kTestInteger, {4, 4, -1, {}})}),
      batch({column<int32_t>(kTestInteger, {1, 3, 1}), column<int32_t>(kTestInteger, {4, -7, 9})})};
  EXPECT_EQ(run(aggregate, {kTestInteger, kTestInteger}, batches),
            (Rows{"1|3|20|12|4|2", "2|0|NULL|NULL|0|0", "3|1|-7|-7|0|0"}));
}

TEST_F(AggregateTest, FloatKeysAndExtremes) {
  plan::Aggregate aggregate;
  aggregate.groups = {ref(0, kTestDouble)};
  const auto x = ref(1, kTestDouble);
  aggregate.aggregates = {call("count_star", nullptr, kTestBigInt), call("min", x, kTestDouble),
                          call("max", x, kTestDouble), call("sum", x, kTestDouble)};
  const double nan = std::nan("");
  const Batch one =
      batch({column<double>(kTestDouble, {0.0, nan, -0.0, -nan}), column<double>(kTestDouble, {nan, 1.0, -2.0, 3.0})});
  const auto rows = run(aggregate, {kTestDouble, kTestDouble}, {one});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].substr(rows[0].find('|')), "|2|-2.000000|nan|nan");
  EXPECT_EQ(rows[1].substr(rows[1].find('|')), "|2|1.000000|3.000000|4.000000");
}

TEST_F(AggregateTest, VarianceIsStable) {
  plan::Aggregate aggregate;
  aggregate.groups = {ref(0, kTestInteger)};
  const auto x = ref(1, kTestDouble);
  aggregate.aggregates = {call("var_samp", x, kTestDouble), call("var_pop", x, kTestDouble),
                          call("stddev_samp", x, kTestDouble)};
  const double far = 1e9;
  const std::vector<Batch> batches{
      batch({column<int32_t>(kTestInteger, {1, 1, 2}), column<double>(kTestDouble, {far + 4, far + 7, 5.0})}),
      batch({column<int32_t>(kTestInteger, {1, 1, 3}), column<double>(kTestDouble, {far + 13, far + 16, {}})})};
  EXPECT_EQ(run(aggregate, {kTestInteger, kTestDouble}, batches),
            (Rows{"1|30.000000|22.500000|5.477226", "2|NULL|0.000000|NULL", "3|NULL|NULL|NULL"}));
}

TEST_F(AggregateTest, Booleans) {
  plan::Aggregate aggregate;
  aggregate.groups = {ref(0, kTestInteger)};
  const auto x = ref(1, kTestBoolean);
  aggregate.aggregates = {call("bool_and", x, kTestBoolean), call("bool_or", x, kTestBoolean),
                          call("sum", x, kTestHugeInt)};
  const Batch one = batch({column<int32_t>(kTestInteger, {1, 1, 2, 3}), column<int8_t>(kTestBoolean, {1, 0, 1, {}})});
  EXPECT_EQ(run(aggregate, {kTestInteger, kTestBoolean}, {one}), (Rows{"1|0|1|1", "2|1|1|1", "3|NULL|NULL|NULL"}));
}

TEST_F(AggregateTest, FirstFollowsSourceOrder) {
  plan::Aggregate aggregate;
  aggregate.groups = {ref(0, kTestInteger)};
  const auto x = ref(1, kTestInteger);
  aggregate.aggregates = {call("first", x, kTestInteger), call("any_value", x, kTestInteger)};
  const auto row = row_type({kTestInteger, kTestInteger});
  const auto state = make_aggregate(services(), aggregate, row);
  Batch late = batch({column<int32_t>(kTestInteger, {1, 2}), column<int32_t>(kTestInteger, {30, 40})}, 1);
  Batch early = batch({column<int32_t>(kTestInteger, {1, 1}), column<int32_t>(kTestInteger, {{}, 20})}, 0);
  state->consume(context(), 0, late);
  state->consume(context(), 0, early);
  state->finalize(context());
  EXPECT_EQ(sorted(rows_of(*state)), (Rows{"1|NULL|20", "2|40|40"}));
}

TEST_F(AggregateTest, DistinctRowsOfText) {
  plan::Aggregate aggregate;
  aggregate.groups = {plan::column_ref(0, kTestVarchar, true), ref(1, kTestInteger)};
  const std::vector<Batch> batches{
      batch({text({"a", "", std::nullopt, "a"}), column<int32_t>(kTestInteger, {1, 1, {}, 1})}),
      batch({text({std::nullopt, "b", ""}), column<int32_t>(kTestInteger, {{}, 2, 1})})};
  EXPECT_EQ(run(aggregate, {kTestVarchar, kTestInteger}, batches), (Rows{"NULL|NULL", "a|1", "b|2", "|1"}));
}

// Many groups in many batches: merges on the way, grouping skipped, parts, spilling.
class ManyGroupsTest : public AggregateTest {
 protected:
  void check_many_groups() const {
    plan::Aggregate aggregate;
    aggregate.groups = {ref(0, kTestInteger)};
    const auto x = ref(1, kTestBigInt);
    auto distinct = call("count", x, kTestBigInt);
    distinct.distinct = true;
    aggregate.aggregates = {call("sum", x, kTestHugeInt), call("count_star", nullptr, kTestBigInt), distinct,
                            call("max", x, kTestBigInt)};
    constexpr int32_t kGroups = 90000;
    constexpr int kBatches = 9;
    std::vector<Batch> batches;
    std::map<int32_t, std::vector<int64_t>> host;
    for (int b = 0; b < kBatches; ++b) {
      Values<int32_t> keys;
      Values<int64_t> values;
      for (int32_t i = 0; i < 70000; ++i) {
        const int32_t key = static_cast<int32_t>((static_cast<int64_t>(i) * 7919 + b) % kGroups);
        const int64_t value = (key % 5) * 1000000007LL * (b % 3) - 5;
        keys.push_back(key);
        values.push_back(value);
        host[key].push_back(value);
      }
      batches.push_back(batch({column(kTestInteger, keys), column(kTestBigInt, values)}));
    }
    Rows expected;
    for (const auto& [key, values] : host) {
      __int128 sum = 0;
      for (const int64_t value : values) sum += value;
      const std::set<int64_t> distinct_values(values.begin(), values.end());
      expected.push_back(std::to_string(key) + "|" + plan::to_string(sum) + "|" + std::to_string(values.size()) + "|" +
                         std::to_string(distinct_values.size()) + "|" +
                         std::to_string(*std::max_element(values.begin(), values.end())));
    }
    std::sort(expected.begin(), expected.end());
    EXPECT_TRUE(run(aggregate, {kTestInteger, kTestBigInt}, batches) == expected);
  }
};

TEST_F(ManyGroupsTest, AmpleMemory) { check_many_groups(); }

TEST_F(ManyGroupsTest, SmallCapMakesParts) {
  make_services(uint64_t{8} << 20, false);
  check_many_groups();
}

TEST_F(ManyGroupsTest, ForcedSpill) {
  make_services(uint64_t{8} << 20, true);
  check_many_groups();
}

}  // namespace
}  // namespace weft::gpu
