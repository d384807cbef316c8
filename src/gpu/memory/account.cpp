#include "gpu/memory/account.hpp"

#include <fmt/format.h>

#include "gpu/memory/current_account.hpp"

namespace weft::gpu {
namespace {

void raise_peak(std::atomic<uint64_t>& peak, uint64_t now) noexcept {
  uint64_t seen = peak.load(std::memory_order_relaxed);
  while (now > seen && !peak.compare_exchange_weak(seen, now, std::memory_order_relaxed)) {
  }
}

std::string megabytes(uint64_t bytes) { return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6); }

}  // namespace

void Account::charge(uint64_t bytes) {
  const uint64_t now = used_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  if (now > cap_) {
    used_.fetch_sub(bytes, std::memory_order_relaxed);
    throw Exception(over_cap_,
                    fmt::format("{} needs {} more device memory; it uses {} of its limit of {}. Raise {}, or run fewer "
                                "queries at once",
                                name_, megabytes(bytes), megabytes(now - bytes), megabytes(cap_),
                                over_cap_ == ErrorCode::QueryMemoryLimitExceeded ? "weft_memory_limit_bytes"
                                                                                 : "weft_device_memory_bytes"));
  }
  if (parent_ != nullptr) {
    try {
      parent_->charge(bytes);
    } catch (...) {
      used_.fetch_sub(bytes, std::memory_order_relaxed);
      throw;
    }
  }
  raise_peak(peak_, now);
}

void Account::release(uint64_t bytes) noexcept {
  used_.fetch_sub(bytes, std::memory_order_relaxed);
  if (parent_ != nullptr) parent_->release(bytes);
}

bool Account::try_reserve(uint64_t bytes) noexcept {
  const uint64_t promised = reserved_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  if (promised + held_.load(std::memory_order_relaxed) > cap_) {
    reserved_.fetch_sub(bytes, std::memory_order_relaxed);
    return false;
  }
  return true;
}

void Account::unreserve(uint64_t bytes) noexcept { reserved_.fetch_sub(bytes, std::memory_order_relaxed); }

namespace {
// The exception of conventions.md, rule 6: libcudf passes neither owner nor the freeing task's stream.
thread_local std::shared_ptr<Account> current;
thread_local std::optional<cudaStream_t> stream_of_task;
}  // namespace

const std::shared_ptr<Account>& current_account() noexcept { return current; }
std::optional<cudaStream_t> current_stream() noexcept { return stream_of_task; }

AccountScope::AccountScope(std::shared_ptr<Account> account, cudaStream_t stream)
    : previous_(std::move(current)), previous_stream_(stream_of_task) {
  current = std::move(account);
  stream_of_task = stream;
}
AccountScope::~AccountScope() {
  current = std::move(previous_);
  stream_of_task = previous_stream_;
}

}  // namespace weft::gpu
