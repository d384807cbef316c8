// A check of numbers on the command line, before CLI11 turns "-5" into a very large one.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace weft::cli {

/// Takes whole numbers of at most 18 digits from `least` (0 or 1) on.
inline CLI::Validator whole_number_from(unsigned least) {
  return CLI::Validator(
      [least](std::string& text) {
        const bool digits =
            !text.empty() && text.size() <= 18 && text.find_first_not_of("0123456789") == std::string::npos;
        if (digits && std::stoull(text) >= least) return std::string();
        return "'" + text + "' is not a whole number from " + std::to_string(least);
      },
      "");
}

}  // namespace weft::cli
