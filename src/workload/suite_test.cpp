#include "workload/suite.hpp"

#include <gtest/gtest.h>

#include "workload/tpcds.hpp"
#include "workload/tpch.hpp"

namespace weft::workload {
namespace {

TEST(Suite, IsFoundByItsName) {
  EXPECT_EQ(find_suite("tpch").tables.size(), 8U);
  EXPECT_EQ(find_suite("tpcds").tables.size(), 24U);
  EXPECT_THROW(find_suite("tpcx"), Exception);
}

TEST(Suite, QueryListsAreNumbersAndRanges) {
  EXPECT_EQ(parse_query_list(tpch(), "6,1,14-16,1"), (std::vector<uint32_t>{1, 6, 14, 15, 16}));
  EXPECT_EQ(parse_query_list(tpch(), "").size(), 22U);
  EXPECT_EQ(parse_query_list(tpcds(), "98-99").size(), 2U);
  for (const char* wrong : {"0", "23", "a", "3-1", "1,,2", "-", "1-"}) {
    EXPECT_THROW(parse_query_list(tpch(), wrong), Exception) << wrong;
  }
}

TEST(Suite, RowsTellTheScale) {
  EXPECT_EQ(tpch().scale_of(1000000), 100);
  // store_sales of dsdgen at these scales.
  EXPECT_EQ(tpcds().scale_of(28810), 0.01);
  EXPECT_EQ(tpcds().scale_of(2880404), 1);
  EXPECT_EQ(tpcds().scale_of(28800991), 10);
  EXPECT_EQ(tpcds().scale_of(287997024), 100);
  EXPECT_EQ(tpcds().scale_of(8640000), 3);
  EXPECT_EQ(tpcds().scale_of(0), 0);
}

}  // namespace
}  // namespace weft::workload
