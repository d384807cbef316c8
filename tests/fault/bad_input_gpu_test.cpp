// Damaged files and small memory caps on the GPU: an error that names what is wrong, never a crash, and the next query
// works; nothing stays allocated. tools/run_tests gives each test a process and a time limit of its own: a device that
// is lost, or a kernel that never ends, costs one test.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "gpu/kernels/page_walk.hpp"
#include "support/temporary_folder.hpp"
#include "workload/result_table.hpp"

namespace weft::tests {
namespace {

class BadInputGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    session::OpenOptions options;
    options.load_tpc = false;
    options.settings = {{"mode", "native_required"}, {"small_on_cpu", "false"}};
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

// A chunk's size or place that is negative, in the footer.
TEST_F(BadInputGpu, AFooterWithNegativeNumbersIsNamed) {
  const std::string bytes = bytes_of(good);
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const size_t end = bytes.size() - 8;
  const size_t footer = byte(end) | byte(end + 1) << 8 | byte(end + 2) << 16;
  // An odd zigzag number is negative: each byte of the footer that may begin one is made odd in turn.
  unsigned failures = 0;
  for (size_t place = end - footer; place < end; place += 3) {
    std::string damaged = bytes;
    damaged[place] = static_cast<char>(byte(place) ^ 1);
    const std::string text = failure("SELECT sum(mixed + 1) FROM '" + file_of("footer.parquet", damaged) + "'");
    ASSERT_FALSE(engine->backend()->device().lost) << place << ": " << text;
    if (text.find("the file is damaged") != std::string::npos) ++failures;
  }
  EXPECT_GT(failures, 0U);
}

/// A file of one codec and one set of encodings: integers, decimals, text with and without a dictionary, dates, NULLs.
/// V2 with large dictionaries only: without one, DuckDB writes DELTA encodings that libcudf cannot read.
struct Written {
  const char* codec;
  const char* version;
  const char* dictionaries;  // the largest dictionary, in entries
};

void PrintTo(const Written& written, std::ostream* out) { *out << written.codec << " " << written.version; }

class DamagedPagesGpu : public BadInputGpu, public ::testing::WithParamInterface<Written> {
 protected:
  /// One way of damage at `place`, to nothing from `end` on: of a damaged footer it is DuckDB that speaks.
  static std::string damage(std::string bytes, size_t place, size_t end, unsigned way) {
    const auto set = [&](size_t i, unsigned value) {
      if (place + i < end) bytes[place + i] = static_cast<char>(value);
    };
    const auto at = [&](size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(bytes[place + i])); };
    switch (way) {
      case 0:  // long garbage
        for (size_t i = 0; i < 400; ++i) set(i, 0xa5 ^ (i * 31));
        break;
      case 1:  // the highest values: lengths, offsets and counts that are too large
        for (size_t i = 0; i < 8; ++i) set(i, 0xff);
        break;
      case 2:  // nothing at all, as a hole in the file
        for (size_t i = 0; i < 64; ++i) set(i, 0);
        break;
      case 3:  // one bit
        set(0, at(0) ^ (1U << (place % 8)));
        break;
      default:  // one byte more than before
        set(0, at(0) + 1);
    }
    return bytes;
  }
  static constexpr unsigned kWays = 5;
};

// Damage at the head of each column chunk (page headers and the first bytes of pages, dictionaries too) and at even
// steps through all of them. A hit that only changes values cannot be noticed (pages have no checksums here), but
// whatever is noticed must name the file, and nothing may cost the device.
TEST_P(DamagedPagesGpu, AnErrorNamesTheFileAndTheDeviceStays) {
  const Written& written = GetParam();
  const std::string whole = folder.file("whole.parquet");
  connection->set("mode", "auto");  // making the file, and the table function that gives its pages' places
  run("COPY (SELECT i AS number, CASE WHEN i % 7 <> 0 THEN (i * 7919) % 100003 END AS mixed, "
      "(i * 2654435761) % 4294967296 AS spread, 'text ' || (i % 1000) AS words, "
      "'a longer text of its own ' || (i * 48271) % 65537 AS texts, "
      "CASE WHEN i % 3 <> 0 THEN 'dictionary entry number ' || (i * 31) % 5000 END AS entries, "
      "CAST((i * 37 % 100000) / 100 AS DECIMAL(9, 2)) AS price, CAST(i * 99991 AS DECIMAL(38, 4)) AS wide, "
      "i / 7 AS ratio, DATE '1992-01-01' + CAST(i % 2500 AS INTEGER) AS day, "
      "TIMESTAMP '2001-02-03 04:05:06' + to_seconds(i * 61) AS moment, i % 5 < 2 AS flag FROM range(40000) r(i)) TO '" +
      whole + "' (FORMAT parquet, ROW_GROUP_SIZE 20000, CODEC '" + written.codec + "', PARQUET_VERSION " +
      written.version + ", DICTIONARY_SIZE_LIMIT " + written.dictionaries + ")");
  const workload::ResultTable chunks =
      run("SELECT coalesce(dictionary_page_offset, data_page_offset), data_page_offset, total_compressed_size "
          "FROM parquet_metadata('" +
          whole + "')");
  connection->set("mode", "native_required");
  std::vector<size_t> places;
  size_t pages_end = 0;
  for (const auto& chunk : chunks.rows) {
    const size_t first = std::stoull(chunk.at(0).text);
    const size_t data = std::stoull(chunk.at(1).text);
    const size_t size = std::stoull(chunk.at(2).text);
    for (const size_t page : {first, data}) {
      for (const size_t within : {0, 2, 5, 9, 17, 25, 60}) places.push_back(page + within);
    }
    for (unsigned i = 1; i < 8; ++i) places.push_back(first + size * i / 8);
    pages_end = std::max(pages_end, first + size);
  }
  const std::string bytes = bytes_of(whole);
  const auto query = [](const std::string& path) {
    // What no statistics can answer, and no value can make fail: an error is the file's.
    return "SELECT bit_xor(number), bit_xor(mixed), bit_xor(spread), max(words || ''), max(texts || ''), "
           "max(entries || ''), max(price) FILTER (WHERE flag), max(wide) FILTER (WHERE flag), sum(ratio), "
           "max(day) FILTER (WHERE flag), max(moment) FILTER (WHERE flag), count(*) FILTER (WHERE flag) FROM '" +
           path + "'";
  };
  ASSERT_EQ(failure(query(whole)), "");
  unsigned failures = 0;
  for (size_t i = 0; i < places.size(); ++i) {
    const unsigned way = i % kWays;  // 7 places a page: each of them meets each way
    const std::string path = file_of("damaged.parquet", damage(bytes, places[i], pages_end, way));
    const std::string text = failure(query(path));
    ASSERT_FALSE(engine->backend()->device().lost) << "way " << way << " at " << places[i] << ": " << text;
    if (text.empty()) continue;
    ++failures;
    EXPECT_NE(text.find("damaged.parquet"), std::string::npos) << "way " << way << " at " << places[i] << ": " << text;
  }
  EXPECT_GT(failures, 0U);
}

INSTANTIATE_TEST_SUITE_P(
    Codecs, DamagedPagesGpu,
    ::testing::Values(Written{"uncompressed", "V1", "2500"}, Written{"uncompressed", "V2", "1000000"},
                      Written{"snappy", "V1", "2500"}, Written{"snappy", "V2", "1000000"},
                      Written{"gzip", "V1", "2500"}, Written{"gzip", "V2", "1000000"}, Written{"zstd", "V1", "2500"},
                      Written{"zstd", "V2", "1000000"}, Written{"lz4_raw", "V1", "2500"},
                      Written{"lz4_raw", "V2", "1000000"},
                      // Every text in a dictionary, and none.
                      Written{"snappy", "V1", "1000000"}, Written{"snappy", "V1", "1"}, Written{"zstd", "V1", "1"}),
    [](const ::testing::TestParamInfo<Written>& info) {
      return std::string(info.param.codec) + "_" + info.param.version + "_dictionaries_" + info.param.dictionaries;
    });

/// Damage aimed at what is in pages: the first bytes of their levels and of their values (sizes, widths, runs, lengths,
/// the headers of deltas), each set to values that such bytes must not have, and places farther inside.
class DamagedContentsGpu : public BadInputGpu, public ::testing::WithParamInterface<Written> {
 protected:
  struct Chunk {
    std::string column;
    size_t first = 0;
    size_t size = 0;
    int64_t values = 0;
    gpu::kernels::PhysicalType type = gpu::kernels::PhysicalType::Int32;
  };

  static gpu::kernels::PhysicalType type_of(const std::string& name) {
    const std::vector<std::string> names = {"BOOLEAN", "INT32",  "INT64",      "INT96",
                                            "FLOAT",   "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"};
    return static_cast<gpu::kernels::PhysicalType>(std::find(names.begin(), names.end(), name) - names.begin());
  }

  std::vector<Chunk> chunks_of(const std::string& path) {
    std::vector<Chunk> chunks;
    for (const auto& row :
         run("SELECT path_in_schema, coalesce(dictionary_page_offset, data_page_offset), total_compressed_size, "
             "num_values, type FROM parquet_metadata('" +
             path + "')")
             .rows) {
      chunks.push_back({row.at(0).text, std::stoull(row.at(1).text), std::stoull(row.at(2).text),
                        std::stoll(row.at(3).text), type_of(row.at(4).text)});
    }
    return chunks;
  }

  /// Where in the file things begin that a decoder reads.
  static std::vector<size_t> sections_of(const Chunk& chunk, const std::string& file) {
    using namespace gpu::kernels;
    const auto* const bytes = reinterpret_cast<const uint8_t*>(file.data());
    std::vector<size_t> sections;
    const auto found = [&](uint64_t, const StoredPage& page) {
      const auto begin = static_cast<size_t>(page.bytes - bytes);
      sections.push_back(begin);
      sections.push_back(begin + page.page_bytes / 2);
      if (page.kind == kDataPageV2) {
        sections.push_back(static_cast<size_t>(page.levels - bytes));
      } else if (page.kind == kDataPage && page.page_bytes > 4) {
        sections.push_back(begin + 4 + (page.bytes[0] | page.bytes[1] << 8));  // behind the levels
      }
    };
    const ChunkWalk walk =
        walk_pages({bytes + chunk.first, chunk.size, chunk.values, chunk.type, PageCodec::None}, found);
    EXPECT_EQ(walk.problem, PageProblem::None) << chunk.column;
    return sections;
  }
};

TEST_P(DamagedContentsGpu, AnErrorNamesTheFileAndTheDeviceStays) {
  const Written& written = GetParam();
  const std::string whole = folder.file("whole.parquet");
  connection->set("mode", "auto");
  run("COPY (SELECT CASE WHEN i % 7 <> 0 THEN (i * 7919) % 100003 END AS mixed, i AS number, "
      "CASE WHEN i % 3 <> 0 THEN 'dictionary entry number ' || (i * 31) % 100 END AS entries, "
      "'a text ' || (i * 48271) % 65537 AS texts, CAST(i * 99991 AS DECIMAL(38, 4)) AS wide, i / 7 AS ratio, "
      "i % 100 AS small, i % 5 < 2 AS flag FROM range(3000) r(i)) TO '" +
      whole + "' (FORMAT parquet, CODEC '" + written.codec + "', PARQUET_VERSION " + written.version +
      ", DICTIONARY_SIZE_LIMIT " + written.dictionaries + ")");
  const std::vector<Chunk> chunks = chunks_of(whole);
  connection->set("mode", "native_required");
  const std::string bytes = bytes_of(whole);
  unsigned failures = 0;
  for (const Chunk& chunk : chunks) {
    const auto query = [&](const std::string& path) {
      if (chunk.column == "flag") return "SELECT count(*) FILTER (WHERE flag) FROM '" + path + "'";
      const bool text = chunk.type == gpu::kernels::PhysicalType::ByteArray;
      const bool whole_number = chunk.column == "mixed" || chunk.column == "number" || chunk.column == "small";
      // What no statistics can answer, and no value can make fail.
      const std::string what = text                     ? "max(" + chunk.column + " || '')"
                               : whole_number           ? "bit_xor(" + chunk.column + ")"
                               : chunk.column == "wide" ? std::string("max(wide) FILTER (WHERE wide IS NOT NULL)")
                                                        : "sum(" + chunk.column + ")";
      return "SELECT " + what + " FROM '" + path + "'";
    };
    const std::string refused = failure(query(whole));
    if (refused.find("DELTA encoding of a form that libcudf lacks") != std::string::npos) continue;
    ASSERT_EQ(refused, "") << chunk.column;
    for (const size_t section : sections_of(chunk, bytes)) {
      for (size_t i = 0; i < 12; ++i) {
        const size_t place = section + i;
        if (place >= chunk.first + chunk.size) continue;
        const auto now = static_cast<unsigned char>(bytes[place]);
        for (const unsigned value : {0U, 1U, 33U, 0x7fU, 0x80U, 0xffU, now + 1U, now + 2U}) {
          std::string damaged = bytes;
          damaged[place] = static_cast<char>(value);
          const std::string text = failure(query(file_of("damaged.parquet", damaged)));
          ASSERT_FALSE(engine->backend()->device().lost) << value << " at " << place << ": " << text;
          if (text.empty()) continue;
          ++failures;
          EXPECT_NE(text.find("damaged.parquet"), std::string::npos) << value << " at " << place << ": " << text;
        }
      }
    }
  }
  EXPECT_GT(failures, 100U);
}

INSTANTIATE_TEST_SUITE_P(Encodings, DamagedContentsGpu,
                         ::testing::Values(Written{"uncompressed", "V1", "2500"}, Written{"uncompressed", "V1", "1"},
                                           Written{"uncompressed", "V2", "1000000"},
                                           Written{"uncompressed", "V2", "1"}),
                         [](const ::testing::TestParamInfo<Written>& info) {
                           return std::string(info.param.version) + "_dictionaries_" + info.param.dictionaries;
                         });

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
