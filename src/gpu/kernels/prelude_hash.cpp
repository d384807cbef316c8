#include "gpu/kernels/prelude.hpp"

namespace weft::gpu::kernels {

// hash() of DuckDB 2.0.1. A NULL has a value of its own.
const char* const kHashText = R"cuda(
#define HASH_FACTOR 0xd6e8feb86659fd93ull
#define HASH_OF_NULL 0xbf58476d1ce4e5b9ull
FN u64 mix_bits(u64 x) {
  x ^= x >> 32;
  x *= HASH_FACTOR;
  x ^= x >> 32;
  x *= HASH_FACTOR;
  return x ^ x >> 32;
}
FN u64 hash_of(bool x) { return mix_bits((u32)x); }
FN u64 hash_of(i8 x) { return mix_bits((u32)x); }
FN u64 hash_of(i16 x) { return mix_bits((u32)x); }
FN u64 hash_of(i32 x) { return mix_bits((u32)x); }
FN u64 hash_of(u8 x) { return mix_bits((u32)x); }
FN u64 hash_of(u16 x) { return mix_bits((u32)x); }
FN u64 hash_of(u32 x) { return mix_bits((u32)x); }
FN u64 hash_of(i64 x) { return mix_bits((u64)x); }
FN u64 hash_of(u64 x) { return mix_bits(x); }
FN u64 hash_of(i128 x) { return mix_bits((u64)x) ^ mix_bits((u64)(x >> 64)); }
FN u64 hash_of(f32 x) { return mix_bits((u32)bits_of(normalize(x))); }
FN u64 hash_of(f64 x) { return mix_bits((u64)bits_of(normalize(x))); }
CALL u64 hash_of(Text t) {
  u64 h = 0xe17a1465ull ^ (u64)t.n * 0xc6a4a7935bd1e995ull;
  for (i32 at = 0; at < t.n; at += 8) {
    h ^= load8(t.p + at, t.n - at);
    h *= HASH_FACTOR;
  }
  return mix_bits(h);
}
FN u64 combined_hash(u64 a, u64 b) { return ((a ^ a >> 32) * HASH_FACTOR) ^ b; }
)cuda";

}  // namespace weft::gpu::kernels
