#include "gpu/ops/arg_extremes.hpp"

#include <utility>

#include <cudf/aggregation.hpp>
#include <cudf/binaryop.hpp>
#include <cudf/copying.hpp>
#include <cudf/scalar/scalar.hpp>

#include "gpu/ops/rows.hpp"

namespace weft::gpu {
namespace {

using Column = std::unique_ptr<cudf::column>;

// For each group the row where `values` is extreme; NULL where all are NULL.
Column extreme_rows(const TaskContext& context, const GroupNumbers& groups, cudf::column_view values, Extreme extreme) {
  using G = cudf::groupby_aggregation;
  std::vector<GroupNumbers::Request> requests;
  requests.push_back(
      {values, extreme == Extreme::Least ? cudf::make_argmin_aggregation<G>() : cudf::make_argmax_aggregation<G>()});
  return std::move(groups.aggregate(context, std::move(requests)).front());
}

}  // namespace

std::vector<Column> merge_arg_extremes(const TaskContext& context, const GroupNumbers& groups,
                                       const std::vector<ColumnPtr>& states, Extreme extreme) {
  const ColumnPtr& key = states[0];
  const std::vector<Column> best = pick_rows(context, {key}, extreme_rows(context, groups, key->view(), extreme));
  const Column best_of_row = groups.spread(context, best.front()->view());
  const Column ties = cudf::binary_operation(key->view(), best_of_row->view(), cudf::binary_operator::EQUAL,
                                             cudf::data_type{cudf::type_id::BOOL8}, context.stream, context.mr);
  const cudf::numeric_scalar<int64_t> none(0, false, context.stream, context.mr);
  const Column order = cudf::copy_if_else(states[1]->view(), none, ties->view(), context.stream, context.mr);
  std::vector<Column> merged = pick_rows(context, states, extreme_rows(context, groups, order->view(), Extreme::Least));
  synchronize(context);  // before what was made on the way is let go
  return merged;
}

}  // namespace weft::gpu
