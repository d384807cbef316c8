#include "gpu/exec/cuda_check.hpp"

#include <string>

namespace weft::gpu {

bool is_sticky(cudaError_t status) {
  switch (status) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorAssert:
    case cudaErrorECCUncorrectable:
      return true;
    default:
      return false;
  }
}

void check_cuda(cudaError_t status) {
  if (status == cudaSuccess) return;
  const std::string text = std::string(cudaGetErrorName(status)) + ": " + cudaGetErrorString(status);
  if (is_sticky(status)) {
    throw Exception(ErrorCode::DeviceLost, "the GPU stopped working for this process (" + text + "): restart weft");
  }
  cudaGetLastError();  // not sticky: forget it, or the next check would report it again
  switch (status) {
    case cudaErrorMemoryAllocation:
      throw Exception(
          ErrorCode::DeviceMemoryExhausted,
          "the device has no memory left (" + text + "): free the device, or set weft_device_memory_bytes lower");
    case cudaErrorNoDevice:
      throw Exception(ErrorCode::NoDevice, "there is no NVIDIA GPU that this process can see: check nvidia-smi");
    case cudaErrorInsufficientDriver:
      throw Exception(ErrorCode::DriverTooOld,
                      "the NVIDIA driver is too old for CUDA 13: install driver 580 or newer (nvidia-smi shows yours)");
    default:
      throw Exception(ErrorCode::InternalError, "CUDA: " + text);
  }
}

}  // namespace weft::gpu
