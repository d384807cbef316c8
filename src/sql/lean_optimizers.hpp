// The optimizers that Weft plans without (docs/ARCHITECTURE.md). DuckDB keeps the list of disabled optimizers once per
// instance, so it is switched for the moments in which a statement is optimized and restored after them. A statement of
// another connection that is optimized in such a moment gets another, equally valid plan.
#pragma once

#include <mutex>

#include "duckdb.hpp"
#include "duckdb/common/enums/optimizer_type.hpp"
#include "duckdb/main/config.hpp"

namespace weft::sql {

class LeanOptimizers {
 public:
  LeanOptimizers();

  /// The lean list is in force while at least one Use lives. Thread-safe.
  class Use {
   public:
    Use(LeanOptimizers& lean, duckdb::DBConfig& config);
    ~Use();
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    LeanOptimizers& lean_;
    duckdb::DBConfig& config_;
  };

  const duckdb::set<duckdb::OptimizerType>& disabled() const { return disabled_; }

 private:
  duckdb::set<duckdb::OptimizerType> disabled_;
  std::mutex mutex_;
  int uses_ = 0;
  duckdb::set<duckdb::OptimizerType> before_;  // the user's own list
  duckdb::set<duckdb::OptimizerType> during_;  // what the first Use set
};

}  // namespace weft::sql
