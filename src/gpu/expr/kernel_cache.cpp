#include "gpu/expr/kernel_cache.hpp"

#include <cuda_runtime_api.h>
#include <nvrtc.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "gpu/exec/cuda_check.hpp"

namespace weft::gpu {
namespace {

// Never -Ofc: it compiles faster and runs up to 37 times slower.
constexpr std::array kOptions{"--std=c++20", "-default-device", "-device-int128", "-no-cache"};
constexpr std::string_view kMagic = "WEFTCUBIN1";
constexpr size_t kCheckBytes = 32;  // the hash of the cubin, in hexadecimal
constexpr size_t kMemoryKernels = 4096;

// FNV-1a with 128 bits.
std::string hash(std::string_view text) {
  unsigned __int128 value = (static_cast<unsigned __int128>(0x6c62272e07bb0142ull) << 64) | 0x62b821756295c58dull;
  const unsigned __int128 prime = (static_cast<unsigned __int128>(1) << 88) + 0x13b;
  for (const char c : text) {
    value ^= static_cast<unsigned char>(c);
    value *= prime;
  }
  return fmt::format("{:016x}{:016x}", static_cast<uint64_t>(value >> 64), static_cast<uint64_t>(value));
}

std::string nvrtc_version() {
  int major = 0;
  int minor = 0;
  if (nvrtcVersion(&major, &minor) != NVRTC_SUCCESS) return "unknown";
  return fmt::format("{}.{}", major, minor);
}

struct Compilation {
  std::string cubin;
  std::string error;
};

Compilation compile(const std::string& source, const std::string& architecture) {
  nvrtcProgram program = nullptr;
  if (const nvrtcResult made = nvrtcCreateProgram(&program, source.c_str(), "weft.cu", 0, nullptr, nullptr);
      made != NVRTC_SUCCESS) {
    return {"", nvrtcGetErrorString(made)};
  }
  std::vector<const char*> options(kOptions.begin(), kOptions.end());
  options.push_back(architecture.c_str());
  const nvrtcResult compiled = nvrtcCompileProgram(program, static_cast<int>(options.size()), options.data());
  Compilation result;
  size_t size = 0;
  if (compiled == NVRTC_SUCCESS && nvrtcGetCUBINSize(program, &size) == NVRTC_SUCCESS && size > 0) {
    result.cubin.resize(size);
    nvrtcGetCUBIN(program, result.cubin.data());
  } else {
    nvrtcGetProgramLogSize(program, &size);
    result.error.resize(size);
    if (size > 0) nvrtcGetProgramLog(program, result.error.data());
    result.error = std::string(nvrtcGetErrorString(compiled)) + ": " + result.error;
  }
  nvrtcDestroyProgram(&program);
  return result;
}

}  // namespace

void CompiledKernel::finish(std::string cubin, std::string error) {
  {
    const std::lock_guard lock(mutex_);
    cubin_ = std::move(cubin);
    error_ = std::move(error);
    done_ = true;
  }
  ready_.notify_all();
}

const std::string& CompiledKernel::cubin() const {
  std::unique_lock lock(mutex_);
  ready_.wait(lock, [this] { return done_; });
  if (!error_.empty()) throw Exception(ErrorCode::InternalError, "a generated kernel does not compile: " + error_);
  return cubin_;
}

CUkern_st* CompiledKernel::kernel() const {
  const std::string& code = cubin();
  const std::lock_guard lock(mutex_);
  if (kernel_ != nullptr) return kernel_;
  cudaLibrary_t library = nullptr;
  check_cuda(cudaLibraryLoadData(&library, code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  cudaKernel_t kernel = nullptr;
  if (const cudaError_t found = cudaLibraryGetKernel(&kernel, library, "weft_kernel"); found != cudaSuccess) {
    cudaLibraryUnload(library);
    check_cuda(found);
  }
  library_ = library;
  kernel_ = kernel;
  return kernel_;
}

CompiledKernel::~CompiledKernel() {
  if (library_ != nullptr) cudaLibraryUnload(static_cast<cudaLibrary_t>(library_));
}

KernelCache::KernelCache(std::string directory, int compute_capability, std::shared_ptr<Logger> logger,
                         unsigned threads)
    : directory_(std::move(directory)),
      architecture_(fmt::format("-arch=sm_{}", compute_capability)),
      logger_(std::move(logger)),
      version_(nvrtc_version()) {
  for (unsigned i = 0; i < std::max(threads, 1u); ++i) threads_.emplace_back([this] { work(); });
}

KernelCache::~KernelCache() {
  std::deque<Job> dropped;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    dropped.swap(jobs_);
  }
  wake_.notify_all();
  for (const Job& job : dropped) job.kernel->finish("", "the backend is closing");
  for (std::thread& thread : threads_) thread.join();
}

std::shared_ptr<const CompiledKernel> KernelCache::get(const std::string& source) {
  std::string key = hash(source + '\0' + architecture_ + '\0' + version_);
  const std::lock_guard lock(mutex_);
  if (const auto found = kernels_.find(key); found != kernels_.end()) {
    ++statistics_.memory_hits;
    return found->second;
  }
  if (kernels_.size() >= kMemoryKernels) {
    // Those in use stay alive through their owners; the disk still has the rest.
    std::erase_if(kernels_, [](const auto& entry) { return entry.second.use_count() == 1; });
  }
  auto kernel = std::make_shared<CompiledKernel>();
  kernels_.emplace(key, kernel);
  jobs_.push_back({std::move(key), source, kernel});
  wake_.notify_one();
  return kernel;
}

KernelCache::Statistics KernelCache::statistics() const {
  const std::lock_guard lock(mutex_);
  return statistics_;
}

void KernelCache::work() {
  for (;;) {
    Job job;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
      if (jobs_.empty()) return;
      job = std::move(jobs_.front());
      jobs_.pop_front();
    }
    run(job);
  }
}

void KernelCache::run(const Job& job) {
  Compilation result;
  try {
    const bool on_disk = read_cubin(job.key, result.cubin);
    if (!on_disk) result = compile(job.source, architecture_);
    {
      const std::lock_guard lock(mutex_);
      ++(on_disk ? statistics_.disk_hits : statistics_.compiled);
    }
    if (!on_disk && result.error.empty()) write_cubin(job.key, result.cubin);
    if (!result.error.empty()) logger_->log(LogLevel::Error, "kernel " + job.key + ": " + result.error);
  } catch (const std::exception& failure) {
    result = {"", failure.what()};
  }
  job.kernel->finish(std::move(result.cubin), std::move(result.error));
}

bool KernelCache::read_cubin(const std::string& key, std::string& cubin) const {
  if (directory_.empty()) return false;
  std::ifstream file(directory_ + "/" + key + ".cubin", std::ios::binary);
  if (!file) return false;
  std::string content((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const size_t head = kMagic.size() + kCheckBytes;
  if (content.size() <= head || std::string_view(content).substr(0, kMagic.size()) != kMagic ||
      std::string_view(content).substr(kMagic.size(), kCheckBytes) != hash(std::string_view(content).substr(head))) {
    logger_->log(LogLevel::Warning, "the cached kernel " + key + " is damaged and is compiled again");
    return false;
  }
  cubin = content.substr(head);
  return true;
}

void KernelCache::write_cubin(const std::string& key, const std::string& cubin) const {
  if (directory_.empty()) return;
  std::error_code failed;
  std::filesystem::create_directories(directory_, failed);
  // Another process may write the same kernel: each writes a file of its own and renames it.
  const std::string path = directory_ + "/" + key + ".cubin";
  const std::string temporary = fmt::format("{}.{}.{}", path, getpid(), reinterpret_cast<uintptr_t>(&cubin));
  {
    std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
    file << kMagic << hash(cubin) << cubin;
    if (!file.flush()) {
      logger_->log(LogLevel::Warning, "cannot write the kernel cache " + temporary);
      failed = std::make_error_code(std::errc::io_error);
    }
  }
  if (!failed) std::filesystem::rename(temporary, path, failed);
  if (failed) std::filesystem::remove(temporary, failed);
}

}  // namespace weft::gpu
