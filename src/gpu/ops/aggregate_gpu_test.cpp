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

TEST_F(AggregateTest, ArgExtremesTakeTheFirstOfEqualKeys) {
  plan::Aggregate aggregate;
  aggregate.groups = {ref(0, kTestInteger)};
  const auto by = [&](const std::string& function) {
    auto made = call(function, plan::column_ref(1, kTestVarchar, true), kTestVarchar);
    made.arguments.push_back(ref(2, kTestDouble));
    return made;
  };
  auto by_text = call("arg_max", ref(2, kTestDouble), kTestDouble);
  by_text.arguments.push_back(plan::column_ref(1, kTestVarchar, true));
  aggregate.aggregates = {by("arg_min"), by("max_by"), by("arg_min_null"), by("arg_max_null"), by_text};
  const double nan = std::nan("");
  const std::vector<Batch> batches{
      batch({column<int32_t>(kTestInteger, {1, 1, 1, 2}), text({"a", std::nullopt, "b", "x"}),
             column<double>(kTestDouble, {2.0, 1.0, -0.0, {}})}),
      batch({column<int32_t>(kTestInteger, {1, 1, 1, 1, 3}), text({"c", "d", "e", "f", std::nullopt}),
             column<double>(kTestDouble, {0.0, nan, -nan, {}, 5.0})}),
      batch({column<int32_t>(kTestInteger, {1}), text({std::nullopt}), column<double>(kTestDouble, {-1.0})})};
  const std::vector<Type> types{kTestInteger, kTestVarchar, kTestDouble};
  EXPECT_EQ(run(aggregate, types, batches),
            (Rows{"1|b|d|NULL|d|nan", "2|NULL|NULL|NULL|NULL|NULL", "3|NULL|NULL|NULL|NULL|NULL"}));
  aggregate.groups.clear();
  EXPECT_EQ(run(aggregate, types, batches), (Rows{"b|d|NULL|d|nan"}));
  EXPECT_EQ(run(aggregate, types, {}), (Rows{"NULL|NULL|NULL|NULL|NULL"}));
}

TEST_F(AggregateTest, BitsAndProducts) {
  plan::Aggregate aggregate;
  aggregate.groups = {ref(0, kTestInteger)};
  const auto x = ref(1, kTestInteger);
  aggregate.aggregates = {call("bit_and", x, kTestInteger), call("bit_or", x, kTestInteger),
                          call("bit_xor", x, kTestInteger), call("product", ref(2, kTestDouble), kTestDouble),
                          call("count_star", nullptr, kTestBigInt)};
  const std::vector<Batch> batches{
      batch({column<int32_t>(kTestInteger, {1, 1, 2, 3}), column<int32_t>(kTestInteger, {6, 3, {}, -1}),
             column<double>(kTestDouble, {2.0, -1.5, {}, 0.5})}),
      batch({column<int32_t>(kTestInteger, {1, {}, 2}), column<int32_t>(kTestInteger, {-2, 8, {}}),
             column<double>(kTestDouble, {4.0, 3.0, {}})})};
  const std::vector<Type> types{kTestInteger, kTestInteger, kTestDouble};
  EXPECT_EQ(run(aggregate, types, batches), (Rows{"1|2|-1|-5|-12.000000|3", "2|NULL|NULL|NULL|NULL|2",
                                                  "3|-1|-1|-1|0.500000|1", "NULL|8|8|8|3.000000|1"}));
  aggregate.groups.clear();
  EXPECT_EQ(run(aggregate, types, batches), (Rows{"0|-1|12|-18.000000|7"}));
  EXPECT_EQ(run(aggregate, types, {}), (Rows{"NULL|NULL|NULL|NULL|0"}));
}

TEST_F(AggregateTest, PairsAreStableAndKnowConstants) {
  plan::Aggregate aggregate;
  aggregate.groups = {ref(0, kTestInteger)};
  const auto of_pair = [&](const std::string& function, const Type& type) {
    auto made = call(function, ref(1, kTestDouble), type);
    made.arguments.push_back(ref(2, kTestDouble));
    return made;
  };
  aggregate.aggregates = {of_pair("covar_pop", kTestDouble), of_pair("corr", kTestDouble),
                          of_pair("regr_slope", kTestDouble), of_pair("regr_r2", kTestDouble),
                          call("var_pop", ref(2, kTestDouble), kTestDouble)};
  const double far = 1e9;
  // Group 1: y = 2 x + 1 far from zero; 2: x is always 0.1, whose sum of three is not 0.3; 3: no pair.
  const std::vector<Batch> batches{batch({column<int32_t>(kTestInteger, {1, 1, 2, 2, 3}),
                                          column<double>(kTestDouble, {2 * far + 9, 2 * far + 15, 1.0, 2.0, {}}),
                                          column<double>(kTestDouble, {far + 4, far + 7, 0.1, 0.1, 1.0})}),
                                   batch({column<int32_t>(kTestInteger, {1, 1, 1, 2, 3}),
                                          column<double>(kTestDouble, {2 * far + 27, 2 * far + 33, {}, 5.0, 1.0}),
                                          column<double>(kTestDouble, {far + 13, far + 16, 3.0, 0.1, {}})})};
  const std::vector<Type> types{kTestInteger, kTestDouble, kTestDouble};
  auto one = run(aggregate, types, batches);
  ASSERT_EQ(one.size(), 3U);
  EXPECT_EQ(one[0].substr(0, 37), "1|45.000000|1.000000|2.000000|1.00000");
  EXPECT_EQ(one[1], "2|0.000000|nan|nan|NULL|0.000000");
  EXPECT_EQ(one[2], "3|NULL|NULL|NULL|NULL|0.000000");
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

// ---- grouping sets

class RollupTest : public AggregateTest {
 protected:
  void check_rollup() const;
};

void RollupTest::check_rollup() const {
  plan::Aggregate aggregate;
  aggregate.groups = {plan::column_ref(0, kTestVarchar, true), ref(1, kTestInteger)};
  const auto x = ref(2, kTestInteger);
  aggregate.aggregates = {call("sum", x, kTestHugeInt), call("count_star", nullptr, kTestBigInt),
                          call("avg", x, kTestDouble),
                          call("max", plan::column_ref(0, kTestVarchar, true), kTestVarchar)};
  aggregate.grouping_sets = {{0, 1}, {0}, {}};
  aggregate.groupings = {{0, 1}, {1, 0}};
  const std::vector<Batch> batches{batch({text({"e", "e", std::nullopt}), column<int32_t>(kTestInteger, {1, 2, 1}),
                                          column<int32_t>(kTestInteger, {1, 2, 16})}),
                                   batch({text({"e", std::nullopt, "w"}), column<int32_t>(kTestInteger, {1, {}, {}}),
                                          column<int32_t>(kTestInteger, {3, 32, {}})})};
  EXPECT_EQ(
      run(aggregate, {kTestVarchar, kTestInteger, kTestInteger}, batches),
      sorted({"e|1|4|2|2.000000|e|0|0", "e|2|2|1|2.000000|e|0|0", "NULL|1|16|1|16.000000|NULL|0|0",
              "NULL|NULL|32|1|32.000000|NULL|0|0", "w|NULL|NULL|1|NULL|w|0|0", "e|NULL|6|3|2.000000|e|1|2",
              "NULL|NULL|48|2|24.000000|NULL|1|2", "w|NULL|NULL|1|NULL|w|1|2", "NULL|NULL|54|6|10.800000|w|3|3"}));
}

TEST_F(RollupTest, KeepsNullsOfTheDataApart) { check_rollup(); }

TEST_F(RollupTest, SpillsTextThatIsNull) {
  make_services(uint64_t{8} << 20, true);
  check_rollup();
}

TEST_F(AggregateTest, RepeatedSetsRepeatTheirRows) {
  plan::Aggregate aggregate;
  aggregate.groups = {ref(0, kTestInteger)};
  aggregate.aggregates = {call("count_star", nullptr, kTestBigInt)};
  aggregate.grouping_sets = {{0}, {}, {0}, {}};
  aggregate.groupings = {{0}};
  const Batch one = batch({column<int32_t>(kTestInteger, {1, {}, 1})});
  EXPECT_EQ(run(aggregate, {kTestInteger}, {one}),
            sorted({"1|2|0", "NULL|1|0", "1|2|0", "NULL|1|0", "NULL|3|1", "NULL|3|1"}));
}

TEST_F(AggregateTest, OverNothingOnlyEmptySetsHaveARow) {
  plan::Aggregate aggregate;
  aggregate.groups = {plan::column_ref(0, kTestVarchar, true), ref(1, kTestInteger)};
  const auto x = ref(1, kTestInteger);
  auto distinct = call("count", x, kTestBigInt);
  distinct.distinct = true;
  aggregate.aggregates = {call("sum", x, kTestHugeInt), distinct, call("count_star", nullptr, kTestBigInt),
                          call("first", x, kTestInteger)};
  aggregate.grouping_sets = {{0, 1}, {0}, {1}};
  aggregate.groupings = {{0, 1}};
  EXPECT_EQ(run(aggregate, {kTestVarchar, kTestInteger}, {}), Rows{});
  aggregate.grouping_sets = {{0, 1}, {}, {0}, {}};
  EXPECT_EQ(run(aggregate, {kTestVarchar, kTestInteger}, {}),
            (Rows{"NULL|NULL|NULL|0|0|NULL|3", "NULL|NULL|NULL|0|0|NULL|3"}));
}

TEST_F(AggregateTest, SetsOfFloatKeys) {
  plan::Aggregate aggregate;
  aggregate.groups = {ref(0, kTestDouble), ref(1, kTestInteger)};
  aggregate.aggregates = {call("count_star", nullptr, kTestBigInt), call("var_pop", ref(0, kTestDouble), kTestDouble)};
  aggregate.grouping_sets = {{0}, {1}};
  const double nan = std::nan("");
  const Batch one =
      batch({column<double>(kTestDouble, {0.0, nan, -0.0, -nan, {}}), column<int32_t>(kTestInteger, {1, 1, 1, 2, 2})});
  EXPECT_EQ(
      run(aggregate, {kTestDouble, kTestInteger}, {one}),
      sorted({"0.000000|NULL|2|0.000000", "nan|NULL|2|nan", "NULL|NULL|1|NULL", "NULL|1|3|nan", "NULL|2|2|0.000000"}));
}

TEST_F(AggregateTest, DistinctAndFilterInSets) {
  plan::Aggregate aggregate;
  aggregate.groups = {ref(0, kTestInteger), ref(1, kTestInteger)};
  const auto x = ref(2, kTestInteger);
  const auto positive = plan::comparison(plan::CompareOp::Greater, x,
                                         plan::constant(plan::Value::integer(kTestInteger, plan::Int128{0})));
  auto distinct_count = call("count", x, kTestBigInt);
  distinct_count.distinct = true;
  auto distinct_sum = call("sum", x, kTestHugeInt);
  distinct_sum.distinct = true;
  auto distinct_group = call("count", ref(1, kTestInteger), kTestBigInt);
  distinct_group.distinct = true;
  auto filtered = call("count_star", nullptr, kTestBigInt);
  filtered.filter = positive;
  aggregate.aggregates = {distinct_count, distinct_sum, distinct_group, filtered};
  aggregate.grouping_sets = {{0}, {1}, {0, 1}, {}};
  const std::vector<Batch> batches{
      batch({column<int32_t>(kTestInteger, {1, 1, 1, 2}), column<int32_t>(kTestInteger, {7, 7, 8, 8}),
             column<int32_t>(kTestInteger, {4, 4, 4, {}})}),
      batch({column<int32_t>(kTestInteger, {1, 2}), column<int32_t>(kTestInteger, {7, {}}),
             column<int32_t>(kTestInteger, {5, -4})})};
  EXPECT_EQ(run(aggregate, {kTestInteger, kTestInteger, kTestInteger}, batches),
            sorted({"1|NULL|2|9|2|4", "2|NULL|1|-4|1|0", "NULL|7|2|9|1|3", "NULL|8|1|4|1|1", "NULL|NULL|1|-4|0|0",
                    "1|7|2|9|1|3", "1|8|1|4|1|1", "2|8|0|NULL|1|0", "2|NULL|1|-4|0|0", "NULL|NULL|3|5|2|4"}));
}

TEST_F(AggregateTest, FirstInSetsFollowsSourceOrder) {
  plan::Aggregate aggregate;
  aggregate.groups = {ref(0, kTestInteger), ref(1, kTestInteger)};
  const auto x = ref(2, kTestInteger);
  aggregate.aggregates = {call("first", x, kTestInteger), call("any_value", x, kTestInteger)};
  aggregate.grouping_sets = {{0}, {1}, {}};
  const std::vector<Batch> batches{batch({column<int32_t>(kTestInteger, {1, 2}), column<int32_t>(kTestInteger, {6, 5}),
                                          column<int32_t>(kTestInteger, {{}, 10})}),
                                   batch({column<int32_t>(kTestInteger, {1, 1}), column<int32_t>(kTestInteger, {5, 6}),
                                          column<int32_t>(kTestInteger, {20, 30})})};
  EXPECT_EQ(run(aggregate, {kTestInteger, kTestInteger, kTestInteger}, batches),
            sorted({"1|NULL|NULL|20", "2|NULL|10|10", "NULL|5|10|10", "NULL|6|NULL|30", "NULL|NULL|NULL|10"}));
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

// Sets over pairs of keys, with NULLs. `a` and `b` repeat, the pairs hardly do.
class ManySetsTest : public AggregateTest {
 protected:
  using Key = std::optional<int32_t>;
  struct HostState {
    int64_t rows = 0;
    __int128 sum = 0;
    std::set<int64_t> distinct;
  };

  static std::string text_of(Key key) { return key ? std::to_string(*key) : "NULL"; }

  void check_sets(const std::vector<std::vector<uint32_t>>& sets) const {
    plan::Aggregate aggregate;
    aggregate.groups = {ref(0, kTestInteger), ref(1, kTestInteger)};
    const auto x = ref(2, kTestBigInt);
    auto distinct = call("count", x, kTestBigInt);
    distinct.distinct = true;
    aggregate.aggregates = {call("count_star", nullptr, kTestBigInt), call("sum", x, kTestHugeInt), distinct};
    aggregate.grouping_sets = sets;
    aggregate.groupings = {{0, 1}};
    constexpr int kBatches = 9;
    constexpr int32_t kA = 911;
    constexpr int32_t kB = 1009;
    std::vector<Batch> batches;
    std::vector<std::map<std::pair<Key, Key>, HostState>> host(sets.size());
    for (int b = 0; b < kBatches; ++b) {
      Values<int32_t> first;
      Values<int32_t> second;
      Values<int64_t> values;
      for (int32_t i = 0; i < 70000; ++i) {
        const int64_t row = static_cast<int64_t>(b) * 70000 + i;
        const Key one = row % kA == 0 ? Key{} : Key{static_cast<int32_t>(row % kA)};
        const Key two = row % kB == 5 ? Key{} : Key{static_cast<int32_t>(row * 7 % kB)};
        const int64_t value = row % 13 * 1000000007LL - 5;
        first.push_back(one);
        second.push_back(two);
        values.emplace_back(value);
        for (size_t s = 0; s < sets.size(); ++s) {
          const bool has_one = std::count(sets[s].begin(), sets[s].end(), 0U) > 0;
          const bool has_two = std::count(sets[s].begin(), sets[s].end(), 1U) > 0;
          HostState& state = host[s][{has_one ? one : Key{}, has_two ? two : Key{}}];
          ++state.rows;
          state.sum += value;
          state.distinct.insert(value);
        }
      }
      batches.push_back(
          batch({column(kTestInteger, first), column(kTestInteger, second), column(kTestBigInt, values)}));
    }
    Rows expected;
    for (size_t s = 0; s < sets.size(); ++s) {
      int grouping = 3;
      for (const uint32_t group : sets[s]) grouping -= group == 0 ? 2 : 1;
      for (const auto& [keys, state] : host[s]) {
        expected.push_back(text_of(keys.first) + "|" + text_of(keys.second) + "|" + std::to_string(state.rows) + "|" +
                           plan::to_string(state.sum) + "|" + std::to_string(state.distinct.size()) + "|" +
                           std::to_string(grouping));
      }
    }
    EXPECT_TRUE(run(aggregate, {kTestInteger, kTestInteger, kTestBigInt}, batches) == sorted(expected));
  }
};

TEST_F(ManySetsTest, RollupWithAmpleMemory) { check_sets({{0, 1}, {0}, {}}); }
TEST_F(ManySetsTest, SetsThatExpandBatches) { check_sets({{0}, {1}, {1}, {}}); }

TEST_F(ManySetsTest, SmallCapMakesParts) {
  make_services(uint64_t{8} << 20, false);
  check_sets({{0, 1}, {0}, {1}, {}});
  check_sets({{0}, {1}});
}

TEST_F(ManySetsTest, ForcedSpill) {
  make_services(uint64_t{8} << 20, true);
  check_sets({{0, 1}, {0}, {0}, {}});
  check_sets({{0}, {1}});
}

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
