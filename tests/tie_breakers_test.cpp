// Queries whose answer depends on ties: two engines with the same rows in another order give other answers to them.
#include <gtest/gtest.h>

#include "workload/power_run.hpp"

namespace weft::tests {
namespace {

using workload::Verdict;

class TieBreakersTest : public ::testing::Test {
 protected:
  TieBreakersTest() {
    session::OpenOptions open;
    open.engine = "duckdb";
    open.load_tpc = false;
    for (auto* side : {&forward_, &backward_}) {
      side->engine = session::open_engine(open);
      side->connection = side->engine->connect();
    }
    const std::string rows = "CREATE TABLE t AS SELECT i AS a, i // 4 AS b, -i AS c, i / 8 AS d FROM range(20) x(i) ";
    workload::run_query(*forward_.connection, rows + "ORDER BY i");
    workload::run_query(*backward_.connection, rows + "ORDER BY i DESC");
  }
  workload::Decision decide(const std::string& sql) {
    const auto expected = workload::run_query(*forward_.connection, sql);
    const auto actual = workload::run_query(*backward_.connection, sql);
    return workload::decide({*backward_.connection, *forward_.connection, sql, expected, actual});
  }
  std::optional<workload::TieBrokenStatement> broken(const std::string& sql) {
    return workload::break_ties(*forward_.connection, sql, workload::run_query(*forward_.connection, sql));
  }

  struct Side {
    std::unique_ptr<session::Engine> engine;
    std::unique_ptr<session::Connection> connection;
  };
  Side forward_, backward_;
};

TEST_F(TieBreakersTest, DecideWhatAHiddenKeyLeavesOpen) {
  for (const char* sql : {"SELECT a FROM t ORDER BY b LIMIT 6", "SELECT a, c FROM t ORDER BY b, a % 2",
                          "SELECT * FROM t ORDER BY b // 2 DESC LIMIT 3"}) {
    const auto decision = decide(sql);
    EXPECT_EQ(decision.comparison.verdict, Verdict::Equal) << sql << ": " << decision.comparison.detail;
    EXPECT_TRUE(decision.tie_breakers) << sql;
  }
}

TEST_F(TieBreakersTest, AreNotNeededWhereAllKeysAreShown) {
  const auto decision = decide("SELECT a, b FROM t ORDER BY b LIMIT 6");
  EXPECT_EQ(decision.comparison.verdict, Verdict::Equal);
  EXPECT_FALSE(decision.tie_breakers);
}

TEST_F(TieBreakersTest, FindTheDifferenceThatTiesHid) {
  workload::run_query(*backward_.connection, "UPDATE t SET b = b + 1 WHERE a = 3");
  const auto decision = decide("SELECT a FROM t ORDER BY b LIMIT 6");
  EXPECT_EQ(decision.comparison.verdict, Verdict::Different);
  EXPECT_TRUE(decision.tie_breakers);
}

TEST_F(TieBreakersTest, LeaveAnInnerLimitOpen) {
  const auto decision = decide("SELECT a FROM (SELECT a, b FROM t ORDER BY b LIMIT 6) ORDER BY b");
  EXPECT_EQ(decision.comparison.verdict, Verdict::Undetermined);
  EXPECT_FALSE(decision.tie_breakers);
}

TEST_F(TieBreakersTest, MakeEveryColumnAKeyFloatingOnesLast) {
  const auto statement = broken("SELECT d, a, b FROM t ORDER BY b LIMIT 6");
  ASSERT_TRUE(statement);
  EXPECT_EQ(statement->added_columns, 0U);
  const auto answer = workload::run_query(*forward_.connection, statement->sql);
  const auto promise = workload::order_promise(*forward_.connection, statement->sql, answer);
  EXPECT_EQ(promise.keys, (std::vector<uint32_t>{2, 1, 0}));
  EXPECT_TRUE(promise.limited);
}

TEST_F(TieBreakersTest, AddAnOrderWhereThereIsNone) {
  for (const char* sql : {"SELECT a, c FROM t LIMIT 2", "SELECT DISTINCT b, b + 1 FROM t LIMIT 2",
                          "SELECT a, b FROM t UNION ALL SELECT c, b FROM t LIMIT 2"}) {
    const auto statement = broken(sql);
    ASSERT_TRUE(statement) << sql;
    const auto answer = workload::run_query(*forward_.connection, statement->sql);
    const auto promise = workload::order_promise(*forward_.connection, statement->sql, answer);
    EXPECT_EQ(promise.keys, (std::vector<uint32_t>{0, 1})) << sql;
    EXPECT_TRUE(promise.limited) << sql;
  }
}

TEST_F(TieBreakersTest, KnowNoOtherStatements) {
  EXPECT_FALSE(workload::break_ties(*forward_.connection, "PRAGMA version", {}));
  EXPECT_FALSE(broken("SELECT row_number() OVER () FROM t"));
}

}  // namespace
}  // namespace weft::tests
