// Recipes end to end without a GPU: generated code runs on the host, states are merged here as group_states.cpp merges
// them on the device.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "gpu/expr/host_harness.hpp"
#include "gpu/ops/aggregate_functions.hpp"

namespace weft::gpu {
namespace {

using plan::Int128;
using plan::Type;
using plan::TypeId;
using plan::Value;

const Type kBigInt = Type::of(TypeId::BigInt);
const Type kDouble = Type::of(TypeId::Double);
const Type kHugeInt = Type::of(TypeId::HugeInt);

struct Case {
  std::string function;
  Type argument;
  Type result;
  std::vector<Value> values;
  Value expected;
};

Value sum_of(const std::vector<Value>& column, const Type& type) {
  Int128 exact = 0;
  double floating = 0;
  bool some = false;
  for (const Value& value : column) {
    if (value.is_null()) continue;
    some = true;
    if (type.is_floating()) {
      floating += value.as_double();
    } else {
      exact += value.as_int();
    }
  }
  if (!some) return Value::null(type);
  return type.is_floating() ? Value::floating(type, floating) : Value::integer(type, exact);
}

Value extreme_of(const std::vector<Value>& column, const Type& type, bool least) {
  Value best = Value::null(type);
  for (const Value& value : column) {
    if (value.is_null()) continue;
    if (best.is_null() || (least ? value.as_int() < best.as_int() : value.as_int() > best.as_int())) best = value;
  }
  return best;
}

int64_t count_of(const std::vector<Value>& column) {
  int64_t count = 0;
  for (const Value& value : column) count += value.is_null() ? 0 : 1;
  return count;
}

// Of one or two variables, which are NULL together.
std::vector<Value> moments_of(const std::vector<std::vector<Value>>& variables) {
  const auto count = count_of(variables.front());
  std::vector<Value> state{Value::integer(kBigInt, Int128{count})};
  std::vector<double> means;
  for (const auto& variable : variables) {
    means.push_back(count == 0 ? 0 : sum_of(variable, kDouble).as_double() / static_cast<double>(count));
    state.push_back(count == 0 ? Value::null(kDouble) : Value::floating(kDouble, means.back()));
  }
  for (size_t a = 0; a < variables.size(); ++a) {
    for (size_t b = a; b < variables.size(); ++b) {
      double products = 0;
      for (size_t row = 0; row < variables[a].size(); ++row) {
        if (variables[a][row].is_null()) continue;
        products += (variables[a][row].as_double() - means[a]) * (variables[b][row].as_double() - means[b]);
      }
      state.push_back(count == 0 ? Value::null(kDouble) : Value::floating(kDouble, products));
    }
  }
  return state;
}

Value product_of(const std::vector<Value>& column) {
  double product = 1;
  for (const Value& value : column) product *= value.is_null() ? 1 : value.as_double();
  return count_of(column) == 0 ? Value::null(kDouble) : Value::floating(kDouble, product);
}

// One state of all rows; `columns` are the evaluated Grouping::inputs.
std::vector<Value> state_of(const Grouping& grouping, const std::vector<std::vector<Value>>& columns, size_t rows) {
  std::vector<Value> state;
  for (const StatePart& part : grouping.parts) {
    switch (part.kind) {
      case MergeKind::Sum:
        for (size_t i = 0; i < part.inputs.size(); ++i) state.push_back(sum_of(columns[part.inputs[i]], part.types[i]));
        break;
      case MergeKind::Count:
        state.push_back(Value::integer(
            kBigInt, Int128{part.inputs.empty() ? static_cast<int64_t>(rows) : count_of(columns[part.inputs[0]])}));
        break;
      case MergeKind::Min:
      case MergeKind::Max:
        state.push_back(extreme_of(columns[part.inputs[0]], part.types[0], part.kind == MergeKind::Min));
        break;
      case MergeKind::Product:
        state.push_back(product_of(columns[part.inputs[0]]));
        break;
      case MergeKind::Moments: {
        std::vector<std::vector<Value>> variables;
        for (const uint32_t input : part.inputs) variables.push_back(columns[input]);
        for (Value& value : moments_of(variables)) state.push_back(std::move(value));
        break;
      }
      case MergeKind::First:
      case MergeKind::ArgMin:
      case MergeKind::ArgMax:
      case MergeKind::BitAnd:
      case MergeKind::BitOr:
      case MergeKind::BitXor:
        ADD_FAILURE() << "needs no generated code for its result";
        break;
    }
  }
  return state;
}

std::string text_of(const Value& value) {
  if (value.is_null()) return "NULL";
  return std::holds_alternative<double>(value.data) ? std::to_string(value.as_double())
                                                    : plan::to_string(value.as_int());
}

// The results of each recipe over the rows of its run, whose expressions are the recipe's inputs: two libraries for
// all, the inputs of all of them, then the results of all of them.
std::vector<test::HostResult> results_of(const std::vector<AggregateRecipe>& recipes,
                                         const std::vector<test::HostRun>& inputs) {
  const auto evaluated = test::run_on_host(inputs);
  std::vector<test::HostRun> finals;
  for (size_t i = 0; i < recipes.size(); ++i) {
    test::HostRun run;
    run.input = recipes[i].final_row;
    run.rows = {state_of(recipes[i].main, evaluated[i].columns, inputs[i].rows.size())};
    run.expressions = recipes[i].results;
    finals.push_back(std::move(run));
  }
  return test::run_on_host(finals);
}

void check(const std::vector<Case>& cases) {
  std::vector<AggregateRecipe> recipes;
  std::vector<test::HostRun> inputs;
  for (const Case& one : cases) {
    plan::AggregateCall call;
    call.function = one.function;
    call.type = one.result;
    if (one.function != "count_star") call.arguments = {plan::column_ref(0, one.argument, true)};
    plan::Aggregate aggregate;
    aggregate.aggregates = {call};
    recipes.push_back(make_recipe(aggregate, {}));
    test::HostRun run;
    run.input = {plan::Column{"x", one.argument, true}};
    for (const Value& value : one.values) run.rows.push_back({value});
    run.expressions = recipes.back().main.inputs;
    inputs.push_back(std::move(run));
  }
  const auto results = results_of(recipes, inputs);
  for (size_t i = 0; i < cases.size(); ++i) {
    const std::string name = cases[i].function + "(" + cases[i].argument.to_string() + ")";
    EXPECT_FALSE(results[i].failed_row.has_value()) << name;
    EXPECT_EQ(text_of(results[i].columns.at(0).at(0)), text_of(cases[i].expected)) << name;
  }
}

Value integer(const Type& type, Int128 value) { return Value::integer(type, value); }
Value real(double value) { return Value::floating(kDouble, value); }

TEST(AggregateRecipeOnHost, ExactSumsAndAverages) {
  constexpr Int128 kMax64 = std::numeric_limits<int64_t>::max();
  constexpr Int128 kMin64 = std::numeric_limits<int64_t>::min();
  constexpr Int128 kMaxU64 = std::numeric_limits<uint64_t>::max();
  const Type boolean = Type::of(TypeId::Boolean);
  const Type tiny = Type::of(TypeId::TinyInt);
  const Type u32 = Type::of(TypeId::UInteger);
  const Type u64 = Type::of(TypeId::UBigInt);
  const Type wide = Type::decimal(38, 2);
  const Int128 big = Int128{1} << 100;
  const auto many = [](const Type& type, std::vector<Int128> values) {
    std::vector<Value> out;
    for (const Int128 value : values) out.push_back(Value::integer(type, value));
    out.push_back(Value::null(type));
    return out;
  };
  check({
      {"sum", boolean, kHugeInt, many(boolean, {1, 0, 1}), integer(kHugeInt, 2)},
      {"sum", tiny, kHugeInt, many(tiny, {-128, -1, 3}), integer(kHugeInt, -126)},
      {"sum", u32, kHugeInt, many(u32, {4294967295, 4294967295}), integer(kHugeInt, 8589934590)},
      {"sum", kBigInt, kHugeInt, many(kBigInt, {kMax64, kMax64, kMax64}), integer(kHugeInt, kMax64 * 3)},
      {"sum", kBigInt, kHugeInt, many(kBigInt, {kMin64, kMin64, -1, 7}), integer(kHugeInt, kMin64 * 2 + 6)},
      {"sum", u64, kHugeInt, many(u64, {kMaxU64, kMaxU64, 1}), integer(kHugeInt, kMaxU64 * 2 + 1)},
      {"sum", wide, wide, many(wide, {big, -1, big, -big}), integer(wide, big - 1)},
      {"sum", Type::decimal(9, 3), Type::decimal(38, 3), many(Type::decimal(9, 3), {-999999999, 5}),
       integer(Type::decimal(38, 3), -999999994)},
      {"sum", kBigInt, kHugeInt, {Value::null(kBigInt)}, Value::null(kHugeInt)},
      {"avg", kBigInt, kDouble, many(kBigInt, {kMin64, kMin64}), real(static_cast<double>(kMin64))},
      {"avg", Type::decimal(15, 2), kDouble, many(Type::decimal(15, 2), {100, 250}), real(1.75)},
      {"avg", kBigInt, kDouble, {Value::null(kBigInt)}, Value::null(kDouble)},
      {"count", kBigInt, kBigInt, many(kBigInt, {1, 2}), integer(kBigInt, 2)},
      {"count_star", kBigInt, kBigInt, many(kBigInt, {1, 2}), integer(kBigInt, 3)},
  });
}

TEST(AggregateRecipeOnHost, FloatsExtremesAndVariance) {
  const double inf = INFINITY;
  const double nan = std::nan("");
  const Type boolean = Type::of(TypeId::Boolean);
  check({
      {"sum", kDouble, kDouble, {real(1.5), real(-0.25), Value::null(kDouble)}, real(1.25)},
      {"avg", kDouble, kDouble, {real(1.5), real(0.5), Value::null(kDouble)}, real(1.0)},
      {"avg", kDouble, kDouble, {Value::null(kDouble)}, Value::null(kDouble)},
      {"min", kDouble, kDouble, {real(nan), real(3.0), real(inf)}, real(3.0)},
      {"max", kDouble, kDouble, {real(-inf), real(-3.5), Value::null(kDouble)}, real(-3.5)},
      {"min", kBigInt, kBigInt, {integer(kBigInt, 4), integer(kBigInt, -4)}, integer(kBigInt, -4)},
      {"bool_and", boolean, boolean, {Value::boolean(true), Value::boolean(false)}, Value::boolean(false)},
      {"bool_or", boolean, boolean, {Value::boolean(false), Value::boolean(true)}, Value::boolean(true)},
      {"var_samp", kDouble, kDouble, {real(4), real(7), real(13), real(16)}, real(30)},
      {"var_pop", kDouble, kDouble, {real(4), real(7), real(13), real(16)}, real(22.5)},
      {"stddev_samp", kDouble, kDouble, {real(4), real(7), real(13), real(16)}, real(std::sqrt(30.0))},
      {"stddev_samp", kDouble, kDouble, {real(4)}, Value::null(kDouble)},
      {"stddev_pop", kDouble, kDouble, {real(4)}, real(0)},
      {"sem", kDouble, kDouble, {real(4), real(7), real(13), real(16)}, real(std::sqrt(22.5) / 2)},
      {"sem", kDouble, kDouble, {Value::null(kDouble)}, Value::null(kDouble)},
      {"count_if", boolean, kHugeInt, {Value::boolean(true), Value::boolean(false)}, integer(kHugeInt, 1)},
      {"var_pop", kDouble, kDouble, {Value::null(kDouble)}, Value::null(kDouble)},
      {"var_pop", kDouble, kDouble, {real(inf)}, real(0)},
      {"product", kDouble, kDouble, {real(2), Value::null(kDouble), real(-3)}, real(-6)},
      {"product", kDouble, kDouble, {Value::null(kDouble)}, Value::null(kDouble)},
  });
}

using Pairs = std::vector<std::pair<Value, Value>>;

// function(y, x) over the pairs.
struct PairCase {
  std::string function;
  Pairs pairs;
  Value expected;
};

void check_pairs(const std::vector<PairCase>& cases) {
  std::vector<AggregateRecipe> recipes;
  std::vector<test::HostRun> inputs;
  for (const PairCase& one : cases) {
    plan::AggregateCall call;
    call.function = one.function;
    call.type = one.function == "regr_count" ? Type::of(TypeId::UInteger) : kDouble;
    call.arguments = {plan::column_ref(0, kDouble, true), plan::column_ref(1, kDouble, true)};
    plan::Aggregate aggregate;
    aggregate.aggregates = {call};
    recipes.push_back(make_recipe(aggregate, {}));
    test::HostRun run;
    run.input = {plan::Column{"y", kDouble, true}, plan::Column{"x", kDouble, true}};
    for (const auto& [y, x] : one.pairs) run.rows.push_back({y, x});
    run.expressions = recipes.back().main.inputs;
    inputs.push_back(std::move(run));
  }
  const auto results = results_of(recipes, inputs);
  for (size_t i = 0; i < cases.size(); ++i) {
    EXPECT_EQ(text_of(results[i].columns.at(0).at(0)), text_of(cases[i].expected)) << i << " " << cases[i].function;
  }
}

TEST(AggregateRecipeOnHost, PairsFollowDuckDbsRules) {
  const Value null = Value::null(kDouble);
  const Value nan = real(std::nan(""));
  const Pairs none{{null, real(1)}, {real(2), null}};
  const Pairs one{{real(5), real(2)}, {null, real(7)}};
  const Pairs line{{real(3), real(1)}, {real(5), real(2)}, {real(100), null}, {real(7), real(3)}};
  const Pairs steady_x{{real(3), real(4)}, {real(5), real(4)}};
  const Pairs steady_y{{real(3), real(4)}, {real(3), real(6)}};
  check_pairs({
      {"covar_pop", none, null},
      {"covar_pop", one, real(0)},
      {"covar_pop", line, real(4.0 / 3)},
      {"covar_samp", one, null},
      {"covar_samp", line, real(2)},
      {"corr", none, null},
      {"corr", one, nan},
      {"corr", line, real(1)},
      {"corr", steady_x, nan},
      {"regr_slope", none, null},
      {"regr_slope", one, nan},
      {"regr_slope", line, real(2)},
      {"regr_slope", steady_x, nan},
      {"regr_intercept", one, null},
      {"regr_intercept", line, real(1)},
      {"regr_r2", none, null},
      {"regr_r2", one, null},
      {"regr_r2", steady_x, null},
      {"regr_r2", line, real(1)},
      {"regr_r2", steady_y, real(1)},
      {"regr_avgx", line, real(2)},
      {"regr_avgy", line, real(5)},
      {"regr_avgy", none, null},
      {"regr_avgx", {{real(1), real(INFINITY)}}, real(INFINITY)},
      {"regr_sxx", line, real(2)},
      {"regr_syy", line, real(8)},
      {"regr_sxy", line, real(4)},
      {"regr_sxx", one, real(0)},
      {"regr_sxy", none, null},
      {"regr_count", none, integer(Type::of(TypeId::UInteger), 0)},
      {"regr_count", line, integer(Type::of(TypeId::UInteger), 3)},
  });
}

TEST(AggregateRecipeOnHost, GroupingReadsTheBitsOfTheSet) {
  plan::Aggregate aggregate;
  for (uint32_t i = 0; i < 3; ++i) aggregate.groups.push_back(plan::column_ref(i, kBigInt, true));
  aggregate.grouping_sets = {{0, 1, 2}, {1}, {1}, {0, 2}, {}};
  aggregate.groupings = {{0, 1, 2}, {2, 0}, {1}, {1, 1, 0}};
  const AggregateRecipe recipe = make_recipe(aggregate, {});
  test::HostRun run;
  run.input = recipe.final_row;
  for (const GroupingSet& set : recipe.sets) {
    const Value group = Value::null(kBigInt);
    run.rows.push_back({group, group, group, integer(kBigInt, set.key)});
  }
  run.expressions = recipe.results;
  const auto result = test::run_on_host(std::vector{run}).front();
  const auto values = [&](size_t column) {
    std::vector<std::string> texts;
    for (const Value& value : result.columns.at(column)) texts.push_back(text_of(value));
    return texts;
  };
  using Texts = std::vector<std::string>;  // of the sets (0, 1, 2), (0, 2), (1), (1), ()
  EXPECT_EQ(values(3), (Texts{"0", "2", "5", "5", "7"}));
  EXPECT_EQ(values(4), (Texts{"0", "0", "3", "3", "3"}));
  EXPECT_EQ(values(5), (Texts{"0", "1", "0", "0", "1"}));
  EXPECT_EQ(values(6), (Texts{"0", "6", "1", "1", "7"}));
}

}  // namespace
}  // namespace weft::gpu
