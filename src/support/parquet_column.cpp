#include "support/parquet_column.hpp"

#include <array>

namespace weft::support {
namespace {

constexpr int32_t kInt96 = 3;
constexpr int32_t kByteArray = 6;
constexpr int32_t kFixedLengthByteArray = 7;

struct Codec {
  const char* name;
  bool readable;
};
constexpr std::array<Codec, 8> kCodecs{{{"UNCOMPRESSED", true},
                                        {"SNAPPY", true},
                                        {"GZIP", true},
                                        {"LZO", false},
                                        {"BROTLI", false},
                                        {"LZ4", false},
                                        {"ZSTD", true},
                                        {"LZ4_RAW", true}}};

}  // namespace

std::string refused_parquet_column(int32_t physical_type, int32_t codec, const plan::Type& bound) {
  const bool known = codec >= 0 && codec < static_cast<int32_t>(kCodecs.size());
  if (!known) return "compression codec number " + std::to_string(codec);
  const Codec& one = kCodecs[static_cast<size_t>(codec)];
  if (!one.readable) return std::string("compression codec ") + one.name;
  if (physical_type == kInt96) return "INT96 timestamps";
  const bool bytes = physical_type == kByteArray || physical_type == kFixedLengthByteArray;
  if (physical_type == kByteArray && bound.is_decimal()) return bound.to_string() + " stored as BYTE_ARRAY";
  if (bytes && bound.is_floating()) return bound.to_string() + " stored as bytes";
  return "";
}

}  // namespace weft::support
