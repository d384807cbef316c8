// docs/functions.md: every scalar, aggregate and window function of DuckDB's catalog, and where Weft runs it.
#pragma once

#include <string>

#include "session/connection.hpp"

namespace weft::workload {

/// The text of the page, from duckdb_functions() and weft_functions() of this connection.
std::string functions_document(session::Connection& connection);

}  // namespace weft::workload
