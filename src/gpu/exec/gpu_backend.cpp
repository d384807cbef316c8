#include "gpu/exec/gpu_backend.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <rmm/cuda_stream_pool.hpp>
#include <rmm/mr/per_device_resource.hpp>
#include <thread>

#include "gpu/exec/cuda_check.hpp"
#include "gpu/exec/device.hpp"
#include "gpu/exec/scheduler.hpp"
#include "gpu/expr/kernel_cache.hpp"
#include "gpu/io/checked_chunks.hpp"
#include "gpu/io/file_reader.hpp"
#include "gpu/io/footer_cache.hpp"
#include "gpu/memory/accounting_resource.hpp"
#include "support/support.hpp"

namespace weft::gpu {
namespace {

// Blocks of 1 MB and 8 MB were slower, and so were more threads than 16.
constexpr uint64_t kReadBlockBytes = uint64_t{4} << 20;
constexpr unsigned kMaxReaderThreads = 16;

unsigned reader_threads() { return std::clamp(std::thread::hardware_concurrency(), 2U, kMaxReaderThreads); }

constexpr uint64_t kUnattributedBytes = uint64_t{4} << 30;

unsigned worker_count(uint32_t configured) {
  return configured != 0 ? configured : std::clamp(std::thread::hardware_concurrency() / 2, 1U, 8U);
}

std::string cache_directory(const std::string& configured) {
  if (!configured.empty()) return configured;
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  if (cache != nullptr && *cache != 0) return std::string(cache) + "/weft/kernels";
  return std::string(home != nullptr ? home : "/tmp") + "/.cache/weft/kernels";
}

uint64_t host_bytes(uint64_t configured) {
  if (configured != 0) return configured;
  return static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) / 4;
}

class QueryStream final : public engine::ResultStream {
 public:
  explicit QueryStream(std::shared_ptr<QueryExecution> query) : query_(std::move(query)) {}
  ~QueryStream() override { query_->cancel(); }
  Result<engine::Poll> poll(engine::HostBatch& batch, engine::Waker waker) override {
    return query_->poll(batch, std::move(waker));
  }
  void cancel() noexcept override { query_->cancel(); }
  engine::QueryProfile profile() const override { return query_->profile(); }
  double progress() const noexcept override { return query_->progress(); }

 private:
  const std::shared_ptr<QueryExecution> query_;
};

/// What a scan, the kernels' launches and, the first time, their compilation take, DuckDB needs for about so much.
constexpr uint64_t kLeastBytes = uint64_t{4} << 20;

class GpuBackend final : public engine::Backend {
 public:
  GpuBackend(const engine::BackendConfig& config, const engine::HostServices& services)
      : config_(config),
        info_(open_device(config.device)),
        logger_(services.logger != nullptr ? services.logger : null_logger()),
        pinned_(host_bytes(config.host_memory_bytes)),
        kernels_(cache_directory(config.kernel_cache_dir), info_.compute_capability, logger_),
        file_reader_(config.device, reader_threads(), kReadBlockBytes),
        workers_(worker_count(config.workers)),
        streams_(workers_, rmm::cuda_stream::flags::non_blocking) {
    info_.managed_bytes = managed_bytes(config.device_memory_bytes, info_.memory_free_bytes);
    device_account_ = std::make_shared<Account>("Weft", info_.managed_bytes, ErrorCode::DeviceMemoryExhausted);
    auto unattributed = std::make_shared<Account>("work outside of queries", kUnattributedBytes,
                                                  ErrorCode::DeviceMemoryExhausted, device_account_);
    memory_ = std::make_shared<AccountingState>(std::move(unattributed));
    previous_resource_ = rmm::mr::set_current_device_resource(AccountingResource(memory_));
    services_.emplace(ExecutionServices{kernels_, FileServices{footers_, file_reader_, checked_chunks_}, pinned_,
                                        logger_, [this] { scheduler_->wake(); },
                                        [this](const Error& error) { lose_device(error); }, workers_});
    std::vector<Worker> workers;
    for (unsigned i = 0; i < workers_; ++i) {
      workers.push_back({i, streams_.get_stream(i), rmm::mr::get_current_device_resource_ref()});
    }
    scheduler_.emplace(config.device, std::move(workers));
  }

  ~GpuBackend() override {
    scheduler_.reset();
    cudaDeviceSynchronize();
    rmm::mr::set_current_device_resource(*std::move(previous_resource_));
  }

  uint64_t least_bytes() const override { return kLeastBytes; }
  std::string name() const override { return "gpu"; }

  engine::DeviceInfo device() const override {
    engine::DeviceInfo info = info_;
    info.used_bytes = device_account_->used_bytes();
    info.lost = lost_.load();
    size_t free_bytes = 0;
    size_t total_bytes = 0;
    if (!info.lost && cudaMemGetInfo(&free_bytes, &total_bytes) == cudaSuccess) info.memory_free_bytes = free_bytes;
    return info;
  }

  Result<std::unique_ptr<engine::ResultStream>> submit(engine::QueryRequest request) override {
    if (lost_.load()) {
      return Error{ErrorCode::DeviceLost, "the GPU stopped working for this process earlier: restart weft",
                   std::nullopt};
    }
    try {
      cudaSetDevice(config_.device);
      const auto refusals = support::check(*request.plan);
      WEFT_INVARIANT(refusals.empty(), "a plan with a refusal reached the backend: " + refusals.front().name);
      const uint64_t most =
          config_.query_memory_limit_bytes != 0 ? config_.query_memory_limit_bytes : info_.managed_bytes;
      const uint64_t asked = request.options.memory_limit_bytes;
      const uint64_t cap = std::min(asked != 0 ? asked : most, info_.managed_bytes);
      auto account = std::make_shared<Account>("the query", cap, ErrorCode::QueryMemoryLimitExceeded, device_account_);
      auto query = std::make_shared<QueryExecution>(*services_, std::move(request), std::move(account));
      scheduler_->add(query);
      return std::unique_ptr<engine::ResultStream>(std::make_unique<QueryStream>(std::move(query)));
    } catch (const Exception& e) {
      return e.error();
    } catch (const std::exception& e) {
      return Error{ErrorCode::InternalError, e.what(), std::nullopt};
    }
  }

 private:
  void lose_device(const Error& error) {
    if (!lost_.exchange(true)) logger_->log(LogLevel::Error, error.to_string());
  }

  const engine::BackendConfig config_;
  engine::DeviceInfo info_;
  std::shared_ptr<Logger> logger_;
  std::atomic<bool> lost_{false};
  std::shared_ptr<Account> device_account_;
  std::shared_ptr<AccountingState> memory_;
  // What libcudf allocated from before: another backend of this process may still use it.
  std::optional<decltype(rmm::mr::set_current_device_resource(std::declval<AccountingResource>()))> previous_resource_;
  PinnedPool pinned_;
  KernelCache kernels_;
  FooterCache footers_;
  FileReader file_reader_;
  CheckedChunks checked_chunks_;
  const unsigned workers_;
  rmm::cuda_stream_pool streams_;
  std::optional<ExecutionServices> services_;
  std::optional<Scheduler> scheduler_;
};

}  // namespace

std::unique_ptr<engine::Backend> make_gpu_backend(const engine::BackendConfig& config,
                                                  const engine::HostServices& services) {
  return std::make_unique<GpuBackend>(config, services);
}

}  // namespace weft::gpu
