#include "gpu/kernels/prelude.hpp"

namespace weft::gpu::kernels {

// Every checked operation gives true when the result does not fit, and then leaves a harmless value.
const char* const kNumbersText = R"cuda(
template <class T> struct Range;
#define RANGE_OF(T, LOW, HIGH)                           \
  template <>                                            \
  struct Range<T> {                                      \
    static RANGE_FN i128 low() { return LOW; }           \
    static RANGE_FN i128 high() { return HIGH; }         \
  };
RANGE_OF(i8, -128, 127)
RANGE_OF(i16, -32768, 32767)
RANGE_OF(i32, -2147483648ll, 2147483647)
RANGE_OF(i64, -(i128)9223372036854775807ll - 1, 9223372036854775807ll)
RANGE_OF(u8, 0, 255)
RANGE_OF(u16, 0, 65535)
RANGE_OF(u32, 0, 4294967295ll)
RANGE_OF(u64, 0, (i128)18446744073709551615ull)
RANGE_OF(i128, (i128)((u128)1 << 127), (i128)~((u128)1 << 127))

// A type that holds any sum, difference or product of two Ts.
template <class T> struct Wide { typedef i64 type; };
template <> struct Wide<i64> { typedef i128 type; };
template <> struct Wide<u64> { typedef i128 type; };

template <class T> FN bool fits(typename Wide<T>::type w) { return (typename Wide<T>::type)(T)w == w; }
template <class T> FN bool checked_add(T a, T b, T& r) {
  const typename Wide<T>::type w = (typename Wide<T>::type)a + b;
  r = (T)w;
  return !fits<T>(w);
}
template <class T> FN bool checked_sub(T a, T b, T& r) {
  const typename Wide<T>::type w = (typename Wide<T>::type)a - b;
  r = (T)w;
  return !fits<T>(w);
}
template <class T> FN bool checked_mul(T a, T b, T& r) {
  const typename Wide<T>::type w = (typename Wide<T>::type)a * b;
  r = (T)w;
  return !fits<T>(w);
}
FN bool checked_mul(u32 a, u32 b, u32& r) {
  const u64 w = (u64)a * b;
  r = (u32)w;
  return (w >> 32) != 0;
}
FN bool checked_mul(u64 a, u64 b, u64& r) {
  const u128 w = (u128)a * b;
  r = (u64)w;
  return (u64)(w >> 64) != 0;
}
FN bool checked_add(i128 a, i128 b, i128& r) {
  r = (i128)((u128)a + (u128)b);
  return ((~(a ^ b)) & (a ^ r)) < 0;
}
FN bool checked_sub(i128 a, i128 b, i128& r) {
  r = (i128)((u128)a - (u128)b);
  return ((a ^ b) & (a ^ r)) < 0;
}
FN u128 magnitude(i128 x) { return x < 0 ? (u128)0 - (u128)x : (u128)x; }
CALL bool checked_mul(i128 a, i128 b, i128& r) {
  r = (i128)((u128)a * (u128)b);
  const u128 x = magnitude(a), y = magnitude(b);
  const u64 x0 = (u64)x, x1 = (u64)(x >> 64), y0 = (u64)y, y1 = (u64)(y >> 64);
  if (x1 != 0 && y1 != 0) return true;
  const u128 cross = x1 != 0 ? (u128)x1 * y0 : (u128)y1 * x0;
  if ((u64)(cross >> 64) != 0) return true;
  const u128 low = (u128)x0 * y0;
  const u128 high = cross + (low >> 64);
  if ((u64)(high >> 64) != 0) return true;
  const u128 product = (high << 64) | (u64)low;
  const u128 limit = (u128)1 << 127;
  return (a < 0) != (b < 0) ? product > limit : product >= limit;
}
template <class T> FN bool checked_negate(T a, T& r) { return checked_sub((T)0, a, r); }
// Division that truncates; b is not 0 when the result counts.
template <class T> FN bool checked_div(T a, T b, T& r) {
  if (b == 0) {
    r = 0;
    return true;
  }
  if (Range<T>::low() != 0 && b == (T)-1) return checked_negate(a, r);
  r = (T)(a / b);
  return false;
}
template <class T> FN bool checked_mod(T a, T b, T& r) {
  r = 0;
  if (b == 0) return true;
  if (Range<T>::low() != 0 && b == (T)-1) return false;
  r = (T)(a % b);
  return false;
}
FN i128 power10(i32 n) {
  i128 r = 1;
  for (; n >= 18; n -= 18) r *= 1000000000000000000ll;
  i64 s = 1;
  for (; n > 0; --n) s *= 10;
  return r * s;
}
// Quotient rounded half away from zero; d > 0.
FN i64 divide_half_away(i64 a, i64 d) {
  i64 q = a / d;
  const i64 rest = a - q * d;
  const i64 size = rest < 0 ? -rest : rest;
  if (size >= d - size) q += a < 0 ? -1 : 1;
  return q;
}
FN i128 divide_half_away(i128 a, i128 d) {
  i128 q = a / d;
  const i128 rest = a - q * d;
  const i128 size = rest < 0 ? -rest : rest;
  if (size >= d - size) q += a < 0 ? -1 : 1;
  return q;
}
FN bool is_nan(f64 x) { return x != x; }
FN bool is_nan(f32 x) { return x != x; }
// NaN is equal to itself and greatest.
template <class T> FN bool float_equal(T a, T b) { return a == b || (a != a && b != b); }
template <class T> FN bool float_less(T a, T b) { return a == a && (b != b || a < b); }
FN i64 order_key(f64 x) {
  if (x != x) return 0x7ff8000000000000ll;
  const i64 b = bits_of(x + 0.0);
  return b < 0 ? b ^ 0x7fffffffffffffffll : b;
}
FN i64 order_key(f32 x) {
  if (x != x) return 0x7fc00000;
  const i32 b = bits_of(x + 0.0f);
  return b < 0 ? b ^ 0x7fffffff : b;
}
FN f64 from_order_key64(i64 k) { return as_f64((u64)(k < 0 ? k ^ 0x7fffffffffffffffll : k)); }
FN f32 from_order_key32(i64 k) { return as_f32(k < 0 ? (i32)k ^ 0x7fffffff : (i32)k); }
template <class T> FN T normalize(T x) { return x != x ? (T)as_f64(0x7ff8000000000000ull) : x == 0 ? (T)0 : x; }
FN f64 to_f64(i128 x) { return (f64)x; }
// Rounds half to even and gives true if the result is outside T.
FN f64 to_nearest_even(f64 x) { return rint(x); }
template <class T> FN bool float_to_integer(f64 x, T& r) {
  const f64 y = to_nearest_even(x);
  const f64 low = (f64)Range<T>::low();
  const f64 above = 2.0 * (f64)((Range<T>::high() >> 1) + 1);
  r = 0;
  if (!(y >= low && y < above)) return true;
  r = (T)y;
  return false;
}
// Scaled in double, then half away from zero.
template <class T> FN bool float_to_decimal(f64 x, f64 scale, f64 limit, T& r) {
  const f64 y = round(x * scale);
  r = 0;
  if (!(y > -limit && y < limit)) return true;
  r = (T)y;
  return false;
}
FN f64 decimal_to_f64(i128 x, i128 unit) {
  const i128 exact = (i128)9007199254740992ll;
  if (x <= exact && x >= -exact) return (f64)(i64)x / (f64)unit;
  return (f64)(x / unit) + (f64)(x % unit) / (f64)unit;
}
FN bool f64_to_f32(f64 x, f32& r) {
  r = (f32)x;
  return r - r != 0 && x - x == 0;  // became infinite
}
FN bool outside(i128 x, i128 limit) { return x >= limit || x <= -limit; }
FN bool outside(i64 x, i64 limit) { return x >= limit || x <= -limit; }
FN bool outside(i32 x, i32 limit) { return x >= limit || x <= -limit; }
// Sums of 32-bit limbs back to 128 bits; true if they do not fit.
FN bool join_limbs(i64 l0, i64 l1, i64 l2, i64 l3, i128& r) {
  i128 carry = l0;
  const u64 w0 = (u32)carry;
  carry = (carry >> 32) + l1;
  const u64 w1 = (u32)carry;
  carry = (carry >> 32) + l2;
  const u64 w2 = (u32)carry;
  carry = (carry >> 32) + l3;
  r = make128(w0 | (w1 << 32), w2 | ((u64)(u32)carry << 32));
  return carry != (i128)(i32)carry;
}
)cuda";

}  // namespace weft::gpu::kernels
