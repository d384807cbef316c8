// `weft bench`: a power run. The cpu engine is DuckDB as its users run it: a process of its own without Weft's hooks.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/log.hpp"
#include "workload/report.hpp"

namespace weft::workload {

struct BenchOptions {
  std::string suite = "tpch";
  double sf = 0;  // 0: as found in the data; else checked against it
  std::string data;
  std::string engine = "both";  // "gpu", "cpu", "both"
  std::string queries;          // parse_query_list
  uint32_t warmups = 1;
  uint32_t iterations = 3;
  std::string out;  // FILE.json; with "both" the cpu report goes to FILE.cpu.json; FILE.svg beside it. "": none
  std::string backend = "auto";  // for engine gpu: OpenOptions::backend
  std::map<std::string, std::string> settings;
  std::string answers_dir;   // published_answer
  bool cpu_process = false;  // hidden flag --cpu-process: this is the process of the cpu engine
  std::string results_dir;   // hidden flag --results: where the cpu process leaves its answers
  std::string program;       // path of weft for the cpu process; "": this program
  std::shared_ptr<Logger> logger;
};

struct BenchResult {
  std::optional<Report> gpu, cpu;
  bool ok() const;  // every query ran and none is "different"
};

/// Prints a line per query and totals on `out`. Throws InvalidInput for wrong options, NoDevice for engine gpu without
/// one.
BenchResult bench(const BenchOptions& options, std::ostream& out);

}  // namespace weft::workload
