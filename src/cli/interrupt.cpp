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

}  // namespace

InterruptWatch::InterruptWatch(OnIdle on_idle) : on_idle_(on_idle) {
  const sigset_t set = interrupt_set();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signal_fd_ = checked(signalfd(-1, &set, SFD_CLOEXEC), "signalfd");
  wake_fd_ = checked(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd");
  stop_fd_ = checked(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd");
  thread_ = std::thread([this] { watch(); });
}

InterruptWatch::~InterruptWatch() {
  signal_event(stop_fd_);
  thread_.join();
  for (int fd : {signal_fd_, wake_fd_, stop_fd_}) close(fd);
}

void InterruptWatch::watch() {
  std::array<pollfd, 2> fds = {{{signal_fd_, POLLIN, 0}, {stop_fd_, POLLIN, 0}}};
  bool repeat = false;
  for (;;) {
    if (poll(fds.data(), fds.size(), repeat ? kRepeatMs : -1) < 0 && errno != EINTR) return;
    if (fds[1].revents != 0) return;
    if (fds[0].revents != 0) {
      signalfd_siginfo info;
      if (read(signal_fd_, &info, sizeof info) == sizeof info) on_interrupt();
      fds[0].revents = 0;
    }
    const std::lock_guard lock(mutex_);
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

bool InterruptWatch::take() {
  uint64_t count = 0;
  return read(wake_fd_, &count, sizeof count) == sizeof count;
}

InterruptWatch::Running::Running(InterruptWatch& watch, session::Connection& connection) : watch_(watch) {
  const std::lock_guard lock(watch_.mutex_);
  watch_.interrupted_ = false;
  watch_.running_ = &connection;
}

InterruptWatch::Running::~Running() {
  const std::lock_guard lock(watch_.mutex_);
  watch_.running_ = nullptr;
  watch_.interrupted_ = false;
}

}  // namespace weft::cli
