// Ctrl-C: cancels the running statement. No signal handler: SIGINT is blocked in every thread and read from a signalfd
// by one helper thread, so that cancelling may take locks.
#pragma once

#include <mutex>
#include <thread>

#include "session/connection.hpp"

namespace weft::cli {

enum class OnIdle : unsigned char {
  Note,  // no statement runs: remember it and wake whoever polls wake_fd() (the prompt)
  Exit,  // no statement runs: end the program with exit code 130, as SIGINT would
};

/// Make it before any other thread exists: threads inherit the blocked signal.
class InterruptWatch {
 public:
  explicit InterruptWatch(OnIdle on_idle);
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  /// While it lives, Ctrl-C interrupts `connection`, again and again until it ends: an interrupt that arrives before
  /// the statement has started would be lost. A Ctrl-C that nobody has taken yet counts: it came after Enter.
  class Running {
   public:
    Running(InterruptWatch& watch, session::Connection& connection);
    ~Running();
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

   private:
    InterruptWatch& watch_;
  };

  /// Whether Ctrl-C came since the last call.
  bool take();
  /// Readable after a Ctrl-C until take().
  int wake_fd() const { return wake_fd_; }

 private:
  void watch();
  void on_interrupt();

  OnIdle on_idle_;
  int signal_fd_ = -1;
  int wake_fd_ = -1;
  int control_fd_ = -1;  // makes the thread look again at what the mutex guards
  std::mutex mutex_;
  bool stopping_ = false;                   // guarded by mutex_
  session::Connection* running_ = nullptr;  // guarded by mutex_: alive while it is set
  bool interrupted_ = false;                // the running statement was; guarded by mutex_
  std::thread thread_;
};

}  // namespace weft::cli
