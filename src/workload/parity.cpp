#include "workload/parity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <ostream>

#include "workload/power_run.hpp"
#include "workload/small_queries.hpp"

namespace weft::workload {
namespace {

ParityQuery check_query(session::Connection& weft, session::Connection& plain, const PublishedAnswer& published) {
  ParityQuery query;
  query.query = published.query;
  const std::string sql = suite_query(plain, published.suite, published.query);
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
  const Decision decision = decide({weft, plain, sql, expected, actual});
  query.engines = decision.comparison.verdict;
  query.tie_breakers = decision.tie_breakers;
  query.detail = decision.comparison.detail;
  query.published = check_published(plain, published, sql, actual, query.detail);
  return query;
}

void print_query(const ParityQuery& query, std::ostream& out) {
  out << fmt::format("{:>5}  {:<6}  {:>8}  {:<12}  {:<12}{}\n", fmt::format("Q{}", query.query), query.where,
                     query.rows, to_string(query.engines), to_string(query.published),
                     query.reasons.empty() || query.where == "gpu" ? "" : "  " + query.reasons);
  if (query.tie_breakers) out << "       decided with tie-breakers added to its ORDER BY\n";
  if (!query.detail.empty()) out << "       " << query.detail << "\n";
  out << std::flush;
}

void write_json(const ParityOptions& options, const ParityResult& result) {
  nlohmann::ordered_json queries = nlohmann::ordered_json::array();
  for (const auto& query : result.queries) {
    queries.push_back({{"query", std::to_string(query.query)},
                       {"where", query.where},
                       {"engines", to_string(query.engines)},
                       {"tie_breakers", query.tie_breakers},
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
    const bool decided_otherwise = query.engines != Verdict::Equal && query.engines != Verdict::Undetermined;
    return !decided_otherwise && query.published != Verdict::Different;
  });
}

uint32_t ParityResult::native() const {
  return static_cast<uint32_t>(
      std::count_if(queries.begin(), queries.end(), [](const auto& query) { return query.where == "gpu"; }));
}

ParityResult parity(const ParityOptions& options, std::ostream& out) {
  const Suite& suite = find_suite(options.suite);
  const std::vector<uint32_t> numbers = parse_query_list(suite, options.queries);
  if (options.data.empty()) throw Exception(ErrorCode::InvalidInput, "--data needs the folder of the data");
  session::OpenOptions weft_open;
  weft_open.backend = options.backend;
  weft_open.shared_backend = options.shared_backend;
  weft_open.settings = small_on_gpu(options.settings);
  weft_open.logger = options.logger;
  session::OpenOptions plain_open;
  plain_open.engine = "duckdb";
  const auto weft_engine = session::open_engine(weft_open);
  const auto plain_engine = session::open_engine(plain_open);
  const auto weft = weft_engine->connect();
  const auto plain = plain_engine->connect();
  if (!weft->device()) out << "No GPU: Weft runs on the CPU (" << weft->no_device_reason() << ")\n";
  open_suite(*weft, suite, options.data);
  ParityResult result;
  result.sf = open_suite(*plain, suite, options.data).sf;
  out << fmt::format("{} SF {}\n{:>5}  {:<6}  {:>8}  {:<12}  {:<12}\n", suite.title, result.sf, "query", "where",
                     "rows", "to DuckDB", "to published");
  for (const uint32_t number : numbers) {
    result.queries.push_back(check_query(*weft, *plain, {suite, result.sf, number, options.answers_dir}));
    print_query(result.queries.back(), out);
  }
  const auto count = [&](auto&& holds) { return std::count_if(result.queries.begin(), result.queries.end(), holds); };
  const auto equal = count([](const auto& query) { return query.engines == Verdict::Equal; });
  const auto decided = count([](const auto& query) { return query.engines == Verdict::Equal && query.tie_breakers; });
  const auto open = count([](const auto& query) { return query.engines == Verdict::Undetermined; });
  out << fmt::format("{} of {} equal{}{}, {} wholly on the GPU\n", equal, result.queries.size(),
                     decided > 0 ? fmt::format(" ({} by tie-breakers)", decided) : "",
                     open > 0 ? fmt::format(", {} undetermined", open) : "", result.native());
  const auto folder = answers_folder(suite, result.sf, options.answers_dir);
  if (!std::filesystem::exists(folder)) {
    out << "Not compared with DuckDB's published answers: there is no " << folder.string() << "\n";
  }
  if (!options.out.empty()) write_json(options, result);
  return result;
}

}  // namespace weft::workload
