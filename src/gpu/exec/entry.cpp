// The one symbol of libweft_gpu.so.
#include <string>

#include "gpu/exec/gpu_backend.hpp"
#include "weft/build_info.hpp"

// The C linkage is for the name alone; program and library are of one build, which the build id asserts.
extern "C" __attribute__((visibility("default"))) weft::Result<std::unique_ptr<weft::engine::Backend>> weft_gpu_open(
    const char* build_id, const weft::engine::BackendConfig& config, const weft::engine::HostServices& services) {
  using weft::Error;
  using weft::ErrorCode;
  if (weft::kBuildId != build_id) {
    return Error{ErrorCode::BuildMismatch,
                 std::string("libweft_gpu.so is of build ") + std::string(weft::kBuildId) + ", the program of build " +
                     build_id + ": install both from one build",
                 std::nullopt};
  }
  try {
    return weft::gpu::make_gpu_backend(config, services);
  } catch (const weft::Exception& e) {
    return e.error();
  } catch (const std::exception& e) {
    return Error{ErrorCode::InternalError, e.what(), std::nullopt};
  }
}
