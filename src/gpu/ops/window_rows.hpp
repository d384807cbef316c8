// The sorted rows of one part of a window, and the runs of partitions and peers in them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <cudf/utilities/traits.hpp>
#include <rmm/device_uvector.hpp>

#include "base/error.hpp"
#include "gpu/column/batch.hpp"
#include "gpu/exec/task_context.hpp"
#include "gpu/kernels/window_rows.hpp"

namespace weft::gpu {

/// Runs of equal rows, on the device.
class RowRuns {
 public:
  /// `changed`: a byte per row, not 0 where a run begins (the first row among them); at least one row. Synchronizes.
  RowRuns(const TaskContext& context, const rmm::device_uvector<uint8_t>& changed);
  window::Runs view() const { return {numbers_.data(), starts_->data()}; }

 private:
  rmm::device_uvector<window::Row> numbers_;
  std::optional<rmm::device_uvector<window::Row>> starts_;
};

/// Immutable, and complete on the stream of the task that made it.
struct SortedRows {
  Batch rows;  // the input's columns, in order of (partition keys, order keys)
  std::optional<RowRuns> partitions;
  std::optional<RowRuns> peers;  // none without an order: all rows of a partition are peers
  ColumnPtr order_key;           // the first one, as the rows are sorted by it (a BIGINT order key for floating point)
  bool descending = false;
  window::Layout layout() const { return {partitions->view(), peers ? peers->view() : partitions->view()}; }
};

/// The rows, which are sorted by `partition_keys` and then by `order_keys`, with their runs; at least one row.
/// Synchronizes.
SortedRows sorted_rows(const TaskContext& context, Batch rows, const std::vector<ColumnPtr>& partition_keys,
                       const std::vector<ColumnPtr>& order_keys);

/// The rows of a column that are not NULL, as counts and positions ask for them.
class PresentRows {
 public:
  PresentRows(const TaskContext& context, const cudf::column& column);
  window::Present view() const { return {before_ ? before_->data() : nullptr}; }

 private:
  std::optional<rmm::device_uvector<window::Row>> before_;  // none: all rows
};

/// The null mask; null where there are no NULLs.
const uint32_t* mask_of(const cudf::column& column);

/// A column of `rows` rows over its values and a mask of the same number of bits. Synchronizes.
ColumnPtr masked_column(const TaskContext& context, cudf::data_type type, cudf::size_type rows,
                        rmm::device_buffer values, rmm::device_buffer mask);
rmm::device_buffer values_buffer(const TaskContext& context, cudf::data_type type, cudf::size_type rows);
rmm::device_buffer mask_buffer(const TaskContext& context, cudf::size_type rows);

/// f(T{}) with the integer type that a fixed-width column's values are compared as.
template <typename Function>
decltype(auto) with_integers(cudf::data_type type, Function&& f) {
  switch (type.id()) {
    case cudf::type_id::UINT8:
      return f(uint8_t{});
    case cudf::type_id::UINT16:
      return f(uint16_t{});
    case cudf::type_id::UINT32:
      return f(uint32_t{});
    case cudf::type_id::UINT64:
      return f(uint64_t{});
    default:
      break;
  }
  WEFT_INVARIANT(cudf::is_fixed_width(type) && !cudf::is_floating_point(type), "values that are compared as integers");
  switch (cudf::size_of(type)) {
    case sizeof(int8_t):
      return f(int8_t{});
    case sizeof(int16_t):
      return f(int16_t{});
    case sizeof(int32_t):
      return f(int32_t{});
    case sizeof(int64_t):
      return f(int64_t{});
    default:
      return f(__int128{});
  }
}

}  // namespace weft::gpu
