// For tests: compiles generated kernels with the host's C++ compiler and runs them on the CPU, so that their answers
// are checked without a GPU.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gpu/expr/generator.hpp"

namespace weft::gpu::test {

struct HostResult {
  std::vector<std::vector<plan::Value>> columns;  // per expression
  std::optional<uint64_t> failed_row;
  uint32_t failed_id = 0;
  std::vector<HostResult> rows_alone;  // HostRun::row_by_row: the same for each row by itself
};

using Rows = std::vector<std::vector<plan::Value>>;  // rows of cells

struct HostRun {
  std::vector<plan::Column> input;
  Rows rows;
  std::vector<plan::ExprPtr> expressions;
  bool filter = false;      // the expressions are conjuncts, the answer is their mask
  bool row_by_row = false;  // run every row by itself too
};

/// Runs many kernels out of one library, which takes a compiler less time than one library each.
std::vector<HostResult> run_on_host(const std::vector<HostRun>& runs);

/// Runs expressions over rows. Throws std::runtime_error with the compiler's output if the source does not compile.
HostResult run_on_host(const std::vector<plan::Column>& input, const Rows& rows,
                       const std::vector<plan::ExprPtr>& expressions);
/// The mask of a filter, as 0 and 1.
HostResult filter_on_host(const std::vector<plan::Column>& input, const Rows& rows,
                          const std::vector<plan::ExprPtr>& conjuncts);

}  // namespace weft::gpu::test
