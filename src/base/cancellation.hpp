// Cancellation of a query: set once, read by everybody. Thread-safe; shared by the session, the engine and the workers.
#pragma once

#include <atomic>
#include <memory>

#include "base/error.hpp"

namespace weft {

class CancellationToken {
 public:
  CancellationToken() : flag_(std::make_shared<std::atomic<bool>>(false)) {}
  void cancel() const noexcept { flag_->store(true, std::memory_order_release); }
  bool cancelled() const noexcept { return flag_->load(std::memory_order_acquire); }
  /// Throws Exception(Cancelled) once cancel() was called: call it between two pieces of work.
  void check() const {
    if (cancelled()) throw Exception(ErrorCode::Cancelled, "the query was cancelled");
  }

 private:
  std::shared_ptr<std::atomic<bool>> flag_;
};

}  // namespace weft
