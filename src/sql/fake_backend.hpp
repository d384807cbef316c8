// For this layer's tests: a Backend that answers plans with what the test says, and readers of its answers.
#pragma once

#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/arrow_schema.hpp"
#include "engine/backend.hpp"
#include "sql/database.hpp"

namespace weft::sql::testing {

/// A batch whose columns, all of 8 bytes a value, hold first, first + 1, ...
inline engine::HostBatch make_batch(int64_t first, int64_t rows, size_t columns) {
  struct Owned {
    std::vector<int64_t> values;
    const void* buffers[2] = {nullptr, nullptr};
    const void* no_buffers[1] = {nullptr};
    std::vector<ArrowArray> children;
    std::vector<ArrowArray*> pointers;
  };
  auto owned = std::make_shared<Owned>();
  for (int64_t i = 0; i < rows; ++i) owned->values.push_back(first + i);
  owned->buffers[1] = owned->values.data();
  owned->children.resize(columns);
  for (auto& child : owned->children) {
    child = ArrowArray{};
    child.length = rows;
    child.n_buffers = 2;
    child.buffers = owned->buffers;
    child.release = [](ArrowArray* array) { array->release = nullptr; };
    owned->pointers.push_back(&child);
  }
  ArrowArray array{};
  array.length = rows;
  array.n_buffers = 1;
  array.buffers = owned->no_buffers;
  array.n_children = static_cast<int64_t>(columns);
  array.children = owned->pointers.data();
  array.private_data = new std::shared_ptr<Owned>(owned);
  array.release = [](ArrowArray* released) {
    delete static_cast<std::shared_ptr<Owned>*>(released->private_data);
    released->release = nullptr;
  };
  return engine::HostBatch(array);
}

/// What the fake does for one query.
struct Script {
  enum class Kind { Rows, Echo, Forever };
  Kind kind = Kind::Rows;
  int64_t rows = 3;  // Rows: of make_batch, in all
  int64_t rows_per_batch = 1000;
  uint32_t delay_ms = 0;        // before each batch: the stream is pending, another thread wakes it
  int fail_after_batches = -1;  // then `failure`
  Error failure{ErrorCode::InternalError, "injected", std::nullopt};
  bool fail_submit = false;  // submit() gives `failure`
};

/// Counters that outlive the streams.
struct FakeCounters {
  std::atomic<int> streams{0};  // alive now
  std::atomic<int> submitted{0};
  std::atomic<int> cancelled{0};
  std::atomic<int64_t> batches{0};
};

class FakeStream final : public engine::ResultStream {
 public:
  FakeStream(Script script, engine::QueryRequest request, std::shared_ptr<FakeCounters> counters)
      : script_(std::move(script)),
        request_(std::move(request)),
        counters_(std::move(counters)),
        flags_(std::make_shared<Flags>()) {
    counters_->streams++;
  }
  ~FakeStream() override { counters_->streams--; }

  Result<engine::Poll> poll(engine::HostBatch& batch, engine::Waker waker) override {
    if (ended_) return engine::Poll::Done;
    if (flags_->cancelled) return fail(Error{ErrorCode::Cancelled, "the query was cancelled", std::nullopt});
    if (script_.fail_after_batches >= 0 && batches_ >= script_.fail_after_batches) return fail(script_.failure);
    if (script_.kind == Script::Kind::Forever) return pend(std::move(waker), 0);
    if (script_.delay_ms > 0 && !flags_->ready.exchange(false)) return pend(std::move(waker), script_.delay_ms);
    return script_.kind == Script::Kind::Echo ? echo(batch, std::move(waker)) : rows(batch);
  }
  void cancel() noexcept override {
    if (flags_->cancelled.exchange(true)) return;
    counters_->cancelled++;
    engine::Waker waker;
    {
      const std::lock_guard<std::mutex> guard(flags_->mutex);
      waker.swap(flags_->waker);
    }
    if (waker) waker();
  }
  engine::QueryProfile profile() const override {
    engine::QueryProfile profile;
    profile.rows = static_cast<uint64_t>(next_row_);
    profile.peak_device_bytes = 4096;
    profile.bytes_read = 512;
    if (request_.options.profile) profile.operators.push_back({request_.plan->root->id, 7, 2, 1.5});
    return profile;
  }
  double progress() const noexcept override { return 0.5; }

 private:
  struct Flags {
    std::atomic<bool> cancelled{false};
    std::atomic<bool> ready{false};
    std::mutex mutex;
    engine::Waker waker;
  };
  Error fail(Error error) {
    ended_ = true;
    return error;
  }
  Result<engine::Poll> pend(engine::Waker waker, uint32_t delay_ms) {
    {
      const std::lock_guard<std::mutex> guard(flags_->mutex);
      flags_->waker = std::move(waker);
    }
    if (delay_ms > 0) {
      std::thread([flags = flags_, delay_ms] {
        std::this_thread::sleep_for(std::chrono::milliseconds(delay_ms));
        engine::Waker ready;
        {
          const std::lock_guard<std::mutex> guard(flags->mutex);
          flags->ready = true;
          ready.swap(flags->waker);
        }
        if (ready) ready();
      }).detach();
    }
    return engine::Poll::Pending;
  }
  Result<engine::Poll> rows(engine::HostBatch& batch) {
    if (next_row_ >= script_.rows) {
      ended_ = true;
      return engine::Poll::Done;
    }
    for (const auto& column : request_.plan->root->output) {
      const auto id = column.type.id;
      const bool fits = id == plan::TypeId::BigInt || id == plan::TypeId::UBigInt || id == plan::TypeId::Double;
      if (!fits)
        return fail(Error{ErrorCode::InternalError, "the fake makes no " + column.type.to_string(), std::nullopt});
    }
    const auto count = std::min(script_.rows_per_batch, script_.rows - next_row_);
    batch = make_batch(next_row_, count, request_.plan->root->output.size());
    next_row_ += count;
    ++batches_;
    counters_->batches++;
    return engine::Poll::Ready;
  }
  Result<engine::Poll> echo(engine::HostBatch& batch, engine::Waker waker) {
    auto poll = request_.sources.at(0)->poll(batch, std::move(waker));
    if (!poll.ok()) return fail(poll.error());
    if (poll.value() == engine::Poll::Ready) {
      ++batches_;
      counters_->batches++;
      next_row_ += batch->length;
    }
    if (poll.value() == engine::Poll::Done) ended_ = true;
    return poll;
  }

  const Script script_;
  const engine::QueryRequest request_;
  const std::shared_ptr<FakeCounters> counters_;
  const std::shared_ptr<Flags> flags_;
  int64_t next_row_ = 0;
  int batches_ = 0;
  bool ended_ = false;
};

class FakeBackend final : public engine::Backend {
 public:
  Script script;  // of the next queries
  uint64_t least = 0;
  const std::shared_ptr<FakeCounters> counters = std::make_shared<FakeCounters>();

  std::string name() const override { return "fake"; }
  uint64_t least_bytes() const override { return least; }
  engine::DeviceInfo device() const override {
    engine::DeviceInfo info;
    info.name = "Fake Device";
    info.memory_total_bytes = 1000;
    return info;
  }
  Result<std::unique_ptr<engine::ResultStream>> submit(engine::QueryRequest request) override {
    counters->submitted++;
    {
      const std::lock_guard<std::mutex> guard(mutex_);
      last_options_ = request.options;
    }
    if (script.fail_submit) return script.failure;
    std::unique_ptr<engine::ResultStream> stream = std::make_unique<FakeStream>(script, std::move(request), counters);
    return stream;
  }
  engine::QueryOptions last_options() const {
    const std::lock_guard<std::mutex> guard(mutex_);
    return last_options_;
  }

 private:
  mutable std::mutex mutex_;
  engine::QueryOptions last_options_;
};

/// A database with the fake, and a session of it.
struct Fixture {
  explicit Fixture(bool with_backend = true, std::function<void(DatabaseConfig&)> change = {}) {
    DatabaseConfig config;
    config.path = ":memory:";
    config.load_tpc = false;
    if (with_backend) config.backend = backend;
    if (change) change(config);
    database = open_database(std::move(config));
    session = database->connect();
  }
  /// Runs a statement to its end; gives its row count.
  int64_t run(const std::string& sql) {
    const auto stream = session->execute(sql);
    int64_t rows = 0;
    engine::HostBatch batch;
    while (stream->next(batch)) rows += batch->length;
    return rows;
  }
  /// Runs a statement on the CPU, whatever the mode is.
  void setup(const std::string& sql) {
    const auto mode = session->mode();
    session->set_mode(Mode::FunctionsOnly);
    run(sql);
    session->set_mode(mode);
  }
  /// The values of an INT64 column of a statement's rows.
  std::vector<int64_t> numbers(const std::string& sql, size_t column = 0) {
    std::vector<int64_t> values;
    const auto stream = session->execute(sql);
    engine::HostBatch batch;
    while (stream->next(batch)) {
      const auto& array = *batch->children[column];
      const auto* data = static_cast<const int64_t*>(array.buffers[1]) + array.offset;
      values.insert(values.end(), data, data + array.length);
    }
    return values;
  }
  /// The values of a VARCHAR column of a statement's rows.
  std::vector<std::string> texts(const std::string& sql, size_t column = 0) {
    std::vector<std::string> values;
    const auto stream = session->execute(sql);
    engine::HostBatch batch;
    while (stream->next(batch)) {
      const auto& array = *batch->children[column];
      const auto* offsets = static_cast<const int32_t*>(array.buffers[1]);
      const auto* data = static_cast<const char*>(array.buffers[2]);
      for (int64_t i = 0; i < array.length; ++i) values.emplace_back(data + offsets[i], offsets[i + 1] - offsets[i]);
    }
    return values;
  }
  /// The error of a statement that must fail.
  Error error(const std::string& sql) {
    try {
      run(sql);
    } catch (const Exception& exception) {
      return exception.error();
    }
    return Error{ErrorCode::InternalError, "the statement did not fail", std::nullopt};
  }

  std::shared_ptr<FakeBackend> backend = std::make_shared<FakeBackend>();
  std::shared_ptr<Database> database;
  std::unique_ptr<Session> session;
};

}  // namespace weft::sql::testing
