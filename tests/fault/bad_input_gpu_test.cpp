// Damaged files and small memory caps on the GPU: an error that names what is wrong, never a crash, and the next query
// works; nothing stays allocated.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "support/temporary_folder.hpp"
#include "workload/result_table.hpp"

namespace weft::tests {
namespace {

class BadInputGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    session::OpenOptions options;
    options.load_tpc = false;
    options.settings = {{"mode", "native_required"}};
    engine = session::open_engine(options);
    connection = engine->connect();
    if (!engine->backend()) GTEST_SKIP() << connection->no_device_reason();
    good = folder.file("good.parquet");
    run("COPY (SELECT i AS number, (i * 7919) % 100003 AS mixed, 'text ' || (i % 1000) AS words FROM range(300000) "
        "r(i)) TO '" +
        good + "' (FORMAT parquet, ROW_GROUP_SIZE 50000)");
    used = engine->backend()->device().used_bytes;
  }

  void TearDown() override {
    if (!engine->backend()) return;
    EXPECT_EQ(run("SELECT sum(number) FROM '" + good + "'").rows.at(0).at(0).text, "44999850000");
    EXPECT_EQ(connection->last_report().where, "gpu");
    EXPECT_EQ(engine->backend()->device().used_bytes, used);
    EXPECT_FALSE(engine->backend()->device().lost);
  }

  workload::ResultTable run(const std::string& sql) { return workload::run_query(*connection, sql); }

  /// The message of the error; empty if there was none.
  std::string failure(const std::string& sql) {
    try {
      run(sql);
    } catch (const Exception& e) {
      return e.error().message.empty() ? "an error without words" : e.error().message;
    }
    return {};
  }

  std::string bytes_of(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  std::string file_of(const std::string& name, const std::string& bytes) {
    const std::string path = folder.file(name);
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }

  TemporaryFolder folder;
  std::unique_ptr<session::Engine> engine;
  std::unique_ptr<session::Connection> connection;
  std::string good;
  uint64_t used = 0;
};

TEST_F(BadInputGpu, ATruncatedFileIsNamed) {
  const std::string bytes = bytes_of(good);
  for (const size_t size : {size_t{0}, size_t{3}, size_t{100}, bytes.size() / 2, bytes.size() - 1}) {
    const std::string path = file_of("cut" + std::to_string(size) + ".parquet", bytes.substr(0, size));
    EXPECT_NE(failure("SELECT sum(mixed) FROM '" + path + "'").find("cut" + std::to_string(size)), std::string::npos)
        << size;
  }
}

TEST_F(BadInputGpu, DamagedPagesGiveAnErrorThatNamesTheFile) {
  const std::string bytes = bytes_of(good);
  unsigned failures = 0;
  // Runs of garbage at many places: page headers, compressed pages, dictionaries. A hit that only changes values cannot
  // be noticed (pages have no checksums here), but whatever is noticed must name the file.
  for (size_t place = 4; place + 600 < bytes.size() * 9 / 10; place += bytes.size() / 23) {
    std::string damaged = bytes;
    for (size_t i = 0; i < 400; ++i) damaged[place + i] = static_cast<char>(0xa5 ^ (i * 31));
    const std::string path = file_of("damaged.parquet", damaged);
    const std::string text = failure("SELECT sum(mixed), max(words), count(number) FROM '" + path + "'");
    if (text.empty()) continue;
    ++failures;
    EXPECT_NE(text.find("damaged.parquet"), std::string::npos) << "at " << place << ": " << text;
    ASSERT_FALSE(engine->backend()->device().lost) << "at " << place;
  }
  EXPECT_GT(failures, 0U);
}

TEST_F(BadInputGpu, AFileThatChangedSinceItWasSeenIsReadAnew) {
  const std::string path = file_of("changing.parquet", bytes_of(good));
  EXPECT_EQ(run("SELECT count(*), max(number) FROM '" + path + "'").rows.at(0).at(1).text, "299999");
  run("COPY (SELECT i AS number FROM range(10) r(i)) TO '" + path + "' (FORMAT parquet)");
  EXPECT_EQ(run("SELECT count(*), max(number) FROM '" + path + "'").rows.at(0).at(1).text, "9");
}

TEST_F(BadInputGpu, ASmallCapFailsPlainlyAndTheCpuTakesOverInAuto) {
  const std::string sql =
      "SELECT count(*), sum(m) FROM (SELECT number, words, max(mixed) AS m FROM '" + good + "' GROUP BY ALL)";
  const std::string right = run(sql).rows.at(0).at(1).text;
  connection->set("memory_limit_bytes", "1MiB");
  try {
    run(sql);
    ADD_FAILURE() << "a megabyte was enough";
  } catch (const Exception& e) {
    EXPECT_EQ(e.code(), ErrorCode::QueryMemoryLimitExceeded) << e.what();
    for (const char* word : {"needs", "uses", "limit"})
      EXPECT_NE(e.error().message.find(word), std::string::npos) << e.what();
  }
  connection->set("mode", "auto");
  EXPECT_EQ(run(sql).rows.at(0).at(1).text, right);
  EXPECT_EQ(connection->last_report().where, "cpu");
  ASSERT_FALSE(connection->last_report().refusals.empty());
  EXPECT_EQ(connection->last_report().refusals.front().code, support::RefusalCode::DeviceMemoryExhausted);
  connection->set("mode", "native_required");
  connection->set("memory_limit_bytes", "0");
}

}  // namespace
}  // namespace weft::tests
