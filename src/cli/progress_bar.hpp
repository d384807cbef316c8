// A progress bar on standard error for statements that take longer than a second.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "session/connection.hpp"

namespace weft::cli {

/// Draws from a thread of its own until it is destroyed or hidden; then the line is blank again. `rows` must outlive
/// it.
class ProgressBar {
 public:
  explicit ProgressBar(const session::Rows& rows);
  ~ProgressBar() { hide(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// For good. Idempotent.
  void hide();

 private:
  void draw();

  const session::Rows& rows_;
  std::mutex mutex_;
  std::condition_variable stop_;
  bool stopped_ = false;
  std::thread thread_;
};

/// "  42% ▕████      ▏"; `fraction` from 0 to 1, negative: unknown.
std::string progress_text(double fraction, double elapsed_s);

}  // namespace weft::cli
