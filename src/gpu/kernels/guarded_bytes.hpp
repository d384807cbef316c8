// Bytes behind which no byte can be read: for tests of walks over damaged data.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>

namespace weft::gpu::kernels {

/// A copy whose end is the end of a memory page with an unreadable one behind it: a read past the end ends the test.
class GuardedBytes {
 public:
  explicit GuardedBytes(std::span<const uint8_t> bytes) : size_(bytes.size()) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t readable = (size_ + page - 1) / page * page;
    mapped_ = readable + page;
    memory_ = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) throw std::runtime_error("mmap");
    uint8_t* const end = static_cast<uint8_t*>(memory_) + readable;
    if (mprotect(end, page, PROT_NONE) != 0) throw std::runtime_error("mprotect");
    data_ = end - size_;
    if (size_ > 0) std::memcpy(data_, bytes.data(), size_);
  }
  ~GuardedBytes() { munmap(memory_, mapped_); }
  GuardedBytes(const GuardedBytes&) = delete;
  GuardedBytes& operator=(const GuardedBytes&) = delete;

  const uint8_t* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  size_t size_;
  size_t mapped_ = 0;
  void* memory_ = nullptr;
  uint8_t* data_ = nullptr;
};

}  // namespace weft::gpu::kernels
