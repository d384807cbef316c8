#include "gpu/kernels/text_cuts.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <random>

#include "gpu/kernels/guarded_bytes.hpp"
#include "gpu/kernels/page_content_writer.hpp"
#include "gpu/kernels/page_contents_host.hpp"
#include "gpu/kernels/page_pieces.hpp"
#include "gpu/kernels/text_page_writer.hpp"

namespace weft::gpu::kernels {
namespace {

/// What cut_pages.cu does with one chunk, on the CPU; nothing if a page cannot be cut.
std::optional<PageContent> cut_on_host(const PageContent& bytes, int64_t values, bool nullable) {
  const ChunkToWalk chunk = text_chunk(bytes, values, nullable);
  PageContent out;
  bool good = true;
  walk_pages(chunk, [&](uint64_t, const StoredPage& page) {
    if (page.kind == kDictionaryPage) {
      out = out + dictionary_page(page.values, PageContent(page.bytes, page.bytes + page.page_bytes));
      return;
    }
    std::vector<uint32_t> levels(level_words_of(page.values), 0);
    std::vector<TextCut> cuts(cuts_of(page.values) + 1);
    HostBytes reader;
    good = good && cut_texts(chunk, page, reader, levels.data(), cuts.data());
    if (!good) return;
    for (const PagePiece& piece : pieces_of(page, nullable, cuts, levels.data())) {
      out.insert(out.end(), piece.prefix, piece.prefix + piece.prefix_bytes);
      if (piece.level_bytes > 0) out.insert(out.end(), piece.levels, piece.levels + piece.level_bytes);
      out.insert(out.end(), piece.content, piece.content + piece.content_bytes);
    }
  });
  if (!good) return std::nullopt;
  return out;
}

uint64_t pages_in(const PageContent& bytes, int64_t values, bool nullable) {
  return walk_pages(text_chunk(bytes, values, nullable), [](uint64_t, const StoredPage&) {}).pages;
}

TEST(TextCuts, ThePiecesHaveTheTextsOfTheWhole) {
  std::mt19937 random(1);
  for (const int64_t rows : {1, 7, 2047, 2048, 2049, 4096, 5003, 20000}) {
    for (const unsigned nulls : {0U, 1U, 2U, 3U}) {
      for (const bool v2 : {false, true}) {
        const bool nullable = nulls > 0;
        const Texts texts = some_texts(random, static_cast<size_t>(rows), nulls);
        const PageContent whole = text_page(random, texts, nullable, v2);
        const auto cut = cut_on_host(whole, rows, nullable);
        ASSERT_TRUE(cut) << rows << " " << nulls;
        EXPECT_EQ(contents_problem_on_host(text_chunk(*cut, rows, nullable)).second, PageProblem::None);
        EXPECT_EQ(pages_in(*cut, rows, nullable), cuts_of(static_cast<int32_t>(rows)));
        EXPECT_TRUE(texts_in(*cut, rows, nullable) == texts) << rows << " " << nulls << " " << v2;
      }
    }
  }
}

TEST(TextCuts, OfDamagedPagesNothingOutsideIsRead) {
  std::mt19937 random(2);
  unsigned refused = 0;
  for (unsigned i = 0; i < 3000; ++i) {
    const size_t rows = 1 + random() % 5000;
    const bool nullable = random() % 3 != 0;
    const Texts texts = some_texts(random, rows, nullable ? 1 + random() % 3 : 0);
    PageContent bytes = text_page(random, texts, nullable, random() % 2 == 0);
    const size_t at = random() % bytes.size();
    for (size_t k = at; k < bytes.size() && k < at + 1 + i % 9; ++k) bytes[k] = static_cast<uint8_t>(random());
    if (i % 5 == 0) bytes.resize(1 + random() % bytes.size());
    const GuardedBytes guarded(bytes);
    const ChunkToWalk chunk = text_chunk({guarded.data(), guarded.size()}, static_cast<int64_t>(rows), nullable);
    walk_pages(chunk, [&](uint64_t, const StoredPage& page) {
      std::vector<uint32_t> levels(level_words_of(page.values), 0);
      std::vector<TextCut> cuts(cuts_of(page.values) + 1);
      HostBytes reader;
      const bool good = cut_texts(chunk, page, reader, levels.data(), cuts.data());
      if (!good) ++refused;
      for (size_t cut = 0; good && cut + 1 < cuts.size(); ++cut) {
        EXPECT_LE(cuts[cut].begin, cuts[cut + 1].begin);
        EXPECT_LE(cuts[cut + 1].begin, page.page_bytes);
      }
    });
  }
  EXPECT_GT(refused, 100U);
}

}  // namespace
}  // namespace weft::gpu::kernels
