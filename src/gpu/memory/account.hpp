// Device memory: one accounting resource is installed as the current device resource, because libcudf takes its
// temporaries from there. It charges the query that the calling thread works for, remembers the owner per pointer for
// frees, and enforces each query's cap and the backend's limit.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/error.hpp"

namespace weft::gpu {

/// One query's device memory, or the whole backend's (a parent). Thread-safe.
class Account {
 public:
  /// `over_cap` is the code of the error when the cap is passed: QueryMemoryLimitExceeded for a query,
  /// DeviceMemoryExhausted for the backend.
  Account(std::string name, uint64_t cap_bytes, ErrorCode over_cap = ErrorCode::QueryMemoryLimitExceeded,
          std::shared_ptr<Account> parent = nullptr)
      : name_(std::move(name)), cap_(cap_bytes), over_cap_(over_cap), parent_(std::move(parent)) {}
  /// Charges this account and its parent, or throws (needed, used and cap in the message) and charges none.
  void charge(uint64_t bytes);
  void release(uint64_t bytes) noexcept;
  uint64_t used_bytes() const noexcept { return used_.load(std::memory_order_relaxed); }
  uint64_t peak_bytes() const noexcept { return peak_.load(std::memory_order_relaxed); }
  uint64_t cap_bytes() const noexcept { return cap_; }
  const std::string& name() const { return name_; }
  /// Promises `bytes` to a task that is about to start: false when what states hold (set_held) and all promises would
  /// pass the cap.
  bool try_reserve(uint64_t bytes) noexcept;
  void unreserve(uint64_t bytes) noexcept;
  /// Bytes that states hold between tasks.
  void set_held(uint64_t bytes) noexcept { held_.store(bytes, std::memory_order_relaxed); }

 private:
  std::string name_;
  uint64_t cap_;
  ErrorCode over_cap_;
  std::shared_ptr<Account> parent_;
  std::atomic<uint64_t> used_{0};
  std::atomic<uint64_t> peak_{0};
  std::atomic<uint64_t> reserved_{0};
  std::atomic<uint64_t> held_{0};
};

/// While it lives, allocations of this thread are charged to `account`, and what this thread frees is freed in the
/// order of `stream`, whichever stream it was made on: the last uses of a buffer that a task drops are on the task's
/// stream, and every other task that used it has synchronized before it let go. Nests.
class AccountScope {
 public:
  AccountScope(std::shared_ptr<Account> account, cudaStream_t stream);
  ~AccountScope();
  AccountScope(const AccountScope&) = delete;
  AccountScope& operator=(const AccountScope&) = delete;

 private:
  std::shared_ptr<Account> previous_;
  std::optional<cudaStream_t> previous_stream_;
};

}  // namespace weft::gpu
