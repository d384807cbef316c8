// Recipes need no GPU: which states aggregates share, and what their results read.
#include "gpu/ops/aggregate_functions.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace weft::gpu {
namespace {

using plan::Type;
using plan::TypeId;

const Type kBigInt = Type::of(TypeId::BigInt);
const Type kDouble = Type::of(TypeId::Double);
const Type kHugeInt = Type::of(TypeId::HugeInt);
const Type kPrice = Type::decimal(15, 2);

plan::AggregateCall call(const std::string& function, std::vector<plan::ExprPtr> arguments, const Type& result) {
  plan::AggregateCall made;
  made.function = function;
  made.arguments = std::move(arguments);
  made.type = result;
  return made;
}

std::vector<std::string> texts(const std::vector<plan::ExprPtr>& exprs) {
  std::vector<std::string> out;
  for (const plan::ExprPtr& expr : exprs) out.push_back(plan::to_string(*expr));
  return out;
}

TEST(AggregateRecipe, SumAndAverageShareTheirLimbs) {
  const auto price = plan::column_ref(1, kPrice, false);
  plan::Aggregate aggregate;
  aggregate.groups = {plan::column_ref(0, kBigInt, true)};
  aggregate.aggregates = {call("sum", {price}, Type::decimal(38, 2)), call("avg", {price}, kDouble),
                          call("count_star", {}, kBigInt), call("count", {price}, kBigInt)};
  const AggregateRecipe recipe = make_recipe(aggregate, {});
  ASSERT_EQ(recipe.main.parts.size(), 2U);
  EXPECT_EQ(recipe.main.parts[0].kind, MergeKind::Sum);
  EXPECT_EQ(recipe.main.parts[0].types.size(), 2U);  // 64 bits: two limbs
  EXPECT_EQ(recipe.main.parts[1].kind, MergeKind::Count);
  EXPECT_TRUE(recipe.main.parts[1].inputs.empty());  // the argument is never NULL: all rows count
  EXPECT_EQ(recipe.main.inputs.size(), 3U);          // the group and two limbs
  EXPECT_EQ(recipe.results.size(), 5U);
  EXPECT_EQ(recipe.results[3]->column, recipe.results[4]->column);
}

TEST(AggregateRecipe, LimbsFollowTheWidth) {
  const auto limbs = [](const Type& type) {
    plan::Aggregate aggregate;
    aggregate.aggregates = {call("sum", {plan::column_ref(0, type, true)}, kHugeInt)};
    return make_recipe(aggregate, {}).main.parts.front().types.size();
  };
  EXPECT_EQ(limbs(Type::of(TypeId::Boolean)), 1U);
  EXPECT_EQ(limbs(Type::of(TypeId::Integer)), 1U);
  EXPECT_EQ(limbs(Type::of(TypeId::UInteger)), 2U);  // its highest bit is not a sign
  EXPECT_EQ(limbs(kBigInt), 2U);
  EXPECT_EQ(limbs(Type::of(TypeId::UBigInt)), 4U);
  EXPECT_EQ(limbs(Type::decimal(9, 2)), 1U);
  EXPECT_EQ(limbs(Type::decimal(18, 2)), 2U);
  EXPECT_EQ(limbs(Type::decimal(19, 2)), 4U);
  EXPECT_EQ(limbs(kHugeInt), 4U);
}

TEST(AggregateRecipe, DistinctArgumentsHaveTheirOwnGrouping) {
  const auto x = plan::column_ref(1, kBigInt, true);
  plan::Aggregate aggregate;
  aggregate.groups = {plan::column_ref(0, kBigInt, true)};
  auto count = call("count", {x}, kBigInt);
  count.distinct = true;
  auto sum = call("sum", {x}, kHugeInt);
  sum.distinct = true;
  auto least = call("min", {x}, kBigInt);
  least.distinct = true;
  aggregate.aggregates = {count, least, sum};
  const AggregateRecipe recipe = make_recipe(aggregate, {});
  ASSERT_EQ(recipe.distinct.size(), 1U);
  ASSERT_EQ(recipe.main.parts.size(), 1U);
  EXPECT_EQ(recipe.main.parts[0].kind, MergeKind::Min);
  EXPECT_EQ(recipe.distinct[0].row.size(), 2U);
  ASSERT_EQ(recipe.distinct[0].grouping.parts.size(), 2U);
  // Final row: group, min, then the distinct grouping's count and two limbs.
  ASSERT_EQ(recipe.final_row.size(), 5U);
  EXPECT_EQ(texts({recipe.results[0], recipe.results[1], recipe.results[2]}),
            (std::vector<std::string>{"#0", "#2", "#1"}));
  std::vector<bool> used(5, false);
  plan::collect_columns(*recipe.results[3], used);
  EXPECT_EQ(used, (std::vector<bool>{false, false, false, true, true}));
}

TEST(AggregateRecipe, PairsShareTheirMoments) {
  const auto x = plan::column_ref(0, kDouble, true);
  const auto y = plan::column_ref(1, kDouble, true);
  plan::Aggregate aggregate;
  aggregate.aggregates = {call("corr", {y, x}, kDouble), call("regr_slope", {y, x}, kDouble),
                          call("covar_pop", {x, y}, kDouble)};
  const AggregateRecipe recipe = make_recipe(aggregate, {});
  ASSERT_EQ(recipe.main.parts.size(), 2U);  // (y, x) and (x, y)
  EXPECT_EQ(recipe.main.parts[0].kind, MergeKind::Moments);
  EXPECT_EQ(recipe.main.parts[0].types.size(), 6U);
}

TEST(AggregateRecipe, ArgExtremesKeepKeyOrderAndValue) {
  const Type varchar = Type::of(TypeId::Varchar);
  plan::Aggregate aggregate;
  auto by_name = call("min_by", {plan::column_ref(0, varchar, true), plan::column_ref(1, kDouble, true)}, varchar);
  by_name.distinct = true;  // changes nothing
  aggregate.aggregates = {
      by_name, call("arg_max_null", {plan::column_ref(0, varchar, true), plan::column_ref(1, kBigInt, true)}, varchar)};
  const AggregateRecipe recipe = make_recipe(aggregate, {});
  EXPECT_TRUE(recipe.distinct.empty());
  ASSERT_EQ(recipe.main.parts.size(), 2U);
  EXPECT_EQ(recipe.main.parts[0].kind, MergeKind::ArgMin);
  EXPECT_EQ(recipe.main.parts[0].types, (std::vector<Type>{kBigInt, kBigInt, varchar}));
  // A NULL value takes the row out of arg_min's race, and not out of arg_max_null's.
  EXPECT_EQ(plan::to_string(*recipe.main.inputs[recipe.main.parts[0].inputs[0]]),
            "__order_key(CASE WHEN (#0 IS NOT NULL) THEN #1 ELSE NULL::DOUBLE END)");
  EXPECT_EQ(plan::to_string(*recipe.main.inputs[recipe.main.parts[1].inputs[0]]), "#1");
  EXPECT_EQ(texts(recipe.results), (std::vector<std::string>{"#2", "#5"}));
}

TEST(AggregateRecipe, DistinctPairsAreRowsOfTwoArguments) {
  const auto x = plan::column_ref(0, kBigInt, true);
  const auto y = plan::column_ref(1, kDouble, true);
  plan::Aggregate aggregate;
  auto pairs = call("covar_pop", {y, y}, kDouble);
  pairs.distinct = true;
  auto same = call("corr", {y, y}, kDouble);
  same.distinct = true;
  auto single = call("count", {x}, kBigInt);
  single.distinct = true;
  aggregate.aggregates = {pairs, single, same};
  const AggregateRecipe recipe = make_recipe(aggregate, {});
  ASSERT_EQ(recipe.distinct.size(), 2U);
  EXPECT_EQ(recipe.distinct[0].row.size(), 2U);
  EXPECT_EQ(recipe.distinct[1].row.size(), 1U);
}

TEST(AggregateRecipe, AFilterCountsOnlyItsRows) {
  plan::Aggregate aggregate;
  auto filtered = call("count_star", {}, kBigInt);
  filtered.filter = plan::column_ref(0, Type::of(TypeId::Boolean), true);
  aggregate.aggregates = {filtered, call("count_star", {}, kBigInt)};
  const AggregateRecipe recipe = make_recipe(aggregate, {});
  ASSERT_EQ(recipe.main.parts.size(), 2U);
  ASSERT_EQ(recipe.main.parts[0].inputs.size(), 1U);
  EXPECT_EQ(recipe.main.inputs[recipe.main.parts[0].inputs[0]]->kind, plan::ExprKind::Case);
  EXPECT_TRUE(recipe.main.parts[1].inputs.empty());
}

TEST(AggregateRecipe, GroupingSetsGetKeysAndTheLargerComeFirst) {
  plan::Aggregate aggregate;
  aggregate.groups = {plan::column_ref(0, kBigInt, false), plan::column_ref(1, kPrice, false)};
  aggregate.aggregates = {call("count_star", {}, kBigInt)};
  aggregate.grouping_sets = {{}, {1}, {0, 1}, {1}};
  aggregate.groupings = {{1, 0}};
  const AggregateRecipe recipe = make_recipe(aggregate, {});
  ASSERT_EQ(recipe.sets.size(), 4U);
  EXPECT_EQ(recipe.sets[0].groups, (std::vector<uint32_t>{0, 1}));
  EXPECT_EQ(recipe.sets[0].key, 0);
  EXPECT_EQ(recipe.sets[1].groups, (std::vector<uint32_t>{1}));
  EXPECT_EQ(recipe.sets[1].key, 1);
  EXPECT_EQ(recipe.sets[2].key, 1 + (int64_t{1} << 40));  // the same set again: other rows
  EXPECT_EQ(recipe.sets[3].key, 3);
  EXPECT_EQ(recipe.by_set.keys, 3U);
  ASSERT_EQ(recipe.main.parts.size(), 1U);
  EXPECT_EQ(recipe.main.parts[0].first_column, 2U);
  EXPECT_EQ(recipe.by_set.parts[0].first_column, 3U);
  // Final row: the groups, which may be NULL now, the key, the count.
  ASSERT_EQ(recipe.final_row.size(), 4U);
  EXPECT_TRUE(recipe.final_row[0].nullable);
  EXPECT_EQ(recipe.final_row[1].type, kPrice);
  EXPECT_EQ(texts(recipe.results), (std::vector<std::string>{"#0", "#1", "#3", "__grouping(#2, 1, 0)"}));
}

TEST(AggregateRecipe, DistinctRowsOfSetsAreKeyedAlike) {
  const auto x = plan::column_ref(1, kBigInt, true);
  plan::Aggregate aggregate;
  aggregate.groups = {plan::column_ref(0, kBigInt, true)};
  auto count = call("count", {x}, kBigInt);
  count.distinct = true;
  aggregate.aggregates = {count, call("max", {x}, kBigInt)};
  aggregate.grouping_sets = {{0}, {}};
  const AggregateRecipe recipe = make_recipe(aggregate, {});
  ASSERT_EQ(recipe.distinct.size(), 1U);
  EXPECT_EQ(recipe.distinct[0].rows.size(), 2U);  // group, argument
  EXPECT_EQ(recipe.distinct[0].row.size(), 3U);   // group, key, argument
  EXPECT_EQ(recipe.distinct[0].grouping.keys, 2U);
  // Final row: group, key, max, count.
  EXPECT_EQ(texts(recipe.results), (std::vector<std::string>{"#0", "#3", "#2"}));
}

TEST(AggregateRecipe, WithoutSetsGroupingIsZero) {
  plan::Aggregate aggregate;
  aggregate.groups = {plan::column_ref(0, kBigInt, true)};
  aggregate.groupings = {{0}};
  const AggregateRecipe recipe = make_recipe(aggregate, {});
  EXPECT_TRUE(recipe.sets.empty());
  EXPECT_EQ(texts(recipe.results), (std::vector<std::string>{"#0", "0"}));
}

TEST(AggregateRecipe, UnknownFunctionsAreABug) {
  plan::Aggregate aggregate;
  aggregate.aggregates = {call("mode", {plan::column_ref(0, kBigInt, true)}, kBigInt)};
  EXPECT_THROW(make_recipe(aggregate, {}), Exception);
}

}  // namespace
}  // namespace weft::gpu
