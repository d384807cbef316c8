// Types, columns and values between the plan and DuckDB.
#pragma once

#include <vector>

#include "duckdb.hpp"
#include "plan/node.hpp"

namespace weft::sql {

/// Exact types and values; a DuckDB type that plan::Type lacks gives TypeId::Unsupported with DuckDB's name of it.
plan::Type translate_type(const duckdb::LogicalType& type);
/// `value`'s type may be Unsupported: then the plan's value is NULL of it (support refuses it).
plan::Value translate_value(const duckdb::Value& value);
/// DuckDB's type. Throws InternalError for Unsupported.
duckdb::LogicalType to_duckdb(const plan::Type& type);
/// The same value of DuckDB. An Interval too.
duckdb::Value to_duckdb(const plan::Value& value);
/// A result's columns, as the plan writes them.
std::vector<plan::Column> to_columns(const duckdb::vector<duckdb::Identifier>& names,
                                     const duckdb::vector<duckdb::LogicalType>& types);
/// "name" with its quotes doubled, for SQL text.
std::string quoted(const std::string& identifier);

}  // namespace weft::sql
