// The command line of `weft`.
#pragma once

namespace weft::cli {

/// Parses, runs, and returns the program's exit code (options.hpp). Throws nothing.
int run(int argc, const char* const* argv);

}  // namespace weft::cli
