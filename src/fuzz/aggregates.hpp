// Random calls of aggregates and window functions, made from support::aggregate_forms() and support::window_forms().
#pragma once

#include "fuzz/expressions.hpp"
#include "support/aggregate_table.hpp"
#include "support/window_table.hpp"

namespace weft::fuzz {

class AggregateGenerator {
 public:
  AggregateGenerator(Random& random, ExpressionGenerator& expressions, bool risky)
      : random_(random), expressions_(expressions), risky_(risky) {}

  /// sum(DISTINCT x) FILTER (WHERE p): null where what was chosen has no answer of its own here, such as first(x) in a
  /// group of several x.
  ExprPtr aggregate(const Scope& scope);
  /// f(x) OVER (...), of one answer: over an order that leaves no ties where ties would matter. Null as above.
  ExprPtr window(const Scope& scope);

 private:
  struct Frame {
    std::string text;
    bool offsets = false;  // counts rows, groups or distances
    std::string unit;
  };

  ExprPtr argument(support::TypeClass type_class, const support::AggregateForm& form, const Scope& scope);
  bool arguments_of(const support::AggregateForm& form, const Scope& scope, bool over_frame, std::vector<ExprPtr>& out);
  ExprPtr aggregate_call(const support::AggregateForm& form, const std::vector<ExprPtr>& arguments, bool distinct,
                         const ExprPtr& filter);
  bool window_arguments(const support::WindowForm& form, const Scope& scope, std::vector<ExprPtr>& out);
  ExprPtr window_aggregate(const Scope& scope);
  ExprPtr range_key(const Scope& scope);
  Frame frame(const ExprPtr& range_key);
  std::string bound(const std::string& unit, int kind, const ExprPtr& range_key);
  /// Adds OVER (...) behind `function`.
  ExprPtr over(const ExprPtr& function, bool needs_total_order, bool may_have_frame, const Scope& scope);

  Random& random_;
  ExpressionGenerator& expressions_;
  bool risky_;
};

}  // namespace weft::fuzz
