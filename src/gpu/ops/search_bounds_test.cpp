// The bounds, with std::lower_bound and std::upper_bound in the place of libcudf's, against plain enumeration.
#include "gpu/ops/search_bounds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

namespace weft::gpu {
namespace {

using plan::CompareOp;
using Column = std::vector<int>;

constexpr CompareOp kAll[] = {CompareOp::Less, CompareOp::LessEqual, CompareOp::Greater, CompareOp::GreaterEqual};

bool holds(int probe, CompareOp compare, int build) {
  switch (compare) {
    case CompareOp::Less:
      return probe < build;
    case CompareOp::LessEqual:
      return probe <= build;
    case CompareOp::Greater:
      return probe > build;
    default:
      return probe >= build;
  }
}

size_t search(const Column& sorted, int value, SearchBound bound) {
  const std::function<bool(int, int)> before = [&](int a, int b) { return bound.descending ? a > b : a < b; };
  const auto at = bound.behind_equal ? std::upper_bound(sorted.begin(), sorted.end(), value, before)
                                     : std::lower_bound(sorted.begin(), sorted.end(), value, before);
  return static_cast<size_t>(at - sorted.begin());
}

Column random_column(unsigned seed, size_t rows) {
  std::mt19937 random(seed);
  Column column(rows);
  for (int& value : column) value = static_cast<int>(random() % 15);
  return column;
}

Column sorted_for(CompareOp first, Column column) {
  std::sort(column.begin(), column.end());
  if (end_of(first).descending) std::reverse(column.begin(), column.end());
  return column;
}

TEST(SearchBounds, OneInequalityIsAPrefix) {
  for (const CompareOp first : kAll) {
    for (unsigned seed = 0; seed < 20; ++seed) {
      const Column rows = sorted_for(first, random_column(seed, seed));
      for (int probe = -1; probe <= 15; ++probe) {
        const size_t end = search(rows, probe, end_of(first));
        for (size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(i < end, holds(probe, first, rows[i]));
        // ASOF takes the last one.
        for (size_t i = 0; i < end; ++i) {
          EXPECT_LE(std::abs(probe - rows[end - 1]), std::abs(probe - rows[i]));
        }
      }
    }
  }
}

TEST(SearchBounds, TwoInequalitiesOnOneColumnAreARange) {
  for (const CompareOp first : kAll) {
    for (const CompareOp second : kAll) {
      if (is_below(first) == is_below(second)) continue;
      const Column rows = sorted_for(first, random_column(7, 60));
      for (int one = -1; one <= 15; ++one) {
        for (int other = -1; other <= 15; ++other) {
          const size_t begin = search(rows, other, begin_of(first, second));
          const size_t end = search(rows, one, end_of(first));
          for (size_t i = 0; i < rows.size(); ++i) {
            EXPECT_EQ(i >= begin && i < end, holds(one, first, rows[i]) && holds(other, second, rows[i]));
          }
        }
      }
    }
  }
}

TEST(SearchBounds, AReachLeavesOutNoRowThatSatisfiesIt) {
  for (const CompareOp reach : kAll) {
    const Column rows = random_column(9, 50);
    Column extremes(rows.size());
    std::partial_sum(rows.begin(), rows.end(), extremes.begin(),
                     [&](int a, int b) { return is_below(reach) ? std::max(a, b) : std::min(a, b); });
    for (int probe = -1; probe <= 15; ++probe) {
      const size_t begin = search(extremes, probe, begin_of_reach(reach));
      for (size_t i = 0; i < begin; ++i) EXPECT_FALSE(holds(probe, reach, rows[i]));
      if (begin < rows.size()) {
        EXPECT_TRUE(holds(probe, reach, rows[begin])) << "and it is the first that does";
      }
    }
  }
}

}  // namespace
}  // namespace weft::gpu
