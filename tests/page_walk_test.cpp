// The walks over stored pages (gpu/kernels), run over the files that DuckDB writes: all of them pass, and of damaged
// pages they say what a decoder says.
#include "gpu/kernels/page_walk.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <set>

#include "gpu/kernels/guarded_bytes.hpp"
#include "gpu/kernels/page_contents_host.hpp"
#include "gpu/kernels/snappy_host_expand.hpp"
#include "gpu/kernels/snappy_streams.hpp"
#include "gpu/kernels/zstd_walk.hpp"
#include "support/temporary_folder.hpp"
#include "support/tpch_data.hpp"
#include "workload/result_table.hpp"

namespace weft::tests {
namespace {

using namespace gpu::kernels;

struct Chunk {
  std::string column;
  std::vector<uint8_t> bytes;
  int64_t values = 0;
  PhysicalType type = PhysicalType::Int32;
  std::string codec;
  uint32_t type_length = 0;
  bool nullable = false;
  bool text = false;
};

class PageWalkFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    session::OpenOptions options;
    options.engine = "duckdb";
    options.load_tpc = false;
    engine = session::open_engine(options);
    connection = engine->connect();
  }

  workload::ResultTable run(const std::string& sql) { return workload::run_query(*connection, sql); }

  static PhysicalType type_of(const std::string& name) {
    const std::vector<std::string> names = {"BOOLEAN", "INT32",  "INT64",      "INT96",
                                            "FLOAT",   "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"};
    const auto found = std::find(names.begin(), names.end(), name);
    EXPECT_NE(found, names.end()) << name;
    return static_cast<PhysicalType>(found - names.begin());
  }

  std::vector<Chunk> chunks_of(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    const std::vector<char> file{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    std::vector<Chunk> chunks;
    for (const auto& row :
         run("SELECT path_in_schema, coalesce(dictionary_page_offset, data_page_offset), total_compressed_size, "
             "num_values, m.type, compression, coalesce(try_cast(s.type_length AS INTEGER), 0), "
             "s.repetition_type = 'OPTIONAL', coalesce(s.converted_type = 'DECIMAL', false) "
             "FROM parquet_metadata('" +
             path + "') m JOIN parquet_schema('" + path + "') s ON s.name = m.path_in_schema")
             .rows) {
      const auto begin = file.begin() + std::stoll(row.at(1).text);
      const PhysicalType type = type_of(row.at(4).text);
      const bool bytes = type == PhysicalType::ByteArray || type == PhysicalType::FixedLenByteArray;
      chunks.push_back({row.at(0).text,
                        {begin, begin + std::stoll(row.at(2).text)},
                        std::stoll(row.at(3).text),
                        type,
                        row.at(5).text,
                        static_cast<uint32_t>(std::stoul(row.at(6).text)),
                        row.at(7).text == "true",
                        bytes && row.at(8).text != "true"});
    }
    return chunks;
  }

  static PageCodec codec_of(const std::string& name) {
    if (name == "UNCOMPRESSED") return PageCodec::None;
    if (name == "SNAPPY") return PageCodec::Snappy;
    return name == "ZSTD" ? PageCodec::Zstd : PageCodec::Other;
  }

  /// Whether the stream is valid; if it is, it also becomes the bytes that it should.
  static bool expands(std::span<const uint8_t> stream, uint32_t expected, uint32_t misaligned) {
    const auto expanded = expand_snappy_on_host(stream, expected, misaligned);
    if (expanded) {
      EXPECT_EQ(expanded, decode_snappy(stream, expected));
    }
    return expanded.has_value();
  }

  /// The problem of the chunk's headers or of its compressed pages; `pages` (may be null) gets copies of the latter.
  static PageProblem problem_of(const Chunk& chunk, std::vector<std::pair<SnappyBytes, uint32_t>>* pages = nullptr) {
    const GuardedBytes bytes(chunk.bytes);
    bool sound = true;
    const auto look = [&](uint64_t, const StoredPage& page) {
      if (page.codec == PageCodec::Snappy) {
        sound = sound && expands({page.bytes, page.stored_bytes}, page.page_bytes,
                                 static_cast<uint32_t>(page.bytes - bytes.data()) % 16);
      } else if (page.codec == PageCodec::Zstd) {
        sound = sound && has_zstd_structure(page.bytes, page.stored_bytes, page.page_bytes);
      }
      if (pages && page.codec != PageCodec::None)
        pages->push_back({{page.bytes, page.bytes + page.stored_bytes}, page.page_bytes});
    };
    const ChunkWalk walk =
        walk_pages({bytes.data(), bytes.size(), chunk.values, chunk.type, codec_of(chunk.codec)}, look);
    if (walk.problem == PageProblem::None && !sound) return PageProblem::Compressed;
    return walk.problem;
  }

  /// The problem of the contents of a chunk that is not compressed.
  static PageProblem contents_problem_of(const Chunk& chunk) {
    const GuardedBytes bytes(chunk.bytes);
    return contents_problem_on_host({bytes.data(), bytes.size(), chunk.values, chunk.type, PageCodec::None,
                                     chunk.type_length, chunk.nullable, chunk.text})
        .second;
  }

  bool has_deltas(const std::string& path, const std::string& column) {
    return run("SELECT bool_or(encodings LIKE '%DELTA%') FROM parquet_metadata('" + path +
               "') WHERE path_in_schema = '" + column + "'")
               .rows.at(0)
               .at(0)
               .text == "true";
  }

  void expect_sound(const std::string& path) {
    const std::vector<Chunk> chunks = chunks_of(path);
    EXPECT_FALSE(chunks.empty()) << path;
    for (const Chunk& chunk : chunks) {
      EXPECT_EQ(problem_of(chunk), PageProblem::None) << path << " " << chunk.column;
      if (chunk.codec != "UNCOMPRESSED") continue;
      const PageProblem problem = contents_problem_of(chunk);
      if (problem == PageProblem::NotReadable && has_deltas(path, chunk.column))
        continue;  // DuckDB's are not for libcudf
      EXPECT_EQ(problem, PageProblem::None) << path << " " << chunk.column;
    }
  }

  std::string write(const std::string& codec, const std::string& version, unsigned rows,
                    const std::string& dictionary_entries = "2500") {
    const std::string path = folder.file(codec + version + dictionary_entries + ".parquet");
    run("COPY (SELECT i AS number, CASE WHEN i % 7 <> 0 THEN CAST(i * 7919 % 100003 AS INTEGER) END AS mixed, "
        "'text ' || (i % 1000) AS words, 'its own text ' || (i * 48271) % 65537 AS texts, "
        "CAST(i * 99991 AS DECIMAL(38, 4)) AS wide, i / 7 AS ratio, CAST(i AS FLOAT) AS narrow, "
        "DATE '1992-01-01' + CAST(i % 2500 AS INTEGER) AS day, i % 5 < 2 AS flag, NULL::INTEGER AS nothing, "
        "CAST(i % 100 AS TINYINT) AS small FROM range(" +
        std::to_string(rows) + ") r(i)) TO '" + path + "' (FORMAT parquet, ROW_GROUP_SIZE 3000, CODEC '" + codec +
        "', PARQUET_VERSION " + version + ", DICTIONARY_SIZE_LIMIT " + dictionary_entries + ")");
    return path;
  }

  TemporaryFolder folder;
  std::unique_ptr<session::Engine> engine;
  std::unique_ptr<session::Connection> connection;
};

TEST_F(PageWalkFiles, FilesOfEveryCodecPass) {
  for (const std::string codec : {"uncompressed", "snappy", "gzip", "zstd", "lz4_raw", "brotli"}) {
    for (const std::string version : {"V1", "V2"}) {
      for (const unsigned rows : {0, 1, 10000}) {
        const std::string path = write(codec, version, rows);
        if (rows > 0) expect_sound(path);
      }
    }
  }
}

TEST_F(PageWalkFiles, LargeSnappyPagesAreFragmentsThatAreApart) {
  const std::string path = folder.file("large.parquet");
  run("COPY (SELECT i AS number, 'a text of its own ' || (i * 48271) % 65537 AS texts FROM range(60000) r(i)) TO '" +
      path + "' (FORMAT parquet, ROW_GROUP_SIZE 60000, CODEC 'snappy')");
  unsigned large = 0;
  for (const Chunk& chunk : chunks_of(path)) {
    std::vector<std::pair<SnappyBytes, uint32_t>> pages;
    ASSERT_EQ(problem_of(chunk, &pages), PageProblem::None);
    for (const auto& [page, length] : pages) {
      if (length <= 4 * kSnappyFragmentBytes) continue;
      ++large;
      EXPECT_EQ(expand_snappy_fragments(page, length, 5), decode_snappy(page, length)) << chunk.column;
    }
  }
  EXPECT_EQ(large, 2U);
}

TEST_F(PageWalkFiles, TpchPasses) {
  write_tpch(folder.file("tpch"), "0.01");
  unsigned files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path() / "tpch")) {
    if (entry.path().extension() != ".parquet") continue;
    expect_sound(entry.path().string());
    ++files;
  }
  EXPECT_GE(files, 8U);
}

TEST_F(PageWalkFiles, OfDamagedPagesTheySayWhatADecoderSays) {
  std::mt19937 random(21);
  unsigned invalid = 0;
  for (const Chunk& chunk : chunks_of(write("snappy", "V1", 9000))) {
    std::vector<std::pair<SnappyBytes, uint32_t>> pages;
    ASSERT_EQ(problem_of(chunk, &pages), PageProblem::None);
    for (const auto& [page, length] : pages) {
      ASSERT_TRUE(decode_snappy(page, length));
      for (unsigned i = 0; i < 30; ++i) {
        SnappyBytes damaged = page;
        damage(random, damaged);
        const bool valid = decode_snappy(damaged, length).has_value();
        if (!valid) ++invalid;
        const GuardedBytes bytes(damaged);
        ASSERT_EQ(expands({bytes.data(), bytes.size()}, length, i % 16), valid) << chunk.column << " " << i;
      }
    }
  }
  EXPECT_GT(invalid, 100U);
}

TEST_F(PageWalkFiles, ContentsOfEveryEncodingPass) {
  std::set<std::string> encodings;
  for (const std::string version : {"V1", "V2"}) {
    for (const std::string dictionary_entries : {"1", "2500", "1000000"}) {
      const std::string path = write("uncompressed", version, 10000, dictionary_entries);
      expect_sound(path);
      for (const auto& row : run("SELECT DISTINCT encodings FROM parquet_metadata('" + path + "')").rows) {
        encodings.insert(row.at(0).text);
      }
    }
  }
  // V1's two, and what V2 writes beside them.
  EXPECT_GE(encodings.size(), 5U);
}

TEST_F(PageWalkFiles, DamagedContentsAreNeverReadPastTheirEnd) {
  std::mt19937 random(24);
  unsigned noticed = 0;
  for (const std::string version : {"V1", "V2"}) {
    for (const std::string dictionary_entries : {"1", "2500"}) {
      for (const Chunk& chunk : chunks_of(write("uncompressed", version, 3000, dictionary_entries))) {
        for (unsigned i = 0; i < 300; ++i) {
          Chunk damaged = chunk;
          const size_t places = i % 2 == 0 ? damaged.bytes.size() : std::min<size_t>(120, damaged.bytes.size());
          damaged.bytes[random() % places] = static_cast<uint8_t>(random());
          if (contents_problem_of(damaged) != PageProblem::None) ++noticed;
        }
      }
    }
  }
  EXPECT_GT(noticed, 1000U);
}

TEST_F(PageWalkFiles, DamagedChunksAreNeverReadPastTheirEnd) {
  std::mt19937 random(22);
  unsigned noticed = 0;
  std::vector<Chunk> chunks;
  for (const std::string codec : {"snappy", "zstd"}) {
    for (const std::string version : {"V1", "V2"}) {
      for (Chunk& chunk : chunks_of(write(codec, version, 3000))) chunks.push_back(std::move(chunk));
    }
  }
  for (const Chunk& chunk : chunks) {
    for (unsigned i = 0; i < 200; ++i) {
      Chunk damaged = chunk;
      damage(random, damaged.bytes);
      // Half of the time in the first headers.
      if (i % 2 == 0 && !damaged.bytes.empty()) {
        damaged.bytes[random() % std::min<size_t>(80, damaged.bytes.size())] = static_cast<uint8_t>(random());
      }
      if (problem_of(damaged) != PageProblem::None) ++noticed;
    }
  }
  EXPECT_GT(noticed, chunks.size() * 100);
}

}  // namespace
}  // namespace weft::tests
