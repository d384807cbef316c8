#include "gpu/memory/accounting_resource.hpp"

#include <cuda_runtime_api.h>

#include <limits>
#include <rmm/error.hpp>

#include "gpu/memory/current_account.hpp"

namespace weft::gpu {

static_assert(cuda::mr::resource_with<AccountingResource, cuda::mr::device_accessible>);

AccountingState::AccountingState(std::shared_ptr<Account> unattributed)
    : upstream_(std::size_t{0}, std::numeric_limits<std::size_t>::max()), unattributed_(std::move(unattributed)) {}

AccountingState::Shard& AccountingState::shard_of(const void* pointer) {
  return shards_[(reinterpret_cast<std::uintptr_t>(pointer) >> 8) % shards_.size()];
}

void* AccountingState::allocate(cuda::stream_ref stream, std::size_t bytes, std::size_t alignment) {
  const std::shared_ptr<Account>& current = current_account();
  const std::shared_ptr<Account>& owner = current != nullptr ? current : unattributed_;
  owner->charge(bytes);
  void* pointer = nullptr;
  try {
    pointer = upstream_.allocate(stream, bytes, alignment);
  } catch (const rmm::bad_alloc&) {
    owner->release(bytes);
    throw Exception(ErrorCode::DeviceMemoryExhausted,
                    "the device has no " + std::to_string(bytes / 1000000) +
                        " MB left: other programs use it too; set weft_device_memory_bytes lower, or free the device");
  } catch (...) {
    owner->release(bytes);
    throw;
  }
  Shard& shard = shard_of(pointer);
  const std::lock_guard<std::mutex> guard(shard.mutex);
  shard.owners[pointer] = owner;
  return pointer;
}

void AccountingState::deallocate(cuda::stream_ref stream, void* pointer, std::size_t bytes,
                                 std::size_t alignment) noexcept {
  if (pointer == nullptr) return;
  std::shared_ptr<Account> owner;
  {
    Shard& shard = shard_of(pointer);
    const std::lock_guard<std::mutex> guard(shard.mutex);
    auto found = shard.owners.find(pointer);
    if (found != shard.owners.end()) {
      owner = std::move(found->second);
      shard.owners.erase(found);
    }
  }
  const std::optional<cudaStream_t> task_stream = current_stream();
  upstream_.deallocate(task_stream ? cuda::stream_ref{*task_stream} : stream, pointer, bytes, alignment);
  if (owner != nullptr) owner->release(bytes);
}

void* AccountingResource::allocate_sync(std::size_t bytes, std::size_t alignment) {
  const cuda::stream_ref stream{cudaStream_t{cudaStreamPerThread}};
  void* pointer = state_->allocate(stream, bytes, alignment);
  stream.sync();
  return pointer;
}

void AccountingResource::deallocate_sync(void* pointer, std::size_t bytes, std::size_t alignment) noexcept {
  state_->deallocate(cuda::stream_ref{cudaStream_t{cudaStreamPerThread}}, pointer, bytes, alignment);
}

}  // namespace weft::gpu
