// TPC-DS: the data that `weft tpcds generate` writes, and every query on it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "session/oracle_backend.hpp"
#include "support/temporary_folder.hpp"
#include "workload/generate.hpp"
#include "workload/parity.hpp"
#include "workload/tpcds.hpp"

namespace weft::tests {
namespace {

namespace fs = std::filesystem;

/// SF 0.01 with several files of several row groups a large table, made once for all tests.
class Tpcds : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder;
    std::ostringstream out;
    workload::generate(workload::tpcds(), options(), out);
  }
  static void TearDownTestSuite() {
    delete folder_;
    folder_ = nullptr;
  }
  static workload::GenerateOptions options() {
    workload::GenerateOptions options;
    options.sf = 0.01;
    options.out = folder_->path().string();
    options.parts = 3;
    options.row_group = "8192";
    return options;
  }
  static std::string generate(const workload::GenerateOptions& options) {
    std::ostringstream out;
    workload::generate(workload::tpcds(), options, out);
    return out.str();
  }
  static workload::ParityResult parity(std::shared_ptr<engine::Backend> backend, std::ostream& out) {
    workload::ParityOptions options;
    options.suite = "tpcds";
    options.data = folder_->path().string();
    options.backend = "none";
    options.shared_backend = std::move(backend);
    return workload::parity(options, out);
  }

  static TemporaryFolder* folder_;
};
TemporaryFolder* Tpcds::folder_ = nullptr;

TEST_F(Tpcds, FilesHoldEveryRowOnce) {
  session::OpenOptions open;
  open.engine = "duckdb";
  const auto engine = session::open_engine(open);
  const auto connection = engine->connect();
  workload::run_query(*connection, "CREATE SCHEMA made");
  workload::run_query(*connection, "CALL dsdgen(sf = 0.01, schema = 'made')");
  const auto data = workload::open_suite(*connection, workload::tpcds(), folder_->path().string());
  EXPECT_EQ(data.sf, 0.01);
  for (const auto& table : workload::tpcds().tables) {
    const auto count = [&](const std::string& from, const std::string& other) {
      const std::string rows = "SELECT count(*) FROM (FROM " + from + " EXCEPT ALL FROM " + other + ")";
      return workload::run_query(*connection, rows).rows[0][0].text;
    };
    EXPECT_EQ(count(table, "made." + table), "0") << table;
    EXPECT_EQ(count("made." + table, table), "0") << table;
  }
  const auto sales = fs::directory_iterator(folder_->path() / "store_sales");
  EXPECT_EQ(std::distance(begin(sales), end(sales)), 2);  // 28810 rows are 4 row groups, in 3 parts: 2 a file
  EXPECT_FALSE(fs::exists(folder_->path() / "weft_spill"));
}

TEST_F(Tpcds, DataIsMadeOnceAndNotMixed) {
  EXPECT_NE(generate(options()).find("is already in"), std::string::npos);
  auto other = options();
  other.parts = 1;
  EXPECT_THROW(generate(other), Exception);
  const TemporaryFolder foreign;
  fs::create_directories(foreign.path() / "item");
  std::ofstream(foreign.path() / "item" / "mine.parquet") << "mine";
  other.out = foreign.path().string();
  EXPECT_THROW(generate(other), Exception);
  EXPECT_TRUE(fs::exists(foreign.path() / "item" / "mine.parquet"));
}

TEST_F(Tpcds, AnInterruptedRunStartsOver) {
  const TemporaryFolder folder;
  fs::create_directories(folder.path() / "item");
  std::ofstream(folder.path() / "weft_tpcds.txt") << "unfinished\n";
  std::ofstream(folder.path() / "item" / "item.9.parquet") << "half a file";
  auto again = options();
  again.out = folder.path().string();
  generate(again);
  EXPECT_FALSE(fs::exists(folder.path() / "item" / "item.9.parquet"));
  EXPECT_TRUE(fs::exists(folder.path() / "item" / "item.1.parquet"));
}

TEST_F(Tpcds, WrongRowGroupsAndTooSmallDisksAreRefused) {
  const TemporaryFolder folder;
  auto wrong = options();
  wrong.out = folder.path().string();
  wrong.row_group = "128MB";
  EXPECT_THROW(generate(wrong), Exception);
  wrong = options();
  wrong.out = folder.file("large");
  wrong.sf = 1e9;
  try {
    generate(wrong);
    FAIL() << "no disk is that large";
  } catch (const Exception& e) {
    EXPECT_EQ(e.code(), ErrorCode::IoError);
    EXPECT_NE(std::string(e.what()).find("GB free"), std::string::npos) << e.what();
  }
}

// Q51 sums over rows up to the current one: whether its order leaves ties is not to be seen in its text, so that its
// verdict is "undetermined", whatever its values.
void expect_all_equal(const workload::ParityResult& result) {
  EXPECT_EQ(result.queries.size(), 99U);
  for (const workload::ParityQuery& query : result.queries) {
    const auto wanted = query.query == 51 ? workload::Verdict::Undetermined : workload::Verdict::Equal;
    EXPECT_EQ(query.engines, wanted) << "Q" << query.query << ": " << query.detail;
  }
}

TEST_F(Tpcds, EveryQueryIsEqualOnTheCpu) {
  std::ostringstream out;
  expect_all_equal(parity(nullptr, out));
}

TEST_F(Tpcds, EveryQueryIsNativeAndEqualWithTheOracle) {
  std::ostringstream out;
  const auto result = parity(session::make_oracle_backend({}), out);
  expect_all_equal(result);
  EXPECT_EQ(result.native(), 99U) << out.str();
}

}  // namespace
}  // namespace weft::tests
