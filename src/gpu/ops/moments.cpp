#include "gpu/ops/moments.hpp"

#include <cudf/aggregation.hpp>
#include <cudf/binaryop.hpp>
#include <cudf/column/column_factories.hpp>
#include <cudf/copying.hpp>
#include <cudf/groupby.hpp>
#include <cudf/join/distinct_hash_join.hpp>
#include <cudf/scalar/scalar.hpp>
#include <cudf/sorting.hpp>
#include <cudf/table/table.hpp>
#include <cudf/unary.hpp>

#include "gpu/ops/rows.hpp"

namespace weft::gpu {
namespace {

using Column = std::unique_ptr<cudf::column>;

constexpr cudf::data_type kDouble{cudf::type_id::FLOAT64};
constexpr cudf::data_type kInt64{cudf::type_id::INT64};

Column binary(const TaskContext& context, cudf::column_view a, cudf::column_view b, cudf::binary_operator op) {
  return cudf::binary_operation(a, b, op, kDouble, context.stream, context.mr);
}

// Sums per group number, in the order of the numbers 0, 1, 2, ..., each of which occurs.
std::vector<Column> sums_by_number(const TaskContext& context, cudf::column_view numbers,
                                   const std::vector<cudf::column_view>& values) {
  context.cancellation.check();
  std::vector<cudf::groupby::aggregation_request> requests;
  for (const cudf::column_view& column : values) {
    cudf::groupby::aggregation_request request;
    request.values = column;
    request.aggregations.push_back(cudf::make_sum_aggregation<cudf::groupby_aggregation>());
    requests.push_back(std::move(request));
  }
  cudf::groupby::groupby grouped(cudf::table_view({numbers}), cudf::null_policy::INCLUDE);
  auto [keys, results] = grouped.aggregate(requests, context.stream, context.mr);
  std::vector<cudf::column_view> sums;
  for (const auto& result : results) sums.push_back(result.results.front()->view());
  return cudf::sort_by_key(cudf::table_view(sums), keys->view(), {}, {}, context.stream, context.mr)->release();
}

}  // namespace

std::vector<ColumnPtr> moments_of_rows(const TaskContext& context, const ColumnPtr& values) {
  const cudf::numeric_scalar<double> zero(0, true, context.stream, context.mr);
  const Column valid = cudf::is_valid(values->view(), context.stream, context.mr);
  ColumnPtr count = cudf::cast(valid->view(), kInt64, context.stream, context.mr);
  ColumnPtr squares = cudf::make_column_from_scalar(zero, values->size(), context.stream, context.mr);
  return {std::move(count), values, std::move(squares)};
}

std::vector<Column> merge_moments(const TaskContext& context, cudf::table_view keys, cudf::table_view groups,
                                  const std::vector<ColumnPtr>& states) {
  using Op = cudf::binary_operator;
  const cudf::column_view count = states[0]->view();
  const cudf::column_view mean = states[1]->view();
  constexpr double kLoadFactor = 0.5;
  const cudf::distinct_hash_join table(groups, cudf::null_equality::EQUAL, kLoadFactor, context.stream, context.mr);
  const auto found = table.left_join(keys, context.stream, context.mr);
  const cudf::column_view numbers(cudf::data_type{cudf::type_id::INT32}, static_cast<cudf::size_type>(found->size()),
                                  found->data(), nullptr, 0);

  const Column weighted = binary(context, mean, count, Op::MUL);
  std::vector<Column> sums = sums_by_number(context, numbers, {count, weighted->view()});
  Column group_mean = binary(context, sums[1]->view(), sums[0]->view(), Op::TRUE_DIV);
  const auto mean_of_row = cudf::gather(cudf::table_view({group_mean->view()}), numbers,
                                        cudf::out_of_bounds_policy::DONT_CHECK, context.stream, context.mr);
  context.cancellation.check();
  const Column difference = binary(context, mean, mean_of_row->view().column(0), Op::SUB);
  const Column squared = binary(context, difference->view(), difference->view(), Op::MUL);
  const Column spread = binary(context, squared->view(), count, Op::MUL);
  const Column squares = binary(context, states[2]->view(), spread->view(), Op::ADD);
  std::vector<Column> group_squares = sums_by_number(context, numbers, {squares->view()});
  synchronize(context);  // before the table is let go

  std::vector<Column> merged;
  merged.push_back(std::move(sums[0]));
  merged.push_back(std::move(group_mean));
  merged.push_back(std::move(group_squares[0]));
  return merged;
}

}  // namespace weft::gpu
