// A shared CTE: its rows, kept in source order until the last reader is done.
#include <mutex>

#include "gpu/ops/make_operators.hpp"
#include "gpu/ops/ordered_batches.hpp"
#include "gpu/ops/rows.hpp"

namespace weft::gpu {
namespace {

class MaterializeState final : public SinkState {
 public:
  void consume(const TaskContext& context, uint32_t pipeline, Batch batch) override {
    if (batch.rows == 0) return;
    synchronize(context);
    const std::lock_guard<std::mutex> guard(mutex_);
    bytes_ += batch.device_bytes();
    gathered_.add(pipeline, std::move(batch));
  }

  void finalize(const TaskContext&) override {
    const std::lock_guard<std::mutex> guard(mutex_);
    pieces_ = gathered_.take();
  }

  size_t pieces() const override { return pieces_.size(); }
  Batch piece(const TaskContext&, size_t index) override { return pieces_[index]; }
  uint64_t device_bytes() const override {
    const std::lock_guard<std::mutex> guard(mutex_);
    return bytes_;
  }

 private:
  mutable std::mutex mutex_;
  OrderedBatches gathered_;
  std::vector<Batch> pieces_;
  uint64_t bytes_ = 0;
};

}  // namespace

std::unique_ptr<SinkState> make_materialize(const OperatorServices&, const pipeline::RowType&) {
  return std::make_unique<MaterializeState>();
}

}  // namespace weft::gpu
