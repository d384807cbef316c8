// `weft fuzz`: random queries over random tables by plain DuckDB and by Weft, compared value for value. What differs is
// reduced and written as a case file that `weft verify` runs again.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/log.hpp"
#include "fuzz/coverage.hpp"
#include "fuzz/trial.hpp"

namespace weft::fuzz {

struct FuzzOptions {
  uint64_t seed = 1;
  uint64_t queries = 1000;
  uint64_t first = 0;  // number of the first query: a query is told by (seed, number) alone
  double seconds = 0;  // stop after so long; 0: no limit
  /// "oracle"; "gpu": the GPU and the oracle, or an error; "auto": "gpu" if there is one, else "oracle"; "none": Weft
  /// without a backend.
  std::string backend = "auto";
  std::shared_ptr<engine::Backend> shared_backend;  // set: the one side, in place of `backend` (tests)
  std::map<std::string, std::string> settings;      // for Weft's sides
  std::string out = ".";                            // the folder of case files; made when there is one to write
  uint32_t limit_s = 30;                            // of one statement
  uint32_t most_mismatches = 20;                    // stop after so many
  bool reduce = true;
  uint32_t reduce_s = 60;  // for one mismatch, at most
  bool write_all = false;  // a case file of each query, whatever comes of it
  bool verbose = false;    // a line for each query that is not equal
  std::shared_ptr<Logger> logger;
};

struct Mismatch {
  uint64_t query = 0;
  Judgement judgement;
  std::string sql;   // reduced
  std::string file;  // the case file; empty: it could not be written
};

struct FuzzSummary {
  uint64_t queries = 0, equal = 0, same_error = 0;
  std::map<std::string, uint64_t> undetermined, invalid;  // by reason
  uint64_t gpu = 0, mixed = 0, cpu = 0;                   // where they ran on the last side
  std::map<std::string, uint64_t> refusals;               // "code name" -> how many queries
  std::vector<Mismatch> mismatches;
  std::map<std::string, uint64_t> device_bytes;  // by side: what was not given back
  Coverage coverage;
  double seconds = 0;
  bool ok() const { return mismatches.empty(); }
};

/// Prints mismatches as they come and the summary at the end. Throws if the backend cannot be opened or a case file
/// cannot be written.
FuzzSummary run_fuzz(const FuzzOptions& options, std::ostream& out);

}  // namespace weft::fuzz
