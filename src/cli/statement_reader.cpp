#include "cli/statement_reader.hpp"

#include <cctype>
#include <utility>

namespace weft::cli {

namespace {

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool is_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || (static_cast<unsigned char>(c) & 0x80) != 0;
}

std::string trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return std::string(text);
}

}  // namespace

void StatementReader::append(std::string_view text) { text_ += text; }

void StatementReader::clear() { *this = StatementReader(); }

bool StatementReader::idle() const {
  if (has_content_ || state_ == State::BlockComment) return false;
  for (size_t i = position_; i < text_.size(); ++i) {
    if (!is_space(text_[i])) return false;
  }
  return true;
}

std::optional<std::string> StatementReader::next() {
  bool complete = false;
  bool advanced = true;
  while (advanced && !complete && position_ < text_.size()) {
    switch (state_) {
      case State::Plain:
        advanced = scan_plain(complete);
        break;
      case State::Quoted:
        advanced = scan_quoted('\'', false);
        break;
      case State::Escaped:
        advanced = scan_quoted('\'', true);
        break;
      case State::Name:
        advanced = scan_quoted('"', false);
        break;
      case State::LineComment:
        advanced = scan_line_comment();
        break;
      case State::BlockComment:
        advanced = scan_block_comment();
        break;
      case State::Dollar:
        advanced = scan_dollar();
        break;
    }
  }
  if (!complete) {
    // Comments alone are no statement: a dot command may follow them.
    if (position_ == text_.size() && state_ == State::Plain && !has_content_) clear();
    return std::nullopt;
  }
  std::string statement = trimmed(std::string_view(text_).substr(0, position_));
  text_.erase(0, position_);
  position_ = 0;
  has_content_ = false;
  return statement;
}

std::string StatementReader::take_rest() {
  std::string rest = has_content_ ? trimmed(text_) : std::string();
  clear();
  return rest;
}

bool StatementReader::scan_plain(bool& complete) {
  const char c = text_[position_];
  const bool more = position_ + 1 < text_.size();
  if (c == '-' || c == '/') {
    if (more && text_[position_ + 1] == (c == '-' ? '-' : '*')) {
      state_ = c == '-' ? State::LineComment : State::BlockComment;
      comment_depth_ = 1;
      position_ += 2;
      return true;
    }
  } else if (c == '\'') {
    const bool escapes = position_ > 0 && (text_[position_ - 1] == 'e' || text_[position_ - 1] == 'E') &&
                         (position_ == 1 || !is_name(text_[position_ - 2]));
    state_ = escapes ? State::Escaped : State::Quoted;
  } else if (c == '"') {
    state_ = State::Name;
  } else if (c == '$' && opens_dollar()) {
    has_content_ = true;
    return true;
  }
  if (!is_space(c)) has_content_ = true;
  complete = c == ';';
  ++position_;
  return true;
}

bool StatementReader::scan_quoted(char quote, bool backslash) {
  const char c = text_[position_];
  if (backslash && c == '\\') {
    if (position_ + 1 == text_.size()) return false;
    position_ += 2;
    return true;
  }
  // A doubled quote closes and opens again, which comes to the same.
  if (c == quote) state_ = State::Plain;
  ++position_;
  return true;
}

bool StatementReader::scan_line_comment() {
  if (text_[position_] == '\n') state_ = State::Plain;
  ++position_;
  return true;
}

bool StatementReader::scan_block_comment() {
  const char c = text_[position_];
  if (c == '*' || c == '/') {
    if (position_ + 1 == text_.size()) return false;
    const char following = text_[position_ + 1];
    if ((c == '*' && following == '/') || (c == '/' && following == '*')) {
      comment_depth_ += c == '/' ? 1 : -1;
      if (comment_depth_ == 0) state_ = State::Plain;
      position_ += 2;
      return true;
    }
  }
  ++position_;
  return true;
}

bool StatementReader::opens_dollar() {
  if (position_ > 0 && is_name(text_[position_ - 1])) return false;
  size_t end = position_ + 1;
  while (end < text_.size() && is_name(text_[end])) ++end;
  if (end == text_.size() || text_[end] != '$') return false;
  if (std::isdigit(static_cast<unsigned char>(text_[position_ + 1])) != 0) return false;  // the parameter $1
  dollar_tag_ = text_.substr(position_, end + 1 - position_);
  position_ = end + 1;
  state_ = State::Dollar;
  return true;
}

bool StatementReader::scan_dollar() {
  const size_t end = text_.find(dollar_tag_, position_);
  if (end == std::string::npos) {
    // The tag may be cut at the end of what is here.
    const size_t keep = dollar_tag_.size() - 1;
    const size_t safe = text_.size() > keep ? text_.size() - keep : 0;
    if (safe <= position_) return false;
    position_ = safe;
    return true;
  }
  position_ = end + dollar_tag_.size();
  state_ = State::Plain;
  return true;
}

}  // namespace weft::cli
