// Values as DuckDB prints them.
#pragma once

#include <optional>
#include <string>

#include "plan/type.hpp"

namespace weft::gpu {

/// 1.50, 2020-02-29, 0044-03-15 (BC), true, inf; FLOAT and DOUBLE with all their digits. nullopt: NULL.
std::optional<std::string> value_text(const plan::Value& value);

}  // namespace weft::gpu
