#include "workload/parity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <ostream>

#include "workload/power_run.hpp"
#include "workload/suite.hpp"

namespace weft::workload {
namespace {

ParityQuery check_query(const Suite& suite, session::Connection& weft, session::Connection& plain, uint32_t number,
                        double sf, const ParityOptions& options) {
  ParityQuery query;
  query.query = number;
  const std::string sql = query_text(suite, plain, number);
  const ResultTable expected = run_query(plain, sql);
  ResultTable actual;
  try {
    actual = run_query(weft, sql);
  } catch (const Exception& e) {
    if (e.code() == ErrorCode::Cancelled) throw;
    query.engines = Verdict::Different;
    query.where = "failed";
    query.detail = e.what();
    return query;
  }
  const sql::StatementReport report = weft.last_report();
  query.where = report.where;
  query.reasons = reasons_text(report);
  query.rows = actual.rows.size();
  const Comparison comparison = check_answers(plain, sql, expected, actual);
  query.engines = comparison.verdict;
  query.detail = comparison.detail;
  query.published = check_published(suite, plain, sf, number, sql, actual, options.answers_dir, query.detail);
  return query;
}

void print_query(const ParityQuery& query, std::ostream& out) {
  out << fmt::format("{:>5}  {:<6}  {:>8}  {:<12}  {:<12}{}\n", fmt::format("Q{}", query.query), query.where,
                     query.rows, to_string(query.engines), to_string(query.published),
                     query.reasons.empty() || query.where == "gpu" ? "" : "  " + query.reasons);
  if (!query.detail.empty()) out << "       " << query.detail << "\n";
  out << std::flush;
}

void write_json(const ParityOptions& options, const ParityResult& result) {
  nlohmann::ordered_json queries = nlohmann::ordered_json::array();
  for (const auto& query : result.queries) {
    queries.push_back({{"query", std::to_string(query.query)},
                       {"where", query.where},
                       {"engines", to_string(query.engines)},
                       {"published", to_string(query.published)},
                       {"rows", query.rows},
                       {"reasons", query.reasons},
                       {"detail", query.detail}});
  }
  const nlohmann::ordered_json json = {{"suite", options.suite},
                                       {"sf", result.sf},
                                       {"equal", result.ok()},
                                       {"native", result.native()},
                                       {"queries", queries}};
  std::ofstream out(options.out);
  out << json.dump(2) << "\n";
  out.close();
  if (!out) throw Exception(ErrorCode::IoError, "the result cannot be written to " + options.out);
}

}  // namespace

bool ParityResult::ok() const {
  return std::all_of(queries.begin(), queries.end(), [](const auto& query) {
    const bool published_agrees = query.published == Verdict::Equal || query.published == Verdict::Unchecked;
    return query.engines == Verdict::Equal && published_agrees;
  });
}

uint32_t ParityResult::native() const {
  return static_cast<uint32_t>(
      std::count_if(queries.begin(), queries.end(), [](const auto& query) { return query.where == "gpu"; }));
}

ParityResult parity(const ParityOptions& options, std::ostream& out) {
  const Suite& suite = find_suite(options.suite);
  if (options.data.empty()) throw Exception(ErrorCode::InvalidInput, "--data needs the folder of the data");
  session::OpenOptions weft_open;
  weft_open.backend = options.backend;
  weft_open.shared_backend = options.shared_backend;
  weft_open.settings = options.settings;
  weft_open.logger = options.logger;
  session::OpenOptions plain_open;
  plain_open.engine = "duckdb";
  const auto weft_engine = session::open_engine(weft_open);
  const auto plain_engine = session::open_engine(plain_open);
  const auto weft = weft_engine->connect();
  const auto plain = plain_engine->connect();
  if (!weft->device()) out << "No GPU: Weft runs on the CPU (" << weft->no_device_reason() << ")\n";
  open_data(suite, *weft, options.data);
  ParityResult result;
  result.sf = open_data(suite, *plain, options.data).sf;
  out << fmt::format("{} SF {}\n{:>5}  {:<6}  {:>8}  {:<12}  {:<12}\n", suite.title, result.sf, "query", "where",
                     "rows", "to DuckDB", "to published");
  for (const uint32_t number : parse_query_list(suite, options.queries)) {
    result.queries.push_back(check_query(suite, *weft, *plain, number, result.sf, options));
    print_query(result.queries.back(), out);
  }
  const auto equal = std::count_if(result.queries.begin(), result.queries.end(),
                                   [](const auto& query) { return query.engines == Verdict::Equal; });
  out << fmt::format("{} of {} equal, {} wholly on the GPU\n", equal, result.queries.size(), result.native());
  if (!options.out.empty()) write_json(options, result);
  return result;
}

}  // namespace weft::workload
