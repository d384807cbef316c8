// tests/functions/*.cases: calls with the answers of DuckDB (tests/function_cases_test.cpp asks it), here given by the
// generated kernels on the CPU, each row alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>

#include "gpu/expr/host_harness.hpp"
#include "support/function_table.hpp"

namespace weft::gpu::test {
namespace {

using plan::ExprPtr;
using plan::Type;
using plan::TypeId;
using plan::Value;

struct Argument {
  Type type;
  bool constant = false;
};
struct CaseRow {
  std::vector<std::string> cells;
  std::string expected;
  size_t line = 0;
};
struct CaseForm {
  std::string function;
  std::vector<Argument> arguments;
  Type result;
  std::vector<CaseRow> rows;
};

Type type_named(const std::string& name) {
  if (name.starts_with("DECIMAL(")) {
    const size_t comma = name.find(',');
    return Type::decimal(static_cast<uint8_t>(std::stoi(name.substr(8))),
                         static_cast<uint8_t>(std::stoi(name.substr(comma + 1))));
  }
  for (int id = 0; id <= static_cast<int>(TypeId::Unsupported); ++id) {
    const auto type_id = static_cast<TypeId>(id);
    if (type_id == TypeId::Decimal || type_id == TypeId::Enum || type_id == TypeId::Unsupported) continue;
    if (Type::of(type_id).to_string() == name) return Type::of(type_id);
  }
  throw std::runtime_error("no type " + name);
}

std::vector<std::string> split(const std::string& text, const std::string& between) {
  std::vector<std::string> parts;
  size_t from = 0;
  for (size_t at; (at = text.find(between, from)) != std::string::npos; from = at + between.size()) {
    parts.push_back(text.substr(from, at - from));
  }
  parts.push_back(text.substr(from));
  return parts;
}

std::string unquoted(const std::string& text) {
  return text.size() >= 2 && text.front() == '\'' ? text.substr(1, text.size() - 2) : text;
}

Value value_of(const Type& type, const std::string& cell) {
  if (cell == "NULL") return Value::null(type);
  if (type.id == TypeId::Varchar) return Value::text(unquoted(cell));
  if (type.id == TypeId::Boolean) return Value::boolean(cell == "true");
  if (type.is_floating()) return Value::floating(type, std::strtod(cell.c_str(), nullptr));
  if (type.id == TypeId::Interval) {
    const auto parts = split(cell, " ");
    return Value{type, plan::IntervalValue{std::stoi(parts.at(0)), std::stoi(parts.at(1)), std::stoll(parts.at(2))}};
  }
  const plan::Int128 infinite = type.id == TypeId::Date ? INT32_MAX : INT64_MAX;
  if (cell == "infinity") return Value::integer(type, infinite);
  if (cell == "-infinity") return Value::integer(type, -infinite);
  plan::Int128 number = 0;
  for (const char c : cell) {
    if (c >= '0' && c <= '9') number = number * 10 + (cell[0] == '-' ? -(c - '0') : c - '0');
  }
  return Value::integer(type, number);
}

// form NAME(TYPE; const TYPE) -> TYPE
CaseForm read_form(const std::string& line) {
  CaseForm form;
  const size_t open = line.find('(', line.find(' ') + 1);
  const size_t close = line.rfind(") -> ");
  form.function = line.substr(5, open - 5);
  for (std::string argument : split(line.substr(open + 1, close - open - 1), "; ")) {
    const bool constant = argument.starts_with("const ");
    if (constant) argument = argument.substr(6);
    form.arguments.push_back({type_named(argument), constant});
  }
  form.result = type_named(line.substr(close + 5));
  return form;
}

std::vector<CaseForm> read_forms(const std::filesystem::path& path) {
  std::vector<CaseForm> forms;
  std::ifstream file(path);
  std::string line;
  for (size_t number = 1; std::getline(file, line); ++number) {
    if (line.empty() || line[0] == '#') continue;
    if (line.starts_with("form ")) {
      forms.push_back(read_form(line));
      continue;
    }
    const size_t arrow = line.rfind(" => ");
    forms.back().rows.push_back({split(line.substr(0, arrow), " | "), line.substr(arrow + 4), number});
  }
  return forms;
}

// A call over the columns; constants are in its text. Its answer as text.
ExprPtr call_of(const CaseForm& form, const CaseRow& row) {
  std::vector<ExprPtr> arguments;
  for (size_t a = 0; a < form.arguments.size(); ++a) {
    const Type& type = form.arguments[a].type;
    arguments.push_back(form.arguments[a].constant ? plan::constant(value_of(type, row.cells.at(a)))
                                                   : plan::column_ref(static_cast<uint32_t>(a), type, true));
  }
  ExprPtr call = plan::call(form.function, form.result, arguments, true);
  EXPECT_EQ(support::check_function(*call), support::FunctionVerdict::Supported) << plan::to_string(*call);
  const Type moment = Type::of(TypeId::Timestamp);
  if (form.result.id == TypeId::Interval) {
    call = plan::call("+", moment, {plan::constant(Value::integer(moment, 949276800000000)), call}, true);
  }
  return form.result.id == TypeId::Varchar ? call : plan::cast(call, Type::of(TypeId::Varchar), false);
}

bool same_answer(const Type& type, const std::string& expected, const std::string& answer) {
  if (expected == answer) return true;
  if (!type.is_floating()) return false;
  const double a = std::strtod(expected.c_str(), nullptr), b = std::strtod(answer.c_str(), nullptr);
  return std::fabs(a - b) <= 1e-13 * std::max(std::fabs(a), std::fabs(b));
}

class FunctionCases : public ::testing::TestWithParam<std::string> {};

TEST_P(FunctionCases, KernelsAnswerAsDuckDb) {
  const auto forms = read_forms(GetParam());
  ASSERT_FALSE(forms.empty());
  // One kernel for each form and each choice of its constants.
  std::vector<HostRun> runs;
  std::vector<std::vector<const CaseRow*>> rows;
  std::vector<const CaseForm*> form_of_run;
  for (const CaseForm& form : forms) {
    std::map<std::string, size_t> run_of;
    for (const CaseRow& row : form.rows) {
      ASSERT_EQ(row.cells.size(), form.arguments.size()) << "line " << row.line;
      std::string constants;
      std::vector<Value> cells;
      for (size_t a = 0; a < row.cells.size(); ++a) {
        const Argument& argument = form.arguments[a];
        if (argument.constant) constants += row.cells[a] + "\n";
        cells.push_back(argument.constant ? Value::null(Type::of(TypeId::Integer))
                                          : value_of(argument.type, row.cells[a]));
      }
      const auto [entry, added] = run_of.try_emplace(constants, runs.size());
      if (added) {
        HostRun run;
        for (const Argument& argument : form.arguments) {
          run.input.push_back({"c", argument.constant ? Type::of(TypeId::Integer) : argument.type, true});
        }
        run.expressions = {call_of(form, row)};
        run.row_by_row = true;
        runs.push_back(std::move(run));
        rows.emplace_back();
        form_of_run.push_back(&form);
      }
      runs[entry->second].rows.push_back(std::move(cells));
      rows[entry->second].push_back(&row);
    }
  }
  const std::vector<HostResult> results = run_on_host(runs);
  for (size_t k = 0; k < runs.size(); ++k) {
    for (size_t r = 0; r < rows[k].size(); ++r) {
      const HostResult& alone = results[k].rows_alone.at(r);
      const CaseRow& row = *rows[k][r];
      const std::string where = form_of_run[k]->function + ", line " + std::to_string(row.line);
      EXPECT_EQ(alone.failed_row.has_value(), row.expected.starts_with("! ")) << where << ": " << row.expected;
      if (alone.failed_row || row.expected.starts_with("! ")) continue;
      const Value& cell = alone.columns.at(0).at(0);
      const std::string expected = form_of_run[k]->result.id == TypeId::Varchar ? unquoted(row.expected) : row.expected;
      const std::string answer = cell.is_null() ? "NULL" : cell.as_text();
      EXPECT_TRUE(same_answer(form_of_run[k]->result, expected, answer))
          << where << ": " << answer << " instead of " << expected;
    }
  }
}

std::vector<std::string> case_files() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(WEFT_SOURCE_DIR) + "/tests/functions")) {
    if (entry.path().extension() == ".cases") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

INSTANTIATE_TEST_SUITE_P(Files, FunctionCases, ::testing::ValuesIn(case_files()),
                         [](const auto& info) { return std::filesystem::path(info.param).stem().string(); });

}  // namespace
}  // namespace weft::gpu::test
