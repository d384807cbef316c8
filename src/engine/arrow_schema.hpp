// Arrow schemas of the batches between DuckDB and a backend: DuckDB's own form of each type, or of the type that
// carries it (plan::Type::carrier). What a user sees is DuckDB's form always: sql makes the schema of a result.
#pragma once

#include <string>
#include <vector>

#include "engine/arrow_c.hpp"
#include "plan/node.hpp"

namespace weft::engine {

/// Arrow format string: "l", "d:15,2", "u", "tdD", "tsu:" (TIMESTAMP WITH TIME ZONE too), HUGEINT "d:38,0".
/// InternalError for Unsupported and Interval.
std::string arrow_format(const plan::Type& type);
/// A struct schema of the columns.
HostSchema arrow_schema(const std::vector<plan::Column>& columns);
/// The reverse. Types that Weft does not know become Unsupported with the format as text. "d:38,0" becomes
/// DECIMAL(38,0), because Arrow has no HUGEINT.
std::vector<plan::Column> columns_of(const ArrowSchema& schema);

}  // namespace weft::engine
