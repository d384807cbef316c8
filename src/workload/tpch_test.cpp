#include "workload/tpch.hpp"

#include <gtest/gtest.h>

namespace weft::workload {
namespace {

TEST(Tpch, QueryListsAreNumbersAndRanges) {
  EXPECT_EQ(parse_query_list("6,1,14-16,1"), (std::vector<uint32_t>{1, 6, 14, 15, 16}));
  EXPECT_EQ(parse_query_list("").size(), 22U);
  for (const char* wrong : {"0", "23", "a", "3-1", "1,,2", "-", "1-"}) {
    EXPECT_THROW(parse_query_list(wrong), Exception) << wrong;
  }
}

}  // namespace
}  // namespace weft::workload
