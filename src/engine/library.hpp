// Opens libweft_gpu.so. Nobody links it: a machine without a GPU or without RAPIDS runs everything else.
#pragma once

#include <memory>

#include "engine/backend.hpp"

namespace weft::engine {

/// Looks in WEFT_GPU_LIBRARY, beside the program, then ../lib; opens with RTLD_NOW | RTLD_LOCAL and never closes it.
/// Errors are one sentence that says what to do: LibraryMissing (names the file that the loader missed), BuildMismatch,
/// NoDevice, DriverTooOld (found and needed version), DeviceMemoryExhausted. Destroy the Backend before main returns.
Result<std::unique_ptr<Backend>> open_gpu_backend(const BackendConfig& config, const HostServices& services);

}  // namespace weft::engine
