// The Arrow C data interface (https://arrow.apache.org/docs/format/CDataInterface.html), with the guard that every
// user of the specification shares, and owners for its structs.
#pragma once

#include <cstdint>
#include <utility>

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4
extern "C" {
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};
struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};
}
#endif

// DuckDB's own copy of the specification comes with the stream; whoever is included first must define both.
#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE
extern "C" {
struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
  const char* (*get_last_error)(struct ArrowArrayStream*);
  void (*release)(struct ArrowArrayStream*);
  void* private_data;
};
}
#endif

namespace weft::engine {

/// Owns one Arrow C struct: releases it at the end, moves, never copies.
template <typename T>
class ArrowOwner {
 public:
  ArrowOwner() { value_.release = nullptr; }
  explicit ArrowOwner(T taken) : value_(taken) {}
  ArrowOwner(ArrowOwner&& other) noexcept : value_(other.value_) { other.value_.release = nullptr; }
  ArrowOwner& operator=(ArrowOwner&& other) noexcept {
    if (this != &other) {
      reset();
      value_ = other.value_;
      other.value_.release = nullptr;
    }
    return *this;
  }
  ~ArrowOwner() { reset(); }
  void reset() {
    if (value_.release != nullptr) value_.release(&value_);
    value_.release = nullptr;
  }
  bool empty() const { return value_.release == nullptr; }
  T* get() { return &value_; }
  const T* get() const { return &value_; }
  T* operator->() { return &value_; }
  const T* operator->() const { return &value_; }
  /// Gives the struct up to a consumer that will release it.
  T release_to_consumer() {
    T out = value_;
    value_.release = nullptr;
    return out;
  }

 private:
  T value_{};
};

/// A batch of rows on the host: a struct array, one child per column. Independent of query and device.
using HostBatch = ArrowOwner<ArrowArray>;
using HostSchema = ArrowOwner<ArrowSchema>;

}  // namespace weft::engine
