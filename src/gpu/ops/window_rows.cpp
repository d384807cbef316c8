#include "gpu/ops/window_rows.hpp"

#include <utility>

#include <cudf/null_mask.hpp>
#include <cudf/strings/strings_column_view.hpp>
#include <rmm/device_buffer.hpp>

#include "gpu/exec/cuda_check.hpp"
#include "gpu/kernels/window_kernels.hpp"
#include "gpu/ops/rows.hpp"

namespace weft::gpu {
namespace {

using window::Row;

template <typename T>
void mark_fixed(const TaskContext& context, const cudf::column& column, uint8_t* changed) {
  const window::MarkChanges<T> mark{reinterpret_cast<const T*>(column.view().head<char>()), mask_of(column), changed};
  window::for_each_row(mark, column.size(), context.stream);
}

template <typename Offset>
void mark_text(const TaskContext& context, const cudf::column& column, uint8_t* changed) {
  const cudf::strings_column_view strings(column.view());
  const window::MarkTextChanges<Offset> mark{strings.chars_begin(context.stream), strings.offsets().head<Offset>(),
                                             mask_of(column), changed};
  window::for_each_row(mark, column.size(), context.stream);
}

void mark_changes(const TaskContext& context, const cudf::column& column, uint8_t* changed) {
  context.cancellation.check();
  WEFT_INVARIANT(column.view().offset() == 0, "a batch holds whole columns");
  if (column.type().id() == cudf::type_id::STRING) {
    const cudf::strings_column_view strings(column.view());
    const bool wide = strings.offsets().type().id() == cudf::type_id::INT64;
    return wide ? mark_text<int64_t>(context, column, changed) : mark_text<int32_t>(context, column, changed);
  }
  switch (cudf::size_of(column.type())) {
    case sizeof(uint8_t):
      return mark_fixed<uint8_t>(context, column, changed);
    case sizeof(uint16_t):
      return mark_fixed<uint16_t>(context, column, changed);
    case sizeof(uint32_t):
      return mark_fixed<uint32_t>(context, column, changed);
    case sizeof(uint64_t):
      return mark_fixed<uint64_t>(context, column, changed);
    default:
      return mark_fixed<unsigned __int128>(context, column, changed);
  }
}

}  // namespace

RowRuns::RowRuns(const TaskContext& context, const rmm::device_uvector<uint8_t>& changed)
    : numbers_(changed.size(), context.stream, context.mr) {
  const auto rows = static_cast<Row>(changed.size());
  window::number_runs(changed.data(), rows, numbers_.data(), context.stream, context.mr);
  Row last = 0;
  check_cuda(
      cudaMemcpyAsync(&last, numbers_.data() + rows - 1, sizeof(Row), cudaMemcpyDeviceToHost, context.stream.get()));
  synchronize(context);
  starts_.emplace(static_cast<size_t>(last) + 2, context.stream, context.mr);
  const window::WriteStarts write{changed.data(), numbers_.data(), rows, starts_->data()};
  window::for_each_row(write, rows, context.stream);
}

SortedRows sorted_rows(const TaskContext& context, Batch rows, const std::vector<ColumnPtr>& partition_keys,
                       const std::vector<ColumnPtr>& order_keys) {
  WEFT_INVARIANT(rows.rows > 0, "a window over no rows");
  SortedRows sorted;
  rmm::device_uvector<uint8_t> changed(static_cast<size_t>(rows.rows), context.stream, context.mr);
  check_cuda(cudaMemsetAsync(changed.data(), 0, changed.size(), context.stream.get()));
  check_cuda(cudaMemsetAsync(changed.data(), 1, 1, context.stream.get()));
  for (const ColumnPtr& key : partition_keys) mark_changes(context, *key, changed.data());
  sorted.partitions.emplace(context, changed);
  if (!order_keys.empty()) {
    for (const ColumnPtr& key : order_keys) mark_changes(context, *key, changed.data());
    sorted.peers.emplace(context, changed);
    sorted.order_key = order_keys.front();
  }
  sorted.rows = std::move(rows);
  return sorted;
}

PresentRows::PresentRows(const TaskContext& context, const cudf::column& column) {
  if (column.null_count() == 0) return;
  before_.emplace(static_cast<size_t>(column.size()) + 1, context.stream, context.mr);
  window::count_before(mask_of(column), column.size(), before_->data(), context.stream, context.mr);
}

const uint32_t* mask_of(const cudf::column& column) {
  return column.null_count() > 0 ? column.view().null_mask() : nullptr;
}

ColumnPtr masked_column(const TaskContext& context, cudf::data_type type, cudf::size_type rows,
                        rmm::device_buffer values, rmm::device_buffer mask) {
  const cudf::size_type nulls =
      cudf::null_count(static_cast<const cudf::bitmask_type*>(mask.data()), 0, rows, context.stream);
  if (nulls == 0) mask = rmm::device_buffer{};
  return std::make_shared<const cudf::column>(type, rows, std::move(values), std::move(mask), nulls);
}

rmm::device_buffer values_buffer(const TaskContext& context, cudf::data_type type, cudf::size_type rows) {
  return rmm::device_buffer(static_cast<size_t>(rows) * cudf::size_of(type), context.stream, context.mr);
}

rmm::device_buffer mask_buffer(const TaskContext& context, cudf::size_type rows) {
  return rmm::device_buffer(cudf::bitmask_allocation_size_bytes(rows), context.stream, context.mr);
}

}  // namespace weft::gpu
