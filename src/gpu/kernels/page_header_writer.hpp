// Page headers for tests, valid ones and others.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/kernels/page_walk.hpp"

namespace weft::gpu::kernels {

/// Writes a page header field by field.
class PageHeaderWriter {
 public:
  PageHeaderWriter& i32(int field, int64_t value) {
    begin(field, kThriftI32);
    varint(static_cast<uint64_t>((value << 1) ^ (value >> 63)));
    return *this;
  }
  PageHeaderWriter& boolean(int field, bool value) { return begin(field, value ? kThriftTrue : kThriftFalse); }
  PageHeaderWriter& binary(int field, size_t size) {
    begin(field, kThriftBinary);
    varint(size);
    bytes_.resize(bytes_.size() + size, 0x33);
    return *this;
  }
  PageHeaderWriter& i64(int field, uint64_t value) {
    begin(field, kThriftI64);
    varint(value);
    return *this;
  }
  PageHeaderWriter& list(int field, uint32_t of, std::vector<uint8_t> bytes, uint32_t count) {
    begin(field, kThriftList);
    bytes_.push_back(static_cast<uint8_t>(count << 4 | of));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return *this;
  }
  PageHeaderWriter& open(int field) {
    begin(field, kThriftStruct);
    outer_.push_back(last_);
    last_ = 0;
    return *this;
  }
  PageHeaderWriter& close() {
    bytes_.push_back(0);
    last_ = outer_.back();
    outer_.pop_back();
    return *this;
  }
  /// The header's end, and the page behind it.
  std::vector<uint8_t> page(size_t stored_bytes) {
    bytes_.push_back(0);
    bytes_.resize(bytes_.size() + stored_bytes, 0x55);
    return bytes_;
  }

 private:
  PageHeaderWriter& begin(int field, uint32_t type) {
    if (field > last_ && field - last_ < 16) {
      bytes_.push_back(static_cast<uint8_t>((field - last_) << 4 | static_cast<int>(type)));
    } else {
      bytes_.push_back(static_cast<uint8_t>(type));
      varint(static_cast<uint64_t>(field) << 1);
    }
    last_ = field;
    return *this;
  }
  void varint(uint64_t value) {
    for (; value > 0x7f; value >>= 7) bytes_.push_back(static_cast<uint8_t>(value | 0x80));
    bytes_.push_back(static_cast<uint8_t>(value));
  }
  std::vector<uint8_t> bytes_;
  std::vector<int> outer_;
  int last_ = 0;
};

}  // namespace weft::gpu::kernels
