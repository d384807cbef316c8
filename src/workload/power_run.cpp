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

/// The rows without their last `count` columns, under the names and types that `columns` gives the others.
ResultTable without_last(const ResultTable& table, size_t count, const std::vector<plan::Column>& columns) {
  ResultTable out = table;
  out.columns.resize(out.columns.size() - count);
  for (size_t i = 0; i < out.columns.size() && i < columns.size(); ++i) out.columns[i].name = columns[i].name;
  for (auto& row : out.rows) row.resize(out.columns.size());
  return out;
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

Decision decide(const EngineAnswers& answers) {
  Decision decision;
  decision.comparison = check_answers(answers.plain, answers.sql, answers.expected, answers.actual);
  if (decision.comparison.verdict != Verdict::Undetermined) return decision;
  const auto broken = break_ties(answers.plain, answers.sql, answers.expected);
  if (!broken) return decision;
  const auto undecided = [&](const std::string& why) {
    decision.comparison.detail += "; with tie-breakers: " + why;
    return decision;
  };
  try {
    const std::string where = answers.answered.last_report().where;
    const ResultTable expected = run_query(answers.plain, broken->sql);
    const ResultTable asked = without_last(expected, broken->added_columns, answers.expected.columns);
    const Comparison same_question = check_answers(answers.plain, answers.sql, answers.expected, asked);
    if (same_question.verdict == Verdict::Different) return undecided("another question: " + same_question.detail);
    const ResultTable actual = run_query(answers.answered, broken->sql);
    const std::string where_again = answers.answered.last_report().where;
    if (where_again != where) return undecided("it runs on " + where_again + ", not on " + where);
    const Comparison second = check_answers(answers.plain, broken->sql, expected, actual);
    // Rows whose floating keys agree up to their last places may come in either order.
    const bool floating = std::any_of(expected.columns.begin(), expected.columns.end(), is_floating);
    if (second.verdict != Verdict::Equal && floating) return undecided(second.detail);
    decision.comparison = second;
    decision.tie_breakers = second.verdict != Verdict::Undetermined;
  } catch (const Exception& e) {
    if (e.code() == ErrorCode::Cancelled) throw;
    return undecided(e.what());
  }
  return decision;
}

Verdict check_published(session::Connection& plain, const PublishedAnswer& published, const std::string& sql,
                        const ResultTable& answer, std::string& detail) {
  Comparison comparison;
  try {
    const auto expected =
        published_answer(plain, published.suite, published.sf, published.query, answer, published.answers_dir);
    if (!expected) return Verdict::Unchecked;
    comparison = check_answers(plain, sql, *expected, answer);
  } catch (const Exception& e) {
    if (e.code() == ErrorCode::Cancelled) throw;
    comparison = {Verdict::Different, false, e.what()};
  }
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
