#include "gpu/ops/aggregate_functions.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <set>
#include <string>

#include "base/error.hpp"
#include "gpu/ops/moment_results.hpp"
#include "plan/walk.hpp"
#include "support/aggregate_table.hpp"

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

// `value` where `other` is not NULL.
ExprPtr where_not_null(const ExprPtr& other, const ExprPtr& value) {
  if (!other->nullable) return value;
  plan::Expr known;
  known.kind = plan::ExprKind::IsNotNull;
  known.type = Type::of(TypeId::Boolean);
  known.nullable = false;
  known.children = {other};
  return case_when(std::make_shared<const plan::Expr>(std::move(known)), value,
                   plan::constant(plan::Value::null(value->type)));
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

  ExprPtr add(const plan::AggregateCall& call, const ExprPtr& filter) {
    const std::string_view name = support::canonical_aggregate(call.function);
    if (name == "count_star") return count(filter ? int_constant(kTinyInt, 1) : nullptr, filter);
    if (call.arguments.size() == 2) return add_of_two(name, call, filter);
    WEFT_INVARIANT(call.arguments.size() == 1, "an aggregate of one argument");
    const ExprPtr& argument = call.arguments[0];
    if (name == "count") return count(argument, filter);
    if (name == "avg") return average(argument, filter);
    if (name == "first") return first(argument, when_kept_flag(filter));
    const ExprPtr value = when_kept(filter, argument);
    if (name == "sum" || name == "sum_no_overflow" || name == "count_if") return sum(value, call.type);
    if (name == "min" || name == "bool_and") return extreme(MergeKind::Min, value);
    if (name == "max" || name == "bool_or") return extreme(MergeKind::Max, value);
    if (name == "any_value") return any_value(value);
    if (name == "var_samp") return variance(value, 1);
    if (name == "var_pop") return variance(value, 0);
    if (name == "stddev_samp") return root(variance(value, 1));
    if (name == "stddev_pop") return root(variance(value, 0));
    if (name == "sem") return standard_error(value);
    if (name == "product") return part(MergeKind::Product, {value}, {kDouble}).front();
    if (name == "bit_and") return part(MergeKind::BitAnd, {value}, {value->type}).front();
    if (name == "bit_or") return part(MergeKind::BitOr, {value}, {value->type}).front();
    if (name == "bit_xor") return part(MergeKind::BitXor, {value}, {value->type}).front();
    throw unknown(name);
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

  static Exception unknown(std::string_view name) {
    return {ErrorCode::InternalError, "the GPU has no aggregate " + std::string(name)};
  }

  ExprPtr add_of_two(std::string_view name, const plan::AggregateCall& call, const ExprPtr& filter) {
    const ExprPtr first = when_kept(filter, call.arguments[0]);
    const ExprPtr second = when_kept(filter, call.arguments[1]);
    if (name == "arg_min") return arg_extreme(MergeKind::ArgMin, first, where_not_null(first, second));
    if (name == "arg_max") return arg_extreme(MergeKind::ArgMax, first, where_not_null(first, second));
    if (name == "arg_min_null") return arg_extreme(MergeKind::ArgMin, first, second);
    if (name == "arg_max_null") return arg_extreme(MergeKind::ArgMax, first, second);
    const std::vector<Type> types{kBigInt, kDouble, kDouble, kDouble, kDouble, kDouble};
    const ExprPtr y = where_not_null(second, cast_to(first, kDouble));
    const ExprPtr x = where_not_null(first, cast_to(second, kDouble));
    if (name == "regr_avgy") return average(y, nullptr);  // of infinities too, which the moments make NaN
    if (name == "regr_avgx") return average(x, nullptr);
    const auto result = pair_result(name, part(MergeKind::Moments, {y, x}, types), call.type);
    if (!result) throw unknown(name);
    return result;
  }

  // The value at the extreme key.
  ExprPtr arg_extreme(MergeKind kind, const ExprPtr& value, const ExprPtr& key) {
    const ExprPtr comparable = extreme_key(key);
    return part(kind, {comparable, value}, {comparable->type, kBigInt, value->type}).back();
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

  // The value in a type that libcudf orders as DuckDB does.
  static ExprPtr extreme_key(const ExprPtr& value) {
    if (value->type.is_floating()) return plan::call("__order_key", kBigInt, {value});
    if (value->type.id == TypeId::Boolean) return plan::cast(value, kTinyInt, false);
    return value;
  }

  ExprPtr extreme(MergeKind kind, const ExprPtr& value) {
    const ExprPtr key = extreme_key(value);
    const ExprPtr best = part(kind, {key}, {key->type}).front();
    if (value->type.is_floating()) return plan::call("__from_order_key", value->type, {best});
    return value->type.id == TypeId::Boolean ? plan::cast(best, value->type, false) : best;
  }

  ExprPtr first(const ExprPtr& value, const ExprPtr& present) {
    std::vector<ExprPtr> inputs{value};
    if (present) inputs.push_back(present);
    return part(MergeKind::First, inputs, {kBigInt, value->type}).back();
  }

  ExprPtr any_value(const ExprPtr& value) { return first(value, value); }

  ExprPtr variance(const ExprPtr& value, int64_t correction) {
    const auto state = part(MergeKind::Moments, {cast_to(value, kDouble)}, {kBigInt, kDouble, kDouble});
    return correction == 0 ? population_variance(state[0], state[2]) : sample_variance(state[0], state[2]);
  }

  ExprPtr standard_error(const ExprPtr& value) {
    const auto state = part(MergeKind::Moments, {cast_to(value, kDouble)}, {kBigInt, kDouble, kDouble});
    const ExprPtr deviation = root(population_variance(state[0], state[2]));
    return plan::call("/", kDouble, {deviation, root(cast_to(state[0], kDouble))});
  }

  Grouping& grouping_;
};

bool distinct_matters(const plan::AggregateCall& call) {
  static const std::set<std::string_view> kIndifferent{
      "min",     "max",     "any_value",    "first",        "bool_and", "bool_or", "count_star",
      "arg_min", "arg_max", "arg_min_null", "arg_max_null", "bit_and",  "bit_or"};
  return call.distinct && kIndifferent.count(support::canonical_aggregate(call.function)) == 0;
}

// The arguments of an aggregate whose DISTINCT matters: NULL where the filter drops the row.
std::vector<ExprPtr> distinct_arguments(const plan::AggregateCall& call) {
  std::vector<ExprPtr> arguments;
  for (const ExprPtr& argument : call.arguments) arguments.push_back(normalized(when_kept(call.filter, argument)));
  return arguments;
}

bool ends_with(const std::vector<ExprPtr>& rows, size_t first, const std::vector<ExprPtr>& arguments) {
  return std::equal(rows.begin() + static_cast<ptrdiff_t>(first), rows.end(), arguments.begin(), arguments.end(),
                    [](const ExprPtr& a, const ExprPtr& b) { return plan::same(*a, *b); });
}

std::vector<ExprPtr> column_refs(const std::vector<plan::Column>& row, size_t count) {
  std::vector<ExprPtr> refs;
  for (uint32_t i = 0; i < count; ++i) refs.push_back(plan::column_ref(i, row[i].type, row[i].nullable));
  return refs;
}

std::vector<GroupingSet> planned_sets(const plan::Aggregate& aggregate) {
  std::vector<GroupingSet> sets;
  for (const std::vector<uint32_t>& groups : aggregate.grouping_sets) {
    GroupingSet set{groups, 0};
    for (uint32_t group = 0; group < aggregate.groups.size(); ++group) {
      if (!std::binary_search(groups.begin(), groups.end(), group)) set.key |= int64_t{1} << group;
    }
    const auto equal = std::count_if(sets.begin(), sets.end(), [&](const auto& old) { return old.groups == groups; });
    set.key |= static_cast<int64_t>(equal) << support::kMaxSetGroups;
    sets.push_back(std::move(set));
  }
  std::stable_sort(sets.begin(), sets.end(),
                   [](const auto& a, const auto& b) { return a.groups.size() > b.groups.size(); });
  return sets;
}

const plan::Column kSetKey{"", kBigInt, false};

// The groups as they leave the aggregate, then the set's key if there are sets.
std::vector<plan::Column> final_keys(const plan::Aggregate& aggregate) {
  std::vector<plan::Column> keys;
  for (uint32_t i = 0; i < aggregate.groups.size(); ++i) {
    const plan::Expr& group = *aggregate.groups[i];
    keys.push_back(plan::Column{"", group.type, group.nullable || !plan::in_every_set(aggregate, i)});
  }
  if (!aggregate.grouping_sets.empty()) keys.push_back(kSetKey);
  return keys;
}

// `main` with other keys in front of its states.
Grouping with_keys(const Grouping& main, const std::vector<plan::Column>& keys) {
  Grouping grouping;
  grouping.keys = static_cast<uint32_t>(keys.size());
  grouping.parts = main.parts;
  for (StatePart& part : grouping.parts) part.first_column += grouping.keys - main.keys;
  grouping.state_row = keys;
  grouping.state_row.insert(grouping.state_row.end(), main.state_row.begin() + main.keys, main.state_row.end());
  return grouping;
}

// Without sets every group is in the row's set.
ExprPtr grouping_value(const plan::Aggregate& aggregate, const std::vector<uint32_t>& groups) {
  if (aggregate.grouping_sets.empty()) return int_constant(kBigInt, 0);
  const auto key = static_cast<uint32_t>(aggregate.groups.size());
  std::vector<ExprPtr> arguments{plan::column_ref(key, kBigInt, false)};
  for (const uint32_t group : groups) arguments.push_back(int_constant(Type::of(TypeId::Integer), group));
  return plan::call("__grouping", kBigInt, std::move(arguments));
}

}  // namespace

AggregateRecipe make_recipe(const plan::Aggregate& aggregate, const pipeline::RowType&) {
  AggregateRecipe recipe;
  GroupingBuilder main(recipe.main, aggregate.groups);
  recipe.sets = planned_sets(aggregate);
  const std::vector<plan::Column> key_columns = final_keys(aggregate);
  const size_t keys = key_columns.size();
  struct Result {
    ExprPtr expr;
    int distinct = -1;  // over that distinct grouping's state row, or the main one's
  };
  std::vector<Result> results;
  std::vector<std::unique_ptr<GroupingBuilder>> builders;
  recipe.distinct.reserve(aggregate.aggregates.size());  // builders refer into it
  for (const plan::AggregateCall& call : aggregate.aggregates) {
    if (!distinct_matters(call)) {
      results.push_back(Result{main.add(call, call.filter), -1});
      continue;
    }
    const std::vector<ExprPtr> arguments = distinct_arguments(call);
    size_t at = 0;
    while (at < recipe.distinct.size() && !ends_with(recipe.distinct[at].rows, recipe.main.keys, arguments)) ++at;
    if (at == recipe.distinct.size()) {
      DistinctGrouping& added = recipe.distinct.emplace_back();
      for (const ExprPtr& group : aggregate.groups) added.rows.push_back(normalized(group));
      added.rows.insert(added.rows.end(), arguments.begin(), arguments.end());
      added.row = key_columns;
      for (const ExprPtr& argument : arguments) {
        added.row.push_back(plan::Column{"", argument->type, argument->nullable});
      }
      builders.push_back(std::make_unique<GroupingBuilder>(added.grouping, column_refs(added.row, keys)));
    }
    plan::AggregateCall inner = call;
    inner.distinct = false;
    inner.filter = nullptr;
    for (uint32_t i = 0; i < arguments.size(); ++i) {
      inner.arguments[i] =
          plan::column_ref(static_cast<uint32_t>(keys) + i, arguments[i]->type, arguments[i]->nullable);
    }
    results.push_back(Result{builders[at]->add(inner, nullptr), static_cast<int>(at)});
  }

  if (!recipe.sets.empty()) recipe.by_set = with_keys(recipe.main, key_columns);
  recipe.final_row = recipe.final_grouping().state_row;
  std::vector<uint32_t> main_map(recipe.main.state_row.size());
  std::iota(main_map.begin(), main_map.end(), static_cast<uint32_t>(keys) - recipe.main.keys);
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
  recipe.results = column_refs(recipe.final_row, recipe.main.keys);
  for (const Result& result : results) {
    const auto& map = result.distinct < 0 ? main_map : maps[static_cast<size_t>(result.distinct)];
    recipe.results.push_back(plan::remap(result.expr, map));
  }
  for (const std::vector<uint32_t>& groups : aggregate.groupings) {
    recipe.results.push_back(grouping_value(aggregate, groups));
  }
  return recipe;
}

}  // namespace weft::gpu
