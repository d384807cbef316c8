#include "gpu/ops/moments.hpp"

#include <cudf/aggregation.hpp>
#include <cudf/binaryop.hpp>
#include <cudf/column/column_factories.hpp>
#include <cudf/scalar/scalar.hpp>
#include <cudf/unary.hpp>

#include "gpu/ops/rows.hpp"

namespace weft::gpu {
namespace {

using Column = std::unique_ptr<cudf::column>;
using Op = cudf::binary_operator;
using Request = GroupNumbers::Request;

constexpr cudf::data_type kDouble{cudf::type_id::FLOAT64};
constexpr cudf::data_type kInt64{cudf::type_id::INT64};

Column binary(const TaskContext& context, cudf::column_view a, cudf::column_view b, Op op) {
  return cudf::binary_operation(a, b, op, kDouble, context.stream, context.mr);
}

Request sum_of(cudf::column_view values) { return {values, cudf::make_sum_aggregation<cudf::groupby_aggregation>()}; }

std::vector<Request> sums_of(const std::vector<Column>& columns) {
  std::vector<Request> requests;
  for (const Column& column : columns) requests.push_back(sum_of(column->view()));
  return requests;
}

// The differences of `values` (a row each) from `origins` (a group each).
std::vector<Column> differences(const TaskContext& context, const GroupNumbers& groups,
                                const std::vector<cudf::column_view>& values, const std::vector<Column>& origins) {
  std::vector<Column> out;
  for (size_t v = 0; v < values.size(); ++v) {
    const Column origin = groups.spread(context, origins[v]->view());
    out.push_back(binary(context, values[v], origin->view(), Op::SUB));
  }
  return out;
}

}  // namespace

std::vector<ColumnPtr> moments_of_rows(const TaskContext& context, const std::vector<ColumnPtr>& variables) {
  const cudf::size_type rows = variables.front()->size();
  const cudf::numeric_scalar<double> zero(0, true, context.stream, context.mr);
  const Column valid = cudf::is_valid(variables.front()->view(), context.stream, context.mr);
  std::vector<ColumnPtr> states{cudf::cast(valid->view(), kInt64, context.stream, context.mr)};
  states.insert(states.end(), variables.begin(), variables.end());
  const ColumnPtr products = cudf::make_column_from_scalar(zero, rows, context.stream, context.mr);
  states.resize(states.size() + variables.size() * (variables.size() + 1) / 2, products);
  return states;
}

std::vector<Column> merge_moments(const TaskContext& context, const GroupNumbers& groups,
                                  const std::vector<ColumnPtr>& states) {
  const size_t variables = states.size() == 3 ? 1 : 2;
  const cudf::column_view count = states[0]->view();
  std::vector<cudf::column_view> means;
  for (size_t v = 0; v < variables; ++v) means.push_back(states[1 + v]->view());

  std::vector<Request> least;
  for (const auto& mean : means) least.push_back({mean, cudf::make_min_aggregation<cudf::groupby_aggregation>()});
  const std::vector<Column> origins = groups.aggregate(context, std::move(least));
  std::vector<Column> weighted;
  for (const Column& difference : differences(context, groups, means, origins)) {
    weighted.push_back(binary(context, difference->view(), count, Op::MUL));
  }
  std::vector<Request> sums = sums_of(weighted);
  sums.push_back(sum_of(count));
  std::vector<Column> summed = groups.aggregate(context, std::move(sums));
  std::vector<Column> merged;
  merged.push_back(std::move(summed.back()));
  std::vector<Column> group_means;
  for (size_t v = 0; v < variables; ++v) {
    const Column shift = binary(context, summed[v]->view(), merged.front()->view(), Op::TRUE_DIV);
    group_means.push_back(binary(context, origins[v]->view(), shift->view(), Op::ADD));
  }

  const std::vector<Column> apart = differences(context, groups, means, group_means);
  std::vector<Column> products;
  for (size_t a = 0; a < variables; ++a) {
    for (size_t b = a; b < variables; ++b) {
      const Column product = binary(context, apart[a]->view(), apart[b]->view(), Op::MUL);
      const Column spread = binary(context, product->view(), count, Op::MUL);
      products.push_back(binary(context, states[1 + variables + products.size()]->view(), spread->view(), Op::ADD));
    }
  }
  std::vector<Column> group_products = groups.aggregate(context, sums_of(products));
  synchronize(context);  // before what was made on the way is let go
  for (Column& mean : group_means) merged.push_back(std::move(mean));
  for (Column& product : group_products) merged.push_back(std::move(product));
  return merged;
}

}  // namespace weft::gpu
