#include "gpu/ops/moment_results.hpp"

#include <cmath>
#include <memory>
#include <utility>

namespace weft::gpu {
namespace {

using plan::CompareOp;
using plan::ExprPtr;
using plan::Type;
using plan::TypeId;

const Type kBigInt = Type::of(TypeId::BigInt);
const Type kDouble = Type::of(TypeId::Double);

ExprPtr number(double value) { return plan::constant(plan::Value::floating(kDouble, value)); }
ExprPtr null() { return plan::constant(plan::Value::null(kDouble)); }
ExprPtr binary(const char* op, const ExprPtr& a, const ExprPtr& b) { return plan::call(op, kDouble, {a, b}); }

ExprPtr more_than(const ExprPtr& count, int64_t limit) {
  return plan::comparison(CompareOp::Greater, count,
                          plan::constant(plan::Value::integer(kBigInt, plan::Int128{limit})));
}

// The figures of a pair's state that the functions are made of.
struct Pair {
  explicit Pair(const std::vector<ExprPtr>& state)
      : count(state[0]),
        n(plan::cast(state[0], kDouble, false)),
        mean_y(state[1]),
        mean_x(state[2]),
        covariance(binary("/", state[4], n)),
        variance_y(population_variance(count, state[3])),
        variance_x(population_variance(count, state[5])),
        products(state[4]) {}

  ExprPtr for_some(const ExprPtr& value) const { return case_when(more_than(count, 0), value, null()); }
  static ExprPtr varies(const ExprPtr& variance) { return plan::comparison(CompareOp::NotEqual, variance, number(0)); }

  ExprPtr correlation() const {
    const ExprPtr spread = binary("*", root(variance_x), root(variance_y));
    return case_when(varies(spread), binary("/", covariance, spread), number(std::nan("")));
  }
  ExprPtr slope() const {
    return case_when(varies(variance_x), binary("/", covariance, variance_x), number(std::nan("")));
  }
  ExprPtr intercept() const {
    const ExprPtr unknown = plan::call("isnan", Type::of(TypeId::Boolean), {slope()});
    return case_when(unknown, null(), binary("-", mean_y, binary("*", slope(), mean_x)));
  }
  ExprPtr determination() const {
    const ExprPtr square = binary("*", correlation(), correlation());
    return case_when(varies(variance_x), case_when(varies(variance_y), square, number(1)), null());
  }

  ExprPtr count, n, mean_y, mean_x, covariance, variance_y, variance_x, products;
};

}  // namespace

ExprPtr case_when(ExprPtr condition, ExprPtr then, ExprPtr otherwise) {
  plan::Expr expr;
  expr.kind = plan::ExprKind::Case;
  expr.type = then->type;
  expr.nullable = then->nullable || otherwise->nullable;
  expr.children = {std::move(condition), std::move(then), std::move(otherwise)};
  return std::make_shared<const plan::Expr>(std::move(expr));
}

ExprPtr population_variance(const ExprPtr& count, const ExprPtr& squares) {
  const ExprPtr ratio = binary("/", squares, plan::cast(count, kDouble, false));
  return case_when(more_than(count, 1), ratio, case_when(more_than(count, 0), number(0), null()));
}

ExprPtr sample_variance(const ExprPtr& count, const ExprPtr& squares) {
  const ExprPtr less = binary("-", plan::cast(count, kDouble, false), number(1));
  return case_when(more_than(count, 1), binary("/", squares, less), null());
}

ExprPtr root(const ExprPtr& value) { return plan::call("sqrt", kDouble, {value}); }

ExprPtr pair_result(std::string_view function, const std::vector<ExprPtr>& state, const Type& type) {
  const Pair pair(state);
  if (function == "covar_pop") return pair.for_some(pair.covariance);
  if (function == "covar_samp") return sample_variance(pair.count, pair.products);
  if (function == "corr") return pair.for_some(pair.correlation());
  if (function == "regr_count") return plan::cast(pair.count, type, true);
  if (function == "regr_slope") return pair.for_some(pair.slope());
  if (function == "regr_intercept") return pair.for_some(pair.intercept());
  if (function == "regr_r2") return pair.for_some(pair.determination());
  if (function == "regr_sxx") return binary("*", pair.n, pair.variance_x);
  if (function == "regr_syy") return binary("*", pair.n, pair.variance_y);
  if (function == "regr_sxy") return binary("*", pair.n, pair.for_some(pair.covariance));
  return nullptr;
}

}  // namespace weft::gpu
