#include "gpu/column/arrow_export.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <cudf/column/column_view.hpp>
#include <cudf/copying.hpp>
#include <cudf/null_mask.hpp>
#include <cudf/strings/strings_column_view.hpp>
#include <variant>

#include <cudf/transform.hpp>
#include <cudf/unary.hpp>

#include "base/error.hpp"
#include "gpu/exec/cuda_check.hpp"

namespace weft::gpu {
namespace {

constexpr int64_t kMaxTextBytes = (int64_t{1} << 31) - 1;

/// Host buffers of one array and its children's structs; freed by the release callback.
struct ArrayHolder {
  std::vector<void*> buffers;
  std::vector<ArrowArray*> children;
  std::vector<ArrowArray> child_storage;
  ~ArrayHolder() {
    for (void* buffer : buffers) std::free(buffer);
  }
};

void release_array(ArrowArray* array) {
  auto* holder = static_cast<ArrayHolder*>(array->private_data);
  for (ArrowArray& child : holder->child_storage) {
    if (child.release != nullptr) child.release(&child);
  }
  delete holder;
  array->release = nullptr;
}

ArrowArray make_array(std::unique_ptr<ArrayHolder> holder, int64_t rows, int64_t null_count) {
  ArrowArray array{};
  array.length = rows;
  array.null_count = null_count;
  array.n_buffers = static_cast<int64_t>(holder->buffers.size());
  array.buffers = const_cast<const void**>(holder->buffers.data());
  for (ArrowArray& child : holder->child_storage) holder->children.push_back(&child);
  array.n_children = static_cast<int64_t>(holder->children.size());
  array.children = holder->children.data();
  array.release = release_array;
  array.private_data = holder.release();
  return array;
}

/// Copies device bytes to fresh host memory through pinned staging.
void* copy_to_host(const TaskContext& context, PinnedPool& pinned, const void* device, std::size_t bytes) {
  auto* host = static_cast<char*>(std::malloc(std::max<std::size_t>(bytes, 8)));
  if (host == nullptr)
    throw Exception(ErrorCode::QueryMemoryLimitExceeded, "the host has no memory for a result batch");
  constexpr std::size_t kPiece = std::size_t{16} << 20;
  try {
    const auto staging = bytes == 0 ? nullptr : pinned.allocate(std::min(bytes, kPiece));
    for (std::size_t at = 0; at < bytes; at += kPiece) {
      const std::size_t piece = std::min(kPiece, bytes - at);
      check_cuda(cudaMemcpyAsync(staging->data(), static_cast<const char*>(device) + at, piece, cudaMemcpyDeviceToHost,
                                 context.stream.get()));
      check_cuda(cudaStreamSynchronize(context.stream.get()));
      std::memcpy(host + at, staging->data(), piece);
    }
  } catch (...) {
    std::free(host);
    throw;
  }
  return host;
}

/// The column's validity as an Arrow bitmap, or null without NULLs. `column` has offset 0.
void* copy_validity(const TaskContext& context, PinnedPool& pinned, const cudf::column_view& column) {
  if (column.null_count() == 0) return nullptr;
  return copy_to_host(context, pinned, column.null_mask(), (static_cast<std::size_t>(column.size()) + 7) / 8);
}

ArrowArray export_column(const TaskContext& context, PinnedPool& pinned, const plan::Type& type,
                         const cudf::column_view& column) {
  auto holder = std::make_unique<ArrayHolder>();
  const auto rows = static_cast<std::size_t>(column.size());
  holder->buffers.push_back(copy_validity(context, pinned, column));
  if (column.type().id() == cudf::type_id::STRING) {
    const cudf::strings_column_view text(column);
    if (rows == 0) {
      holder->buffers.push_back(std::calloc(1, 8));
      holder->buffers.push_back(std::malloc(8));
    } else {
      // A slice of a column of 2^31 characters or more may still have its 64-bit offsets.
      const bool wide = text.offsets().type().id() == cudf::type_id::INT64;
      std::unique_ptr<cudf::column> narrow;
      if (wide) {
        narrow = cudf::cast(text.offsets(), cudf::data_type{cudf::type_id::INT32}, context.stream, context.mr);
      }
      const int32_t* offsets = wide ? narrow->view().head<int32_t>() : text.offsets().head<int32_t>();
      holder->buffers.push_back(copy_to_host(context, pinned, offsets, (rows + 1) * 4));
      holder->buffers.push_back(copy_to_host(context, pinned, column.head<char>(),
                                             static_cast<std::size_t>(text.chars_size(context.stream))));
    }
  } else if (type.id == plan::TypeId::Boolean) {
    const auto bits = cudf::bools_to_mask(column, context.stream, context.mr).first;
    holder->buffers.push_back(copy_to_host(context, pinned, bits->data(), (rows + 7) / 8));
  } else if (type.is_decimal() && column.type().id() != cudf::type_id::DECIMAL128) {
    const auto wide = cudf::cast(column, cudf::data_type{cudf::type_id::DECIMAL128, column.type().scale()},
                                 context.stream, context.mr);
    holder->buffers.push_back(copy_to_host(context, pinned, wide->view().head(), rows * 16));
  } else {
    holder->buffers.push_back(copy_to_host(context, pinned, column.head(), rows * cudf::size_of(column.type())));
  }
  const auto null_count = column.null_count();
  return make_array(std::move(holder), column.size(), null_count);
}

engine::HostBatch export_slice(const TaskContext& context, PinnedPool& pinned, const std::vector<plan::Column>& columns,
                               const cudf::table_view& table, cudf::size_type rows) {
  auto holder = std::make_unique<ArrayHolder>();
  holder->buffers.push_back(nullptr);
  holder->child_storage.reserve(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    context.cancellation.check();
    holder->child_storage.push_back(
        export_column(context, pinned, columns[i].type, table.column(static_cast<cudf::size_type>(i))));
  }
  return engine::HostBatch(make_array(std::move(holder), rows, 0));
}

cudf::size_type rows_per_slice(const Batch& batch, uint64_t slice_bytes) {
  const uint64_t bytes = std::max<uint64_t>(batch.device_bytes(), 1);
  uint64_t slices = (bytes + slice_bytes - 1) / slice_bytes;
  for (const ColumnPtr& column : batch.columns) {
    if (column->type().id() == cudf::type_id::STRING) {
      slices = std::max(slices, column->alloc_size() / (kMaxTextBytes / 2) + 1);
    }
  }
  return static_cast<cudf::size_type>(std::max<uint64_t>((static_cast<uint64_t>(batch.rows) + slices - 1) / slices, 1));
}

}  // namespace

std::vector<engine::HostBatch> export_batch(const TaskContext& context, PinnedPool& pinned,
                                            const std::vector<plan::Column>& columns, const Batch& batch,
                                            uint64_t slice_bytes) {
  std::vector<engine::HostBatch> out;
  if (batch.rows == 0) return out;
  const cudf::size_type step = rows_per_slice(batch, slice_bytes);
  if (step >= batch.rows) {
    out.push_back(export_slice(context, pinned, columns, batch.view(), batch.rows));
    return out;
  }
  for (cudf::size_type begin = 0; begin < batch.rows; begin += step) {
    const cudf::size_type end = std::min(batch.rows, begin + step);
    // A copy, so that offsets and bitmaps begin at zero.
    std::vector<std::unique_ptr<cudf::column>> pieces;
    if (!batch.columns.empty()) {
      const auto views = cudf::slice(batch.view(), {begin, end}, context.stream);
      for (const auto& view : views.front())
        pieces.push_back(std::make_unique<cudf::column>(view, context.stream, context.mr));
    }
    const Batch piece = make_batch(std::move(pieces), end - begin);
    out.push_back(export_slice(context, pinned, columns, piece.view(), piece.rows));
  }
  return out;
}

}  // namespace weft::gpu
