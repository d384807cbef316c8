#include "session/oracle_backend.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "oracle/oracle.hpp"
#include "plan/walk.hpp"
#include "sql/database.hpp"

namespace weft::session {
namespace {

using engine::HostBatch;
using engine::Poll;
using engine::Waker;

constexpr size_t kQueuedBatches = 8;

/// What a slice owns: its column structs, and the batch that their buffers live in.
struct Slice {
  std::shared_ptr<HostBatch> parent;
  std::vector<ArrowArray> children;
  std::vector<ArrowArray*> child_pointers;
  const void* no_validity = nullptr;
};

void release_slice(ArrowArray* array) {
  delete static_cast<Slice*>(array->private_data);
  array->release = nullptr;
}
/// Columns of a slice are borrowed from its parent batch.
void release_borrowed(ArrowArray* array) { array->release = nullptr; }

HostBatch slice(const std::shared_ptr<HostBatch>& parent, int64_t begin, int64_t rows) {
  auto owned = std::make_unique<Slice>();
  owned->parent = parent;
  const ArrowArray& all = *parent->get();
  for (int64_t i = 0; i < all.n_children; ++i) {
    ArrowArray child = *all.children[i];
    child.offset += all.offset + begin;
    child.length = rows;
    if (child.null_count != 0) child.null_count = -1;
    child.release = release_borrowed;
    child.private_data = nullptr;
    owned->children.push_back(child);
  }
  for (auto& child : owned->children) owned->child_pointers.push_back(&child);
  ArrowArray array{};
  array.length = rows;
  array.n_buffers = 1;
  array.buffers = &owned->no_validity;
  array.n_children = all.n_children;
  array.children = owned->child_pointers.data();
  array.release = release_slice;
  array.private_data = owned.release();
  return HostBatch(array);
}

/// DuckDB's text without what it says of the oracle's own SQL: its lines, and its names of columns.
Error without_own_names(Error error) {
  std::string& text = error.message;
  text.resize(std::min(text.size(), text.find("\n\nLINE ")));
  constexpr std::string_view kColumn = " when casting from source column c";
  const auto at = text.rfind(kColumn);
  if (at == std::string::npos) return error;
  const bool numbered = text.find_first_not_of("0123456789", at + kColumn.size()) == std::string::npos;
  if (numbered) text.resize(at);
  return error;
}

/// One query: a thread that asks DuckDB and fills a bounded queue, which poll() empties.
class OracleStream final : public engine::ResultStream {
 public:
  OracleStream(std::unique_ptr<sql::Session> session, engine::QueryRequest request, OracleOptions options,
               std::shared_ptr<std::atomic<bool>> lost)
      : session_(std::move(session)),
        request_(std::move(request)),
        options_(std::move(options)),
        lost_(std::move(lost)) {
    thread_ = std::thread([this] { produce(); });
  }
  ~OracleStream() override {
    cancel();
    thread_.join();
  }

  Result<Poll> poll(HostBatch& batch, Waker waker) override {
    Waker stale;  // destroyed outside the lock
    const std::lock_guard<std::mutex> guard(mutex_);
    if (!queue_.empty()) {
      batch = std::move(queue_.front());
      queue_.pop_front();
      room_.notify_one();
      return Poll::Ready;
    }
    if (error_) {
      Error error = std::move(*error_);
      error_.reset();
      return error;
    }
    if (ended_) return Poll::Done;
    stale = std::exchange(waker_, std::move(waker));
    return Poll::Pending;
  }

  void cancel() noexcept override {
    token_.cancel();
    for (const auto& source : request_.sources) source->cancel();
    session_->interrupt();
    const std::lock_guard<std::mutex> guard(mutex_);
    room_.notify_all();
  }

  engine::QueryProfile profile() const override {
    const std::lock_guard<std::mutex> guard(mutex_);
    engine::QueryProfile profile;
    profile.rows = rows_;
    return profile;
  }
  double progress() const noexcept override { return -1; }

 private:
  void produce() {
    std::optional<Error> error;
    try {
      run();
    } catch (const Exception& e) {
      error = without_own_names(e.error());
    } catch (const std::exception& e) {
      error = Error{ErrorCode::InternalError, e.what(), std::nullopt};
    }
    if (error && token_.cancelled()) error = Error{ErrorCode::Cancelled, "the query was cancelled", std::nullopt};
    for (const auto& source : request_.sources) source->cancel();
    Waker waker;
    {
      const std::lock_guard<std::mutex> guard(mutex_);
      if (error) queue_.clear();
      error_ = std::move(error);
      ended_ = true;
      waker = std::exchange(waker_, nullptr);
    }
    if (waker) waker();
  }

  void run() {
    std::vector<std::string> tables(request_.sources.size());
    std::vector<bool> made(request_.sources.size(), false);
    plan::for_each_node(*request_.plan->root, [&](const plan::Node& node) {
      const auto* source = node.as<plan::HostSource>();
      if (source == nullptr || made.at(source->source)) return;
      made[source->source] = true;
      token_.check();
      tables[source->source] = "weft_source_" + std::to_string(source->source);
      // The oracle reads columns by position, and a plan's names may repeat.
      std::vector<plan::Column> columns = node.output;
      for (size_t i = 0; i < columns.size(); ++i) columns[i].name = "c" + std::to_string(i);
      session_->create_temp_table(tables[source->source], columns, *request_.sources[source->source]);
    });
    token_.check();
    const auto stream = session_->execute(oracle::write_sql(*request_.plan, tables));
    HostBatch batch;
    while (stream->next(batch)) {
      const auto whole = std::make_shared<HostBatch>(std::move(batch));
      const int64_t length = whole->get()->length;
      const int64_t step = std::max<uint32_t>(1, options_.rows_per_batch);
      for (int64_t begin = 0; begin < length; begin += step) {
        deliver(slice(whole, begin, std::min(step, length - begin)));
        if (options_.empty_batches) deliver(slice(whole, begin, 0));
      }
    }
    token_.check();
  }

  void deliver(HostBatch batch) {
    if (options_.fail_after_batches >= 0 && delivered_ >= options_.fail_after_batches) {
      if (options_.failure.code == ErrorCode::DeviceLost) lost_->store(true);
      throw Exception(options_.failure);
    }
    ++delivered_;
    if (options_.delay_ms > 0) std::this_thread::sleep_for(std::chrono::milliseconds(options_.delay_ms));
    Waker waker;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      room_.wait(lock, [&] { return queue_.size() < kQueuedBatches || token_.cancelled(); });
      token_.check();
      rows_ += static_cast<uint64_t>(batch->length);
      queue_.push_back(std::move(batch));
      waker = std::exchange(waker_, nullptr);
    }
    if (waker) waker();
  }

  std::unique_ptr<sql::Session> session_;
  engine::QueryRequest request_;
  OracleOptions options_;
  std::shared_ptr<std::atomic<bool>> lost_;  // of the backend: an injected loss of the device stays, as a real one does
  CancellationToken token_;
  int delivered_ = 0;

  mutable std::mutex mutex_;
  std::condition_variable room_;
  std::deque<HostBatch> queue_;
  Waker waker_;
  std::optional<Error> error_;
  bool ended_ = false;
  uint64_t rows_ = 0;
  std::thread thread_;
};

class OracleBackend final : public engine::Backend {
 public:
  explicit OracleBackend(OracleOptions options) : options_(std::move(options)) {
    sql::DatabaseConfig config;
    config.path = ":memory:";
    config.hooks = false;
    config.seam_results = true;
    config.load_tpc = false;
    database_ = sql::open_database(std::move(config));
    // A plan's time zone, whatever this machine's or the session's is (sql/translate/time_zone.hpp).
    database_->connect()->execute("SET GLOBAL TimeZone = 'UTC'");
  }
  std::string name() const override { return "oracle"; }
  engine::DeviceInfo device() const override {
    engine::DeviceInfo info;
    info.name = "DuckDB behind the oracle";
    info.lost = lost_->load();
    return info;
  }
  Result<std::unique_ptr<engine::ResultStream>> submit(engine::QueryRequest request) override {
    if (lost_->load()) return Error{ErrorCode::DeviceLost, "injected, earlier", std::nullopt};
    try {
      if (!support::check(*request.plan).empty()) {
        return Error{ErrorCode::InternalError, "a plan was submitted that support refuses", std::nullopt};
      }
      plan::validate(*request.plan);
      return std::unique_ptr<engine::ResultStream>(
          std::make_unique<OracleStream>(database_->connect(), std::move(request), options_, lost_));
    } catch (const Exception& e) {
      return e.error();
    }
  }

 private:
  OracleOptions options_;
  std::shared_ptr<std::atomic<bool>> lost_ = std::make_shared<std::atomic<bool>>(false);
  std::shared_ptr<sql::Database> database_;
};

}  // namespace

std::unique_ptr<engine::Backend> make_oracle_backend(OracleOptions options) {
  return std::make_unique<OracleBackend>(std::move(options));
}

}  // namespace weft::session
