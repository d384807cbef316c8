// The device that a backend runs on: found, checked, set up.
#pragma once

#include <cstdint>
#include <string>

#include "engine/backend.hpp"

namespace weft::gpu {

/// Makes `device` the calling thread's and describes it. Throws NoDevice, DriverTooOld.
engine::DeviceInfo open_device(int device);
/// Bytes that a backend may manage: the configured number, or 80 % of what is free now.
uint64_t managed_bytes(uint64_t configured, uint64_t free_bytes);

}  // namespace weft::gpu
