#include "gpu/ops/group_states.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include <cudf/aggregation.hpp>
#include <cudf/column/column_factories.hpp>
#include <cudf/copying.hpp>
#include <cudf/filling.hpp>
#include <cudf/groupby.hpp>
#include <cudf/join/distinct_hash_join.hpp>
#include <cudf/null_mask.hpp>
#include <cudf/reduction.hpp>
#include <cudf/replace.hpp>
#include <cudf/scalar/scalar.hpp>
#include <cudf/stream_compaction.hpp>
#include <cudf/table/table.hpp>
#include <cudf/unary.hpp>

#include "gpu/kernels/limbs.hpp"
#include "gpu/ops/arg_extremes.hpp"
#include "gpu/ops/group_numbers.hpp"
#include "gpu/ops/moments.hpp"

namespace weft::gpu {
namespace {

using Column = std::unique_ptr<cudf::column>;
using Requests = std::vector<cudf::groupby::aggregation_request>;
using Results = std::vector<cudf::groupby::aggregation_result>;

constexpr cudf::data_type kInt64{cudf::type_id::INT64};

// The columns of one part that a grouping reads: states, or input rows.
struct PartColumns {
  const StatePart* part;
  std::vector<ColumnPtr> columns;
  bool counts_rows = false;  // Count over input rows: `columns` has the counted one, or nothing for all rows
};

cudf::table_view keys_of(const Batch& batch, uint32_t keys) {
  std::vector<cudf::column_view> views;
  for (uint32_t i = 0; i < keys; ++i) views.push_back(batch.columns[i]->view());
  return cudf::table_view(views);
}

std::vector<PartColumns> state_parts(const Grouping& grouping, const Batch& states) {
  std::vector<PartColumns> parts;
  for (const StatePart& part : grouping.parts) {
    PartColumns columns{&part, {}, false};
    for (uint32_t i = 0; i < part.types.size(); ++i) columns.columns.push_back(states.columns[part.first_column + i]);
    parts.push_back(std::move(columns));
  }
  return parts;
}

// Order keys of rows; NULL where `present` (if any) is NULL.
ColumnPtr order_keys(const TaskContext& context, cudf::size_type rows, int64_t order, const cudf::column* present) {
  const cudf::numeric_scalar<int64_t> base(order, true, context.stream, context.mr);
  const cudf::numeric_scalar<int64_t> step(1, true, context.stream, context.mr);
  Column keys = cudf::sequence(rows, base, step, context.stream, context.mr);
  if (present != nullptr && present->null_count() > 0) {
    keys->set_null_mask(cudf::copy_bitmask(present->view(), context.stream, context.mr), present->null_count());
  }
  return ColumnPtr(std::move(keys));
}

std::vector<PartColumns> row_parts(const TaskContext& context, const Grouping& grouping, const Batch& inputs,
                                   int64_t order) {
  std::vector<PartColumns> parts;
  for (const StatePart& part : grouping.parts) {
    PartColumns columns{&part, {}, part.kind == MergeKind::Count};
    for (const uint32_t input : part.inputs) columns.columns.push_back(inputs.columns[input]);
    if (part.kind == MergeKind::First) {
      const cudf::column* present = part.inputs.size() > 1 ? columns.columns.back().get() : nullptr;
      const ColumnPtr value = columns.columns.front();
      columns.columns = {order_keys(context, inputs.rows, order, present), value};
    } else if (part.kind == MergeKind::ArgMin || part.kind == MergeKind::ArgMax) {
      const ColumnPtr key = columns.columns.front();
      const ColumnPtr value = columns.columns.back();
      columns.columns = {key, order_keys(context, inputs.rows, order, nullptr), value};
    } else if (part.kind == MergeKind::Moments) {
      columns.columns = moments_of_rows(context, columns.columns);
    }
    parts.push_back(std::move(columns));
  }
  return parts;
}

bool is_128_bit(const cudf::column& column) { return column.type().id() == cudf::type_id::DECIMAL128; }

// ---- with keys

template <typename Make>
void request(Requests& requests, cudf::column_view values, Make make) {
  cudf::groupby::aggregation_request added;
  added.values = values;
  added.aggregations.push_back(make());
  requests.push_back(std::move(added));
}

// The requests of a part, one per column that it asks for. 128-bit extremes have no atomics, so their row number is
// asked for; text takes that way inside libcudf. Thus every request can be answered by the hash group-by.
void add_requests(Requests& requests, const PartColumns& part, cudf::column_view any_column) {
  using G = cudf::groupby_aggregation;
  const auto sum = [] { return cudf::make_sum_aggregation<G>(); };
  const auto& columns = part.columns;
  switch (part.part->kind) {
    case MergeKind::Sum:
      for (const ColumnPtr& column : columns) request(requests, column->view(), sum);
      return;
    case MergeKind::Count:
      if (!part.counts_rows) {
        request(requests, columns.front()->view(), sum);
      } else if (columns.empty()) {
        request(requests, any_column, [] { return cudf::make_count_aggregation<G>(cudf::null_policy::INCLUDE); });
      } else {
        request(requests, columns.front()->view(),
                [] { return cudf::make_count_aggregation<G>(cudf::null_policy::EXCLUDE); });
      }
      return;
    case MergeKind::Min:
    case MergeKind::Max: {
      const bool least = part.part->kind == MergeKind::Min;
      const bool by_row = is_128_bit(*columns.front());
      request(requests, columns.front()->view(), [&]() -> std::unique_ptr<G> {
        if (by_row) return least ? cudf::make_argmin_aggregation<G>() : cudf::make_argmax_aggregation<G>();
        return least ? cudf::make_min_aggregation<G>() : cudf::make_max_aggregation<G>();
      });
      return;
    }
    case MergeKind::First:
      request(requests, columns.front()->view(), [] { return cudf::make_argmin_aggregation<G>(); });
      return;
    case MergeKind::Product:
      request(requests, columns.front()->view(), [] { return cudf::make_product_aggregation<G>(); });
      return;
    default:
      return;  // merge_by_number
  }
}

// Kinds that take more than one pass, or that would keep the others from the hash group-by.
bool by_number(const PartColumns& part) {
  switch (part.part->kind) {
    case MergeKind::ArgMin:
    case MergeKind::ArgMax:
    case MergeKind::Moments:
    case MergeKind::BitAnd:
    case MergeKind::BitOr:
    case MergeKind::BitXor:
      return true;
    default:
      return false;
  }
}

// A reduction of strings starts at what is greatest in UTF-8, which bytes may exceed; a group-by compares rows.
bool is_extreme_of_bytes(const PartColumns& part) {
  const bool extreme = part.part->kind == MergeKind::Min || part.part->kind == MergeKind::Max;
  return extreme && part.part->types.front().id == plan::TypeId::Blob;
}

std::vector<Column> merge_by_number(const TaskContext& context, const GroupNumbers& groups, const PartColumns& part) {
  const auto bits = [&](cudf::bitwise_op op) {
    std::vector<GroupNumbers::Request> requests;
    requests.push_back({part.columns.front()->view(), cudf::make_bitwise_aggregation<cudf::groupby_aggregation>(op)});
    return groups.aggregate(context, std::move(requests));
  };
  switch (part.part->kind) {
    case MergeKind::ArgMin:
      return merge_arg_extremes(context, groups, part.columns, Extreme::Least);
    case MergeKind::ArgMax:
      return merge_arg_extremes(context, groups, part.columns, Extreme::Greatest);
    case MergeKind::BitAnd:
      return bits(cudf::bitwise_op::AND);
    case MergeKind::BitOr:
      return bits(cudf::bitwise_op::OR);
    case MergeKind::BitXor:
      return bits(cudf::bitwise_op::XOR);
    default:
      return merge_moments(context, groups, part.columns);
  }
}

void carry(const TaskContext& context, std::vector<Column>& limbs) {
  for (size_t i = 0; i + 1 < limbs.size(); ++i) {
    carry_limb(limbs[i]->mutable_view().data<int64_t>(), limbs[i + 1]->mutable_view().data<int64_t>(), limbs[i]->size(),
               context.stream);
  }
}

std::vector<Column> part_results(const TaskContext& context, const PartColumns& part, Results& results, size_t& next) {
  const auto take = [&] { return std::move(results[next++].results.front()); };
  std::vector<Column> columns;
  switch (part.part->kind) {
    case MergeKind::Sum:
      for (size_t i = 0; i < part.columns.size(); ++i) columns.push_back(take());
      carry(context, columns);
      return columns;
    case MergeKind::Count: {
      Column count = take();
      if (count->type() != kInt64) count = cudf::cast(count->view(), kInt64, context.stream, context.mr);
      columns.push_back(std::move(count));
      return columns;
    }
    case MergeKind::Min:
    case MergeKind::Max:
      if (is_128_bit(*part.columns.front())) return pick_rows(context, part.columns, take());
      columns.push_back(take());
      return columns;
    case MergeKind::First:
      return pick_rows(context, part.columns, take());
    default:
      columns.push_back(take());
      return columns;
  }
}

Batch group(const TaskContext& context, const Grouping& grouping, cudf::table_view keys,
            const std::vector<PartColumns>& parts) {
  context.cancellation.check();
  if (parts.empty()) {
    std::vector<cudf::size_type> all(static_cast<size_t>(keys.num_columns()));
    std::iota(all.begin(), all.end(), 0);
    auto table = cudf::distinct(keys, all, cudf::duplicate_keep_option::KEEP_ANY, cudf::null_equality::EQUAL,
                                cudf::nan_equality::ALL_EQUAL, context.stream, context.mr);
    const cudf::size_type rows = table->num_rows();
    return make_batch(table->release(), rows);
  }
  Requests requests;
  for (const PartColumns& part : parts) add_requests(requests, part, keys.column(0));
  if (requests.empty()) {  // all parts are merged by number: the groups are still needed
    request(requests, keys.column(0),
            [] { return cudf::make_count_aggregation<cudf::groupby_aggregation>(cudf::null_policy::INCLUDE); });
  }
  cudf::groupby::groupby grouped(keys, cudf::null_policy::INCLUDE);
  auto [group_keys, results] = grouped.aggregate(requests, context.stream, context.mr);
  context.cancellation.check();
  const cudf::size_type rows = group_keys->num_rows();
  const cudf::table_view group_view = group_keys->view();
  std::optional<GroupNumbers> numbers;
  if (std::any_of(parts.begin(), parts.end(), by_number)) numbers.emplace(context, keys, group_view);
  std::vector<Column> states;
  size_t next = 0;
  for (const PartColumns& part : parts) {
    std::vector<Column> columns =
        by_number(part) ? merge_by_number(context, *numbers, part) : part_results(context, part, results, next);
    for (Column& column : columns) states.push_back(std::move(column));
  }
  if (numbers) synchronize(context);  // before they are let go
  std::vector<Column> all = group_keys->release();
  all.resize(grouping.keys);  // without the constant key of a grouping that has none
  for (Column& state : states) all.push_back(std::move(state));
  return make_batch(std::move(all), rows);
}

// ---- without keys

Column one_row(const TaskContext& context, const cudf::scalar& value) {
  return cudf::make_column_from_scalar(value, 1, context.stream, context.mr);
}

Column reduce(const TaskContext& context, cudf::column_view column, std::unique_ptr<cudf::reduce_aggregation> how) {
  return one_row(context, *cudf::reduce(column, *how, column.type(), context.stream, context.mr));
}

std::vector<Column> reduce_part(const TaskContext& context, const PartColumns& part, cudf::size_type rows) {
  using R = cudf::reduce_aggregation;
  context.cancellation.check();
  std::vector<Column> columns;
  switch (part.part->kind) {
    case MergeKind::Sum:
      for (const ColumnPtr& column : part.columns) {
        columns.push_back(reduce(context, column->view(), cudf::make_sum_aggregation<R>()));
      }
      carry(context, columns);
      break;
    case MergeKind::Count:
      if (part.counts_rows) {
        const int64_t count = part.columns.empty() ? rows : rows - part.columns.front()->null_count();
        columns.push_back(one_row(context, cudf::numeric_scalar<int64_t>(count, true, context.stream, context.mr)));
      } else {
        columns.push_back(reduce(context, part.columns.front()->view(), cudf::make_sum_aggregation<R>()));
      }
      break;
    case MergeKind::Min:
      columns.push_back(reduce(context, part.columns.front()->view(), cudf::make_min_aggregation<R>()));
      break;
    case MergeKind::Max:
      columns.push_back(reduce(context, part.columns.front()->view(), cudf::make_max_aggregation<R>()));
      break;
    case MergeKind::Product:
      columns.push_back(reduce(context, part.columns.front()->view(), cudf::make_product_aggregation<R>()));
      break;
    default:
      break;  // group() with a constant key
  }
  return columns;
}

Batch reduce_all(const TaskContext& context, const Grouping& grouping, const std::vector<PartColumns>& parts,
                 cudf::size_type rows) {
  const bool reducible = std::none_of(parts.begin(), parts.end(), [](const PartColumns& part) {
    return part.part->kind == MergeKind::First || by_number(part) || is_extreme_of_bytes(part);
  });
  if (!reducible) {
    const cudf::numeric_scalar<int8_t> zero(0, true, context.stream, context.mr);
    const Column key = cudf::make_column_from_scalar(zero, rows, context.stream, context.mr);
    return group(context, grouping, cudf::table_view({key->view()}), parts);
  }
  std::vector<Column> states;
  for (const PartColumns& part : parts) {
    for (Column& column : reduce_part(context, part, rows)) states.push_back(std::move(column));
  }
  return make_batch(std::move(states), 1);
}

Batch aggregate(const TaskContext& context, const Grouping& grouping, const Batch& batch,
                const std::vector<PartColumns>& parts) {
  WEFT_INVARIANT(batch.rows > 0, "aggregation of no rows");
  if (grouping.keys == 0) return reduce_all(context, grouping, parts, batch.rows);
  return group(context, grouping, keys_of(batch, grouping.keys), parts);
}

}  // namespace

int64_t order_base(uint32_t pipeline, uint64_t sequence) {
  constexpr uint64_t kSequences = (uint64_t{1} << 27) - 1;
  return static_cast<int64_t>(((uint64_t{pipeline} & 31) << 58) | ((sequence & kSequences) << 31));
}

Batch aggregate_rows(const TaskContext& context, const Grouping& grouping, const Batch& inputs, int64_t order) {
  return aggregate(context, grouping, inputs, row_parts(context, grouping, inputs, order));
}

Batch merge_states(const TaskContext& context, const Grouping& grouping, const Batch& states) {
  return aggregate(context, grouping, states, state_parts(grouping, states));
}

Batch rows_as_states(const TaskContext& context, const Grouping& grouping, const Batch& inputs, int64_t order) {
  Batch states;
  states.rows = inputs.rows;
  states.columns.assign(inputs.columns.begin(), inputs.columns.begin() + grouping.keys);
  for (PartColumns& part : row_parts(context, grouping, inputs, order)) {
    if (part.counts_rows) {
      const cudf::numeric_scalar<int64_t> one(1, true, context.stream, context.mr);
      if (part.columns.empty() || part.columns.front()->null_count() == 0) {
        part.columns = {cudf::make_column_from_scalar(one, inputs.rows, context.stream, context.mr)};
      } else {
        const Column valid = cudf::is_valid(part.columns.front()->view(), context.stream, context.mr);
        part.columns = {cudf::cast(valid->view(), kInt64, context.stream, context.mr)};
      }
    }
    for (ColumnPtr& column : part.columns) states.columns.push_back(std::move(column));
  }
  return states;
}

Batch empty_state(const TaskContext& context, const Grouping& grouping) {
  Batch state;
  state.rows = 1;
  for (const StatePart& part : grouping.parts) {
    for (size_t i = 0; i < part.types.size(); ++i) {
      const bool counts = part.kind == MergeKind::Count || (part.kind == MergeKind::Moments && i == 0);
      if (counts) {
        const cudf::numeric_scalar<int64_t> zero(0, true, context.stream, context.mr);
        state.columns.push_back(cudf::make_column_from_scalar(zero, 1, context.stream, context.mr));
      } else {
        state.columns.push_back(null_column(context, device_type(part.types[i]), 1));
      }
    }
  }
  return state;
}

Batch distinct_rows(const TaskContext& context, const Batch& rows) {
  context.cancellation.check();
  std::vector<cudf::size_type> all(rows.columns.size());
  std::iota(all.begin(), all.end(), 0);
  auto table = cudf::distinct(rows.view(), all, cudf::duplicate_keep_option::KEEP_ANY, cudf::null_equality::EQUAL,
                              cudf::nan_equality::ALL_EQUAL, context.stream, context.mr);
  const cudf::size_type count = table->num_rows();
  return make_batch(table->release(), count);
}

Batch align_groups(const TaskContext& context, const Batch& wanted, const Batch& groups, uint32_t keys) {
  std::vector<uint32_t> states(groups.columns.size() - keys);
  std::iota(states.begin(), states.end(), keys);
  const Batch values = select_columns(groups, states);
  if (keys == 0) return values;
  constexpr double kLoadFactor = 0.5;
  const cudf::distinct_hash_join table(keys_of(groups, keys), cudf::null_equality::EQUAL, kLoadFactor, context.stream,
                                       context.mr);
  const auto rows = table.left_join(keys_of(wanted, keys), context.stream, context.mr);
  const cudf::column_view map(cudf::data_type{cudf::type_id::INT32}, static_cast<cudf::size_type>(rows->size()),
                              rows->data(), nullptr, 0);
  Batch aligned = gather_rows_or_null(context, values, map);
  synchronize(context);  // before the table is let go
  return aligned;
}

}  // namespace weft::gpu
