// `weft parity`: every query on both engines, every value compared, and DuckDB's published answers where there are any.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/log.hpp"
#include "session/connection.hpp"
#include "workload/compare.hpp"

namespace weft::workload {

struct ParityOptions {
  std::string suite = "tpch";
  std::string data;
  std::string queries;
  std::string backend = "auto";
  std::shared_ptr<engine::Backend> shared_backend;  // set: used in place of opening `backend` (tests)
  std::map<std::string, std::string> settings;
  std::string answers_dir;
  std::string out;  // JSON; "": none
  std::shared_ptr<Logger> logger;
};

struct ParityQuery {
  uint32_t query = 0;
  std::string where;                       // of Weft's run
  Verdict engines = Verdict::Unchecked;    // Weft against plain DuckDB
  bool tie_breakers = false;               // `engines` was decided by the query with tie-breakers added
  Verdict published = Verdict::Unchecked;  // Weft against the published answer
  uint64_t rows = 0;
  std::string detail;   // the first difference or the error
  std::string reasons;  // why parts ran on the CPU
};

struct ParityResult {
  double sf = 0;
  std::vector<ParityQuery> queries;
  /// No query differs between the engines or from a published answer, and none failed. (Undetermined ones, of which
  /// TPC-DS has one, are neither equal nor different.)
  bool ok() const;
  uint32_t native() const;  // queries that ran wholly on the GPU
};

ParityResult parity(const ParityOptions& options, std::ostream& out);

}  // namespace weft::workload
