// The table at the end of `make demo`: query, GPU ms, CPU ms, where it ran, parity.
#pragma once

#include <iosfwd>
#include <memory>
#include <string>

#include "base/log.hpp"

namespace weft::workload {

struct DemoOptions {
  std::string data;  // TPC-H as Parquet
  std::string answers_dir;
  std::string backend = "auto";
  std::shared_ptr<Logger> logger;
};

/// Without a GPU: one line that says so and why, CPU times, and for each query whether its plan is wholly supported.
/// Returns false if a query failed or differed.
bool demo(const DemoOptions& options, std::ostream& out);

}  // namespace weft::workload
