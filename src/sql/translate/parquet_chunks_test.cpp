#include "sql/translate/parquet_chunks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>

#include "sql/translate/translate_test_database.hpp"

namespace weft::sql {
namespace {

using ::testing::IsEmpty;
using testing::TranslateDatabase;

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string texts(const std::vector<ParquetChunk>& chunks) {
  std::string text;
  for (const ParquetChunk& chunk : chunks) {
    text += chunk.column + ":" + std::to_string(chunk.physical_type) + ":" + std::to_string(chunk.codec) + " ";
  }
  return text;
}

TEST(ParquetChunks, OfTheFirstRowGroup) {
  TranslateDatabase database;
  const std::string path = database.folder() + "/chunks.parquet";
  for (const auto& [name, codec] : {std::pair<std::string, std::string>{"uncompressed", "0"},
                                    {"snappy", "1"},
                                    {"gzip", "2"},
                                    {"brotli", "4"},
                                    {"zstd", "6"},
                                    {"lz4_raw", "7"}}) {
    database.execute(
        "COPY (SELECT range::INTEGER AS i, range AS l, 'x' AS s, range / 2 AS d, {'a': 1, 'b': [2]} AS nested, "
        "true AS last FROM range(5000)) TO '" +
        path + "' (COMPRESSION " + name + ", ROW_GROUP_SIZE 2048)");
    std::string expected;
    for (const char* column : {"i:1:", "l:2:", "s:6:", "d:5:", "last:0:"}) expected += column + codec + " ";
    EXPECT_EQ(texts(first_row_group(path)), expected);
  }
}

TEST(ParquetChunks, OfALongFooter) {
  TranslateDatabase database;
  const std::string path = database.folder() + "/wide.parquet";
  std::string columns;
  for (int i = 0; i < 1500; ++i)
    columns += (i > 0 ? ", " : "") + std::to_string(i) + " AS a_rather_long_name_" + std::to_string(i);
  database.execute("COPY (SELECT " + columns + ") TO '" + path + "'");
  EXPECT_EQ(first_row_group(path).size(), 1500U);
  EXPECT_EQ(first_row_group(path).back().column, "a_rather_long_name_1499");
}

TEST(ParquetChunks, NoneWhereThereAreNone) {
  TranslateDatabase database;
  const std::string path = database.folder() + "/empty.parquet";
  database.execute("COPY (SELECT 1 AS a WHERE false) TO '" + path + "'");
  EXPECT_THAT(first_row_group(path), IsEmpty());
  EXPECT_THAT(first_row_group(database.folder() + "/nosuch.parquet"), IsEmpty());
  std::ofstream(database.folder() + "/short") << "PAR1";
  EXPECT_THAT(first_row_group(database.folder() + "/short"), IsEmpty());
}

TEST(ParquetChunks, DamageIsNoCrash) {
  TranslateDatabase database;
  const std::string path = database.folder() + "/t.parquet";
  const std::string file = read_file(path);
  uint32_t length = 0;
  std::memcpy(&length, file.data() + file.size() - 8, 4);
  const std::string footer = file.substr(file.size() - 8 - length, length);
  ASSERT_FALSE(first_row_group_of(footer).empty());
  for (size_t cut = 0; cut < footer.size(); ++cut) first_row_group_of(footer.substr(0, cut));
  for (size_t at = 0; at < footer.size(); ++at) {
    for (const char byte : {'\x00', '\x0c', '\x19', '\x7f', '\xff'}) {
      std::string damaged = footer;
      damaged[at] = byte;
      first_row_group_of(damaged);
    }
  }
}

TEST(ParquetChunks, AFileThatTheGpuCannotDecompressBecomesAHostSource) {
  TranslateDatabase database;
  const std::string path = database.folder() + "/lz4.parquet";
  database.execute("COPY (SELECT range AS packed_column, range AS other FROM range(10)) TO '" + path +
                   "' (COMPRESSION lz4_raw)");
  const std::string select = "SELECT sum(packed_column) FROM '" + path + "'";
  EXPECT_TRUE(database.see(select).refusals.empty());
  // The old framing of LZ4 instead (codec 5, zigzag 10): DuckDB reads such files, but cannot write them.
  std::string file = read_file(path);
  const auto at = file.rfind(std::string("packed_column\x15\x0e"));
  ASSERT_NE(at, std::string::npos);
  file[at + std::string("packed_column").size() + 1] = '\x0a';
  std::ofstream(path, std::ios::binary) << file;
  const auto seen = database.see(select);
  EXPECT_TRUE(seen.whole);
  ASSERT_EQ(seen.refusals.size(), 1U);
  EXPECT_EQ(seen.refusals[0].code, support::RefusalCode::UnsupportedFile);
  EXPECT_EQ(seen.refusals[0].name, "compression codec LZ4 of column packed_column");
  EXPECT_TRUE(database.see("SELECT sum(other) FROM '" + path + "'").refusals.empty());
}

}  // namespace
}  // namespace weft::sql
