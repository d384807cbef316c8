// LIMIT and OFFSET: the first rows in source order. It stops its sources once the finished prefix of the first feeder
// holds enough rows; rows of later sequences are dropped at the end.
#include <algorithm>
#include <limits>
#include <mutex>
#include <optional>

#include "gpu/ops/make_operators.hpp"
#include "gpu/ops/ordered_batches.hpp"
#include "gpu/ops/rows.hpp"

namespace weft::gpu {
namespace {

class LimitState final : public SinkState {
 public:
  explicit LimitState(const plan::Limit& limit) : limit_(limit) {}

  void consume(const TaskContext& context, uint32_t pipeline, Batch batch) override {
    if (batch.rows == 0) return;
    synchronize(context);
    const std::lock_guard<std::mutex> guard(mutex_);
    first_pipeline_ = std::min(first_pipeline_.value_or(pipeline), pipeline);
    gathered_.add(pipeline, std::move(batch));
  }

  void finished(uint32_t pipeline, uint64_t sequence) override {
    const std::lock_guard<std::mutex> guard(mutex_);
    first_pipeline_ = std::min(first_pipeline_.value_or(pipeline), pipeline);
    gathered_.finish(pipeline, sequence);
    if (limit_.limit.has_value() && !satisfied_) {
      satisfied_ = gathered_.rows_of_finished_prefix(*first_pipeline_) >= wanted();
    }
  }

  bool satisfied() const override {
    const std::lock_guard<std::mutex> guard(mutex_);
    return satisfied_;
  }

  void finalize(const TaskContext& context) override {
    const std::lock_guard<std::mutex> guard(mutex_);
    uint64_t skip = limit_.offset;
    uint64_t left = limit_.limit.value_or(std::numeric_limits<uint64_t>::max());
    for (Batch& batch : gathered_.take()) {
      const auto rows = static_cast<uint64_t>(batch.rows);
      const uint64_t begin = std::min(skip, rows);
      const uint64_t end = begin + std::min(left, rows - begin);
      skip -= begin;
      left -= end - begin;
      if (end > begin) {
        pieces_.push_back(
            slice_rows(context, batch, static_cast<cudf::size_type>(begin), static_cast<cudf::size_type>(end)));
        context.cancellation.check();
        synchronize(context);
      }
      if (left == 0) break;
    }
  }

  size_t pieces() const override { return pieces_.size(); }
  Batch piece(const TaskContext&, size_t index) override { return pieces_[index]; }
  uint64_t device_bytes() const override {
    const std::lock_guard<std::mutex> guard(mutex_);
    uint64_t bytes = gathered_.device_bytes();
    for (const Batch& batch : pieces_) bytes += batch.device_bytes();
    return bytes;
  }

 private:
  uint64_t wanted() const {
    const uint64_t limit = *limit_.limit;
    return limit > std::numeric_limits<uint64_t>::max() - limit_.offset ? std::numeric_limits<uint64_t>::max()
                                                                        : limit + limit_.offset;
  }

  const plan::Limit limit_;
  mutable std::mutex mutex_;
  OrderedBatches gathered_;
  std::optional<uint32_t> first_pipeline_;
  bool satisfied_ = false;
  std::vector<Batch> pieces_;
};

}  // namespace

std::unique_ptr<SinkState> make_limit(const OperatorServices&, const plan::Limit& limit, const pipeline::RowType&) {
  return std::make_unique<LimitState>(limit);
}

}  // namespace weft::gpu
