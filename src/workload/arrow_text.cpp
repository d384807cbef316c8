#include "workload/arrow_text.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>

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

/// Proleptic Gregorian date of a day number (Howard Hinnant's days algorithm, chrono-Compatible Low-Level Date
/// Algorithms).
std::string date_text(int64_t days) {
  days += 719468;
  const int64_t era = (days >= 0 ? days : days - 146096) / 146097;
  const int64_t day_of_era = days - era * 146097;
  const int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t shifted_month = (5 * day_of_year + 2) / 153;
  const int64_t day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
  const int64_t month = shifted_month < 10 ? shifted_month + 3 : shifted_month - 9;
  const int64_t year = year_of_era + era * 400 + (month <= 2 ? 1 : 0);
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%04lld-%02lld-%02lld", static_cast<long long>(year),
                static_cast<long long>(month), static_cast<long long>(day));
  return buffer;
}

/// Digits after the second of a unit: s 0, m 3, u 6, n 9.
int fraction_digits(char unit) { return unit == 's' ? 0 : unit == 'm' ? 3 : unit == 'u' ? 6 : 9; }

int64_t units_per_second(char unit) {
  int64_t units = 1;
  for (int i = 0; i < fraction_digits(unit); ++i) units *= 10;
  return units;
}

std::string time_text(int64_t in_units, char unit) {
  const int64_t per_second = units_per_second(unit);
  const int64_t seconds = in_units / per_second;
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%02lld:%02lld:%02lld", static_cast<long long>(seconds / 3600),
                static_cast<long long>(seconds / 60 % 60), static_cast<long long>(seconds % 60));
  std::string text = buffer;
  if (const int64_t fraction = in_units % per_second; fraction != 0) {
    std::snprintf(buffer, sizeof buffer, ".%0*lld", fraction_digits(unit), static_cast<long long>(fraction));
    text += buffer;
    while (text.back() == '0') text.pop_back();
  }
  return text;
}

std::string timestamp_text(int64_t in_units, char unit) {
  const int64_t per_day = 86400 * units_per_second(unit);
  int64_t days = in_units / per_day;
  int64_t rest = in_units % per_day;
  if (rest < 0) {
    rest += per_day;
    --days;
  }
  return date_text(days) + " " + time_text(rest, unit);
}

std::string interval_text(const ArrowArray& array, int64_t position) {
  const char* at = static_cast<const char*>(array.buffers[1]) + position * 16;
  int32_t months = 0;
  int32_t days = 0;
  int64_t nanos = 0;
  std::memcpy(&months, at, 4);
  std::memcpy(&days, at + 4, 4);
  std::memcpy(&nanos, at + 8, 8);
  return std::to_string(months) + " months " + std::to_string(days) + " days " + std::to_string(nanos) + " ns";
}

std::string temporal_text(const char* format, const ArrowArray& array, int64_t position) {
  switch (format[1]) {
    case 'd':
      return format[2] == 'D' ? date_text(value_at<int32_t>(array, position))
                              : date_text(value_at<int64_t>(array, position) / 86400000);
    case 't':
      return format[2] == 's' || format[2] == 'm' ? time_text(value_at<int32_t>(array, position), format[2])
                                                  : time_text(value_at<int64_t>(array, position), format[2]);
    case 's':
      return timestamp_text(value_at<int64_t>(array, position), format[2]) + (format[4] != '\0' ? "+00" : "");
    case 'i':
      if (format[2] == 'n') return interval_text(array, position);
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

std::string hex(const std::string& bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out = "\\x";
  for (const char c : bytes) {
    out += kDigits[static_cast<unsigned char>(c) >> 4];
    out += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return out;
}

/// A member of a nested value; text is quoted, so that ['a, b'] and ['a', 'b'] differ.
std::string member(const ArrowSchema& type, const ArrowArray& array, int64_t index) {
  const Cell cell = arrow_cell(type, array, index);
  const char* format = type.dictionary != nullptr ? type.dictionary->format : type.format;
  const bool quote = cell.kind == Cell::Kind::Text && (format[0] == 'u' || format[0] == 'U' || format[0] == 'v');
  if (!quote) return to_text(cell);
  std::string out = "'";
  for (const char c : cell.text) out += c == '\'' ? std::string("''") : std::string(1, c);
  return out + "'";
}

std::string list_text(const ArrowSchema& type, const ArrowArray& array, int64_t begin, int64_t end) {
  std::string out = "[";
  for (int64_t i = begin; i < end; ++i) {
    if (i > begin) out += ", ";
    out += member(*type.children[0], *array.children[0], i);
  }
  return out + "]";
}

std::string nested_text(const ArrowSchema& type, const ArrowArray& array, int64_t position) {
  switch (type.format[1]) {
    case 'l':
    case 'm': {
      const auto* offsets = static_cast<const int32_t*>(array.buffers[1]) + position;
      return list_text(type, array, offsets[0], offsets[1]);
    }
    case 'L': {
      const auto* offsets = static_cast<const int64_t*>(array.buffers[1]) + position;
      return list_text(type, array, offsets[0], offsets[1]);
    }
    case 'w': {
      const int64_t size = std::atoll(type.format + 3);
      return list_text(type, array, position * size, (position + 1) * size);
    }
    case 's': {
      std::string out = "{";
      for (int64_t i = 0; i < type.n_children; ++i) {
        if (i > 0) out += ", ";
        out += std::string(type.children[i]->name) + ": " + member(*type.children[i], *array.children[i], position);
      }
      return out + "}";
    }
    case 'u': {
      const auto tag = static_cast<const int8_t*>(array.buffers[0])[position];
      return "union " + std::to_string(tag) + ": " + member(*type.children[tag], *array.children[tag], position);
    }
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
      return hex(bytes_at<int32_t>(array, position));
    case 'Z':
      return hex(bytes_at<int64_t>(array, position));
    case 'v':
      return format[1] == 'z' ? hex(view_at(array, position)) : view_at(array, position);
    case 'w': {
      const auto size = static_cast<size_t>(std::atoll(format + 2));
      return hex(std::string(static_cast<const char*>(array.buffers[1]) + static_cast<size_t>(position) * size, size));
    }
    case '+':
      return nested_text(type, array, position);
    default:
      throw Exception(ErrorCode::InternalError, std::string("the Arrow format '") + format + "' is not known");
  }
}

}  // namespace

std::string double_text(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
  char buffer[64];
  return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, number).ptr);
}

std::string float_text(float number) {
  if (std::isnan(number) || std::isinf(number)) return double_text(number);
  char buffer[64];
  return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, number).ptr);
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
