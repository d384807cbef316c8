// The shell's own commands: .tables, .mode, .help and their kin.
#pragma once

#include <string>

namespace weft::cli {

class Shell;

/// Runs a line that starts with '.'. Returns false after it has printed why the command failed; what it throws says
/// why.
bool run_dot_command(Shell& shell, const std::string& line);

}  // namespace weft::cli
