#include "gpu/kernels/prelude.hpp"

namespace weft::gpu::kernels {

// DOUBLE and FLOAT as DuckDB prints them, which is with its fmt (third_party/fmt/include/fmt/format-inl.h, 6.1).
const char* const kFloatTextText = R"cuda(
// Shortest digits that read back as the same number, nearest first: the free-format algorithm of Steele & White and
// Dragon4 (R. G. Burger and R. K. Dybvig, "Printing Floating-Point Numbers Quickly and Accurately", 1996). Nothing is
// rounded, so it is exact on every input.
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
// n digits, the first of which counts 10^power.
CALL Text format_digits(const Head& h, bool negative, const char* digits, i32 n, i32 power) {
  Letters l;
  l.n = 0;
  if (negative) put_letter(l, '-');
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
  if (negative) put_letter(l, '-');
  put_letter(l, nan ? 'n' : 'i');
  put_letter(l, nan ? 'a' : 'n');
  put_letter(l, nan ? 'n' : 'f');
  return keep(h, l);
}
FN Text format_double(const Head& h, f64 x) {
  const Binary b = binary_of(x);
  if (!b.finite) return format_special(h, x != x, b.negative);
  char digits[24];
  if (b.fraction == 0) {
    digits[0] = '0';
    return format_digits(h, b.negative, digits, 1, 0);
  }
  i32 point = 0;
  const i32 n = shortest_digits(b.fraction, b.exponent, b.edge, digits, point);
  return format_digits(h, b.negative, digits, n, point - 1);
}

// FLOAT. fmt looks for the shortest digits with Grisu3 (F. Loitsch, "Printing Floating-Point Numbers Quickly and
// Accurately with Integers", 2010), between the neighbours of the FLOAT. Where Grisu3 gives up, which is where its 64
// bits cannot tell, fmt takes the shortest digits of the number as a DOUBLE: often more digits than the FLOAT needs. So
// the text depends on Grisu3's own rounding, and what stands here is fmt's arithmetic bit for bit.
struct Power {
  u64 fraction;
  i32 exponent;
};
// 10^-36, 10^-28, ..., 10^52, rounded to 64 bits.
TABLE Power kPowers[12] = {
  {0xaa242499697392d3ull, -183}, {0xfd87b5f28300ca0eull, -157}, {0xbce5086492111aebull, -130},
  {0x8cbccc096f5088ccull, -103}, {0xd1b71758e219652cull, -77},  {0x9c40000000000000ull, -50},
  {0xe8d4a51000000000ull, -24},  {0xad78ebc5ac620000ull, 3},    {0x813f3978f8940984ull, 30},
  {0xc097ce7bc90715b3ull, 56},   {0x8f7e32ce7bea5c70ull, 83},   {0xd5d238a4abe98068ull, 109},
};
FN u64 high_product(u64 a, u64 b) {  // a * b / 2^64, rounded half up
  return (u64)(((u128)a * b + (1ull << 63)) >> 64);
}
struct Grisu {
  char* digits;
  i32 n;
  i32 power;      // of the last digit, beside the scale
  u64 distance;   // from the number to the upper bound
  u64 width;      // from the lower to the upper bound, in the unit of the digits so far
  bool sure;
};
// Takes one more digit, the rest behind it in units of 1/one; gives whether it was the last one.
FN bool grisu_digit(Grisu& g, char digit, u64 divisor, u64 rest, u64 unit) {
  g.digits[g.n++] = digit;
  if (rest >= g.width) return false;
  const u64 up = (g.distance - 1) * unit;
  while (rest < up && g.width - rest >= divisor && (rest + divisor < up || up - rest >= rest + divisor - up)) {
    --g.digits[g.n - 1];
    rest += divisor;
  }
  const u64 down = (g.distance + 1) * unit;
  const bool doubtful = rest < down && g.width - rest >= divisor &&
                        (rest + divisor < down || down - rest > rest + divisor - down);
  g.sure = !doubtful && 2 * unit <= rest && rest <= g.width - 4 * unit;
  return true;
}
// The digits of the number whose upper bound is `upper` * 2^-shift.
FN void grisu_digits(Grisu& g, u64 upper, i32 shift) {
  const u64 mask = (1ull << shift) - 1;
  u32 whole = (u32)(upper >> shift);
  u64 rest = upper & mask;
  u32 divisor = 1;
  g.power = 1;
  while (whole / divisor >= 10) {
    divisor *= 10;
    ++g.power;
  }
  while (g.power > 0) {
    const char digit = (char)('0' + whole / divisor);
    whole %= divisor;
    --g.power;
    if (grisu_digit(g, digit, (u64)divisor << shift, ((u64)whole << shift) + rest, 1)) return;
    divisor /= 10;
  }
  for (u64 unit = 10;; unit *= 10) {
    rest *= 10;
    g.width *= 10;
    const char digit = (char)('0' + (i32)(rest >> shift));
    rest &= mask;
    --g.power;
    if (grisu_digit(g, digit, 1ull << shift, rest, unit)) return;
  }
}
CALL Text format_float(const Head& h, f32 x) {
  const Binary b = binary_of((f64)x);
  if (!b.finite || b.fraction == 0) return format_double(h, (f64)x);
  // Half the distance to the FLOAT above, and to the one below; FLOATs below 2^-126 are all as far apart.
  const i32 least = -178;  // the exponent of 2^-126 as a DOUBLE
  const u64 half = 1ull << (28 + (b.exponent < least ? least - b.exponent : 0));
  const u64 half_below = b.edge && b.exponent > least ? half >> 1 : half;
  const i32 top = b.exponent - 11;
  // The power of ten that makes the number's exponent one in -60..-32.
  const i32 index = (i32)(((i64)(-61 - top) * 0x4d104d42ll + 0xffffffffll) >> 32);
  const i32 row = (index + 347) / 8 + 1;
  const Power power = kPowers[row - 39];
  const u64 value = high_product(b.fraction << 11, power.fraction);
  const u64 lower = high_product((b.fraction - half_below) << 11, power.fraction) - 1;
  const u64 upper = high_product((b.fraction + half) << 11, power.fraction) + 1;
  char digits[24];
  Grisu g;
  g.digits = digits;
  g.n = 0;
  g.distance = upper - value;
  g.width = upper - lower;
  g.sure = false;
  grisu_digits(g, upper, -(top + power.exponent + 64));
  const i32 scale = row * 8 - 348;
  if (g.sure) return format_digits(h, b.negative, digits, g.n, g.power + g.n - 1 - scale);
  return format_double(h, (f64)x);
}
)cuda";

}  // namespace weft::gpu::kernels
