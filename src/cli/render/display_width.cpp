#include "cli/render/display_width.hpp"

#include <fmt/format.h>

#include <cwchar>

namespace weft::cli {

namespace {

struct Character {
  size_t bytes;
  size_t width;
};

/// The character at the front of a text that is not empty; a byte that is no UTF-8 counts as one column.
Character front(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const size_t bytes = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (bytes == 1 || bytes > text.size()) return {1, 1};
  wchar_t code = static_cast<wchar_t>(lead & (0xFFU >> (bytes + 1)));
  for (size_t i = 1; i < bytes; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0U) != 0x80U) return {1, 1};
    code = static_cast<wchar_t>((code << 6) | (byte & 0x3F));
  }
  const int width = wcwidth(code);
  return {bytes, width < 0 ? 1 : static_cast<size_t>(width)};
}

}  // namespace

size_t display_width(std::string_view text) {
  size_t width = 0;
  while (!text.empty()) {
    const Character character = front(text);
    width += character.width;
    text.remove_prefix(character.bytes);
  }
  return width;
}

std::string_view cut_to_width(std::string_view text, size_t width) {
  size_t bytes = 0;
  size_t used = 0;
  while (bytes < text.size()) {
    const Character character = front(text.substr(bytes));
    if (used + character.width > width) break;
    used += character.width;
    bytes += character.bytes;
  }
  return text.substr(0, bytes);
}

std::string on_one_line(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace weft::cli
