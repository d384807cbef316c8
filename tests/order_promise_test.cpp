// What the comparator takes a statement to promise about the order of its rows.
#include <gtest/gtest.h>

#include "workload/compare.hpp"

namespace weft::tests {
namespace {

using Keys = std::vector<uint32_t>;

class OrderPromiseTest : public ::testing::Test {
 protected:
  OrderPromiseTest() {
    session::OpenOptions open;
    open.engine = "duckdb";
    open.load_tpc = false;
    engine_ = session::open_engine(open);
    plain_ = engine_->connect();
    workload::run_query(*plain_, "CREATE TABLE t AS SELECT i AS a, i % 3 AS b, -i AS c FROM range(6) x(i)");
  }
  workload::OrderPromise promise(const std::string& sql) {
    return workload::order_promise(*plain_, sql, workload::run_query(*plain_, sql));
  }
  Keys keys(const std::string& sql) {
    const auto found = promise(sql);
    EXPECT_TRUE(found.ordered) << sql;
    EXPECT_FALSE(found.hidden_keys) << sql;
    return found.keys;
  }

  std::unique_ptr<session::Engine> engine_;
  std::unique_ptr<session::Connection> plain_;
};

TEST_F(OrderPromiseTest, KeysAreFoundByNamePositionAndExpression) {
  EXPECT_EQ(keys("SELECT a, b FROM t ORDER BY b, a"), (Keys{1, 0}));
  EXPECT_EQ(keys("SELECT a, b FROM t ORDER BY 2 DESC"), (Keys{1}));
  EXPECT_EQ(keys("SELECT a + 1 AS n, b FROM t ORDER BY a + 1"), (Keys{0}));
  EXPECT_EQ(keys("SELECT a + 1 AS n, b FROM t ORDER BY N"), (Keys{0}));
  EXPECT_EQ(keys("SELECT * FROM t ORDER BY c"), (Keys{2}));
  EXPECT_EQ(keys("SELECT x.a, x.b FROM t x ORDER BY b, x.a"), (Keys{1, 0}));
  EXPECT_EQ(keys("SELECT *, a * 2 AS d FROM t ORDER BY d, t.b"), (Keys{3, 1}));
  EXPECT_EQ(keys("SELECT a, b FROM t ORDER BY ALL"), (Keys{0, 1}));
  EXPECT_EQ(keys("SELECT b, count(*) AS n FROM t GROUP BY b ORDER BY count(*), b"), (Keys{1, 0}));
  EXPECT_EQ(keys("SELECT a FROM t UNION ALL SELECT b FROM t ORDER BY 1"), (Keys{0}));
  EXPECT_EQ(keys("WITH w AS (SELECT a FROM t) SELECT a FROM w ORDER BY a"), (Keys{0}));
}

TEST_F(OrderPromiseTest, KeysThatAreNoOutputColumnAreHidden) {
  EXPECT_TRUE(promise("SELECT a FROM t ORDER BY c").hidden_keys);
  EXPECT_TRUE(promise("SELECT a FROM t ORDER BY a % 2, a").hidden_keys);
  EXPECT_FALSE(promise("SELECT a FROM t").ordered);
}

TEST_F(OrderPromiseTest, OnlyTheOuterLimitIsTakenAway) {
  const auto limited = promise("SELECT a FROM (SELECT a FROM t ORDER BY a LIMIT 4) ORDER BY a DESC LIMIT 2 OFFSET 1");
  EXPECT_TRUE(limited.limited);
  EXPECT_TRUE(limited.order_dependent);
  EXPECT_EQ(workload::run_query(*plain_, limited.unlimited_sql).rows.size(), 4U);
  const auto simple = promise("SELECT a FROM t LIMIT 2");
  EXPECT_TRUE(simple.limited);
  EXPECT_FALSE(simple.ordered);
  EXPECT_FALSE(simple.order_dependent);
  EXPECT_EQ(workload::run_query(*plain_, simple.unlimited_sql).rows.size(), 6U);
}

TEST_F(OrderPromiseTest, OrderDependentFunctionsAreNoticed) {
  EXPECT_TRUE(promise("SELECT first(a) FROM t").order_dependent);
  EXPECT_TRUE(promise("SELECT list(a) FROM t").order_dependent);
  EXPECT_FALSE(promise("SELECT list(a ORDER BY a) FROM t").order_dependent);
  EXPECT_TRUE(promise("SELECT a, row_number() OVER (ORDER BY b) AS n FROM t").order_dependent);
  EXPECT_FALSE(promise("SELECT a, rank() OVER (ORDER BY b) AS n FROM t").order_dependent);
  EXPECT_FALSE(promise("SELECT sum(a) FROM t").order_dependent);
  EXPECT_TRUE(promise("SELECT x.a FROM t x ASOF JOIN t y ON x.a >= y.b").order_dependent);
  EXPECT_TRUE(promise("SELECT x.a FROM t x JOIN t y NEAREST 2 BY DISTANCE abs(x.a - y.b)").order_dependent);
  EXPECT_FALSE(promise("SELECT x.a FROM t x JOIN t y ON x.a >= y.b").order_dependent);
}

TEST_F(OrderPromiseTest, WindowsOverTiesAreNoticed) {
  EXPECT_TRUE(promise("SELECT sum(a) OVER (ORDER BY b ROWS UNBOUNDED PRECEDING) FROM t").order_dependent);
  EXPECT_TRUE(promise("SELECT sum(a) OVER (ORDER BY b ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) FROM t")
                  .order_dependent);
  EXPECT_TRUE(promise("SELECT list(a) OVER (ORDER BY b) FROM t").order_dependent);
  EXPECT_TRUE(promise("SELECT a FROM t QUALIFY lead(a) OVER (ORDER BY b) > 1").order_dependent);
  EXPECT_TRUE(promise("SELECT DISTINCT ON (b) b, a FROM t").order_dependent);
  // Peers come and go together.
  EXPECT_FALSE(promise("SELECT sum(a) OVER (ORDER BY b) FROM t").order_dependent);
  EXPECT_FALSE(
      promise("SELECT sum(a) OVER (ORDER BY b RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM t").order_dependent);
  EXPECT_FALSE(promise("SELECT sum(a) OVER (ORDER BY b GROUPS 1 PRECEDING EXCLUDE TIES) FROM t").order_dependent);
  EXPECT_FALSE(
      promise("SELECT max(a) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM t").order_dependent);
  EXPECT_FALSE(promise("SELECT DISTINCT a, b FROM t").order_dependent);
}

TEST_F(OrderPromiseTest, OtherStatementsPromiseNothing) {
  const auto none = promise("INSERT INTO t SELECT 1, 2, 3 ORDER BY 1 LIMIT 1");
  EXPECT_FALSE(none.ordered);
  EXPECT_FALSE(none.limited);
}

}  // namespace
}  // namespace weft::tests
