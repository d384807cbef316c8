// Weft's settings as DuckDB's: SET weft_mode = 'native_required', RESET, current_setting().
#pragma once

#include <string>
#include <vector>

#include "duckdb.hpp"
#include "engine/backend.hpp"
#include "sql/database.hpp"

namespace weft::sql {

/// What a database has: the given options, and weft_mode if it is not among them. Throws InvalidInput for more than 64.
std::vector<Option> complete_options(std::vector<Option> options);
/// Registers them as VARCHAR settings "weft_" + name whose values are checked when they are SET on a Session.
void register_options(duckdb::DBConfig& config, const std::vector<Option>& options);

/// The value in force on the connection; "" for an unknown name.
std::string option_value(duckdb::ClientContext& context, const std::string& name);
Mode current_mode(duckdb::ClientContext& context);
/// In mode auto, small queries stay on the CPU.
bool small_on_cpu(duckdb::ClientContext& context);
/// What queries of this connection are submitted with.
engine::QueryOptions query_options(duckdb::ClientContext& context);

std::string to_string(Mode mode);

}  // namespace weft::sql
