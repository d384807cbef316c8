#include "fuzz/aggregates.hpp"

#include <algorithm>

#include "fuzz/values.hpp"

namespace weft::fuzz {

using plan::Type;
using plan::TypeId;
using support::AggregateForm;
using support::TypeClass;

namespace {

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Gives a value of the group as it stands, so that it depends on no rounding.
bool picks_a_value(std::string_view name) {
  return is_one_of(name, {"min", "max", "first", "last", "any_value"}) || name.starts_with("arg_");
}

Type result_type(const AggregateForm& form, const std::vector<ExprPtr>& arguments) {
  if (form.result == TypeId::Null) return arguments.at(0)->type;
  if (form.result == TypeId::Decimal) return Type::decimal(38, arguments.at(0)->type.scale);
  return Type::of(form.result);
}

}  // namespace

ExprPtr AggregateGenerator::argument(TypeClass type_class, const AggregateForm& form, const Scope& scope) {
  const std::vector<Type> types = expressions_.types_of(type_class);
  if (types.empty()) return nullptr;
  std::vector<Type> in_scope;
  for (const auto& column : scope.columns) {
    if (support::matches(type_class, column->type)) in_scope.push_back(column->type);
  }
  Want want{in_scope.empty() || random_.chance(25) ? random_.pick(types) : random_.pick(in_scope), 1, kNoLimit, true};
  const bool adds_up = !picks_a_value(form.name) && form.name != "count";
  // Sums of what is far from 0 depend on the order of rows, or overflow.
  if (adds_up && want.type.is_floating()) want.limit = form.name == "product" ? 2 : 50;
  if (adds_up && !risky_ && (want.type.id == TypeId::HugeInt || want.type.is_decimal())) {
    want.limit = std::min(1e20, greatest_of(want.type));
  }
  if (random_.chance(60)) want.depth = 0;
  return expressions_.make(want, scope);
}

bool AggregateGenerator::arguments_of(const AggregateForm& form, const Scope& scope, bool over_frame,
                                      std::vector<ExprPtr>& out) {
  const bool picks_by_order = is_one_of(form.name, {"first", "last", "any_value"});
  if (picks_by_order && !over_frame) {
    // Only a value that all rows of the group share is one answer.
    if (scope.constants.empty()) return false;
    out.push_back(clone(random_.pick(scope.constants)));
    return true;
  }
  if (form.argument != TypeClass::None) out.push_back(argument(form.argument, form, scope));
  if (form.second != TypeClass::None) out.push_back(argument(form.second, form, scope));
  if (std::any_of(out.begin(), out.end(), [](const ExprPtr& expr) { return !expr; })) return false;
  if (form.name.starts_with("arg_")) {
    if (scope.unique && random_.chance(70)) {
      out[1] = clone(scope.unique);
    } else {
      out[1] = clone(out[0]);
      if (out[0]->type.is_floating()) return false;  // 0.0 and -0.0 are ties
    }
  }
  return true;
}

ExprPtr AggregateGenerator::aggregate_call(const AggregateForm& form, const std::vector<ExprPtr>& arguments,
                                           bool distinct, const ExprPtr& filter) {
  const Type type = result_type(form, arguments);
  double bound = type.is_numeric() ? greatest_of(type) : kNoLimit;
  if (picks_a_value(form.name)) bound = arguments[0]->bound;
  Compose out(type, bound);
  const bool star = form.name == "count_star";
  out.text(star ? "count(*" : std::string(form.name) + "(");
  if (distinct) out.text("DISTINCT ", out.new_group());
  for (size_t i = 0; i < arguments.size(); ++i) out.text(i > 0 ? ", " : "").expr(arguments[i]);
  out.text(")");
  if (filter) {
    const int group = out.new_group();
    out.text(" FILTER (WHERE ", group).expr(filter, group).text(")", group);
  }
  auto made = out.done();
  if (type.is_floating() && !picks_a_value(form.name)) made->exact = false;
  return made;
}

ExprPtr AggregateGenerator::aggregate(const Scope& scope) {
  const AggregateForm& form = random_.pick(support::aggregate_forms());
  if (form.name == "sum_no_overflow") return nullptr;  // the planner's own: SQL cannot name it
  std::vector<ExprPtr> arguments;
  if (!arguments_of(form, scope, false, arguments)) return nullptr;
  const bool distinct = !arguments.empty() && random_.chance(15) && !form.name.starts_with("arg_");
  const ExprPtr filter = random_.chance(20) ? expressions_.predicate(scope, 1) : nullptr;
  // FILTER may leave a group without the row that the other rows share their value with: still one value, or NULL.
  return aggregate_call(form, arguments, distinct, filter);
}

// ---- windows

ExprPtr AggregateGenerator::range_key(const Scope& scope) {
  return expressions_.some_column(scope, [&](const Expr& column) {
    const bool number =
        column.type.is_numeric() && !column.type.is_unsigned() && column.bound <= kPlainBound && column.exact;
    const bool time = (column.type.id == TypeId::Date || column.type.id == TypeId::Timestamp) && column.bound <= 1;
    return number || time;
  });
}

std::string AggregateGenerator::bound(const std::string& unit, int kind, const ExprPtr& range_key) {
  if (kind == 0) return "UNBOUNDED PRECEDING";
  if (kind == 2) return "CURRENT ROW";
  if (kind == 4) return "UNBOUNDED FOLLOWING";
  const char* direction = kind == 1 ? " PRECEDING" : " FOLLOWING";
  const std::string number = std::to_string(random_.between(0, 4));
  if (unit != "RANGE") return number + direction;
  if (!range_key->type.is_numeric()) {
    static constexpr const char* kUnits[] = {"DAY", "MONTH", "HOUR", "WEEK"};
    return "INTERVAL '" + number + "' " + kUnits[random_.below(4)] + direction;
  }
  const bool fraction = !range_key->type.is_integer() && random_.chance(40);
  return number + (fraction ? ".5" : "") + direction;
}

AggregateGenerator::Frame AggregateGenerator::frame(const ExprPtr& range_key) {
  static constexpr const char* kUnits[] = {"ROWS", "ROWS", "GROUPS", "RANGE"};
  static constexpr const char* kExclude[] = {" EXCLUDE CURRENT ROW", " EXCLUDE GROUP", " EXCLUDE TIES",
                                             " EXCLUDE NO OTHERS"};
  Frame out;
  out.unit = kUnits[random_.below(4)];
  int start = static_cast<int>(random_.below(4));
  int end = 1 + static_cast<int>(random_.below(4));
  if (end < start) std::swap(start, end);
  const auto counts = [](int kind) { return kind == 1 || kind == 3; };
  if (out.unit == "RANGE" && !range_key) {
    if (counts(start)) start = start == 1 ? 0 : 2;
    if (counts(end)) end = end == 3 ? 4 : 2;
  }
  out.offsets = counts(start) || counts(end);
  const std::string from = bound(out.unit, start, range_key);
  const std::string to = bound(out.unit, end, range_key);
  out.text = " " + out.unit + " BETWEEN " + from + " AND " + to;
  if (random_.chance(25)) out.text += kExclude[random_.below(4)];
  return out;
}

ExprPtr AggregateGenerator::over(const ExprPtr& function, bool needs_total_order, bool may_have_frame,
                                 const Scope& scope) {
  Compose out(function->type, function->bound);
  out.expr(function).text(" OVER (");
  if (random_.chance(60)) {
    if (const auto partition = expressions_.key(scope, 1)) {
      const int group = out.new_group();
      out.text("PARTITION BY ", group).expr(partition, group).text(" ", group);
    }
  }
  const ExprPtr number_key = may_have_frame && random_.chance(40) ? range_key(scope) : nullptr;
  const bool framed = may_have_frame && random_.chance(60);
  const Frame chosen = framed ? frame(number_key) : Frame();
  const bool by_distance = chosen.unit == "RANGE" && chosen.offsets;
  const bool total = (needs_total_order || chosen.unit == "ROWS") && !by_distance;
  if (needs_total_order && by_distance) return nullptr;
  std::vector<ExprPtr> keys;
  if (number_key) keys.push_back(number_key);
  if (!by_distance && random_.chance(50)) {
    if (const auto key = expressions_.key(scope, 1)) keys.push_back(key);
  }
  if (total) {
    if (scope.identity.empty()) return nullptr;
    for (const auto& key : scope.identity) keys.push_back(clone(key));
  }
  if (keys.empty() && framed) return nullptr;
  for (size_t i = 0; i < keys.size(); ++i) {
    out.text(i == 0 ? "ORDER BY " : ", ").expr(keys[i]);
    if (random_.chance(35)) out.text(" DESC", out.new_group());
    if (random_.chance(30)) out.text(random_.chance(60) ? " NULLS FIRST" : " NULLS LAST", out.new_group());
  }
  if (framed) out.text(chosen.text, by_distance ? 0 : out.new_group());
  auto made = out.text(")").done();
  made->exact = function->exact;
  return made;
}

bool AggregateGenerator::window_arguments(const support::WindowForm& form, const Scope& scope,
                                          std::vector<ExprPtr>& out) {
  for (size_t i = 0; i < form.arguments.size() && form.arguments[i] != TypeClass::None; ++i) {
    const bool optional = i > 0 && is_one_of(form.name, {"lag", "lead"});
    if (optional && random_.chance(40)) break;
    const auto types = expressions_.types_of(form.arguments[i]);
    if (types.empty()) return false;
    if (i == 0 && form.arguments[i] == TypeClass::Any) {
      auto column = expressions_.some_column(scope, [](const Expr& one) { return one.exact; });
      if (!column) return false;
      out.push_back(random_.chance(70) ? column : expressions_.make({column->type, 1, kNoLimit, true}, scope));
    } else if (form.arguments[i] == TypeClass::BigInt) {
      const auto low = form.name == "ntile" || form.name == "nth_value" ? 1 : -1;
      out.push_back(Compose(types[0]).text(std::to_string(random_.between(low, 4))).done());
    } else {
      out.push_back(expressions_.leaf({out.empty() ? random_.pick(types) : out[0]->type, 0, kNoLimit, true}, scope));
    }
  }
  return true;
}

ExprPtr AggregateGenerator::window_aggregate(const Scope& scope) {
  std::vector<const AggregateForm*> forms;
  for (const auto& form : support::aggregate_forms()) {
    if (form.over_frames && form.name != "sum_no_overflow") forms.push_back(&form);
  }
  const AggregateForm& form = *random_.pick(forms);
  std::vector<ExprPtr> arguments;
  if (!arguments_of(form, scope, true, arguments)) return nullptr;
  // first(x) OVER is first_value(x), which has no FILTER.
  const bool may_filter = form.name != "first" && random_.chance(20);
  const ExprPtr filter = may_filter ? expressions_.predicate(scope, 1) : nullptr;
  const bool by_order = is_one_of(form.name, {"first", "last", "any_value"});
  return over(aggregate_call(form, arguments, false, filter), by_order, true, scope);
}

ExprPtr AggregateGenerator::window(const Scope& scope) {
  if (random_.chance(50)) return window_aggregate(scope);
  const support::WindowForm& form = random_.pick(support::window_forms());
  std::vector<ExprPtr> arguments;
  if (!window_arguments(form, scope, arguments)) return nullptr;
  const Type type = form.result == TypeId::Null ? arguments.at(0)->type : Type::of(form.result);
  const bool value = form.result == TypeId::Null;
  Compose out(type, value ? arguments[0]->bound : type.is_integer() ? greatest_of(type) : 1);
  out.text(std::string(form.name) + "(");
  for (size_t i = 0; i < arguments.size(); ++i) out.text(i > 0 ? ", " : "").expr(arguments[i]);
  if (form.ignore_nulls && random_.chance(25))
    out.text(random_.chance(80) ? " IGNORE NULLS" : " RESPECT NULLS", out.new_group());
  auto function = out.text(")").done();
  if (type.is_floating() && !value) function->exact = false;
  const bool ranks = is_one_of(form.name, {"rank", "dense_rank", "percent_rank", "cume_dist"});
  const bool frame = is_one_of(form.name, {"first_value", "last_value", "nth_value"});
  return over(function, !ranks, frame, scope);
}

}  // namespace weft::fuzz
