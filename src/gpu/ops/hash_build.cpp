#include "gpu/ops/hash_build.hpp"

#include <algorithm>
#include <numeric>

#include <cudf/copying.hpp>
#include <cudf/reduction/distinct_count.hpp>
#include <cudf/stream_compaction.hpp>
#include <cudf/table/table.hpp>
#include <cudf/unary.hpp>

#include "base/error.hpp"
#include "gpu/exec/cuda_check.hpp"
#include "gpu/ops/rows.hpp"

namespace weft::gpu {
namespace {

// A partition's rows are copied together once, beside the batches that they come from.
constexpr uint64_t kPartitionsPerCap = 6;
constexpr uint64_t kMinPartitionBytes = 1024;
// Bytes of a hash table per row, about: a 4-byte row number and a 4-byte hash at half load.
constexpr uint64_t kTableBytesPerRow = 16;

uint64_t partition_limit(const Account& account) {
  return std::max(kMinPartitionBytes, account.cap_bytes() / kPartitionsPerCap);
}

// Counting costs about as much as building; probing a table of distinct keys is much cheaper than one with repeats.
// With UNEQUAL the table leaves out rows with a NULL, so they do not count. (Counted as they are, NULLs that are
// unequal but hash alike would make one long chain.)
bool keys_are_distinct(const TaskContext& context, cudf::table_view keys, cudf::null_equality compare_nulls) {
  std::unique_ptr<cudf::table> valid;
  if (compare_nulls == cudf::null_equality::UNEQUAL && cudf::has_nulls(keys)) {
    std::vector<cudf::size_type> all(static_cast<size_t>(keys.num_columns()));
    std::iota(all.begin(), all.end(), 0);
    valid = cudf::drop_nulls(keys, all, context.stream, context.mr);
    keys = valid->view();
  }
  return cudf::distinct_count(keys, cudf::null_equality::EQUAL, context.stream) == keys.num_rows();
}

std::vector<cudf::data_type> types_of(const std::vector<plan::Column>& row, const std::vector<uint32_t>& columns) {
  std::vector<cudf::data_type> types;
  for (const uint32_t column : columns) types.push_back(device_type(row[column].type));
  return types;
}

}  // namespace

HashBuild::HashBuild(const OperatorServices& services, const pipeline::JoinSpec& spec)
    : pinned_(services.pinned),
      force_spill_(services.force_spill),
      partition_bytes_(partition_limit(services.account)),
      layout_(make_join_layout(spec)),
      output_types_(types_of(spec.build_row.columns, spec.build_output)) {
  if (!layout_.computed_keys.empty()) {
    computed_keys_ = Expressions::make(services.kernels, spec.build_row.columns, layout_.computed_keys);
  }
}

void HashBuild::consume(const TaskContext& context, uint32_t, Batch batch) {
  if (batch.rows == 0) return;
  Batch stored = select_columns(batch, layout_.kept);
  if (computed_keys_) {
    for (ColumnPtr& key : computed_keys(context, batch)) stored.columns.push_back(std::move(key));
  }
  synchronize(context);
  const std::lock_guard<std::mutex> guard(mutex_);
  stored_.add(std::move(stored));
  if (force_spill_) stored_.spill(context, pinned_, ~uint64_t{0});
}

std::vector<ColumnPtr> HashBuild::computed_keys(const TaskContext& context, const Batch& batch) {
  try {
    return computed_keys_->evaluate(context, batch);
  } catch (const Exception& e) {
    if (!layout_.otherwise || e.code() != ErrorCode::ExpressionError) throw;
  }
  all_pairs_ = true;  // nobody will read these
  std::vector<ColumnPtr> keys;
  for (const plan::ExprPtr& key : layout_.computed_keys) {
    keys.push_back(null_column(context, device_type(key->type), batch.rows));
  }
  return keys;
}

uint64_t HashBuild::device_bytes() const {
  const std::lock_guard<std::mutex> guard(mutex_);
  return stored_.device_bytes() + built_bytes_.load(std::memory_order_relaxed);
}

uint64_t HashBuild::spillable_bytes() const {
  const std::lock_guard<std::mutex> guard(mutex_);
  return stored_.device_bytes();
}

uint64_t HashBuild::spill(const TaskContext& context, uint64_t bytes) {
  const std::lock_guard<std::mutex> guard(mutex_);
  return stored_.spill(context, pinned_, bytes);
}

void HashBuild::finalize(const TaskContext& context) {
  {
    const std::lock_guard<std::mutex> guard(mutex_);
    for (StoredBatch& batch : stored_.take()) pending_.push_back(std::move(batch));
  }
  // Each turn takes what makes one partition off the front of pending_, and leaves it there until the partition is
  // done: finalize() may be called again after a failure.
  while (!pending_.empty()) {
    size_t count = 0;
    uint64_t bytes = 0;
    uint64_t rows = 0;
    std::vector<Batch> group;
    for (const StoredBatch& batch : pending_) {
      const auto more = static_cast<uint64_t>(batch.rows());
      if (count > 0 && (bytes + batch.bytes() > partition_bytes_ || rows + more > kMaxRows)) break;
      bytes += batch.bytes();
      rows += more;
      ++count;
      group.push_back(batch.load(context));
    }
    const Batch together = concatenate_rows(context, group);
    synchronize(context);
    group.clear();
    pending_.erase(pending_.begin() + 1, pending_.begin() + static_cast<std::ptrdiff_t>(count));
    pending_.front() = StoredBatch(together);
    add_partition(context, together);
    pending_.pop_front();
  }
  cut_pieces(context);
}

void HashBuild::add_partition(const TaskContext& context, const Batch& unordered) {
  Partition partition;
  partition.rows = is_searched() ? in_search_order(context, layout_, unordered, partition.order) : unordered;
  const Batch& rows = partition.rows;
  std::vector<cudf::column_view> keys;
  std::vector<cudf::column_view> plain;
  bool null_key = false;
  for (size_t i = 0; i < layout_.key_columns.size(); ++i) {
    keys.push_back(rows.columns[layout_.key_columns[i]]->view());
    if (layout_.spec.null_equal[i]) continue;
    plain.push_back(keys.back());
    null_key = null_key || keys.back().null_count() > 0;
  }
  if (layout_.marker) {
    partition.marker = make_null_marker(context, plain, rows.rows, 2);
    keys.push_back(partition.marker->view());
  }
  // A mark by search: its one value is NULL where a row cannot be searched.
  if (layout_.three_valued && layout_.spec.search) null_key = partition.order.searchable < rows.rows;
  partition.keys = cudf::table_view(keys);
  if (layout_.has_table()) make_table(context, partition);
  if (layout_.groups) make_groups(context, partition, keys);
  if (layout_.spec.track_build_matches) {
    const auto count = static_cast<size_t>(rows.rows);
    partition.marks = std::make_unique<rmm::device_uvector<uint8_t>>(count, context.stream, context.mr);
    check_cuda(cudaMemsetAsync(partition.marks->data(), 0, count, context.stream.get()));
  }
  synchronize(context);
  built_bytes_ +=
      rows.device_bytes() + (layout_.has_table() ? kTableBytesPerRow * static_cast<uint64_t>(rows.rows) : 0);
  total_rows_ += static_cast<uint64_t>(rows.rows);
  has_null_key_ = has_null_key_ || null_key;
  partitions_.push_back(std::move(partition));
}

void HashBuild::make_table(const TaskContext& context, Partition& partition) const {
  context.cancellation.check();
  if (!layout_.needs_pairs()) {
    partition.filter =
        std::make_unique<cudf::filtered_join>(partition.keys, layout_.compare_nulls, context.stream, context.mr);
    return;
  }
  const bool distinct = keys_are_distinct(context, partition.keys, layout_.compare_nulls);
  context.cancellation.check();
  constexpr double kLoadFactor = 0.5;
  if (distinct) {
    partition.distinct = std::make_unique<cudf::distinct_hash_join>(partition.keys, layout_.compare_nulls, kLoadFactor,
                                                                    context.stream, context.mr);
  } else {
    partition.hash =
        std::make_unique<cudf::hash_join>(partition.keys, layout_.compare_nulls, context.stream, context.mr);
  }
}

void HashBuild::make_groups(const TaskContext& context, Partition& partition,
                            const std::vector<cudf::column_view>& keys) const {
  context.cancellation.check();
  const cudf::table_view groups(group_keys(layout_, keys));
  const auto join = [&](cudf::table_view rows) {
    return std::make_unique<cudf::filtered_join>(rows, cudf::null_equality::EQUAL, context.stream, context.mr);
  };
  partition.groups = join(groups);
  const cudf::column_view value = plain_key(layout_, keys);
  if (value.null_count() == 0) return;
  const auto is_null = cudf::is_null(value, context.stream, context.mr);
  auto rows = cudf::apply_retention_mask(groups, is_null->view(), context.stream, context.mr)->release();
  partition.null_group_rows.rows = value.null_count();
  std::vector<cudf::column_view> views;
  for (auto& column : rows) {
    views.push_back(column->view());
    partition.null_group_rows.columns.emplace_back(std::move(column));
  }
  partition.null_groups = join(cudf::table_view(views));
}

void HashBuild::cut_pieces(const TaskContext& context) {
  pieces_.clear();
  if (!layout_.spec.track_build_matches) return;
  for (size_t i = 0; i < partitions_.size(); ++i) {
    const Batch& rows = partitions_[i].rows;
    const cudf::size_type step = rows_per_piece(context.batch_bytes, bytes_per_row(rows));
    for (cudf::size_type begin = 0; begin < rows.rows; begin += std::min(step, rows.rows - begin)) {
      pieces_.push_back(RowPiece{i, begin, begin + std::min(step, rows.rows - begin)});
    }
  }
}

Batch HashBuild::row_piece(const TaskContext& context, size_t index, bool matched) const {
  const RowPiece& piece = pieces_.at(index);
  const Partition& partition = partitions_[piece.partition];
  const cudf::column_view marks(cudf::data_type{cudf::type_id::BOOL8}, piece.end - piece.begin,
                                partition.marks->data() + piece.begin, nullptr, 0);
  const Batch rows = slice_rows(context, select_columns(partition.rows, layout_.build_output), piece.begin, piece.end);
  Batch out = filter_rows(context, rows, marks, matched);
  synchronize(context);  // before the slices are let go
  return out;
}

std::unique_ptr<SinkState> make_hash_build(const OperatorServices& services, const pipeline::JoinSpec& spec) {
  return std::make_unique<HashBuild>(services, spec);
}

size_t build_row_pieces(const SinkState& build) { return dynamic_cast<const HashBuild&>(build).row_pieces(); }

Batch build_row_piece(const TaskContext& context, SinkState& build, size_t index, bool matched) {
  return dynamic_cast<const HashBuild&>(build).row_piece(context, index, matched);
}

}  // namespace weft::gpu
