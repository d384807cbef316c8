// A fixed share of the fuzzer, DuckDB against the oracle, for machines without a GPU; and the fuzzer itself: plans that
// are wrong in one field must be found within a bounded number of queries, and what is found must be reduced to a case
// file that shows it again.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "fuzz/data.hpp"
#include "fuzz/fuzz.hpp"
#include "fuzz/queries.hpp"
#include "plan/mutate.hpp"
#include "plan/walk.hpp"
#include "session/oracle_backend.hpp"
#include "support/support.hpp"
#include "support/temporary_folder.hpp"
#include "workload/verify.hpp"

namespace weft::tests {
namespace {

class FuzzShare : public ::testing::TestWithParam<uint64_t> {};

TEST_P(FuzzShare, AgreesWithTheOracle) {
  const TemporaryFolder folder;
  fuzz::FuzzOptions options;
  options.seed = GetParam();
  options.queries = 250;
  options.backend = "oracle";
  options.out = folder.path().string();
  std::ostringstream out;
  const fuzz::FuzzSummary summary = fuzz::run_fuzz(options, out);
  EXPECT_TRUE(summary.ok()) << out.str();
  EXPECT_EQ(summary.queries, options.queries);
  // A generator whose queries are refused, invalid or fail would find nothing.
  EXPECT_GT(summary.gpu * 100, summary.queries * 80) << out.str();
  EXPECT_GT(summary.equal * 100, summary.queries * 80) << out.str();
  for (const auto& [name, count] : summary.coverage.counts("operator")) {
    if (name == "single join") continue;  // they are rare
    EXPECT_GT(count, 0U) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, FuzzShare, ::testing::Values(1, 2, 3));

TEST(Fuzz, TheSeedTellsTablesAndQueries) {
  const auto tables = fuzz::make_tables(7), again = fuzz::make_tables(7), others = fuzz::make_tables(8);
  EXPECT_EQ(fuzz::setup_sql(tables, "x"), fuzz::setup_sql(again, "x"));
  EXPECT_NE(fuzz::setup_sql(tables, "x"), fuzz::setup_sql(others, "x"));
  for (uint64_t seed = 0; seed < 50; ++seed) {
    EXPECT_EQ(to_sql(*fuzz::make_query(tables, seed).query), to_sql(*fuzz::make_query(again, seed).query));
  }
}

/// Answers through the oracle, but each plan with the first of its one-field mutants whose text holds `kind`.
class WrongBackend final : public engine::Backend {
 public:
  explicit WrongBackend(std::string kind) : kind_(std::move(kind)), oracle_(session::make_oracle_backend()) {}
  std::string name() const override { return "wrong"; }
  engine::DeviceInfo device() const override { return oracle_->device(); }
  Result<std::unique_ptr<engine::ResultStream>> submit(engine::QueryRequest request) override {
    for (auto& mutation : plan::mutations(*request.plan)) {
      if (mutation.what.find(kind_) == std::string::npos || !is_valid(mutation.plan)) continue;
      request.plan = std::make_shared<const plan::Plan>(std::move(mutation.plan));
      break;
    }
    return oracle_->submit(std::move(request));
  }

 private:
  /// What breaks a promise of the plan would be an error, and so be found for nothing.
  static bool is_valid(const plan::Plan& plan) {
    try {
      plan::validate(plan);
      return support::check(plan).empty();
    } catch (const Exception&) {
      return false;
    }
  }

  std::string kind_;
  std::unique_ptr<engine::Backend> oracle_;
};

class FuzzFinds : public ::testing::TestWithParam<const char*> {};

TEST_P(FuzzFinds, TheWrongPlan) {
  const TemporaryFolder folder;
  fuzz::FuzzOptions options;
  options.seed = 1;
  options.queries = 800;
  options.shared_backend = std::make_shared<WrongBackend>(GetParam());
  options.out = folder.path().string();
  options.most_mismatches = 1;
  options.reduce = false;
  std::ostringstream out;
  const fuzz::FuzzSummary summary = fuzz::run_fuzz(options, out);
  EXPECT_FALSE(summary.ok()) << "not found in " << summary.queries << " queries\n" << out.str();
  RecordProperty("queries", static_cast<int>(summary.queries));
}

INSTANTIATE_TEST_SUITE_P(Kinds, FuzzFinds,
                         ::testing::Values("changes null equality", "changes NULLS FIRST", "changes direction",
                                           "gets DISTINCT", "loses its FILTER", "residual dropped", "AND becomes OR",
                                           "CASE branches swapped", "limit shrinks", "loses member", "becomes column #",
                                           "conjunct 0 dropped", "swapped", "becomes rank", "another kind", "COALESCE",
                                           "EXCLUDE", "partition", "rounds to scale", "IN dropped"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace_if(
                               name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
                           return name;
                         });

TEST(Fuzz, AMismatchIsReducedToACaseThatShowsIt) {
  const TemporaryFolder folder;
  fuzz::FuzzOptions options;
  options.seed = 3;
  options.queries = 200;
  options.shared_backend = std::make_shared<WrongBackend>("AND becomes OR");
  options.out = folder.path().string();
  options.most_mismatches = 1;
  std::ostringstream out;
  const fuzz::FuzzSummary summary = fuzz::run_fuzz(options, out);
  ASSERT_EQ(summary.mismatches.size(), 1U) << out.str();
  const fuzz::Mismatch& found = summary.mismatches.front();
  EXPECT_LT(found.sql.size(), 300U) << found.sql;

  workload::VerifyOptions verify;
  verify.files = {found.file};
  verify.shared_backend = options.shared_backend;
  std::ostringstream wrong, right;
  EXPECT_FALSE(workload::verify(verify, wrong).ok()) << wrong.str();
  verify.shared_backend = session::make_oracle_backend();
  EXPECT_TRUE(workload::verify(verify, right).ok()) << right.str();
}

}  // namespace
}  // namespace weft::tests
