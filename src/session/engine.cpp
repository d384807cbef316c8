#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "engine/library.hpp"
#include "pipeline/pipeline.hpp"
#include "session/connection.hpp"
#include "session/oracle_backend.hpp"

namespace weft::session {
namespace {

/// Runs one statement of `session` and, in mode auto, once more without the GPU when it cannot run there after all.
class LocalRows final : public Rows {
 public:
  LocalRows(sql::Session& session, std::string statement, bool may_rerun, bool device_lost)
      : session_(session), statement_(std::move(statement)), may_rerun_(may_rerun && !device_lost) {
    if (may_rerun && device_lost) {
      stream_ = session_.execute_on_cpu(
          statement_, {support::RefusalCode::NoDevice, "the GPU stopped working earlier: restart weft", "QUERY"});
      return;
    }
    try {
      stream_ = session_.execute(statement_);
    } catch (const Exception& e) {
      const auto reason = cpu_reason(e);
      if (!reason) throw;
      rerun(e, *reason);
    }
  }

  const std::vector<plan::Column>& columns() const override { return stream_->columns(); }
  const ArrowSchema& schema() const override { return stream_->schema(); }
  sql::StatementKind kind() const override { return stream_->kind(); }

  bool next(engine::HostBatch& batch) override {
    try {
      const bool more = stream_->next(batch);
      may_rerun_ = false;
      return more;
    } catch (const Exception& e) {
      const auto reason = cpu_reason(e);
      if (!reason) throw;
      rerun(e, *reason);
      return stream_->next(batch);
    }
  }

  void cancel() noexcept override {
    const std::lock_guard<std::mutex> guard(mutex_);
    cancelled_ = true;
    if (stream_) stream_->cancel();
  }
  double progress() const noexcept override {
    const std::lock_guard<std::mutex> guard(mutex_);
    return stream_ ? stream_->progress() : -1;
  }

 private:
  /// Why the CPU takes over after this error, if it does: device memory ran short, or a file turned out to be one that
  /// the GPU cannot read. The statement that loses the device fails; later ones run on the CPU.
  std::optional<support::RefusalCode> cpu_reason(const Exception& e) const {
    if (!may_rerun_) return std::nullopt;
    switch (e.code()) {
      case ErrorCode::DeviceMemoryExhausted:
      case ErrorCode::QueryMemoryLimitExceeded:
        return support::RefusalCode::DeviceMemoryExhausted;
      case ErrorCode::NotSupportedOnGpu:
        return support::RefusalCode::UnsupportedFile;
      default:
        return std::nullopt;
    }
  }

  void rerun(const Exception& error, support::RefusalCode reason) {
    may_rerun_ = false;
    std::unique_ptr<sql::StatementStream> failed;
    {
      const std::lock_guard<std::mutex> guard(mutex_);
      failed = std::move(stream_);
      if (cancelled_) throw Exception(ErrorCode::Cancelled, "the query was cancelled");
    }
    failed.reset();  // gives the device memory back before anything else runs
    auto stream = session_.execute_on_cpu(statement_, {reason, error.error().message, "QUERY"});
    const std::lock_guard<std::mutex> guard(mutex_);
    stream_ = std::move(stream);
    if (cancelled_) stream_->cancel();
  }

  sql::Session& session_;
  std::string statement_;
  bool may_rerun_;
  mutable std::mutex mutex_;  // guards the pointer stream_ against cancel() and progress()
  std::unique_ptr<sql::StatementStream> stream_;
  bool cancelled_ = false;
};

class LocalConnection final : public Connection {
 public:
  LocalConnection(std::shared_ptr<sql::Database> database) : database_(std::move(database)) {
    session_ = database_->connect();
  }

  std::vector<std::string> split(const std::string& script) override { return session_->split(script); }

  std::unique_ptr<Rows> execute(const std::string& statement) override {
    const auto& config = database_->config();
    const bool may_rerun = config.hooks && config.backend != nullptr && session_->mode() == sql::Mode::Auto;
    return std::make_unique<LocalRows>(*session_, statement, may_rerun, may_rerun && config.backend->device().lost);
  }

  void set(const std::string& name, const std::string& value) override {
    const SettingInfo& setting = known_setting(name);
    if (setting.scope == SettingScope::Process) {
      throw Exception(ErrorCode::InvalidInput, "the setting weft_" + name + " is read once at start: give the flag --" +
                                                   name + " or the environment variable " +
                                                   environment_variable(setting));
    }
    session_->set_option(name, check_setting(setting, value));
  }
  std::string get(const std::string& name) const override {
    known_setting(name);
    return session_->option(name);
  }

  sql::StatementReport last_report() const override { return session_->last_report(); }
  sql::StatementReport check(const std::string& statement) override { return session_->check(statement); }

  std::optional<engine::DeviceInfo> device() const override {
    const auto& backend = database_->config().backend;
    if (backend == nullptr) return std::nullopt;
    return backend->device();
  }
  std::string no_device_reason() const override {
    const auto& config = database_->config();
    return config.backend == nullptr && config.backend_error ? config.backend_error->message : "";
  }
  void interrupt() noexcept override { session_->interrupt(); }

 private:
  const SettingInfo& known_setting(const std::string& name) const {
    const SettingInfo* setting = find_setting(name);
    if (setting != nullptr) return *setting;
    std::string names;
    for (const auto& known : settings()) names += (names.empty() ? "" : ", ") + std::string(known.name);
    throw Exception(ErrorCode::InvalidInput, "there is no setting weft_" + name + "; the settings are " + names);
  }

  std::shared_ptr<sql::Database> database_;
  std::unique_ptr<sql::Session> session_;
};

class LocalEngine final : public Engine {
 public:
  LocalEngine(std::shared_ptr<sql::Database> database) : database_(std::move(database)) {}
  std::unique_ptr<Connection> connect() override { return std::make_unique<LocalConnection>(database_); }
  std::shared_ptr<engine::Backend> backend() const override { return database_->config().backend; }

 private:
  std::shared_ptr<sql::Database> database_;
};

std::vector<sql::Option> sql_options(const std::map<std::string, std::string>& flags) {
  std::vector<sql::Option> options;
  for (const auto& setting : settings()) {
    sql::Option option;
    option.name = setting.name;
    option.type = to_string(setting.type);
    option.per_session = setting.scope == SettingScope::Session;
    option.default_value = check_setting(setting, setting.default_value);
    option.value = starting_value(setting, flags);
    option.help = setting.help;
    option.check = [&setting](const std::string& value) { return check_setting(setting, value); };
    options.push_back(std::move(option));
  }
  return options;
}

uint64_t number_setting(std::string_view name, const std::map<std::string, std::string>& flags) {
  return std::stoull(starting_value(*find_setting(name), flags));
}

engine::BackendConfig backend_config(const OpenOptions& options) {
  engine::BackendConfig config = options.backend_config;
  const auto& flags = options.settings;
  if (config.device_memory_bytes == 0) config.device_memory_bytes = number_setting("device_memory_bytes", flags);
  if (config.host_memory_bytes == 0) config.host_memory_bytes = number_setting("host_memory_bytes", flags);
  if (config.workers == 0) config.workers = static_cast<uint32_t>(number_setting("engine_workers", flags));
  if (config.device == 0) config.device = static_cast<int>(number_setting("device", flags));
  if (config.kernel_cache_dir.empty()) {
    config.kernel_cache_dir = starting_value(*find_setting("kernel_cache_dir"), flags);
  }
  return config;
}

LogLevel log_level(const std::map<std::string, std::string>& flags) {
  static const std::map<std::string, LogLevel> levels = {
      {"debug", LogLevel::Debug}, {"info", LogLevel::Info}, {"warning", LogLevel::Warning}, {"error", LogLevel::Error}};
  return levels.at(starting_value(*find_setting("log_level"), flags));
}

std::string pipelines_text(const plan::Plan& plan) {
  const pipeline::Program program = pipeline::lower(plan);
  std::string text;
  for (const auto& line : program.pipelines) text += pipeline::describe(line, program) + "\n";
  return text;
}

void open_backend(const OpenOptions& options, sql::DatabaseConfig& config) {
  if (options.shared_backend) {
    config.backend = options.shared_backend;
  } else if (options.backend == "oracle") {
    config.backend = make_oracle_backend();
  } else if (options.backend == "none") {
    config.backend_error = Error{ErrorCode::NoDevice, "the GPU is switched off (backend none)", std::nullopt};
  } else if (options.backend == "auto" || options.backend == "gpu") {
    const auto logger = options.logger ? options.logger : stderr_logger(log_level(options.settings));
    auto opened = engine::open_gpu_backend(backend_config(options), {logger});
    if (opened) {
      config.backend = std::move(opened.value());
    } else if (options.backend == "gpu") {
      throw Exception(opened.error());
    } else {
      config.backend_error = opened.error();
    }
  } else {
    throw Exception(ErrorCode::InvalidInput,
                    "there is no backend '" + options.backend + "': it is auto, gpu, oracle or none");
  }
}

}  // namespace

std::unique_ptr<Engine> open_engine(const OpenOptions& options) {
  for (const auto& [name, value] : options.settings) {
    const SettingInfo* setting = find_setting(name);
    if (setting == nullptr) throw Exception(ErrorCode::InvalidInput, "there is no setting weft_" + name);
    check_setting(*setting, value);
  }
  sql::DatabaseConfig config;
  config.path = options.database;
  config.load_tpc = options.load_tpc;
  if (options.engine == "duckdb") {
    config.hooks = false;
  } else if (options.engine == "weft") {
    config.options = sql_options(options.settings);
    config.describe_pipelines = pipelines_text;
    open_backend(options, config);
  } else {
    throw Exception(ErrorCode::InvalidInput, "there is no engine '" + options.engine + "': it is weft or duckdb");
  }
  return std::make_unique<LocalEngine>(sql::open_database(std::move(config)));
}

}  // namespace weft::session
