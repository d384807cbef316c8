#include "workload/functions_document.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "workload/result_table.hpp"

namespace weft::workload {
namespace {

std::unique_ptr<session::Engine> engine() {
  session::OpenOptions options;
  options.backend = "none";
  return session::open_engine(options);
}

TEST(FunctionsDocument, IsCurrent) {
  const auto opened = engine();
  const std::string document = functions_document(*opened->connect());
  const std::string path = std::string(WEFT_SOURCE_DIR) + "/docs/functions.md";
  if (std::getenv("WEFT_UPDATE_DOCS") != nullptr) std::ofstream(path) << document;
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  EXPECT_EQ(text.str(), document) << "run this test with WEFT_UPDATE_DOCS=1 to rewrite docs/functions.md";
}

// A name that DuckDB does not know would be a form that no plan can reach.
TEST(FunctionsDocument, TheTablesNameOnlyFunctionsOfDuckDb) {
  const auto opened = engine();
  const auto connection = opened->connect();
  const ResultTable unknown = run_query(
      *connection,
      "SELECT name FROM weft_functions() WHERE (name, kind) NOT IN (SELECT (function_name, function_type) FROM "
      "duckdb_functions())");
  std::set<std::string> names;
  for (const auto& row : unknown.rows) names.insert(row[0].text);
  EXPECT_EQ(names, std::set<std::string>{});
}

}  // namespace
}  // namespace weft::workload
