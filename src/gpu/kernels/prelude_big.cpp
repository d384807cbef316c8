#include "gpu/kernels/prelude.hpp"

namespace weft::gpu::kernels {

// What exact conversions between text and floating point need. 1152 bits hold 10^308 * 2^53 and, with the powers of two
// taken out, what text of 38 digits and a double are compared by.
const char* const kBigText = R"cuda(
#define BIG_WORDS 36
struct Big {
  u32 w[BIG_WORDS];
  i32 n;
};
FN void big_set(Big& b, u64 x) {
  b.w[0] = (u32)x;
  b.w[1] = (u32)(x >> 32);
  b.n = b.w[1] != 0 ? 2 : b.w[0] != 0 ? 1 : 0;
}
CALL void big_times(Big& b, u32 factor) {
  u64 carry = 0;
  for (i32 k = 0; k < b.n; ++k) {
    carry += (u64)b.w[k] * factor;
    b.w[k] = (u32)carry;
    carry >>= 32;
  }
  if (carry != 0) b.w[b.n++] = (u32)carry;
}
CALL void big_shift(Big& b, i32 bits) {
  const i32 words = bits / 32;
  for (i32 left = bits % 32; left > 0; left -= 16) big_times(b, 1u << (left < 16 ? left : 16));
  if (b.n == 0) return;
  for (i32 k = b.n - 1; k >= 0; --k) b.w[k + words] = b.w[k];
  for (i32 k = 0; k < words; ++k) b.w[k] = 0;
  b.n += words;
}
CALL void big_times_power_of_ten(Big& b, i32 exponent) {
  for (; exponent >= 9; exponent -= 9) big_times(b, 1000000000u);
  for (; exponent > 0; --exponent) big_times(b, 10u);
}
CALL void big_times_power_of_five(Big& b, i32 exponent) {
  for (; exponent >= 13; exponent -= 13) big_times(b, 1220703125u);
  for (; exponent > 0; --exponent) big_times(b, 5u);
}
CALL i32 big_compare(const Big& a, const Big& b) {
  if (a.n != b.n) return a.n < b.n ? -1 : 1;
  for (i32 k = a.n - 1; k >= 0; --k) {
    if (a.w[k] != b.w[k]) return a.w[k] < b.w[k] ? -1 : 1;
  }
  return 0;
}
CALL void big_add(Big& a, const Big& b) {
  u64 carry = 0;
  for (i32 k = 0; k < a.n || k < b.n || carry != 0; ++k) {
    carry += (u64)(k < a.n ? a.w[k] : 0u) + (k < b.n ? b.w[k] : 0u);
    if (k >= a.n) a.n = k + 1;
    a.w[k] = (u32)carry;
    carry >>= 32;
  }
}
CALL void big_subtract(Big& a, const Big& b) {  // a >= b
  i64 borrow = 0;
  for (i32 k = 0; k < a.n; ++k) {
    const i64 x = (i64)a.w[k] - (k < b.n ? (i64)b.w[k] : 0) + borrow;
    a.w[k] = (u32)x;
    borrow = x < 0 ? -1 : 0;
  }
  while (a.n > 0 && a.w[a.n - 1] == 0) --a.n;
}
// A double's parts: fraction * 2^exponent.
struct Binary {
  u64 fraction;
  i32 exponent;
  bool edge;  // the number below is half as far as the one above
  bool negative, finite;
};
FN Binary binary_of(f64 x) {
  const u64 bits = (u64)bits_of(x);
  const i32 biased = (i32)((bits >> 52) & 2047);
  Binary b;
  b.fraction = bits & ((1ull << 52) - 1);
  b.edge = b.fraction == 0 && biased > 1;
  b.negative = (bits >> 63) != 0;
  b.finite = biased != 2047;
  if (biased != 0) b.fraction |= 1ull << 52;
  b.exponent = (biased == 0 ? 1 : biased) - 1075;
  return b;
}
)cuda";

}  // namespace weft::gpu::kernels
