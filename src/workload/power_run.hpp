// Measuring one query, and checking its answer: what bench, parity and demo share.
#pragma once

#include <cstdint>
#include <string>

#include "workload/report.hpp"

namespace weft::workload {

struct MeasuredQuery {
  QueryResult result;
  ResultTable answer;   // of the last iteration
  std::string reasons;  // why parts ran on the CPU: "code name; code name"
};

/// Runs it warmups + iterations times (at least once). A failure is in `result.error`, not thrown; Cancelled is thrown.
MeasuredQuery measure_query(session::Connection& connection, const std::string& label, const std::string& sql,
                            uint32_t warmups, uint32_t iterations);

/// The refusals of a report that say why parts ran on the CPU, as one line.
std::string reasons_text(const sql::StatementReport& report);

/// Compares with DuckDB's published answer. Unchecked if there is none for this scale. `detail` gets the difference.
Verdict check_published(const Suite& suite, session::Connection& plain, double sf, uint32_t number,
                        const std::string& sql, const ResultTable& answer, const std::string& answers_dir,
                        std::string& detail);

/// Compares two engines' answers to one statement; the rows without LIMIT come from `plain`.
Comparison check_answers(session::Connection& plain, const std::string& sql, const ResultTable& expected,
                         const ResultTable& actual);

/// Different beats undetermined beats equal beats unchecked.
Verdict worst(Verdict a, Verdict b);

}  // namespace weft::workload
