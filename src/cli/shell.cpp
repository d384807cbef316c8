#include "cli/shell.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <optional>

#include "cli/dot_commands.hpp"
#include "cli/line_editor.hpp"
#include "cli/options.hpp"
#include "cli/progress_bar.hpp"
#include "cli/statement_reader.hpp"
#include "weft/build_info.hpp"

namespace weft::cli {

namespace {

constexpr uint32_t kMaxReadDepth = 64;

std::filesystem::path in_home(const char* name) {
  const char* home = std::getenv("HOME");
  return home == nullptr || *home == '\0' ? std::filesystem::path() : std::filesystem::path(home) / name;
}

/// What DuckDB gives for a statement that answers nothing (CREATE, SET) or only counts (INSERT): not worth a box.
bool answers_nothing(const session::Rows& rows) {
  if (rows.kind() != sql::StatementKind::Other || rows.columns().size() != 1) return false;
  const plan::Column& column = rows.columns().front();
  return (column.name == "Success" && column.type.id == plan::TypeId::Boolean) ||
         (column.name == "Count" && column.type.id == plan::TypeId::BigInt);
}

}  // namespace

Shell::Shell(session::Connection& connection, InterruptWatch& interrupts, ShellOptions options)
    : connection_(connection), interrupts_(interrupts), options_(options) {}

std::ostream& Shell::out() { return file_.is_open() ? static_cast<std::ostream&>(file_) : std::cout; }

void Shell::redirect(const std::string& path) {
  if (file_.is_open()) file_.close();
  file_.clear();
  if (path.empty()) return;
  file_.open(path, std::ios::trunc);
  if (!file_) {
    file_.close();
    throw Exception(ErrorCode::IoError, "cannot write to '" + path + "'; results go to standard output");
  }
}

void Shell::print_error(const std::string& text) {
  out().flush();
  std::cerr << text << std::endl;
}

bool Shell::run_script(std::istream& in) {
  StatementReader reader;
  std::string line;
  while (std::getline(in, line)) {
    if (reader.idle() && line.starts_with('.')) {
      reader.clear();
      if (!run_dot_line(line)) return false;
      if (exit_code_) return true;
      continue;
    }
    reader.append(line + "\n");
    while (auto statement = reader.next()) {
      if (!run_sql(*statement)) return false;
    }
  }
  const std::string rest = reader.take_rest();
  return rest.empty() || run_sql(rest);
}

bool Shell::run_file(const std::filesystem::path& path) {
  std::ifstream in(path);
  if (!in || std::filesystem::is_directory(path)) {
    print_error(Error{ErrorCode::IoError, "cannot read '" + path.string() + "'", std::nullopt}.to_string());
    return false;
  }
  if (read_depth_ == kMaxReadDepth) {
    print_error("Error: .read is nested too deeply in '" + path.string() + "'");
    return false;
  }
  ++read_depth_;
  const bool ok = run_script(in);
  --read_depth_;
  return ok;
}

void Shell::run_prompt() {
  const auto device = connection_.device();
  std::cout << "Weft " << kVersion << " (DuckDB " << sql::duckdb_version() << ")"
            << (device ? ", " + device->name : std::string()) << "\n.help lists the commands, Ctrl-D ends."
            << std::endl;
  if (const auto rc = in_home(".weftrc"); !rc.empty() && std::filesystem::exists(rc) && !run_file(rc)) {
    print_error("This was an error in " + rc.string() + ", which was not read further.");
  }
  say_why_no_gpu();

  LineEditor editor(in_home(".weft_history"), interrupts_);
  StatementReader reader;
  std::string entry;
  std::string line;
  while (!exit_code_) {
    const auto outcome = editor.read(reader.idle() ? "weft> " : "  ... ", line);
    if (outcome == LineEditor::Outcome::End) break;
    if (outcome == LineEditor::Outcome::Interrupted) {
      std::cout << "^C" << std::endl;
      reader.clear();
      entry.clear();
      continue;
    }
    if (reader.idle() && line.starts_with('.')) {
      editor.remember(line);
      run_dot_line(line);
      continue;
    }
    entry += line;
    reader.append(line);
    // An error does not keep the statements after it on the same line from running: they were typed together.
    std::vector<std::string> complete;
    while (auto statement = reader.next()) complete.push_back(std::move(*statement));
    if (reader.idle()) {
      editor.remember(entry);
      entry.clear();
    }
    for (const std::string& statement : complete) {
      if (!run_sql(statement)) break;
    }
    interrupts_.take();
  }
  if (!exit_code_) std::cout << std::endl;
}

bool Shell::run_dot_line(const std::string& line) {
  try {
    return run_dot_command(*this, line);
  } catch (const std::exception& error) {
    print_error(error_text(error));
    return false;
  }
}

bool Shell::run_sql(const std::string& text) {
  try {
    for (const std::string& statement : connection_.split(text)) {
      if (!run_statement(statement)) return false;
    }
    return true;
  } catch (const std::exception& error) {
    print_error(error_text(error));
    return false;
  }
}

bool Shell::run_statement(const std::string& statement) {
  say_why_no_gpu();
  const auto start = std::chrono::steady_clock::now();
  try {
    const InterruptWatch::Running running(interrupts_, connection_);
    const auto rows = connection_.execute(statement);
    if (rows->kind() == sql::StatementKind::Explain) {
      print_explanation(*rows);
    } else {
      print_rows(*rows);
    }
  } catch (const std::exception& error) {
    print_error(error_text(error));
    return false;
  }
  if (!out().flush()) {
    std::cout.clear();
    print_error(Error{ErrorCode::IoError, "the results could not be written", std::nullopt}.to_string());
    return false;
  }
  if (options_.timer) {
    print_timing(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return true;
}

void Shell::print_rows(session::Rows& rows) {
  std::optional<ProgressBar> progress;
  if (draws_progress()) progress.emplace(rows);
  const bool silent = answers_nothing(rows);
  const auto renderer = make_renderer(options_.mode, out(), {options_.max_rows, terminal_width()});
  bool begun = false;
  const auto begin = [&] {
    if (begun || silent) return;
    begun = true;
    renderer->begin(rows.columns());
  };
  engine::HostBatch batch;
  while (rows.next(batch)) {
    if (silent || batch->length == 0) continue;
    if (renderer->streams() && progress) progress->hide();
    begin();
    renderer->rows(rows.schema(), *batch.get());
  }
  if (progress) progress->hide();
  begin();
  if (!silent) renderer->end();
}

void Shell::print_explanation(session::Rows& rows) {
  workload::ResultTable table = workload::drain(rows);
  for (const auto& row : table.rows) {
    const std::string text = row.empty() ? std::string() : workload::to_text(row.back());
    out() << text << (text.ends_with('\n') ? "" : "\n");
  }
}

void Shell::say_why_no_gpu() {
  if (!options_.explain_no_gpu) return;
  const std::string reason = connection_.no_device_reason();
  if (reason.empty() || connection_.get("mode") != "auto") return;
  options_.explain_no_gpu = false;
  std::cerr << "Note: queries run on the CPU: " << reason << std::endl;
}

void Shell::print_timing(double seconds) {
  const sql::StatementReport report = connection_.last_report();
  std::cerr << fmt::format("Run Time (s): real {:.3f}, planning {:.3f}, ran on {}", seconds, report.planning_ms / 1000,
                           report.where)
            << std::endl;
}

bool Shell::draws_progress() const { return isatty(STDERR_FILENO) != 0 && isatty(STDOUT_FILENO) != 0; }

size_t Shell::terminal_width() const {
  if (file_.is_open() || isatty(STDOUT_FILENO) == 0) return 0;
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

}  // namespace weft::cli
