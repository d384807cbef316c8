#include "cli/render/json_value.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <cstring>

#include "workload/arrow_text.hpp"

namespace weft::cli {

namespace {

/// Length of the well-formed UTF-8 sequence at `at` (RFC 3629), or 0.
size_t sequence_length(const std::string& text, size_t at) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto continues = [&](size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned lead = byte(at);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return continues(at + 1) ? 2 : 0;
  const unsigned second = byte(at + 1);
  if ((lead & 0xF0U) == 0xE0U) {
    const bool overlong = lead == 0xE0 && second < 0xA0;
    const bool surrogate = lead == 0xED && second >= 0xA0;
    return continues(at + 1) && continues(at + 2) && !overlong && !surrogate ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const bool outside = (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second >= 0x90);
    return continues(at + 1) && continues(at + 2) && continues(at + 3) && !outside ? 4 : 0;
  }
  return 0;
}

/// Formats of numbers and booleans: no quotes.
bool is_bare(const char* format) {
  return format[1] == '\0' ? std::strchr("bcCsSiIlLfg", format[0]) != nullptr : std::strncmp(format, "d:", 2) == 0;
}

std::string leaf(const ArrowSchema& type, const ArrowArray& array, int64_t index) {
  const workload::Cell cell = workload::arrow_cell(type, array, index);
  if (cell.kind == workload::Cell::Kind::Null) return "null";
  const bool finite = cell.kind == workload::Cell::Kind::Text || std::isfinite(cell.number);
  const bool bare = type.dictionary == nullptr && is_bare(type.format) && finite;
  return bare ? workload::to_text(cell) : json_string(workload::to_text(cell));
}

std::string elements(const ArrowSchema& type, const ArrowArray& array, int64_t begin, int64_t end) {
  std::string out = "[";
  for (int64_t i = begin; i < end; ++i) {
    if (i > begin) out += ',';
    out += json_value(type, array, i);
  }
  return out + "]";
}

/// A name in an object is a string, whatever the key's type.
std::string name_of(const std::string& value) { return value.front() == '"' ? value : json_string(value); }

std::string map_value(const ArrowSchema& entry, const ArrowArray& entries, int64_t begin, int64_t end) {
  std::string out = "{";
  for (int64_t i = begin; i < end; ++i) {
    if (i > begin) out += ',';
    const int64_t at = entries.offset + i;
    out += name_of(json_value(*entry.children[0], *entries.children[0], at)) + ":" +
           json_value(*entry.children[1], *entries.children[1], at);
  }
  return out + "}";
}

std::string struct_value(const ArrowSchema& type, const ArrowArray& array, int64_t position) {
  std::string out = "{";
  for (int64_t i = 0; i < type.n_children; ++i) {
    if (i > 0) out += ',';
    out += json_string(type.children[i]->name) + ":" + json_value(*type.children[i], *array.children[i], position);
  }
  return out + "}";
}

/// See union_text in workload/arrow_text.cpp.
std::string union_value(const ArrowSchema& type, const ArrowArray& array, int64_t position) {
  const auto tag = static_cast<const int8_t*>(array.buffers[0])[position];
  const bool dense = type.format[2] == 'd';
  const int64_t index = dense ? static_cast<const int32_t*>(array.buffers[1])[position] : position;
  return "{" + json_string(type.children[tag]->name) + ":" +
         json_value(*type.children[tag], *array.children[tag], index) + "}";
}

}  // namespace

std::string json_string(const std::string& text) {
  std::string out = "\"";
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    const size_t length = sequence_length(text, i);
    if (length == 0) {
      out += "\\ufffd";
      ++i;
      continue;
    }
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out.append(text, i, length);
    }
    i += length;
  }
  return out + '"';
}

std::string json_value(const ArrowSchema& type, const ArrowArray& array, int64_t index) {
  const char* format = type.format;
  if (format[0] != '+' || type.dictionary != nullptr) return leaf(type, array, index);
  if (workload::arrow_is_null(type, array, index)) return "null";
  const int64_t position = index + array.offset;
  switch (format[1]) {
    case 'm': {
      const auto* offsets = static_cast<const int32_t*>(array.buffers[1]) + position;
      return map_value(*type.children[0], *array.children[0], offsets[0], offsets[1]);
    }
    case 'l': {
      const auto* offsets = static_cast<const int32_t*>(array.buffers[1]) + position;
      return elements(*type.children[0], *array.children[0], offsets[0], offsets[1]);
    }
    case 'L': {
      const auto* offsets = static_cast<const int64_t*>(array.buffers[1]) + position;
      return elements(*type.children[0], *array.children[0], offsets[0], offsets[1]);
    }
    case 'w': {
      const int64_t size = std::atoll(format + 3);
      return elements(*type.children[0], *array.children[0], position * size, (position + 1) * size);
    }
    case 's':
      return struct_value(type, array, position);
    case 'u':
      return union_value(type, array, position);
    default:
      return leaf(type, array, index);  // which says that the format is not known
  }
}

}  // namespace weft::cli
