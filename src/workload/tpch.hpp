// TPC-H's data, through tpchgen-cli.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

namespace weft::workload {

struct TpchGenerate {
  double sf = 1;
  std::string out;     // made if it is missing; holds <table>/*.parquet afterwards
  uint32_t parts = 0;  // files per large table; 0: by the scale (1 to 64)
  std::string row_group_bytes = "128MB";
  bool overwrite = false;
};

/// Runs tpchgen-cli (WEFT_TPCHGEN, ~/.cache/weft/venv/bin, PATH), its progress on `out`. Does nothing if the folder
/// already holds this scale. Throws LibraryMissing that says how to install it, IoError with its message.
void generate_tpch(const TpchGenerate& options, std::ostream& out);

}  // namespace weft::workload
