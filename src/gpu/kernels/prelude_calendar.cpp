#include "gpu/kernels/prelude.hpp"

namespace weft::gpu::kernels {

// Dates and timestamps made of numbers and numbers made of them. A function that gives a bool gives true where DuckDB
// raises. Ticks are microseconds here.
const char* const kCalendarText = R"cuda(
FN bool fits_i32(i64 x) { return x == (i64)(i32)x; }
CALL bool make_date(i64 year, i64 month, i64 day, i32& r) {
  r = 0;
  if (!fits_i32(year) || month < 1 || month > 12 || day < 1 || day > 31) return true;
  if (year < -5877641 || (year == -5877641 && (month < 6 || (month == 6 && day < 25)))) return true;
  if (year > 5881580 || (year == 5881580 && (month > 7 || (month == 7 && day > 10)))) return true;
  if (day > month_days(year, (i32)month)) return true;
  r = (i32)days_of(year, (i32)month, (i32)day);
  return false;
}
FN bool make_date(i32 days, i32& r) {
  r = days;
  return false;
}
CALL bool make_timestamp(i64 year, i64 month, i64 day, i64 hour, i64 minute, f64 seconds, i64& r) {
  i32 days, whole;
  r = 0;
  if (make_date(year, month, day, days) || !fits_i32(hour) || !fits_i32(minute)) return true;
  if (seconds - seconds != 0 || float_to_integer<i32>(floor(seconds), whole)) return true;
  const f64 fraction = round((seconds - whole) * 1000000.0);
  const i64 micros = (i64)fraction;
  if (hour < 0 || hour >= 24) {
    if (hour != 24 || minute != 0 || whole != 0 || micros != 0) return true;
  } else if (minute < 0 || minute >= 60 || whole < 0 || whole > 60 || micros < 0 || micros > 1000000) {
    return true;
  }
  const i64 time = ((hour * 60 + minute) * 60 + whole) * 1000000ll + micros;
  i64 start;
  if (time > DAY_MICROS || days_to_ticks(days, DAY_MICROS, start)) return true;
  const i128 wide = (i128)start + time;
  r = (i64)wide;
  return wide != (i128)r || !finite_ticks(r);
}
FN bool make_timestamp(i64 ticks, i64& r) {
  r = ticks;
  return !finite_ticks(ticks);
}
FN bool from_millis(i64 millis, i64& r) { return checked_mul(millis, 1000ll, r); }
FN bool days_to_epoch(i32 days, i64 units_per_day, i64& r) { return checked_mul((i64)days, units_per_day, r); }
FN bool ticks_to_nanos(i64 ticks, i64& r) { return checked_mul(ticks, 1000ll, r); }
FN bool ticks_to_millis(i64 ticks, i64& r) { return ticks_coarsen(ticks, 1000ll, 1000ll, r); }
FN f64 julian_day(i64 days, i64 micros_of_day) { return (f64)micros_of_day / 86400000000.0 + (f64)(days + 2440588); }
// Whole months from one moment to another, in microseconds; the last day of a month counts as whole.
CALL i64 whole_months(i64 from, i64 to) {
  const bool back = from > to;
  const i64 start = back ? to : from, end = back ? from : to;
  i64 start_day = floor_div(start, DAY_MICROS);
  const i64 start_time = floor_mod(start, DAY_MICROS), end_time = floor_mod(end, DAY_MICROS);
  Civil a = civil(start_day);
  const Civil b = civil(floor_div(end, DAY_MICROS));
  const i32 last = month_days(b.year, b.month);
  if (b.day == last && (a.day > last || (a.day == last && start_time < end_time))) a.day = last;
  i64 months = ((i64)b.year - a.year) * 12 + (b.month - a.month);
  i64 days = b.day - a.day - (end_time < start_time ? 1 : 0);
  while (days < 0) {
    days += month_days(a.year, a.month);
    --months;
  }
  return back ? -months : months;
}
// Whole units; true when microseconds do not fit.
FN bool whole_units(i64 from, i64 to, i64 micros_per_unit, i64& r) {
  const i128 units = ((i128)to - from) / micros_per_unit;
  r = (i64)units;
  return units != (i128)r;
}
CALL bool bucket_of_width(i64 ticks, i64 width, i64 origin, i64& r) {
  i64 since;
  r = 0;
  origin %= width;
  if (checked_sub(ticks, origin, since)) return true;
  i64 start = since / width * width;
  if (since < 0 && since % width != 0 && checked_sub(start, width, start)) return true;
  return checked_add(start, origin, r) || !finite_ticks(r);
}
FN i64 months_since_epoch(i64 day) { return month_count(day) - 1970 * 12; }
CALL bool bucket_of_months(i64 day, i32 width, i64 origin_months, i32& r) {
  const i64 origin = origin_months % width;
  const i64 months = floor_div(months_since_epoch(day) - origin, width) * width + origin;
  return make_date(1970 + floor_div(months, 12), floor_mod(months, 12) + 1, 1, r);
}
// Intervals.
FN bool span_of_months(i64 n, i64 months_a_unit, Span& r) {
  const i64 months = fits_i32(n) ? n * months_a_unit : 9223372036854775807ll;
  r = span((i32)months, 0, 0);
  return !fits_i32(months);
}
FN bool span_of_days(i64 n, i64 days_a_unit, Span& r) {
  const i64 days = fits_i32(n) ? n * days_a_unit : 9223372036854775807ll;
  r = span(0, (i32)days, 0);
  return !fits_i32(days);
}
FN bool span_of_micros(i64 n, i64 micros_a_unit, Span& r) {
  r = span(0, 0, 0);
  return checked_mul(n, micros_a_unit, r.micros);
}
FN bool span_of_micros(f64 n, i64 micros_a_unit, Span& r) {
  r = span(0, 0, 0);
  return float_to_integer<i64>(n * (f64)micros_a_unit, r.micros);
}
FN bool span_between(i64 a, i64 b, Span& r) {
  const i128 ticks = (i128)a - b;
  r = span(0, (i32)(ticks / DAY_MICROS), (i64)(ticks % DAY_MICROS));
  return !finite_ticks(a) || !finite_ticks(b);
}
// The difference of two dates and times, field by field.
CALL Span age_between(i64 a, i64 b) {
  const Civil x = civil(floor_div(a, DAY_MICROS)), y = civil(floor_div(b, DAY_MICROS));
  const i32 sign = a < b ? -1 : 1;
  i64 months = (((i64)x.year - y.year) * 12 + (x.month - y.month)) * sign;
  i64 days = (x.day - y.day) * sign;
  i64 micros = (floor_mod(a, DAY_MICROS) - floor_mod(b, DAY_MICROS)) * sign;
  if (micros < 0) {
    micros += DAY_MICROS;
    --days;
  }
  while (days < 0) {
    days += sign < 0 ? month_days(x.year, x.month) : month_days(y.year, y.month);
    --months;
  }
  return span((i32)(months * sign), (i32)(days * sign), micros * sign);
}
FN bool span_times(Span s, i64 n, Span& r) {
  r = s;
  if (!fits_i32(n)) return true;
  return checked_mul(s.months, (i32)n, r.months) || checked_mul(s.days, (i32)n, r.days) || checked_mul(s.micros, n, r.micros);
}
FN bool span_times(i64 n, Span s, Span& r) { return span_times(s, n, r); }
FN bool span_plus(Span a, Span b, Span& r) {
  r = a;
  return checked_add(a.months, b.months, r.months) || checked_add(a.days, b.days, r.days) ||
         checked_add(a.micros, b.micros, r.micros);
}
FN bool span_minus(Span a, Span b, Span& r) {
  r = a;
  return checked_sub(a.months, b.months, r.months) || checked_sub(a.days, b.days, r.days) ||
         checked_sub(a.micros, b.micros, r.micros);
}
FN i32 borrow(i64 value, i64& below, i64 scale) {
  const i64 low = -2147483648ll, high = 2147483647;
  const i64 kept = value > high ? high : value < low ? low : value;
  const i64 rest = value - kept, most = 9223372036854775807ll / scale - 1;
  if (rest > most) {
    below = 9223372036854775807ll;
  } else if (rest < -most) {
    below = -9223372036854775807ll - 1;
  } else {
    below += rest * scale;
  }
  return (i32)kept;
}
CALL Span normal_span(Span s) {
  i64 micros = floor_mod(s.micros, DAY_MICROS);
  const i64 all_days = s.days + floor_div(s.micros, DAY_MICROS);
  i64 days = floor_mod(all_days, 30);
  const i64 months = s.months + floor_div(all_days, 30);
  const i32 kept_months = borrow(months, days, 30);
  const i32 kept_days = borrow(days, micros, DAY_MICROS);
  return span(kept_months, kept_days, micros);
}
FN i64 span_millennium(Span s) { return s.months / 12000; }
FN i64 span_century(Span s) { return s.months / 1200; }
FN i64 span_decade(Span s) { return s.months / 120; }
FN i64 span_year(Span s) { return s.months / 12; }
FN i64 span_quarter(Span s) { return s.months % 12 / 3 + 1; }
FN i64 span_month(Span s) { return s.months % 12; }
FN i64 span_day(Span s) { return s.days; }
FN i64 span_hour(Span s) { return s.micros / 3600000000ll; }
FN i64 span_minute(Span s) { return s.micros % 3600000000ll / 60000000; }
FN i64 span_second(Span s) { return s.micros % 60000000 / 1000000; }
FN i64 span_millisecond(Span s) { return s.micros % 60000000 / 1000; }
FN i64 span_microsecond(Span s) { return s.micros % 60000000; }
// A year has 365 days and a quarter.
FN f64 span_epoch(Span s) {
  const i64 years = s.months / 12;
  const i64 days = 365 * years + 30 * (s.months % 12) + (i64)s.days;
  return (f64)(days * 86400 + years * 21600) + (f64)s.micros / 1000000.0;
}
// strftime. The format has been checked and holds none of the compound specifiers.
TABLE char kDayNames[] = "Sunday\0\0\0\0Monday\0\0\0\0Tuesday\0\0\0Wednesday\0Thursday\0\0Friday\0\0\0\0Saturday\0\0";
TABLE char kMonthNames[] =
    "January\0\0\0February\0\0March\0\0\0\0\0April\0\0\0\0\0May\0\0\0\0\0\0\0June\0\0\0\0\0\0"
    "July\0\0\0\0\0\0August\0\0\0\0September\0October\0\0\0November\0\0December\0\0";
FN char* put_name(char* to, const char* names, i64 which, i32 most) {
  for (i32 k = 0; k < most && names[which * 10 + k] != 0; ++k) *to++ = names[which * 10 + k];
  return to;
}
CALL char* put_number(char* to, i64 x, i32 least) {
  char digits[20];
  i32 n = 0;
  for (; x != 0 || n < least; x /= 10) digits[n++] = (char)('0' + (i32)(x % 10));
  while (n > 0) *to++ = digits[--n];
  return to;
}
FN char* put_year(char* to, i64 year) {
  if (year >= 0 && year <= 9999) return put_number(to, year, 4);
  if (year < 0) *to++ = '-';
  return put_number(to, year < 0 ? -year : year, 1);
}
FN i64 week_from(i64 day, i64 first_iso_dow) {
  const i64 year_start = trunc_year(day);
  const i64 first = floor_mod(first_iso_dow - iso_dow(year_start), 7);
  const i64 at = day - year_start;
  return at < first ? 0 : (at - first) / 7 + 1;
}
CALL char* put_part(char* to, char part, i32 least, i64 day, i64 nanos) {
  const Civil c = civil(day);
  const i64 hour = nanos / 3600000000000ll;
  switch (part) {
    case 'a': return put_name(to, kDayNames, part_dayofweek(day), 3);
    case 'A': return put_name(to, kDayNames, part_dayofweek(day), 10);
    case 'h':
    case 'b': return put_name(to, kMonthNames, c.month - 1, 3);
    case 'B': return put_name(to, kMonthNames, c.month - 1, 10);
    case 'w': return put_number(to, part_dayofweek(day), 1);
    case 'u': return put_number(to, iso_dow(day), 1);
    case 'd': return put_number(to, c.day, least);
    case 'm': return put_number(to, c.month, least);
    case 'y': return put_number(to, (c.year < 0 ? -c.year : c.year) % 100, least);
    case 'Y': return put_year(to, c.year);
    case 'G': return put_year(to, part_isoyear(day));
    case 'H': return put_number(to, hour, least);
    case 'I': return put_number(to, (hour + 11) % 12 + 1, least);
    case 'M': return put_number(to, nanos / 60000000000ll % 60, least);
    case 'S': return put_number(to, nanos / 1000000000ll % 60, least);
    case 'n': return put_number(to, nanos % 1000000000ll, 9);
    case 'f': return put_number(to, nanos % 1000000000ll / 1000, 6);
    case 'g': return put_number(to, nanos % 1000000000ll / 1000000, 3);
    case 'j': return put_number(to, day_of_year(day), least == 1 ? 1 : 3);
    case 'U': return put_number(to, week_from(day, 7), 2);
    case 'W': return put_number(to, week_from(day, 1), 2);
    case 'V': return put_number(to, part_week(day), 2);
    case 'p':
      *to++ = hour >= 12 ? 'P' : 'A';
      *to++ = 'M';
      return to;
    default:
      *to++ = part;  // %%
      return to;
  }
}
CALL Text format_moment(const Head& h, i64 day, i64 nanos, Text format, i32 most) {
  char* const out = arena_take(h, most);
  if (out == 0) return text(h.arena, 0);
  char* to = out;
  for (i32 k = 0; k < format.n; ++k) {
    if (format.p[k] != '%') {
      *to++ = format.p[k];
      continue;
    }
    ++k;
    i32 least = 2;
    if (format.p[k] == '-') {
      least = 1;
      ++k;
    }
    to = put_part(to, format.p[k], least, day, nanos);
  }
  return text(out, to - out);
}
CALL Text name_of_infinity(const Head& h, bool negative) {
  char* const out = arena_take(h, 9);
  if (out == 0) return text(h.arena, 0);
  char* to = out;
  for (i32 k = negative ? 0 : 1; k < 9; ++k) *to++ = "-infinity"[k];
  return text(out, to - out);
}
)cuda";

}  // namespace weft::gpu::kernels
