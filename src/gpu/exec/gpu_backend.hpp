// engine::Backend on one GPU: owns the device, memory, kernels, footers and workers that all queries share.
#pragma once

#include <memory>

#include "engine/backend.hpp"

namespace weft::gpu {

/// Throws NoDevice, DriverTooOld, DeviceMemoryExhausted. Installs the accounting resource as the device's current one.
std::unique_ptr<engine::Backend> make_gpu_backend(const engine::BackendConfig& config,
                                                  const engine::HostServices& services);

}  // namespace weft::gpu
