// The one interface that local and remote connections share: run statements, watch them, change settings.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/backend.hpp"
#include "session/settings.hpp"
#include "sql/database.hpp"

namespace weft::session {

/// One statement's rows. One thread at a time, except cancel() and progress().
class Rows {
 public:
  virtual ~Rows() = default;
  virtual const std::vector<plan::Column>& columns() const = 0;
  virtual const ArrowSchema& schema() const = 0;
  virtual sql::StatementKind kind() const = 0;
  /// Blocks until a batch, the end (false) or an error (weft::Exception).
  virtual bool next(engine::HostBatch& batch) = 0;
  virtual void cancel() noexcept = 0;
  virtual double progress() const noexcept = 0;
};

class Connection {
 public:
  virtual ~Connection() = default;
  virtual std::vector<std::string> split(const std::string& script) = 0;
  /// In mode auto a shortage of device memory before the first batch runs the statement again on the CPU, once.
  virtual std::unique_ptr<Rows> execute(const std::string& statement) = 0;
  /// Any setting of the registry by its name (without the prefix), e.g. set("mode", "native_required").
  virtual void set(const std::string& name, const std::string& value) = 0;
  virtual std::string get(const std::string& name) const = 0;
  virtual sql::StatementReport last_report() const = 0;
  /// Says what a GPU would run of the statement (where, refusals, gpu_plans) and runs nothing; needs no GPU.
  virtual sql::StatementReport check(const std::string& statement) = 0;
  virtual std::optional<engine::DeviceInfo> device() const = 0;
  /// Why there is no GPU; empty if there is one.
  virtual std::string no_device_reason() const = 0;
  /// Cancels the running statement, from any thread or a signal handler's helper thread.
  virtual void interrupt() noexcept = 0;
};

struct OpenOptions {
  std::string database = ":memory:";
  std::string backend = "auto";  // "auto" (GPU if there is one), "gpu" (or error), "oracle" (tests), "none"
  std::string engine = "weft";   // "duckdb": plain DuckDB without Weft's hooks
  engine::BackendConfig backend_config;
  std::shared_ptr<Logger> logger;
  std::map<std::string, std::string> settings;  // by name without the prefix, from flags: they win over the environment
  std::shared_ptr<engine::Backend> shared_backend;  // used in place of opening one (many databases on one device)
  bool load_tpc = true;                             // the tpch and tpcds extensions
};

/// An engine in this process: one Backend, one database; connections share them. Destroy it before main returns.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual std::unique_ptr<Connection> connect() = 0;
  virtual std::shared_ptr<engine::Backend> backend() const = 0;  // null: none
};
std::unique_ptr<Engine> open_engine(const OpenOptions& options);

}  // namespace weft::session
