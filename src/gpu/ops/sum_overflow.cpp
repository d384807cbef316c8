#include "gpu/ops/sum_overflow.hpp"

#include <limits>

namespace weft::gpu {
namespace {

using plan::Int128;

constexpr Int128 kLeast = std::numeric_limits<Int128>::min();
constexpr Int128 kMost = std::numeric_limits<Int128>::max();

// high * 2^96 + low, low < 2^96: a sum of limbs, which needs more than 128 bits.
struct Total {
  Int128 high = 0;
  Int128 low = 0;
};

// nullopt: a limb is NULL.
std::optional<Total> total_of(const plan::Expr& sum, const std::vector<std::optional<std::string>>& row) {
  Total total;
  for (size_t k = 0; k < 4; ++k) {
    if (k < sum.children.size()) {
      const std::optional<std::string>& limb = row.at(sum.children[k]->column);
      if (!limb) return std::nullopt;
      total.high += std::stoll(*limb);
    }
    if (k == 3) break;
    total.low += (total.high & 0xffffffff) << (32 * k);
    total.high >>= 32;
  }
  return total;
}

// DuckDB's text, or nullopt if the sum is in range.
std::optional<std::string> text_of(const plan::Expr& sum, const Total& total) {
  constexpr Int128 kHalf = Int128{1} << 31;  // kMost + 1 = kHalf * 2^96
  if (total.high >= -kHalf && total.high < kHalf) {
    if (!sum.type.is_decimal()) return std::nullopt;
    Int128 limit = 1;
    for (int digits = 0; digits < sum.type.width; ++digits) limit *= 10;
    const Int128 value = total.high * (Int128{1} << 96) + total.low;
    if (value < limit && value > -limit) return std::nullopt;
    return "Overflow in SUM of DECIMAL: the result does not fit in DECIMAL(" + std::to_string(sum.type.width) + ")";
  }
  const bool above = total.high > 0;
  const Int128 beyond = above ? total.high - kHalf : total.high + kHalf;
  Int128 rest = above ? kMost : kLeast;
  const Int128 low = total.low + (above ? 1 : 0);
  const bool carries = low == Int128{1} << 96;
  if (beyond >= -kHalf && beyond < kHalf - (carries ? 1 : 0)) rest = beyond * (Int128{1} << 96) + low;
  return "Overflow in HUGEINT addition: " + plan::to_string(above ? kMost : kLeast) + " + " + plan::to_string(rest);
}

std::optional<std::string> find(const plan::Expr& expr, const std::vector<std::optional<std::string>>& row) {
  if (expr.kind == plan::ExprKind::Function && expr.function == "__from_limbs") {
    const auto total = total_of(expr, row);
    return total ? text_of(expr, *total) : std::nullopt;
  }
  for (const plan::ExprPtr& child : expr.children) {
    if (auto text = find(*child, row)) return text;
  }
  return std::nullopt;
}

}  // namespace

Error sum_overflow(const std::vector<plan::ExprPtr>& results, const std::vector<std::optional<std::string>>& row) {
  for (const plan::ExprPtr& result : results) {
    if (const auto text = find(*result, row)) {
      return Error{ErrorCode::DuckDbError, "Out of Range Error: " + *text, std::nullopt};
    }
  }
  return Error{ErrorCode::InternalError, "an aggregate failed, but its sums are in range", std::nullopt};
}

std::vector<ColumnPtr> evaluate_results(const TaskContext& context, const Expressions& compiled,
                                        const std::vector<plan::ExprPtr>& results, const Batch& states) {
  try {
    return compiled.evaluate(context, states);
  } catch (const Exception& e) {
    if (e.code() != ErrorCode::ExpressionError || !e.error().failure) throw;
    throw Exception(sum_overflow(results, e.error().failure->inputs));
  }
}

}  // namespace weft::gpu
