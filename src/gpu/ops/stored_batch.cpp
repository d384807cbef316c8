#include "gpu/ops/stored_batch.hpp"

#include <utility>

#include <cudf/null_mask.hpp>
#include <cudf/strings/strings_column_view.hpp>
#include <cudf/utilities/traits.hpp>
#include <rmm/device_buffer.hpp>

#include "gpu/exec/cuda_check.hpp"
#include "gpu/ops/rows.hpp"

namespace weft::gpu {
namespace {

// Buffers start at multiples of this in the host block, as they do on the device.
constexpr uint64_t kAlignment = 256;

uint64_t take_range(uint64_t& offset, uint64_t bytes) {
  const uint64_t begin = offset;
  offset += (bytes + kAlignment - 1) / kAlignment * kAlignment;
  return begin;
}

uint64_t data_bytes_of(const TaskContext& context, cudf::column_view column) {
  if (cudf::is_fixed_width(column.type())) {
    return static_cast<uint64_t>(column.size()) * cudf::size_of(column.type());
  }
  if (column.type().id() == cudf::type_id::STRING && column.num_children() > 0) {
    return static_cast<uint64_t>(cudf::strings_column_view(column).chars_size(context.stream));
  }
  return 0;
}

}  // namespace

StoredBatch::StoredBatch(Batch batch) : batch_(std::move(batch)), rows_(batch_.rows), bytes_(batch_.device_bytes()) {}

StoredBatch::HostColumn StoredBatch::lay_out(const TaskContext& context, cudf::column_view column, uint64_t& offset) {
  WEFT_INVARIANT(column.offset() == 0, "a stored column is a slice");
  HostColumn host;
  host.type = column.type();
  host.rows = column.size();
  host.null_count = column.null_count();
  host.nullable = column.nullable();
  host.data_bytes = data_bytes_of(context, column);
  host.data_offset = take_range(offset, host.data_bytes);
  if (host.nullable) {
    host.mask_bytes = static_cast<uint64_t>(cudf::num_bitmask_words(column.size())) * sizeof(cudf::bitmask_type);
    host.mask_offset = take_range(offset, host.mask_bytes);
  }
  for (cudf::size_type i = 0; i < column.num_children(); ++i) {
    host.children.push_back(lay_out(context, column.child(i), offset));
  }
  return host;
}

void StoredBatch::copy_out(const TaskContext& context, cudf::column_view column, const HostColumn& host, char* base) {
  const auto copy = [&](uint64_t offset, const void* from, uint64_t bytes) {
    if (bytes == 0) return;
    check_cuda(cudaMemcpyAsync(base + offset, from, bytes, cudaMemcpyDeviceToHost, context.stream.get()));
  };
  copy(host.data_offset, column.head<char>(), host.data_bytes);
  if (host.nullable) copy(host.mask_offset, column.null_mask(), host.mask_bytes);
  for (cudf::size_type i = 0; i < column.num_children(); ++i) {
    copy_out(context, column.child(i), host.children[static_cast<size_t>(i)], base);
  }
}

std::unique_ptr<cudf::column> StoredBatch::copy_in(const TaskContext& context, const HostColumn& host,
                                                   const char* base) {
  const auto copy = [&](void* to, uint64_t offset, uint64_t bytes) {
    if (bytes == 0) return;
    check_cuda(cudaMemcpyAsync(to, base + offset, bytes, cudaMemcpyHostToDevice, context.stream.get()));
  };
  rmm::device_buffer data(host.data_bytes, context.stream, context.mr);
  copy(data.data(), host.data_offset, host.data_bytes);
  rmm::device_buffer mask(host.nullable ? cudf::bitmask_allocation_size_bytes(host.rows) : 0, context.stream,
                          context.mr);
  if (host.nullable) copy(mask.data(), host.mask_offset, host.mask_bytes);
  std::vector<std::unique_ptr<cudf::column>> children;
  for (const HostColumn& child : host.children) children.push_back(copy_in(context, child, base));
  return std::make_unique<cudf::column>(host.type, host.rows, std::move(data), std::move(mask), host.null_count,
                                        std::move(children));
}

uint64_t StoredBatch::spill(const TaskContext& context, PinnedPool& pool) {
  if (!on_device()) return 0;
  std::vector<HostColumn> columns;
  uint64_t bytes = 0;
  for (const ColumnPtr& column : batch_.columns) columns.push_back(lay_out(context, column->view(), bytes));
  auto host = pool.allocate(bytes);
  for (size_t i = 0; i < columns.size(); ++i) {
    copy_out(context, batch_.columns[i]->view(), columns[i], static_cast<char*>(host->data()));
  }
  synchronize(context);
  columns_ = std::move(columns);
  host_ = std::move(host);
  batch_.columns.clear();
  return bytes_;
}

Batch StoredBatch::load(const TaskContext& context) const {
  if (on_device()) return batch_;
  std::vector<std::unique_ptr<cudf::column>> columns;
  for (const HostColumn& column : columns_) {
    columns.push_back(copy_in(context, column, static_cast<const char*>(host_->data())));
  }
  Batch batch = make_batch(std::move(columns), rows_);
  batch.sequence = batch_.sequence;
  synchronize(context);
  return batch;
}

void StoredBatches::add(Batch batch) { add(StoredBatch(std::move(batch))); }

void StoredBatches::add(StoredBatch batch) {
  rows_ += static_cast<uint64_t>(batch.rows());
  bytes_ += batch.bytes();
  if (batch.on_device()) device_bytes_ += batch.bytes();
  batches_.push_back(std::move(batch));
}

uint64_t StoredBatches::spill(const TaskContext& context, PinnedPool& pool, uint64_t bytes) {
  uint64_t freed = 0;
  for (StoredBatch& batch : batches_) {
    if (freed >= bytes) break;
    const uint64_t let_go = batch.spill(context, pool);
    freed += let_go;
    device_bytes_ -= let_go;
  }
  return freed;
}

std::vector<StoredBatch> StoredBatches::take() {
  rows_ = bytes_ = device_bytes_ = 0;
  return std::exchange(batches_, {});
}

}  // namespace weft::gpu
