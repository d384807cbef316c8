// `weft verify`: every query of the case files by plain DuckDB and by Weft, compared value for value.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/log.hpp"
#include "session/connection.hpp"

namespace weft::workload {

struct VerifyOptions {
  std::vector<std::string> files;
  std::string backend = "auto";                     // "auto", "gpu", "oracle", "none" (OpenOptions::backend)
  std::shared_ptr<engine::Backend> shared_backend;  // set: used in place of opening `backend` (tests)
  std::string expect_dir;                           // compare each query's placement with DIR/<file>.txt; "": do not
  bool update = false;                              // rewrite those files
  std::string only_case;                            // "": all
  std::map<std::string, std::string> settings;      // for Weft's side, e.g. {"batch_bytes", "65536"}
  bool verbose = false;                             // a line per query
  std::shared_ptr<Logger> logger;
};

struct VerifyFailure {
  std::string where;  // file:line (case)
  std::string sql;
  std::string what;
};

struct VerifyFile {
  std::string file;
  uint32_t queries = 0, errors = 0;         // compared results, expected errors
  uint32_t gpu = 0, mixed = 0, cpu = 0;     // where the queries ran
  std::map<std::string, uint32_t> reasons;  // "code name" -> how many queries
  std::vector<VerifyFailure> failures;
};

struct VerifySummary {
  std::vector<VerifyFile> files;
  bool ok() const;
};

/// Prints as it goes. Throws only if a file cannot be read, no case has the name wanted or the backend cannot be
/// opened.
VerifySummary verify(const VerifyOptions& options, std::ostream& out);

}  // namespace weft::workload
