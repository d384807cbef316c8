// TPC-H: data through tpchgen-cli (WEFT_TPCHGEN, ~/.cache/weft/venv/bin, PATH), the rest from DuckDB's extension.
#pragma once

#include "workload/suite.hpp"

namespace weft::workload {

const Suite& tpch();

}  // namespace weft::workload
