#include "gpu/ops/sort_keys.hpp"

#include <algorithm>
#include <numeric>

#include <cudf/sorting.hpp>

#include "gpu/ops/rows.hpp"

namespace weft::gpu {

SortKeys::SortKeys(const OperatorServices& services, const std::vector<plan::SortKey>& keys,
                   const pipeline::RowType& input)
    : input_columns_(input.columns.size()) {
  std::vector<plan::ExprPtr> computed;
  for (const plan::SortKey& key : keys) {
    plan::ExprPtr expr = key.expression;
    if (expr->type.is_floating()) {
      expr = plan::call("__order_key", plan::Type::of(plan::TypeId::BigInt), {expr});
    }
    if (expr->kind == plan::ExprKind::ColumnRef) {
      columns_.push_back(static_cast<cudf::size_type>(expr->column));
    } else {
      columns_.push_back(static_cast<cudf::size_type>(input_columns_ + computed.size()));
      computed.push_back(std::move(expr));
    }
    orders_.push_back(key.descending ? cudf::order::DESCENDING : cudf::order::ASCENDING);
    null_orders_.push_back(key.nulls_first != key.descending ? cudf::null_order::BEFORE : cudf::null_order::AFTER);
  }
  if (!computed.empty()) computed_ = Expressions::make(services.kernels, input.columns, std::move(computed));
}

Batch SortKeys::keyed(const TaskContext& context, const Batch& batch) const {
  Batch out = batch;
  if (computed_) {
    for (ColumnPtr& key : computed_->evaluate(context, batch)) out.columns.push_back(std::move(key));
  }
  return out;
}

cudf::table_view SortKeys::view(const Batch& keyed) const { return keyed.view().select(columns_); }

Batch SortKeys::without_keys(const Batch& keyed) const {
  Batch out = keyed;
  out.columns.resize(input_columns_);
  return out;
}

Batch SortKeys::sorted(const TaskContext& context, const Batch& keyed, uint64_t limit) const {
  if (columns_.empty()) {
    const auto rows = std::min<uint64_t>(limit, static_cast<uint64_t>(keyed.rows));
    return slice_rows(context, keyed, 0, static_cast<cudf::size_type>(rows));
  }
  context.cancellation.check();
  const auto order = cudf::sorted_order(view(keyed), orders_, null_orders_, context.stream, context.mr);
  const auto rows = static_cast<cudf::size_type>(std::min<uint64_t>(limit, static_cast<uint64_t>(keyed.rows)));
  const cudf::column_view map(order->type(), rows, order->view().head<cudf::size_type>(), nullptr, 0);
  return gather_rows(context, keyed, map);
}

}  // namespace weft::gpu
