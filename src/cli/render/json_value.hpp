// Values as JSON.
#pragma once

#include <cstdint>
#include <string>

#include "session/connection.hpp"

namespace weft::cli {

/// A JSON string. What is not UTF-8 becomes U+FFFD.
std::string json_string(const std::string& text);

/// The value at `index` of an array (whose offset is added), as DuckDB's to_json() writes it: lists as arrays,
/// structs, maps and unions as objects. Numbers have all their digits; NaN and infinities, which JSON
/// has no number for, are strings; so are dates, times and blobs, in DuckDB's text.
std::string json_value(const ArrowSchema& type, const ArrowArray& array, int64_t index);

}  // namespace weft::cli
