#include "gpu/ops/join_layout.hpp"

#include <algorithm>
#include <numeric>

#include <cudf/column/column_factories.hpp>
#include <cudf/copying.hpp>
#include <cudf/null_mask.hpp>
#include <cudf/scalar/scalar.hpp>
#include <cudf/table/table_view.hpp>
#include <cudf/transform.hpp>

namespace weft::gpu {
namespace {

using Emit = pipeline::JoinSpec::Emit;

plan::ExprPtr normalized(const plan::ExprPtr& key) {
  return key->type.is_floating() ? plan::call("__normalize", key->type, {key}) : key;
}

// As SortKeys has them: NaN greatest, -0 equal to 0.
plan::ExprPtr ordered(const plan::ExprPtr& key) {
  return key->type.is_floating() ? plan::call("__order_key", plan::Type::of(plan::TypeId::BigInt), {key}) : key;
}

plan::ExprPtr logic(plan::ExprKind kind, bool nullable, std::vector<plan::ExprPtr> children) {
  plan::Expr expr;
  expr.kind = kind;
  expr.type = plan::Type::of(plan::TypeId::Boolean);
  expr.nullable = nullable;
  expr.children = std::move(children);
  return std::make_shared<const plan::Expr>(std::move(expr));
}

plan::ExprPtr is_null(plan::ExprPtr child) { return logic(plan::ExprKind::IsNull, false, {std::move(child)}); }

std::vector<uint32_t> shifted(size_t columns, uint32_t by) {
  std::vector<uint32_t> map(columns);
  std::iota(map.begin(), map.end(), by);
  return map;
}

// Keys and residual as one condition over left ++ right.
plan::ExprPtr whole_condition(const pipeline::JoinSpec& spec, uint32_t probe_base, uint32_t build_base) {
  const auto probe_map = shifted(spec.probe_row.columns.size(), probe_base);
  const auto build_map = shifted(spec.build_row.columns.size(), build_base);
  std::vector<plan::ExprPtr> conjuncts;
  for (size_t i = 0; i < spec.probe_keys.size(); ++i) {
    const auto op = spec.null_equal[i] ? plan::CompareOp::NotDistinctFrom : plan::CompareOp::Equal;
    conjuncts.push_back(
        plan::comparison(op, plan::remap(spec.probe_keys[i], probe_map), plan::remap(spec.build_keys[i], build_map)));
  }
  if (spec.residual) conjuncts.push_back(spec.residual);
  return plan::conjunction(std::move(conjuncts));
}

void lay_out_keys(JoinLayout& layout, std::vector<bool>& kept) {
  const auto& spec = layout.spec;
  std::vector<plan::ExprPtr> stored_keys;
  for (const plan::ExprPtr& key : spec.build_keys) stored_keys.push_back(normalized(key));
  if (spec.search) stored_keys.push_back(ordered(spec.search->first.build));
  if (spec.search && spec.search->reach) stored_keys.push_back(ordered(spec.search->reach->build));
  for (const plan::ExprPtr& stored : stored_keys) {
    if (stored->kind == plan::ExprKind::ColumnRef) kept[stored->column] = true;
  }
  for (size_t i = 0; i < kept.size(); ++i) {
    if (kept[i]) layout.kept.push_back(static_cast<uint32_t>(i));
  }
  const auto slot_of = [&](uint32_t column) {
    return static_cast<uint32_t>(std::lower_bound(layout.kept.begin(), layout.kept.end(), column) -
                                 layout.kept.begin());
  };
  std::vector<uint32_t> columns;
  for (const plan::ExprPtr& stored : stored_keys) {
    if (stored->kind == plan::ExprKind::ColumnRef) {
      columns.push_back(slot_of(stored->column));
    } else {
      columns.push_back(static_cast<uint32_t>(layout.kept.size() + layout.computed_keys.size()));
      layout.computed_keys.push_back(stored);
    }
  }
  const size_t keys = spec.build_keys.size();
  layout.key_columns.assign(columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(keys));
  for (const plan::ExprPtr& key : spec.probe_keys) layout.probe_keys.push_back(normalized(key));
  if (spec.search) layout.search_column = columns[keys];
  if (spec.search && spec.search->reach) layout.reach_column = columns[keys + 1];
  for (const uint32_t column : spec.build_output) layout.build_output.push_back(slot_of(column));
}

void lay_out_search(JoinLayout& layout) {
  if (!layout.spec.search) return;
  const pipeline::RangeSearch& search = *layout.spec.search;
  layout.bounds.push_back(ordered(search.first.probe));
  if (search.second) layout.bounds.push_back(ordered(search.second->probe));
  if (search.reach) layout.bounds.push_back(ordered(search.reach->probe));
  if (!search.nearest) return;
  const plan::Type type = ordered(search.first.build)->type;
  layout.nearer_row = {plan::Column{"so_far", type, true}, plan::Column{"other", type, true}};
  const plan::ExprPtr so_far = plan::column_ref(0, type, true);
  const plan::ExprPtr other = plan::column_ref(1, type, true);
  const bool upward = search.first.compare == plan::CompareOp::Greater ||
                      search.first.compare == plan::CompareOp::GreaterEqual;  // the greatest of the smaller ones
  layout.nearer =
      logic(plan::ExprKind::Or, true,
            {logic(plan::ExprKind::And, false, {is_null(so_far), logic(plan::ExprKind::IsNotNull, false, {other})}),
             plan::comparison(upward ? plan::CompareOp::Greater : plan::CompareOp::Less, other, so_far)});
}

void lay_out_nulls(JoinLayout& layout) {
  if (layout.spec.search) return;
  const auto& null_equal = layout.spec.null_equal;
  const auto safe = static_cast<size_t>(std::count(null_equal.begin(), null_equal.end(), true));
  layout.compare_nulls = safe == 0 ? cudf::null_equality::UNEQUAL : cudf::null_equality::EQUAL;
  layout.marker = safe != 0 && safe != null_equal.size();
}

}  // namespace

bool JoinLayout::needs_pairs() const {
  if (residual || spec.track_build_matches || (!has_keys() && !spec.search)) return true;
  return spec.emit != Emit::ProbeSemi && spec.emit != Emit::ProbeAnti && spec.emit != Emit::ProbeMark;
}

JoinLayout make_join_layout(const pipeline::JoinSpec& spec) {
  JoinLayout layout;
  layout.spec = spec;
  const size_t probe_columns = spec.probe_row.columns.size();
  const size_t build_columns = spec.build_row.columns.size();
  const auto probe_base = static_cast<uint32_t>(spec.build_is_left ? build_columns : 0);
  const auto build_base = static_cast<uint32_t>(spec.build_is_left ? 0 : probe_columns);

  const auto plain = std::count(spec.null_equal.begin(), spec.null_equal.end(), false);
  const bool may_be_null = plain > 0 || spec.residual || spec.search;
  layout.three_valued = spec.emit == Emit::ProbeMark && spec.mark == pipeline::MarkKind::ThreeValued && may_be_null;
  layout.groups = layout.three_valued && plain == 1 && spec.null_equal.size() > 1 && !spec.residual;
  plan::ExprPtr unknown;
  const bool one_value = spec.search || (spec.probe_keys.size() == 1 && !spec.residual);
  if (layout.three_valued && !layout.groups && !one_value) {
    unknown = is_null(whole_condition(spec, probe_base, build_base));
  }

  std::vector<bool> used(probe_columns + build_columns, false);
  if (spec.residual) plan::collect_columns(*spec.residual, used);
  if (unknown) plan::collect_columns(*unknown, used);
  const plan::ExprPtr otherwise = spec.search ? spec.search->otherwise : nullptr;
  if (otherwise) plan::collect_columns(*otherwise, used);
  std::vector<bool> kept(build_columns, false);
  for (const uint32_t column : spec.build_output) kept[column] = true;
  for (size_t i = 0; i < build_columns; ++i) {
    if (used[build_base + i]) kept[i] = true;
  }
  lay_out_keys(layout, kept);
  lay_out_nulls(layout);
  lay_out_search(layout);

  std::vector<uint32_t> map(used.size(), 0);
  for (size_t i = 0; i < probe_columns; ++i) {
    if (!used[probe_base + i]) continue;
    map[probe_base + i] = static_cast<uint32_t>(layout.pair_row.size());
    layout.pair_probe.push_back(static_cast<uint32_t>(i));
    layout.pair_sources.push_back(static_cast<uint32_t>(probe_base + i));
    layout.pair_row.push_back(spec.probe_row.columns[i]);
  }
  for (size_t slot = 0; slot < layout.kept.size(); ++slot) {
    const uint32_t column = layout.kept[slot];
    if (!used[build_base + column]) continue;
    map[build_base + column] = static_cast<uint32_t>(layout.pair_row.size());
    layout.pair_build.push_back(static_cast<uint32_t>(slot));
    layout.pair_sources.push_back(static_cast<uint32_t>(build_base + column));
    layout.pair_row.push_back(spec.build_row.columns[column]);
  }
  if (spec.residual) layout.residual = plan::remap(spec.residual, map);
  if (unknown) layout.unknown = plan::remap(unknown, map);
  if (otherwise) layout.otherwise = plan::remap(otherwise, map);
  return layout;
}

ExpressionFailure failure_of_pair(const JoinLayout& layout, const ExpressionFailure& failure) {
  ExpressionFailure whole{failure.expression_id, {}};
  whole.inputs.resize(layout.spec.probe_row.columns.size() + layout.spec.build_row.columns.size());
  for (size_t i = 0; i < failure.inputs.size() && i < layout.pair_sources.size(); ++i) {
    whole.inputs[layout.pair_sources[i]] = failure.inputs[i];
  }
  return whole;
}

std::vector<cudf::column_view> group_keys(const JoinLayout& layout, const std::vector<cudf::column_view>& keys) {
  std::vector<cudf::column_view> safe;
  for (size_t i = 0; i < layout.spec.null_equal.size(); ++i) {
    if (layout.spec.null_equal[i]) safe.push_back(keys[i]);
  }
  return safe;
}

cudf::column_view plain_key(const JoinLayout& layout, const std::vector<cudf::column_view>& keys) {
  const auto& null_equal = layout.spec.null_equal;
  return keys.at(static_cast<size_t>(std::find(null_equal.begin(), null_equal.end(), false) - null_equal.begin()));
}

ColumnPtr make_null_marker(const TaskContext& context, const std::vector<cudf::column_view>& plain_keys,
                           cudf::size_type rows, int8_t when_null) {
  const cudf::numeric_scalar<int8_t> valid(0, true, context.stream, context.mr);
  const cudf::numeric_scalar<int8_t> null(when_null, true, context.stream, context.mr);
  auto [mask, null_count] = cudf::bitmask_and(cudf::table_view(plain_keys), context.stream, context.mr);
  if (null_count == 0 || mask.size() == 0) {
    return cudf::make_column_from_scalar(valid, rows, context.stream, context.mr);
  }
  const auto all_valid =
      cudf::mask_to_bools(static_cast<const cudf::bitmask_type*>(mask.data()), 0, rows, context.stream, context.mr);
  return cudf::copy_if_else(valid, null, all_valid->view(), context.stream, context.mr);
}

}  // namespace weft::gpu
