#include "workload/arrow_text.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "workload/duckdb_text.hpp"

namespace weft::workload {
namespace {

template <typename T>
T value_at(const ArrowArray& array, int64_t position) {
  T value;
  std::memcpy(&value, static_cast<const char*>(array.buffers[1]) + position * static_cast<int64_t>(sizeof(T)),
              sizeof(T));
  return value;
}

bool bit_at(const void* bits, int64_t position) {
  return ((static_cast<const uint8_t*>(bits)[position / 8] >> (position % 8)) & 1) != 0;
}

bool is_null(const ArrowSchema& type, const ArrowArray& array, int64_t position) {
  if (type.format[0] == 'n') return true;
  if (type.format[0] == '+' && type.format[1] == 'u') return false;  // a union's first buffer is its tags
  return array.n_buffers > 0 && array.buffers[0] != nullptr && array.null_count != 0 &&
         !bit_at(array.buffers[0], position);
}

std::string decimal_text(plan::Int128 unscaled, int scale) {
  const bool negative = unscaled < 0;
  std::string digits = plan::to_string(unscaled);
  if (negative) digits.erase(0, 1);
  if (scale > 0) {
    if (digits.size() <= static_cast<size_t>(scale)) digits.insert(0, scale + 1 - digits.size(), '0');
    digits.insert(digits.size() - static_cast<size_t>(scale), ".");
  }
  return negative ? "-" + digits : digits;
}

std::string decimal_at(const char* format, const ArrowArray& array, int64_t position) {
  int width = 0;
  int scale = 0;
  int bits = 128;
  std::sscanf(format, "d:%d,%d,%d", &width, &scale, &bits);
  if (bits == 32) return decimal_text(value_at<int32_t>(array, position), scale);
  if (bits == 64) return decimal_text(value_at<int64_t>(array, position), scale);
  return decimal_text(value_at<plan::Int128>(array, position), scale);
}

/// Arrow has nanoseconds where DuckDB has microseconds.
std::string interval_at(const ArrowArray& array, int64_t position) {
  const char* at = static_cast<const char*>(array.buffers[1]) + position * 16;
  int32_t months = 0;
  int32_t days = 0;
  int64_t nanos = 0;
  std::memcpy(&months, at, 4);
  std::memcpy(&days, at + 4, 4);
  std::memcpy(&nanos, at + 8, 8);
  return interval_text(months, days, nanos / 1000);
}

std::string temporal_text(const char* format, const ArrowArray& array, int64_t position) {
  switch (format[1]) {
    case 'd':
      return format[2] == 'D' ? date_text(value_at<int32_t>(array, position))
                              : date_text(static_cast<int32_t>(value_at<int64_t>(array, position) / 86400000));
    case 't':
      return format[2] == 's' || format[2] == 'm' ? time_text(value_at<int32_t>(array, position), format[2])
                                                  : time_text(value_at<int64_t>(array, position), format[2]);
    case 's':
      return format[4] == '\0' ? timestamp_text(value_at<int64_t>(array, position), format[2])
                               : timestamp_tz_text(value_at<int64_t>(array, position), format[2], format + 4);
    case 'i':
      if (format[2] == 'n') return interval_at(array, position);
      break;
    default:
      break;
  }
  throw Exception(ErrorCode::InternalError, std::string("the Arrow format '") + format + "' is not known");
}

template <typename Offset>
std::string bytes_at(const ArrowArray& array, int64_t position) {
  const auto* offsets = static_cast<const Offset*>(array.buffers[1]) + position;
  const auto size = static_cast<size_t>(offsets[1] - offsets[0]);
  return size == 0 ? "" : std::string(static_cast<const char*>(array.buffers[2]) + offsets[0], size);
}

/// The 16-byte views of Arrow 1.4: a length, then 12 bytes in place, or a prefix, a buffer's number and an offset in
/// it.
std::string view_at(const ArrowArray& array, int64_t position) {
  const char* view = static_cast<const char*>(array.buffers[1]) + position * 16;
  int32_t size = 0;
  std::memcpy(&size, view, 4);
  if (size <= 12) return std::string(view + 4, static_cast<size_t>(size));
  int32_t buffer = 0;
  int32_t offset = 0;
  std::memcpy(&buffer, view + 8, 4);
  std::memcpy(&offset, view + 12, 4);
  return std::string(static_cast<const char*>(array.buffers[2 + buffer]) + offset, static_cast<size_t>(size));
}

/// A member of a nested value.
std::string member(const ArrowSchema& type, const ArrowArray& array, int64_t index) {
  const Cell cell = arrow_cell(type, array, index);
  const bool nested = type.format[0] == '+' && type.format[1] != 'u';
  return cell.kind == Cell::Kind::Null || nested ? to_text(cell) : member_text(to_text(cell));
}

std::string list_text(const ArrowSchema& type, const ArrowArray& array, int64_t begin, int64_t end) {
  std::string out = "[";
  for (int64_t i = begin; i < end; ++i) {
    if (i > begin) out += ", ";
    out += member(*type.children[0], *array.children[0], i);
  }
  return out + "]";
}

/// A map is a list of structs of a key and a value.
std::string map_text(const ArrowSchema& type, const ArrowArray& array, int64_t begin, int64_t end) {
  const ArrowSchema& entry = *type.children[0];
  const ArrowArray& entries = *array.children[0];
  std::string out = "{";
  for (int64_t i = begin; i < end; ++i) {
    if (i > begin) out += ", ";
    const int64_t at = entries.offset + i;
    out += member(*entry.children[0], *entries.children[0], at) + "=" +
           member(*entry.children[1], *entries.children[1], at);
  }
  return out + "}";
}

/// A struct without names is a row value.
std::string struct_text(const ArrowSchema& type, const ArrowArray& array, int64_t position) {
  const bool named = type.n_children == 0 || *type.children[0]->name != '\0';
  std::string out = named ? "{" : "(";
  for (int64_t i = 0; i < type.n_children; ++i) {
    if (i > 0) out += ", ";
    if (named) out += member_name_text(type.children[i]->name) + ": ";
    out += member(*type.children[i], *array.children[i], position);
  }
  return out + (named ? "}" : ")");
}

/// A sparse union's members are as long as the union; a dense one says where in its member a value is.
std::string union_text(const ArrowSchema& type, const ArrowArray& array, int64_t position) {
  const auto tag = static_cast<const int8_t*>(array.buffers[0])[position];
  const bool dense = type.format[2] == 'd';
  const int64_t index = dense ? static_cast<const int32_t*>(array.buffers[1])[position] : position;
  return to_text(arrow_cell(*type.children[tag], *array.children[tag], index));
}

std::string nested_text(const ArrowSchema& type, const ArrowArray& array, int64_t position) {
  switch (type.format[1]) {
    case 'l':
    case 'm': {
      const auto* offsets = static_cast<const int32_t*>(array.buffers[1]) + position;
      return type.format[1] == 'm' ? map_text(type, array, offsets[0], offsets[1])
                                   : list_text(type, array, offsets[0], offsets[1]);
    }
    case 'L': {
      const auto* offsets = static_cast<const int64_t*>(array.buffers[1]) + position;
      return list_text(type, array, offsets[0], offsets[1]);
    }
    case 'w': {
      const int64_t size = std::atoll(type.format + 3);
      return list_text(type, array, position * size, (position + 1) * size);
    }
    case 's':
      return struct_text(type, array, position);
    case 'u':
      return union_text(type, array, position);
    default:
      throw Exception(ErrorCode::InternalError, std::string("the Arrow format '") + type.format + "' is not known");
  }
}

std::string text_at(const ArrowSchema& type, const ArrowArray& array, int64_t position) {
  const char* format = type.format;
  switch (format[0]) {
    case 'b':
      return bit_at(array.buffers[1], position) ? "true" : "false";
    case 'c':
      return std::to_string(value_at<int8_t>(array, position));
    case 'C':
      return std::to_string(value_at<uint8_t>(array, position));
    case 's':
      return std::to_string(value_at<int16_t>(array, position));
    case 'S':
      return std::to_string(value_at<uint16_t>(array, position));
    case 'i':
      return std::to_string(value_at<int32_t>(array, position));
    case 'I':
      return std::to_string(value_at<uint32_t>(array, position));
    case 'l':
      return std::to_string(value_at<int64_t>(array, position));
    case 'L':
      return std::to_string(value_at<uint64_t>(array, position));
    case 'd':
      return decimal_at(format, array, position);
    case 't':
      return temporal_text(format, array, position);
    case 'u':
      return bytes_at<int32_t>(array, position);
    case 'U':
      return bytes_at<int64_t>(array, position);
    case 'z':
      return blob_text(bytes_at<int32_t>(array, position));
    case 'Z':
      return blob_text(bytes_at<int64_t>(array, position));
    case 'v':
      return format[1] == 'z' ? blob_text(view_at(array, position)) : view_at(array, position);
    case 'w': {
      const auto size = static_cast<size_t>(std::atoll(format + 2));
      return blob_text(
          std::string(static_cast<const char*>(array.buffers[1]) + static_cast<size_t>(position) * size, size));
    }
    case '+':
      return nested_text(type, array, position);
    default:
      throw Exception(ErrorCode::InternalError, std::string("the Arrow format '") + format + "' is not known");
  }
}

}  // namespace

bool arrow_is_null(const ArrowSchema& type, const ArrowArray& array, int64_t index) {
  return is_null(type, array, index + array.offset);
}

Cell arrow_cell(const ArrowSchema& type, const ArrowArray& array, int64_t index) {
  const int64_t position = index + array.offset;
  Cell cell;
  if (is_null(type, array, position)) return cell;
  if (type.dictionary != nullptr) {
    return arrow_cell(*type.dictionary, *array.dictionary, std::stoll(text_at(type, array, position)));
  }
  if (type.format[0] == 'f') {
    cell.kind = Cell::Kind::Float;
    cell.number = value_at<float>(array, position);
  } else if (type.format[0] == 'g') {
    cell.kind = Cell::Kind::Double;
    cell.number = value_at<double>(array, position);
  } else {
    cell.kind = Cell::Kind::Text;
    cell.text = text_at(type, array, position);
  }
  return cell;
}

}  // namespace weft::workload
