#include "gpu/kernels/page_walk.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "gpu/kernels/guarded_bytes.hpp"
#include "gpu/kernels/page_header_writer.hpp"

namespace weft::gpu::kernels {
namespace {

std::vector<uint8_t> data_page(int64_t values, int64_t page_bytes, int64_t stored_bytes, int encoding = 0) {
  return PageHeaderWriter()
      .i32(1, 0)
      .i32(2, page_bytes)
      .i32(3, stored_bytes)
      .open(5)
      .i32(1, values)
      .i32(2, encoding)
      .i32(3, 3)
      .i32(4, 3)
      .close()
      .page(static_cast<size_t>(std::clamp<int64_t>(stored_bytes, 0, 1000)));
}

std::vector<uint8_t> dictionary_page(int64_t values, int64_t page_bytes) {
  return PageHeaderWriter()
      .i32(1, 2)
      .i32(2, page_bytes)
      .i32(3, page_bytes)
      .open(7)
      .i32(1, values)
      .i32(2, 0)
      .close()
      .page(static_cast<size_t>(page_bytes));
}

std::vector<uint8_t> v2_page(int64_t levels, bool compressed, int64_t page_bytes, int64_t stored_bytes,
                             int64_t nulls = 0, int64_t rows = 10) {
  return PageHeaderWriter()
      .i32(1, 3)
      .i32(2, page_bytes)
      .i32(3, stored_bytes)
      .open(8)
      .i32(1, 10)
      .i32(2, nulls)
      .i32(3, rows)
      .i32(4, 0)
      .i32(5, levels)
      .i32(6, 0)
      .boolean(7, compressed)
      .close()
      .page(static_cast<size_t>(stored_bytes));
}

std::vector<uint8_t> operator+(std::vector<uint8_t> a, const std::vector<uint8_t>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

struct Walked {
  ChunkWalk walk;
  std::vector<std::pair<uint64_t, StoredPage>> pages;  // that are compressed
};

Walked walk(const std::vector<uint8_t>& chunk, int64_t values, PageCodec codec = PageCodec::Other,
            PhysicalType type = PhysicalType::Int64) {
  const GuardedBytes bytes(chunk);
  Walked walked;
  walked.walk =
      walk_pages({bytes.data(), bytes.size(), values, type, codec}, [&](uint64_t number, const StoredPage& page) {
        if (page.codec != PageCodec::None) walked.pages.emplace_back(number, page);
      });
  return walked;
}

PageProblem problem(const std::vector<uint8_t>& chunk, int64_t values, PageCodec codec = PageCodec::Other,
                    PhysicalType type = PhysicalType::Int64) {
  return walk(chunk, values, codec, type).walk.problem;
}

TEST(PageWalk, PagesOfEveryKind) {
  const Walked walked = walk(dictionary_page(4, 32) + data_page(10, 50, 20, 8) + v2_page(6, true, 50, 20), 20);
  EXPECT_EQ(walked.walk.problem, PageProblem::None);
  EXPECT_EQ(walked.walk.pages, 3U);
  ASSERT_EQ(walked.pages.size(), 3U);
  EXPECT_EQ(walked.pages[1].second.stored_bytes, 20U);
  EXPECT_EQ(walked.pages[1].second.page_bytes, 50U);
  EXPECT_EQ(walked.pages[2].first, 2U);
  EXPECT_EQ(walked.pages[2].second.stored_bytes, 14U) << "levels are not compressed";
  EXPECT_EQ(walked.pages[2].second.page_bytes, 44U);
  EXPECT_TRUE(walk(v2_page(6, false, 20, 20), 10).pages.empty());
  EXPECT_TRUE(walk(v2_page(6, true, 20, 20), 10, PageCodec::None).pages.empty());
}

TEST(PageWalk, OtherFieldsAreSkipped) {
  const auto page = PageHeaderWriter()
                        .i32(1, 0)
                        .i32(2, 9)
                        .i32(3, 9)
                        .i32(4, -7)
                        .open(5)
                        .i32(1, 10)
                        .i32(2, 0)
                        .i32(3, 3)
                        .i32(4, 3)
                        .open(5)
                        .binary(1, 30)
                        .binary(2, 300)
                        .i64(3, ~uint64_t{0})
                        .i64(4, 5)
                        .boolean(7, true)
                        .open(9)
                        .i64(1, 1)
                        .close()
                        .boolean(30, false)
                        .list(31, kThriftI32, {1, 2, 0x80, 1}, 3)
                        .close()
                        .close()
                        .binary(40, 3)
                        .page(9);
  EXPECT_EQ(problem(page, 10), PageProblem::None);
}

TEST(PageWalk, Problems) {
  EXPECT_EQ(problem(data_page(10, 50, 20), 10), PageProblem::None);
  EXPECT_EQ(problem({}, 0), PageProblem::None);
  EXPECT_EQ(problem({}, 1), PageProblem::Values);
  EXPECT_EQ(problem(data_page(10, 50, 20), 11), PageProblem::Values);
  EXPECT_EQ(problem(data_page(10, 50, 20) + std::vector<uint8_t>{0}, 10), PageProblem::Kind);
  EXPECT_EQ(problem(data_page(-1, 50, 20), 10), PageProblem::Header);
  EXPECT_EQ(problem(data_page(10, -50, 20), 10), PageProblem::Sizes);
  EXPECT_EQ(problem(data_page(10, 50, -20), 10), PageProblem::Sizes);
  EXPECT_EQ(problem(data_page(10, 50, 1001), 10), PageProblem::Sizes);
  EXPECT_EQ(problem(data_page(10, 50, 0x7fffffff), 10), PageProblem::Sizes);
  EXPECT_EQ(problem(data_page(10, 50, int64_t{1} << 32 | 20), 10), PageProblem::Header) << "more than an i32";
  EXPECT_EQ(problem(data_page(10, 50, 20), 10, PageCodec::None), PageProblem::Sizes) << "nothing is compressed";
  EXPECT_EQ(problem(data_page(10, 50, 0), 10), PageProblem::Sizes);
  EXPECT_EQ(problem(data_page(10, 20, 20, 5), 10, PageCodec::Other, PhysicalType::Double), PageProblem::Encoding);
  EXPECT_EQ(problem(data_page(10, 20, 20, 4), 10), PageProblem::Encoding);
  EXPECT_EQ(problem(data_page(10, 20, 20, 8), 10), PageProblem::Dictionary);
  EXPECT_EQ(problem(dictionary_page(4, 32) + dictionary_page(4, 32) + data_page(10, 20, 20), 10),
            PageProblem::Dictionary);
  EXPECT_EQ(problem(data_page(10, 20, 20) + dictionary_page(4, 32), 10), PageProblem::Dictionary);
  EXPECT_EQ(problem(dictionary_page(1 << 30, 32) + data_page(10, 20, 20, 8), 10), PageProblem::Dictionary);
  EXPECT_EQ(problem(v2_page(51, true, 50, 60), 10), PageProblem::Sizes);
  EXPECT_EQ(problem(v2_page(21, true, 50, 20), 10), PageProblem::Sizes);
  EXPECT_EQ(problem(v2_page(20, true, 50, 20), 10), PageProblem::Sizes) << "nothing to decompress";
  EXPECT_EQ(problem(v2_page(20, true, 20, 20), 10), PageProblem::None);
  EXPECT_EQ(problem(v2_page(6, false, 50, 20), 10), PageProblem::Sizes);
  EXPECT_EQ(problem(v2_page(-6, true, 50, 20), 10), PageProblem::Header);
  EXPECT_EQ(problem(v2_page(6, true, 50, 20, 11), 10), PageProblem::Header) << "more NULLs than values";
  EXPECT_EQ(problem(v2_page(6, true, 50, 20, -1), 10), PageProblem::Header);
  EXPECT_EQ(problem(v2_page(6, true, 50, 20, 0, 9), 10), PageProblem::Values) << "more rows than values";
}

TEST(PageWalk, HeadersThatLibcudfWouldReadInAnotherWay) {
  const auto start = [] { return PageHeaderWriter().i32(1, 0).i32(2, 9).i32(3, 9); };
  EXPECT_EQ(problem(start().open(7).i32(1, 10).i32(2, 0).close().page(9), 10), PageProblem::Header) << "another kind's";
  EXPECT_EQ(problem(start().page(9), 10), PageProblem::Header) << "no kind's";
  EXPECT_EQ(problem(start().open(5).i32(1, 10).i32(2, 0).close().open(8).i32(1, 5).i32(4, 0).close().page(9), 10),
            PageProblem::Header)
      << "two kinds'";
  EXPECT_EQ(problem(start().i64(5, 1).page(9), 10), PageProblem::Header);
  EXPECT_EQ(problem(start().open(5).i64(1, 20).i32(2, 0).close().page(9), 10), PageProblem::Header);
  EXPECT_EQ(problem(start().open(5).i32(1, 10).close().page(9), 10), PageProblem::Header) << "no encoding";
  EXPECT_EQ(problem(start().open(5).i32(1, 10).i32(2, 0).list(9, kThriftTrue, {1}, 1).close().page(9), 10),
            PageProblem::Header);
  EXPECT_EQ(problem(PageHeaderWriter().i32(1, 1).i32(2, 9).i32(3, 9).page(9), 10), PageProblem::Kind);
  EXPECT_EQ(problem(PageHeaderWriter().i32(1, 0).open(5).i32(1, 10).i32(2, 0).close().page(9), 10), PageProblem::Sizes);
}

TEST(PageWalk, DamageIsNeverReadPastTheEnd) {
  const auto whole = dictionary_page(4, 32) + data_page(10, 50, 20, 8) + v2_page(6, true, 50, 20) + data_page(5, 60, 9);
  ASSERT_EQ(problem(whole, 25), PageProblem::None);
  std::mt19937 random(3);
  for (unsigned i = 0; i < 20000; ++i) {
    auto damaged = whole;
    for (unsigned n = random() % 4; n > 0; --n) damaged[random() % damaged.size()] = static_cast<uint8_t>(random());
    if (i % 3 == 0) damaged.resize(random() % damaged.size());
    const GuardedBytes bytes(damaged);
    walk_pages({bytes.data(), bytes.size(), 25, PhysicalType::Int64, PageCodec::Other},
               [&](uint64_t, const StoredPage& page) {
                 ASSERT_GE(page.bytes, bytes.data());
                 ASSERT_LE(page.bytes + page.stored_bytes, bytes.data() + bytes.size());
               });
  }
}

}  // namespace
}  // namespace weft::gpu::kernels
