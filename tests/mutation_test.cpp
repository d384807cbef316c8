// The oracle must notice every wrong plan: each one-field mutant of each plan below is answered by DuckDB through
// src/oracle and must differ from the right answer, or fail. Mutants that survive are listed in docs/testing.md, each
// with its reason; this test fails on one that is not listed and on a listed one that no longer survives.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>

#include "oracle/oracle.hpp"
#include "plan/mutate.hpp"
#include "plan/walk.hpp"
#include "support/temporary_folder.hpp"
#include "workload/compare.hpp"

namespace weft::tests {
namespace {

struct Query {
  const char* name;
  const char* sql;
};

// Small queries that together hold every node kind, join kind and expression kind.
constexpr Query kQueries[] = {
    {"scan_filters", "SELECT id, b + 1 AS n FROM t WHERE b >= 2 AND b <= 5 AND s <> 'x'"},
    {"scan_or_in", "SELECT id + 1 AS n FROM t WHERE b IN (1, 3, 6) OR d > 6.85"},
    {"filter_above", "SELECT id FROM t WHERE a + b > 5 AND length(s) <= 2"},
    {"projections", "SELECT id, a - b AS m, d * 2 AS e, -a AS n, s || '!' AS z FROM t"},
    {"case_coalesce",
     "SELECT id, CASE WHEN b < 3 THEN 'low' WHEN b < 5 THEN s ELSE 'high' END AS c, coalesce(b, a, 9) AS d FROM t"},
    {"casts_dates", "SELECT id, CAST(d AS DECIMAL(10,1)) AS r, year(dt) AS y, dt + 1 AS next FROM t"},
    {"nulls", "SELECT id, b IS NULL AS n, b IS NOT NULL AS m, b IS DISTINCT FROM a AS x, NOT (a < b) AS y FROM t"},
    {"like", "SELECT id + 1 AS n FROM t WHERE s LIKE '%a%' AND s NOT LIKE 'b_'"},
    {"aggregate_all", "SELECT count(*), count(b), sum(a), min(s), max(dt), avg(d) FROM t"},
    {"aggregate_groups", "SELECT a, s, count(*) AS n, sum(b) AS t, min(d) AS lo, max(d) AS hi FROM t GROUP BY a, s"},
    {"aggregate_distinct_filter",
     "SELECT a, count(DISTINCT b) AS n, sum(b) FILTER (WHERE d > 6.85) AS f FROM t GROUP BY a"},
    {"aggregate_pairs",
     "SELECT a, arg_min(s, id) AS lo, arg_max(b, d) AS hi, covar_pop(b % 3, a * (id % 3)) AS c, regr_slope(b % 4, id % "
     "3) AS "
     "r, "
     "bit_xor(b) "
     "AS x "
     "FROM t GROUP BY a"},
    {"rollup", "SELECT a, s, count(*) AS n, sum(b) AS t, grouping(s, a) AS g FROM t GROUP BY ROLLUP (a, s)"},
    {"grouping_sets",
     "SELECT a, s, id // 9 AS k, count(DISTINCT b) AS n, grouping(a, k) AS g FROM t GROUP BY GROUPING SETS ((a, k), "
     "(s), (a), (a), ())"},
    {"having", "SELECT s, sum(b) AS t FROM t GROUP BY s HAVING count(*) > 6 AND sum(b) <= 21"},
    {"distinct", "SELECT DISTINCT a, id // 3 AS n FROM t"},
    {"sort_keys", "SELECT b, a, id FROM t ORDER BY b DESC NULLS LAST, a NULLS FIRST, id DESC"},
    {"sort_nulls_first", "SELECT b, id FROM t ORDER BY b ASC NULLS FIRST, id"},
    {"top_n", "SELECT b, id FROM t ORDER BY b DESC NULLS FIRST, id LIMIT 7 OFFSET 2"},
    {"limit", "SELECT id + 1 AS n FROM t WHERE a < 3 LIMIT 11 OFFSET 9"},
    {"join_inner", "SELECT t.id, u.v FROM t JOIN u ON t.b = u.k AND t.a < u.v"},
    {"join_left", "SELECT t.id, u.v FROM t LEFT JOIN u ON t.b = u.k AND u.v > 1"},
    {"join_right", "SELECT t.id, u.v FROM t RIGHT JOIN u ON t.b = u.k AND t.a <> u.v"},
    {"join_full", "SELECT t.id, u.v FROM t FULL JOIN u ON t.b = u.k AND t.a = u.v"},
    {"join_null_equal", "SELECT t.id, u.v FROM t JOIN u ON t.b IS NOT DISTINCT FROM u.k"},
    {"join_semi", "SELECT id FROM t WHERE b IN (SELECT k FROM u WHERE v > 1)"},
    {"join_anti", "SELECT id FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.k = t.b AND u.v = 4)"},
    {"join_semi_residual", "SELECT id FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.k = t.b AND u.v > t.a)"},
    {"join_anti_residual", "SELECT id FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.k = t.b AND u.v > t.a)"},
    {"join_mark", "SELECT id, b IN (SELECT k FROM u) AS hit FROM t"},
    {"join_mark_not_in", "SELECT id FROM t WHERE b NOT IN (SELECT k FROM u WHERE v = 4 AND k IS NOT NULL)"},
    {"join_mark_exists", "SELECT id, EXISTS (SELECT 1 FROM u WHERE u.k = t.b) AS hit FROM t"},
    {"scalar_subquery", "SELECT id FROM t WHERE a > (SELECT min(v) FROM u WHERE v > 0)"},
    {"scalar_correlated", "SELECT id, (SELECT max(v) FROM u WHERE u.k = t.b) AS m FROM t"},
    {"cross_product", "SELECT t.id, w.m FROM t, (SELECT max(v) AS m FROM u) w WHERE t.a < 3"},
    {"join_inequality", "SELECT t.id, u.v FROM t JOIN u ON t.b < u.k AND t.a + u.v > 6"},
    {"join_range",
     "SELECT t.id, w.k FROM t LEFT JOIN (SELECT k, v + 2 AS hi, v AS lo FROM u) w ON t.b BETWEEN w.lo AND w.hi"},
    {"cross_product_many", "SELECT t.id, u.v FROM t, u WHERE t.a < 3"},
    {"join_asof",
     "SELECT t.id, w.k, w.n FROM t ASOF JOIN (SELECT k, v, count(*) AS n FROM u GROUP BY k, v) w ON t.a = w.k AND t.b "
     ">= w.v"},
    {"join_asof_left",
     "SELECT t.id, w.d, w.n FROM t ASOF LEFT JOIN (SELECT v * 2 AS d, min(k) AS n FROM u GROUP BY v) w ON t.b < w.d "
     "AND t.a <> w.n"},
    {"union_all", "SELECT a, id FROM t WHERE a < 3 UNION ALL SELECT k, v FROM u UNION ALL SELECT 7, 8"},
    {"cte",
     "WITH c AS MATERIALIZED (SELECT a, sum(b) AS n FROM t GROUP BY a) SELECT x.a, y.n FROM c x JOIN c y ON x.a = "
     "y.a + 1"},
    {"values", "SELECT x.p, t.id FROM (VALUES (1, 2), (4, NULL), (2, 3), (NULL, 1)) x(p, q) JOIN t ON t.a = x.q"},
    {"window_ranks",
     "SELECT id, rank() OVER (PARTITION BY a ORDER BY b DESC NULLS LAST) AS r, dense_rank() OVER (PARTITION BY a ORDER "
     "BY b DESC NULLS LAST) AS d, percent_rank() OVER (ORDER BY b, a NULLS FIRST) AS p, cume_dist() OVER (ORDER BY b, "
     "a "
     "NULLS FIRST) AS c FROM t"},
    // What these give is told by the order keys, so that it does not matter which of several equal rows comes first.
    {"window_row_number", "SELECT a, b, row_number() OVER (PARTITION BY s ORDER BY b NULLS FIRST, a) AS n FROM t"},
    {"window_ntile", "SELECT a, b, ntile(7) OVER (ORDER BY b DESC, a) AS n FROM t"},
    {"window_lag", "SELECT a, b, lag(b, 2, a) OVER (ORDER BY a, b DESC) AS l FROM t"},
    {"window_lead", "SELECT a, b, lead(b IGNORE NULLS) OVER (PARTITION BY a ORDER BY b DESC NULLS FIRST) AS l FROM t"},
    {"window_values",
     "SELECT b, first_value(b IGNORE NULLS) OVER (PARTITION BY a ORDER BY b NULLS FIRST ROWS BETWEEN 1 PRECEDING AND "
     "CURRENT ROW) AS f, last_value(b IGNORE NULLS) OVER (PARTITION BY a ORDER BY b DESC NULLS LAST ROWS BETWEEN 1 "
     "PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW) AS l FROM t"},
    {"window_nth",
     "SELECT b, nth_value(b, 4) OVER (PARTITION BY a ORDER BY b NULLS FIRST ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING) "
     "AS "
     "n FROM t"},
    {"window_frames",
     "SELECT id, sum(b) OVER (ORDER BY a ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE GROUP) AS g, "
     "count(*) "
     "FILTER (WHERE d > 6.85) OVER (PARTITION BY a ORDER BY b) AS c, sum(d) OVER (ORDER BY b DESC GROUPS BETWEEN "
     "CURRENT "
     "ROW AND 1 FOLLOWING) AS m, sum(id) OVER (PARTITION BY s ORDER BY b GROUPS BETWEEN 2 PRECEDING AND 1 FOLLOWING "
     "EXCLUDE TIES) AS t FROM t"},
    {"window_range",
     "SELECT id, sum(id) OVER (ORDER BY b RANGE BETWEEN 2 PRECEDING AND 1 FOLLOWING) AS i, count(*) OVER (ORDER BY b "
     "RANGE BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS j, sum(id) OVER (PARTITION BY a ORDER BY d DESC RANGE "
     "BETWEEN 5.48 PRECEDING AND UNBOUNDED FOLLOWING) AS d FROM t"},
    {"window_range_dates",
     "SELECT id, sum(id) OVER (ORDER BY dt RANGE BETWEEN INTERVAL 8 DAYS PRECEDING AND INTERVAL 5 DAYS FOLLOWING) AS "
     "m, "
     "count(*) OVER (ORDER BY dt RANGE BETWEEN UNBOUNDED PRECEDING AND INTERVAL 5 DAYS FOLLOWING) AS n FROM (SELECT "
     "id, "
     "CASE WHEN id % 9 = 4 THEN NULL ELSE dt END AS dt FROM t)"},
    {"intersect", "SELECT a, b FROM t INTERSECT SELECT v, k FROM u"},
    {"except_all", "SELECT b FROM t EXCEPT ALL SELECT k FROM u"},
    {"distinct_on", "SELECT DISTINCT ON (s) s, d FROM t ORDER BY d DESC NULLS LAST"},
};

// The kinds of node, and of join (plan::JoinKind as a number), that the plans must hold between them.
constexpr const char* kKinds[] = {"AGGREGATE",
                                  "ASOF_JOIN 0",
                                  "ASOF_JOIN 1",
                                  "CTE",
                                  "CTE_SCAN",
                                  "CROSS_PRODUCT 0",
                                  "DISTINCT",
                                  "FILTER",
                                  "HASH_JOIN 0",
                                  "HASH_JOIN 1",
                                  "HASH_JOIN 2",
                                  "HASH_JOIN 3",
                                  "HASH_JOIN 4",
                                  "HASH_JOIN 5",
                                  "HASH_JOIN 6",
                                  "LIMIT",
                                  "NESTED_LOOP_JOIN 0",
                                  "NESTED_LOOP_JOIN 1",
                                  "ORDER_BY",
                                  "PROJECTION",
                                  "SCAN",
                                  "TOP_N",
                                  "UNION",
                                  "VALUES",
                                  "WINDOW"};

constexpr const char* kSelectT =
    "SELECT i AS id, CASE WHEN i % 11 = 10 THEN NULL ELSE i % 4 END AS a, CASE WHEN i % 5 = 0 THEN NULL ELSE (i * 7 + "
    "i // "
    "8) % 8 END AS b, ['a', 'x', 'ba', 'abc', 'b1', 'axa'][1 + i % 6] AS s, CASE WHEN i % 9 = 4 THEN NULL ELSE CAST(i "
    "% 23 "
    "* 1.37 AS DECIMAL(8,2)) END AS d, DATE '2020-12-20' + CAST(i * 3 AS INTEGER) AS dt FROM ";
constexpr const char* kSelectU =
    "SELECT CASE WHEN i % 6 = 0 THEN NULL ELSE i * 5 % 7 END AS k, CASE WHEN i = 9 THEN NULL ELSE i * i % 5 END AS v "
    "FROM "
    "range(1, 20) x(i) UNION ALL VALUES (8, 4), (NULL, 4), (3, NULL), (5, NULL)";

class MutationTest : public ::testing::Test {
 protected:
  MutationTest() {
    session::OpenOptions plain;
    plain.engine = "duckdb";
    plain.load_tpc = false;
    plain_engine_ = session::open_engine(plain);
    plain_ = plain_engine_->connect();
    session::OpenOptions weft;
    weft.backend = "none";
    weft.load_tpc = false;
    weft_engine_ = session::open_engine(weft);
    weft_ = weft_engine_->connect();
    write("t", 1, std::string(kSelectT) + "range(1, 25) x(i)");
    write("t", 2, std::string(kSelectT) + "range(25, 41) x(i)");
    write("u", 1, kSelectU);
    for (auto* connection : {plain_.get(), weft_.get()}) {
      for (const char* table : {"t", "u"}) {
        workload::run_query(*connection, std::string("CREATE VIEW ") + table + " AS SELECT * FROM '" +
                                             folder_.file(std::string(table) + ".*.parquet") + "'");
      }
    }
  }

  void write(const std::string& table, int part, const std::string& select) {
    workload::run_query(*plain_, "COPY (" + select + ") TO '" +
                                     folder_.file(table + "." + std::to_string(part) + ".parquet") +
                                     "' (FORMAT parquet)");
  }

  /// The names of the mutants of one query that give the right answer.
  std::set<std::string> survivors(const Query& query, size_t& mutants, std::set<std::string>& kinds) {
    std::set<std::string> out;
    const auto report = weft_->check(query.sql);
    EXPECT_EQ(report.where, "gpu") << query.name;
    if (report.gpu_plans.size() != 1) {
      ADD_FAILURE() << query.name << ": " << report.gpu_plans.size() << " parts";
      return out;
    }
    const plan::Plan& plan = *report.gpu_plans[0];
    plan::for_each_node(*plan.root, [&](const plan::Node& node) { kinds.insert(kind_of(node)); });
    const auto right = workload::run_query(*plain_, oracle::write_sql(plan, {}));
    auto promise = workload::order_promise(*plain_, query.sql, right);
    promise.order_dependent = false;
    promise.limited = false;
    // Columns are named c0, c1, ..., so that keys count as hidden and rows must come in exactly the same order.
    if (promise.ordered) promise.hidden_keys = true;
    const auto expected = workload::run_query(*plain_, query.sql);
    EXPECT_EQ(expected.rows.size(), right.rows.size()) << query.name;
    EXPECT_FALSE(right.rows.empty()) << query.name << " has no rows, so that it can tell little";
    for (const auto& mutation : plan::mutations(plan)) {
      ++mutants;
      if (gives(oracle_text(mutation.plan), right, promise)) out.insert(mutation.what);
    }
    return out;
  }

  static std::string oracle_text(const plan::Plan& plan) {
    try {
      return oracle::write_sql(plan, {});
    } catch (const std::exception&) {
      return "";  // the writer itself noticed
    }
  }

  bool gives(const std::string& sql, const workload::ResultTable& right, const workload::OrderPromise& promise) {
    if (sql.empty()) return false;
    try {
      const auto answer = workload::run_query(*plain_, sql);
      return workload::compare(right, answer, promise, nullptr).verdict == workload::Verdict::Equal;
    } catch (const std::exception&) {
      return false;
    }
  }

  static std::string kind_of(const plan::Node& node) {
    std::string kind = plan::kind_name(node);
    if (const auto* join = node.as<plan::Join>()) kind += " " + std::to_string(static_cast<int>(join->kind));
    return kind;
  }

  TemporaryFolder folder_;
  std::unique_ptr<session::Engine> plain_engine_;
  std::unique_ptr<session::Engine> weft_engine_;
  std::unique_ptr<session::Connection> plain_;
  std::unique_ptr<session::Connection> weft_;
};

/// Rows of the table of survivors in docs/testing.md: "| query | mutant | reason |".
std::map<std::string, std::string> listed_survivors() {
  std::map<std::string, std::string> out;
  std::ifstream in(std::string(WEFT_SOURCE_DIR) + "/docs/testing.md");
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("## Mutants that survive", 0) == 0) inside = true;
    if (!inside || line.rfind("| `", 0) != 0) continue;
    const auto first = line.find("` | `");
    const auto second = line.find("` | ", first + 5);
    if (first == std::string::npos || second == std::string::npos) continue;
    out[line.substr(3, first - 3) + ": " + line.substr(first + 5, second - first - 5)] = line.substr(second + 4);
  }
  return out;
}

TEST_F(MutationTest, TheOracleNoticesEveryWrongPlan) {
  const auto listed = listed_survivors();
  std::set<std::string> found;
  std::set<std::string> kinds;
  size_t mutants = 0;
  for (const auto& query : kQueries) {
    for (const auto& what : survivors(query, mutants, kinds)) found.insert(std::string(query.name) + ": " + what);
  }
  RecordProperty("mutants", static_cast<int>(mutants));
  std::printf("%zu mutants, %zu survivors\n", mutants, found.size());
  EXPECT_GT(mutants, 500U);
  for (const auto& survivor : found) {
    EXPECT_TRUE(listed.count(survivor) != 0) << "survives and is not listed in docs/testing.md: " << survivor;
  }
  for (const auto& [survivor, reason] : listed) {
    EXPECT_TRUE(found.count(survivor) != 0) << "listed in docs/testing.md but noticed now: " << survivor;
    EXPECT_GT(reason.size(), 5U) << survivor << " needs a reason";
  }
  for (const char* kind : kKinds) EXPECT_EQ(kinds.count(kind), 1U) << kind << " is in no plan";
  for (const auto& kind : kinds) std::printf("%s, ", kind.c_str());
  std::printf("\n");
}

}  // namespace
}  // namespace weft::tests
