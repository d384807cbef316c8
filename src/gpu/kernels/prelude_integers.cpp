#include "gpu/kernels/prelude.hpp"

namespace weft::gpu::kernels {

// A function that gives a bool gives true where DuckDB raises.
const char* const kIntegersText = R"cuda(
template <class T> FN bool absolute(T x, T& r) {
  r = x;
  return x < 0 && checked_negate(x, r);
}
template <class T> CALL bool common_divisor(T left, T right, T& r) {
  const T low = (T)Range<T>::low();
  r = 1;
  if ((left == low && right == -1) || (left == -1 && right == low)) return false;
  T a = left, b = right;
  for (;;) {
    if (a == 0) return absolute(b, r);
    b %= a;
    if (b == 0) return absolute(a, r);
    a %= b;
  }
}
template <class T> CALL bool common_multiple(T left, T right, T& r) {
  T divisor, product;
  r = 0;
  if (left == 0 || right == 0) return false;
  return common_divisor(left, right, divisor) || checked_mul(left, (T)(right / divisor), product) || absolute(product, r);
}
CALL bool factorial(i32 n, i128& r) {
  r = 1;
  if (n < 0) return true;
  for (i32 k = 2; k <= n; ++k) {
    if (checked_mul(r, (i128)k, r)) return true;
  }
  return false;
}
CALL bool choose(i32 n, i32 k, i128& r) {
  r = 0;
  if (n < 0 || k < 0) return true;
  if (n < k) return false;
  r = 1;
  if (n - k < k) k = n - k;
  for (i32 i = 1; i <= k; ++i) {
    // The divisors of the new factor are taken out first, so that only a result that does not fit overflows.
    i128 factor = (i128)(n - k + i), divisor = i, common;
    common_divisor(factor, divisor, common);
    factor /= common;
    divisor /= common;
    common_divisor(r, divisor, common);
    r /= common;
    if (checked_mul(r, factor, r)) return true;
  }
  return false;
}
template <class T> FN bool shift_left(T x, T by, T& r) {
  const bool is_signed = Range<T>::low() != 0;
  const i32 most = (i32)sizeof(T) * 8 + (is_signed ? 0 : 1);
  r = 0;
  if ((is_signed && x < 0) || by < 0) return true;
  if (by >= (T)most) return x != 0;
  r = x;
  if (by == 0 || x == 0) return false;
  if (x >= (T)((u128)1 << (most - (i32)by - 1))) return true;
  r = (T)((u128)x << (i32)by);
  return false;
}
template <class T> FN T shift_right(T x, T by) { return by >= 0 && by < (T)((i32)sizeof(T) * 8) ? (T)(x >> (i32)by) : (T)0; }
FN i32 bit_ones(i8 x) { return ones((u8)x); }
FN i32 bit_ones(i16 x) { return ones((u16)x); }
FN i32 bit_ones(i32 x) { return ones((u32)x); }
FN i32 bit_ones(i64 x) { return ones((u64)x); }
FN i32 bit_ones(i128 x) { return ones((u64)x) + ones((u64)(x >> 64)); }
)cuda";

}  // namespace weft::gpu::kernels
