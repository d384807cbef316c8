// The functors of joins by ranges, in loops on the CPU, against plain enumeration.
#include "gpu/kernels/join_ranges.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace weft::gpu::join {
namespace {

using Pairs = std::vector<std::pair<Row, Row>>;

struct Ranges {
  std::vector<Row> begins, ends;
  std::vector<uint32_t> valid;
  Row rows() const { return static_cast<Row>(ends.size()); }
  Candidates view() const {
    return Candidates{begins.empty() ? nullptr : begins.data(), ends.data(), valid.empty() ? nullptr : valid.data()};
  }
  bool is_valid(size_t row) const { return valid.empty() || (valid[row / 32] >> (row % 32) & 1U) != 0; }
  Pairs pairs() const {
    Pairs all;
    for (size_t row = 0; row < ends.size(); ++row) {
      for (Row build = begins.empty() ? 0 : begins[row]; is_valid(row) && build < ends[row]; ++build) {
        all.emplace_back(static_cast<Row>(row), build);
      }
    }
    return all;
  }
};

template <typename Functor>
void for_each(const Functor& functor, Row count) {
  for (Row i = 0; i < count; ++i) functor(i);
}

std::vector<int64_t> totals_of(const Ranges& ranges) {
  std::vector<int64_t> counts(ranges.ends.size());
  for_each(CountCandidates{ranges.view(), counts.data()}, ranges.rows());
  std::vector<int64_t> totals(counts.size());
  std::partial_sum(counts.begin(), counts.end(), totals.begin());
  return totals;
}

Pairs written(const Ranges& ranges, int64_t block) {
  const std::vector<int64_t> totals = totals_of(ranges);
  Pairs all;
  for (int64_t first = 0; !totals.empty() && first < totals.back(); first += block) {
    const auto count = static_cast<Row>(std::min(block, totals.back() - first));
    std::vector<Row> probe(static_cast<size_t>(count)), build(static_cast<size_t>(count));
    for_each(WritePair{ranges.view(), totals.data(), ranges.rows(), first, probe.data(), build.data()}, count);
    for (size_t i = 0; i < probe.size(); ++i) all.emplace_back(probe[i], build[i]);
  }
  return all;
}

Ranges random_ranges(unsigned seed, size_t rows, bool with_begins, bool with_valid) {
  std::mt19937 random(seed);
  Ranges ranges;
  for (size_t i = 0; i < rows; ++i) {
    ranges.ends.push_back(static_cast<Row>(random() % 12));
    if (with_begins) ranges.begins.push_back(static_cast<Row>(random() % 12));  // behind the end, too
  }
  for (size_t i = 0; with_valid && i < rows / 32 + 1; ++i) ranges.valid.push_back(random());
  return ranges;
}

TEST(JoinRanges, PairsAreThoseOfTheRangesInAnyBlocks) {
  unsigned seed = 0;
  for (const size_t rows : {1U, 2U, 31U, 32U, 33U, 200U}) {
    for (const bool with_begins : {false, true}) {
      for (const bool with_valid : {false, true}) {
        const Ranges ranges = random_ranges(++seed, rows, with_begins, with_valid);
        for (const int64_t block : {1, 7, 64, 1 << 20}) EXPECT_EQ(written(ranges, block), ranges.pairs());
      }
    }
  }
}

TEST(JoinRanges, RowsWithoutCandidatesAtTheEndsAndBetween) {
  EXPECT_EQ(written(Ranges{{}, {0, 0, 2, 0, 0, 1, 0}, {}}, 2), (Pairs{{2, 0}, {2, 1}, {5, 0}}));
  EXPECT_EQ(written(Ranges{{}, {0, 0}, {}}, 2), Pairs{});
  EXPECT_EQ(written(Ranges{{3, 5}, {2, 7}, {}}, 1), (Pairs{{1, 5}, {1, 6}}));
}

TEST(JoinRanges, PairsMayBeMoreThanRowsCanBe) {
  constexpr Row kMany = 2'000'000'000;
  const Ranges ranges{{}, {kMany, kMany, kMany, 1}, {}};
  const std::vector<int64_t> totals = totals_of(ranges);
  EXPECT_EQ(totals.back(), int64_t{3} * kMany + 1);
  std::vector<Row> probe(3), build(3);
  const WritePair write{ranges.view(), totals.data(), 4, int64_t{3} * kMany - 2, probe.data(), build.data()};
  for_each(write, 3);
  EXPECT_EQ(probe, (std::vector<Row>{2, 2, 3}));
  EXPECT_EQ(build, (std::vector<Row>{kMany - 2, kMany - 1, 0}));
}

TEST(JoinRanges, MarksAndLastCandidates) {
  const Ranges ranges{{0, 2, 3, 0, 1}, {2, 2, 1, 4, 2}, {0b10111U}};
  std::vector<uint8_t> marks{0, 0, 1, 0, 0};  // what an earlier partition marked stays
  for_each(MarkCandidates{ranges.view(), marks.data()}, 5);
  EXPECT_EQ(marks, (std::vector<uint8_t>{1, 0, 1, 0, 1}));
  std::vector<Row> nearest(5, 77);
  for_each(LastCandidate{ranges.view(), nearest.data()}, 5);
  EXPECT_EQ(nearest, (std::vector<Row>{1, kNoRow, kNoRow, kNoRow, 1}));
}

TEST(JoinRanges, KeepLastTakesTheGreatestWhateverTheOrder) {
  const std::vector<Row> probe{0, 2, 0, 2, 0};
  const std::vector<Row> build{3, 1, 9, 0, 4};
  std::vector<Row> nearest(3, kNoRow);
  for_each(KeepLast{probe.data(), build.data(), nearest.data()}, 5);
  EXPECT_EQ(nearest, (std::vector<Row>{9, kNoRow, 1}));
}

}  // namespace
}  // namespace weft::gpu::join
