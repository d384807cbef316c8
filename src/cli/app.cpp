#include "cli/app.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <sstream>

#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/shell.hpp"
#include "weft/build_info.hpp"

namespace weft::cli {

namespace {

struct ShellArguments {
  std::vector<std::string> inputs;    // FILE.sql and DB.duckdb as given
  std::vector<std::string> commands;  // -c
  std::string engine = "weft";
  std::string format = "box";
  bool timer = false;
};

struct ShellInputs {
  std::string database = ":memory:";
  std::vector<std::string> files;
};

constexpr std::array<std::string_view, 3> kDatabaseEndings = {".duckdb", ".db", ".ddb"};

/// Tells SQL files from databases by their names. A word that is neither is a mistyped command more often than the name
/// of a database to be made.
ShellInputs sort_inputs(const std::vector<std::string>& inputs) {
  ShellInputs out;
  bool has_database = false;
  for (const std::string& input : inputs) {
    if (input.ends_with(".sql")) {
      if (!std::filesystem::exists(input)) throw CLI::ValidationError(input, "there is no such file");
      out.files.push_back(input);
      continue;
    }
    const bool named_so = std::any_of(kDatabaseEndings.begin(), kDatabaseEndings.end(),
                                      [&](std::string_view ending) { return input.ends_with(ending); });
    if (!named_so && input != ":memory:" && !std::filesystem::is_regular_file(input)) {
      throw CLI::ValidationError(input,
                                 "is neither a command, nor a .sql file, nor a database (.duckdb, .db, .ddb, or a "
                                 "file that exists)");
    }
    if (has_database) throw CLI::ValidationError(input, "is a second database: ATTACH it instead");
    has_database = true;
    out.database = input;
  }
  return out;
}

ShellOptions shell_options(const CommonOptions& common, const ShellArguments& arguments) {
  ShellOptions options;
  options.mode = find_output_mode(arguments.format).value_or(OutputMode::Box);
  options.timer = arguments.timer;
  options.explain_no_gpu = common.backend == "auto";
  return options;
}

int run_shell(const CommonOptions& common, const ShellArguments& arguments, const ShellInputs& inputs) {
  const bool from_stdin = arguments.commands.empty() && inputs.files.empty();
  const bool interactive = from_stdin && isatty(STDIN_FILENO) != 0;
  InterruptWatch interrupts(interactive ? OnIdle::Note : OnIdle::Exit);
  session::OpenOptions open = open_options(common);
  open.database = inputs.database;
  open.engine = arguments.engine;
  const auto engine = session::open_engine(open);
  const auto connection = engine->connect();
  Shell shell(*connection, interrupts, shell_options(common, arguments));
  if (interactive) {
    shell.run_prompt();
    return shell.exit_code().value_or(kExitOk);
  }
  bool ok = true;
  for (size_t i = 0; ok && !shell.exit_code() && i < inputs.files.size(); ++i) ok = shell.run_file(inputs.files[i]);
  for (size_t i = 0; ok && !shell.exit_code() && i < arguments.commands.size(); ++i) {
    std::istringstream text(arguments.commands[i]);
    ok = shell.run_script(text);
  }
  if (from_stdin) ok = shell.run_script(std::cin);
  return ok ? shell.exit_code().value_or(kExitOk) : kExitFailed;
}

std::string version_text() { return fmt::format("weft {} ({})\nDuckDB {}", kVersion, kCommit, sql::duckdb_version()); }

void add_shell_options(CLI::App& app, ShellArguments& arguments) {
  app.add_option("INPUT", arguments.inputs, "FILE.sql to run, or DB.duckdb to open (made if missing)");
  app.add_option("-c", arguments.commands, "SQL (or a dot command) to run; may be given again")
      ->type_name("SQL")
      ->take_all()
      ->expected(1)
      ->allow_extra_args(false);
  app.add_option("--engine", arguments.engine, "weft, or duckdb: plain DuckDB without Weft")
      ->check(CLI::IsMember({"weft", "duckdb"}))
      ->default_str("weft");
  app.add_option("--format", arguments.format, "How rows are printed: " + output_modes())
      ->check(CLI::IsMember({"box", "csv", "json", "markdown", "line"}))
      ->default_str("box");
  app.add_flag("--timer", arguments.timer, "After each statement show its time and where it ran");
}

int parse_and_run(int argc, const char* const* argv) {
  CLI::App app(
      "Weft runs SQL in DuckDB's dialect on an NVIDIA GPU.\nWithout a command: a SQL shell, or what -c, a file or "
      "standard input give it.",
      "weft");
  app.option_defaults()->always_capture_default(false);
  app.set_version_flag("--version,-V", version_text);
  CommonOptions common;
  ShellArguments arguments;
  Action chosen;
  add_shell_options(app, arguments);
  add_common_options(app, common);
  app.require_subcommand(0, 1);
  add_doctor_command(app, common, chosen);
  add_generate_commands(app, chosen);
  add_bench_command(app, common, chosen);
  add_parity_command(app, common, chosen);
  add_verify_command(app, common, chosen);
  add_demo_command(app, common, chosen);
  add_fuzz_command(app, common, chosen);
  try {
    app.parse(argc, argv);
    if (chosen) {
      if (!arguments.inputs.empty()) throw CLI::ExtrasError("weft", arguments.inputs);
    } else {
      const ShellInputs inputs = sort_inputs(arguments.inputs);
      chosen = [&common, &arguments, inputs] { return run_shell(common, arguments, inputs); };
    }
  } catch (const CLI::ParseError& error) {
    return app.exit(error, std::cout, std::cerr) == 0 ? kExitOk : kExitBadUsage;
  }
  return chosen();
}

}  // namespace

int run(int argc, const char* const* argv) {
  int code = kExitFailed;
  try {
    code = parse_and_run(argc, argv);
  } catch (const std::exception& error) {
    std::cout.flush();
    std::cerr << error_text(error) << std::endl;
  }
  std::cout.flush();
  return code;
}

}  // namespace weft::cli
