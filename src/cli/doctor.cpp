// weft doctor: is everything there that a query on the GPU needs? A line a check, with its cure.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>

#include "cli/commands.hpp"
#include "cli/cuda_driver.hpp"
#include "workload/result_table.hpp"

namespace weft::cli {

namespace {

constexpr int kNeededCuda = 13000;            // what the RAPIDS libraries were built with
constexpr const char* kNeededDriver = "580";  // the first driver with it
constexpr int kNeededComputeCapability = 75;  // Turing: what the RAPIDS libraries support
constexpr uint64_t kFewFreeDeviceBytes = 1ULL << 30;
constexpr uint64_t kFewFreeDiskBytes = 1ULL << 30;

enum class Status : unsigned char {
  Ok,
  Fail,
  NoGpu,  // not a failure: a machine without a GPU runs everything on the CPU
};

struct Finding {
  Status status;
  std::string name;
  std::string text;
  std::string cure;  // Fail: what to do
};

std::string gib(uint64_t bytes) { return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (1ULL << 30)); }
std::string cuda_version(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

class Doctor {
 public:
  explicit Doctor(const CommonOptions& common) : common_(common) {}

  int run() {
    const bool with_gpu = check_driver();
    if (with_gpu) {
      check_device();
      check_library();
      check_device_memory();
    }
    check_storage();
    check_query();
    std::cout << (failed_   ? "\nSome checks failed: see their cures above.\n"
                  : no_gpu_ ? "\nReady, without a GPU: queries run on the CPU.\n"
                            : "\nReady.\n");
    return failed_ ? kExitFailed : kExitOk;
  }

 private:
  void report(const Finding& finding) {
    const char* status = finding.status == Status::Ok ? "ok" : finding.status == Status::Fail ? "fail" : "no GPU";
    std::cout << fmt::format("{:<7} {:<10} {}\n", status, finding.name, finding.text);
    if (!finding.cure.empty()) std::cout << fmt::format("{:<18} cure: {}\n", "", finding.cure);
    std::cout.flush();
    failed_ = failed_ || finding.status == Status::Fail;
    no_gpu_ = no_gpu_ || finding.status == Status::NoGpu;
  }
  void ok(const char* name, const std::string& text) { report({Status::Ok, name, text, {}}); }
  void fail(const char* name, const std::string& text, const std::string& cure) {
    report({Status::Fail, name, text, cure});
  }

  /// Whether there is a GPU worth the further checks.
  bool check_driver() {
    if (common_.backend == "none" || common_.backend == "oracle") {
      report({Status::NoGpu, "driver", "not checked: --backend " + common_.backend, {}});
      return false;
    }
    driver_ = probe_cuda_driver();
    if (driver_.devices.empty() && !machine_has_nvidia_gpu() && common_.backend == "auto") {
      report({Status::NoGpu, "driver", "this machine has no NVIDIA GPU (" + driver_.error + ")", {}});
      return false;
    }
    const std::string needed = fmt::format("CUDA {}, driver {} or newer", cuda_version(kNeededCuda), kNeededDriver);
    if (!driver_.present) {
      fail("driver", driver_.error,
           fmt::format(
               "install NVIDIA's driver ({}) from your system's packages; in a container, start it with --gpus all",
               needed));
      return false;
    }
    if (driver_.version < kNeededCuda) {
      fail("driver", fmt::format("the driver is for CUDA {}; needed: {}", cuda_version(driver_.version), needed),
           fmt::format("update NVIDIA's driver to {} or newer, then restart", kNeededDriver));
      return false;
    }
    if (driver_.devices.empty()) {
      fail("driver", driver_.error,
           "see what nvidia-smi says; in a container, start it with --gpus all; check CUDA_VISIBLE_DEVICES");
      return false;
    }
    ok("driver", fmt::format("CUDA {} (needed: {})", cuda_version(driver_.version), needed));
    return true;
  }

  void check_device() {
    const auto chosen = common_.settings.find("device");
    const size_t number = chosen == common_.settings.end() ? 0 : std::stoul(chosen->second);
    if (number >= driver_.devices.size()) {
      fail("device", fmt::format("there is no device {}; there are {}", number, driver_.devices.size()),
           fmt::format("give --device a number below {}", driver_.devices.size()));
      return;
    }
    const CudaDevice& device = driver_.devices[number];
    const std::string text =
        fmt::format("{}, compute capability {}.{}, {}", device.name, device.compute_capability / 10,
                    device.compute_capability % 10, gib(device.memory_bytes));
    if (device.compute_capability < kNeededComputeCapability) {
      fail("device", text, "use a GPU of compute capability 7.5 (Turing) or newer, or --backend none");
      return;
    }
    ok("device", text);
  }

  void check_library() {
    session::OpenOptions options = open_options(common_);
    options.backend = "gpu";
    try {
      engine_ = session::open_engine(options);
      ok("libraries", "libweft_gpu.so and the RAPIDS libraries load");
    } catch (const Exception& error) {
      fail("libraries", error.what(), library_cure(error.code()));
    }
  }

  static std::string library_cure(ErrorCode code) {
    switch (code) {
      case ErrorCode::LibraryMissing:
        return "run tools/deps and build again; or set WEFT_GPU_LIBRARY to libweft_gpu.so";
      case ErrorCode::BuildMismatch:
        return "build again: weft and libweft_gpu.so must be of one build";
      case ErrorCode::DeviceMemoryExhausted:
        return "free the GPU's memory (nvidia-smi shows who holds it)";
      default:
        return "see docs/errors.md";
    }
  }

  void check_device_memory() {
    if (!engine_ || !engine_->backend()) return;
    const engine::DeviceInfo device = engine_->backend()->device();
    const std::string text = fmt::format("{} free of {}, Weft manages {}", gib(device.memory_free_bytes),
                                         gib(device.memory_total_bytes), gib(device.managed_bytes));
    if (device.managed_bytes < kFewFreeDeviceBytes) {
      fail("memory", text, "free the GPU's memory (nvidia-smi shows who holds it), or give --device_memory_bytes");
      return;
    }
    ok("memory", text);
  }

  std::filesystem::path cache_dir() const {
    if (const auto given = common_.settings.find("kernel_cache_dir");
        given != common_.settings.end() && !given->second.empty()) {
      return given->second;
    }
    const char* home = std::getenv("HOME");
    return std::filesystem::path(home == nullptr ? "." : home) / ".cache" / "weft";
  }

  void check_storage() {
    const std::filesystem::path dir = cache_dir();
    const std::string cure = "make the folder writable, or give another one with --kernel_cache_dir";
    std::error_code error;
    std::filesystem::create_directories(dir, error);
    const std::filesystem::path probe = dir / fmt::format(".doctor-{}", getpid());
    std::ofstream file(probe);
    file << "probe" << std::flush;
    const bool written = file.good();
    file.close();
    std::filesystem::remove(probe, error);
    if (!written) {
      fail("storage", fmt::format("cannot write to {}", dir.string()), cure);
      return;
    }
    const std::filesystem::space_info space = std::filesystem::space(dir, error);
    const std::string text = fmt::format("{} is writable, {} free", dir.string(), gib(space.available));
    if (!error && space.available < kFewFreeDiskBytes) {
      fail("storage", text, "free some of that disk");
      return;
    }
    ok("storage", text);
  }

  void check_query() {
    const std::string query = "SELECT sum(range) FROM range(1000000)";
    try {
      if (!engine_) {
        session::OpenOptions options = open_options(common_);
        if (options.backend != "oracle") options.backend = "none";
        engine_ = session::open_engine(options);
      }
      const auto connection = engine_->connect();
      const workload::ResultTable answer = workload::run_query(*connection, query);
      const std::string text = answer.rows.empty() ? "nothing" : workload::to_text(answer.rows.front().front());
      if (text != "499999500000") {
        fail("query", query + " gave " + text + " in place of 499999500000", "report it: this is a bug of Weft");
        return;
      }
      ok("query", fmt::format("{} is right; it ran on {}", query, connection->last_report().where));
    } catch (const std::exception& error) {
      fail("query", error_text(error), "see docs/errors.md for the code in brackets");
    }
  }

  const CommonOptions& common_;
  CudaDriver driver_;
  std::unique_ptr<session::Engine> engine_;
  bool failed_ = false;
  bool no_gpu_ = false;
};

}  // namespace

void add_doctor_command(CLI::App& app, const CommonOptions& common, Action& chosen) {
  CLI::App* doctor =
      app.add_subcommand("doctor", "Check driver, libraries, memory, storage and one query")->fallthrough();
  doctor->callback([&common, &chosen] { chosen = [&common] { return Doctor(common).run(); }; });
}

}  // namespace weft::cli
