#include "sql/buffer_pool.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>

namespace weft::sql {
namespace {

constexpr uint64_t kAlignment = 64;
constexpr uint64_t kSmallest = 4096;

size_t size_class(uint64_t capacity) { return static_cast<size_t>(std::countr_zero(capacity)); }

}  // namespace

Block::~Block() {
  if (data_ != nullptr) pool_->give(data_, capacity_);
}

void Block::grow(uint64_t bytes, uint64_t used) {
  Block larger = pool_->take(std::max(bytes, capacity_ * 2));
  std::memcpy(larger.data_, data_, used);
  *this = std::move(larger);
}

BufferPool::~BufferPool() {
  for (auto& blocks : kept_) {
    for (auto* data : blocks) std::free(data);
  }
}

Block BufferPool::take(uint64_t bytes) {
  Block block;
  block.pool_ = shared_from_this();
  block.capacity_ = std::bit_ceil(std::max(bytes, kSmallest));
  {
    const std::lock_guard<std::mutex> guard(mutex_);
    const size_t index = size_class(block.capacity_);
    if (index < kept_.size() && !kept_[index].empty()) {
      block.data_ = kept_[index].back();
      kept_[index].pop_back();
      kept_bytes_ -= block.capacity_;
      return block;
    }
  }
  block.data_ = static_cast<uint8_t*>(std::aligned_alloc(kAlignment, block.capacity_));
  if (block.data_ == nullptr) throw std::bad_alloc();
  return block;
}

uint64_t BufferPool::kept_bytes() const {
  const std::lock_guard<std::mutex> guard(mutex_);
  return kept_bytes_;
}

void BufferPool::give(uint8_t* data, uint64_t capacity) {
  {
    const std::lock_guard<std::mutex> guard(mutex_);
    if (kept_bytes_ + capacity <= max_kept_bytes_) {
      const size_t index = size_class(capacity);
      if (index >= kept_.size()) kept_.resize(index + 1);
      kept_[index].push_back(data);
      kept_bytes_ += capacity;
      return;
    }
  }
  std::free(data);
}

}  // namespace weft::sql
