// tests/functions/*.cases hold calls and DuckDB's answers; src/gpu/expr/function_cases_test.cpp runs the same calls as
// generated kernels. WEFT_UPDATE_DOCS=1 makes this test rewrite the answers.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "workload/result_table.hpp"

namespace weft::tests {
namespace {

std::vector<std::string> split(const std::string& text, const std::string& between) {
  std::vector<std::string> parts;
  size_t from = 0;
  for (size_t at; (at = text.find(between, from)) != std::string::npos; from = at + between.size()) {
    parts.push_back(text.substr(from, at - from));
  }
  parts.push_back(text.substr(from));
  return parts;
}

std::string quoted(const std::string& text) {
  std::string sql = "'";
  for (const char c : text) sql += c == '\'' ? std::string("''") : std::string(1, c);
  return sql + "'";
}

// A cell as SQL. Dates and timestamps are numbers of days and ticks, intervals are months, days and microseconds.
std::string as_sql(const std::string& type, const std::string& cell) {
  if (cell == "NULL") return "CAST(NULL AS " + type + ")";
  if (type == "VARCHAR") return quoted(cell.substr(1, cell.size() - 2));
  const bool infinite = cell.ends_with("infinity");
  if (type == "DATE" && !infinite) return "make_date(CAST(" + cell + " AS INTEGER))";
  if (type == "TIMESTAMP" && !infinite) return "make_timestamp(CAST(" + cell + " AS BIGINT))";
  if (type == "TIMESTAMP_NS" && !infinite) return "make_timestamp_ns(CAST(" + cell + " AS BIGINT))";
  if (type == "TIMESTAMP WITH TIME ZONE" && !infinite) return "make_timestamptz(CAST(" + cell + " AS BIGINT))";
  if (type == "TIME" && cell == "86400000000") return "TIME '24:00:00'";
  if (type == "TIME") return "CAST(make_timestamp(CAST(" + cell + " AS BIGINT)) AS TIME)";
  if (type == "INTERVAL") {
    const auto parts = split(cell, " ");
    return "(to_months(" + parts.at(0) + ") + to_days(" + parts.at(1) + ") + to_microseconds(" + parts.at(2) + "))";
  }
  // A decimal is given as its unscaled number.
  if (type.starts_with("DECIMAL(")) {
    const std::string scale = type.substr(type.find(',') + 1);
    return "CAST(CAST(" + quoted(cell) + " AS DECIMAL(38, 0)) / 10 ** " + scale.substr(0, scale.size() - 1) + " AS " +
           type + ")";
  }
  return "CAST(" + quoted(cell) + " AS " + type + ")";
}

struct Form {
  std::string function;
  std::vector<std::string> types;
  std::string result;
};

Form read_form(const std::string& line) {
  const size_t open = line.find('(', line.find(' ') + 1);
  const size_t close = line.rfind(") -> ");
  Form form{line.substr(5, open - 5), split(line.substr(open + 1, close - open - 1), "; "), line.substr(close + 5)};
  for (std::string& type : form.types) {
    if (type.starts_with("const ")) type = type.substr(6);
  }
  return form;
}

std::string answer(session::Connection& connection, const Form& form, const std::string& row) {
  const auto cells = split(row, " | ");
  std::string arguments;
  for (size_t i = 0; i < cells.size(); ++i) {
    arguments += (i == 0 ? "" : ", ") + as_sql(form.types.at(i), cells[i]);
  }
  std::string call = "\"" + form.function + "\"(" + arguments + ")";
  if (form.result == "INTERVAL") call = "(TIMESTAMP '2000-01-31' + " + call + ")";
  try {
    const auto cell = workload::run_query(connection, "SELECT CAST(" + call + " AS VARCHAR)").rows.at(0).at(0);
    if (cell.kind == workload::Cell::Kind::Null) return "NULL";
    return form.result == "VARCHAR" ? "'" + cell.text + "'" : cell.text;
  } catch (const std::exception& error) {
    return "! " + split(error.what(), "\n").front();
  }
}

TEST(FunctionCases, HoldDuckDbsAnswers) {
  session::OpenOptions options;
  options.engine = "duckdb";
  options.backend = "none";
  const auto engine = session::open_engine(options);
  const auto connection = engine->connect();
  for (const auto& entry : std::filesystem::directory_iterator(std::string(WEFT_SOURCE_DIR) + "/tests/functions")) {
    if (entry.path().extension() != ".cases") continue;
    std::ifstream file(entry.path());
    std::string line, before, after;
    Form form;
    while (std::getline(file, line)) {
      before += line + "\n";
      if (line.starts_with("form ")) form = read_form(line);
      if (line.empty() || line[0] == '#' || line.starts_with("form ")) {
        after += line + "\n";
        continue;
      }
      const std::string row = line.substr(0, line.rfind(" => "));
      after += row + " => " + answer(*connection, form, row) + "\n";
    }
    if (std::getenv("WEFT_UPDATE_DOCS") != nullptr) std::ofstream(entry.path()) << after;
    EXPECT_EQ(before, after) << "run this test with WEFT_UPDATE_DOCS=1 to rewrite " << entry.path();
  }
}

}  // namespace
}  // namespace weft::tests
