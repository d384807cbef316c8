// `weft bench host`: what the host side costs with no GPU. A stand-in for the backend takes the rows that DuckDB's
// tables and files feed to a GPU, and gives one-row batches as results.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

#include "workload/report.hpp"

namespace weft::workload {

struct HostBenchOptions {
  double million_rows = 10;  // of the table; the CSV file has a tenth
  uint32_t iterations = 5;
  std::string out;  // FILE.json; "": none
};

/// Runs on one thread of DuckDB; every time is processor time of the process from the statement's
/// start to its last batch, without its planning: a busy machine changes little.
/// The report's suite is "host", its scale the millions of rows. Queries:
///   table          a table of numbers, dates and short texts in a database file, through engine::BatchSource
///   memory_table   the same in memory
///   csv            the same columns from a CSV file
///   batches_in     batches of one row, each with a source, a pipeline and a queue of its own
///   batches_out    results of one row each, through the statement's stream
/// The last two are Weft's own cost of a batch and DuckDB's of running its tasks: there are no rows to speak of.
Report host_bench(const HostBenchOptions& options, std::ostream& out);

}  // namespace weft::workload
