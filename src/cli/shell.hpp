// Runs SQL and dot commands: typed at a prompt, from files, from -c. It knows nothing of the command line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iosfwd>
#include <optional>
#include <string>

#include "cli/interrupt.hpp"
#include "cli/render/renderer.hpp"
#include "session/connection.hpp"

namespace weft::cli {

struct ShellOptions {
  OutputMode mode = OutputMode::Box;
  bool timer = false;
  uint64_t max_rows = 40;
  bool explain_no_gpu = true;  // say once why nothing runs on a GPU, if the session's mode is auto
};

/// Results go to standard output (or .output's file), errors and notes to standard error.
class Shell {
 public:
  /// Both must outlive the shell.
  Shell(session::Connection& connection, InterruptWatch& interrupts, ShellOptions options);

  /// Lines of SQL and dot commands. Stops at the first failure and returns false; .exit stops and returns true.
  bool run_script(std::istream& in);
  bool run_file(const std::filesystem::path& path);
  /// Reads from the terminal until Ctrl-D or .exit; ~/.weftrc first. A failure ends nothing.
  void run_prompt();

  /// Set by .exit: the program should end with this code.
  std::optional<int> exit_code() const { return exit_code_; }

  // For dot commands.
  ShellOptions& options() { return options_; }
  session::Connection& connection() { return connection_; }
  std::ostream& out();
  void request_exit(int code) { exit_code_ = code; }
  /// Results go to this file from now on; empty: to standard output. Throws IoError.
  void redirect(const std::string& path);
  void print_error(const std::string& text);

 private:
  bool run_sql(const std::string& text);
  bool run_statement(const std::string& statement);
  void print_rows(session::Rows& rows);
  void print_explanation(session::Rows& rows);
  bool run_dot_line(const std::string& line);
  void say_why_no_gpu();
  void print_timing(double seconds);
  bool draws_progress() const;
  size_t terminal_width() const;

  session::Connection& connection_;
  InterruptWatch& interrupts_;
  ShellOptions options_;
  std::ofstream file_;  // .output
  std::optional<int> exit_code_;
  uint32_t read_depth_ = 0;  // .read inside of .read
};

}  // namespace weft::cli
