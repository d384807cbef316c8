// TPC-DS's data, through the generator that DuckDB carries.
#pragma once

#include <iosfwd>
#include <string>

namespace weft::workload {

struct TpcdsGenerate {
  double sf = 1;
  std::string out;  // made if it is missing; holds <table>/*.parquet afterwards
  bool overwrite = false;
};

/// Makes the 24 tables in memory (about 1.2 GB for each unit of scale) and writes them as Parquet, large ones with
/// every thread into a file of its own. Does nothing if the folder already holds this scale. Throws IoError when the
/// folder cannot be written, InvalidInput.
void generate_tpcds(const TpcdsGenerate& options, std::ostream& out);

}  // namespace weft::workload
