#include "workload/process.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/error.hpp"

namespace weft::workload {

int run_program(const std::vector<std::string>& argv) {
  std::vector<char*> arguments;
  for (const auto& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int failed = posix_spawn(&child, argv.front().c_str(), nullptr, nullptr, arguments.data(), environ);
  if (failed != 0) {
    throw Exception(ErrorCode::IoError, "cannot start " + argv.front() + ": " + std::strerror(failed));
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw Exception(ErrorCode::IoError, std::string("waitpid: ") + std::strerror(errno));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string this_program() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

}  // namespace weft::workload
