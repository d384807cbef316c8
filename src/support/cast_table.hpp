// The casts that the GPU backend runs, CAST and TRY_CAST alike.
#pragma once

#include "plan/type.hpp"

namespace weft::support {

/// Numbers (integers, decimals, FLOAT, DOUBLE) and BOOLEAN among each other; DATE and the timestamps among each other
/// (but TIMESTAMP_NS to TIMESTAMP_S, which DuckDB lacks); VARCHAR to and from all of these; NULL to everything.
bool cast_supported(const plan::Type& from, const plan::Type& to);

}  // namespace weft::support
