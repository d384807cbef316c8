// The one symbol of libweft_gpu.so.
#include <cstring>
#include <string>

#include "gpu/exec/gpu_backend.hpp"
#include "weft/build_info.hpp"

// The C linkage is for the name alone; program and library are of one build, which the build id asserts.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wreturn-type-c-linkage"
extern "C" __attribute__((visibility("default"))) weft::Result<std::unique_ptr<weft::engine::Backend>> weft_gpu_open(
    const char* build_id, const weft::engine::BackendConfig& config, const weft::engine::HostServices& services) {
  using weft::Error;
  using weft::ErrorCode;
  if (std::strcmp(build_id, weft::kBuildId) != 0) {
    return Error{ErrorCode::BuildMismatch,
                 std::string("libweft_gpu.so is of build ") + weft::kBuildId + ", the program of build " + build_id +
                     ": install both from one build",
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
#pragma GCC diagnostic pop
