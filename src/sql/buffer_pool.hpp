// Memory of Arrow buffers that is used again: the system zeroes fresh pages, which costs more than to fill them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace weft::sql {

class BufferPool;

/// A block of memory, aligned to 64 bytes, that goes back to its pool. Not initialized.
class Block {
 public:
  Block() = default;
  Block(Block&& other) noexcept { *this = std::move(other); }
  Block& operator=(Block&& other) noexcept {
    std::swap(pool_, other.pool_);
    std::swap(data_, other.data_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }
  ~Block();

  uint8_t* data() const { return data_; }
  uint64_t capacity() const { return capacity_; }
  /// Makes room for `bytes`, keeping the first `used`: at least doubles. Throws std::bad_alloc.
  void grow(uint64_t bytes, uint64_t used);

 private:
  friend class BufferPool;
  std::shared_ptr<BufferPool> pool_;
  uint8_t* data_ = nullptr;
  uint64_t capacity_ = 0;  // a power of two
};

/// Thread-safe. Blocks keep it alive; batches may come back from any thread, long after their query.
class BufferPool : public std::enable_shared_from_this<BufferPool> {
 public:
  /// Keeps at most `max_kept_bytes` of blocks that nobody uses.
  explicit BufferPool(uint64_t max_kept_bytes) : max_kept_bytes_(max_kept_bytes) {}
  ~BufferPool();
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;

  /// At least `bytes` bytes. Throws std::bad_alloc.
  Block take(uint64_t bytes);
  uint64_t kept_bytes() const;

 private:
  friend class Block;
  void give(uint8_t* data, uint64_t capacity);

  const uint64_t max_kept_bytes_;
  mutable std::mutex mutex_;
  std::vector<std::vector<uint8_t*>> kept_;  // by the logarithm of their size
  uint64_t kept_bytes_ = 0;
};

}  // namespace weft::sql
