#include <clocale>
#include <iostream>

#include "cli/app.hpp"

int main(int argc, char** argv) {
  // Widths of characters need a UTF-8 locale; numbers must be written the same way everywhere.
  if (std::setlocale(LC_CTYPE, "C.UTF-8") == nullptr) std::setlocale(LC_CTYPE, "");
  std::ios::sync_with_stdio(false);
  return weft::cli::run(argc, argv);
}
