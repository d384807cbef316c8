#include "workload/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <thread>

#include "weft/build_info.hpp"

namespace weft::workload {
namespace {

using Json = nlohmann::ordered_json;

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

Verdict verdict_of(const std::string& text) {
  for (const Verdict verdict : {Verdict::Equal, Verdict::Different, Verdict::Undetermined}) {
    if (text == to_string(verdict)) return verdict;
  }
  return Verdict::Unchecked;
}

/// Milliseconds to the microsecond: more digits are noise.
double rounded(double ms) { return std::round(ms * 1000) / 1000; }

Json query_json(const QueryResult& query) {
  Json ms = Json::array();
  for (const double value : query.ms) ms.push_back(rounded(value));
  Json out = {{"query", query.query},
              {"ms", ms},
              {"planning_ms", rounded(query.planning_ms)},
              {"first_row_ms", rounded(query.first_row_ms)},
              {"cold_ms", rounded(query.cold_ms)},
              {"where", query.where},
              {"parity", to_string(query.parity)},
              {"rows", query.rows},
              {"peak_device_bytes", query.peak_device_bytes}};
  if (query.batches > 0) {
    out["batches"] = query.batches;
    out["bytes"] = query.bytes;
  }
  if (!query.error.empty()) out["error"] = query.error;
  return out;
}

QueryResult query_from_json(const Json& json) {
  QueryResult query;
  query.query = json.at("query").get<std::string>();
  query.ms = json.at("ms").get<std::vector<double>>();
  query.planning_ms = json.at("planning_ms").get<double>();
  query.first_row_ms = json.at("first_row_ms").get<double>();
  query.cold_ms = json.at("cold_ms").get<double>();
  query.where = json.at("where").get<std::string>();
  query.parity = verdict_of(json.at("parity").get<std::string>());
  query.rows = json.at("rows").get<uint64_t>();
  query.peak_device_bytes = json.at("peak_device_bytes").get<uint64_t>();
  query.batches = json.value("batches", uint64_t{0});
  query.bytes = json.value("bytes", uint64_t{0});
  query.error = json.value("error", "");
  return query;
}

std::string data_text(const Report& report) {
  return fmt::format("SF {}, {} files, {} bytes, {} rows", report.sf, report.data.files, report.data.bytes,
                     report.data.rows);
}

std::vector<std::string> query_names(const Report& report) {
  std::vector<std::string> names;
  for (const auto& query : report.queries) names.push_back(query.query);
  return names;
}

std::string time_cell(const QueryResult& query) {
  return query.ms.empty() ? "failed" : fmt::format("{:.1f}", median(query.ms));
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double Report::total_ms() const {
  double total = 0;
  for (const auto& query : queries) total += median(query.ms);
  return total;
}

Report new_report(const std::string& suite, const std::string& engine, session::Connection& connection) {
  Report report;
  report.suite = suite;
  report.engine = engine;
  report.host_cores = std::max(1U, std::thread::hardware_concurrency());
  report.commit = kCommit;
  report.date = utc_now();
  report.versions["weft"] = kVersion;
  report.versions["duckdb"] = run_query(connection, "SELECT version()").rows.at(0).at(0).text;
  if (const auto device = engine == "gpu" ? connection.device() : std::nullopt) {
    report.device = device->name;
    report.driver = device->driver;
    if (!device->runtime.empty()) report.versions["cuda"] = device->runtime;
  }
  return report;
}

std::string to_json(const Report& report) {
  Json queries = Json::array();
  for (const auto& query : report.queries) queries.push_back(query_json(query));
  const Json out = {{"suite", report.suite},
                    {"sf", report.sf},
                    {"engine", report.engine},
                    {"device", report.device},
                    {"driver", report.driver},
                    {"host_cores", report.host_cores},
                    {"versions", report.versions},
                    {"commit", report.commit},
                    {"date", report.date},
                    {"data", {{"files", report.data.files}, {"bytes", report.data.bytes}, {"rows", report.data.rows}}},
                    {"settings", report.settings},
                    {"queries", queries},
                    {"total_ms", rounded(report.total_ms())}};
  return out.dump(2) + "\n";
}

Report report_from_json(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    Report report;
    report.suite = json.at("suite").get<std::string>();
    report.sf = json.at("sf").get<double>();
    report.engine = json.at("engine").get<std::string>();
    report.device = json.at("device").get<std::string>();
    report.driver = json.at("driver").get<std::string>();
    report.host_cores = json.at("host_cores").get<uint32_t>();
    report.versions = json.at("versions").get<std::map<std::string, std::string>>();
    report.commit = json.at("commit").get<std::string>();
    report.date = json.at("date").get<std::string>();
    report.data.files = json.at("data").at("files").get<uint64_t>();
    report.data.bytes = json.at("data").at("bytes").get<uint64_t>();
    report.data.rows = json.at("data").at("rows").get<uint64_t>();
    report.data.sf = report.sf;
    report.settings = json.at("settings").get<std::map<std::string, std::string>>();
    for (const auto& query : json.at("queries")) report.queries.push_back(query_from_json(query));
    return report;
  } catch (const nlohmann::json::exception& e) {
    throw Exception(ErrorCode::InvalidInput,
                    std::string("this is no report of weft bench (docs/report.schema.json): ") + e.what());
  }
}

void write_report(const Report& report, const std::string& path) {
  std::ofstream out(path);
  out << to_json(report);
  out.close();
  if (!out) throw Exception(ErrorCode::IoError, "the report cannot be written to " + path);
}

Report read_report(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw Exception(ErrorCode::InvalidInput, "the report " + path + " cannot be read");
  std::ostringstream text;
  text << in.rdbuf();
  try {
    return report_from_json(text.str());
  } catch (const Exception& e) {
    throw Exception(e.code(), path + ": " + e.error().message);
  }
}

std::string comparison_refusal(const Report& a, const Report& b) {
  if (a.suite != b.suite) return fmt::format("other suites: {} and {}", a.suite, b.suite);
  if (data_text(a) != data_text(b)) return fmt::format("other data: {} against {}", data_text(a), data_text(b));
  if (query_names(a) != query_names(b)) return "other queries: both must have run the same ones";
  std::set<std::string> names;
  for (const auto* settings : {&a.settings, &b.settings}) {
    for (const auto& [name, value] : *settings) names.insert(name);
  }
  const auto text_of = [](const auto& settings, const std::string& name) {
    const auto found = settings.find(name);
    return found == settings.end() ? std::string("absent") : "'" + found->second + "'";
  };
  std::string differences;
  for (const std::string& name : names) {
    const bool in_both = a.settings.contains(name) && b.settings.contains(name);
    // A setting of the engine that the older of two builds did not have yet.
    if (!in_both && name.starts_with("weft_")) continue;
    const std::string in_a = text_of(a.settings, name);
    const std::string in_b = text_of(b.settings, name);
    if (in_a == in_b) continue;
    differences +=
        fmt::format("{}{} is {} in one and {} in the other", differences.empty() ? "" : "; ", name, in_a, in_b);
  }
  return differences.empty() ? "" : "other settings: " + differences;
}

std::string compare_reports(const Report& a, const Report& b) {
  const std::string refusal = comparison_refusal(a, b);
  if (!refusal.empty()) throw Exception(ErrorCode::InvalidInput, "these reports cannot be compared: " + refusal);
  std::string out =
      fmt::format("A: {} {} {} ({})\nB: {} {} {} ({})\n\n{:>5}  {:>10}  {:>10}  {:>7}\n", a.engine, a.device, a.commit,
                  a.date, b.engine, b.device, b.commit, b.date, "query", "A ms", "B ms", "B / A");
  for (size_t i = 0; i < a.queries.size(); ++i) {
    const bool both = !a.queries[i].ms.empty() && !b.queries[i].ms.empty();
    const std::string ratio =
        both ? fmt::format("{:.2f}", median(b.queries[i].ms) / std::max(1e-6, median(a.queries[i].ms))) : "";
    out += fmt::format("{:>5}  {:>10}  {:>10}  {:>7}\n", a.queries[i].query, time_cell(a.queries[i]),
                       time_cell(b.queries[i]), ratio);
  }
  out += fmt::format("{:>5}  {:>10.1f}  {:>10.1f}  {:>7.2f}\n", "total", a.total_ms(), b.total_ms(),
                     b.total_ms() / std::max(1e-6, a.total_ms()));
  return out;
}

}  // namespace weft::workload
