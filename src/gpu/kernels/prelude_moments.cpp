#include "gpu/kernels/prelude.hpp"

namespace weft::gpu::kernels {

// strptime: text to microseconds by a format that has been checked, without its compound specifiers. True: the text
// does not have that form.
const char* const kMomentsText = R"cuda(
FN bool is_blank(char c) { return c == ' ' || (c >= 9 && c <= 13); }
FN char small_letter(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c; }
struct Reader {
  Text t;
  i32 at;
};
FN void skip_blanks(Reader& r) {
  while (r.at < r.t.n && is_blank(r.t.p[r.at])) ++r.at;
}
// Up to `most` digits; -1: none.
FN i64 read_digits(Reader& r, i32 most, i32& digits) {
  i64 number = 0;
  for (digits = 0; digits < most && r.at < r.t.n && r.t.p[r.at] >= '0' && r.t.p[r.at] <= '9'; ++digits) {
    number = number * 10 + (r.t.p[r.at++] - '0');
  }
  return digits == 0 ? -1 : number;
}
// Which of the names stands there, in any case; -1: none.
CALL i32 read_name(Reader& r, const char* names, i32 count, i32 most) {
  for (i32 which = 0; which < count; ++which) {
    i32 k = 0;
    const char* const name = names + which * 10;
    while (k < most && name[k] != 0 && r.at + k < r.t.n && small_letter(r.t.p[r.at + k]) == small_letter(name[k])) ++k;
    if (k < most && name[k] != 0) continue;
    r.at += k;
    return which;
  }
  return -1;
}
// infinity, -infinity, epoch and blanks behind it.
CALL bool is_special_moment(Text t, const char* name) {
  i32 k = 0;
  for (; name[k] != 0; ++k) {
    if (k >= t.n || small_letter(t.p[k]) != name[k]) return false;
  }
  return true;
}
struct Moment {
  i64 year, month, day, hour, minute, second, nanos;
  i32 half;  // 1: AM, 2: PM
};
// One part; true: the text has none there.
CALL bool read_part(Reader& r, char part, Moment& m) {
  i32 digits;
  i64 x;
  switch (part) {
    case 'a': return read_name(r, kDayNames, 7, 3) < 0;
    case 'A': return read_name(r, kDayNames, 7, 10) < 0;
    case 'h':
    case 'b':
    case 'B':
      x = read_name(r, kMonthNames, 12, part == 'B' ? 10 : 3);
      m.month = x + 1;
      return x < 0;
    case 'p':
      if (r.at + 2 > r.t.n || small_letter(r.t.p[r.at + 1]) != 'm') return true;
      m.half = small_letter(r.t.p[r.at]) == 'a' ? 1 : small_letter(r.t.p[r.at]) == 'p' ? 2 : 0;
      r.at += 2;
      return m.half == 0;
    case 'f':
    case 'g': {
      const i32 most = part == 'f' ? 6 : 3;
      x = read_digits(r, most, digits);
      for (i32 k = digits; k < 9; ++k) x *= 10;
      m.nanos = x;
      return digits == 0;
    }
    default: break;
  }
  x = read_digits(r, part == 'Y' ? 4 : 2, digits);
  if (digits == 0) return true;
  switch (part) {
    case 'Y': m.year = x; return false;
    case 'y': m.year = x >= 69 ? 1900 + x : 2000 + x; return false;
    case 'm': m.month = x; return x < 1 || x > 12;
    case 'd': m.day = x; return x < 1 || x > 31;
    case 'H': m.hour = x; return x >= 24;
    case 'I': m.hour = x; return x < 1 || x > 12;
    case 'M': m.minute = x; return x >= 60;
    default: m.second = x; return x >= 60;
  }
}
CALL bool read_moment(Reader& r, Text format, Moment& m) {
  for (i32 k = 0; k < format.n; ++k) {
    char c = format.p[k];
    if (c == '%' && format.p[k + 1] != '%') {
      ++k;
      if (format.p[k] == '-') ++k;
      if (read_part(r, format.p[k], m)) return true;
      continue;
    }
    if (is_blank(c)) {
      if (r.at >= r.t.n || !is_blank(r.t.p[r.at])) return true;
      skip_blanks(r);
      while (k + 1 < format.n && is_blank(format.p[k + 1])) ++k;
      continue;
    }
    if (c == '%') ++k;
    if (r.at >= r.t.n || r.t.p[r.at] != c) return true;
    ++r.at;
  }
  skip_blanks(r);
  return r.at != r.t.n;
}
CALL bool parse_moment(Text t, Text format, i64& result) {
  Reader r;
  r.t = t;
  r.at = 0;
  skip_blanks(r);
  r.t = text(t.p + r.at, t.n - r.at);
  r.at = 0;
  result = 0;
  if (r.t.n > 4) {
    const bool infinite = is_special_moment(r.t, "infinity"), least = is_special_moment(r.t, "-infinity");
    if (infinite || least || is_special_moment(r.t, "epoch")) {
      r.at = infinite ? 8 : least ? 9 : 5;
      result = infinite ? TICKS_INFINITE : least ? -TICKS_INFINITE : 0;
      skip_blanks(r);
      return r.at != r.t.n;
    }
  }
  Moment m = {1900, 1, 1, 0, 0, 0, 0, 0};
  if (read_moment(r, format, m)) return true;
  if (m.half != 0 && m.hour > 12) return true;
  if (m.half == 1 && m.hour == 12) m.hour = 0;
  if (m.half == 2 && m.hour != 12) m.hour += 12;
  i32 days;
  i64 start;
  if (make_date(m.year, m.month, m.day, days) || days_to_ticks(days, DAY_MICROS, start)) return true;
  result = start + ((m.hour * 60 + m.minute) * 60 + m.second) * 1000000ll + (m.nanos + 500) / 1000;
  return false;
}
)cuda";

}  // namespace weft::gpu::kernels
