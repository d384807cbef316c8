#include "gpu/kernels/prelude.hpp"

namespace weft::gpu::kernels {

const char* const kMathText = R"cuda(
template <class T> FN T divide_truncate(T a, T d) { return a / d; }
template <class T> FN T divide_floor(T a, T d) { return a / d - (a % d < 0 ? 1 : 0); }
template <class T> FN T divide_ceil(T a, T d) { return a / d + (a % d > 0 ? 1 : 0); }
template <class T> FN T divide_half_even(T a, T d) {
  T q = a / d;
  const T rest = a - q * d;
  const T size = rest < 0 ? -rest : rest;
  if (size > d - size || (size == d - size && q % 2 != 0)) q += a < 0 ? -1 : 1;
  return q;
}
// quotient * unit as T; true if it does not fit.
template <class T> FN bool round_to_unit(i128 quotient, i128 unit, T& r) {
  i128 w;
  r = 0;
  if (checked_mul(quotient, unit, w) || w < Range<T>::low() || w > Range<T>::high()) return true;
  r = (T)w;
  return false;
}
// DuckDB rounds the exact product (quotient), not the nearest double: where that double is a tie, the rest decides.
FN f64 round_exactly(f64 nearest, f64 rest) {
  const f64 whole = trunc(nearest);
  const bool tie = nearest - whole == 0.5 || nearest - whole == -0.5;
  return tie && rest != 0 && (rest < 0) == (nearest > 0) ? whole : round(nearest);
}
template <class T> FN T round_digits(T x, i32 digits) {
  if (x - x != 0) return x;
  const f64 v = (f64)x;
  if (digits < 0) {
    const f64 unit = pow(10.0, (f64)-digits);
    const f64 q = v / unit;
    const f64 y = round_exactly(q, fma(-q, unit, v)) * unit;
    return y - y != 0 ? (T)0 : (T)y;
  }
  const f64 unit = pow(10.0, (f64)digits);
  const f64 p = v * unit;
  const f64 y = round_exactly(p, fma(v, unit, -p)) / unit;
  return y - y != 0 ? x : (T)y;
}
// The exact product decides where the nearest double is a tie and the product is none.
template <class T> FN T round_even_digits(T x, i32 digits) {
  const f64 v = (f64)x;
  if (v - v != 0) return x;
  if (digits < 0) {
    const f64 unit = pow(10.0, (f64)-digits);
    if (unit - unit != 0) return (T)0;
    const f64 y = rint(v / unit) * unit;
    return y - y != 0 ? x : (T)y;
  }
  const f64 unit = pow(10.0, (f64)digits);
  const f64 scaled = v * unit;
  f64 nearest = rint(scaled);
  if (digits > 0 && digits <= 22 && fabs(scaled - trunc(scaled)) == 0.5) {
    const f64 rest = fma(v, unit, -scaled);
    if (rest != 0) nearest = rest < 0 ? floor(scaled) : ceil(scaled);
  }
  const f64 y = nearest / unit;
  return y - y != 0 ? x : (T)y;
}
template <class T> FN T trunc_digits(T x, i32 digits) {
  if (x - x != 0) return x;
  if (digits < 0) {
    const f64 unit = pow(10.0, (f64)-digits);
    const f64 y = trunc(x / unit) * unit;
    return y - y != 0 ? (T)0 : (T)y;
  }
  const f64 unit = pow(10.0, (f64)digits);
  const f64 y = trunc(x * unit) / unit;
  return y - y != 0 ? x : (T)y;
}
FN f64 next_even(f64 x) {
  f64 y = x >= 0 ? ceil(x) : -ceil(-x);
  if (floor(y / 2) * 2 != y) y += x >= 0 ? 1.0 : -1.0;
  return y;
}
template <class T> FN T floored_modulo(T a, T b) {
  T r = (T)fmod(a, b);
  if (r == 0) return (T)0;
  if ((r < 0) != (b < 0)) r += b;
  return r;
}
)cuda";

}  // namespace weft::gpu::kernels
