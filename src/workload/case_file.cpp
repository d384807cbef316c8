#include "workload/case_file.hpp"

#include <fstream>
#include <sstream>

#include "base/error.hpp"

namespace weft::workload {
namespace {

bool starts_with(const std::string& text, const char* prefix) { return text.rfind(prefix, 0) == 0; }

std::string after_colon(const std::string& line) {
  const auto begin = line.find_first_not_of(' ', line.find(':') + 1);
  if (begin == std::string::npos) return "";
  return line.substr(begin, line.find_last_not_of(" \r") + 1 - begin);
}

class Parser {
 public:
  explicit Parser(std::string path) { file_.path = std::move(path); }

  void line(const std::string& text) {
    ++number_;
    if (starts_with(text, "-- kind:")) {
      file_.kind = after_colon(text);
    } else if (starts_with(text, "-- case:")) {
      end_block();
      file_.cases.push_back(Case{after_colon(text), {}});
      begin_block(CaseBlock::Kind::Setup, "");
    } else if (starts_with(text, "-- query")) {
      next_block(CaseBlock::Kind::Query, "");
    } else if (starts_with(text, "-- setup")) {
      next_block(CaseBlock::Kind::Setup, "");
    } else if (starts_with(text, "-- error:")) {
      next_block(CaseBlock::Kind::Error, after_colon(text));
      if (block_.error.empty()) fail("-- error: needs the text that the message must contain");
    } else if (text.find_first_not_of(" \t\r") != std::string::npos) {
      if (file_.cases.empty()) fail("a statement before the first '-- case: name'");
      if (block_.sql.empty()) block_.line = number_;
      block_.sql += text + "\n";
    }
  }

  CaseFile finish() {
    end_block();
    if (file_.cases.empty()) fail("the file has no '-- case: name'");
    return std::move(file_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Exception(ErrorCode::InvalidInput, file_.path + ":" + std::to_string(number_) + ": " + what);
  }
  void begin_block(CaseBlock::Kind kind, std::string error) { block_ = CaseBlock{kind, number_, "", std::move(error)}; }
  void next_block(CaseBlock::Kind kind, std::string error) {
    if (file_.cases.empty()) fail("a block before the first '-- case: name'");
    end_block();
    begin_block(kind, std::move(error));
  }
  void end_block() {
    if (file_.cases.empty()) return;
    if (block_.sql.empty()) {
      if (block_.kind != CaseBlock::Kind::Setup) fail("the block at line " + std::to_string(block_.line) + " is empty");
      return;
    }
    file_.cases.back().blocks.push_back(std::move(block_));
    block_ = CaseBlock{};
  }

  CaseFile file_;
  CaseBlock block_;
  uint32_t number_ = 0;
};

}  // namespace

CaseFile parse_case_file(const std::string& path, const std::string& text) {
  Parser parser(path);
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) parser.line(line);
  return parser.finish();
}

CaseFile read_case_file(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw Exception(ErrorCode::InvalidInput, "the case file " + path + " cannot be read");
  std::ostringstream text;
  text << in.rdbuf();
  return parse_case_file(path, text.str());
}

}  // namespace weft::workload
