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

/// Which published answer, if there is one, a query's answer is compared with.
struct PublishedAnswer {
  const Suite& suite;
  double sf = 0;
  uint32_t query = 0;
  std::string answers_dir;  // as in published_answer
};
/// Unchecked if there is no such answer. `detail` gets the difference, if it holds none yet.
Verdict check_published(session::Connection& plain, const PublishedAnswer& published, const std::string& sql,
                        const ResultTable& answer, std::string& detail);

/// Compares two engines' answers to one statement; the rows without LIMIT come from `plain`.
Comparison check_answers(session::Connection& plain, const std::string& sql, const ResultTable& expected,
                         const ResultTable& actual);

/// `answered` gave `actual` to `sql` as its last statement, `plain` gave `expected`.
struct EngineAnswers {
  session::Connection& answered;
  session::Connection& plain;
  const std::string& sql;
  const ResultTable& expected;
  const ResultTable& actual;
};
struct Decision {
  Comparison comparison;
  bool tie_breakers = false;  // what the comparison of `sql` itself left open was decided by the statement without ties
};
/// check_answers(); where that is undetermined, both engines run the statement once more as break_ties() writes it. It
/// decides only if it ran where `sql` ran, and if DuckDB's answer to it is one of those that `sql` allows.
Decision decide(const EngineAnswers& answers);

/// Different beats undetermined beats equal beats unchecked.
Verdict worst(Verdict a, Verdict b);

}  // namespace weft::workload
