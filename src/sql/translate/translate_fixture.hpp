// The fixture of the tests that look at what a statement's plan becomes.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "plan/walk.hpp"
#include "sql/translate/translate_test_database.hpp"

namespace weft::sql::testing {

class TranslateTest : public ::testing::Test {
 protected:
  /// The whole plan of a statement that must translate whole and without refusals.
  plan::NodePtr whole(const std::string& select, bool keep_trivial = true) {
    seen = database.see(select, keep_trivial);
    EXPECT_TRUE(seen.whole) << select;
    EXPECT_THAT(texts(seen.refusals), ::testing::IsEmpty()) << select;
    if (seen.parts.size() != 1) throw std::runtime_error(select + ": not one part");
    return seen.parts[0].plan->root;
  }

  /// The first node of a kind, in pre-order; it must exist.
  template <typename T>
  const plan::Node& node(const plan::NodePtr& root) {
    const plan::Node* found = nullptr;
    plan::for_each_node(*root, [&](const plan::Node& candidate) {
      if (!found && candidate.as<T>()) found = &candidate;
    });
    if (!found) throw std::runtime_error("no such node in\n" + plan::print(*root));
    return *found;
  }
  template <typename T>
  const T& body(const plan::NodePtr& root) {
    return *node<T>(root).template as<T>();
  }

  static std::vector<std::string> texts(const std::vector<support::Refusal>& refusals) {
    std::vector<std::string> result;
    for (const auto& refusal : refusals)
      result.push_back(std::string(support::to_string(refusal.code)) + " " + refusal.name + " in " + refusal.node);
    return result;
  }

  /// Tables of a generator as Parquet views of the same names.
  void generate(const std::string& call) {
    database.execute(call);
    for (const auto& table :
         database.query_texts("SELECT table_name FROM duckdb_tables() WHERE table_name NOT IN ('t', 'u')")) {
      const std::string file = "'" + database.folder() + "/" + table + ".parquet'";
      database.execute("COPY " + table + " TO " + file);
      database.execute("DROP TABLE " + table);
      database.execute("CREATE VIEW " + table + " AS FROM " + file);
    }
  }

  /// Few rows, so that DuckDB builds from this side.
  void make_small_view() {
    const std::string file = "'" + database.folder() + "/small.parquet'";
    database.execute("COPY (SELECT * FROM u WHERE b IN (3, 500, 990)) TO " + file);
    database.execute("CREATE VIEW small AS FROM " + file);
  }

  TranslateDatabase database;
  Seen seen;
};

}  // namespace weft::sql::testing
