// Expressions on the device. Fixed-width arithmetic, comparisons, logic, CASE, casts, dates and all predicates over
// text run in one kernel per expression list, generated from the plan and compiled at run time (NVRTC, cached on disk),
// row by row with DuckDB's semantics: overflow raises, CASE and COALESCE are lazy, a later conjunct sees only rows that
// passed. Functions that make text run on libcudf columns first, and their results are inputs of the kernel.
#pragma once

#include <memory>
#include <vector>

#include "gpu/column/batch.hpp"
#include "gpu/exec/task_context.hpp"
#include "plan/expression.hpp"

namespace weft::gpu {

class KernelCache;  // expr/kernel_cache.hpp: one per backend; compiles in the background

/// A list of expressions over rows of one type. Immutable, thread-safe. Its kernel starts compiling when it is made;
/// evaluate() waits for it. A list of plain column references compiles nothing and copies nothing.
class Expressions {
 public:
  static std::unique_ptr<Expressions> make(KernelCache& kernels, std::vector<plan::Column> input,
                                           std::vector<plan::ExprPtr> expressions);
  virtual ~Expressions() = default;
  /// One column per expression, of input.rows rows, complete on context.stream order (not synchronized, except when an
  /// expression can throw). Throws ExpressionError with the failing row's inputs.
  virtual std::vector<ColumnPtr> evaluate(const TaskContext& context, const Batch& input) const = 0;
};

/// Conjuncts as a row filter.
class Predicate {
 public:
  static std::unique_ptr<Predicate> make(KernelCache& kernels, std::vector<plan::Column> input,
                                         std::vector<plan::ExprPtr> conjuncts);
  virtual ~Predicate() = default;
  /// BOOL8 without nulls, true where every conjunct is TRUE.
  virtual std::unique_ptr<cudf::column> mask(const TaskContext& context, const Batch& input) const = 0;
  /// The rows that pass, columns projection[i] of the input. Synchronizes once (the number of rows).
  virtual Batch filter(const TaskContext& context, const Batch& input,
                       const std::vector<uint32_t>& projection) const = 0;
};

// Functions that only the backend writes into plan::Expr::function, for aggregates (ops/aggregate.cpp). All
// NULL-propagating.
//   __limb(x, k)              x: any integer or DECIMAL; k: constant 0..3. BIGINT: bits [32k, 32k+32) of x as a 128-bit
//                             two's complement integer, unsigned, except the last limb needed by x's type, which is
//                             signed (types up to 32 bits: limb 0 signed; 64 bits: limbs 0, 1; 128 bits: limbs 0..3).
//   __from_limbs(l0[, l1[, l2, l3]])  sums of limbs -> HUGEINT or DECIMAL(38, s) (the node's type); out of range
//   raises.
//   __average(total, count, s) total HUGEINT or DECIMAL(38): total / (count * 10^s) as DOUBLE; count 0 gives NULL.
//   __order_key(x)            FLOAT or DOUBLE -> BIGINT that orders as DuckDB does (-inf < ... < inf < NaN, -0 = 0).
//   __from_order_key(k)       back to the node's type.
//   __normalize(x)            FLOAT or DOUBLE with one NaN and one zero: for group keys and join keys.
//   __uuid(x)                 BLOB of 16 bytes, as Parquet stores a UUID -> UUID.
//   __grouping(key, g...)     BIGINT: bit g of the key for each constant g, the first one highest.

}  // namespace weft::gpu
