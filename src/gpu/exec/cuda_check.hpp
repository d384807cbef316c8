// CUDA errors as weft errors.
#pragma once

#include <cuda_runtime_api.h>

#include "base/error.hpp"

namespace weft::gpu {

/// Throws DeviceLost for an error after which CUDA answers nothing in this process (a kernel fault), NoDevice and
/// DriverTooOld for what they are, DeviceMemoryExhausted, else InternalError.
void check_cuda(cudaError_t status);
/// True for an error that stays: every later CUDA call of the process fails too.
bool is_sticky(cudaError_t status);

}  // namespace weft::gpu
