// The prompt: libedit with a history file.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "cli/interrupt.hpp"

namespace weft::cli {

class LineEditor {
 public:
  /// `history` is read now and written at the end; a file that cannot be read or written is no error. ~/.editrc
  /// applies.
  LineEditor(std::filesystem::path history, InterruptWatch& interrupts);
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  enum class Outcome : unsigned char {
    Line,         // `line` holds it, with its line feed
    Interrupted,  // Ctrl-C: what was typed is gone
    End,          // Ctrl-D on an empty line, or the end of input
  };
  Outcome read(std::string_view prompt, std::string& line);
  /// A statement, whatever its number of lines, is one entry.
  void remember(std::string_view statement);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace weft::cli
