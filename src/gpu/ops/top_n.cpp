// ORDER BY with LIMIT: each batch gives its best limit + offset rows, and the best of those are kept.
//
// Thread safety: consume() may run at once from many tasks; after finalize() the rows are constant.
#include <algorithm>
#include <mutex>

#include "gpu/ops/make_operators.hpp"
#include "gpu/ops/rows.hpp"
#include "gpu/ops/sliced_batch.hpp"
#include "gpu/ops/sort_keys.hpp"
#include "gpu/ops/stored_batch.hpp"

namespace weft::gpu {
namespace {

// Kept rows are cut back to the best when they are this many times as many, or this many.
constexpr uint64_t kSlack = 4;
constexpr uint64_t kSlackRows = uint64_t{1} << 20;

class TopNState final : public SinkState {
 public:
  TopNState(const OperatorServices& services, const plan::TopN& top_n, const pipeline::RowType& input)
      : services_(services), keys_(services, top_n.keys, input), offset_(top_n.offset) {
    const uint64_t room = kMaxRows;
    wanted_ = top_n.limit > room || top_n.offset > room - top_n.limit ? room : top_n.limit + top_n.offset;
  }

  void consume(const TaskContext& context, uint32_t, Batch batch) override {
    if (batch.rows == 0 || wanted_ == 0) return;
    const Batch keyed = keys_.keyed(context, batch);
    Batch best = keys_.sorted(context, keyed, wanted_);
    synchronize(context);
    std::vector<StoredBatch> taken;
    {
      const std::lock_guard<std::mutex> guard(mutex_);
      stored_.add(std::move(best));
      if (services_.force_spill) stored_.spill(context, services_.pinned, ~uint64_t{0});
      const uint64_t rows = stored_.rows();
      if (rows < std::max(kSlackRows, wanted_ * kSlack) || rows > kMaxRows) return;
      taken = stored_.take();
    }
    put_back(best_of(context, taken));
  }

  void finalize(const TaskContext& context) override {
    std::vector<StoredBatch> taken;
    {
      const std::lock_guard<std::mutex> guard(mutex_);
      taken = stored_.take();
    }
    if (taken.empty()) return;
    Batch best;
    try {
      best = sorted_batches(context, taken);
    } catch (...) {  // finalize() may be called again
      put_back(std::move(taken));
      throw;
    }
    const auto skip = static_cast<cudf::size_type>(std::min<uint64_t>(offset_, static_cast<uint64_t>(best.rows)));
    rows_ = SlicedBatch(slice_rows(context, keys_.without_keys(best), skip, best.rows), context.batch_bytes);
    synchronize(context);
  }

  size_t pieces() const override { return rows_.pieces(); }
  Batch piece(const TaskContext& context, size_t index) override { return rows_.piece(context, index); }

  uint64_t device_bytes() const override {
    const std::lock_guard<std::mutex> guard(mutex_);
    return stored_.device_bytes();
  }
  uint64_t spillable_bytes() const override { return device_bytes(); }
  uint64_t spill(const TaskContext& context, uint64_t bytes) override {
    const std::lock_guard<std::mutex> guard(mutex_);
    return stored_.spill(context, services_.pinned, bytes);
  }

 private:
  // The best of the taken batches, or, when memory is short, the batches as they were: the cut is put off.
  std::vector<StoredBatch> best_of(const TaskContext& context, std::vector<StoredBatch>& taken) {
    try {
      Batch best = sorted_batches(context, taken);
      std::vector<StoredBatch> one;
      one.emplace_back(std::move(best));
      return one;
    } catch (const Exception& e) {
      if (e.code() != ErrorCode::QueryMemoryLimitExceeded && e.code() != ErrorCode::DeviceMemoryExhausted) throw;
    } catch (const std::bad_alloc&) {
    }
    return std::move(taken);
  }

  void put_back(std::vector<StoredBatch> batches) {
    const std::lock_guard<std::mutex> guard(mutex_);
    for (StoredBatch& batch : batches) stored_.add(std::move(batch));
  }

  // In order; complete when it returns.
  Batch sorted_batches(const TaskContext& context, const std::vector<StoredBatch>& taken) const {
    std::vector<Batch> batches;
    for (const StoredBatch& batch : taken) batches.push_back(batch.load(context));
    const Batch all = concatenate_rows(context, batches);
    Batch best = keys_.sorted(context, all, wanted_);
    synchronize(context);
    return best;
  }

  const OperatorServices services_;
  const SortKeys keys_;
  const uint64_t offset_;
  uint64_t wanted_ = 0;  // limit + offset
  mutable std::mutex mutex_;
  StoredBatches stored_;
  SlicedBatch rows_;  // after finalize()
};

}  // namespace

std::unique_ptr<SinkState> make_top_n(const OperatorServices& services, const plan::TopN& top_n,
                                      const pipeline::RowType& input) {
  return std::make_unique<TopNState>(services, top_n, input);
}

}  // namespace weft::gpu
