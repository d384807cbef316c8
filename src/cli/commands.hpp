// The subcommands of `weft`. Each function adds its own to the parser; when the user asked for it, its parse stores
// what is to run in `chosen`, which then gives the program's exit code.
#pragma once

#include <functional>

#include "cli/options.hpp"

namespace weft::cli {

using Action = std::function<int()>;

/// `common` and `chosen` must outlive the parse and the action.
void add_doctor_command(CLI::App& app, const CommonOptions& common, Action& chosen);
void add_generate_commands(CLI::App& app, Action& chosen);
void add_bench_command(CLI::App& app, const CommonOptions& common, Action& chosen);
void add_parity_command(CLI::App& app, const CommonOptions& common, Action& chosen);
void add_verify_command(CLI::App& app, const CommonOptions& common, Action& chosen);
void add_demo_command(CLI::App& app, const CommonOptions& common, Action& chosen);
void add_fuzz_command(CLI::App& app, const CommonOptions& common, Action& chosen);

}  // namespace weft::cli
