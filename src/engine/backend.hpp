// What runs plans. libweft_gpu.so implements it on a GPU; session::OracleBackend through DuckDB, for tests.
// No exception crosses these interfaces.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/cancellation.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "engine/arrow_c.hpp"
#include "engine/batch_source.hpp"
#include "plan/node.hpp"

namespace weft::engine {

struct DeviceInfo {
  std::string name;            // "NVIDIA H200"
  std::string driver;          // "580.159"
  std::string runtime;         // "13.0"
  int compute_capability = 0;  // 90
  uint64_t memory_total_bytes = 0;
  uint64_t memory_free_bytes = 0;
  uint64_t managed_bytes = 0;  // what Weft may use in all
  uint64_t used_bytes = 0;     // what Weft uses now, over all queries
  bool lost = false;
};

struct OperatorProfile {
  uint32_t node = 0;  // plan::Node::id
  uint64_t rows = 0;
  uint64_t batches = 0;
  double busy_ms = 0;  // summed over tasks
};

struct PipelineProfile {
  uint32_t pipeline = 0;
  std::string text;      // pipeline::describe
  std::string executor;  // "interpreter", "fused"
  double wall_ms = 0;
};

struct QueryProfile {
  std::vector<OperatorProfile> operators;  // only with QueryOptions::profile
  std::vector<PipelineProfile> pipelines;
  uint64_t peak_device_bytes = 0;
  uint64_t bytes_read = 0;
  uint64_t rows = 0;
  uint64_t spilled_bytes = 0;
  double planning_ms = 0;  // the backend's own share: lowering, footers, kernels
};

struct QueryOptions {
  uint64_t memory_limit_bytes = 0;  // cap of this query; 0: the backend's default
  uint64_t batch_bytes = 0;         // target size of a batch; 0: from the cap
  uint32_t workers = 0;             // at most; 0: the backend's
  bool profile = false;             // synchronize after each operator and count
  bool force_spill = false;         // tests: spill what can be spilled between batches
};

/// The answer of one query. Made by Backend::submit; usable from one thread at a time, except cancel().
class ResultStream {
 public:
  virtual ~ResultStream() = default;
  /// Never blocks. Errors arrive once, typed; after an error or Done every poll gives Done.
  virtual Result<Poll> poll(HostBatch& batch, Waker waker) = 0;
  /// Idempotent, thread-safe, returns at once. A pending poll then ends with Cancelled.
  virtual void cancel() noexcept = 0;
  /// Complete once poll gave Done or an error; before that a snapshot. Thread-safe.
  virtual QueryProfile profile() const = 0;
  /// 0 to 1 of the source bytes read so far; negative: unknown. Thread-safe.
  virtual double progress() const noexcept = 0;
};

struct QueryRequest {
  std::string query_id;
  std::shared_ptr<const plan::Plan> plan;             // validated; support::check(*plan) is empty
  std::vector<std::shared_ptr<BatchSource>> sources;  // HostSource::source indexes it
  QueryOptions options;
};

/// One device. Thread-safe.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string name() const = 0;  // "gpu", "oracle"
  virtual DeviceInfo device() const = 0;
  /// A query that reads fewer bytes, as they are stored, is done sooner by a CPU; 0: none is.
  virtual uint64_t least_bytes() const { return 0; }
  virtual Result<std::unique_ptr<ResultStream>> submit(QueryRequest request) = 0;
};

struct BackendConfig {
  uint64_t device_memory_bytes = 0;       // 0: 80 % of the memory free at start
  uint64_t query_memory_limit_bytes = 0;  // 0: device_memory_bytes
  uint64_t host_memory_bytes = 0;         // pinned memory for spilling; 0: a quarter of the machine's memory
  uint32_t workers = 0;                   // 0: min(8, cores / 2)
  std::string kernel_cache_dir;           // "": ~/.cache/weft/kernels
  int device = 0;
};

/// The plain-C entry of libweft_gpu.so. Another build id than the program's is refused with BuildMismatch.
struct HostServices {
  std::shared_ptr<Logger> logger;
};
using GpuOpenFunction = Result<std::unique_ptr<Backend>> (*)(const char* build_id, const BackendConfig&,
                                                             const HostServices&);
inline constexpr const char* kGpuOpenSymbol = "weft_gpu_open";

}  // namespace weft::engine
