#include "gpu/ops/ordered_rows.hpp"

#include <cudf/aggregation.hpp>
#include <cudf/copying.hpp>
#include <cudf/null_mask.hpp>
#include <cudf/reduction.hpp>
#include <cudf/search.hpp>
#include <cudf/sorting.hpp>
#include <cudf/table/table_view.hpp>
#include <cudf/transform.hpp>
#include <cudf/utilities/traits.hpp>

#include "gpu/ops/rows.hpp"
#include "gpu/ops/search_bounds.hpp"

namespace weft::gpu {
namespace {

// A table that is searched, or that is looked for, with its order. NULLs are where IS NOT DISTINCT FROM keys have them.
struct Sorted {
  std::vector<cudf::column_view> columns;
  std::vector<cudf::order> orders;
  void add(cudf::column_view column, cudf::order order) {
    columns.push_back(column);
    orders.push_back(order);
  }
  std::vector<cudf::null_order> null_orders() const {
    return std::vector<cudf::null_order>(columns.size(), cudf::null_order::BEFORE);
  }
};

// Dates, timestamps and decimals as the integers that they are: libcudf promises running extremes of numbers.
cudf::column_view as_number(cudf::column_view column) {
  if (!cudf::is_chrono(column.type()) && !cudf::is_fixed_point(column.type())) return column;
  const bool narrow = cudf::size_of(column.type()) == sizeof(int32_t);
  return {cudf::data_type{narrow ? cudf::type_id::INT32 : cudf::type_id::INT64},
          column.size(),
          column.head(),
          column.null_mask(),
          column.null_count(),
          column.offset()};
}

cudf::order order_of(SearchBound bound) { return bound.descending ? cudf::order::DESCENDING : cudf::order::ASCENDING; }

// Per value, the row of the bound, whose order is the last column's.
std::unique_ptr<cudf::column> find(const TaskContext& context, const Sorted& rows,
                                   const std::vector<cudf::column_view>& values, bool behind_equal) {
  context.cancellation.check();
  const cudf::table_view haystack(rows.columns);
  const cudf::table_view needles(values);
  const auto search = behind_equal ? cudf::upper_bound : cudf::lower_bound;
  return search(haystack, needles, rows.orders, rows.null_orders(), context.stream, context.mr);
}

}  // namespace

Batch in_search_order(const TaskContext& context, const JoinLayout& layout, const Batch& rows, OrderedRows& order) {
  context.cancellation.check();
  const pipeline::RangeSearch& search = *layout.spec.search;
  Sorted keys;
  std::vector<cudf::column_view> plain;
  for (size_t i = 0; i < layout.key_columns.size(); ++i) {
    keys.add(rows.columns[layout.key_columns[i]]->view(), cudf::order::ASCENDING);
    if (!layout.spec.null_equal[i]) plain.push_back(keys.columns.back());
  }
  keys.add(rows.columns[layout.search_column]->view(), order_of(end_of(search.first.compare)));
  plain.push_back(keys.columns.back());
  if (search.reach) plain.push_back(rows.columns[layout.reach_column]->view());

  auto [mask, null_rows] = cudf::bitmask_and(cudf::table_view(plain), context.stream, context.mr);
  std::unique_ptr<cudf::column> searchable;
  if (null_rows > 0) {
    searchable = cudf::mask_to_bools(static_cast<const cudf::bitmask_type*>(mask.data()), 0, rows.rows, context.stream,
                                     context.mr);
    keys.columns.insert(keys.columns.begin(), searchable->view());
    keys.orders.insert(keys.orders.begin(), cudf::order::DESCENDING);  // true first
  }
  order.searchable = rows.rows - null_rows;
  const auto map =
      cudf::sorted_order(cudf::table_view(keys.columns), keys.orders, keys.null_orders(), context.stream, context.mr);
  Batch sorted = gather_rows(context, rows, map->view());
  if (search.reach && order.searchable > 0) {
    context.cancellation.check();
    const auto values = as_number(
        cudf::slice(sorted.columns[layout.reach_column]->view(), {0, order.searchable}, context.stream).front());
    const auto extreme = is_below(search.reach->compare) ? cudf::make_max_aggregation<cudf::scan_aggregation>()
                                                         : cudf::make_min_aggregation<cudf::scan_aggregation>();
    order.reach = cudf::scan(values, *extreme, cudf::scan_type::INCLUSIVE, cudf::null_policy::EXCLUDE, context.stream,
                             context.mr);
  }
  synchronize(context);  // before the map is let go
  return sorted;
}

CandidateRanges::CandidateRanges(const TaskContext& context, const JoinLayout& layout, const Batch& rows,
                                 const OrderedRows& order, const std::vector<ColumnPtr>& keys,
                                 const std::vector<ColumnPtr>& bounds)
    : valid_(0, context.stream, context.mr) {
  const pipeline::RangeSearch& search = *layout.spec.search;
  const auto searchable = [&](uint32_t column) {
    return cudf::slice(rows.columns[column]->view(), {0, order.searchable}, context.stream).front();
  };
  Sorted sorted;
  std::vector<cudf::column_view> values;
  std::vector<cudf::column_view> plain;
  for (size_t i = 0; i < layout.key_columns.size(); ++i) {
    sorted.add(searchable(layout.key_columns[i]), cudf::order::ASCENDING);
    values.push_back(keys[i]->view());
    if (!layout.spec.null_equal[i]) plain.push_back(values.back());
  }
  for (const ColumnPtr& value : bounds) plain.push_back(value->view());

  if (search.reach) {
    const SearchBound bound = begin_of_reach(search.reach->compare);
    Sorted reach;
    reach.add(order.reach->view(), order_of(bound));
    begins_ = find(context, reach, {as_number(bounds[1]->view())}, bound.behind_equal);
  } else if (!search.second && !values.empty()) {
    begins_ = find(context, sorted, values, false);
  }
  sorted.add(searchable(layout.search_column), order_of(end_of(search.first.compare)));
  values.push_back(bounds[0]->view());
  ends_ = find(context, sorted, values, end_of(search.first.compare).behind_equal);
  if (search.second) {
    values.back() = bounds[1]->view();
    begins_ = find(context, sorted, values, begin_of(search.first.compare, search.second->compare).behind_equal);
  }
  auto [mask, null_rows] = cudf::bitmask_and(cudf::table_view(plain), context.stream, context.mr);
  if (null_rows > 0) valid_ = std::move(mask);
}

join::Candidates CandidateRanges::view() const {
  join::Candidates candidates;
  candidates.begins = begins_ == nullptr ? nullptr : begins_->view().data<cudf::size_type>();
  candidates.ends = ends_->view().data<cudf::size_type>();
  candidates.valid = valid_.size() == 0 ? nullptr : static_cast<const uint32_t*>(valid_.data());
  return candidates;
}

}  // namespace weft::gpu
