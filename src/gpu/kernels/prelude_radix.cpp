#include "gpu/kernels/prelude.hpp"

namespace weft::gpu::kernels {

const char* const kRadixText = R"cuda(
CALL Text digits_of_bits(const Head& h, u128 x, i32 bits_a_digit) {
  i32 n = 1;
  for (u128 rest = x >> bits_a_digit; rest != 0; rest >>= bits_a_digit) ++n;
  char* const out = arena_take(h, n);
  if (out == 0) return text(h.arena, 0);
  for (i32 k = n; k-- > 0; x >>= bits_a_digit) out[k] = digit_letter((i32)x & ((1 << bits_a_digit) - 1));
  return text(out, n);
}
CALL Text digits_of_bytes(const Head& h, Text t, i32 bits_a_digit) {
  const i32 each = 8 / bits_a_digit;
  char* const out = arena_take(h, (i64)t.n * each);
  if (out == 0) return text(h.arena, 0);
  for (i64 k = 0; k < (i64)t.n * each; ++k) {
    const i32 byte = (u8)t.p[k / each];
    out[k] = digit_letter(byte >> (8 - bits_a_digit - (i32)(k % each) * bits_a_digit) & ((1 << bits_a_digit) - 1));
  }
  return text(out, (i64)t.n * each);
}
FN Text to_hex(const Head& h, Text t) { return digits_of_bytes(h, t, 4); }
FN Text to_hex(const Head& h, i64 x) { return digits_of_bits(h, (u64)x, 4); }
FN Text to_hex(const Head& h, u64 x) { return digits_of_bits(h, x, 4); }
FN Text to_hex(const Head& h, i128 x) { return digits_of_bits(h, (u128)x, 4); }
FN Text to_binary(const Head& h, Text t) { return digits_of_bytes(h, t, 1); }
FN Text to_binary(const Head& h, i64 x) { return digits_of_bits(h, (u64)x, 1); }
FN Text to_binary(const Head& h, u64 x) { return digits_of_bits(h, x, 1); }
FN Text to_binary(const Head& h, i128 x) { return digits_of_bits(h, (u128)x, 1); }
CALL bool to_base(const Head& h, i64 x, i32 radix, i32 least, Text& r) {
  r = text(h.arena, 0);
  if (x < 0 || radix < 2 || radix > 36 || least > 64 || least < 0) return true;
  char digits[64];
  i32 at = 64;
  do {
    digits[--at] = digit_letter((i32)(x % radix));
    x /= radix;
  } while (x > 0);
  while (64 - at < least) digits[--at] = '0';
  char* const out = arena_take(h, 64 - at);
  if (out == 0) return false;
  put_bytes(out, digits + at, 64 - at);
  r = text(out, 64 - at);
  return false;
}
FN void put_word(Letters& l, const char* word) {
  while (*word != 0) put_letter(l, *word++);
}
template <i32 kUnit> CALL Text size_in_words(const Head& h, i64 bytes) {
  Letters l;
  l.n = 0;
  u64 rest = (u64)bytes;
  if (bytes < 0) {
    put_letter(l, '-');
    rest = 0 - rest;
  }
  const u64 all = rest;
  u64 below = 0;
  i32 unit = 0;
  for (; unit < 5 && rest >= kUnit; ++unit) {
    below = rest % kUnit;
    rest /= kUnit;
  }
  put_digits(l, rest, 1);
  if (unit == 0) {
    put_word(l, all == 1 ? " byte" : " bytes");
    return keep(h, l);
  }
  put_letter(l, '.');
  put_digits(l, below * 10 / kUnit, 1);
  put_letter(l, ' ');
  put_letter(l, unit == 1 ? (kUnit == 1000 ? 'k' : 'K') : unit == 2 ? 'M' : unit == 3 ? 'G' : unit == 4 ? 'T' : 'P');
  put_word(l, kUnit == 1000 ? "B" : "iB");
  return keep(h, l);
}
// A bar of blocks, in eighths of one.
CALL bool draw_bar(const Head& h, f64 x, f64 least, f64 most, f64 widest, Text& r) {
  r = text(h.arena, 0);
  if (!(widest >= 1) || !(widest <= 1000)) return true;
  f64 width = widest * (x - least) / (most - least);
  if (x != x || least != least || most != most || x <= least) {
    width = 0;
  } else if (x >= most) {
    width = widest;
  }
  if (width - width != 0) return true;
  const u32 eighths = (u32)(width * 8);
  const i32 full = (i32)(eighths / 8), rest = (i32)(eighths % 8);
  const i32 blocks = full + (rest != 0 ? 1 : 0);
  const i32 spaces = blocks < (i32)widest ? (i32)widest - blocks : 0;
  char* const out = arena_take(h, blocks * 3 + spaces);
  if (out == 0) return false;
  char* to = out;
  for (i32 k = 0; k < full; ++k) to = put_code_point(to, 0x2588);
  if (rest != 0) to = put_code_point(to, 0x2590 - rest);
  for (i32 k = 0; k < spaces; ++k) *to++ = ' ';
  r = text(out, to - out);
  return false;
}
FN bool draw_bar(const Head& h, f64 x, f64 least, f64 most, Text& r) { return draw_bar(h, x, least, most, 80.0, r); }
)cuda";

}  // namespace weft::gpu::kernels
