// Cuts SQL that arrives in pieces (typed lines, a file) into statements, so that the shell knows when one is complete.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace weft::cli {

/// A statement ends at a ';' outside of strings ('..', E'..'), quoted names, dollar quotes and comments, as DuckDB's
/// lexer sees them. Nothing is parsed: what is no SQL is cut all the same and DuckDB says what is wrong with it.
class StatementReader {
 public:
  /// Whole lines: a token of two characters must not be cut.
  void append(std::string_view text);
  /// The next complete statement with its ';', without white space around it; nullopt: none is complete.
  std::optional<std::string> next();
  /// What has no ';' yet; empty if that is white space and comments only. The reader is then empty.
  std::string take_rest();
  /// Whether nothing but white space and comments is waiting (an open block comment is waiting).
  bool idle() const;
  void clear();

 private:
  enum class State : unsigned char { Plain, Quoted, Escaped, Name, LineComment, BlockComment, Dollar };

  // Each advances position_ past at least one character, or says that more text is needed.
  bool scan_plain(bool& complete);
  bool scan_quoted(char quote, bool backslash);
  bool scan_line_comment();
  bool scan_block_comment();
  bool scan_dollar();
  bool opens_dollar();

  std::string text_;
  size_t position_ = 0;  // scanned so far
  State state_ = State::Plain;
  size_t comment_depth_ = 0;  // BlockComment: they nest
  std::string dollar_tag_;    // Dollar: "$$" or "$tag$"
  bool has_content_ = false;  // something other than white space and comments was scanned
};

}  // namespace weft::cli
