#include "cli/progress_bar.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string>

namespace weft::cli {

namespace {

constexpr std::chrono::milliseconds kFirstDraw{1000};
constexpr std::chrono::milliseconds kRedraw{100};
constexpr int kBarWidth = 40;
constexpr const char* kClearLine = "\r\x1b[K";

void write_error(const std::string& text) {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace

std::string progress_text(double fraction, double elapsed_s) {
  if (fraction < 0) return fmt::format("running, {:.0f} s (Ctrl-C cancels)", elapsed_s);
  fraction = std::min(fraction, 1.0);
  const int full = static_cast<int>(fraction * kBarWidth);
  std::string bar;
  for (int i = 0; i < kBarWidth; ++i) bar += i < full ? "█" : " ";
  return fmt::format("{:3.0f} % ▕{}▏ {:.0f} s", fraction * 100, bar, elapsed_s);
}

ProgressBar::ProgressBar(const session::Rows& rows) : rows_(rows), thread_([this] { draw(); }) {}

void ProgressBar::hide() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  stop_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void ProgressBar::draw() {
  const auto start = std::chrono::steady_clock::now();
  bool drawn = false;
  std::unique_lock lock(mutex_);
  auto wait = kFirstDraw;
  while (!stop_.wait_for(lock, wait, [this] { return stopped_; })) {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    write_error(kClearLine + progress_text(rows_.progress(), elapsed.count()));
    drawn = true;
    wait = kRedraw;
  }
  if (drawn) write_error(kClearLine);
}

}  // namespace weft::cli
