// What a join keeps of its build side needs no GPU.
#include "gpu/ops/join_layout.hpp"

#include <gtest/gtest.h>

namespace weft::gpu {
namespace {

using Emit = pipeline::JoinSpec::Emit;
using plan::Type;
using plan::TypeId;

const Type kInteger = Type::of(TypeId::Integer);

plan::ExprPtr ref(uint32_t column, const Type& type = kInteger) { return plan::column_ref(column, type, true); }

// Three columns on either side, the key is column 1.
pipeline::JoinSpec spec_of(Emit emit) {
  pipeline::JoinSpec spec{};
  for (int i = 0; i < 3; ++i) {
    spec.probe_row.columns.push_back(plan::Column{"p", kInteger, true});
    spec.build_row.columns.push_back(plan::Column{"b", kInteger, true});
  }
  spec.probe_keys = {ref(1)};
  spec.build_keys = {ref(1)};
  spec.null_equal = {false};
  spec.emit = emit;
  return spec;
}

TEST(JoinLayout, KeepsOutputKeysAndResidualColumnsOnce) {
  auto spec = spec_of(Emit::Inner);
  spec.build_output = {2};
  const JoinLayout layout = make_join_layout(spec);
  EXPECT_EQ(layout.kept, (std::vector<uint32_t>{1, 2}));
  EXPECT_EQ(layout.key_columns, (std::vector<uint32_t>{0}));
  EXPECT_EQ(layout.build_output, (std::vector<uint32_t>{1}));
  EXPECT_TRUE(layout.computed_keys.empty());
  EXPECT_EQ(layout.compare_nulls, cudf::null_equality::UNEQUAL);
  EXPECT_FALSE(layout.marker);
  EXPECT_TRUE(layout.needs_pairs());
}

// Conditions read a row of their own, but an error is told in the plan's columns.
TEST(JoinLayout, AFailureOfAPairIsToldInThePlansColumns) {
  for (const bool build_is_left : {false, true}) {
    auto spec = spec_of(Emit::Inner);
    spec.build_is_left = build_is_left;
    spec.residual = plan::comparison(plan::CompareOp::Less, ref(1), ref(5));
    const JoinLayout layout = make_join_layout(spec);
    ASSERT_EQ(layout.pair_row.size(), 2U);
    const ExpressionFailure whole = failure_of_pair(layout, {7, {build_is_left ? "right" : "left", std::nullopt}});
    EXPECT_EQ(whole.expression_id, 7U);
    ASSERT_EQ(whole.inputs.size(), 6U);
    EXPECT_EQ(whole.inputs[build_is_left ? 5 : 1], build_is_left ? "right" : "left");
    EXPECT_FALSE(whole.inputs[build_is_left ? 1 : 5]);
    EXPECT_FALSE(whole.inputs[0]);
  }
}

TEST(JoinLayout, FloatKeysAreNormalizedAndStoredApart) {
  auto spec = spec_of(Emit::ProbeSemi);
  const Type real = Type::of(TypeId::Double);
  spec.build_row.columns[1].type = spec.probe_row.columns[1].type = real;
  spec.probe_keys = {ref(1, real)};
  spec.build_keys = {ref(1, real)};
  const JoinLayout layout = make_join_layout(spec);
  EXPECT_TRUE(layout.kept.empty());
  ASSERT_EQ(layout.computed_keys.size(), 1U);
  EXPECT_EQ(layout.computed_keys[0]->function, "__normalize");
  EXPECT_EQ(layout.probe_keys[0]->function, "__normalize");
  EXPECT_EQ(layout.key_columns, (std::vector<uint32_t>{0}));
  EXPECT_FALSE(layout.needs_pairs());
}

TEST(JoinLayout, MixedNullEqualityNeedsAMarker) {
  auto spec = spec_of(Emit::Inner);
  spec.probe_keys.push_back(ref(0));
  spec.build_keys.push_back(ref(0));
  spec.null_equal = {false, true};
  const JoinLayout mixed = make_join_layout(spec);
  EXPECT_TRUE(mixed.marker);
  EXPECT_EQ(mixed.compare_nulls, cudf::null_equality::EQUAL);
  spec.null_equal = {true, true};
  const JoinLayout safe = make_join_layout(spec);
  EXPECT_FALSE(safe.marker);
  EXPECT_EQ(safe.compare_nulls, cudf::null_equality::EQUAL);
}

TEST(JoinLayout, ResidualReadsPairsOfTheColumnsThatItNeeds) {
  for (const bool build_is_left : {false, true}) {
    auto spec = spec_of(Emit::ProbeAnti);
    spec.build_is_left = build_is_left;
    // The residual is over left ++ right: probe column 2 < build column 0.
    const uint32_t probe = build_is_left ? 5 : 2;
    const uint32_t build = build_is_left ? 0 : 3;
    spec.residual = plan::comparison(plan::CompareOp::Less, ref(probe), ref(build));
    const JoinLayout layout = make_join_layout(spec);
    EXPECT_EQ(layout.pair_probe, (std::vector<uint32_t>{2}));
    EXPECT_EQ(layout.kept, (std::vector<uint32_t>{0, 1}));
    EXPECT_EQ(layout.pair_build, (std::vector<uint32_t>{0}));
    EXPECT_EQ(plan::to_string(*layout.residual), "(#0 < #1)");
    EXPECT_TRUE(layout.needs_pairs());
  }
}

TEST(JoinLayout, OnlyMarksOfSeveralConditionsTestPairsForNull) {
  auto spec = spec_of(Emit::ProbeMark);
  spec.mark = pipeline::MarkKind::ThreeValued;
  EXPECT_TRUE(make_join_layout(spec).three_valued);
  EXPECT_EQ(make_join_layout(spec).unknown, nullptr);
  spec.probe_keys.push_back(ref(0));
  spec.build_keys.push_back(ref(0));
  spec.null_equal = {false, false};
  const JoinLayout two = make_join_layout(spec);
  ASSERT_NE(two.unknown, nullptr);
  EXPECT_EQ(two.unknown->kind, plan::ExprKind::IsNull);
  EXPECT_EQ(two.pair_row.size(), 4U);
  EXPECT_FALSE(two.groups);
  spec.null_equal = {true, true};
  EXPECT_FALSE(make_join_layout(spec).three_valued);
}

TEST(JoinLayout, AMarkOfOneKeyBesideNullEqualKeysAsksGroups) {
  auto spec = spec_of(Emit::ProbeMark);
  spec.mark = pipeline::MarkKind::ThreeValued;
  spec.probe_keys.push_back(ref(0));
  spec.build_keys.push_back(ref(0));
  spec.null_equal = {true, false};
  const JoinLayout layout = make_join_layout(spec);
  EXPECT_TRUE(layout.groups);
  EXPECT_EQ(layout.unknown, nullptr);
  spec.residual = plan::comparison(plan::CompareOp::Less, ref(2), ref(3));
  EXPECT_FALSE(make_join_layout(spec).groups);
  spec.residual = nullptr;
  spec.mark = pipeline::MarkKind::TwoValued;
  EXPECT_FALSE(make_join_layout(spec).groups);
}

TEST(JoinLayout, ASearchStoresItsKeysAndLooksForItsBounds) {
  auto spec = spec_of(Emit::ProbeSemi);
  spec.probe_keys.clear();
  spec.build_keys.clear();
  spec.null_equal.clear();
  using plan::CompareOp;
  spec.search = pipeline::RangeSearch{
      {ref(0), ref(2), CompareOp::GreaterEqual}, std::nullopt, {{ref(1), ref(0), CompareOp::LessEqual}}, false};
  const JoinLayout exact = make_join_layout(spec);
  EXPECT_EQ(exact.kept, (std::vector<uint32_t>{0, 2}));
  EXPECT_EQ(exact.search_column, 1U);
  EXPECT_EQ(exact.reach_column, 0U);
  EXPECT_EQ(exact.bounds.size(), 2U);
  EXPECT_FALSE(exact.has_table());
  EXPECT_FALSE(exact.needs_pairs());
  spec.residual = plan::comparison(CompareOp::LessEqual, ref(1), ref(3));
  EXPECT_TRUE(make_join_layout(spec).needs_pairs());
}

TEST(JoinLayout, AMarkBySearchMayBeNullAndNeedsNoPairs) {
  auto spec = spec_of(Emit::ProbeMark);
  spec.mark = pipeline::MarkKind::ThreeValued;
  spec.probe_keys.clear();
  spec.build_keys.clear();
  spec.null_equal.clear();
  spec.search = pipeline::RangeSearch{{ref(0), ref(2), plan::CompareOp::Greater}, std::nullopt, std::nullopt, false};
  const JoinLayout layout = make_join_layout(spec);
  EXPECT_TRUE(layout.three_valued);
  EXPECT_EQ(layout.unknown, nullptr);
  EXPECT_FALSE(layout.needs_pairs());
}

TEST(JoinLayout, AnAsofJoinKeepsItsKeysOutOfATable) {
  auto spec = spec_of(Emit::ProbeOuter);
  const Type real = Type::of(TypeId::Double);
  spec.build_row.columns[2].type = spec.probe_row.columns[2].type = real;
  spec.probe_keys.push_back(ref(0));
  spec.build_keys.push_back(ref(0));
  spec.null_equal = {false, true};
  spec.search =
      pipeline::RangeSearch{{ref(2, real), ref(2, real), plan::CompareOp::Less}, std::nullopt, std::nullopt, true};
  const JoinLayout layout = make_join_layout(spec);
  EXPECT_TRUE(layout.has_keys());
  EXPECT_FALSE(layout.has_table());
  EXPECT_FALSE(layout.marker);
  EXPECT_EQ(layout.key_columns, (std::vector<uint32_t>{1, 0}));
  ASSERT_EQ(layout.computed_keys.size(), 1U);
  EXPECT_EQ(layout.computed_keys[0]->function, "__order_key");
  EXPECT_EQ(layout.bounds[0]->function, "__order_key");
  EXPECT_EQ(layout.search_column, 2U);
  EXPECT_EQ(plan::to_string(*layout.nearer), "(((#0 IS NULL) AND (#1 IS NOT NULL)) OR (#1 < #0))");
}

}  // namespace
}  // namespace weft::gpu
