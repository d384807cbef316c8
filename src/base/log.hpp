// The logging interface. No statics: whoever needs to log is given a Logger. The program decides where lines go.
#pragma once

#include <memory>
#include <string_view>

namespace weft {

enum class LogLevel : unsigned char { Debug, Info, Warning, Error };

class Logger {
 public:
  virtual ~Logger() = default;
  /// Thread-safe; must not throw. `message` is one line.
  virtual void log(LogLevel level, std::string_view message) noexcept = 0;
};

/// A logger that drops everything.
std::shared_ptr<Logger> null_logger();
/// Writes lines of at least `least` to standard error.
std::shared_ptr<Logger> stderr_logger(LogLevel least);

}  // namespace weft
