// How a Parquet column's values are stored, as far as its pages depend on it.
#pragma once

#include <cstdint>

#include <variant>

#include <cudf/io/parquet_schema.hpp>

namespace weft::gpu {

struct StoredType {
  cudf::io::parquet::Type physical = cudf::io::parquet::Type::UNDEFINED;
  uint32_t length = 0;    // of FIXED_LEN_BYTE_ARRAY, in bytes
  bool nullable = false;  // OPTIONAL: there are definition levels
  bool text = false;      // libcudf decodes it as strings
};

}  // namespace weft::gpu
