// Names of types as DuckDB's shell shows them below a column's name: int32, decimal(15,2), varchar, int32[].
#pragma once

#include <string>

#include "session/connection.hpp"

namespace weft::cli {

std::string type_label(const plan::Type& type);

}  // namespace weft::cli
