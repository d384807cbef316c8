// Errors between Weft and DuckDB. Inside DuckDB an error of Weft is an exception of a fitting DuckDB type whose text is
// "[code] message"; at the seam it becomes a weft::Exception with that code again.
#pragma once

#include "base/error.hpp"
#include "duckdb.hpp"

namespace weft::sql {

/// Throws the error as a DuckDB exception. Never of DuckDB's types FATAL and INTERNAL: they would shut the database
/// down.
[[noreturn]] void throw_in_duckdb(const Error& error);

/// The error that DuckDB reports, as the seam shows it: Weft's own with its code, an interrupt as Cancelled, all else
/// as DuckDbError with DuckDB's text, unchanged.
Error error_of(const duckdb::ErrorData& data);

}  // namespace weft::sql
