// What the GPU's Parquet reader cannot read although DuckDB can.
#pragma once

#include <cstdint>
#include <string>

#include "plan/type.hpp"

namespace weft::support {

/// Of a column chunk, by the numbers of Parquet's own enums (parquet.thrift: Type, CompressionCodec), and of the type
/// that DuckDB binds the column to. "" if the GPU reads it, else what is in the way: "compression codec LZ4".
/// - libcudf 26.10 has no LZO and none of the old framing of LZ4. Its BROTLI kernel does not survive damage: a block of
/// no
///   length makes it write 2^32 bytes, and tables for which its memory is too small are written to address 0.
/// - INT96 is a day and nanoseconds in it, which libcudf makes nanoseconds since 1970: days before 1677 and after 2262
///   would wrap around, and DuckDB cuts to microseconds where a cast of nanoseconds rounds.
/// - DECIMAL in BYTE_ARRAY with a dictionary: libcudf takes an entry's bytes for its address.
/// - Floating point in bytes is FLOAT16, or a decimal of more than 38 digits.
std::string refused_parquet_column(int32_t physical_type, int32_t codec, const plan::Type& bound);

}  // namespace weft::support
