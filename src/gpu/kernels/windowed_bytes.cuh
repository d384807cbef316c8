// The bytes of one part of a page, as a warp reads them (page_bytes.hpp).
#pragma once

#include <cstdint>

#include "gpu/kernels/aligned_words.cuh"

namespace weft::gpu::kernels {

constexpr uint32_t kLanes = 32;
constexpr uint32_t kAllLanes = 0xffffffff;

/// In shared memory.
template <uint32_t kBytes>
struct alignas(16) BytesWindow {
  uint32_t words[kBytes / 4 + 4];
};

/// HostBytes for a warp. byte() and word() read from a window of the bytes in shared memory.
template <uint32_t kBytes>
class WindowedBytes {
 public:
  __device__ WindowedBytes(BytesWindow<kBytes>& window, uint32_t lane) : window_(window), lane_(lane) {}

  __device__ void open(const uint8_t* bytes, uint32_t size) {
    bytes_ = bytes;
    size_ = size;
    misaligned_ = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(bytes) % 16);
    loaded_ = false;
  }
  __device__ uint32_t size() const { return size_; }
  __device__ uint32_t byte(uint32_t at) {
    const uint32_t within = find(at, 1);
    return window_.words[within / 4] >> (within % 4 * 8) & 0xff;
  }
  __device__ uint32_t word(uint32_t at) {
    const uint32_t within = find(at, 4);
    return __funnelshift_r(window_.words[within / 4], window_.words[within / 4 + 1], within % 4 * 8);
  }
  __device__ uint32_t far(uint32_t at) const { return bytes_[at]; }
  /// Each step waits for the one before, so there is as little in it as can be.
  __device__ bool skip_texts(uint32_t& at, uint32_t count) {
    while (count > 0) {
      if (size_ - at < 4) return false;
      const uint32_t first = find(at, 4);
      // Lengths can be read in the window up to here, and texts end in the page up to there.
      const uint64_t left_in_page = uint64_t{size_} - at + first;
      const auto inside = static_cast<uint32_t>(min(uint64_t{kBytes}, left_in_page)) - 4;
      uint32_t within = first;
      uint32_t length = 0;
      do {
        length = __funnelshift_r(window_.words[within / 4], window_.words[within / 4 + 1], within % 4 * 8);
        within += 4;
        if (length > left_in_page - within) return false;
        within += length;
      } while (--count > 0 && within <= inside);
      at += within - first;
    }
    return true;
  }

  __device__ uint32_t lane() const { return lane_; }
  __device__ static uint32_t lanes() { return kLanes; }
  __device__ static uint64_t sum(uint64_t value) {
    for (uint32_t distance = kLanes / 2; distance > 0; distance /= 2) {
      value += __shfl_xor_sync(kAllLanes, static_cast<unsigned long long>(value), distance);
    }
    return value;
  }
  __device__ static bool any(bool value) { return __any_sync(kAllLanes, value) != 0; }
  __device__ int64_t scan(int64_t value) const {
    for (uint32_t distance = 1; distance < kLanes; distance *= 2) {
      const int64_t before = __shfl_up_sync(kAllLanes, static_cast<long long>(value), distance);
      if (lane_ >= distance) {
        value = static_cast<int64_t>(static_cast<uint64_t>(value) + static_cast<uint64_t>(before));
      }
    }
    return value;
  }
  __device__ static int64_t last(int64_t value) {
    return __shfl_sync(kAllLanes, static_cast<long long>(value), kLanes - 1);
  }
  __device__ int64_t shifted(int64_t value, int64_t first) const {
    const int64_t before = __shfl_up_sync(kAllLanes, static_cast<long long>(value), 1);
    return lane_ == 0 ? first : before;
  }

 private:
  /// Where in the window the byte is; `count` bytes from it on are there.
  __device__ uint32_t find(uint32_t at, uint32_t count) {
    const uint64_t place = uint64_t{at} + misaligned_;
    if (!loaded_ || place < begin_ || place + count > begin_ + kBytes) {
      begin_ = place / 16 * 16;
      loaded_ = true;
      const uint8_t* const base = bytes_ - misaligned_ + begin_;
      __syncwarp();
      for (uint32_t i = lane_; i < kBytes / 16; i += kLanes) {
        reinterpret_cast<uint4*>(window_.words)[i] = load_words(base + i * 16, bytes_ + size_);
      }
      __syncwarp();
    }
    return static_cast<uint32_t>(place - begin_);
  }

  BytesWindow<kBytes>& window_;
  const uint32_t lane_;
  const uint8_t* bytes_ = nullptr;
  uint32_t size_ = 0;
  uint32_t misaligned_ = 0;
  uint64_t begin_ = 0;  // of the window, counted from the aligned byte at or before the first
  bool loaded_ = false;
};

}  // namespace weft::gpu::kernels
