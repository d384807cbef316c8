#include "workload/functions_document.hpp"

#include <array>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "workload/result_table.hpp"

namespace weft::workload {
namespace {

// One row a function, by the name that DuckDB's aliases lead to. `constant`: it takes no argument and has one value a
// query, so that DuckDB's optimizer puts the value in its place. Collations and what DuckDB's plans use inside are no
// functions of the user's.
constexpr const char* kQuery = R"sql(
WITH listed AS (
  SELECT coalesce(nullif(alias_of, ''), function_name) AS canonical, function_name AS name, function_type AS kind,
         len(parameters) = 0 AND varargs IS NULL AND stability <> 'VOLATILE' AS folds,
         stability = 'VOLATILE' AS volatile
  FROM duckdb_functions()
  WHERE function_type IN ('scalar', 'aggregate', 'window') AND schema_name = 'main'
    AND NOT starts_with(function_name, '__internal') AND NOT starts_with(function_name, 'weft_')
    AND NOT regexp_matches(function_name, '^(icu_)?collate_'))
SELECT l.kind, l.canonical,
       coalesce(string_agg(DISTINCT l.name, ' ' ORDER BY l.name) FILTER (l.name <> l.canonical), '') AS aliases,
       CASE WHEN bool_or(f.support = 'native') THEN 'native'
            WHEN l.kind = 'scalar' AND bool_and(l.folds) THEN 'constant'
            WHEN bool_or(f.support = 'planned') THEN 'planned'
            ELSE 'CPU' END AS support
FROM listed l LEFT JOIN weft_functions() f ON f.name = l.name AND f.kind = l.kind
GROUP BY l.kind, l.canonical ORDER BY l.kind, l.canonical
)sql";

constexpr std::array<std::pair<const char*, const char*>, 3> kKinds{
    {{"scalar", "Scalar functions and operators"}, {"aggregate", "Aggregates"}, {"window", "Window functions"}}};

using Counts = std::map<std::string, size_t>;  // by support

std::string in_table(const std::string& name) {
  std::string text = "`";
  for (const char c : name) text += c == '|' ? std::string("\\|") : std::string(1, c);
  return text + "`";
}

std::string row(const std::vector<Cell>& cells) {
  std::string aliases;
  std::string word;
  for (const char c : cells[2].text + " ") {
    if (c != ' ') {
      word += c;
    } else if (!word.empty()) {
      aliases += (aliases.empty() ? "" : ", ") + in_table(word);
      word.clear();
    }
  }
  return fmt::format("| {} | {} | {} |\n", in_table(cells[1].text), aliases, cells[3].text);
}

}  // namespace

std::string functions_document(session::Connection& connection) {
  const ResultTable table = run_query(connection, kQuery);
  std::map<std::string, Counts> counts;
  std::map<std::string, std::string> rows;
  for (const auto& cells : table.rows) {
    ++counts[cells[0].text][cells[3].text];
    rows[cells[0].text] += row(cells);
  }
  std::string text =
      "# Functions\n\n"
      "This file is made from DuckDB's catalog (`duckdb_functions()`) and the tables of src/support\n"
      "(`FROM weft_functions()`); a test checks that it is current (`WEFT_UPDATE_DOCS=1` makes the test rewrite "
      "it).\n\n"
      "A function counts once, under the name that its aliases lead to. Collations and the functions that DuckDB's "
      "plans\nuse inside are left out; macros are not listed, since DuckDB writes them as what they stand for.\n\n"
      "- **native**: the GPU runs it, for the types that src/support/scalar_forms, aggregate_table and window_table "
      "list.\n"
      "- **constant**: it takes no argument and has one value a query, which DuckDB puts in its place before a plan is "
      "made.\n"
      "- **planned**: it runs on the CPU until its types or its kernel are there.\n"
      "- **CPU**: DuckDB's CPU engine runs it, and EXPLAIN says so.\n\n"
      "A native aggregate runs as a window function too, unless aggregate_table has it for groups alone.\n\n"
      "| kind | native | constant | planned | CPU |\n|---|---|---|---|---|\n";
  for (const auto& [kind, title] : kKinds) {
    Counts& of = counts[kind];
    text += fmt::format("| {} | {} | {} | {} | {} |\n", title, of["native"], of["constant"], of["planned"], of["CPU"]);
  }
  for (const auto& [kind, title] : kKinds) {
    text += fmt::format("\n## {}\n\n| function | aliases | where it runs |\n|---|---|---|\n{}", title, rows[kind]);
  }
  return text;
}

}  // namespace weft::workload
