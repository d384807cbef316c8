// What the CUDA driver says of itself and its devices, asked without linking CUDA.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft::cli {

struct CudaDevice {
  std::string name;
  int compute_capability = 0;  // 90: 9.0
  uint64_t memory_bytes = 0;
};

struct CudaDriver {
  bool present = false;  // libcuda.so.1 could be loaded
  int version = 0;       // cuDriverGetVersion: 13000 is CUDA 13.0
  std::string error;     // why no device could be listed; empty if there are some
  std::vector<CudaDevice> devices;
};

CudaDriver probe_cuda_driver();

/// Whether the kernel sees an NVIDIA GPU, whatever the driver says (PCI, /dev/nvidia*, WSL's /dev/dxg).
bool machine_has_nvidia_gpu();

}  // namespace weft::cli
