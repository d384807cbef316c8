// Options that every command of the program takes, and the engine that they open.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "session/connection.hpp"

namespace CLI {
class App;
}

namespace weft::cli {

constexpr int kExitOk = 0;
constexpr int kExitFailed = 1;    // a statement or a check failed
constexpr int kExitBadUsage = 2;  // the command line is wrong

struct CommonOptions {
  std::string backend = "auto";                 // OpenOptions::backend
  std::map<std::string, std::string> settings;  // by name, checked
};

/// --backend, and for each setting of the registry a flag (--memory_limit_bytes, --memory-limit-bytes). Wrong values
/// are CLI::ValidationError. `options` must outlive the parse.
void add_common_options(CLI::App& app, CommonOptions& options);

session::OpenOptions open_options(const CommonOptions& options);

/// "Error: what" of any exception as the user reads it: DuckDB's errors unchanged.
std::string error_text(const std::exception& error);

}  // namespace weft::cli
