#include "gpu/kernels/prelude.hpp"

namespace weft::gpu::kernels {

// Days count from 1970-01-01, ticks from its midnight. The extreme values are -infinity and infinity.
const char* const kDatesText = R"cuda(
#define DAY_MICROS 86400000000ll
#define TICKS_INFINITE 9223372036854775807ll
#define TICKS_LEAST (-9223372022400000000ll)
#define DAYS_INFINITE 2147483647
FN bool finite_days(i32 d) { return d != DAYS_INFINITE && d != -DAYS_INFINITE; }
FN bool finite_ticks(i64 t) { return t != TICKS_INFINITE && t != -TICKS_INFINITE; }
FN Span span(i32 months, i32 days, i64 micros) {
  Span s;
  s.months = months;
  s.days = days;
  s.micros = micros;
  return s;
}
FN bool cannot_invert(Span s) {
  return s.months == (i32)0x80000000 || s.days == (i32)0x80000000 || s.micros == (i64)0x8000000000000000ull;
}
FN i128 span_micros(Span s) { return ((i128)s.months * 30 + s.days) * DAY_MICROS + s.micros; }
FN i64 floor_div(i64 a, i64 b) { return a / b - (a % b < 0 ? 1 : 0); }
FN i64 floor_mod(i64 a, i64 b) {
  const i64 r = a % b;
  return r < 0 ? r + b : r;
}
struct Civil {
  i32 year, month, day;
};
// Howard Hinnant, "chrono-compatible low-level date algorithms".
FN Civil civil(i64 days) {
  const i64 z = days + 719468;
  const i64 era = floor_div(z, 146097);
  const u32 doe = (u32)(z - era * 146097);
  const u32 yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
  const u32 doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
  const u32 mp = (5 * doy + 2) / 153;
  Civil c;
  c.day = (i32)(doy - (153 * mp + 2) / 5 + 1);
  c.month = (i32)(mp < 10 ? mp + 3 : mp - 9);
  c.year = (i32)((i64)yoe + era * 400) + (c.month <= 2 ? 1 : 0);
  return c;
}
FN i64 days_of(i64 year, i32 month, i32 day) {
  const i64 y = year - (month <= 2 ? 1 : 0);
  const i64 era = floor_div(y, 400);
  const u32 yoe = (u32)(y - era * 400);
  const u32 doy = (153u * (u32)(month + (month > 2 ? -3 : 9)) + 2) / 5 + (u32)day - 1;
  const u32 doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
  return era * 146097 + (i64)doe - 719468;
}
FN bool leap(i64 year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }
FN i32 month_days(i64 year, i32 month) {
  return month == 2 ? (leap(year) ? 29 : 28) : 30 + ((month + (month >> 3)) & 1);
}
FN i32 iso_dow(i64 days) { return (i32)floor_mod(days + 3, 7) + 1; }
FN i32 day_of_year(i64 days) { return (i32)(days - days_of(civil(days).year, 1, 1)) + 1; }
FN i64 iso_thursday(i64 days) { return days + 4 - iso_dow(days); }

// Parts of a date.
FN i64 part_year(i64 d) { return civil(d).year; }
FN i64 part_month(i64 d) { return civil(d).month; }
FN i64 part_day(i64 d) { return civil(d).day; }
FN i64 part_quarter(i64 d) { return (civil(d).month - 1) / 3 + 1; }
FN i64 part_decade(i64 d) { return civil(d).year / 10; }
FN i64 part_century(i64 d) {
  const i64 y = civil(d).year;
  return y > 0 ? (y - 1) / 100 + 1 : y / 100 - 1;
}
FN i64 part_millennium(i64 d) {
  const i64 y = civil(d).year;
  return y > 0 ? (y - 1) / 1000 + 1 : y / 1000 - 1;
}
FN i64 part_era(i64 d) { return civil(d).year > 0 ? 1 : 0; }
FN i64 part_dayofweek(i64 d) { return floor_mod(d + 4, 7); }
FN i64 part_isodow(i64 d) { return iso_dow(d); }
FN i64 part_dayofyear(i64 d) { return day_of_year(d); }
FN i64 part_isoyear(i64 d) { return civil(iso_thursday(d)).year; }
FN i64 part_week(i64 d) { return (day_of_year(iso_thursday(d)) - 1) / 7 + 1; }
FN i64 part_yearweek(i64 d) {
  const i64 y = part_isoyear(d), w = part_week(d);
  return y * 100 + (y > 0 ? w : -w);
}
// Parts of a time of day, in microseconds.
FN i64 part_hour(i64 t) { return t / 3600000000ll; }
FN i64 part_minute(i64 t) { return t / 60000000ll % 60; }
FN i64 part_second(i64 t) { return t / 1000000 % 60; }
FN i64 part_millisecond(i64 t) { return t % 60000000ll / 1000; }
FN i64 part_microsecond(i64 t) { return t % 60000000ll; }

// Start of the period that a date is in.
FN i64 trunc_day(i64 d) { return d; }
FN i64 trunc_week(i64 d) { return d - (iso_dow(d) - 1); }
FN i64 trunc_month(i64 d) { return d - (civil(d).day - 1); }
FN i64 trunc_quarter(i64 d) {
  const Civil c = civil(d);
  return days_of(c.year, (c.month - 1) / 3 * 3 + 1, 1);
}
FN i64 trunc_year(i64 d) { return days_of(civil(d).year, 1, 1); }
FN i64 trunc_decade(i64 d) { return days_of(civil(d).year / 10 * 10, 1, 1); }
FN i64 trunc_century(i64 d) { return days_of(civil(d).year / 100 * 100, 1, 1); }
FN i64 trunc_millennium(i64 d) { return days_of(civil(d).year / 1000 * 1000, 1, 1); }
FN i64 trunc_isoyear(i64 d) { return trunc_week(days_of(civil(iso_thursday(d)).year, 1, 4)); }
// Units since some moment, for differences.
FN i64 day_count(i64 d) { return d; }
FN i64 month_count(i64 d) {
  const Civil c = civil(d);
  return (i64)c.year * 12 + c.month - 1;
}
FN i64 quarter_count(i64 d) { return month_count(d) / 3; }
FN i64 year_count(i64 d) { return civil(d).year; }
FN i64 decade_count(i64 d) { return civil(d).year / 10; }
FN i64 century_count(i64 d) { return civil(d).year / 100; }
FN i64 millennium_count(i64 d) { return civil(d).year / 1000; }
FN i64 isoyear_count(i64 d) { return part_isoyear(d); }
FN Text pick_name(Text names, const i32* starts, i64 which) {
  return text(names.p + starts[which], starts[which + 1] - starts[which]);
}
FN i64 last_day(i64 d) {
  const Civil c = civil(d);
  return d - c.day + month_days(c.year, c.month);
}

FN i64 days_to_infinite_ticks(i32 d) { return d > 0 ? TICKS_INFINITE : -TICKS_INFINITE; }
// True when the date is outside of what ticks can say.
FN bool days_to_ticks(i32 d, i64 ticks_per_day, i64& r) {
  if (!finite_days(d)) {
    r = days_to_infinite_ticks(d);
    return false;
  }
  const i128 w = (i128)d * ticks_per_day;
  r = (i64)w;
  return w != (i128)r || !finite_ticks(r);
}
// a - b in units of ticks that divide a day; true when DuckDB cannot say it.
FN bool days_difference(i32 to, i32 from, i64 units_per_day, i64& r) {
  const i128 w = ((i128)to - from) * units_per_day;
  i64 ticks;
  r = (i64)w;
  if (w != (i128)r) return true;
  return units_per_day > 86400 && (days_to_ticks(to, DAY_MICROS, ticks) || days_to_ticks(from, DAY_MICROS, ticks));
}
FN bool ticks_difference(i64 to, i64 from, i64 unit, i64& r) {
  const i128 w = (i128)floor_div(to, unit) - floor_div(from, unit);
  r = (i64)w;
  return w != (i128)r;
}
FN i32 ticks_to_days(i64 t, i64 ticks_per_day) {
  if (!finite_ticks(t)) return t > 0 ? DAYS_INFINITE : -DAYS_INFINITE;
  return (i32)floor_div(t, ticks_per_day);
}
FN bool ticks_multiply(i64 t, i64 factor, i64& r) {
  if (!finite_ticks(t)) {
    r = t;
    return false;
  }
  const i128 w = (i128)t * factor;
  r = (i64)w;
  return w != (i128)r || !finite_ticks(r);
}
FN i64 ticks_divide(i64 t, i64 divisor) { return finite_ticks(t) ? divide_half_away(t, divisor) : t; }
// To seconds or milliseconds; true when rounding left what microseconds can say.
FN bool ticks_coarsen(i64 t, i64 divisor, i64 micros_per_tick, i64& r) {
  i64 micros;
  r = ticks_divide(t, divisor);
  return ticks_multiply(r, micros_per_tick, micros);
}
FN bool days_add(i32 d, i64 n, i32& r) {
  r = d;
  if (!finite_days(d)) return false;
  const i64 w = (i64)d + n;
  r = (i32)w;
  return w != (i64)r || !finite_days(r) || r == (i32)0x80000000;
}
// Months clamp to the month's end, then days, then time. True when the result is out of range.
FN bool ticks_add_span(i64 t, i32 months, i64 days, i128 ticks, i64 ticks_per_day, i64& r) {
  r = t;
  if (!finite_ticks(t)) return false;
  i64 day = floor_div(t, ticks_per_day);
  const i64 time = t - day * ticks_per_day;
  if (months != 0) {
    const Civil c = civil(day);
    const i64 month0 = (i64)c.year * 12 + (c.month - 1) + months;
    const i64 year = floor_div(month0, 12);
    const i32 month = (i32)floor_mod(month0, 12) + 1;
    const i32 limit = month_days(year, month);
    day = days_of(year, month, c.day < limit ? c.day : limit);
  }
  day += days;
  const i128 w = (i128)day * ticks_per_day + time + ticks;
  r = (i64)w;
  return w != (i128)r || !finite_ticks(r) || r < TICKS_LEAST;
}
)cuda";

}  // namespace weft::gpu::kernels
