#include "gpu/memory/pinned.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/error.hpp"
#include "gpu/exec/cuda_check.hpp"

namespace weft::gpu {
namespace {

// Spilled states can be many and tiny.
constexpr std::size_t kLeastBytes = std::size_t{4} << 10;

}  // namespace

PinnedBuffer::~PinnedBuffer() { pool_.give_back(data_, capacity_); }

PinnedPool::~PinnedPool() {
  for (auto& [capacity, data] : free_) cudaFreeHost(data);
}

std::shared_ptr<PinnedBuffer> PinnedPool::allocate(std::size_t bytes) {
  const std::size_t capacity = std::bit_ceil(std::max(bytes, kLeastBytes));
  {
    const std::lock_guard<std::mutex> guard(mutex_);
    auto found = free_.find(capacity);
    if (found != free_.end()) {
      void* data = found->second;
      free_.erase(found);
      kept_bytes_ -= capacity;
      used_bytes_ += capacity;
      return std::make_shared<PinnedBuffer>(*this, data, capacity);
    }
    while (used_bytes_ + kept_bytes_ + capacity > limit_bytes_ && !free_.empty()) {
      auto largest = std::prev(free_.end());
      cudaFreeHost(largest->second);
      kept_bytes_ -= largest->first;
      free_.erase(largest);
    }
    if (used_bytes_ + capacity > limit_bytes_) {
      throw Exception(
          ErrorCode::QueryMemoryLimitExceeded,
          fmt::format("pinned host memory is used up: {:.1f} MB needed, {:.1f} MB of {:.1f} MB in use; raise "
                      "weft_host_memory_bytes",
                      static_cast<double>(capacity) / 1e6, static_cast<double>(used_bytes_) / 1e6,
                      static_cast<double>(limit_bytes_) / 1e6));
    }
    used_bytes_ += capacity;
  }
  void* data = nullptr;
  const cudaError_t status = cudaHostAlloc(&data, capacity, cudaHostAllocDefault);
  if (status != cudaSuccess) {
    const std::lock_guard<std::mutex> guard(mutex_);
    used_bytes_ -= capacity;
    check_cuda(status);
  }
  return std::make_shared<PinnedBuffer>(*this, data, capacity);
}

std::size_t PinnedPool::used_bytes() const {
  const std::lock_guard<std::mutex> guard(mutex_);
  return used_bytes_;
}

void PinnedPool::give_back(void* data, std::size_t capacity) noexcept {
  const std::lock_guard<std::mutex> guard(mutex_);
  used_bytes_ -= capacity;
  kept_bytes_ += capacity;
  free_.emplace(capacity, data);
}

}  // namespace weft::gpu
