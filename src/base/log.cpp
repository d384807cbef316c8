#include "base/log.hpp"

#include <cstdio>
#include <mutex>
#include <string>

namespace weft {
namespace {

class NullLogger final : public Logger {
 public:
  void log(LogLevel, std::string_view) noexcept override {}
};

class StderrLogger final : public Logger {
 public:
  explicit StderrLogger(LogLevel least) : least_(least) {}
  void log(LogLevel level, std::string_view message) noexcept override {
    if (level < least_) return;
    static constexpr const char* kNames[] = {"debug", "info", "warning", "error"};
    const std::lock_guard<std::mutex> guard(mutex_);
    std::fprintf(stderr, "weft: %s: %.*s\n", kNames[static_cast<unsigned char>(level)],
                 static_cast<int>(message.size()), message.data());
  }

 private:
  LogLevel least_;
  std::mutex mutex_;
};

}  // namespace

std::shared_ptr<Logger> null_logger() { return std::make_shared<NullLogger>(); }
std::shared_ptr<Logger> stderr_logger(LogLevel least) { return std::make_shared<StderrLogger>(least); }

}  // namespace weft
