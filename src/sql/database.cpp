#include "sql/database.hpp"

#include <atomic>
#include <utility>

#include "duckdb.hpp"
#include "duckdb/main/config.hpp"
#include "sql/error_bridge.hpp"
#include "sql/hook.hpp"
#include "sql/options.hpp"
#include "sql/session.hpp"
#include "sql/session_state.hpp"
#include "sql/system_tables.hpp"
#include "tpcds_extension.hpp"
#include "tpch_extension.hpp"

extern "C" int32_t duckdb_register_static_extensions(void);

namespace weft::sql {
namespace {

/// DuckDB wants its extensions registered once per process, before its first object.
void register_extensions_once() {
  static const bool registered = duckdb_register_static_extensions() == 0;
  WEFT_INVARIANT(registered, "DuckDB's static extensions could not be registered");
}

class DatabaseImpl final : public Database {
 public:
  explicit DatabaseImpl(DatabaseConfig config) : shared_(std::make_shared<DatabaseShared>()) {
    const bool in_memory = config.path.empty() || config.path == ":memory:";
    duckdb_ = std::make_unique<duckdb::DuckDB>(in_memory ? nullptr : config.path.c_str());
    if (config.load_tpc) {
      duckdb_->LoadStaticExtension<duckdb::TpchExtension>();
      duckdb_->LoadStaticExtension<duckdb::TpcdsExtension>();
    }
    if (config.hooks) {
      config.options = complete_options(std::move(config.options));
      auto& duckdb_config = duckdb::DBConfig::GetConfig(*duckdb_->instance);
      register_options(duckdb_config, config.options);
      register_hook(duckdb_config);
      register_system_tables(*duckdb_->instance);
      // DuckDB reads a file's footer whenever it binds it, and a query may name a table twenty times: half of planning
      // or more. It keeps them by the file's size and time. A user can turn it off (SET parquet_metadata_cache).
      duckdb_config.SetOptionByName("parquet_metadata_cache", duckdb::Value::BOOLEAN(true));
    } else {
      config.options.clear();
    }
    shared_->config = std::move(config);
  }

  std::unique_ptr<Session> connect() override {
    return std::make_unique<SessionImpl>(*duckdb_, shared_, next_session_.fetch_add(1) + 1);
  }
  const DatabaseConfig& config() const override { return shared_->config; }
  void register_table(const std::string& name, const std::vector<plan::Column>& columns, TableRows rows) override {
    register_system_table(*duckdb_->instance, name, columns, std::move(rows));
  }

 private:
  std::shared_ptr<DatabaseShared> shared_;
  std::unique_ptr<duckdb::DuckDB> duckdb_;
  std::atomic<uint64_t> next_session_{0};
};

}  // namespace

std::shared_ptr<Database> open_database(DatabaseConfig config) {
  register_extensions_once();
  try {
    return std::make_shared<DatabaseImpl>(std::move(config));
  } catch (const Exception&) {
    throw;
  } catch (const std::exception& error) {
    duckdb::ErrorData data(error);
    data.FinalizeError();
    throw Exception(error_of(data));
  }
}

std::string duckdb_version() { return duckdb::DuckDB::LibraryVersion(); }

}  // namespace weft::sql
