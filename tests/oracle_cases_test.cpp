// Every case file and all of TPC-H with each plan answered through src/oracle: translation is proven with no GPU, and
// the placement of every query is compared with tests/expected.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "session/oracle_backend.hpp"
#include "support/temporary_folder.hpp"
#include "support/tpch_data.hpp"
#include "workload/parity.hpp"
#include "workload/verify.hpp"

namespace weft::tests {
namespace {

const std::string kSource = WEFT_SOURCE_DIR;

std::vector<std::string> case_files() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kSource + "/tests/sql")) {
    if (entry.path().extension() == ".sql") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class OracleCases : public ::testing::TestWithParam<std::string> {};

TEST_P(OracleCases, AreRightAndPlacedAsExpected) {
  workload::VerifyOptions options;
  options.files = {kSource + "/tests/sql/" + GetParam() + ".sql"};
  options.backend = "oracle";
  options.expect_dir = kSource + "/tests/expected";
  std::ostringstream out;
  const auto summary = workload::verify(options, out);
  ASSERT_EQ(summary.files.size(), 1U);
  EXPECT_GT(summary.files[0].queries, 0U);
  EXPECT_TRUE(summary.ok()) << out.str();
}

INSTANTIATE_TEST_SUITE_P(Files, OracleCases, ::testing::ValuesIn(case_files()),
                         [](const auto& info) { return info.param; });

TEST(OracleTpch, EveryQueryIsWhollySupportedAndRight) {
  const TemporaryFolder folder;
  write_tpch(folder.path().string(), "0.01");
  workload::ParityOptions options;
  options.data = folder.path().string();
  options.shared_backend = session::make_oracle_backend({});
  options.settings = {{"mode", "native_required"}};
  std::ostringstream out;
  const auto result = workload::parity(options, out);
  ASSERT_EQ(result.queries.size(), 22U);
  EXPECT_EQ(result.native(), 22U) << out.str();
  EXPECT_TRUE(result.ok()) << out.str();
}

/// A few files again with batches of every awkward size.
class OracleBatches : public ::testing::TestWithParam<session::OracleOptions> {};

TEST_P(OracleBatches, ChangeNoAnswer) {
  workload::VerifyOptions options;
  for (const char* name : {"aggregates", "join_duplicates", "sort_limit", "multi_batch"}) {
    options.files.push_back(kSource + "/tests/sql/" + name + ".sql");
  }
  options.shared_backend = session::make_oracle_backend(GetParam());
  std::ostringstream out;
  EXPECT_TRUE(workload::verify(options, out).ok()) << out.str();
}

INSTANTIATE_TEST_SUITE_P(Sizes, OracleBatches,
                         ::testing::Values(session::OracleOptions{.rows_per_batch = 1000, .empty_batches = true},
                                           session::OracleOptions{.rows_per_batch = 3000000}));

}  // namespace
}  // namespace weft::tests
