#include "gpu/kernels/prelude.hpp"

namespace weft::gpu::kernels {

// Text to values. Every function gives true when the text is not a value of the type.
const char* const kParseText = R"cuda(
FN bool is_space(char c) { return c == ' ' || (c >= 9 && c <= 13); }
FN bool is_digit(char c) { return c >= '0' && c <= '9'; }
FN char lower_letter(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c; }
FN Text strip_spaces(Text t) {
  while (t.n > 0 && is_space(t.p[0])) {
    ++t.p;
    --t.n;
  }
  while (t.n > 0 && is_space(t.p[t.n - 1])) --t.n;
  return t;
}
// Is t[at..] the lower-case word, in any case?
FN bool has_word(Text t, i32 at, const char* word, i32 n) {
  if (t.n - at < n) return false;
  for (i32 k = 0; k < n; ++k) {
    if (lower_letter(t.p[at + k]) != word[k]) return false;
  }
  return true;
}
// A number as written: the first significant digits and what power of ten they are to be multiplied with.
struct Number {
  u128 digits;
  i32 exponent;   // of ten, after the written exponent
  i32 next;       // the first digit that was cut off, or -1
  i32 cut;        // where in the text it is
  u128 whole;     // before the point; all ones if larger than that
  bool negative;
  bool point;     // written with a decimal point or an exponent
  bool scientific;
};
// Digits with single underscores between them; both sides of the point; at least one digit in all.
CALL bool scan_number(Text t, Number& x) {
  const u128 most = (~(u128)0 - 9) / 10;
  x.digits = 0;
  x.exponent = 0;
  x.next = -1;
  x.cut = -1;
  x.whole = 0;
  x.negative = false;
  x.point = false;
  x.scientific = false;
  i32 at = 0, count = 0;
  if (at < t.n && (t.p[at] == '-' || t.p[at] == '+')) x.negative = t.p[at++] == '-';
  for (; at < t.n; ++at) {
    const char c = t.p[at];
    if (c == '.') {
      if (x.point || (at > 0 && t.p[at - 1] == '_')) return true;
      x.point = true;
      continue;
    }
    if (c == '_') {
      if (at == 0 || !is_digit(t.p[at - 1]) || at + 1 >= t.n || !is_digit(t.p[at + 1])) return true;
      continue;
    }
    if (!is_digit(c)) break;
    ++count;
    if (x.next < 0 && x.digits <= most) {
      x.digits = x.digits * 10 + (u32)(c - '0');
      if (x.point) --x.exponent;
    } else {
      if (x.next < 0) {
        x.next = c - '0';
        x.cut = at;
      }
      if (!x.point) ++x.exponent;
    }
    if (!x.point) x.whole = x.exponent > 0 ? ~(u128)0 : x.digits;
  }
  if (count == 0) return true;
  if (at == t.n) return false;
  if (lower_letter(t.p[at]) != 'e') return true;
  x.point = true;
  x.scientific = true;
  ++at;
  bool down = false;
  if (at < t.n && (t.p[at] == '-' || t.p[at] == '+')) down = t.p[at++] == '-';
  if (at >= t.n || !is_digit(t.p[at])) return true;
  i32 written = 0;
  for (; at < t.n; ++at) {
    if (t.p[at] == '_' && at + 1 < t.n && is_digit(t.p[at + 1]) && is_digit(t.p[at - 1])) continue;
    if (!is_digit(t.p[at])) return true;
    if (written < 100000) written = written * 10 + (t.p[at] - '0');
  }
  x.exponent += down ? -written : written;
  return false;
}
// |x| * 10^scale, rounded half away from zero.
CALL bool scale_number(const Number& x, i32 scale, u128& r) {
  const u128 most = (~(u128)0 - 9) / 10;
  r = x.digits;
  if (x.digits == 0) return false;
  i32 e = x.exponent + scale;
  if (e > 38) return true;
  i32 next = x.next;
  for (; e > 0; --e) {
    if (r > most) return true;
    r = r * 10 + (u32)(next < 0 ? 0 : next);
    next = -1;
  }
  if (e < -40) next = 0;
  for (; e < 0; ++e) {
    next = (i32)(r % 10);
    r /= 10;
    if (r == 0 && e < -1) next = 0;
  }
  if (next >= 5) ++r;
  return false;
}
FN bool scan_radix(Text t, i32 bits, u64 limit, u64& r) {
  r = 0;
  if (t.n < 3) return true;
  for (i32 at = 2; at < t.n; ++at) {
    const char c = lower_letter(t.p[at]);
    if (c == '_') {
      if (at == 2 || at + 1 == t.n || t.p[at - 1] == '_') return true;
      continue;
    }
    const i32 digit = is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
    if (digit >= (1 << bits) || (r >> (64 - bits)) != 0) return true;
    r = (r << bits) | (u32)digit;
    if (r > limit) return true;
  }
  return false;
}
template <class T> CALL bool parse_integer(Text t, T& r) {
  r = 0;
  t = strip_spaces(t);
  if (t.n > 1 && t.p[0] == '0' && (lower_letter(t.p[1]) == 'x' || lower_letter(t.p[1]) == 'b')) {
    u64 bits;
    const i128 high = Range<T>::high();
    const u64 limit = high > (i128)0xffffffffffffffffull ? ~0ull : (u64)high;
    if (scan_radix(t, lower_letter(t.p[1]) == 'x' ? 4 : 1, limit, bits)) return true;
    r = (T)bits;
    return false;
  }
  Number x;
  u128 size;
  if (scan_number(t, x)) return true;
  if (x.negative && x.point && Range<T>::low() == 0) return true;
  // DuckDB holds the digits before the point in 64 bits, or in the type if that is wider, before the exponent counts.
  const bool unsigned64 = Range<T>::low() == 0;
  const u128 holds = Range<T>::high() > Range<i64>::high() ? (u128)Range<T>::high()
                                                           : (u128)(unsigned64 ? Range<u64>::high() : Range<i64>::high());
  if (x.scientific && x.whole > holds) return true;
  if (scale_number(x, 0, size)) return true;
  const u128 limit = x.negative ? magnitude(Range<T>::low()) : (u128)Range<T>::high();
  if (size > limit) return true;
  r = (T)(x.negative ? (i128)((u128)0 - size) : (i128)size);
  return false;
}
template <class T> CALL bool parse_decimal(Text t, i32 scale, u128 limit, T& r) {
  Number x;
  u128 size;
  r = 0;
  if (scan_number(strip_spaces(t), x) || scale_number(x, scale, size) || size >= limit) return true;
  r = (T)(x.negative ? -(i128)size : (i128)size);
  return false;
}
CALL bool parse_bool(Text t, bool& r) {
  r = (t.n == 4 && has_word(t, 0, "true", 4)) || (t.n == 3 && has_word(t, 0, "yes", 3)) ||
      (t.n == 1 && (has_word(t, 0, "t", 1) || has_word(t, 0, "y", 1) || t.p[0] == '1'));
  return !r && !((t.n == 5 && has_word(t, 0, "false", 5)) || (t.n == 2 && has_word(t, 0, "no", 2)) ||
                 (t.n == 1 && (has_word(t, 0, "f", 1) || has_word(t, 0, "n", 1) || t.p[0] == '0')));
}
FN bool one_or_two_digits(Text t, i32& at, i32& r) {
  r = 0;
  if (at >= t.n || !is_digit(t.p[at])) return true;
  r = t.p[at++] - '0';
  if (at < t.n && is_digit(t.p[at])) r = r * 10 + (t.p[at++] - '0');
  return false;
}
// The date at the start of a text; `at` is then behind it. special: infinity or epoch, which must be the whole text.
CALL bool scan_date(Text t, i32& at, i32& r, bool& special) {
  special = false;
  at = 0;
  r = 0;
  while (at < t.n && is_space(t.p[at])) ++at;
  bool negative = false;
  if (at < t.n && t.p[at] == '-') {
    negative = true;
    ++at;
  }
  if (at >= t.n) return true;
  if (!is_digit(t.p[at])) {
    // The short form must end the text.
    const bool whole = has_word(t, at, "infinity", 8);
    if (whole || (has_word(t, at, "inf", 3) && t.n - at == 3)) {
      r = negative ? -DAYS_INFINITE : DAYS_INFINITE;
      at += whole ? 8 : 3;
    } else if (has_word(t, at, "epoch", 5)) {
      at += 5;
    } else {
      return true;
    }
    special = true;
    while (at < t.n && is_space(t.p[at])) ++at;
    return at != t.n;
  }
  i64 year = 0;
  for (; at < t.n && is_digit(t.p[at]); ++at) {
    if (year >= 100000000) return true;
    year = year * 10 + (t.p[at] - '0');
  }
  if (negative) year = -year;
  if (at >= t.n) return true;
  const char separator = t.p[at++];
  if (separator != ' ' && separator != '-' && separator != '/' && separator != '\\') return true;
  i32 month, day;
  if (one_or_two_digits(t, at, month)) return true;
  if (at >= t.n || t.p[at++] != separator) return true;
  if (one_or_two_digits(t, at, day)) return true;
  if (t.n - at >= 5 && is_space(t.p[at]) && has_word(t, at + 1, "(bc)", 4)) {
    if (negative || year == 0) return true;
    year = 1 - year;
    at += 5;
  }
  if (at < t.n && is_digit(t.p[at])) return true;
  if (month < 1 || month > 12 || day < 1 || day > month_days(year, month)) return true;
  const i64 days = days_of(year, month, day);
  r = (i32)days;
  return days != (i64)r || !finite_days(r) || days < -2147483646ll;
}
// A time of day at t[at..], up to 24:00:00.
struct TimeOfDay {
  i64 micros;
  i32 nanos;  // beyond the microseconds
};
FN bool scan_time(Text t, TimeOfDay& r) {
  i32 at = 0, hour = 0, minute = 0, second = 0, fraction = 0;
  while (at < t.n && is_space(t.p[at])) ++at;
  if (at >= t.n || !is_digit(t.p[at])) return true;
  for (; at < t.n && is_digit(t.p[at]); ++at) {
    if (hour > 1000000) return true;
    hour = hour * 10 + (t.p[at] - '0');
  }
  if (at >= t.n || t.p[at++] != ':') return true;
  if (at < t.n && (one_or_two_digits(t, at, minute) || minute > 59)) return true;
  if (at < t.n) {
    if (t.p[at++] != ':') return true;
    if (at < t.n && (one_or_two_digits(t, at, second) || second > 59)) return true;
  }
  if (at < t.n && t.p[at] == '.') {
    ++at;
    for (i32 unit = 100000000; at < t.n && is_digit(t.p[at]); ++at, unit /= 10) fraction += (t.p[at] - '0') * unit;
  }
  r.micros = ((i64)hour * 3600 + minute * 60 + second) * 1000000 + fraction / 1000;
  r.nanos = fraction % 1000;
  return at < t.n || r.micros > DAY_MICROS;
}
FN bool is_zone_letter(char c) {
  return is_digit(c) || (lower_letter(c) >= 'a' && lower_letter(c) <= 'z') || c == '_' || c == '/' || c == '+' ||
         c == '-' || c == ':';
}
// +HH, +HHMM, +HH:MM or +HH:MM:SS. As in DuckDB, `at` is behind a colon that nothing follows, although that is no offset.
FN bool skip_offset(Text t, i32& at) {
  i32 k = at;
  if (k + 3 > t.n || (t.p[k] != '+' && t.p[k] != '-') || !is_digit(t.p[k + 1]) || !is_digit(t.p[k + 2])) return true;
  k += 3;
  const bool colons = k < t.n && t.p[k] == ':';
  for (i32 pair = 0; pair < 2 && k < t.n && (pair == 0 || (colons && t.p[k] == ':')); ++pair) {
    if (colons) ++k;
    if (k + 2 > t.n || !is_digit(t.p[k])) {
      at = k;
      return colons;
    }
    if (!is_digit(t.p[k + 1])) return true;
    k += 2;
  }
  at = k;
  return false;
}
// Z, an offset, or a name after a space; what it says is ignored.
FN bool skip_zone(Text t, i32& at) {
  if (t.p[at] == 'Z') {
    ++at;
    return false;
  }
  if (!skip_offset(t, at)) return false;
  if (at >= t.n || t.p[at++] != ' ') return true;
  while (at < t.n && is_zone_letter(t.p[at])) ++at;
  return false;
}
// What follows a date: a time, a zone, spaces.
FN bool scan_rest(Text t, i32 at, TimeOfDay& time) {
  if (t.p[at] == ' ' || t.p[at] == 'T') ++at;
  i32 end = at;  // of the time: where a zone can begin
  while (end < t.n && is_space(t.p[end])) ++end;
  while (end < t.n && t.p[end] != 'Z' && t.p[end] != '+' && t.p[end] != '-' && !is_space(t.p[end])) ++end;
  if (scan_time(text(t.p + at, end - at), time)) return true;
  if (end < t.n && skip_zone(t, end)) return true;
  while (end < t.n && is_space(t.p[end])) ++end;
  return end < t.n;
}
// Microseconds, and the nanoseconds beyond them.
CALL bool scan_timestamp(Text t, i64& r, i32& nanos) {
  i32 at, days;
  bool special;
  TimeOfDay time;
  r = 0;
  nanos = 0;
  if (scan_date(t, at, days, special)) return true;
  if (special || at == t.n) return days_to_ticks(days, DAY_MICROS, r);
  if (scan_rest(t, at, time)) return true;
  nanos = time.nanos;
  const i128 w = (i128)days * DAY_MICROS + time.micros;
  r = (i64)w;
  return w != (i128)r || !finite_ticks(r) || r < TICKS_LEAST;
}
FN bool parse_timestamp(Text t, i64& r) {
  i32 nanos;
  return scan_timestamp(t, r, nanos);
}
// Seconds or milliseconds: microseconds rounded.
FN bool parse_timestamp_coarse(Text t, i64 micros_per_tick, i64& r) {
  i64 micros;
  r = 0;
  return parse_timestamp(t, micros) || ticks_coarsen(micros, micros_per_tick, micros_per_tick, r);
}
FN bool parse_timestamp_ns(Text t, i64& r) {
  i64 micros;
  i32 nanos;
  r = 0;
  if (scan_timestamp(t, micros, nanos)) return true;
  if (!finite_ticks(micros)) {
    r = micros;
    return false;
  }
  const i128 w = (i128)micros * 1000 + nanos;
  r = (i64)w;
  return w != (i128)r || !finite_ticks(r);
}
// A date, or the date of a timestamp's text.
CALL bool parse_date(Text t, i32& r) {
  i32 at;
  bool special;
  TimeOfDay time;
  if (scan_date(t, at, r, special)) return true;
  i32 rest = at;
  while (rest < t.n && is_space(t.p[rest])) ++rest;
  return rest != t.n && scan_rest(t, at, time);
}
)cuda";

}  // namespace weft::gpu::kernels
