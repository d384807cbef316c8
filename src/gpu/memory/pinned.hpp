// Pinned host memory: for spilling and for copies of results. Pinning is slow (1 GB takes about 0.6 s), so freed
// buffers are kept for the next use, up to a limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace weft::gpu {

class PinnedPool;

/// Page-locked host memory; goes back to its pool at the end. The pool must outlive it.
class PinnedBuffer {
 public:
  PinnedBuffer(PinnedPool& pool, void* data, std::size_t capacity) : pool_(pool), data_(data), capacity_(capacity) {}
  ~PinnedBuffer();
  PinnedBuffer(const PinnedBuffer&) = delete;
  PinnedBuffer& operator=(const PinnedBuffer&) = delete;
  void* data() const { return data_; }
  std::size_t capacity() const { return capacity_; }

 private:
  PinnedPool& pool_;
  void* data_;
  std::size_t capacity_;
};

/// Thread-safe.
class PinnedPool {
 public:
  explicit PinnedPool(std::size_t limit_bytes) : limit_bytes_(limit_bytes) {}
  ~PinnedPool();
  PinnedPool(const PinnedPool&) = delete;
  PinnedPool& operator=(const PinnedPool&) = delete;
  /// At least `bytes`, rounded up to a power of two of at least 4 KiB. Throws QueryMemoryLimitExceeded when the pool's
  /// limit would be passed: needed, used and limit are in the message.
  std::shared_ptr<PinnedBuffer> allocate(std::size_t bytes);
  std::size_t used_bytes() const;

 private:
  friend class PinnedBuffer;
  void give_back(void* data, std::size_t capacity) noexcept;

  const std::size_t limit_bytes_;
  mutable std::mutex mutex_;
  std::multimap<std::size_t, void*> free_;
  std::size_t used_bytes_ = 0;  // handed out
  std::size_t kept_bytes_ = 0;  // in free_
};

}  // namespace weft::gpu
