// The format of tests/sql/*.sql: `-- kind: text` first; `-- case: name` opens a case, with a fresh database; statements
// after it set it up; every `-- query` block is one compared statement; `-- setup` goes back to uncompared statements;
// `-- error: text` marks a block that must fail with that text in its message. `{folder}` in a statement is a folder of
// the case's own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft::workload {

struct CaseBlock {
  enum class Kind : unsigned char { Setup, Query, Error };
  Kind kind = Kind::Setup;
  uint32_t line = 0;  // of its first statement, from 1
  std::string sql;    // Setup: may hold several statements
  std::string error;  // Error: the text that the message must contain
};

struct Case {
  std::string name;
  std::vector<CaseBlock> blocks;
};

struct CaseFile {
  std::string path;
  std::string kind;
  std::vector<Case> cases;
};

/// Throws InvalidInput naming file and line.
CaseFile read_case_file(const std::string& path);
CaseFile parse_case_file(const std::string& path, const std::string& text);

}  // namespace weft::workload
