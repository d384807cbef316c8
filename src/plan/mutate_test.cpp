#include "plan/mutate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plan/walk.hpp"

namespace weft::plan {
namespace {

const Type kInteger = Type::of(TypeId::Integer);
const Type kBigInt = Type::of(TypeId::BigInt);
const std::vector<Column> kRow{{"a", kInteger, true}, {"b", kInteger, true}};

ExprPtr column(uint32_t position) { return column_ref(position, kInteger, true); }
ExprPtr number(int value) { return constant(Value::integer(kInteger, value)); }

// Nodes with running ids.
class Builder {
 public:
  NodePtr node(NodeBody body, std::vector<NodePtr> children, std::vector<Column> row = kRow) {
    return std::make_shared<Node>(Node{++ids_, std::move(body), std::move(children), std::move(row), 0});
  }
  NodePtr source() { return node(HostSource{sources_++, "t"}, {}); }
  Plan plan(NodePtr root) const { return Plan{std::move(root), sources_, false}; }

 private:
  uint32_t ids_ = 0;
  uint32_t sources_ = 0;
};

Join join(JoinKind kind) {
  Join join;
  join.kind = kind;
  join.keys = {{column(0), column(0), false}, {column(1), column(1), false}};
  join.residual = comparison(CompareOp::Less, column(1), column(3));
  join.left_output = {0};
  if (kind != JoinKind::Semi && kind != JoinKind::Anti && kind != JoinKind::Mark) join.right_output = {1};
  return join;
}

// A plan with every kind of node.
Plan every_kind() {
  Builder make;
  Scan scan;
  scan.table_name = "s";
  scan.files = {{"/a.parquet", 1, 1, {Value::integer(kInteger, 7)}},
                {"/b.parquet", 1, 1, {Value::integer(kInteger, 8)}}};
  scan.columns = {{ScanColumn::Kind::File, "a", kInteger, false},
                  {ScanColumn::Kind::FileConstant, "b", kInteger, false}};
  scan.filters = {comparison(CompareOp::Greater, column(0), number(3))};
  scan.projection = {0, 1};
  Filter filter;
  filter.conjuncts = {comparison(CompareOp::Equal, column(0), column(1))};
  filter.projection = {0, 1};
  Values values;
  values.rows = {{Value::integer(kInteger, 1), Value::null(kInteger)}};
  Aggregate aggregate;
  aggregate.groups = {column(0)};
  aggregate.aggregates = {
      {"sum", {column(1)}, kInteger, true, comparison(CompareOp::Less, column(0), number(9)), {}, 0}};
  Window window;
  window.partitions = {column(0)};
  window.orders = {{column(1), false, false}};
  WindowCall lag;
  lag.function = "lag";
  lag.arguments = {column(1), constant(Value::integer(kBigInt, 1)), column(0)};
  lag.type = kInteger;
  WindowCall sum;
  sum.function = "max";
  sum.is_aggregate = true;
  sum.arguments = {column(1)};
  sum.type = kInteger;
  sum.filter = comparison(CompareOp::Less, column(0), number(9));
  sum.frame = {FrameUnit::Rows,
               {FrameBoundKind::Preceding, constant(Value::integer(kBigInt, 2))},
               {FrameBoundKind::CurrentRow, nullptr},
               FrameExclude::NoOthers};
  window.calls = {lag, sum};
  Sort sort;
  sort.keys = {{column(0), false, false}, {column(1), true, false}};
  TopN top_n;
  top_n.keys = {{column(1), false, false}};
  top_n.limit = 5;
  NodePtr first = make.source();
  NodePtr second = make.source();
  NodePtr joined = make.node(join(JoinKind::Inner), {make.node(CteReference{1}, {}), make.node(CteReference{2}, {})});
  NodePtr filtered = make.node(filter, {make.node(scan, {})});
  NodePtr grouped = make.node(aggregate, {make.node(values, {})});
  NodePtr windowed = make.node(window, {joined}, {kRow[0], kRow[1], kRow[0], kRow[1]});
  NodePtr project = make.node(Project{{column(3), column(2)}}, {windowed});
  NodePtr all = make.node(Union{}, {project, filtered, grouped, make.node(CteReference{2}, {})});
  NodePtr top = make.node(top_n, {make.node(Limit{10, 1}, {make.node(sort, {all})})});
  NodePtr inner = make.node(CteDefinition{2, "second"}, {second, top});
  return make.plan(make.node(CteDefinition{1, "first"}, {first, inner}));
}

std::vector<std::string> texts(const Plan& plan) {
  std::vector<std::string> all;
  for (const Mutation& mutation : mutations(plan)) all.push_back(mutation.what);
  return all;
}

bool has(const std::vector<std::string>& all, const std::string& what) {
  return std::any_of(all.begin(), all.end(),
                     [&](const std::string& text) { return text.find(what) != std::string::npos; });
}

TEST(Mutations, ChangeEveryKindOfNode) {
  const Plan plan = every_kind();
  validate(plan);
  std::map<std::string, int> by_kind;
  for_each_node(*plan.root, [&](const Node& node) { by_kind[kind_name(node)]; });
  EXPECT_EQ(by_kind.size(), 14U);
  for (const Mutation& mutation : mutations(plan)) {
    const size_t from = mutation.what.find('(') + 1;
    ++by_kind[mutation.what.substr(from, mutation.what.find(')') - from)];
  }
  for (const auto& [kind, count] : by_kind) EXPECT_GT(count, 0) << kind;
  EXPECT_EQ(by_kind.size(), 14U);
}

TEST(Mutations, AllDifferFromThePlanAndFromEachOther) {
  const Plan plan = every_kind();
  std::set<std::string> prints{print(plan)};
  for (const Mutation& mutation : mutations(plan)) {
    EXPECT_TRUE(prints.insert(print(mutation.plan)).second) << mutation.what;
  }
}

TEST(Mutations, LeaveThePlanAloneAndKeepItsShape) {
  const Plan plan = every_kind();
  const std::string before = print(plan);
  for (const Mutation& mutation : mutations(plan))
    EXPECT_EQ(mutation.plan.root->output.size(), plan.root->output.size());
  EXPECT_EQ(print(plan), before);
}

TEST(Mutations, OfSortsAndLimits) {
  const auto all = texts(every_kind());
  for (const char* what : {"ORDER_BY): key 0 changes direction", "ORDER_BY): key 1 changes NULLS FIRST",
                           "ORDER_BY): keys 0 and 1 swapped", "ORDER_BY): key 1 dropped", "TOP_N): limit grows",
                           "TOP_N): limit shrinks", "TOP_N): offset grows", "LIMIT): offset shrinks"}) {
    EXPECT_TRUE(has(all, what)) << what;
  }
}

TEST(Mutations, OfAggregatesAndUnions) {
  const auto all = texts(every_kind());
  for (const char* what :
       {"aggregate 0 (sum) becomes max", "aggregate 0 (sum) loses DISTINCT", "aggregate 0 (sum) loses its FILTER",
        "UNION): child 2 dropped", "PROJECTION): columns 0 and 1 swapped", "FILTER): conjunct 0 dropped",
        "SCAN): filter 0 dropped", "SCAN): file 1 dropped", "SCAN): file constant 0 becomes 6",
        "VALUES): value 0 becomes 0", "VALUES): last row dropped", "CTE_SCAN): CTE 2 is read as CTE 1",
        "CTE): CTE 2 is read as CTE 1", "HOST_SOURCE): reads source 1"}) {
    EXPECT_TRUE(has(all, what)) << what;
  }
}

TEST(Mutations, OfGroupingSets) {
  Builder make;
  Aggregate aggregate;
  aggregate.groups = {column(0), column(1)};
  aggregate.aggregates = {{"count_star", {}, kBigInt, false, nullptr, {}, 0}};
  aggregate.grouping_sets = {{0, 1}, {}};
  aggregate.groupings = {{0, 1}};
  std::vector<Column> row = kRow;
  row.push_back({"n", kBigInt, false});
  row.push_back({"g", kBigInt, false});
  const auto all = texts(make.plan(make.node(aggregate, {make.source()}, row)));
  for (const char* what : {"grouping set 0 dropped", "grouping set 1 dropped", "grouping set 0 repeated",
                           "grouping set 1 repeated", "grouping set 0 loses member 0", "grouping set 0 loses member 1",
                           "GROUPING 0 swaps its first arguments", "GROUPING 0 reads another group"}) {
    EXPECT_TRUE(has(all, what)) << what;
  }
}

TEST(Mutations, OfWindows) {
  const auto all = texts(every_kind());
  for (const char* what :
       {"WINDOW): partition 0 dropped", "WINDOW): key 0 changes direction", "WINDOW): key 0 changes NULLS FIRST",
        "WINDOW): key 0 dropped", "call 0 (lag) becomes lead", "call 0 (lag) changes IGNORE NULLS",
        "call 1 (max) becomes min", "call 1 (max) loses its FILTER", "call 1 (max) counts in GROUPS",
        "call 1 (max) gets EXCLUDE TIES", "call 1 (max) frame starts where the partition does", "2 becomes 1",
        "call 1 (max) frame starts on the other side", "call 1 (max) frame ends where the partition does"}) {
    EXPECT_TRUE(has(all, what)) << what;
  }
}

std::vector<std::string> join_texts(const Join& join) {
  Builder make;
  std::vector<Column> row{{"a", kInteger, true}};
  if (!join.right_output.empty()) row.push_back({"b", kInteger, true});
  if (join.kind == JoinKind::Mark) row.push_back({"m", Type::of(TypeId::Boolean), true});
  return texts(make.plan(make.node(join, {make.source(), make.source()}, row)));
}

TEST(Mutations, OfJoins) {
  for (const JoinKind kind : {JoinKind::Inner, JoinKind::Left, JoinKind::Right, JoinKind::Full, JoinKind::Semi,
                              JoinKind::Anti, JoinKind::Single}) {
    const auto all = join_texts(join(kind));
    for (const char* what :
         {"another kind", "key 0 changes null equality", "key 1 dropped", "right keys 0 and 1 swapped",
          "residual dropped", "< becomes <=", "left output 0 becomes column #1"}) {
      EXPECT_TRUE(has(all, what)) << what << " of join kind " << static_cast<int>(kind);
    }
  }
  EXPECT_TRUE(has(join_texts(join(JoinKind::Mark)), "mark changes its logic"));
  EXPECT_TRUE(has(join_texts(join(JoinKind::Inner)), "right output 0 becomes column #0"));
}

TEST(Mutations, OfAsofJoins) {
  Join asof = join(JoinKind::Left);
  asof.asof = AsofOrder{column(0), column(1), CompareOp::GreaterEqual};
  const auto all = join_texts(asof);
  for (const char* what : {"ASOF >= becomes >", "ASOF >= becomes <=", "ASOF dropped", "another kind"}) {
    EXPECT_TRUE(has(all, what)) << what;
  }
  asof.asof->compare = CompareOp::Less;
  EXPECT_TRUE(has(join_texts(asof), "ASOF < becomes <="));
  EXPECT_TRUE(has(join_texts(asof), "ASOF < becomes >"));
}

std::vector<std::string> expression_texts(const ExprPtr& expr) {
  std::vector<std::string> all;
  for (const ExprMutation& mutant : mutations(expr, kRow)) all.push_back(to_string(*mutant.expression));
  return all;
}

using Texts = std::vector<std::string>;

TEST(ExpressionMutations, ChangeOneThingEach) {
  EXPECT_EQ(expression_texts(comparison(CompareOp::Less, column(0), number(3))),
            (Texts{"(#0 <= 3)", "(#0 > 3)", "(#1 < 3)", "(#0 < 2)"}));
  EXPECT_EQ(expression_texts(call("+", kInteger, {column(0), number(0)})), (Texts{"(#0 - 0)", "(#1 + 0)", "(#0 + 1)"}));
  EXPECT_EQ(expression_texts(call("-", kInteger, {column(0), column(1)})),
            (Texts{"(#0 + #1)", "(#1 - #0)", "(#1 - #1)", "(#0 - #0)"}));
}

TEST(ExpressionMutations, OfDecimalScales) {
  const Type decimal = Type::decimal(4, 2);
  EXPECT_EQ(expression_texts(constant(Value::integer(decimal, 150))), (Texts{"1.49", "15.00"}));
  EXPECT_EQ(expression_texts(constant(Value::integer(decimal, 9999))), (Texts{"99.98", "9.99"}));
  EXPECT_EQ(expression_texts(cast(number(2), decimal)),
            (Texts{"CAST(CAST(2 AS DECIMAL(4,1)) AS DECIMAL(4,2))", "CAST(1 AS DECIMAL(4,2))"}));
}

TEST(ExpressionMutations, OfCaseAndDateParts) {
  Expr branches;
  branches.kind = ExprKind::Case;
  branches.type = kInteger;
  branches.children = {constant(Value::boolean(true)), number(1), constant(Value::null(kInteger))};
  EXPECT_EQ(expression_texts(std::make_shared<const Expr>(branches)),
            (Texts{"CASE WHEN true THEN NULL::INTEGER ELSE 1 END", "CASE WHEN false THEN 1 ELSE NULL::INTEGER END",
                   "CASE WHEN true THEN 0 ELSE NULL::INTEGER END"}));
  const ExprPtr date = constant(Value::integer(Type::of(TypeId::Date), 0));
  EXPECT_EQ(expression_texts(call("date_part", kBigInt, {constant(Value::text("day")), date})),
            (Texts{"date_part('year', DATE '1970-01-01')", "date_part('day', DATE '1970-01-02')"}));
}

TEST(ExpressionMutations, KeepTypes) {
  const Type date = Type::of(TypeId::Date);
  const ExprPtr day = constant(Value::integer(date, 5));
  EXPECT_EQ(expression_texts(call("-", kBigInt, {day, day})),
            (Texts{"(DATE '1970-01-05' - DATE '1970-01-06')", "(DATE '1970-01-06' - DATE '1970-01-05')"}));
  const ExprPtr product =
      call("*", Type::decimal(8, 4), {cast(column(0), Type::decimal(4, 0)), cast(column(0), Type::decimal(4, 0))});
  for (const ExprMutation& mutant : mutations(product, kRow))
    EXPECT_EQ(mutant.expression->function, "*") << mutant.what;
}

}  // namespace
}  // namespace weft::plan
