// DuckDB's own error text for a value on which a backend found that an expression fails.
#pragma once

#include "base/error.hpp"
#include "duckdb.hpp"
#include "sql/gpu_execution.hpp"

namespace weft::sql {

/// Evaluates the expression that the failure names on its inputs, in DuckDB, so that DuckDB's own exception is thrown.
/// Returns if the failure names no expression, or if DuckDB does not fail on it (the sum of an aggregate).
void evaluate_failure(duckdb::ClientContext& context, const GpuPart& part, const ExpressionFailure& failure);

/// Throws the error of a part in DuckDB: evaluate_failure() if it carries a failure, else as throw_in_duckdb().
[[noreturn]] void throw_part_error(duckdb::ClientContext& context, const GpuPart& part, const Error& error);

}  // namespace weft::sql
