#include "pipeline/range_search.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace weft::pipeline {
namespace {

using plan::CompareOp;
using plan::ExprPtr;
using plan::Type;
using plan::TypeId;

const Type kInteger = Type::of(TypeId::Integer);

ExprPtr ref(uint32_t column, const Type& type = kInteger) { return plan::column_ref(column, type, true); }
ExprPtr compare(CompareOp op, ExprPtr a, ExprPtr b) { return plan::comparison(op, std::move(a), std::move(b)); }
ExprPtr throwing(ExprPtr a, ExprPtr b) {
  return compare(CompareOp::Equal, plan::call("//", kInteger, {std::move(a), std::move(b)}, true), ref(0));
}

// Left columns #0, #1 probe, right columns #2, #3 build; with build_is_left the other way round.
class RangeSearchTest : public ::testing::Test {
 protected:
  JoinSpec spec(std::vector<ExprPtr> conjuncts, bool build_is_left = false, const Type& type = kInteger) {
    JoinSpec spec;
    spec.join = &join_;
    spec.build_is_left = build_is_left;
    for (int i = 0; i < 2; ++i) {
      spec.probe_row.columns.push_back(plan::Column{"p", type, true});
      spec.build_row.columns.push_back(plan::Column{"b", type, true});
    }
    if (!conjuncts.empty()) spec.residual = plan::conjunction(std::move(conjuncts));
    return spec;
  }

  static std::string text(const RangeCondition& range) {
    return plan::to_string(*range.probe) + " " + plan::to_string(range.compare) + " " + plan::to_string(*range.build);
  }
  static std::string chosen(JoinSpec spec) {
    choose_search(spec);
    if (!spec.search) return "none";
    std::string text_ = text(spec.search->first);
    if (spec.search->second) text_ += " and " + text(*spec.search->second);
    if (spec.search->reach) text_ += " within " + text(*spec.search->reach);
    if (spec.search->nearest) text_ += " nearest";
    if (spec.search->otherwise) text_ += " or all pairs";
    if (spec.residual) text_ += " where " + plan::to_string(*spec.residual);
    return text_;
  }

  plan::Join join_;
};

TEST_F(RangeSearchTest, OneInequalityIsAnsweredWhole) {
  EXPECT_EQ(chosen(spec({compare(CompareOp::Less, ref(0), ref(2))})), "#0 < #0");
  EXPECT_EQ(chosen(spec({compare(CompareOp::Less, ref(3), ref(1))})), "#1 > #1");
  EXPECT_EQ(chosen(spec({compare(CompareOp::GreaterEqual, ref(0), ref(3))}, true)), "#1 <= #0");
}

TEST_F(RangeSearchTest, BothEndsOnOneBuildExpression) {
  EXPECT_EQ(
      chosen(spec({compare(CompareOp::LessEqual, ref(0), ref(2)), compare(CompareOp::GreaterEqual, ref(1), ref(2))})),
      "#0 <= #0 and #1 >= #0");
  // In the same direction they are no two ends, and no reach.
  EXPECT_EQ(chosen(spec({compare(CompareOp::Less, ref(0), ref(2)), compare(CompareOp::Less, ref(1), ref(2))})),
            "#0 < #0 where (#1 < #2)");
  // The pair is preferred to an earlier condition.
  EXPECT_EQ(chosen(spec({compare(CompareOp::Less, ref(0), ref(3)), compare(CompareOp::Less, ref(0), ref(2)),
                         compare(CompareOp::Greater, ref(1), ref(2))})),
            "#0 < #0 and #1 > #0 where (#0 < #3)");
}

TEST_F(RangeSearchTest, AnotherBuildExpressionIsAReachAndStaysInTheResidual) {
  EXPECT_EQ(
      chosen(spec({compare(CompareOp::GreaterEqual, ref(0), ref(2)), compare(CompareOp::LessEqual, ref(0), ref(3))})),
      "#0 >= #0 within #0 <= #1 where (#0 <= #3)");
  const Type text_type = Type::of(TypeId::Varchar);
  EXPECT_EQ(chosen(spec({compare(CompareOp::Greater, ref(0, text_type), ref(2, text_type)),
                         compare(CompareOp::Less, ref(0, text_type), ref(3, text_type))},
                        false, text_type)),
            "#0 > #0 where (#0 < #3)");
}

TEST_F(RangeSearchTest, OtherConditionsStay) {
  EXPECT_EQ(chosen(spec({})), "none");
  EXPECT_EQ(chosen(spec({compare(CompareOp::NotEqual, ref(0), ref(2))})), "none");
  EXPECT_EQ(chosen(spec({compare(CompareOp::Less, ref(0), ref(1))})), "none");
  EXPECT_EQ(chosen(spec({compare(CompareOp::Less, plan::call("+", kInteger, {ref(0), ref(2)}), ref(3))})), "none");
  EXPECT_EQ(chosen(spec({compare(CompareOp::NotEqual, ref(0), ref(2)), compare(CompareOp::Less, ref(0), ref(2))})),
            "#0 < #0 where (#0 <> #2)");
}

TEST_F(RangeSearchTest, NothingBehindAConditionThatCanRaiseIsMoved) {
  EXPECT_EQ(chosen(spec({throwing(ref(0), ref(2)), compare(CompareOp::Less, ref(0), ref(2))})), "none");
  EXPECT_EQ(chosen(spec({compare(CompareOp::Less, ref(0), ref(2)), throwing(ref(1), ref(3)),
                         compare(CompareOp::Greater, ref(1), ref(2))})),
            "#0 < #0 where (((#1 // #3) = #0) AND (#1 > #2))");
}

TEST_F(RangeSearchTest, ValuesThatMayRaiseAreSearchedUntilOneDoes) {
  const auto sum = [](uint32_t column) { return plan::call("+", kInteger, {ref(column), ref(column)}, true); };
  EXPECT_EQ(chosen(spec({compare(CompareOp::Less, sum(0), ref(2))})), "(#0 + #0) < #0 or all pairs");
  EXPECT_EQ(chosen(spec({compare(CompareOp::GreaterEqual, ref(0), ref(2)), compare(CompareOp::Less, ref(0), sum(3))})),
            "#0 >= #0 within #0 < (#1 + #1) or all pairs where (#0 < (#3 + #3))");
  // The third condition can raise and is not searched, so that the fourth cannot be.
  EXPECT_EQ(chosen(spec({compare(CompareOp::Less, ref(0), ref(2)), compare(CompareOp::Less, sum(1), ref(2)),
                         compare(CompareOp::Greater, ref(1), ref(2))})),
            "#0 < #0 where (((#1 + #1) < #2) AND (#1 > #2))");
  JoinSpec mark = spec({compare(CompareOp::Less, sum(0), ref(2))});
  mark.emit = JoinSpec::Emit::ProbeMark;
  mark.mark = MarkKind::ThreeValued;
  EXPECT_EQ(chosen(mark), "none");
}

TEST_F(RangeSearchTest, KeysAndMarksThatMayBeNullKeepTheirPairs) {
  JoinSpec keyed = spec({compare(CompareOp::Less, ref(0), ref(2))});
  keyed.probe_keys = keyed.build_keys = {ref(1)};
  keyed.null_equal = {false};
  EXPECT_EQ(chosen(keyed), "none");
  JoinSpec mark = spec({compare(CompareOp::Less, ref(0), ref(2))});
  mark.emit = JoinSpec::Emit::ProbeMark;
  EXPECT_EQ(chosen(mark), "#0 < #0");
  mark.mark = MarkKind::ThreeValued;
  EXPECT_EQ(chosen(mark), "#0 < #0");
  mark.residual =
      plan::conjunction({compare(CompareOp::Less, ref(0), ref(2)), compare(CompareOp::Greater, ref(1), ref(2))});
  EXPECT_EQ(chosen(mark), "none");
}

TEST_F(RangeSearchTest, AsofTakesItsOrderAndKeepsTheResidual) {
  join_.asof = plan::AsofOrder{ref(1), ref(0), CompareOp::GreaterEqual};
  JoinSpec asof = spec({compare(CompareOp::Less, ref(0), ref(3))});
  asof.probe_keys = asof.build_keys = {ref(1)};
  asof.null_equal = {false};
  EXPECT_EQ(chosen(asof), "#1 >= #0 nearest where (#0 < #3)");
}

}  // namespace
}  // namespace weft::pipeline
