// What windows, set operations and DISTINCT ON become.
#include "sql/translate/translate_fixture.hpp"

namespace weft::sql::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class WindowTranslateTest : public TranslateTest {
 protected:
  /// The first window of a statement that must translate whole, as one line.
  std::string window(const std::string& select) {
    const auto root = whole(select);
    plan::validate(*seen.parts[0].plan);
    return plan::describe(node<plan::Window>(root));
  }
  /// Without projections.
  static std::vector<std::string> kinds(const plan::NodePtr& root) {
    std::vector<std::string> all;
    plan::for_each_node(*root, [&](const plan::Node& one) {
      if (one.as<plan::Project>() == nullptr) all.emplace_back(plan::kind_name(one));
    });
    return all;
  }
};

TEST_F(WindowTranslateTest, FunctionsHaveTheirNamesAndAllArguments) {
  EXPECT_THAT(
      window("SELECT row_number() OVER (ORDER BY a), rank_dense() OVER (ORDER BY a), percent_rank() OVER (ORDER "
             "BY a), cume_dist() OVER (ORDER BY a), ntile(3) OVER (ORDER BY a) FROM pt"),
      HasSubstr("[row_number(), dense_rank(), percent_rank(), cume_dist(), ntile(3)]"));
  EXPECT_THAT(window("SELECT lag(c) OVER (ORDER BY a), lead(c, a, 'x') OVER (ORDER BY a) FROM pt"),
              HasSubstr("[lag(c, 1, NULL::VARCHAR), lead(c, CAST(a AS BIGINT), 'x')]"));
  EXPECT_THAT(
      window("SELECT first(c) OVER (PARTITION BY a), nth_value(b, 2 IGNORE NULLS) OVER (PARTITION BY a) FROM pt"),
      HasSubstr("[first_value(c) RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW, nth_value(b, 2 IGNORE NULLS) "
                "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW]"));
}

TEST_F(WindowTranslateTest, AggregatesHaveFiltersAndNamesOfThePlan) {
  const std::string text = window("SELECT count(*) FILTER (WHERE b > 3) OVER (), sum(a) OVER () FROM pt");
  EXPECT_THAT(text, HasSubstr("count_star() FILTER (b > 3) RANGE"));
  EXPECT_THAT(text, HasSubstr("sum(a) RANGE"));
  const auto& call = body<plan::Window>(seen.parts[0].plan->root).calls[0];
  ASSERT_GT(call.id, 0U);
  EXPECT_THAT(seen.parts[0].expressions[call.id - 1], HasSubstr("OVER"));
  const auto& columns = node<plan::Window>(seen.parts[0].plan->root).output;
  EXPECT_FALSE(columns[columns.size() - 2].nullable);  // count(*)
  EXPECT_TRUE(columns.back().nullable);                // sum
}

TEST_F(WindowTranslateTest, FramesOfEachUnit) {
  const auto frame = [&](const std::string& clause) {
    const std::string text = window("SELECT max(b) OVER (ORDER BY a " + clause + ") FROM pt");
    return text.substr(text.find("max(b) ") + 7);
  };
  EXPECT_EQ(frame("ROWS 2 PRECEDING"), "ROWS BETWEEN 2 PRECEDING AND CURRENT ROW]");
  EXPECT_EQ(frame("ROWS BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING EXCLUDE GROUP"),
            "ROWS BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING EXCLUDE GROUP]");
  EXPECT_EQ(frame("GROUPS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW"),
            "GROUPS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW]");
  EXPECT_EQ(frame("ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE TIES"),
            "RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE TIES]");
  EXPECT_EQ(frame("RANGE BETWEEN 2 PRECEDING AND 3 FOLLOWING"),
            "RANGE BETWEEN (a - 2) PRECEDING AND (a + 3) FOLLOWING]");
  EXPECT_EQ(frame("DESC RANGE BETWEEN 2 PRECEDING AND CURRENT ROW"),
            "RANGE BETWEEN (a + 2) PRECEDING AND CURRENT ROW]");
}

TEST_F(WindowTranslateTest, ARangeKeyIsCastToTheTypeOfItsBounds) {
  const std::string text = window("SELECT max(b) OVER (ORDER BY e RANGE INTERVAL 3 DAYS PRECEDING) FROM pt");
  EXPECT_THAT(text, HasSubstr("order by [CAST(e AS TIMESTAMP) ASC NULLS LAST]"));
  const auto& call = body<plan::Window>(seen.parts[0].plan->root).calls[0];
  EXPECT_EQ(call.frame.start.value->type, plan::Type::of(plan::TypeId::Timestamp));
}

TEST_F(WindowTranslateTest, CallsOfOneWindowShareANode) {
  const auto root = whole(
      "SELECT rank() OVER (PARTITION BY a, c ORDER BY b) x, sum(b) OVER (ORDER BY a) y, max(b) OVER (PARTITION BY c, a "
      "ORDER BY b) z, count(*) OVER (PARTITION BY a, c ORDER BY b DESC) u FROM pt");
  std::vector<std::string> windows;
  plan::for_each_node(*root, [&](const plan::Node& one) {
    if (const auto* body = one.as<plan::Window>()) windows.push_back(std::to_string(body->calls.size()));
  });
  EXPECT_THAT(windows, ElementsAre("1", "1", "2"));
  // DuckDB's order of the columns.
  std::vector<std::string> types;
  for (const auto& column : root->output) types.push_back(column.type.to_string());
  EXPECT_EQ(types, seen.parts[0].types);
  EXPECT_THAT(types, ElementsAre("BIGINT", "HUGEINT", "BIGINT", "BIGINT"));
}

TEST_F(WindowTranslateTest, ColumnsAndCallsThatNobodyReadsAreGone) {
  const auto root = whole(
      "SELECT r FROM (SELECT a, c, d, rank() OVER (PARTITION BY a ORDER BY b) r, sum(d) OVER (PARTITION BY a ORDER BY "
      "b) "
      "s FROM pt) WHERE r < 3");
  const plan::Node& ranked = node<plan::Window>(root);
  EXPECT_EQ(ranked.as<plan::Window>()->calls.size(), 1U) << plan::print(*root);
  EXPECT_EQ(ranked.children[0]->output.size(), 2U) << plan::print(*root);
}

TEST_F(WindowTranslateTest, SetOperationsAreJoins) {
  const auto intersect = whole("SELECT a, c FROM pt INTERSECT SELECT a, c FROM pu");
  EXPECT_THAT(kinds(intersect), ElementsAre("DISTINCT", "HASH_JOIN", "SCAN", "SCAN"));
  const auto& semi = body<plan::Join>(intersect);
  EXPECT_EQ(semi.kind, plan::JoinKind::Semi);
  ASSERT_EQ(semi.keys.size(), 2U);
  EXPECT_TRUE(semi.keys[0].null_equal && semi.keys[1].null_equal);
  EXPECT_EQ(body<plan::Join>(whole("SELECT a FROM pt EXCEPT SELECT a FROM pu")).kind, plan::JoinKind::Anti);
}

TEST_F(WindowTranslateTest, BagsCountTheirEqualRows) {
  const auto bags = whole("SELECT a, c FROM pt EXCEPT ALL SELECT a, c FROM pu");
  EXPECT_THAT(kinds(bags), ElementsAre("HASH_JOIN", "WINDOW", "SCAN", "WINDOW", "SCAN"));
  EXPECT_EQ(plan::describe(node<plan::Window>(bags)), "WINDOW partition by [a, c] [row_number()]");
  EXPECT_EQ(body<plan::Join>(bags).keys.size(), 3U);
  EXPECT_EQ(bags->output.size(), 2U);
}

TEST_F(WindowTranslateTest, DistinctOnKeepsTheFirstOfEachGroup) {
  const auto root = whole("SELECT DISTINCT ON (a) a, b, c FROM pt ORDER BY a, b DESC NULLS FIRST");
  EXPECT_THAT(kinds(root), ElementsAre("ORDER_BY", "FILTER", "WINDOW", "SCAN"));
  EXPECT_EQ(plan::describe(node<plan::Window>(root)),
            "WINDOW partition by [a] order by [a ASC NULLS LAST, b DESC NULLS FIRST] [row_number()]");
  EXPECT_THAT(plan::describe(node<plan::Filter>(root)), HasSubstr("(row_number = 1)"));
  EXPECT_THAT(kinds(whole("SELECT DISTINCT ON (a, c) c, a FROM pt")), ::testing::Contains("DISTINCT"));
}

}  // namespace
}  // namespace weft::sql::testing
