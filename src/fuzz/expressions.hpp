// Random expressions of a wanted type. What is made comes from the tables of src/support, so that a function, cast or
// aggregate that becomes native is fuzzed with no change here.
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "fuzz/random.hpp"
#include "fuzz/statement.hpp"
#include "support/function_table.hpp"

namespace weft::fuzz {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

struct Want {
  plan::Type type;
  int depth = 2;            // of what may be below it
  double limit = kNoLimit;  // numbers: none may be further from 0; times: finite: near the present
  bool exact = false;       // no floating value that may differ in its last places: its digits will decide something
};

/// What can be named at a place of a query. Expressions are cloned where they are used.
struct Scope {
  std::vector<ExprPtr> columns;
  std::vector<ExprPtr> identity;   // together they tell any two rows apart that differ at all
  bool rows_differ = false;        // no two rows are the same in `identity`
  ExprPtr unique;                  // alone it does; null: no such column is known
  std::vector<ExprPtr> constants;  // of a grouping: the groups, each of one value in a group

  void add(const Scope& other);
};

/// Appends text, expressions and subqueries. The expression is exact if all in it are.
class Compose {
 public:
  explicit Compose(plan::Type type, double bound = 0);
  Compose& text(std::string text, int group = 0);
  Compose& expr(const ExprPtr& expr, int group = 0);
  Compose& query(const QueryPtr& query);
  int new_group() { return ++groups_; }
  ExprPtr done() { return expr_; }

 private:
  ExprPtr expr_;
  int groups_ = 0;
};

class ExpressionGenerator {
 public:
  /// `risky`: what may raise is made as anything else; else overflow, zero divisors and failing casts are avoided.
  ExpressionGenerator(Random& random, bool risky) : random_(random), risky_(risky) {}

  ExprPtr make(const Want& want, const Scope& scope);
  ExprPtr predicate(const Scope& scope, int depth);
  /// A cast, or a call of any form of the table: so that none is rare because its type is.
  ExprPtr any_call(const Scope& scope, int depth, bool exact);
  /// A column, or a literal if none fits.
  ExprPtr leaf(const Want& want, const Scope& scope);
  /// A column of the wanted type, or one cast to it; null: none fits.
  ExprPtr column_as(const Want& want, const Scope& scope);
  ExprPtr literal(const Want& want);
  /// A type that a column of the scope has, or any.
  plan::Type some_type(const Scope& scope);
  /// An expression that names a column: for keys, where a literal would be a position. Null: the scope has no column
  /// that fits.
  ExprPtr key(const Scope& scope, int depth);
  ExprPtr some_column(const Scope& scope, const std::function<bool(const Expr&)>& fits);
  std::vector<plan::Type> types_of(support::TypeClass type_class) const;

  /// Makes a subquery of the wanted type; asked for now and then where a subquery may stand. Null: none.
  std::function<ExprPtr(const Want&, const Scope&)> subquery;

 private:
  bool usable(const support::ScalarForm& form, const Want& want);
  ExprPtr call(const Want& want, const Scope& scope);
  ExprPtr call_of(const support::ScalarForm& form, const Want& want, const Scope& scope);
  std::vector<plan::Type> argument_types(const support::ScalarForm& form, const Want& want);
  Want argument_want(const support::ScalarForm& form, size_t i, const plan::Type& type, const Want& want);
  ExprPtr argument(const support::ScalarForm& form, size_t i, const Want& want, const Scope& scope);
  ExprPtr constant_argument(const support::ScalarForm& form, size_t i, const plan::Type& type);
  void keep_from_constant(const support::ScalarForm& form, const std::vector<plan::Type>& types, const Want& want,
                          const Scope& scope, std::vector<ExprPtr>& arguments);
  ExprPtr divisor(const Want& want, const Scope& scope);
  ExprPtr spelled(const support::ScalarForm& form, const Want& want, const std::vector<ExprPtr>& arguments);
  ExprPtr cast(const Want& want, const Scope& scope);
  ExprPtr branches(const Want& want, const Scope& scope);
  ExprPtr comparison(const Scope& scope, int depth);
  ExprPtr in_list(const Scope& scope, int depth);
  const std::vector<const support::ScalarForm*>& forms_giving(const plan::Type& type);
  std::string spelling(std::string_view name);

  Random& random_;
  bool risky_;
  std::map<std::string, std::vector<const support::ScalarForm*>> forms_;
};

/// Functions whose floating results may differ in their last places from one machine to another.
bool is_inexact_function(std::string_view name);

}  // namespace weft::fuzz
