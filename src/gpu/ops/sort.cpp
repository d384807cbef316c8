// ORDER BY. Batches gather; at the end they are sorted together, or, when they are large for the query's cap, cut into
// ranges of the sort key at splitters taken from a sample, and each range is sorted when it is read.
//
// Thread safety: consume() and spill() may run at once from many tasks; pieces are independent and in order.
#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>

#include <cudf/column/column_factories.hpp>
#include <cudf/copying.hpp>
#include <cudf/filling.hpp>
#include <cudf/scalar/scalar.hpp>
#include <cudf/search.hpp>
#include <cudf/sorting.hpp>
#include <cudf/table/table.hpp>

#include "gpu/exec/cuda_check.hpp"
#include "gpu/ops/make_operators.hpp"
#include "gpu/ops/partitioned_rows.hpp"
#include "gpu/ops/rows.hpp"
#include "gpu/ops/sliced_batch.hpp"
#include "gpu/ops/sort_keys.hpp"

namespace weft::gpu {
namespace {

constexpr cudf::size_type kSampleStep = 4096;
constexpr uint64_t kAll = std::numeric_limits<uint64_t>::max();

class SortState final : public SinkState {
 public:
  SortState(const OperatorServices& services, const plan::Sort& sort, const pipeline::RowType& input)
      : services_(services), keys_(services, sort.keys, input) {
    for (size_t i = 0; i < sort.keys.size(); ++i) key_columns_.push_back(static_cast<uint32_t>(keys_.columns()[i]));
  }

  void consume(const TaskContext& context, uint32_t, Batch batch) override {
    if (batch.rows == 0) return;
    Batch keyed = keys_.keyed(context, batch);
    Batch sample = gather_every(context, select_columns(keyed, key_columns_), 0, kSampleStep);
    synchronize(context);
    const std::lock_guard<std::mutex> guard(mutex_);
    stored_.add(std::move(keyed));
    samples_.push_back(std::move(sample));
    if (services_.force_spill) stored_.spill(context, services_.pinned, ~uint64_t{0});
  }

  void finalize(const TaskContext& context) override {
    if (ranges_.empty()) {
      const std::lock_guard<std::mutex> guard(mutex_);
      const size_t parts = parts_needed(stored_.bytes(), stored_.rows(), services_.account.cap_bytes());
      pending_ = stored_.take();
      ranges_.resize(parts);
    }
    if (ranges_.size() > 1 && splitters_.rows == 0) find_splitters(context);
    while (!pending_.empty()) {
      if (ranges_.size() == 1) {
        ranges_.front().add(std::move(pending_.back()));
      } else {
        cut(context, pending_.back());
      }
      pending_.pop_back();
    }
    if (ranges_.size() == 1 && !ranges_.front().empty()) {
      const Batch all = load_all(context, ranges_.front());
      sorted_ = SlicedBatch(keys_.without_keys(keys_.sorted(context, all, kAll)), context.batch_bytes);
      synchronize(context);
      ranges_.front().take();
    }
    uint64_t bytes = sorted_.device_bytes();
    for (const StoredBatches& range : ranges_) bytes += range.device_bytes();
    final_bytes_.store(bytes, std::memory_order_relaxed);
  }

  size_t pieces() const override { return ranges_.size() != 1 ? ranges_.size() : sorted_.pieces(); }

  Batch piece(const TaskContext& context, size_t index) override {
    if (ranges_.size() == 1) return sorted_.piece(context, index);
    if (ranges_[index].empty()) return {};
    const Batch all = load_all(context, ranges_[index]);
    Batch out = keys_.without_keys(keys_.sorted(context, all, kAll));
    synchronize(context);
    out.sequence = index;
    return out;
  }

  uint64_t device_bytes() const override {
    const std::lock_guard<std::mutex> guard(mutex_);
    return stored_.device_bytes() + final_bytes_.load(std::memory_order_relaxed);
  }
  uint64_t spillable_bytes() const override {
    const std::lock_guard<std::mutex> guard(mutex_);
    return stored_.device_bytes();
  }
  uint64_t spill(const TaskContext& context, uint64_t bytes) override {
    const std::lock_guard<std::mutex> guard(mutex_);
    return stored_.spill(context, services_.pinned, bytes);
  }

 private:
  // Rows first, first + step, first + 2 step, ...
  static Batch gather_every(const TaskContext& context, const Batch& batch, cudf::size_type first,
                            cudf::size_type step) {
    const cudf::size_type count = (batch.rows - first + step - 1) / step;
    const cudf::numeric_scalar<cudf::size_type> init(first, true, context.stream, context.mr);
    const cudf::numeric_scalar<cudf::size_type> stride(step, true, context.stream, context.mr);
    const auto map = cudf::sequence(count, init, stride, context.stream, context.mr);
    return gather_rows(context, batch, map->view());
  }

  // The key rows that begin the ranges after the first.
  void find_splitters(const TaskContext& context) {
    const Batch all = concatenate_rows(context, samples_);
    const auto sorted = cudf::sort(all.view(), keys_.orders(), keys_.null_orders(), context.stream, context.mr);
    const cudf::size_type rows = sorted->num_rows();
    const Batch keys = make_batch(sorted->release(), rows);
    const auto wanted = std::min<size_t>(ranges_.size(), static_cast<size_t>(rows) + 1);
    if (wanted < 2) {
      ranges_.resize(1);
      return;
    }
    const cudf::size_type step = std::max<cudf::size_type>(1, rows / static_cast<cudf::size_type>(wanted));
    splitters_ = gather_every(context, keys, step, step);
    if (splitters_.rows >= static_cast<cudf::size_type>(ranges_.size())) {
      splitters_ = slice_rows(context, splitters_, 0, static_cast<cudf::size_type>(ranges_.size()) - 1);
    }
    synchronize(context);
    ranges_.resize(static_cast<size_t>(splitters_.rows) + 1);
  }

  // Sorts one batch and gives each range its rows.
  void cut(const TaskContext& context, const StoredBatch& stored) {
    context.cancellation.check();
    const Batch batch = stored.load(context);
    const Batch sorted = keys_.sorted(context, batch, kAll);
    const auto bounds = cudf::lower_bound(keys_.view(sorted), splitters_.view(), keys_.orders(), keys_.null_orders(),
                                          context.stream, context.mr);
    std::vector<cudf::size_type> ends(static_cast<size_t>(bounds->size()));
    check_cuda(cudaMemcpyAsync(ends.data(), bounds->view().head<cudf::size_type>(),
                               ends.size() * sizeof(cudf::size_type), cudaMemcpyDeviceToHost, context.stream.get()));
    synchronize(context);
    ends.push_back(sorted.rows);
    std::vector<Batch> slices;
    cudf::size_type begin = 0;
    for (const cudf::size_type end : ends) {
      slices.push_back(slice_rows(context, sorted, begin, end));
      begin = end;
    }
    synchronize(context);
    for (size_t i = 0; i < slices.size(); ++i) {
      if (slices[i].rows > 0) ranges_[i].add(std::move(slices[i]));
    }
    if (services_.force_spill || memory_is_short(services_.account)) {
      for (StoredBatches& range : ranges_) range.spill(context, services_.pinned, ~uint64_t{0});
    }
  }

  const OperatorServices services_;
  const SortKeys keys_;
  std::vector<uint32_t> key_columns_;
  mutable std::mutex mutex_;
  StoredBatches stored_;
  std::vector<Batch> samples_;

  // ---- from finalize() on
  std::vector<StoredBatch> pending_;
  std::vector<StoredBatches> ranges_;
  Batch splitters_;
  SlicedBatch sorted_;  // if there is one range
  std::atomic<uint64_t> final_bytes_{0};
};

}  // namespace

std::unique_ptr<SinkState> make_sort(const OperatorServices& services, const plan::Sort& sort,
                                     const pipeline::RowType& input) {
  return std::make_unique<SortState>(services, sort, input);
}

}  // namespace weft::gpu
