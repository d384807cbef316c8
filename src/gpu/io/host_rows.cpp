// Rows that the host produces, through engine::BatchSource: DuckDB's tables, CSV, refused subtrees.
#include <map>
#include <mutex>

#include "gpu/column/arrow_export.hpp"
#include "gpu/io/sources.hpp"

namespace weft::gpu {
namespace {

class HostRowsSource final : public SourceOperator {
 public:
  HostRowsSource(std::shared_ptr<engine::BatchSource> source, std::vector<plan::Column> columns)
      : source_(std::move(source)), columns_(std::move(columns)) {}

  Next next(Morsel& morsel, const std::function<void()>& waker) override {
    engine::HostBatch batch;
    switch (source_->poll(batch, waker).value()) {
      case engine::Poll::Pending:
        return Next::Pending;
      case engine::Poll::Done:
        return Next::Done;
      case engine::Poll::Ready:
        break;
    }
    morsel = Morsel{};
    const std::lock_guard<std::mutex> guard(mutex_);
    morsel.sequence = morsel.index = taken_++;
    morsel.estimated_bytes = static_cast<uint64_t>(batch->length) * row_bytes() * 3;
    batches_.emplace(morsel.index, std::make_shared<engine::HostBatch>(std::move(batch)));
    return Next::Morsel;
  }

  Batch read(const TaskContext& context, const Morsel& morsel) override {
    std::shared_ptr<engine::HostBatch> batch;
    {
      const std::lock_guard<std::mutex> guard(mutex_);
      batch = batches_.at(morsel.index);
    }
    Batch out = import_batch(context, columns_, *batch->get());
    const std::lock_guard<std::mutex> guard(mutex_);
    bytes_read_ += out.device_bytes();
    batches_.erase(morsel.index);
    return out;
  }

  void cancel() noexcept override { source_->cancel(); }
  uint64_t bytes_read() const override {
    const std::lock_guard<std::mutex> guard(mutex_);
    return bytes_read_;
  }

 private:
  uint64_t row_bytes() const {
    uint64_t bytes = 1;
    for (const plan::Column& column : columns_) {
      const cudf::data_type type = device_type(column.type);
      bytes += cudf::is_fixed_width(type) ? cudf::size_of(type) : 32;  // a guess for text; the split of shortage helps
    }
    return bytes;
  }

  const std::shared_ptr<engine::BatchSource> source_;
  const std::vector<plan::Column> columns_;
  mutable std::mutex mutex_;
  std::map<uint64_t, std::shared_ptr<engine::HostBatch>> batches_;
  uint64_t taken_ = 0;
  uint64_t bytes_read_ = 0;
};

}  // namespace

std::unique_ptr<SourceOperator> make_host_rows(std::shared_ptr<engine::BatchSource> source,
                                               std::vector<plan::Column> columns, uint64_t) {
  return std::make_unique<HostRowsSource>(std::move(source), std::move(columns));
}

}  // namespace weft::gpu
