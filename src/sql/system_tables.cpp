#include "sql/system_tables.hpp"

#include <utility>

#include "duckdb/catalog/catalog.hpp"
#include "duckdb/function/table_function.hpp"
#include "duckdb/main/extension/extension_loader.hpp"
#include "sql/error_bridge.hpp"
#include "sql/options.hpp"
#include "sql/session_state.hpp"
#include "sql/value_bridge.hpp"

namespace weft::sql {
namespace {

using duckdb::LogicalType;
using duckdb::Value;
using Row = std::vector<Value>;
/// Null session: a connection that is no Session.
using MakeRows = std::function<std::vector<Row>(duckdb::ClientContext& context, SessionState* state)>;

struct TableInfo final : duckdb::TableFunctionInfo {
  duckdb::vector<LogicalType> types;
  duckdb::vector<duckdb::Identifier> names;
  MakeRows make_rows;
};

struct BindData final : duckdb::TableFunctionData {
  std::vector<Row> rows;
};

struct Position final : duckdb::GlobalTableFunctionState {
  size_t next = 0;
};

duckdb::unique_ptr<duckdb::FunctionData> bind(duckdb::ClientContext& context, duckdb::TableFunctionBindInput& input,
                                              duckdb::vector<LogicalType>& types,
                                              duckdb::vector<duckdb::Identifier>& names) {
  const auto& info = input.info->Cast<TableInfo>();
  types = info.types;
  names = info.names;
  auto data = duckdb::make_uniq<BindData>();
  const auto state = SessionState::of(context);
  try {
    data->rows = info.make_rows(context, state.get());
  } catch (const Exception& error) {
    throw_in_duckdb(error.error());
  }
  return data;
}

duckdb::unique_ptr<duckdb::GlobalTableFunctionState> begin(duckdb::ClientContext&, duckdb::TableFunctionInitInput&) {
  return duckdb::make_uniq<Position>();
}

void scan(duckdb::ClientContext&, duckdb::TableFunctionInput& input, duckdb::DataChunk& chunk) {
  const auto& rows = input.bind_data->Cast<BindData>().rows;
  auto& position = input.global_state->Cast<Position>();
  size_t count = 0;
  for (; count < STANDARD_VECTOR_SIZE && position.next < rows.size(); ++count, ++position.next) {
    for (size_t column = 0; column < chunk.data.size(); ++column)
      chunk.data[column].Append(rows[position.next][column]);
  }
  chunk.SetChildCardinality(count);
}

void add_table(duckdb::DatabaseInstance& instance, const std::string& name,
               const std::vector<std::pair<std::string, LogicalType>>& columns, MakeRows make_rows) {
  auto info = duckdb::make_shared_ptr<TableInfo>();
  for (const auto& [column, type] : columns) {
    info->names.emplace_back(column);
    info->types.push_back(type);
  }
  info->make_rows = std::move(make_rows);
  duckdb::TableFunction function(duckdb::Identifier(name), duckdb::vector<LogicalType>{}, scan, bind, begin);
  function.function_info = std::move(info);
  duckdb::ExtensionLoader loader(instance, "weft");
  loader.RegisterFunction(function);
}

LogicalType refusal_type() {
  return LogicalType::STRUCT(
      {{"code", LogicalType::VARCHAR}, {"name", LogicalType::VARCHAR}, {"node", LogicalType::VARCHAR}});
}

Value refusal_list(const std::vector<support::Refusal>& refusals) {
  duckdb::vector<Value> values;
  for (const auto& refusal : refusals) {
    values.push_back(Value::STRUCT({{"code", Value(std::string(support::to_string(refusal.code)))},
                                    {"name", Value(refusal.name)},
                                    {"node", Value(refusal.node)}}));
  }
  return Value::LIST(refusal_type(), std::move(values));
}

std::vector<Row> last_query(duckdb::ClientContext&, SessionState* state) {
  const auto* reports = state == nullptr ? nullptr : dynamic_cast<const ReportsPrevious*>(&state->session);
  if (reports == nullptr) return {};
  const auto report = reports->previous_report();
  if (report.query_id.empty()) return {};
  uint64_t bytes_read = 0;
  uint64_t peak = 0;
  for (const auto& profile : report.profiles) {
    bytes_read += profile.bytes_read;
    peak = std::max(peak, profile.peak_device_bytes);
  }
  return {{Value(report.query_id), Value(to_string(report.mode)), Value(report.where), refusal_list(report.refusals),
           Value::DOUBLE(report.planning_ms), Value::DOUBLE(report.total_ms), Value::UBIGINT(report.rows),
           Value::UBIGINT(bytes_read), Value::UBIGINT(peak), Value(report.error_code)}};
}

std::vector<Row> devices(duckdb::ClientContext&, SessionState* state) {
  if (state == nullptr || !state->shared->config.backend) return {};
  const auto& backend = *state->shared->config.backend;
  const auto device = backend.device();
  return {{Value(backend.name()), Value(device.name), Value(device.driver), Value(device.runtime),
           Value::INTEGER(device.compute_capability), Value::UBIGINT(device.memory_total_bytes),
           Value::UBIGINT(device.memory_free_bytes), Value::UBIGINT(device.managed_bytes),
           Value::UBIGINT(device.used_bytes), Value::BOOLEAN(device.lost)}};
}

std::vector<Row> settings(duckdb::ClientContext& context, SessionState* state) {
  std::vector<Row> rows;
  if (state == nullptr) return rows;
  for (const auto& option : state->shared->config.options) {
    rows.push_back({Value("weft_" + option.name), Value(option_value(context, option.name)),
                    Value(option.default_value), Value(option.type), Value(option.per_session ? "session" : "process"),
                    Value(option.help)});
  }
  return rows;
}

std::vector<Row> functions(duckdb::ClientContext&, SessionState*) {
  std::vector<Row> rows;
  for (const auto& function : support::functions()) {
    rows.push_back(
        {Value(std::string(function.name)), Value(std::string(function.kind)), Value(std::string(function.support))});
  }
  return rows;
}

}  // namespace

void register_system_tables(duckdb::DatabaseInstance& instance) {
  const auto text = LogicalType::VARCHAR;
  const auto size = LogicalType::UBIGINT;
  add_table(instance, "weft_last_query",
            {{"query_id", text},
             {"mode", text},
             {"where", text},
             {"refusals", LogicalType::LIST(refusal_type())},
             {"planning_ms", LogicalType::DOUBLE},
             {"total_ms", LogicalType::DOUBLE},
             {"rows", size},
             {"bytes_read", size},
             {"peak_device_bytes", size},
             {"error_code", text}},
            last_query);
  add_table(instance, "weft_devices",
            {{"backend", text},
             {"name", text},
             {"driver", text},
             {"runtime", text},
             {"compute_capability", LogicalType::INTEGER},
             {"memory_total_bytes", size},
             {"memory_free_bytes", size},
             {"managed_bytes", size},
             {"used_bytes", size},
             {"lost", LogicalType::BOOLEAN}},
            devices);
  add_table(instance, "weft_settings",
            {{"name", text}, {"value", text}, {"default", text}, {"type", text}, {"scope", text}, {"help", text}},
            settings);
  add_table(instance, "weft_functions", {{"name", text}, {"kind", text}, {"support", text}}, functions);
}

void register_system_table(duckdb::DatabaseInstance& instance, const std::string& name,
                           const std::vector<plan::Column>& columns, TableRows rows) {
  std::vector<std::pair<std::string, LogicalType>> typed;
  for (const auto& column : columns) typed.emplace_back(column.name, to_duckdb(column.type));
  add_table(instance, name, typed, [rows = std::move(rows)](duckdb::ClientContext&, SessionState* state) {
    std::vector<Row> out;
    if (state == nullptr) return out;
    for (const auto& values : rows(state->session)) {
      Row row;
      for (const auto& value : values) row.push_back(to_duckdb(value));
      out.push_back(std::move(row));
    }
    return out;
  });
}

}  // namespace weft::sql
