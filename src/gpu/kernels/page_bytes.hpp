// The bytes of one part of a page, as the checks of page_contents.hpp read them: by one thread on the host, by a warp
// on the device (page_contents.cu), whose lanes run the same code together.
#pragma once

#include <cstdint>

#include "gpu/kernels/host_device.hpp"

namespace weft::gpu::kernels {

/// The one lane of the host. What a reader of bytes is: open() chooses the part; byte() and word() give bytes in it
/// and, like skip_texts(), are called by all lanes with the same place; far() is for places that differ between lanes;
/// sum(), any(), scan(), last() and shifted() bring the lanes' values together and are called by all of them.
class HostBytes {
 public:
  WEFT_HOST_DEVICE void open(const uint8_t* bytes, uint32_t size) {
    bytes_ = bytes;
    size_ = size;
  }
  WEFT_HOST_DEVICE uint32_t size() const { return size_; }
  WEFT_HOST_DEVICE uint32_t byte(uint32_t at) { return bytes_[at]; }
  /// Four bytes, the lowest first.
  WEFT_HOST_DEVICE uint32_t word(uint32_t at) {
    return bytes_[at] | uint32_t{bytes_[at + 1]} << 8 | uint32_t{bytes_[at + 2]} << 16 | uint32_t{bytes_[at + 3]} << 24;
  }
  WEFT_HOST_DEVICE uint32_t far(uint32_t at) const { return bytes_[at]; }
  /// Puts `at` behind `count` texts with their lengths in front; false if they are not all inside.
  WEFT_HOST_DEVICE bool skip_texts(uint32_t& at, uint32_t count) {
    for (; count > 0; --count) {
      if (size_ - at < 4) return false;
      const uint32_t length = word(at);
      at += 4;
      if (length > size_ - at) return false;
      at += length;
    }
    return true;
  }

  WEFT_HOST_DEVICE static uint32_t lane() { return 0; }
  WEFT_HOST_DEVICE static uint32_t lanes() { return 1; }
  WEFT_HOST_DEVICE static uint64_t sum(uint64_t value) { return value; }
  WEFT_HOST_DEVICE static bool any(bool value) { return value; }
  /// The sum of the lanes up to and with this one.
  WEFT_HOST_DEVICE static int64_t scan(int64_t value) { return value; }
  /// The highest lane's value.
  WEFT_HOST_DEVICE static int64_t last(int64_t value) { return value; }
  /// The value of the lane before; `first` for the lowest.
  WEFT_HOST_DEVICE static int64_t shifted(int64_t /*value*/, int64_t first) { return first; }

 private:
  const uint8_t* bytes_ = nullptr;
  uint32_t size_ = 0;
};

}  // namespace weft::gpu::kernels
