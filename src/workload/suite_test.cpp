#include "workload/suite.hpp"

#include <gtest/gtest.h>

namespace weft::workload {
namespace {

TEST(Suite, QueryListsAreNumbersAndRanges) {
  EXPECT_EQ(parse_query_list(find_suite("tpch"), "6,1,14-16,1"), (std::vector<uint32_t>{1, 6, 14, 15, 16}));
  EXPECT_EQ(parse_query_list(find_suite("tpch"), "").size(), 22U);
  for (const char* wrong : {"0", "23", "a", "3-1", "1,,2", "-", "1-"}) {
    EXPECT_THROW(parse_query_list(find_suite("tpch"), wrong), Exception) << wrong;
  }
}

TEST(Suite, NamesAreKnown) {
  EXPECT_EQ(find_suite("tpcds").queries, 99U);
  EXPECT_EQ(find_suite("tpcds").tables.size(), 24U);
  EXPECT_EQ(parse_query_list(find_suite("tpcds"), "98-99").size(), 2U);
  EXPECT_THROW(find_suite("tpcx"), Exception);
}

}  // namespace
}  // namespace weft::workload
