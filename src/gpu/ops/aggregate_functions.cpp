#include "gpu/ops/aggregate_functions.hpp"

#include <memory>
#include <numeric>
#include <set>
#include <string>

#include "base/error.hpp"

namespace weft::gpu {
namespace {

using plan::ExprPtr;
using plan::Type;
using plan::TypeId;

const Type kBigInt = Type::of(TypeId::BigInt);
const Type kDouble = Type::of(TypeId::Double);
const Type kHugeInt = Type::of(TypeId::HugeInt);
const Type kTinyInt = Type::of(TypeId::TinyInt);

ExprPtr int_constant(const Type& type, int64_t value) {
  return plan::constant(plan::Value::integer(type, plan::Int128{value}));
}

ExprPtr case_when(ExprPtr condition, ExprPtr then, ExprPtr otherwise) {
  plan::Expr expr;
  expr.kind = plan::ExprKind::Case;
  expr.type = then->type;
  expr.nullable = then->nullable || otherwise->nullable;
  expr.children = {std::move(condition), std::move(then), std::move(otherwise)};
  return std::make_shared<const plan::Expr>(std::move(expr));
}

ExprPtr when_kept(const ExprPtr& filter, const ExprPtr& value) {
  return filter ? case_when(filter, value, plan::constant(plan::Value::null(value->type))) : value;
}

ExprPtr cast_to(const ExprPtr& value, const Type& type) {
  return value->type == type ? value : plan::cast(value, type, false);
}

ExprPtr normalized(const ExprPtr& value) {
  return value->type.is_floating() ? plan::call("__normalize", value->type, {value}) : value;
}

// The argument in a type whose highest limb is signed.
ExprPtr limb_argument(const ExprPtr& value) {
  switch (value->type.id) {
    case TypeId::Boolean:
    case TypeId::UTinyInt:
    case TypeId::USmallInt:
      return plan::cast(value, Type::of(TypeId::Integer), false);
    case TypeId::UInteger:
      return plan::cast(value, kBigInt, false);
    case TypeId::UBigInt:
      return plan::cast(value, kHugeInt, false);
    default:
      return value;
  }
}

int64_t limbs_of(const Type& type) {
  if (type.is_decimal()) return type.width <= 9 ? 1 : type.width <= 18 ? 2 : 4;
  if (type.id == TypeId::BigInt) return 2;
  return type.id == TypeId::HugeInt ? 4 : 1;
}

// Adds parts to a grouping; the same part is there once. Gives results as expressions over the state row.
class GroupingBuilder {
 public:
  GroupingBuilder(Grouping& grouping, const std::vector<ExprPtr>& groups) : grouping_(grouping) {
    grouping_.keys = static_cast<uint32_t>(groups.size());
    for (const ExprPtr& group : groups) {
      grouping_.inputs.push_back(normalized(group));
      grouping_.state_row.push_back(plan::Column{"", group->type, group->nullable});
    }
  }

  ExprPtr add(const std::string& name, const plan::AggregateCall& call, const ExprPtr& filter) {
    if (name == "count_star") return count(filter ? int_constant(kTinyInt, 1) : nullptr, filter);
    WEFT_INVARIANT(call.arguments.size() == 1, "an aggregate of one argument");
    const ExprPtr& argument = call.arguments[0];
    if (name == "count") return count(argument, filter);
    if (name == "sum" || name == "sum_no_overflow") return sum(when_kept(filter, argument), call.type);
    if (name == "avg" || name == "mean") return average(argument, filter);
    if (name == "min" || name == "bool_and") return extreme(MergeKind::Min, when_kept(filter, argument));
    if (name == "max" || name == "bool_or") return extreme(MergeKind::Max, when_kept(filter, argument));
    if (name == "first" || name == "arbitrary") return first(argument, when_kept_flag(filter));
    if (name == "any_value") return any_value(when_kept(filter, argument));
    if (name == "var_samp" || name == "variance") return variance(when_kept(filter, argument), 1);
    if (name == "var_pop") return variance(when_kept(filter, argument), 0);
    if (name == "stddev_samp" || name == "stddev") return root(variance(when_kept(filter, argument), 1));
    if (name == "stddev_pop") return root(variance(when_kept(filter, argument), 0));
    throw Exception(ErrorCode::InternalError, "the GPU has no aggregate " + name);
  }

 private:
  uint32_t input(const ExprPtr& expr) {
    for (size_t i = 0; i < grouping_.inputs.size(); ++i) {
      if (plan::same(*grouping_.inputs[i], *expr)) return static_cast<uint32_t>(i);
    }
    grouping_.inputs.push_back(expr);
    return static_cast<uint32_t>(grouping_.inputs.size() - 1);
  }

  // References to the state columns of the part.
  std::vector<ExprPtr> part(MergeKind kind, const std::vector<ExprPtr>& exprs, std::vector<Type> types) {
    StatePart added;
    added.kind = kind;
    for (const ExprPtr& expr : exprs) added.inputs.push_back(input(expr));
    added.types = std::move(types);
    const StatePart* found = nullptr;
    for (const StatePart& old : grouping_.parts) {
      if (old.kind == added.kind && old.inputs == added.inputs) found = &old;
    }
    if (found == nullptr) {
      added.first_column = static_cast<uint32_t>(grouping_.state_row.size());
      for (const Type& type : added.types) {
        grouping_.state_row.push_back(plan::Column{"", type, kind != MergeKind::Count});
      }
      grouping_.parts.push_back(std::move(added));
      found = &grouping_.parts.back();
    }
    std::vector<ExprPtr> columns;
    for (uint32_t i = 0; i < found->types.size(); ++i) {
      columns.push_back(plan::column_ref(found->first_column + i, found->types[i], kind != MergeKind::Count));
    }
    return columns;
  }

  static ExprPtr when_kept_flag(const ExprPtr& filter) {
    return filter ? when_kept(filter, int_constant(kTinyInt, 1)) : nullptr;
  }

  ExprPtr count(const ExprPtr& argument, const ExprPtr& filter) {
    if (argument == nullptr || (!argument->nullable && filter == nullptr)) {
      return part(MergeKind::Count, {}, {kBigInt}).front();
    }
    // A value that cannot be NULL only asks the filter.
    const ExprPtr counted = argument->nullable ? argument : int_constant(kTinyInt, 1);
    return part(MergeKind::Count, {when_kept(filter, counted)}, {kBigInt}).front();
  }

  std::vector<ExprPtr> limb_sums(const ExprPtr& value) {
    const ExprPtr argument = limb_argument(value);
    std::vector<ExprPtr> limbs;
    for (int64_t k = 0; k < limbs_of(argument->type); ++k) {
      limbs.push_back(plan::call("__limb", kBigInt, {argument, int_constant(Type::of(TypeId::Integer), k)}));
    }
    std::vector<Type> types(limbs.size(), kBigInt);
    return part(MergeKind::Sum, limbs, std::move(types));
  }

  ExprPtr sum(const ExprPtr& value, const Type& result) {
    if (value->type.is_floating()) return part(MergeKind::Sum, {cast_to(value, kDouble)}, {kDouble}).front();
    return plan::call("__from_limbs", result, limb_sums(value), true);
  }

  ExprPtr average(const ExprPtr& argument, const ExprPtr& filter) {
    const ExprPtr value = when_kept(filter, argument);
    const ExprPtr rows = count(argument, filter);
    if (value->type.is_floating()) {
      return plan::call("/", kDouble, {sum(value, kDouble), cast_to(rows, kDouble)});
    }
    const int64_t scale = value->type.is_decimal() ? value->type.scale : 0;
    const ExprPtr total = plan::call("__from_limbs", kHugeInt, limb_sums(value), true);
    return plan::call("__average", kDouble, {total, rows, int_constant(Type::of(TypeId::Integer), scale)});
  }

  ExprPtr extreme(MergeKind kind, const ExprPtr& value) {
    if (value->type.is_floating()) {
      const ExprPtr key = plan::call("__order_key", kBigInt, {value});
      return plan::call("__from_order_key", value->type, part(kind, {key}, {kBigInt}));
    }
    if (value->type.id == TypeId::Boolean) {
      return plan::cast(part(kind, {plan::cast(value, kTinyInt, false)}, {kTinyInt}).front(), value->type, false);
    }
    return part(kind, {value}, {value->type}).front();
  }

  ExprPtr first(const ExprPtr& value, const ExprPtr& present) {
    std::vector<ExprPtr> inputs{value};
    if (present) inputs.push_back(present);
    return part(MergeKind::First, inputs, {kBigInt, value->type}).back();
  }

  ExprPtr any_value(const ExprPtr& value) { return first(value, value); }

  // Squares over (count - correction); NULL for fewer values than correction + 1.
  ExprPtr variance(const ExprPtr& value, int64_t correction) {
    const auto state = part(MergeKind::Moments, {cast_to(value, kDouble)}, {kBigInt, kDouble, kDouble});
    const ExprPtr less = plan::call("-", kBigInt, {state[0], int_constant(kBigInt, correction)});
    const ExprPtr ratio = plan::call("/", kDouble, {state[2], cast_to(less, kDouble)});
    return case_when(plan::comparison(plan::CompareOp::Greater, state[0], int_constant(kBigInt, correction)), ratio,
                     plan::constant(plan::Value::null(kDouble)));
  }

  static ExprPtr root(const ExprPtr& value) { return plan::call("sqrt", kDouble, {value}); }

  Grouping& grouping_;
};

bool distinct_matters(const plan::AggregateCall& call) {
  static const std::set<std::string> kIndifferent{"min",       "max",      "any_value", "first",
                                                  "arbitrary", "bool_and", "bool_or",   "count_star"};
  return call.distinct && kIndifferent.count(call.function) == 0;
}

std::vector<ExprPtr> column_refs(const std::vector<plan::Column>& row, size_t count) {
  std::vector<ExprPtr> refs;
  for (uint32_t i = 0; i < count; ++i) refs.push_back(plan::column_ref(i, row[i].type, row[i].nullable));
  return refs;
}

}  // namespace

AggregateRecipe make_recipe(const plan::Aggregate& aggregate, const pipeline::RowType&) {
  AggregateRecipe recipe;
  GroupingBuilder main(recipe.main, aggregate.groups);
  const size_t keys = aggregate.groups.size();
  struct Result {
    ExprPtr expr;
    int distinct = -1;  // over that distinct grouping's state row, or the main one's
  };
  std::vector<Result> results;
  std::vector<std::unique_ptr<GroupingBuilder>> builders;
  recipe.distinct.reserve(aggregate.aggregates.size());  // builders refer into it
  for (const plan::AggregateCall& call : aggregate.aggregates) {
    if (!distinct_matters(call)) {
      results.push_back(Result{main.add(call.function, call, call.filter), -1});
      continue;
    }
    const ExprPtr argument = normalized(when_kept(call.filter, call.arguments.at(0)));
    size_t at = 0;
    while (at < recipe.distinct.size() && !plan::same(*recipe.distinct[at].rows.back(), *argument)) ++at;
    if (at == recipe.distinct.size()) {
      DistinctGrouping& added = recipe.distinct.emplace_back();
      for (const ExprPtr& group : aggregate.groups) added.rows.push_back(normalized(group));
      added.rows.push_back(argument);
      for (const ExprPtr& expr : added.rows) added.row.push_back(plan::Column{"", expr->type, expr->nullable});
      builders.push_back(std::make_unique<GroupingBuilder>(added.grouping, column_refs(added.row, keys)));
    }
    plan::AggregateCall inner = call;
    inner.distinct = false;
    inner.filter = nullptr;
    inner.arguments = {plan::column_ref(static_cast<uint32_t>(keys), argument->type, argument->nullable)};
    results.push_back(Result{builders[at]->add(inner.function, inner, nullptr), static_cast<int>(at)});
  }

  recipe.final_row = recipe.main.state_row;
  std::vector<std::vector<uint32_t>> maps;
  for (const DistinctGrouping& distinct : recipe.distinct) {
    std::vector<uint32_t> map(distinct.grouping.state_row.size());
    std::iota(map.begin(), map.end(), 0);
    for (size_t i = keys; i < map.size(); ++i) {
      map[i] = static_cast<uint32_t>(recipe.final_row.size());
      recipe.final_row.push_back(distinct.grouping.state_row[i]);
    }
    maps.push_back(std::move(map));
  }
  recipe.results = column_refs(recipe.final_row, keys);
  for (const Result& result : results) {
    recipe.results.push_back(
        result.distinct < 0 ? result.expr : plan::remap(result.expr, maps[static_cast<size_t>(result.distinct)]));
  }
  return recipe;
}

std::string sum_overflow_text(const plan::Aggregate& aggregate) {
  for (const plan::AggregateCall& call : aggregate.aggregates) {
    if (call.type.is_decimal()) return "Overflow in SUM of DECIMAL: the result does not fit in DECIMAL(38)";
  }
  return "Overflow in HUGEINT addition";
}

}  // namespace weft::gpu
