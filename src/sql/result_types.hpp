// Types of result columns that DuckDB's Arrow form cannot hold travel as text.
#pragma once

#include "duckdb.hpp"

namespace weft::sql {

/// The types of result batches: VARCHAR in place of a type whose values DuckDB's default Arrow form would change: TIME
/// WITH TIME ZONE (its offset is lost), UHUGEINT (its upper half becomes negative), BIT (its padding stays), tuples
/// (they get names), and what contains them. With arrow_lossless_conversion the user chose Arrow's extension types:
/// nothing changes.
duckdb::vector<duckdb::LogicalType> batch_types(const duckdb::vector<duckdb::LogicalType>& types,
                                                const duckdb::ClientProperties& properties);

/// Casts the columns of `from` to `types`, sharing those that have them.
void cast_chunk(duckdb::ClientContext& context, duckdb::DataChunk& from,
                const duckdb::vector<duckdb::LogicalType>& types, duckdb::DataChunk& to);

}  // namespace weft::sql
