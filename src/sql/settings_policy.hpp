// Which of DuckDB's settings change the values or the order of a query's rows, and what Weft does about them.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "duckdb.hpp"
#include "support/support.hpp"

namespace weft::sql {

enum class SettingClass : unsigned char {
  Neutral,   // changes no value, or is in the plan already when Weft sees it (bound into types, functions, sort orders)
  Honoured,  // Weft obeys it
  Refused,   // changes values in a way that the plan does not show: with another value than the default, no GPU
};

/// The class of a setting that duckdb_settings() lists, by its name; nullopt: nobody has looked at it. Weft's own are
/// Neutral.
std::optional<SettingClass> classify_setting(std::string_view name);

/// unsupported_setting for each Refused setting that is not at its default on this connection.
std::vector<support::Refusal> refused_settings(duckdb::ClientContext& context);

}  // namespace weft::sql
