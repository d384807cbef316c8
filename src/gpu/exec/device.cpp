#include "gpu/exec/device.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>

#include "gpu/exec/cuda_check.hpp"

namespace weft::gpu {
namespace {

constexpr int kOldestCapability = 75;
/// The device's queues that this process uses, at most 32. Streams that share one wait for each other's kernels: with
/// CUDA's 8, one page that takes a block 50 ms to decode holds up workers that have nothing to do with it.
constexpr const char* kConnections = "32";

/// "580.159.04" from the driver's own file; CUDA knows only the version of CUDA that the driver serves.
std::string driver_version(int cuda_version) {
  std::ifstream file("/sys/module/nvidia/version");
  std::string text;
  if (file >> text) return text;
  return fmt::format("CUDA {}.{}", cuda_version / 1000, cuda_version % 1000 / 10);
}

}  // namespace

engine::DeviceInfo open_device(int device) {
  ::setenv("CUDA_DEVICE_MAX_CONNECTIONS", kConnections, /*overwrite=*/0);  // read when CUDA starts, below
  int driver = 0;
  int runtime = 0;
  check_cuda(cudaDriverGetVersion(&driver));
  check_cuda(cudaRuntimeGetVersion(&runtime));
  if (driver == 0) {
    throw Exception(ErrorCode::NoDevice, "there is no NVIDIA driver on this machine: install driver 580 or newer");
  }
  if (driver / 1000 < runtime / 1000) {
    throw Exception(
        ErrorCode::DriverTooOld,
        fmt::format("the NVIDIA driver serves CUDA {}.{}; Weft needs CUDA {}.0, which is driver 580 or newer",
                    driver / 1000, driver % 1000 / 10, runtime / 1000));
  }
  int count = 0;
  check_cuda(cudaGetDeviceCount(&count));
  if (device < 0 || device >= count) {
    throw Exception(ErrorCode::NoDevice, fmt::format("there is no GPU number {}; this process sees {}", device, count));
  }
  check_cuda(cudaSetDevice(device));
  // A worker that waits for the device gives its core to the threads that read files.
  check_cuda(cudaSetDeviceFlags(cudaDeviceScheduleYield));
  cudaDeviceProp properties{};
  check_cuda(cudaGetDeviceProperties(&properties, device));
  engine::DeviceInfo info;
  info.name = properties.name;
  info.compute_capability = properties.major * 10 + properties.minor;
  if (info.compute_capability < kOldestCapability) {
    throw Exception(ErrorCode::NoDevice,
                    fmt::format("{} has compute capability {}.{}; Weft needs 7.5 (Turing) or newer", info.name,
                                properties.major, properties.minor));
  }
  info.driver = driver_version(driver);
  info.runtime = fmt::format("{}.{}", runtime / 1000, runtime % 1000 / 10);
  size_t free_bytes = 0;
  size_t total_bytes = 0;
  check_cuda(cudaMemGetInfo(&free_bytes, &total_bytes));
  info.memory_free_bytes = free_bytes;
  info.memory_total_bytes = total_bytes;
  return info;
}

uint64_t managed_bytes(uint64_t configured, uint64_t free_bytes) {
  return configured != 0 ? configured : free_bytes / 5 * 4;
}

}  // namespace weft::gpu
