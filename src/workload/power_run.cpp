#include "workload/power_run.hpp"

#include <algorithm>
#include <chrono>

namespace weft::workload {
namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

struct Run {
  double ms = 0;
  double first_row_ms = 0;
  std::vector<engine::HostBatch> batches;
  std::unique_ptr<session::Rows> rows;  // keeps the schema
};

Run run_once(session::Connection& connection, const std::string& sql) {
  Run run;
  const auto start = Clock::now();
  run.rows = connection.execute(sql);
  engine::HostBatch batch;
  while (run.rows->next(batch)) {
    if (run.batches.empty()) run.first_row_ms = ms_since(start);
    run.batches.push_back(std::move(batch));
  }
  run.ms = ms_since(start);
  if (run.batches.empty()) run.first_row_ms = run.ms;
  return run;
}

ResultTable to_table(const Run& run) {
  ResultTable table;
  table.columns = run.rows->columns();
  for (const auto& batch : run.batches) append_batch(run.rows->schema(), *batch.get(), table);
  return table;
}

}  // namespace

std::string reasons_text(const sql::StatementReport& report) {
  std::string text;
  for (const auto& refusal : report.refusals) {
    if (refusal.code == support::RefusalCode::HostTable) continue;
    if (!text.empty()) text += "; ";
    text += std::string(support::to_string(refusal.code)) + (refusal.name.empty() ? "" : " " + refusal.name);
  }
  return text;
}

MeasuredQuery measure_query(session::Connection& connection, const std::string& label, const std::string& sql,
                            uint32_t warmups, uint32_t iterations) {
  MeasuredQuery measured;
  QueryResult& result = measured.result;
  result.query = label;
  std::vector<double> planning;
  std::vector<double> first_row;
  const uint32_t runs = warmups + std::max(1U, iterations);
  try {
    for (uint32_t i = 0; i < runs; ++i) {
      Run run = run_once(connection, sql);
      if (i == 0) result.cold_ms = run.ms;
      if (i + 1 == runs) measured.answer = to_table(run);
      run.rows.reset();
      const sql::StatementReport report = connection.last_report();
      for (const auto& profile : report.profiles) {
        result.peak_device_bytes = std::max(result.peak_device_bytes, profile.peak_device_bytes);
      }
      result.where = report.where;
      measured.reasons = reasons_text(report);
      if (i < warmups) continue;
      result.ms.push_back(run.ms);
      planning.push_back(report.planning_ms);
      first_row.push_back(run.first_row_ms);
    }
  } catch (const Exception& e) {
    if (e.code() == ErrorCode::Cancelled) throw;
    result.error = e.what();
    result.ms.clear();
    return measured;
  }
  result.planning_ms = median(planning);
  result.first_row_ms = median(first_row);
  result.rows = measured.answer.rows.size();
  return measured;
}

Comparison check_answers(session::Connection& plain, const std::string& sql, const ResultTable& expected,
                         const ResultTable& actual) {
  const OrderPromise promise = order_promise(plain, sql, expected);
  return compare(expected, actual, promise, [&] { return run_query(plain, promise.unlimited_sql); });
}

Verdict check_published(const Suite& suite, session::Connection& plain, double sf, uint32_t number,
                        const std::string& sql, const ResultTable& answer, const std::string& answers_dir,
                        std::string& detail) {
  const auto published = published_answer(suite, plain, sf, number, answer, answers_dir);
  if (!published) return Verdict::Unchecked;
  const Comparison comparison = check_answers(plain, sql, *published, answer);
  if (comparison.verdict != Verdict::Equal && detail.empty()) detail = "published answer: " + comparison.detail;
  return comparison.verdict;
}

Verdict worst(Verdict a, Verdict b) {
  for (const Verdict verdict : {Verdict::Different, Verdict::Undetermined, Verdict::Equal}) {
    if (a == verdict || b == verdict) return verdict;
  }
  return Verdict::Unchecked;
}

}  // namespace weft::workload
