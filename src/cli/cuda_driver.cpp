#include "cli/cuda_driver.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <fstream>

namespace weft::cli {

namespace {

constexpr int kComputeCapabilityMajor = 75;  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
constexpr int kComputeCapabilityMinor = 76;  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR

/// The functions of the driver API (cuda.h) that the probe calls.
struct DriverApi {
  int (*init)(unsigned flags) = nullptr;
  int (*driver_version)(int* version) = nullptr;
  int (*device_count)(int* count) = nullptr;
  int (*device)(int* device, int ordinal) = nullptr;
  int (*device_name)(char* name, int length, int device) = nullptr;
  int (*device_attribute)(int* value, int attribute, int device) = nullptr;
  int (*device_memory)(size_t* bytes, int device) = nullptr;
  int (*error_text)(int error, const char** text) = nullptr;
};

template <typename Function>
bool load(void* library, const char* symbol, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, symbol));
  return function != nullptr;
}

bool load_api(void* library, DriverApi& api) {
  return load(library, "cuInit", api.init) && load(library, "cuDriverGetVersion", api.driver_version) &&
         load(library, "cuDeviceGetCount", api.device_count) && load(library, "cuDeviceGet", api.device) &&
         load(library, "cuDeviceGetName", api.device_name) &&
         load(library, "cuDeviceGetAttribute", api.device_attribute) &&
         load(library, "cuDeviceTotalMem_v2", api.device_memory) && load(library, "cuGetErrorString", api.error_text);
}

std::string text_of(const DriverApi& api, int error) {
  const char* text = nullptr;
  api.error_text(error, &text);
  return text == nullptr ? fmt::format("CUDA error {}", error) : std::string(text);
}

CudaDevice device_of(const DriverApi& api, int ordinal) {
  CudaDevice out;
  int device = 0;
  if (api.device(&device, ordinal) != 0) return out;
  std::array<char, 256> name{};
  if (api.device_name(name.data(), static_cast<int>(name.size()), device) == 0) out.name = name.data();
  int major = 0;
  int minor = 0;
  if (api.device_attribute(&major, kComputeCapabilityMajor, device) == 0 &&
      api.device_attribute(&minor, kComputeCapabilityMinor, device) == 0) {
    out.compute_capability = major * 10 + minor;
  }
  size_t bytes = 0;
  if (api.device_memory(&bytes, device) == 0) out.memory_bytes = bytes;
  return out;
}

}  // namespace

CudaDriver probe_cuda_driver() {
  CudaDriver out;
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);  // never closed: the driver does not like it
  if (library == nullptr) {
    out.error = "libcuda.so.1 was not found";
    return out;
  }
  out.present = true;
  DriverApi api;
  if (!load_api(library, api)) {
    out.error = "libcuda.so.1 lacks functions of the CUDA driver";
    return out;
  }
  api.driver_version(&out.version);
  if (const int error = api.init(0); error != 0) {
    out.error = text_of(api, error);
    return out;
  }
  int count = 0;
  if (const int error = api.device_count(&count); error != 0) {
    out.error = text_of(api, error);
    return out;
  }
  for (int i = 0; i < count; ++i) out.devices.push_back(device_of(api, i));
  if (count == 0) out.error = "the driver lists no device";
  return out;
}

bool machine_has_nvidia_gpu() {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (fs::exists("/dev/nvidia0", ignored) || fs::exists("/dev/dxg", ignored)) return true;
  for (const auto& device : fs::directory_iterator("/sys/bus/pci/devices", ignored)) {
    std::string vendor;
    std::string kind;
    std::ifstream(device.path() / "vendor") >> vendor;
    std::ifstream(device.path() / "class") >> kind;
    if (vendor == "0x10de" && kind.starts_with("0x03")) return true;  // 03: display controller
  }
  return false;
}

}  // namespace weft::cli
