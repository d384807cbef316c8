// TPC-DS: data, queries and answers from DuckDB's extension. dsdgen makes the tables in memory (about 1.4 GB a scale
// factor; DuckDB spills into the folder what does not fit), then they are copied to Parquet.
#pragma once

#include "workload/suite.hpp"

namespace weft::workload {

const Suite& tpcds();

}  // namespace weft::workload
