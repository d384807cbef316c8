// The kernels say of what is in pages what the checks say on the CPU, whether the pages are compressed or not.
#include "gpu/kernels/bad_contents.hpp"

#include <random>

#include "gpu/kernels/bad_page.hpp"
#include "gpu/kernels/page_content_writer.hpp"
#include "gpu/kernels/page_contents_host.hpp"
#include "gpu/ops/test_batches.hpp"

namespace weft::gpu::kernels {
namespace {

/// A chunk's pages, before their headers are written.
struct Page {
  int kind = kDataPage;
  int64_t values = 0;
  int encoding = kPlain;
  PageContent levels;  // of v2
  PageContent content;
};

struct Chunk {
  PhysicalType type = PhysicalType::Int32;
  bool nullable = true;
  uint32_t type_length = 0;
  std::vector<Page> pages;

  int64_t values() const {
    int64_t sum = 0;
    for (const Page& page : pages) sum += page.kind == kDictionaryPage ? 0 : page.values;
    return sum;
  }
};

/// A snappy stream of literals.
PageContent as_snappy(const PageContent& content) {
  PageContent out = varint(content.size());
  for (size_t at = 0; at < content.size(); at += 60) {
    const size_t size = std::min<size_t>(60, content.size() - at);
    out.push_back(static_cast<uint8_t>((size - 1) << 2));
    out.insert(out.end(), content.begin() + static_cast<ptrdiff_t>(at),
               content.begin() + static_cast<ptrdiff_t>(at + size));
  }
  return out;
}

PageContent written(const Page& page, bool compressed) {
  const PageContent stored = compressed && !page.content.empty() ? as_snappy(page.content) : page.content;
  const auto levels = static_cast<int64_t>(page.levels.size());
  PageHeaderWriter header;
  header.i32(1, page.kind)
      .i32(2, static_cast<int64_t>(page.content.size()) + levels)
      .i32(3, static_cast<int64_t>(stored.size()) + levels);
  if (page.kind == kDataPage) {
    header.open(5).i32(1, page.values).i32(2, page.encoding).i32(3, kRle).i32(4, kRle).close();
  } else if (page.kind == kDictionaryPage) {
    header.open(7).i32(1, page.values).i32(2, kPlain).close();
  } else {
    header.open(8).i32(1, page.values).i32(2, 0).i32(3, page.values).i32(4, page.encoding);
    header.i32(5, levels).i32(6, 0).boolean(7, compressed && !page.content.empty()).close();
  }
  return header.page(0) + page.levels + stored;
}

PageContent written(const Chunk& chunk, bool compressed) {
  PageContent out;
  for (const Page& page : chunk.pages) out = out + written(page, compressed);
  return out;
}

ChunkToWalk to_walk(const Chunk& chunk, const uint8_t* bytes, size_t size, bool compressed) {
  return {bytes,
          size,
          chunk.values(),
          chunk.type,
          compressed ? PageCodec::Snappy : PageCodec::None,
          chunk.type_length,
          chunk.nullable,
          chunk.type == PhysicalType::ByteArray};
}

class BadContentsTest : public OperatorTest {
 protected:
  std::optional<BadPage> find(const std::vector<Chunk>& chunks, bool compressed) {
    std::vector<rmm::device_buffer> buffers;
    std::vector<ChunkToWalk> walks;
    for (const Chunk& chunk : chunks) {
      const PageContent bytes = written(chunk, compressed);
      buffers.emplace_back(bytes.data(), bytes.size(), context().stream, context().mr);
      walks.push_back(to_walk(chunk, static_cast<const uint8_t*>(buffers.back().data()), bytes.size(), compressed));
    }
    std::vector<uint64_t> pages;
    return find_bad_page(walks, pages, context().stream, context().mr);
  }

  static std::optional<BadPage> find_on_host(const std::vector<Chunk>& chunks) {
    for (size_t i = 0; i < chunks.size(); ++i) {
      const PageContent bytes = written(chunks[i], false);
      const auto [page, problem] = contents_problem_on_host(to_walk(chunks[i], bytes.data(), bytes.size(), false));
      if (problem != PageProblem::None) return BadPage{i, page, problem};
    }
    return std::nullopt;
  }

  /// A sound chunk, of one of all forms.
  Chunk make(unsigned form, size_t count) {
    std::vector<uint64_t> defined((count * 5 + 3) / 4, 0);
    for (size_t i = 0; i < count; ++i) defined[i + i / 4] = 1;
    const auto values = static_cast<int64_t>(defined.size());
    const PageContent levels =
        literal_run({defined.begin(), defined.begin() + static_cast<ptrdiff_t>(values / 16 * 8)}, 1) +
        literal_run({defined.begin() + static_cast<ptrdiff_t>(values / 16 * 8), defined.end()}, 1);
    std::vector<std::string> words;
    std::vector<int64_t> lengths;
    std::vector<int64_t> prefixes(count, 0);
    std::vector<uint64_t> indices;
    PageContent characters;
    for (size_t i = 0; i < count; ++i) {
      words.emplace_back(random_() % 40, 'x');
      lengths.push_back(static_cast<int64_t>(words.back().size()));
      characters.insert(characters.end(), words.back().begin(), words.back().end());
      indices.push_back(random_() % 50);
    }
    const PageContent runs = PageContent{6} + literal_run(indices, 6);
    const PageContent dictionary =
        plain_texts({words.begin(), words.begin() + static_cast<ptrdiff_t>(std::min<size_t>(count, 50))});
    const auto entries = static_cast<int64_t>(std::min<size_t>(count, 50));
    const Page entries_page{kDictionaryPage, entries, kPlain, {}, dictionary};
    switch (form) {
      case 0:
        return {PhysicalType::ByteArray,
                true,
                0,
                {entries_page, {kDataPage, values, kRleDictionary, {}, with_size(levels) + runs}}};
      case 1:
        return {PhysicalType::ByteArray, true, 0, {entries_page, {kDataPageV2, values, kRleDictionary, levels, runs}}};
      case 2:
        return {PhysicalType::ByteArray,
                true,
                0,
                {{kDataPage, values, kPlain, {}, with_size(levels) + plain_texts(words)},
                 {kDataPageV2, values, kDeltaLengthByteArray, levels, deltas(lengths) + characters}}};
      case 3:
        return {PhysicalType::ByteArray,
                false,
                0,
                {{kDataPage,
                  static_cast<int64_t>(count),
                  kDeltaByteArray,
                  {},
                  deltas(prefixes) + deltas(lengths) + characters},
                 {kDataPageV2, static_cast<int64_t>(count), kPlain, {}, plain_texts(words)}}};
      case 4:
        return {PhysicalType::Int64,
                true,
                0,
                {{kDataPage, values, kDeltaBinaryPacked, {}, with_size(levels) + deltas(lengths, 2, 64)},
                 {kDataPageV2, values, kPlain, levels, PageContent(count * 8, 1)}}};
      case 5:
        return {PhysicalType::Boolean,
                true,
                0,
                {{kDataPageV2, values, kRle, levels, with_size(literal_run(std::vector<uint64_t>(count, 1), 1))}}};
      default:
        return {PhysicalType::FixedLenByteArray,
                true,
                5,
                {{kDictionaryPage, 50, kPlain, {}, PageContent(250, 2)},
                 {kDataPage, values, kRleDictionary, {}, with_size(levels) + runs}}};
    }
  }
  static constexpr unsigned kForms = 7;

  std::mt19937 random_{31};
};

TEST_F(BadContentsTest, SoundChunksPass) {
  for (const bool compressed : {false, true}) {
    std::vector<Chunk> chunks;
    for (unsigned i = 0; i < 100; ++i) chunks.push_back(make(i % kForms, 50 + i * 37));
    ASSERT_FALSE(find_on_host(chunks));
    const auto bad = find(chunks, compressed);
    EXPECT_FALSE(bad) << bad->chunk << " " << bad->page << " " << static_cast<int>(bad->problem);
  }
}

TEST_F(BadContentsTest, AgreesWithTheChecksOnTheCpu) {
  unsigned bad = 0;
  for (unsigned i = 0; i < 3000; ++i) {
    std::vector<Chunk> chunks;
    for (unsigned c = 0; c < 1 + i % 4; ++c) chunks.push_back(make((i + c) % kForms, 50 + random_() % 500));
    Page& page = chunks[random_() % chunks.size()].pages.back();
    if (i % 5 == 0) page.values += static_cast<int64_t>(random_() % 200);
    for (unsigned n = random_() % 3; n > 0; --n) {
      PageContent& content = page.levels.empty() || random_() % 2 == 0 ? page.content : page.levels;
      const size_t places = i % 2 == 0 ? content.size() : std::min<size_t>(40, content.size());
      content[random_() % places] = static_cast<uint8_t>(random_());
    }
    const auto expected = find_on_host(chunks);
    for (const bool compressed : {false, true}) {
      const auto found = find(chunks, compressed);
      ASSERT_EQ(found.has_value(), expected.has_value()) << i << " " << compressed;
      if (!found) continue;
      ++bad;
      EXPECT_EQ(found->chunk, expected->chunk) << i;
      EXPECT_EQ(found->page, expected->page) << i;
      EXPECT_EQ(found->problem, expected->problem) << i;
    }
  }
  EXPECT_GT(bad, 500U);
}

TEST_F(BadContentsTest, ManyBytesAreCheckedInBatches) {
  std::vector<Chunk> chunks;
  const PageContent page = with_size(repeated_run(1 << 22, 1, 1)) + PageContent(size_t{8} << 22, 7);
  for (unsigned i = 0; i < 10; ++i) {
    chunks.push_back({PhysicalType::Int64, true, 0, {{kDataPage, 1 << 22, kPlain, {}, page}}});
  }
  EXPECT_FALSE(find(chunks, true));
  chunks[9].pages[0].content.resize(page.size() - 1);
  const auto found = find(chunks, true);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->chunk, 9U);
  EXPECT_EQ(found->problem, PageProblem::TooShort);
}

}  // namespace
}  // namespace weft::gpu::kernels
