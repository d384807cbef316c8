// Window functions. Batches gather; at the end they are sorted together by (partition keys, order keys), or, when they
// are large for the query's cap, cut by a hash of the partition keys, and each part is worked on when it is read. The
// order of equal rows is the source's while there is one part; parts promise none.
//
// Thread safety: consume() and spill() may run at once from many tasks; pieces are independent and made when asked for.
#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include <cudf/sorting.hpp>

#include "gpu/ops/make_operators.hpp"
#include "gpu/ops/partitioned_rows.hpp"
#include "gpu/ops/rows.hpp"
#include "gpu/ops/sliced_batch.hpp"
#include "gpu/ops/sort_keys.hpp"
#include "gpu/ops/window_aggregates.hpp"
#include "gpu/ops/window_functions.hpp"

namespace weft::gpu {
namespace {

// Device bytes that the work takes beside the rows: positions and runs, and per call a result and a state.
constexpr uint64_t kRowBytes = 24;
constexpr uint64_t kCallBytes = 32;

// Partition keys are sorted as order keys are, so that equal ones (two NaNs, two zeros) are neighbours.
std::vector<plan::SortKey> all_keys(const plan::Window& window) {
  std::vector<plan::SortKey> keys;
  for (const plan::ExprPtr& partition : window.partitions) keys.push_back(plan::SortKey{partition, false, false});
  keys.insert(keys.end(), window.orders.begin(), window.orders.end());
  return keys;
}

// Calls with the same frame, which is computed once for all of them.
struct FramedCalls {
  plan::Frame spec;
  WindowFrame frame;
  std::vector<std::pair<size_t, WindowFunction>> functions;  // with their positions among the calls
  std::vector<size_t> aggregate_positions;
  std::unique_ptr<WindowAggregates> aggregates;  // null: none
};

class WindowState final : public SinkState {
 public:
  WindowState(const OperatorServices& services, const plan::Window& window, const pipeline::RowType& input)
      : services_(services),
        keys_(services, all_keys(window), input),
        partition_keys_(static_cast<uint32_t>(window.partitions.size())),
        calls_(window.calls.size()),
        descending_(!window.orders.empty() && window.orders.front().descending) {
    std::vector<std::vector<plan::WindowCall>> aggregates;
    for (size_t i = 0; i < window.calls.size(); ++i) {
      const plan::WindowCall& call = window.calls[i];
      if (!plan::reads_frame(call)) {
        functions_.emplace_back(i, WindowFunction(services, call, input));
        continue;
      }
      const size_t at = framed_with(services, call.frame, window, input);
      aggregates.resize(framed_.size());
      if (call.is_aggregate) {
        framed_[at].aggregate_positions.push_back(i);
        aggregates[at].push_back(call);
      } else {
        framed_[at].functions.emplace_back(i, WindowFunction(services, call, input));
      }
    }
    for (size_t at = 0; at < framed_.size(); ++at) {
      if (aggregates[at].empty()) continue;
      framed_[at].aggregates = std::make_unique<WindowAggregates>(services, aggregates[at], input);
    }
  }

  void consume(const TaskContext& context, uint32_t pipeline, Batch batch) override {
    if (batch.rows == 0) return;
    Batch keyed = keys_.keyed(context, batch);
    synchronize(context);
    const std::lock_guard<std::mutex> guard(mutex_);
    sources_.emplace_back(pipeline, batch.sequence);
    stored_.add(std::move(keyed));
    if (services_.force_spill) stored_.spill(context, services_.pinned, ~uint64_t{0});
  }

  void finalize(const TaskContext& context) override {
    if (parts_.empty()) {
      const std::lock_guard<std::mutex> guard(mutex_);
      const uint64_t bytes = stored_.bytes() + stored_.rows() * (kRowBytes + calls_ * kCallBytes);
      const size_t parts =
          partition_keys_ == 0 ? 1 : parts_needed(bytes, stored_.rows(), services_.account.cap_bytes());
      parts_.resize(parts);
      pending_ = take_in_source_order();
    }
    if (parts_.size() == 1) {
      for (StoredBatch& batch : pending_) parts_.front().add(std::move(batch));
      pending_.clear();
      if (!parts_.front().empty()) {
        whole_ = SlicedBatch(computed(context, parts_.front()), context.batch_bytes);
        parts_.front().take();
      }
    } else {
      const std::vector<cudf::size_type> hashed(keys_.columns().begin(), keys_.columns().begin() + partition_keys_);
      partition_by_hash(context, services_, pending_, hashed, parts_);
    }
    uint64_t bytes = whole_.device_bytes();
    for (const StoredBatches& part : parts_) bytes += part.device_bytes();
    final_bytes_.store(bytes, std::memory_order_relaxed);
  }

  size_t pieces() const override { return parts_.size() != 1 ? parts_.size() : whole_.pieces(); }

  Batch piece(const TaskContext& context, size_t index) override {
    if (parts_.size() == 1) return whole_.piece(context, index);
    if (parts_[index].empty()) return {};
    Batch out = computed(context, parts_[index]);
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
  // The position of the calls with this frame.
  size_t framed_with(const OperatorServices& services, const plan::Frame& frame, const plan::Window& window,
                     const pipeline::RowType& input) {
    for (size_t at = 0; at < framed_.size(); ++at) {
      if (same_frame(framed_[at].spec, frame)) return at;
    }
    framed_.push_back(FramedCalls{frame, WindowFrame(services, frame, window.orders, input), {}, {}, nullptr});
    return framed_.size() - 1;
  }

  std::vector<StoredBatch> take_in_source_order() {
    std::vector<size_t> order(sources_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [this](size_t a, size_t b) { return sources_[a] < sources_[b]; });
    std::vector<StoredBatch> arrived = stored_.take();
    std::vector<StoredBatch> batches;
    batches.reserve(arrived.size());
    for (const size_t at : order) batches.push_back(std::move(arrived[at]));
    sources_.clear();
    return batches;
  }

  // All rows of a part, in order of the keys.
  Batch in_order(const TaskContext& context, const StoredBatches& part) const {
    if (part.rows() > kMaxRows) {
      throw Exception(ErrorCode::QueryMemoryLimitExceeded,
                      fmt::format("a window over {} rows that cannot be cut by PARTITION BY: the GPU sorts fewer than "
                                  "2^31 rows at once",
                                  part.rows()));
    }
    Batch all = load_all(context, part);
    if (keys_.columns().empty()) return all;
    context.cancellation.check();
    const auto order =
        cudf::stable_sorted_order(keys_.view(all), keys_.orders(), keys_.null_orders(), context.stream, context.mr);
    Batch sorted = gather_rows(context, all, order->view());
    synchronize(context);  // before the rows are let go
    return sorted;
  }

  SortedRows sorted_part(const TaskContext& context, const StoredBatches& part) const {
    const Batch keyed = in_order(context, part);
    std::vector<ColumnPtr> keys;
    for (const cudf::size_type column : keys_.columns()) keys.push_back(keyed.columns.at(static_cast<size_t>(column)));
    const auto orders_begin = keys.begin() + partition_keys_;
    SortedRows sorted =
        sorted_rows(context, keys_.without_keys(keyed), {keys.begin(), orders_begin}, {orders_begin, keys.end()});
    sorted.descending = descending_;
    return sorted;
  }

  // The rows of a part with the calls' columns behind them; complete.
  Batch computed(const TaskContext& context, const StoredBatches& part) const {
    const SortedRows sorted = sorted_part(context, part);
    std::vector<ColumnPtr> results(calls_);
    for (const auto& [position, function] : functions_) {
      results[position] = function.evaluate(context, sorted, window::Frame{});
    }
    for (const FramedCalls& calls : framed_) {
      const FrameRows frame = calls.frame.on(context, sorted);
      for (const auto& [position, function] : calls.functions) {
        results[position] = function.evaluate(context, sorted, frame.view);
      }
      if (!calls.aggregates) continue;
      std::vector<ColumnPtr> values = calls.aggregates->evaluate(context, sorted, frame.view);
      for (size_t i = 0; i < values.size(); ++i) results[calls.aggregate_positions[i]] = std::move(values[i]);
    }
    Batch out = sorted.rows;
    for (ColumnPtr& result : results) out.columns.push_back(std::move(result));
    synchronize(context);
    return out;
  }

  const OperatorServices services_;
  const SortKeys keys_;  // the partition keys, then the order keys
  const uint32_t partition_keys_;
  const size_t calls_;
  const bool descending_;
  std::vector<std::pair<size_t, WindowFunction>> functions_;  // that read no frame
  std::vector<FramedCalls> framed_;

  mutable std::mutex mutex_;
  StoredBatches stored_;
  std::vector<std::pair<uint32_t, uint64_t>> sources_;  // (pipeline, sequence) of each stored batch

  // ---- from finalize() on
  std::vector<StoredBatch> pending_;
  std::vector<StoredBatches> parts_;
  SlicedBatch whole_;  // if there is one part
  std::atomic<uint64_t> final_bytes_{0};
};

}  // namespace

std::unique_ptr<SinkState> make_window(const OperatorServices& services, const plan::Window& window,
                                       const pipeline::RowType& input) {
  return std::make_unique<WindowState>(services, window, input);
}

}  // namespace weft::gpu
