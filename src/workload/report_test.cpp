#include "workload/report.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "workload/chart.hpp"

namespace weft::workload {
namespace {

using nlohmann::json;

bool has_type(const json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  return false;
}

/// The first breach of the part of JSON Schema that docs/report.schema.json uses; empty: valid.
std::string breach(const json& value, const json& schema, const std::string& path) {
  if (schema.contains("type") && !has_type(value, schema["type"])) return path + ": is no " + schema["type"].dump();
  if (schema.contains("enum")) {
    const auto& allowed = schema["enum"];
    if (std::find(allowed.begin(), allowed.end(), value) == allowed.end())
      return path + ": is none of " + allowed.dump();
  }
  if (schema.contains("minimum") && value.get<double>() < schema["minimum"].get<double>()) return path + ": too small";
  if (schema.contains("exclusiveMinimum") && value.get<double>() <= schema["exclusiveMinimum"].get<double>()) {
    return path + ": too small";
  }
  if (schema.contains("pattern") &&
      !std::regex_search(value.get<std::string>(), std::regex(schema["pattern"].get<std::string>()))) {
    return path + ": does not match";
  }
  for (const auto& name : schema.value("required", json::array())) {
    if (!value.contains(name.get<std::string>())) return path + ": lacks " + name.dump();
  }
  if (value.is_array() && schema.contains("items")) {
    for (size_t i = 0; i < value.size(); ++i) {
      if (auto found = breach(value[i], schema["items"], path + "/" + std::to_string(i)); !found.empty()) return found;
    }
  }
  if (!value.is_object()) return "";
  const json properties = schema.value("properties", json::object());
  const json others = schema.value("additionalProperties", json(true));
  for (const auto& [name, member] : value.items()) {
    const std::string below = path + "/" + name;
    if (!properties.contains(name) && others.is_boolean()) {
      if (!others.get<bool>()) return below + ": is not known";
      continue;
    }
    const json& rule = properties.contains(name) ? properties[name] : others;
    if (auto found = breach(member, rule, below); !found.empty()) return found;
  }
  return "";
}

Report example() {
  Report report;
  report.suite = "tpch";
  report.sf = 0.01;
  report.engine = "gpu";
  report.device = "NVIDIA H200";
  report.driver = "580.1";
  report.host_cores = 16;
  report.versions = {{"weft", "0.1.0"}, {"duckdb", "v2.0.1"}};
  report.commit = "0123456789ab";
  report.date = "2026-12-01T10:00:00Z";
  report.data = {10, 1000, 86805, 0.01};
  report.settings = {{"weft_mode", "auto"}, {"warmups", "1"}};
  report.queries = {{"1", {3, 1, 2}, 0.5, 1.5, 9, "gpu", Verdict::Equal, 4, 1024, ""},
                    {"6", {100, 200}, 0.5, 1.5, 9, "mixed", Verdict::Unchecked, 1, 0, ""},
                    {"9", {}, 0, 0, 0, "cpu", Verdict::Unchecked, 0, 0, "it failed"}};
  report.queries[1].batches = 12;
  report.queries[1].bytes = 96;
  return report;
}

json schema() {
  std::ifstream in(std::string(WEFT_SOURCE_DIR) + "/docs/report.schema.json");
  return json::parse(in);
}

TEST(Report, IsAsTheSchemaSays) {
  const json report = json::parse(to_json(example()));
  EXPECT_EQ(breach(report, schema(), ""), "");
  EXPECT_EQ(report["total_ms"], 152.0);
  EXPECT_EQ(report["queries"][0]["parity"], "equal");
}

TEST(Report, TheSchemaRefusesWhatIsWrong) {
  const json good = json::parse(to_json(example()));
  json bad = good;
  bad.erase("commit");
  EXPECT_EQ(breach(bad, schema(), ""), ": lacks \"commit\"");
  bad = good;
  bad["queries"][1]["where"] = "moon";
  EXPECT_NE(breach(bad, schema(), ""), "");
  bad = good;
  bad["queries"][0]["ms"][1] = -1;
  EXPECT_EQ(breach(bad, schema(), ""), "/queries/0/ms/1: too small");
  bad = good;
  bad["surplus"] = 1;
  EXPECT_EQ(breach(bad, schema(), ""), "/surplus: is not known");
  bad = good;
  bad["date"] = "yesterday";
  EXPECT_NE(breach(bad, schema(), ""), "");
}

TEST(Report, ReadsBackWhatItWrites) {
  const std::string text = to_json(example());
  EXPECT_EQ(to_json(report_from_json(text)), text);
  EXPECT_THROW(report_from_json("{}"), Exception);
  EXPECT_THROW(report_from_json("no json"), Exception);
}

TEST(Report, MediansAreMedians) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_EQ(median({}), 0);
}

TEST(Report, OnlyLikeIsComparedWithLike) {
  const Report a = example();
  Report b = example();
  b.queries[0].ms = {6};
  b.engine = "cpu";
  EXPECT_EQ(comparison_refusal(a, b), "");
  const std::string text = compare_reports(a, b);
  EXPECT_NE(text.find("3.00"), std::string::npos) << text;  // Q1: 2 ms against 6 ms
  EXPECT_NE(text.find("failed"), std::string::npos) << text;
  b.data.bytes = 2000;
  EXPECT_NE(comparison_refusal(a, b).find("other data"), std::string::npos);
  EXPECT_THROW(compare_reports(a, b), Exception);
  b = example();
  b.settings["weft_mode"] = "native_required";
  EXPECT_EQ(comparison_refusal(a, b), "other settings: weft_mode is 'auto' in one and 'native_required' in the other");
  b = example();
  b.settings["weft_not_there_before"] = "1";
  EXPECT_EQ(comparison_refusal(a, b), "") << "a setting that the other build did not have";
  b.settings.erase("warmups");
  EXPECT_EQ(comparison_refusal(a, b), "other settings: warmups is '1' in one and absent in the other");
  b.settings["weft_mode"] = "native_required";
  EXPECT_EQ(comparison_refusal(a, b),
            "other settings: warmups is '1' in one and absent in the other; weft_mode is 'auto' in one and "
            "'native_required' in the other");
  b = example();
  b.queries.pop_back();
  EXPECT_NE(comparison_refusal(a, b).find("other queries"), std::string::npos);
}

size_t count(const std::string& text, const std::string& word) {
  size_t found = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
  return found;
}

TEST(Chart, HasABarForEveryMeasuredQuery) {
  Report other = example();
  other.engine = "cpu";
  other.device = "";
  const std::string svg = bar_chart({example(), other}, "TPC-H <SF 1>");
  EXPECT_EQ(count(svg, "<title>"), 4U);  // 2 reports, 2 queries that ran
  EXPECT_EQ(count(svg, "</svg>"), 1U);
  EXPECT_NE(svg.find("TPC-H &lt;SF 1&gt;"), std::string::npos);
  EXPECT_NE(svg.find("Q9</text>"), std::string::npos);
}

TEST(Chart, IsLogarithmicOnlyOverTwoPowersOfTen) {
  Report report = example();
  report.queries[0].ms = {1};
  report.queries[1].ms = {50};
  EXPECT_EQ(bar_chart({report}, "t").find("logarithmic"), std::string::npos);
  report.queries[1].ms = {5000};
  EXPECT_NE(bar_chart({report}, "t").find("logarithmic"), std::string::npos);
}

}  // namespace
}  // namespace weft::workload
