#include "cli/dot_commands.hpp"

#include <fmt/format.h>

#include <charconv>
#include <ostream>
#include <string_view>
#include <vector>

#include "cli/shell.hpp"
#include "workload/duckdb_text.hpp"

namespace weft::cli {

namespace {

using Arguments = std::vector<std::string>;

struct DotCommand {
  std::string_view name;
  std::string_view arguments;  // for people
  size_t most_arguments;
  std::string_view help;
  bool (*run)(Shell& shell, const Arguments& arguments);
};

[[noreturn]] void refuse(const std::string& message) { throw Exception(ErrorCode::InvalidInput, message); }

/// Words between white space; '..' and ".." hold words together.
Arguments words(const std::string& line) {
  Arguments out;
  std::string word;
  bool in_word = false;
  char quote = '\0';
  for (char c : line) {
    const bool space = c == ' ' || c == '\t' || c == '\r' || c == '\n';
    if (quote != '\0') {
      if (c == quote) {
        quote = '\0';
      } else {
        word += c;
      }
    } else if (c == '\'' || c == '"') {
      quote = c;
      in_word = true;
    } else if (!space) {
      word += c;
      in_word = true;
    } else if (in_word) {
      out.push_back(std::move(word));
      word.clear();
      in_word = false;
    }
  }
  if (in_word) out.push_back(std::move(word));
  return out;
}

uint64_t number(const std::string& text, const std::string& command) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    refuse(fmt::format("{} takes a whole number, not '{}'", command, text));
  }
  return value;
}

void print_first_column(Shell& shell, const std::string& query) {
  for (const auto& row : workload::run_query(shell.connection(), query).rows) {
    shell.out() << workload::to_text(row.front()) << '\n';
  }
  shell.out().flush();
}

bool tables(Shell& shell, const Arguments& arguments) {
  const std::string pattern = arguments.empty() ? "%" : arguments[0];
  print_first_column(shell, fmt::format(R"(
      SELECT concat(CASE WHEN database_name NOT IN (current_database(), 'temp') THEN database_name || '.' END,
                    CASE WHEN schema_name <> 'main' THEN schema_name || '.' END, name)
      FROM (SELECT database_name, schema_name, table_name AS name FROM duckdb_tables() WHERE NOT internal
            UNION ALL SELECT database_name, schema_name, view_name FROM duckdb_views() WHERE NOT internal)
      WHERE name ILIKE {} ORDER BY ALL)",
                                        workload::sql_text(pattern)));
  return true;
}

bool schema(Shell& shell, const Arguments& arguments) {
  const std::string pattern = arguments.empty() ? "%" : arguments[0];
  print_first_column(shell, fmt::format(R"(
      SELECT rtrim(sql, E'; \n') || ';'
      FROM (SELECT 1 AS kind, table_name AS name, sql FROM duckdb_tables() WHERE NOT internal
            UNION ALL SELECT 2, table_name, sql FROM duckdb_indexes()
            UNION ALL SELECT 3, view_name, sql FROM duckdb_views() WHERE NOT internal)
      WHERE name ILIKE {} AND sql IS NOT NULL ORDER BY kind, name)",
                                        workload::sql_text(pattern)));
  return true;
}

bool mode(Shell& shell, const Arguments& arguments) {
  if (arguments.empty()) {
    shell.out() << to_string(shell.options().mode) << std::endl;
    return true;
  }
  const auto found = find_output_mode(arguments[0]);
  if (!found) refuse(fmt::format("there is no mode '{}': it is one of {}", arguments[0], output_modes()));
  shell.options().mode = *found;
  return true;
}

bool output(Shell& shell, const Arguments& arguments) {
  shell.redirect(arguments.empty() || arguments[0] == "stdout" ? std::string() : arguments[0]);
  return true;
}

bool timer(Shell& shell, const Arguments& arguments) {
  if (arguments.empty() || (arguments[0] != "on" && arguments[0] != "off")) refuse(".timer takes on or off");
  shell.options().timer = arguments[0] == "on";
  return true;
}

bool max_rows(Shell& shell, const Arguments& arguments) {
  if (arguments.empty()) {
    shell.out() << shell.options().max_rows << std::endl;
  } else {
    shell.options().max_rows = number(arguments[0], ".maxrows");
  }
  return true;
}

bool read(Shell& shell, const Arguments& arguments) {
  if (arguments.empty()) refuse(".read takes the name of a file");
  return shell.run_file(arguments[0]);
}

bool leave(Shell& shell, const Arguments& arguments) {
  const uint64_t code = arguments.empty() ? 0 : number(arguments[0], ".exit");
  if (code > 255) refuse(".exit takes a code from 0 to 255");
  shell.request_exit(static_cast<int>(code));
  return true;
}

bool help(Shell& shell, const Arguments& arguments);

constexpr DotCommand kCommands[] = {
    {".exit", "[CODE]", 1, "end the program", leave},
    {".help", "", 0, "show this text", help},
    {".maxrows", "[N]", 1, "rows that a box shows at most; 0: all", max_rows},
    {".mode", "[MODE]", 1, "how rows are printed: box, csv, json, markdown, line", mode},
    {".output", "[FILE]", 1, "send results to a file; without FILE: to the terminal", output},
    {".quit", "", 0, "end the program", leave},
    {".read", "FILE", 1, "run the statements of a file", read},
    {".schema", "[PATTERN]", 1, "show CREATE statements of tables and views, by name (LIKE)", schema},
    {".tables", "[PATTERN]", 1, "list tables and views, by name (LIKE)", tables},
    {".timer", "on|off", 1, "after each statement show its time and where it ran: gpu, mixed or cpu", timer},
};

bool help(Shell& shell, const Arguments&) {
  for (const DotCommand& command : kCommands) {
    shell.out() << fmt::format("{:<20} {}\n", fmt::format("{} {}", command.name, command.arguments), command.help);
  }
  shell.out()
      << "A statement ends with ';' and may take several lines. Ctrl-C cancels a running statement, Ctrl-D ends.\n"
         "EXPLAIN shows which parts of a query run on the GPU; SET weft_mode chooses (FROM weft_settings())."
      << std::endl;
  return true;
}

}  // namespace

bool run_dot_command(Shell& shell, const std::string& line) {
  Arguments arguments = words(line);
  if (arguments.empty()) return true;
  const std::string name = arguments.front();
  arguments.erase(arguments.begin());
  for (const DotCommand& command : kCommands) {
    if (command.name != name) continue;
    if (arguments.size() > command.most_arguments) {
      refuse(fmt::format("usage: {} {}", command.name, command.arguments));
    }
    return command.run(shell, arguments);
  }
  refuse(fmt::format("there is no command '{}': .help lists them", name));
}

}  // namespace weft::cli
