#include "cli/interrupt.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace weft::cli {

namespace {

constexpr int kRepeatMs = 20;
constexpr int kExitInterrupted = 130;  // what shells report of a program that SIGINT ended

sigset_t interrupt_set() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  return set;
}

int checked(int fd, const char* what) {
  if (fd < 0) throw Exception(ErrorCode::InternalError, std::string(what) + " failed: " + std::strerror(errno));
  return fd;
}

void signal_event(int fd) {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(fd, &one, sizeof one);
}

/// Whether there was an event.
bool drain(int fd) {
  uint64_t count = 0;
  return read(fd, &count, sizeof count) == sizeof count;
}

}  // namespace

InterruptWatch::InterruptWatch(OnIdle on_idle) : on_idle_(on_idle) {
  const sigset_t set = interrupt_set();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signal_fd_ = checked(signalfd(-1, &set, SFD_CLOEXEC), "signalfd");
  wake_fd_ = checked(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd");
  control_fd_ = checked(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd");
  thread_ = std::thread([this] { watch(); });
}

InterruptWatch::~InterruptWatch() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  signal_event(control_fd_);
  thread_.join();
  for (int fd : {signal_fd_, wake_fd_, control_fd_}) close(fd);
}

void InterruptWatch::watch() {
  std::array<pollfd, 2> fds = {{{signal_fd_, POLLIN, 0}, {control_fd_, POLLIN, 0}}};
  bool repeat = false;
  for (;;) {
    if (poll(fds.data(), fds.size(), repeat ? kRepeatMs : -1) < 0 && errno != EINTR) return;
    if (fds[0].revents != 0) {
      signalfd_siginfo info;
      if (read(signal_fd_, &info, sizeof info) == sizeof info) on_interrupt();
    }
    if (fds[1].revents != 0) drain(control_fd_);
    const std::lock_guard lock(mutex_);
    if (stopping_) return;
    repeat = running_ != nullptr && interrupted_;
    if (repeat) running_->interrupt();
  }
}

void InterruptWatch::on_interrupt() {
  const std::lock_guard lock(mutex_);
  if (running_ != nullptr) {
    interrupted_ = true;
  } else if (on_idle_ == OnIdle::Exit) {
    _exit(kExitInterrupted);
  }
  signal_event(wake_fd_);
}

bool InterruptWatch::take() { return drain(wake_fd_); }

InterruptWatch::Running::Running(InterruptWatch& watch, session::Connection& connection) : watch_(watch) {
  {
    const std::lock_guard lock(watch_.mutex_);
    watch_.interrupted_ = watch_.take();
    watch_.running_ = &connection;
    if (!watch_.interrupted_) return;
  }
  signal_event(watch_.control_fd_);
}

InterruptWatch::Running::~Running() {
  const std::lock_guard lock(watch_.mutex_);
  watch_.running_ = nullptr;
  watch_.interrupted_ = false;
}

}  // namespace weft::cli
