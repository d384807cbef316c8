// How many columns of a terminal a UTF-8 text takes. Uses the C locale's wcwidth: main sets a UTF-8 LC_CTYPE.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace weft::cli {

size_t display_width(std::string_view text);
/// The longest beginning of the text that takes at most `width` columns; never cuts a character.
std::string_view cut_to_width(std::string_view text, size_t width);
/// Line feeds and other control characters as \n, \t, \x1b, so that a value stays on its line.
std::string on_one_line(std::string_view text);

}  // namespace weft::cli
