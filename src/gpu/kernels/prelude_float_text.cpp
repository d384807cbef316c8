#include "gpu/kernels/prelude.hpp"

namespace weft::gpu::kernels {

// DOUBLE as DuckDB prints it. FLOAT is not here: DuckDB's text of it is not always the shortest one.
const char* const kFloatTextText = R"cuda(
// Shortest digits that read back as the same number, nearest first: the free-format algorithm of Steele & White and
// Dragon4 (R. G. Burger and R. K. Dybvig, "Printing Floating-Point Numbers Quickly and Accurately", 1996), with integers
// of up to 1152 bits. Nothing is rounded, so it is exact on every input.
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
// The digits of fraction * 2^exponent, which is 0.d1d2d3... * 10^point. `edge`: the number below is half as far as the
// one above (fraction is the least of its binade).
CALL i32 shortest_digits(u64 fraction, i32 exponent, bool edge, char* digits, i32& point) {
  Big r, s, above, below, sum;
  const bool even = (fraction & 1) == 0;
  i32 bits = 0;
  for (u64 x = fraction; x != 0; x >>= 1) ++bits;
  big_set(r, fraction);
  big_set(s, 1);
  big_set(above, 1);
  big_set(below, 1);
  const i32 twice = edge ? 2 : 1;
  big_shift(r, twice + (exponent > 0 ? exponent : 0));
  big_shift(s, twice + (exponent < 0 ? -exponent : 0));
  big_shift(above, twice - 1 + (exponent > 0 ? exponent : 0));
  big_shift(below, exponent > 0 ? exponent : 0);
  point = (i32)ceil((f64)(exponent + bits - 1) * 0.30102999566398120 - 1e-10);
  if (point > 0) {
    big_times_power_of_ten(s, point);
  } else {
    big_times_power_of_ten(r, -point);
    big_times_power_of_ten(above, -point);
    big_times_power_of_ten(below, -point);
  }
  sum = r;
  big_add(sum, above);
  const i32 order = big_compare(sum, s);
  if (order > 0 || (order == 0 && even)) {
    ++point;
  } else {
    big_times(r, 10u);
    big_times(above, 10u);
    big_times(below, 10u);
  }
  for (i32 n = 0;;) {
    i32 digit = 0;
    while (big_compare(r, s) >= 0) {
      big_subtract(r, s);
      ++digit;
    }
    const i32 down = big_compare(r, below);
    sum = r;
    big_add(sum, above);
    const i32 up = big_compare(sum, s);
    const bool low = down < 0 || (down == 0 && even);
    const bool high = up > 0 || (up == 0 && even);
    if (!low && !high) {
      digits[n++] = (char)('0' + digit);
      big_times(r, 10u);
      big_times(above, 10u);
      big_times(below, 10u);
      continue;
    }
    if (low && high) {
      big_times(r, 2u);
      const i32 half = big_compare(r, s);
      digit += half > 0 || (half == 0 && (digit & 1) != 0) ? 1 : 0;  // of two nearest, the even one
    } else if (high) {
      ++digit;
    }
    digits[n++] = (char)('0' + digit);
    return n;
  }
}
CALL Text format_binary(const Head& h, bool negative, u64 fraction, i32 exponent, bool edge) {
  Letters l;
  l.n = 0;
  if (negative) put_letter(l, '-');
  if (fraction == 0) {
    put_letter(l, '0');
    put_letter(l, '.');
    put_letter(l, '0');
    return keep(h, l);
  }
  char digits[24];
  i32 point = 0;
  const i32 n = shortest_digits(fraction, exponent, edge, digits, point);
  const i32 power = point - 1;  // of the first digit
  if (power < -4 || power >= 16) {
    put_letter(l, digits[0]);
    if (n > 1) put_letter(l, '.');
    for (i32 k = 1; k < n; ++k) put_letter(l, digits[k]);
    put_letter(l, 'e');
    put_letter(l, power < 0 ? '-' : '+');
    put_digits(l, (u64)(power < 0 ? -power : power), 2);
    return keep(h, l);
  }
  for (i32 k = power < 0 ? power : 0; k < n || k <= power + 1; ++k) {
    if (k == power + 1 && power >= 0) put_letter(l, '.');
    if (k == 1 + power && power < 0) put_letter(l, '.');
    put_letter(l, k >= 0 && k < n ? digits[k] : '0');
  }
  return keep(h, l);
}
CALL Text format_special(const Head& h, bool nan, bool negative) {
  Letters l;
  l.n = 0;
  if (negative && !nan) put_letter(l, '-');
  put_letter(l, nan ? 'n' : 'i');
  put_letter(l, nan ? 'a' : 'n');
  put_letter(l, nan ? 'n' : 'f');
  return keep(h, l);
}
FN Text format_double(const Head& h, f64 x) {
  const u64 bits = (u64)bits_of(x);
  const i32 biased = (i32)((bits >> 52) & 2047);
  const u64 fraction = bits & ((1ull << 52) - 1);
  const bool negative = (bits >> 63) != 0;
  if (biased == 2047) return format_special(h, fraction != 0, negative);
  return format_binary(h, negative, biased == 0 ? fraction : fraction | (1ull << 52), (biased == 0 ? 1 : biased) - 1075,
                       fraction == 0 && biased > 1);
}
)cuda";

}  // namespace weft::gpu::kernels
