#include "engine/library.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "weft/build_info.hpp"

namespace weft::engine {
namespace {

constexpr const char* kLibraryName = "libweft_gpu.so";

std::filesystem::path program_folder() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::filesystem::path(".") : program.parent_path();
}

/// The library's path, or LibraryMissing that names the places it was looked for in.
Result<std::string> find_library() {
  if (const char* given = std::getenv("WEFT_GPU_LIBRARY"); given != nullptr && *given != '\0') {
    std::error_code error;
    if (std::filesystem::exists(given, error)) return std::string(given);
    return Error{ErrorCode::LibraryMissing,
                 std::string("WEFT_GPU_LIBRARY names '") + given +
                     "', which does not exist: correct it, or unset it to use the library beside the program",
                 std::nullopt};
  }
  const auto folder = program_folder();
  std::string places;
  for (const auto& candidate : {folder / kLibraryName, folder.parent_path() / "lib" / kLibraryName}) {
    std::error_code error;
    if (std::filesystem::exists(candidate, error)) return candidate.string();
    if (!places.empty()) places += " and ";
    places += candidate.string();
  }
  return Error{ErrorCode::LibraryMissing,
               std::string(kLibraryName) + " was not found (looked at " + places +
                   "): build the target weft_gpu, or set WEFT_GPU_LIBRARY to its path",
               std::nullopt};
}

/// The loader's words end in the file that it missed, e.g. "libcudf.so: cannot open shared object file: No such file".
Error loader_error(const std::string& path) {
  const char* said = dlerror();
  std::string text = said == nullptr ? "unknown error" : said;
  const auto colon = text.find(": cannot open shared object file");
  if (colon != std::string::npos) {
    const std::string missing = text.substr(0, colon);
    return Error{ErrorCode::LibraryMissing,
                 missing + ", which " + path + " needs, is not installed: run tools/deps and build again",
                 std::nullopt};
  }
  return Error{ErrorCode::LibraryMissing,
               path + " cannot be loaded (" + text + "): run tools/deps and build the target weft_gpu again",
               std::nullopt};
}

}  // namespace

Result<std::unique_ptr<Backend>> open_gpu_backend(const BackendConfig& config, const HostServices& services) {
  auto found = find_library();
  if (!found) return found.error();
  const std::string path = found.value();
  // Never closed: RMM and CUDA leave threads and thread-local state behind that outlive any caller's wish.
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return loader_error(path);
  void* symbol = dlsym(handle, kGpuOpenSymbol);
  if (symbol == nullptr) {
    return Error{ErrorCode::BuildMismatch,
                 path + " is no GPU library of Weft (it lacks " + kGpuOpenSymbol + "): build the target weft_gpu again",
                 std::nullopt};
  }
  const auto open = reinterpret_cast<GpuOpenFunction>(symbol);
  const std::string build_id(kBuildId);
  return open(build_id.c_str(), config, services);
}

}  // namespace weft::engine
