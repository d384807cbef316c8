// A DuckDB whose optimizer hook hands each plan to cut(): for the tests of translation.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "duckdb.hpp"
#include "plan/node.hpp"
#include "support/support.hpp"

namespace weft::sql::testing {

struct SeenLeaf {
  std::string description;
  std::vector<support::Refusal> why;
};

struct SeenPart {
  std::shared_ptr<const plan::Plan> plan;
  std::vector<SeenLeaf> leaves;
  std::vector<std::string> expressions;  // as DuckDB prints them, by id - 1
  std::vector<std::string> types;        // of DuckDB's root operator
};

/// What cut() said about one statement.
struct Seen {
  std::vector<SeenPart> parts;
  std::vector<support::Refusal> refusals;
  bool whole = false;
};

/// In memory, with tables t(a INTEGER, b BIGINT, c VARCHAR, d DECIMAL(15,2), e DATE) and u (the same columns), each
/// also as a Parquet file: views pt and pu. `folder` is a fresh temporary folder, removed at the end.
class TranslateDatabase {
 public:
  TranslateDatabase();
  ~TranslateDatabase();
  void execute(const std::string& statement);
  std::vector<std::string> query_texts(const std::string& statement);  // first column
  std::vector<std::string> query_rows(const std::string& statement);   // each row as one text
  /// Plans the statement without running it. Throws DuckDB's error, or what cut() or plan::validate threw.
  Seen see(const std::string& select, bool keep_trivial = false);
  const std::string& folder() const { return folder_; }

 private:
  struct Hook;
  void for_each_row(const std::string& statement,
                    const std::function<void(const duckdb::DataChunk&, duckdb::idx_t)>& visit);

  std::string folder_;
  std::shared_ptr<Hook> hook_;
  std::unique_ptr<duckdb::DuckDB> database_;
  std::unique_ptr<duckdb::Connection> connection_;
};

}  // namespace weft::sql::testing
