// Running another program.
#pragma once

#include <string>
#include <vector>

namespace weft::workload {

/// Runs argv[0] (a path) with these arguments, our environment, standard output and error, and waits. Gives its exit
/// status, 128 + n when signal n ended it. Throws IoError if it cannot be started.
int run_program(const std::vector<std::string>& argv);

/// The path of the running program.
std::string this_program();

}  // namespace weft::workload
