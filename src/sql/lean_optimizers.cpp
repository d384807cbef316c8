#include "sql/lean_optimizers.hpp"

#include "sql/database.hpp"

namespace weft::sql {

LeanOptimizers::LeanOptimizers() {
  for (const auto& name : disabled_optimizers()) disabled_.insert(duckdb::OptimizerTypeFromString(name));
  disabled_.insert(duckdb::OptimizerType::ROW_GROUP_PRUNER);
}

LeanOptimizers::Use::Use(LeanOptimizers& lean, duckdb::DBConfig& config) : lean_(lean), config_(config) {
  const std::lock_guard<std::mutex> guard(lean_.mutex_);
  if (lean_.uses_++ > 0) return;
  lean_.before_ = config_.GetDisabledOptimizers();
  lean_.during_ = lean_.before_;
  lean_.during_.insert(lean_.disabled_.begin(), lean_.disabled_.end());
  config_.SetDisabledOptimizers(lean_.during_);
}

LeanOptimizers::Use::~Use() {
  const std::lock_guard<std::mutex> guard(lean_.mutex_);
  if (--lean_.uses_ > 0) return;
  // A list that somebody has SET in the meantime stays.
  if (config_.GetDisabledOptimizers() == lean_.during_) config_.SetDisabledOptimizers(lean_.before_);
}

}  // namespace weft::sql
