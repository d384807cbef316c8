#include "gpu/kernels/prelude.hpp"

namespace weft::gpu::kernels {

// New text stands in the arena. When that is full a function gives an empty text, and the host runs the kernel again.
const char* const kComposeText = R"cuda(
FN char* put_bytes(char* to, const char* from, i32 n) {
  for (i32 i = 0; i < n; ++i) to[i] = from[i];
  return to + n;
}
FN char digit_letter(i32 x) { return (char)(x < 10 ? '0' + x : 'A' + x - 10); }
FN i32 encoded_bytes(i32 c) { return c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4; }
FN char* put_code_point(char* to, i32 c) {
  if (c < 0x80) {
    *to++ = (char)c;
  } else if (c < 0x800) {
    *to++ = (char)(0xc0 | (c >> 6));
    *to++ = (char)(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    *to++ = (char)(0xe0 | (c >> 12));
    *to++ = (char)(0x80 | ((c >> 6) & 0x3f));
    *to++ = (char)(0x80 | (c & 0x3f));
  } else {
    *to++ = (char)(0xf0 | (c >> 18));
    *to++ = (char)(0x80 | ((c >> 12) & 0x3f));
    *to++ = (char)(0x80 | ((c >> 6) & 0x3f));
    *to++ = (char)(0x80 | (c & 0x3f));
  }
  return to;
}
template <bool kToUpper> FN i32 in_case(i32 c) { return kToUpper ? upper_of(c) : lower_of(c); }
template <bool kToUpper> CALL Text to_case(const Head& h, Text t) {
  i64 bytes = 0;
  for (i32 at = 0; at < t.n;) {
    const i32 here = code_point_bytes(t.p[at]);
    bytes += here == 1 ? 1 : encoded_bytes(in_case<kToUpper>(decode(t.p + at, here)));
    at += here;
  }
  char* const out = arena_take(h, bytes);
  if (out == 0) return text(h.arena, 0);
  char* to = out;
  for (i32 at = 0; at < t.n;) {
    const i32 here = code_point_bytes(t.p[at]);
    to = put_code_point(to, in_case<kToUpper>(decode(t.p + at, here)));
    at += here;
  }
  return text(out, bytes);
}
CALL Text join_texts(const Head& h, const Text* parts, i32 count) {
  i64 bytes = 0;
  for (i32 k = 0; k < count; ++k) bytes += parts[k].n;
  char* const out = arena_take(h, bytes);
  if (out == 0) return text(h.arena, 0);
  char* to = out;
  for (i32 k = 0; k < count; ++k) to = put_bytes(to, parts[k].p, parts[k].n);
  return text(out, bytes);
}
CALL Text replace_text(const Head& h, Text t, Text what, Text with) {
  if (what.n == 0 || t.n < what.n) return t;
  i64 times = 0;
  const char* const end = t.p + t.n;
  for (const char* at = t.p; (at = find(at, end, what.p, what.n)) != 0; at += what.n) ++times;
  if (times == 0) return t;
  const i64 bytes = t.n + times * ((i64)with.n - what.n);
  char* const out = arena_take(h, bytes);
  if (out == 0) return text(h.arena, 0);
  char* to = out;
  const char* from = t.p;
  while (const char* at = find(from, end, what.p, what.n)) {
    to = put_bytes(to, from, (i32)(at - from));
    to = put_bytes(to, with.p, with.n);
    from = at + what.n;
  }
  put_bytes(to, from, (i32)(end - from));
  return text(out, bytes);
}
FN bool among_code_points(Text set, i32 c) {
  for (i32 at = 0; at < set.n;) {
    const i32 here = code_point_bytes(set.p[at]);
    if (decode(set.p + at, here) == c) return true;
    at += here;
  }
  return false;
}
CALL Text trim_left_of(Text t, Text set) {
  i32 at = 0;
  while (at < t.n) {
    const i32 here = code_point_bytes(t.p[at]);
    if (!among_code_points(set, decode(t.p + at, here))) break;
    at += here;
  }
  return text(t.p + at, t.n - at);
}
CALL Text trim_right_of(Text t, Text set) {
  while (t.n > 0) {
    i32 begin = t.n - 1;
    while (begin > 0 && continues(t.p[begin])) --begin;
    if (!among_code_points(set, decode(t.p + begin, t.n - begin))) break;
    t.n = begin;
  }
  return t;
}
)cuda";

// Numbers and dates as DuckDB prints them.
const char* const kFormatText = R"cuda(
#define FORMAT_BYTES 64
struct Letters {
  char bytes[FORMAT_BYTES];
  i32 n;
};
FN void put_letter(Letters& l, char c) { l.bytes[l.n++] = c; }
FN void put_digits(Letters& l, u64 x, i32 least) {
  char digits[20];
  i32 n = 0;
  for (; x != 0; x /= 10) digits[n++] = (char)('0' + (i32)(x % 10));
  for (i32 k = n; k < least; ++k) put_letter(l, '0');
  while (n > 0) put_letter(l, digits[--n]);
}
FN void put_wide(Letters& l, u128 x, i32 least) {
  const u64 unit = 10000000000000000000ull;  // 19 digits
  if (x < unit) {
    put_digits(l, (u64)x, least);
    return;
  }
  const u128 high = x / unit;
  if (high < unit) {
    put_digits(l, (u64)high, least - 19);
  } else {
    put_digits(l, (u64)(high / unit), least - 38);
    put_digits(l, (u64)(high % unit), 19);
  }
  put_digits(l, (u64)(x % unit), 19);
}
FN Text keep(const Head& h, const Letters& l) {
  char* const out = arena_take(h, l.n);
  if (out == 0) return text(h.arena, 0);
  for (i32 k = 0; k < l.n; ++k) out[k] = l.bytes[k];
  return text(out, l.n);
}
// least: digits to write at least, leading zeros among them.
CALL Text format_decimal(const Head& h, i128 x, i32 scale, i32 least) {
  Letters l;
  l.n = 0;
  u128 rest = (u128)x;
  if (x < 0) {
    put_letter(l, '-');
    rest = (u128)0 - rest;
  }
  if (scale == 0) {
    put_wide(l, rest, least);
    return keep(h, l);
  }
  put_wide(l, rest, least);
  for (i32 k = l.n; k > l.n - scale; --k) l.bytes[k] = l.bytes[k - 1];
  l.bytes[l.n - scale] = '.';
  ++l.n;
  return keep(h, l);
}
// Aligned and padded as text constants are, because text is read in words.
alignas(8) TABLE char kTrueText[8] = "true";
alignas(8) TABLE char kFalseText[8] = "false";
FN Text format_bool(bool x) { return x ? text(kTrueText, 4) : text(kFalseText, 5); }
FN void put_date(Letters& l, i64 days, bool& before_christ) {
  const Civil c = civil(days);
  before_christ = c.year <= 0;
  put_digits(l, (u64)(before_christ ? 1 - (i64)c.year : (i64)c.year), 4);
  put_letter(l, '-');
  put_digits(l, (u64)c.month, 2);
  put_letter(l, '-');
  put_digits(l, (u64)c.day, 2);
  if (before_christ) {
    put_letter(l, ' ');
    put_letter(l, '(');
    put_letter(l, 'B');
    put_letter(l, 'C');
    put_letter(l, ')');
  }
}
FN void put_infinity(Letters& l, bool negative) {
  const char* const name = "-infinity";
  for (i32 k = negative ? 0 : 1; k < 9; ++k) put_letter(l, name[k]);
}
CALL Text format_date(const Head& h, i32 d) {
  Letters l;
  l.n = 0;
  bool before_christ;
  if (finite_days(d)) {
    put_date(l, d, before_christ);
  } else {
    put_infinity(l, d < 0);
  }
  return keep(h, l);
}
CALL Text format_uuid(const Head& h, i128 x) {
  Letters l;
  l.n = 0;
  for (i32 d = 31; d >= 0; --d) {
    const u32 digit = ((u32)((u128)x >> (4 * d)) & 15) ^ (d == 31 ? 8 : 0);
    put_letter(l, (char)(digit < 10 ? '0' + digit : 'a' + digit - 10));
    if (d == 24 || d == 20 || d == 16 || d == 12) put_letter(l, '-');
  }
  return keep(h, l);
}
// Of ticks since midnight; zeros at the end of the fraction are left out.
FN void put_time(Letters& l, i64 time, i64 per_second, i32 fraction_digits) {
  const i64 seconds = time / per_second;
  put_digits(l, (u64)(seconds / 3600), 2);
  put_letter(l, ':');
  put_digits(l, (u64)(seconds / 60 % 60), 2);
  put_letter(l, ':');
  put_digits(l, (u64)(seconds % 60), 2);
  i64 fraction = time % per_second;
  if (fraction != 0) {
    for (; fraction % 10 == 0; fraction /= 10) --fraction_digits;
    put_letter(l, '.');
    put_digits(l, (u64)fraction, fraction_digits);
  }
}
CALL Text format_time(const Head& h, i64 t, i64 per_second, i32 fraction_digits) {
  Letters l;
  l.n = 0;
  put_time(l, t, per_second, fraction_digits);
  return keep(h, l);
}
CALL Text format_timestamp(const Head& h, i64 t, i64 per_second, i32 fraction_digits, bool in_utc) {
  Letters l;
  l.n = 0;
  bool before_christ;
  if (!finite_ticks(t)) {
    put_infinity(l, t < 0);
    return keep(h, l);
  }
  const i64 per_day = per_second * 86400;
  const i64 days = floor_div(t, per_day);
  put_date(l, days, before_christ);
  put_letter(l, ' ');
  put_time(l, t - days * per_day, per_second, fraction_digits);
  if (in_utc) {
    put_letter(l, '+');
    put_digits(l, 0, 2);
  }
  return keep(h, l);
}
)cuda";

}  // namespace weft::gpu::kernels
