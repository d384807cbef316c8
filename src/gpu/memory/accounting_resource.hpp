// The memory resource that is installed as the current device resource: charges accounts, remembers owners.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <unordered_map>

#include <cuda/memory_resource>
#include <cuda/stream_ref>
#include <rmm/mr/cuda_async_memory_resource.hpp>
#include <rmm/resource_ref.hpp>

#include "gpu/memory/account.hpp"

namespace weft::gpu {

/// Thread-safe. Upstream is one cudaMallocAsync pool that keeps all memory that it got. Memory of a thread without an
/// AccountScope (libcudf's own threads) is charged to `unattributed`.
class AccountingState {
 public:
  explicit AccountingState(std::shared_ptr<Account> unattributed);
  void* allocate(cuda::stream_ref stream, std::size_t bytes, std::size_t alignment);
  void deallocate(cuda::stream_ref stream, void* pointer, std::size_t bytes, std::size_t alignment) noexcept;

 private:
  struct Shard {
    std::mutex mutex;
    std::unordered_map<void*, std::shared_ptr<Account>> owners;
  };
  Shard& shard_of(const void* pointer);

  rmm::mr::cuda_async_memory_resource upstream_;
  std::shared_ptr<Account> unattributed_;
  std::array<Shard, 64> shards_;
};

/// A copyable handle on the state, in the form that RMM asks of a resource.
class AccountingResource {
 public:
  explicit AccountingResource(std::shared_ptr<AccountingState> state) : state_(std::move(state)) {}
  void* allocate(cuda::stream_ref stream, std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) {
    return state_->allocate(stream, bytes, alignment);
  }
  void deallocate(cuda::stream_ref stream, void* pointer, std::size_t bytes,
                  std::size_t alignment = alignof(std::max_align_t)) noexcept {
    state_->deallocate(stream, pointer, bytes, alignment);
  }
  void* allocate_sync(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t));
  void deallocate_sync(void* pointer, std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) noexcept;
  bool operator==(const AccountingResource& other) const noexcept { return state_ == other.state_; }
  bool operator!=(const AccountingResource& other) const noexcept { return !(*this == other); }
  friend constexpr void get_property(const AccountingResource&, cuda::mr::device_accessible) noexcept {}

 private:
  std::shared_ptr<AccountingState> state_;
};

}  // namespace weft::gpu
