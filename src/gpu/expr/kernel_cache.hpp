// Compiles generated kernels (NVRTC) in the background and keeps the cubins in memory and on disk.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/log.hpp"

struct CUkern_st;  // cudaKernel_t, so that users of this header need no CUDA

namespace weft::gpu {

/// A cubin that is being compiled or is ready, and its kernel once somebody launched it. Thread-safe.
class CompiledKernel {
 public:
  /// Waits for the compiler; throws InternalError with its log if it failed.
  const std::string& cubin() const;
  /// The kernel, loaded at first use. Needs a device.
  CUkern_st* kernel() const;
  ~CompiledKernel();

 private:
  friend class KernelCache;
  void finish(std::string cubin, std::string error);
  mutable std::mutex mutex_;
  mutable std::condition_variable ready_;
  bool done_ = false;
  std::string cubin_;
  std::string error_;
  mutable void* library_ = nullptr;  // cudaLibrary_t
  mutable CUkern_st* kernel_ = nullptr;
};

/// One per backend. Compiling and the disk need no GPU. Thread-safe.
class KernelCache {
 public:
  /// `directory`: where cubins are kept between runs; "": nowhere. `compute_capability`: 90 for sm_90. Files that
  /// cannot be read, written or trusted are logged and compiled again, never an error.
  KernelCache(std::string directory, int compute_capability, std::shared_ptr<Logger> logger, unsigned threads = 2);
  /// Waits for compilations that run; those that wait are dropped.
  ~KernelCache();
  KernelCache(const KernelCache&) = delete;
  KernelCache& operator=(const KernelCache&) = delete;

  /// Returns at once; the same source gives the same kernel. The kernel may outlive the cache once it is compiled.
  std::shared_ptr<const CompiledKernel> get(const std::string& source);

  struct Statistics {
    uint64_t memory_hits = 0;
    uint64_t disk_hits = 0;
    uint64_t compiled = 0;
  };
  Statistics statistics() const;

 private:
  struct Job {
    std::string key;
    std::string source;
    std::shared_ptr<CompiledKernel> kernel;
  };
  void work();
  void run(const Job& job);
  bool read_cubin(const std::string& key, std::string& cubin) const;
  void write_cubin(const std::string& key, const std::string& cubin) const;

  const std::string directory_;
  const std::string architecture_;  // "-arch=sm_90"
  const std::shared_ptr<Logger> logger_;
  const std::string version_;  // of NVRTC
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Job> jobs_;
  std::unordered_map<std::string, std::shared_ptr<CompiledKernel>> kernels_;
  Statistics statistics_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace weft::gpu
