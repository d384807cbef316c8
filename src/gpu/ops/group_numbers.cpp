#include "gpu/ops/group_numbers.hpp"

#include <utility>

#include <cudf/copying.hpp>
#include <cudf/groupby.hpp>
#include <cudf/replace.hpp>
#include <cudf/scalar/scalar.hpp>
#include <cudf/sorting.hpp>
#include <cudf/table/table.hpp>

namespace weft::gpu {
namespace {

constexpr double kLoadFactor = 0.5;

}  // namespace

GroupNumbers::GroupNumbers(const TaskContext& context, cudf::table_view keys, cudf::table_view groups)
    : table_(groups, cudf::null_equality::EQUAL, kLoadFactor, context.stream, context.mr),
      numbers_(table_.left_join(keys, context.stream, context.mr)) {}

cudf::column_view GroupNumbers::numbers() const {
  return {cudf::data_type{cudf::type_id::INT32}, static_cast<cudf::size_type>(numbers_->size()), numbers_->data(),
          nullptr, 0};
}

std::vector<GroupNumbers::Column> GroupNumbers::aggregate(const TaskContext& context,
                                                          std::vector<Request> requests) const {
  context.cancellation.check();
  std::vector<cudf::groupby::aggregation_request> wanted;
  for (Request& request : requests) {
    auto& added = wanted.emplace_back();
    added.values = request.values;
    added.aggregations.push_back(std::move(request.aggregation));
  }
  cudf::groupby::groupby grouped(cudf::table_view({numbers()}), cudf::null_policy::INCLUDE);
  auto [keys, results] = grouped.aggregate(wanted, context.stream, context.mr);
  std::vector<cudf::column_view> columns;
  for (const auto& result : results) columns.push_back(result.results.front()->view());
  return cudf::sort_by_key(cudf::table_view(columns), keys->view(), {}, {}, context.stream, context.mr)->release();
}

GroupNumbers::Column GroupNumbers::spread(const TaskContext& context, cudf::column_view per_group) const {
  context.cancellation.check();
  auto table = cudf::gather(cudf::table_view({per_group}), numbers(), cudf::out_of_bounds_policy::DONT_CHECK,
                            context.stream, context.mr);
  return std::move(table->release().front());
}

std::vector<std::unique_ptr<cudf::column>> pick_rows(const TaskContext& context, const std::vector<ColumnPtr>& columns,
                                                     std::unique_ptr<cudf::column> rows) {
  std::vector<cudf::column_view> views;
  for (const ColumnPtr& column : columns) views.push_back(column->view());
  auto bounds = cudf::out_of_bounds_policy::DONT_CHECK;
  if (rows->null_count() > 0) {
    const cudf::numeric_scalar<cudf::size_type> none(-1, true, context.stream, context.mr);
    rows = cudf::replace_nulls(rows->view(), none, context.stream, context.mr);
    bounds = cudf::out_of_bounds_policy::NULLIFY;
  }
  const cudf::column_view map(rows->type(), rows->size(), rows->view().head<cudf::size_type>(), nullptr, 0);
  return cudf::gather(cudf::table_view(views), map, bounds, cudf::negative_index_policy::NOT_ALLOWED, context.stream,
                      context.mr)
      ->release();
}

}  // namespace weft::gpu
