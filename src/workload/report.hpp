// The one JSON shape of every benchmark of the project: docs/report.schema.json.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "workload/compare.hpp"
#include "workload/suite.hpp"

namespace weft::workload {

struct QueryResult {
  std::string query;          // "1"
  std::vector<double> ms;     // the measured iterations
  double planning_ms = 0;     // median of the measured iterations
  double first_row_ms = 0;    // median
  double cold_ms = 0;         // the first run of all
  std::string where = "cpu";  // "gpu", "mixed", "cpu"
  Verdict parity = Verdict::Unchecked;
  uint64_t rows = 0;
  uint64_t peak_device_bytes = 0;
  std::string error;                // not empty: the query failed; ms is then empty
  uint64_t batches = 0, bytes = 0;  // suite "host": Arrow batches that crossed the seam
};

struct Report {
  std::string suite;  // Suite::name, or "host"
  double sf = 0;
  std::string engine;          // "gpu", "cpu"
  std::string device, driver;  // empty without a GPU
  uint32_t host_cores = 0;
  std::map<std::string, std::string> versions;
  std::string commit;
  std::string date;  // UTC, ISO 8601
  DataSummary data;
  std::map<std::string, std::string> settings;
  std::vector<QueryResult> queries;
  double total_ms() const;  // sum of medians
};

double median(std::vector<double> values);
/// Versions of Weft and DuckDB, commit, date, cores, device. `connection` is the one that will be measured.
Report new_report(const std::string& suite, const std::string& engine, session::Connection& connection);
std::string to_json(const Report& report);
/// Throws InvalidInput that names the field.
Report report_from_json(const std::string& text);
void write_report(const Report& report, const std::string& path);
Report read_report(const std::string& path);

/// Why the two must not be compared ("other data: 8 files, 34 GB against ..."); empty if they may.
std::string comparison_refusal(const Report& a, const Report& b);
/// A table: query, ms of a, ms of b, ratio; totals. Throws InvalidInput with comparison_refusal's text.
std::string compare_reports(const Report& a, const Report& b);

}  // namespace weft::workload
