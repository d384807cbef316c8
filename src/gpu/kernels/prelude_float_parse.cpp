#include "gpu/kernels/prelude.hpp"

namespace weft::gpu::kernels {

// Text to the nearest FLOAT or DOUBLE, of two nearest the even one. A quotient or product of two numbers that a DOUBLE
// holds is exact but for its one rounding (W. D. Clinger, "How to Read Floating Point Numbers Accurately", 1990);
// everything else starts from a guess and compares the text with the middles between the guess and its neighbours.
const char* const kFloatParseText = R"cuda(
// The number as written against fraction * 2^exponent: below 0, 0, above 0.
CALL i32 compare_written(Text t, const Number& x, u64 fraction, i32 exponent) {
  Big written, other, unit;
  big_set(written, (u64)(x.digits >> 64));
  big_shift(written, 64);
  big_set(unit, (u64)x.digits);
  big_add(written, unit);
  big_set(other, fraction);
  big_set(unit, 1);  // of the last digit in `written`
  if (x.exponent > 0) {
    big_times_power_of_five(written, x.exponent);
    big_times_power_of_five(unit, x.exponent);
  } else {
    big_times_power_of_five(other, -x.exponent);
  }
  const i32 twos = x.exponent - exponent;
  if (twos > 0) {
    big_shift(written, twos);
    big_shift(unit, twos);
  } else {
    big_shift(other, -twos);
  }
  const i32 order = big_compare(written, other);
  if (x.cut < 0 || order > 0) return order;
  // Digit by digit through those that were cut off.
  big_subtract(other, written);
  for (i32 at = x.cut;; ++at) {
    while (at < t.n && (t.p[at] == '.' || t.p[at] == '_')) ++at;
    if (at >= t.n || !is_digit(t.p[at])) return other.n == 0 ? 0 : -1;
    big_times(other, 10u);
    for (i32 digit = t.p[at] - '0'; digit > 0; --digit) {
      if (big_compare(other, unit) < 0) return 1;
      big_subtract(other, unit);
    }
    if (big_compare(other, unit) >= 0) return -1;
  }
}
// y, or the neighbour of it that is nearest to the number as written.
CALL f64 settle(Text t, const Number& x, f64 y) {
  const f64 greatest = as_f64(0x7fefffffffffffffull);
  if (!(y <= greatest)) y = greatest;
  for (;;) {
    const Binary b = binary_of(y);
    const bool odd = (b.fraction & 1) != 0;
    const i32 above = compare_written(t, x, 2 * b.fraction + 1, b.exponent - 1);
    if (above > 0 || (above == 0 && odd)) {
      y = as_f64((u64)bits_of(y) + 1);
      if (y > greatest) return y;
      continue;
    }
    if (b.fraction == 0) return y;
    const i32 below = b.edge ? compare_written(t, x, 4 * b.fraction - 1, b.exponent - 2)
                             : compare_written(t, x, 2 * b.fraction - 1, b.exponent - 1);
    if (below > 0 || (below == 0 && !odd)) return y;
    y = as_f64((u64)bits_of(y) - 1);
  }
}
// Without the sign.
CALL f64 nearest_double(Text t, const Number& x) {
  i32 e = x.exponent, digits = 0;
  for (u128 rest = x.digits; rest != 0; rest /= 10) ++digits;
  if (digits == 0 || digits + e < -330) return 0;
  if (digits + e > 310) return as_f64(0x7ff0000000000000ull);
  f64 y = (f64)x.digits;
  if (x.cut < 0 && x.digits <= (1ull << 53) && e >= -22 && e <= 22) {
    f64 power = 1;
    for (i32 k = e < 0 ? -e : e; k > 0; --k) power *= 10;
    return e < 0 ? y / power : y * power;
  }
  // In steps, so that neither the power nor the product leaves the range before its time.
  for (; e < -300 && y != 0; e += 300) y /= 1e300;
  for (; e > 300 && y - y == 0; e -= 300) y *= 1e300;
  y = e < 0 ? y / pow(10.0, (f64)-e) : y * pow(10.0, (f64)e);
  return settle(t, x, y);
}
// Rounding twice is wrong where the DOUBLE is the very middle between two FLOATs and the number is not.
CALL f32 nearest_float(Text t, const Number& x) {
  const f64 y = nearest_double(t, x);
  const f32 z = (f32)y;
  if (y - y != 0 || (f64)z == y) return z;
  const bool rounded_up = (f64)z > y;
  const f32 other = as_f32(bits_of(z) + (rounded_up ? -1 : 1));
  const f64 beyond = 340282366920938463463374607431768211456.0;  // 2^128, where FLOAT has infinity
  const f64 a = z - z != 0 ? beyond : (f64)z;
  const f64 b = other - other != 0 ? beyond : (f64)other;
  if (y != a / 2 + b / 2) return z;
  const Binary middle = binary_of(y);
  const i32 order = compare_written(t, x, middle.fraction, middle.exponent);
  return order == 0 || (order > 0) == rounded_up ? z : other;
}
// DuckDB takes a fraction's first digits by eights and then does not know a _ directly behind them.
FN bool underscore_after_eights(Text t) {
  i32 at = 0;
  while (at < t.n && t.p[at] != '.') ++at;
  ++at;
  i32 digits = 0;
  while (digits < 16 && at + digits < t.n && is_digit(t.p[at + digits])) ++digits;
  digits = digits / 8 * 8;
  return digits > 0 && at + digits < t.n && t.p[at + digits] == '_';
}
// nan, inf and infinity; else the number. True when it is neither.
CALL bool scan_float(Text& t, Number& x, bool& special, f64& value) {
  t = strip_spaces(t);
  special = false;
  if (t.n > 1 && t.p[0] == '+') {
    if (t.p[1] == '+') return true;
    t = text(t.p + 1, t.n - 1);
  }
  const i32 sign = t.n > 0 && (t.p[0] == '-' || t.p[0] == '+') ? 1 : 0;
  const u64 negative = sign != 0 && t.p[0] == '-' ? 1ull << 63 : 0;
  special = true;
  if (has_word(t, sign, "nan", 3) && t.n == sign + 3) {
    value = as_f64(negative | 0x7ff8000000000000ull);
    return false;
  }
  if ((has_word(t, sign, "inf", 3) && t.n == sign + 3) || (has_word(t, sign, "infinity", 8) && t.n == sign + 8)) {
    value = as_f64(negative | 0x7ff0000000000000ull);
    return false;
  }
  special = false;
  return scan_number(t, x) || underscore_after_eights(t);
}
CALL bool parse_double(Text t, f64& r) {
  Number x;
  bool special;
  r = 0;
  if (scan_float(t, x, special, r)) return true;
  if (!special) r = x.negative ? -nearest_double(t, x) : nearest_double(t, x);
  return false;
}
CALL bool parse_float(Text t, f32& r) {
  Number x;
  bool special;
  f64 value = 0;
  r = 0;
  if (scan_float(t, x, special, value)) return true;
  r = special ? (f32)value : x.negative ? -nearest_float(t, x) : nearest_float(t, x);
  return false;
}
)cuda";

}  // namespace weft::gpu::kernels
