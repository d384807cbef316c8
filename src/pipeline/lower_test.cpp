#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "pipeline/pipeline.hpp"
#include "plan/walk.hpp"

namespace weft::pipeline {
namespace {

using plan::BuildSide;
using plan::Column;
using plan::column_ref;
using plan::JoinKind;
using plan::NodePtr;
using plan::Type;
using plan::TypeId;

const Type kInteger = Type::of(TypeId::Integer);
const Type kDate = Type::of(TypeId::Date);

// Makes nodes with running ids; sources l(a INTEGER, b DATE) and r(x INTEGER, y BIGINT).
class Builder {
 public:
  NodePtr node(plan::NodeBody body, std::vector<NodePtr> children, std::vector<Column> output) {
    return std::make_shared<plan::Node>(plan::Node{++ids_, std::move(body), std::move(children), std::move(output), 0});
  }
  NodePtr left() { return source("l", {{"a", kInteger, true}, {"b", kDate, true}}); }
  NodePtr right() { return source("r", {{"x", kInteger, true}, {"y", Type::of(TypeId::BigInt), true}}); }
  NodePtr source(const std::string& name, std::vector<Column> row) {
    return node(plan::HostSource{sources_++, name}, {}, std::move(row));
  }
  NodePtr same_row(plan::NodeBody body, std::vector<NodePtr> children) {
    std::vector<Column> row = children[0]->output;
    return node(std::move(body), std::move(children), std::move(row));
  }
  NodePtr join(JoinKind kind, BuildSide build, NodePtr left, NodePtr right, bool keys = true) {
    plan::Join join;
    join.kind = kind;
    join.build = build;
    if (keys) join.keys = {{column_ref(0, kInteger, true), column_ref(0, kInteger, true), false}};
    join.left_output = {1};
    std::vector<Column> row{left->output[1]};
    if (kind == JoinKind::Mark) {
      row.push_back({"mark", Type::of(TypeId::Boolean), true});
    } else if (kind != JoinKind::Semi && kind != JoinKind::Anti) {
      join.right_output = {1, 0};
      row.push_back(right->output[1]);
      row.push_back(right->output[0]);
    }
    return node(join, {std::move(left), std::move(right)}, std::move(row));
  }
  plan::Plan plan(NodePtr root) { return plan::Plan{std::move(root), sources_, false}; }

 private:
  uint32_t ids_ = 0;
  uint32_t sources_ = 0;
};

// The pipelines of a valid plan as text, after check().
std::string pipelines(const plan::Plan& plan) {
  plan::validate(plan);
  const Program program = lower(plan);
  check(program);
  std::string text;
  for (const Pipeline& pipeline : program.pipelines) {
    text += describe(pipeline, program);
    for (size_t i = 0; i < pipeline.after.size(); ++i)
      text += (i == 0 ? " after P" : " P") + std::to_string(pipeline.after[i]);
    text += "\n";
  }
  return text;
}

std::string joined(JoinKind kind, BuildSide build) {
  Builder make;
  NodePtr left = make.left();
  NodePtr right = make.right();
  return pipelines(make.plan(make.join(kind, build, left, right)));
}

TEST(Joins, BuildRightProbeLeft) {
  const std::string build = "P0: host source 1 -> build S0\n";
  const std::string plain = build + "P1: host source 0 -> probe S0 -> result after P0\n";
  const std::string unmatched = "P2: unmatched build rows of S0 -> project -> result after P0 P1\n";
  for (const JoinKind kind :
       {JoinKind::Inner, JoinKind::Left, JoinKind::Semi, JoinKind::Anti, JoinKind::Mark, JoinKind::Single}) {
    EXPECT_EQ(joined(kind, BuildSide::Right), plain);
  }
  EXPECT_EQ(joined(JoinKind::Right, BuildSide::Right), plain + unmatched);
  EXPECT_EQ(joined(JoinKind::Full, BuildSide::Right), plain + unmatched);
}

TEST(Joins, BuildLeftProbeRight) {
  const std::string build = "P0: host source 0 -> build S0\n";
  const std::string plain = build + "P1: host source 1 -> probe S0 -> result after P0\n";
  const std::string unmatched = "P2: unmatched build rows of S0 -> project -> result after P0 P1\n";
  EXPECT_EQ(joined(JoinKind::Inner, BuildSide::Left), plain);
  EXPECT_EQ(joined(JoinKind::Right, BuildSide::Left), plain);
  EXPECT_EQ(joined(JoinKind::Left, BuildSide::Left), plain + unmatched);
  EXPECT_EQ(joined(JoinKind::Full, BuildSide::Left), plain + unmatched);
  const std::string marks = build + "P1: host source 1 -> probe S0 -> discard after P0\n";
  EXPECT_EQ(joined(JoinKind::Semi, BuildSide::Left), marks + "P2: matched build rows of S0 -> result after P0 P1\n");
  EXPECT_EQ(joined(JoinKind::Anti, BuildSide::Left), marks + "P2: unmatched build rows of S0 -> result after P0 P1\n");
}

JoinSpec spec(JoinKind kind, BuildSide build) {
  Builder make;
  NodePtr left = make.left();
  NodePtr right = make.right();
  const plan::Plan plan = make.plan(make.join(kind, build, left, right));
  return lower(plan).states.at(0).join;
}

TEST(Joins, EmitAndTrackingByKindAndBuildSide) {
  using Emit = JoinSpec::Emit;
  struct Expected {
    JoinKind kind;
    BuildSide build;
    Emit emit;
    bool tracks;
  };
  const std::vector<Expected> all{
      {JoinKind::Inner, BuildSide::Right, Emit::Inner, false},
      {JoinKind::Inner, BuildSide::Left, Emit::Inner, false},
      {JoinKind::Left, BuildSide::Right, Emit::ProbeOuter, false},
      {JoinKind::Left, BuildSide::Left, Emit::Inner, true},
      {JoinKind::Right, BuildSide::Right, Emit::Inner, true},
      {JoinKind::Right, BuildSide::Left, Emit::ProbeOuter, false},
      {JoinKind::Full, BuildSide::Right, Emit::ProbeOuter, true},
      {JoinKind::Full, BuildSide::Left, Emit::ProbeOuter, true},
      {JoinKind::Semi, BuildSide::Right, Emit::ProbeSemi, false},
      {JoinKind::Semi, BuildSide::Left, Emit::MarkBuildOnly, true},
      {JoinKind::Anti, BuildSide::Right, Emit::ProbeAnti, false},
      {JoinKind::Anti, BuildSide::Left, Emit::MarkBuildOnly, true},
      {JoinKind::Mark, BuildSide::Right, Emit::ProbeMark, false},
      {JoinKind::Single, BuildSide::Right, Emit::ProbeSingle, false},
  };
  for (const Expected& expected : all) {
    const JoinSpec join = spec(expected.kind, expected.build);
    const int kind = static_cast<int>(expected.kind);
    EXPECT_EQ(join.emit, expected.emit) << kind;
    EXPECT_EQ(join.track_build_matches, expected.tracks) << kind;
    EXPECT_EQ(join.build_is_left, expected.build == BuildSide::Left) << kind;
    EXPECT_EQ(join.output_left_is_probe, expected.build == BuildSide::Right) << kind;
  }
}

TEST(Joins, KeysAndOutputsFollowTheSides) {
  const JoinSpec join = spec(JoinKind::Left, BuildSide::Left);
  EXPECT_EQ(join.probe_row.columns[0].name, "x");
  EXPECT_EQ(join.build_row.columns[0].name, "a");
  EXPECT_EQ(join.probe_output, (std::vector<uint32_t>{1, 0}));
  EXPECT_EQ(join.build_output, (std::vector<uint32_t>{1}));
}

std::string unmatched_projection(JoinKind kind, BuildSide build) {
  Builder make;
  NodePtr left = make.left();
  NodePtr right = make.right();
  const plan::Plan plan = make.plan(make.join(kind, build, left, right));
  const Program program = lower(plan);
  std::string text;
  for (const plan::ExprPtr& expr : std::get<ProjectStep>(program.pipelines.back().steps.at(0).body).expressions) {
    text += to_string(*expr) + " ";
  }
  return text;
}

TEST(Joins, UnmatchedBuildRowsGetNullsOnTheOtherSide) {
  EXPECT_EQ(unmatched_projection(JoinKind::Left, BuildSide::Left), "#0 NULL::BIGINT NULL::INTEGER ");
  EXPECT_EQ(unmatched_projection(JoinKind::Right, BuildSide::Right), "NULL::DATE #0 #1 ");
  EXPECT_EQ(unmatched_projection(JoinKind::Full, BuildSide::Left), "#0 NULL::BIGINT NULL::INTEGER ");
  EXPECT_EQ(unmatched_projection(JoinKind::Full, BuildSide::Right), "NULL::DATE #0 #1 ");
}

TEST(Joins, WithoutKeysHaveTheSameStates) {
  Builder make;
  NodePtr left = make.left();
  NodePtr right = make.right();
  EXPECT_EQ(pipelines(make.plan(make.join(JoinKind::Full, BuildSide::Right, left, right, false))),
            joined(JoinKind::Full, BuildSide::Right));
}

// An outer join below a join below an aggregate: the unmatched rows probe too, and all end in the aggregate.
TEST(Joins, UnmatchedRowsGoThroughTheStepsAbove) {
  Builder make;
  NodePtr left = make.left();
  NodePtr right = make.right();
  NodePtr outer = make.join(JoinKind::Full, BuildSide::Right, left, right);
  NodePtr keyed = make.node(plan::Project{{column_ref(2, kInteger, true), column_ref(0, kDate, true)}}, {outer},
                            {{"x", kInteger, true}, {"b", kDate, true}});
  NodePtr top = make.join(JoinKind::Inner, BuildSide::Right, keyed, make.right());
  plan::Aggregate aggregate;
  aggregate.groups = {column_ref(0, kDate, true)};
  const std::string text = pipelines(make.plan(make.node(aggregate, {top}, {{"b", kDate, true}})));
  EXPECT_EQ(text,
            "P0: host source 2 -> build S0\n"
            "P1: host source 1 -> build S1\n"
            "P2: host source 0 -> probe S1 -> project -> probe S0 -> aggregate S2 after P0 P1\n"
            "P3: unmatched build rows of S1 -> project -> project -> probe S0 -> aggregate S2 after P0 P1 P2\n"
            "P4: rows of S2 -> result after P2 P3\n");
}

TEST(Joins, AnOuterJoinAsABuildSideFeedsItTwice) {
  Builder make;
  NodePtr left = make.left();
  NodePtr right = make.right();
  NodePtr outer = make.join(JoinKind::Right, BuildSide::Right, left, right);
  NodePtr keyed = make.node(plan::Project{{column_ref(2, kInteger, true), column_ref(0, kDate, true)}}, {outer},
                            {{"x", kInteger, true}, {"b", kDate, true}});
  NodePtr top = make.join(JoinKind::Semi, BuildSide::Left, keyed, make.right());
  const plan::Plan plan = make.plan(top);
  const Program program = lower(plan);
  check(program);
  EXPECT_EQ(program.states[1].feeders, (std::vector<PipelineId>{1, 2}));
  EXPECT_EQ(program.states[1].readers, (std::vector<PipelineId>{3, 4}));
  EXPECT_EQ(describe(program.pipelines[4], program), "P4: matched build rows of S1 -> result");
}

TEST(Windows, GatherRowsAndGiveThemWithTheCallsBehind) {
  Builder make;
  plan::Window window;
  window.partitions = {column_ref(0, kInteger, true)};
  window.orders = {{column_ref(1, kDate, true), false, false}};
  plan::WindowCall rank;
  rank.function = "rank";
  rank.type = Type::of(TypeId::BigInt);
  window.calls = {rank};
  NodePtr both = make.same_row(plan::Union{}, {make.left(), make.left()});
  std::vector<Column> row = both->output;
  row.push_back({"r", rank.type, false});
  NodePtr ranked = make.node(window, {both}, row);
  const plan::Plan plan = make.plan(make.same_row(plan::Limit{5, 0}, {ranked}));
  EXPECT_EQ(pipelines(plan),
            "P0: host source 0 -> window S0\n"
            "P1: host source 1 -> window S0\n"
            "P2: rows of S0 -> limit S1 after P0 P1\n"
            "P3: rows of S1 -> result after P2\n");
  Program program = lower(plan);
  EXPECT_EQ(program.states[0].row.columns.size(), 3U);
  program.states[0].row.columns.pop_back();
  EXPECT_THROW(check(program), Exception);
}

TEST(Unions, ShareOneSinkInOrder) {
  Builder make;
  NodePtr all = make.same_row(plan::Union{}, {make.left(), make.same_row(plan::Union{}, {make.left(), make.left()})});
  plan::Sort sort;
  sort.keys = {{column_ref(0, kInteger, true), false, false}};
  EXPECT_EQ(pipelines(make.plan(make.same_row(plan::Limit{5, 0}, {make.same_row(sort, {all})}))),
            "P0: host source 0 -> sort S0\n"
            "P1: host source 1 -> sort S0\n"
            "P2: host source 2 -> sort S0\n"
            "P3: rows of S0 -> limit S1 after P0 P1 P2\n"
            "P4: rows of S1 -> result after P3\n");
}

TEST(Unions, AtTheRootFeedTheResultSeveralTimes) {
  Builder make;
  EXPECT_EQ(pipelines(make.plan(make.same_row(plan::Union{}, {make.left(), make.left()}))),
            "P0: host source 0 -> result\nP1: host source 1 -> result\n");
}

TEST(Ctes, WithOneReferenceAreInlined) {
  Builder make;
  NodePtr definition = make.left();
  NodePtr reader = make.node(plan::CteReference{3}, {}, definition->output);
  EXPECT_EQ(pipelines(make.plan(make.node(plan::CteDefinition{3, "t"}, {definition, reader}, reader->output))),
            "P0: host source 0 -> result\n");
}

TEST(Ctes, WithSeveralReferencesAreMaterializedOnce) {
  Builder make;
  NodePtr definition = make.left();
  const auto reference = [&] { return make.node(plan::CteReference{3}, {}, definition->output); };
  NodePtr both = make.same_row(plan::Union{}, {reference(), reference()});
  const plan::Plan plan = make.plan(make.node(plan::CteDefinition{3, "t"}, {definition, both}, both->output));
  EXPECT_EQ(pipelines(plan),
            "P0: host source 0 -> materialize S0\n"
            "P1: rows of S0 -> result after P0\n"
            "P2: rows of S0 -> result after P0\n");
  EXPECT_EQ(std::get<MaterializeSink>(lower(plan).pipelines[0].sink).readers, 2U);
}

// A CTE that only an unread CTE reads twice, and a self join of one: nothing runs that nobody reads.
TEST(Ctes, ThatNobodyReadsAreNotRun) {
  Builder make;
  NodePtr first = make.left();
  const auto reference = [&](uint32_t cte) { return make.node(plan::CteReference{cte}, {}, first->output); };
  NodePtr second = make.same_row(plan::Union{}, {reference(1), reference(1)});
  NodePtr inner = make.node(plan::CteDefinition{2, "unread"}, {second, reference(1)}, first->output);
  EXPECT_EQ(pipelines(make.plan(make.node(plan::CteDefinition{1, "t"}, {first, inner}, first->output))),
            "P0: host source 0 -> result\n");
}

TEST(Ctes, MayBeBuiltAndProbedInOneJoin) {
  Builder make;
  NodePtr definition = make.left();
  const auto reference = [&] { return make.node(plan::CteReference{1}, {}, definition->output); };
  NodePtr self = make.join(JoinKind::Left, BuildSide::Left, reference(), reference());
  EXPECT_EQ(pipelines(make.plan(make.node(plan::CteDefinition{1, "t"}, {definition, self}, self->output))),
            "P0: host source 0 -> materialize S0\n"
            "P1: rows of S0 -> build S1 after P0\n"
            "P2: rows of S0 -> probe S1 -> result after P0 P1\n"
            "P3: unmatched build rows of S1 -> project -> result after P1 P2\n");
}

TEST(Steps, FiltersAndProjectionsJoinThePipelineBelow) {
  Builder make;
  plan::Filter filter;
  filter.conjuncts = {comparison(plan::CompareOp::Greater, column_ref(0, kInteger, true),
                                 plan::constant(plan::Value::integer(kInteger, 3)))};
  filter.projection = {1};
  NodePtr filtered = make.node(filter, {make.left()}, {{"b", kDate, true}});
  NodePtr project = make.node(plan::Project{{column_ref(0, kDate, true), column_ref(0, kDate, true)}}, {filtered},
                              {{"b", kDate, true}, {"b", kDate, true}});
  const plan::Plan plan = make.plan(project);
  const Program program = lower(plan);
  check(program);
  EXPECT_EQ(print(program),
            "P0: host source 0 -> filter -> project -> result\n"
            "  (a INTEGER, b DATE)\n"
            "  filter: (a#0 > 3) -> [#1]\n"
            "  project: b#0, b#0\n");
}

TEST(Print, ShowsStatesAndJoins) {
  Builder make;
  NodePtr left = make.left();
  NodePtr right = make.right();
  const plan::Plan plan = make.plan(make.join(JoinKind::Mark, BuildSide::Right, left, right));
  EXPECT_EQ(print(lower(plan)),
            "P0: host source 1 -> build S0\n"
            "  (x INTEGER, y BIGINT)\n"
            "P1: host source 0 -> probe S0 -> result after P0\n"
            "  (a INTEGER, b DATE)\n"
            "  probe S0: (b DATE, mark BOOLEAN)\n"
            "S0: fed by P0, read by P1, rows ()\n"
            "  mark build right on probe #0 = build #0 two-valued gives probe [#1] build []\n");
}

TEST(Print, ShowsSearches) {
  Builder make;
  NodePtr left = make.left();
  NodePtr right = make.right();
  NodePtr node = make.join(JoinKind::Left, BuildSide::Right, left, right);
  plan::Node asof = *node;
  std::get<plan::Join>(asof.body).asof =
      plan::AsofOrder{column_ref(0, kInteger, true), column_ref(0, kInteger, true), plan::CompareOp::Greater};
  const plan::Plan plan = make.plan(std::make_shared<const plan::Node>(asof));
  EXPECT_EQ(pipelines(plan), "P0: host source 1 -> build S0\nP1: host source 0 -> search S0 -> result after P0\n");
  const std::string text = print(lower(plan));
  const std::string expected =
      "  outer build right on probe #0 = build #0 nearest probe #0 > build #0 gives probe [#1] build [#1, #0]\n";
  EXPECT_NE(text.find(expected), std::string::npos) << text;
}

// check() must find what lower() could get wrong.
class BrokenProgram : public ::testing::Test {
 protected:
  BrokenProgram() {
    plan_ = make_.plan(make_.join(JoinKind::Full, BuildSide::Right, make_.left(), make_.right()));
    program_ = lower(plan_);
  }
  std::string failure() const {
    try {
      check(program_);
    } catch (const Exception& error) {
      return error.error().message;
    }
    return "";
  }
  Builder make_;
  plan::Plan plan_;
  Program program_;
};

TEST_F(BrokenProgram, IsWholeBeforeItIsBroken) { EXPECT_EQ(failure(), ""); }
TEST_F(BrokenProgram, WithoutTheBuildInAfter) {
  program_.pipelines[1].after.clear();
  EXPECT_EQ(failure(), "invalid program: P1 does not wait for P0");
}
TEST_F(BrokenProgram, WithoutTheProbeInAfter) {
  program_.pipelines[2].after = {0};
  EXPECT_EQ(failure(), "invalid program: P2 does not wait for P1");
}
TEST_F(BrokenProgram, WithAMissingReader) {
  program_.states[0].readers = {1};
  EXPECT_EQ(failure(), "invalid program: S0 lists other readers than it has");
}
TEST_F(BrokenProgram, WithAMissingFeeder) {
  program_.states[0].feeders.clear();
  EXPECT_EQ(failure(), "invalid program: P0 is no feeder of its sink's state");
}
TEST_F(BrokenProgram, WithRowsOfAnotherType) {
  program_.pipelines[1].source_row.columns[0].type = kDate;
  EXPECT_EQ(failure(), "invalid program: P1 probes with other rows than the join expects");
}
TEST_F(BrokenProgram, ThatWaitsForALaterPipeline) {
  program_.pipelines[0].after = {2};
  EXPECT_EQ(failure(), "invalid program: P0 waits for a later pipeline");
}
TEST_F(BrokenProgram, ThatReadsBuildRowsNobodyMarks) {
  program_.states[0].join.track_build_matches = false;
  EXPECT_EQ(failure(), "invalid program: P2 reads build rows that nobody marks");
}
TEST_F(BrokenProgram, ThatThrowsItsRowsAway) {
  program_.pipelines[2].sink = DiscardSink{};
  EXPECT_EQ(failure(), "invalid program: P2 discards its rows");
}

}  // namespace
}  // namespace weft::pipeline
