#include "gpu/ops/rows.hpp"

#include <algorithm>

#include <cudf/aggregation.hpp>
#include <cudf/column/column_factories.hpp>
#include <cudf/concatenate.hpp>
#include <cudf/copying.hpp>
#include <cudf/reduction.hpp>
#include <cudf/scalar/scalar.hpp>
#include <cudf/scalar/scalar_factories.hpp>
#include <cudf/stream_compaction.hpp>
#include <cudf/table/table.hpp>

#include "base/error.hpp"
#include "gpu/exec/cuda_check.hpp"

namespace weft::gpu {
namespace {

Batch with_sequence(Batch batch, uint64_t sequence) {
  batch.sequence = sequence;
  return batch;
}

Batch gather(const TaskContext& context, const Batch& batch, cudf::column_view map, cudf::out_of_bounds_policy bounds) {
  context.cancellation.check();
  Batch out;
  if (batch.columns.empty()) {
    out.rows = map.size();
  } else {
    auto table =
        cudf::gather(batch.view(), map, bounds, cudf::negative_index_policy::NOT_ALLOWED, context.stream, context.mr);
    out = make_batch(table->release(), map.size());
  }
  return with_sequence(std::move(out), batch.sequence);
}

}  // namespace

void synchronize(const TaskContext& context) { check_cuda(cudaStreamSynchronize(context.stream.get())); }

Batch select_columns(const Batch& batch, const std::vector<uint32_t>& chosen) {
  Batch out;
  out.rows = batch.rows;
  out.sequence = batch.sequence;
  out.columns.reserve(chosen.size());
  for (const uint32_t column : chosen) out.columns.push_back(batch.columns.at(column));
  return out;
}

Batch slice_rows(const TaskContext& context, const Batch& batch, cudf::size_type begin, cudf::size_type end) {
  if (begin == 0 && end == batch.rows) return batch;
  context.cancellation.check();
  Batch out;
  out.rows = end - begin;
  out.sequence = batch.sequence;
  for (const ColumnPtr& column : batch.columns) {
    const auto view = cudf::slice(column->view(), {begin, end}, context.stream).front();
    out.columns.push_back(std::make_shared<const cudf::column>(view, context.stream, context.mr));
  }
  return out;
}

Batch gather_rows(const TaskContext& context, const Batch& batch, cudf::column_view map) {
  return gather(context, batch, map, cudf::out_of_bounds_policy::DONT_CHECK);
}

Batch gather_rows_or_null(const TaskContext& context, const Batch& batch, cudf::column_view map) {
  return gather(context, batch, map, cudf::out_of_bounds_policy::NULLIFY);
}

Batch filter_rows(const TaskContext& context, const Batch& batch, cudf::column_view mask, bool keep) {
  context.cancellation.check();
  Batch out;
  if (batch.columns.empty()) {
    const int64_t kept = count_true(context, mask);
    out.rows = static_cast<cudf::size_type>(keep ? kept : batch.rows - kept);
  } else {
    auto table = keep ? cudf::apply_retention_mask(batch.view(), mask, context.stream, context.mr)
                      : cudf::apply_deletion_mask(batch.view(), mask, context.stream, context.mr);
    const cudf::size_type rows = table->num_rows();
    out = make_batch(table->release(), rows);
  }
  return with_sequence(std::move(out), batch.sequence);
}

Batch concatenate_rows(const TaskContext& context, const std::vector<Batch>& batches) {
  WEFT_INVARIANT(!batches.empty(), "concatenation of no batches");
  if (batches.size() == 1) return batches.front();
  context.cancellation.check();
  uint64_t rows = 0;
  for (const Batch& batch : batches) rows += static_cast<uint64_t>(batch.rows);
  WEFT_INVARIANT(rows <= kMaxRows, "a batch of 2^31 rows or more");
  Batch out;
  if (batches.front().columns.empty()) {
    out.rows = static_cast<cudf::size_type>(rows);
  } else {
    std::vector<cudf::table_view> views;
    views.reserve(batches.size());
    for (const Batch& batch : batches) views.push_back(batch.view());
    auto table = cudf::concatenate(views, context.stream, context.mr);
    out = make_batch(table->release(), static_cast<cudf::size_type>(rows));
  }
  return with_sequence(std::move(out), batches.front().sequence);
}

Batch empty_batch(const std::vector<cudf::data_type>& types) {
  std::vector<std::unique_ptr<cudf::column>> columns;
  columns.reserve(types.size());
  for (const cudf::data_type type : types) columns.push_back(cudf::make_empty_column(type));
  return make_batch(std::move(columns), 0);
}

ColumnPtr null_column(const TaskContext& context, cudf::data_type type, cudf::size_type rows) {
  if (rows == 0) return cudf::make_empty_column(type);
  const auto null = cudf::make_default_constructed_scalar(type, context.stream, context.mr);
  return cudf::make_column_from_scalar(*null, rows, context.stream, context.mr);
}

int64_t count_true(const TaskContext& context, cudf::column_view mask) {
  if (mask.size() == 0) return 0;
  const auto sum = cudf::make_sum_aggregation<cudf::reduce_aggregation>();
  const auto total = cudf::reduce(mask, *sum, cudf::data_type{cudf::type_id::INT64}, context.stream, context.mr);
  const auto& value = static_cast<const cudf::numeric_scalar<int64_t>&>(*total);
  return value.value(context.stream);
}

uint64_t bytes_per_row(const Batch& batch) {
  if (batch.rows == 0) return 1;
  const auto rows = static_cast<uint64_t>(batch.rows);
  return std::max<uint64_t>(1, (batch.device_bytes() + rows - 1) / rows);
}

cudf::size_type rows_per_piece(uint64_t target_bytes, uint64_t row_bytes) {
  const uint64_t rows = target_bytes / std::max<uint64_t>(1, row_bytes);
  return static_cast<cudf::size_type>(std::clamp<uint64_t>(rows, uint64_t{1} << 16, kMaxRows));
}

}  // namespace weft::gpu
