// Dates, timestamps and intervals made of numbers; epochs; whole units between moments; buckets; strftime.
#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "gpu/expr/generate_dates.hpp"
#include "support/function_table.hpp"

namespace weft::gpu {
namespace {

using kernels::Section;
using plan::Expr;
using plan::Type;
using plan::TypeId;

constexpr int64_t kDayMicros = 86'400'000'000;

// `call` with the result as its last argument gives true where DuckDB raises; it runs only where `valid` holds.
Operand checked_call(Generator& g, const Expr& expr, const std::string& valid, const std::string& call) {
  const Operand result = g.declare_result(expr.type, false);
  g.open(fmt::format("if ({})", valid.empty() ? "true" : valid));
  const std::string failed = g.declare("bool", fmt::format("{}, {})", call, result.value));
  if (expr.can_throw) g.raise_if(expr, "", failed);
  g.close();
  return {result.value, valid};
}

std::string argument_list(const std::vector<Operand>& operands) {
  std::string list;
  for (const Operand& operand : operands) list += (list.empty() ? "" : ", ") + operand.value;
  return list;
}

Operand emit_make(Generator& g, const Expr& expr) {
  g.need(Section::Calendar);
  const std::vector<Operand> x = g.emit_all(expr.children);
  std::string code = expr.function == "make_date" ? "make_date" : "make_timestamp";
  if (expr.function == "make_timestamp_ms") code = "from_millis";
  return checked_call(g, expr, g.conjunction(x), fmt::format("{}({}", code, argument_list(x)));
}

// epoch_ms, epoch_us, epoch_ns: NULL for what is infinite.
Operand emit_epoch_count(Generator& g, const Expr& expr) {
  g.need(Section::Calendar);
  const Type& type = expr.children[0]->type;
  const Operand x = g.emit(*expr.children[0]);
  if (type.id == TypeId::BigInt) return checked_call(g, expr, x.valid, fmt::format("from_millis({}", x.value));
  g.makes_nulls();
  const std::string valid = g.both(x.valid, g.declare("bool", finite_condition(type, x.value)));
  const std::string_view unit = std::string_view(expr.function).substr(6);
  if (type.id == TypeId::Date) {
    const int64_t per_day = unit == "ms" ? kDayMicros / 1000 : unit == "us" ? kDayMicros : kDayMicros * 1000;
    return checked_call(g, expr, valid, fmt::format("days_to_epoch({}, {}ll", x.value, per_day));
  }
  if (type.id == TypeId::TimestampNs) {
    return unit == "ns" ? Operand{x.value, valid}
                        : g.guarded(expr.type, valid, fmt::format("floor_div({}, 1000ll)", x.value));
  }
  if (unit == "us") return {x.value, valid};
  const char* code = unit == "ms" ? "ticks_to_millis" : "ticks_to_nanos";
  return checked_call(g, expr, valid, fmt::format("{}({}", code, x.value));
}

Operand emit_nanosecond(Generator& g, const Expr& expr) {
  g.need(Section::Calendar);
  g.makes_nulls();
  const Type& type = expr.children[0]->type;
  const Operand x = g.emit(*expr.children[0]);
  const std::string valid = g.both(x.valid, g.declare("bool", finite_condition(type, x.value)));
  if (type.id == TypeId::Date) return {"0ll", valid};
  const int64_t per_minute = 60 * ticks_per_second(type);
  return g.guarded(expr.type, valid,
                   fmt::format("floor_mod({}, {}ll) * {}ll", x.value, per_minute, 60'000'000'000 / per_minute));
}

Operand emit_julian(Generator& g, const Expr& expr) {
  g.need(Section::Calendar);
  g.makes_nulls();
  const Type& type = expr.children[0]->type;
  const Operand x = g.emit(*expr.children[0]);
  const std::string valid = g.both(x.valid, g.declare("bool", finite_condition(type, x.value)));
  const std::string time = type.id == TypeId::Date ? "0ll" : fmt::format("floor_mod({}, DAY_MICROS)", x.value);
  return g.guarded(expr.type, valid, fmt::format("julian_day({}, {})", day_number(type, x.value), time));
}

// A moment as microseconds; a DATE that they cannot say raises.
Operand as_micros(Generator& g, const Expr& expr, const Expr& argument, const std::string& valid) {
  const Operand x = g.emit(argument);
  if (argument.type.id != TypeId::Date) return x;
  const Operand micros = g.declare_result(Type::of(TypeId::Timestamp), false);
  const std::string failed = g.declare("bool", fmt::format("days_to_ticks({}, DAY_MICROS, {})", x.value, micros.value));
  if (expr.can_throw) g.raise_if(expr, valid, failed);
  return {micros.value, x.valid};
}

Operand emit_date_sub(Generator& g, const Expr& expr) {
  g.need(Section::Calendar);
  g.makes_nulls();
  const std::string_view unit = support::canonical_trunc_unit(expr.children[0]->constant.as_text());
  const Type& type = expr.children[1]->type;
  const Operand from = g.emit(*expr.children[1]);
  const Operand to = g.emit(*expr.children[2]);
  const std::string both_finite =
      g.declare("bool", finite_condition(type, from.value) + " && " + finite_condition(type, to.value));
  const std::string valid = g.both(g.both(from.valid, to.valid), both_finite);
  const Operand start = as_micros(g, expr, *expr.children[1], valid);
  const Operand end = as_micros(g, expr, *expr.children[2], valid);
  constexpr std::array<std::pair<std::string_view, int>, 7> kMonths{{{"month", 1},
                                                                     {"quarter", 3},
                                                                     {"year", 12},
                                                                     {"isoyear", 12},
                                                                     {"decade", 120},
                                                                     {"century", 1'200},
                                                                     {"millennium", 12'000}}};
  for (const auto& [name, months] : kMonths) {
    if (name != unit) continue;
    return g.guarded(expr.type, valid, fmt::format("whole_months({}, {}) / {}", start.value, end.value, months));
  }
  const int64_t micros = unit == "week" ? 7 * kDayMicros : unit == "day" ? kDayMicros : micros_of_unit(unit);
  return checked_call(g, expr, valid, fmt::format("whole_units({}, {}, {}ll", start.value, end.value, micros));
}

// Buckets of months begin in a month of 2000-01's row, others in the row of Monday 2000-01-03, or at the origin.
Operand emit_time_bucket(Generator& g, const Expr& expr) {
  g.need(Section::Calendar);
  const auto& width = std::get<plan::IntervalValue>(expr.children[0]->constant.data);
  const Expr& argument = *expr.children[1];
  const Type& type = argument.type;
  const Operand x = g.emit(argument);
  std::string valid = x.valid;
  Operand origin;
  if (expr.children.size() == 3) {
    g.makes_nulls();
    origin = g.emit(*expr.children[2]);
    valid = g.both(g.both(valid, origin.valid), g.declare("bool", finite_condition(type, origin.value)));
  }
  const Operand result = g.declare_result(expr.type, false);
  g.line(fmt::format("{} = {};", result.value, x.value));  // an infinite moment stays
  g.open(fmt::format("if ({}{})", valid.empty() ? "" : valid + " && ", finite_condition(type, x.value)));
  if (width.months != 0) {
    const std::string start =
        origin.value.empty() ? "360" : fmt::format("months_since_epoch({})", day_number(type, origin.value));
    const Operand day = g.declare_result(Type::of(TypeId::Date), false);
    std::string failed = g.declare("bool", fmt::format("bucket_of_months({}, {}, {}, {})", day_number(type, x.value),
                                                       width.months, start, day.value));
    if (type.id == TypeId::Date) {
      g.line(fmt::format("{} = {};", result.value, day.value));
    } else {
      failed =
          g.declare("bool", fmt::format("{} || days_to_ticks({}, DAY_MICROS, {})", failed, day.value, result.value));
    }
    if (expr.can_throw) g.raise_if(expr, "", failed);
  } else {
    const int64_t micros = width.micros + static_cast<int64_t>(width.days) * kDayMicros;
    const Operand moment = as_micros(g, expr, argument, "");
    const std::string start = origin.value.empty() ? fmt::format("{}ll", 10959 * kDayMicros)
                                                   : as_micros(g, expr, *expr.children[2], "").value;
    const Operand ticks = g.declare_result(Type::of(TypeId::Timestamp), false);
    const std::string failed =
        g.declare("bool", fmt::format("bucket_of_width({}, {}ll, {}, {})", moment.value, micros, start, ticks.value));
    if (expr.can_throw) g.raise_if(expr, "", failed);
    g.line(type.id == TypeId::Date ? fmt::format("{} = ticks_to_days({}, DAY_MICROS);", result.value, ticks.value)
                                   : fmt::format("{} = {};", result.value, ticks.value));
  }
  g.close();
  return {result.value, valid};
}

struct IntervalUnit {
  std::string_view function;
  const char* code;
  int64_t size;
};
constexpr std::array kIntervalUnits{
    IntervalUnit{"to_millennia", "span_of_months", 12'000},
    IntervalUnit{"to_centuries", "span_of_months", 1'200},
    IntervalUnit{"to_decades", "span_of_months", 120},
    IntervalUnit{"to_years", "span_of_months", 12},
    IntervalUnit{"to_quarters", "span_of_months", 3},
    IntervalUnit{"to_months", "span_of_months", 1},
    IntervalUnit{"to_weeks", "span_of_days", 7},
    IntervalUnit{"to_days", "span_of_days", 1},
    IntervalUnit{"to_hours", "span_of_micros", 3'600'000'000},
    IntervalUnit{"to_minutes", "span_of_micros", 60'000'000},
    IntervalUnit{"to_seconds", "span_of_micros", 1'000'000},
    IntervalUnit{"to_milliseconds", "span_of_micros", 1'000},
    IntervalUnit{"to_microseconds", "span_of_micros", 1},
};

Operand emit_interval(Generator& g, const Expr& expr) {
  g.need(Section::Calendar);
  const Operand x = g.emit(*expr.children[0]);
  for (const IntervalUnit& unit : kIntervalUnits) {
    if (unit.function != expr.function) continue;
    const char* as = expr.children[0]->type.is_floating() ? "" : "(i64)";
    return checked_call(g, expr, x.valid, fmt::format("{}({}{}, {}ll", unit.code, as, x.value, unit.size));
  }
  throw Exception(ErrorCode::InternalError, "no kernel code for the function " + expr.function);
}

// Arithmetic and fields of intervals: calls of the prelude.
struct IntervalCall {
  std::string_view function;
  const char* code;
};
constexpr std::array kIntervalFields{
    IntervalCall{"millennium", "span_millennium"},
    IntervalCall{"century", "span_century"},
    IntervalCall{"decade", "span_decade"},
    IntervalCall{"year", "span_year"},
    IntervalCall{"quarter", "span_quarter"},
    IntervalCall{"month", "span_month"},
    IntervalCall{"day", "span_day"},
    IntervalCall{"hour", "span_hour"},
    IntervalCall{"minute", "span_minute"},
    IntervalCall{"second", "span_second"},
    IntervalCall{"millisecond", "span_millisecond"},
    IntervalCall{"microsecond", "span_microsecond"},
    IntervalCall{"epoch", "span_epoch"},
};

// NULL where a moment is infinite.
Operand emit_age(Generator& g, const Expr& expr) {
  g.need(Section::Calendar);
  g.makes_nulls();
  const std::vector<Operand> x = g.emit_all(expr.children);
  const Type& type = expr.children[0]->type;
  const std::string finite =
      g.declare("bool", finite_condition(type, x[0].value) + " && " + finite_condition(type, x[1].value));
  return g.guarded(expr.type, g.both(g.conjunction(x), finite), fmt::format("age_between({})", argument_list(x)));
}

Operand emit_normalized_interval(Generator& g, const Expr& expr) {
  g.need(Section::Calendar);
  const Operand x = g.emit(*expr.children[0]);
  return g.guarded(expr.type, x.valid, fmt::format("normal_span({})", x.value));
}

// The format with its compound specifiers written out.
std::string plain_format(const std::string& format) {
  std::string plain;
  for (size_t i = 0; i < format.size(); ++i) {
    const char next = format[i] == '%' ? format[i + 1] : '\0';
    if (next == 'c') plain += "%Y-%m-%d %H:%M:%S";
    if (next == 'x') plain += "%Y-%m-%d";
    if (next == 'X' || next == 'T') plain += "%H:%M:%S";
    if (next == 'c' || next == 'x' || next == 'X' || next == 'T') {
      ++i;
    } else {
      plain += format[i];
      if (next != '\0') plain += format[++i];
    }
  }
  return plain;
}

Operand emit_strftime(Generator& g, const Expr& expr) {
  g.need(Section::Calendar);
  g.need_arena();
  const bool format_first = expr.children[0]->type.id == TypeId::Varchar;
  const Expr& argument = *expr.children[format_first ? 1 : 0];
  const std::string format = plain_format(expr.children[format_first ? 0 : 1]->constant.as_text());
  constexpr size_t kMostAPart = 10;  // a name, or a year with its sign
  const size_t most = format.size() + kMostAPart * static_cast<size_t>(std::count(format.begin(), format.end(), '%'));
  const Type& type = argument.type;
  const Operand x = g.emit(argument);
  const int64_t per_day = 86'400 * ticks_per_second(type);
  const std::string nanos = type.id == TypeId::Date ? "0ll"
                                                    : fmt::format("floor_mod({}, {}ll) * {}ll", x.value, per_day,
                                                                  86'400'000'000'000 / per_day);
  const std::string constant = g.declare("Text", g.text_constant(format));
  return g.guarded(
      expr.type, x.valid,
      fmt::format("{} ? format_moment(p.head, {}, {}, {}, {}) : name_of_infinity(p.head, {} < 0)",
                  finite_condition(type, x.value), day_number(type, x.value), nanos, constant, most, x.value));
}

// Text that does not have the form raises, or is NULL for try_strptime.
Operand emit_strptime(Generator& g, const Expr& expr) {
  g.need(Section::Moments);
  const Operand x = g.emit(*expr.children[0]);
  const std::string format = g.declare("Text", g.text_constant(plain_format(expr.children[1]->constant.as_text())));
  const std::string call = fmt::format("parse_moment({}, {}", x.value, format);
  if (expr.function == "strptime") return checked_call(g, expr, x.valid, call);
  g.makes_nulls();
  Operand result = g.declare_result(expr.type, true);
  g.line(fmt::format("{}{} = !{}, {});", x.valid.empty() ? "" : fmt::format("if ({}) ", x.valid), result.valid, call,
                     result.value));
  return result;
}

}  // namespace

Operand emit_interval_arithmetic(Generator& g, const Expr& expr) {
  g.need(Section::Calendar);
  const std::vector<Operand> x = g.emit_all(expr.children);
  const std::string_view name = support::canonical_function(expr.function);
  const bool moments = expr.children[0]->type.is_timestamp();
  const char* code = name == "*" ? "span_times" : name == "+" ? "span_plus" : moments ? "span_between" : "span_minus";
  return checked_call(g, expr, g.conjunction(x), fmt::format("{}({}", code, argument_list(x)));
}

Operand emit_interval_field(Generator& g, const Expr& expr) {
  g.need(Section::Calendar);
  const Operand x = g.emit(*expr.children[0]);
  for (const IntervalCall& field : kIntervalFields) {
    if (field.function != support::canonical_function(expr.function)) continue;
    return g.guarded(expr.type, x.valid, fmt::format("{}({})", field.code, x.value));
  }
  throw Exception(ErrorCode::InternalError, "no kernel code for the field " + expr.function + " of an interval");
}

Emitter find_calendar(std::string_view function) {
  constexpr std::array<std::pair<std::string_view, Emitter>, 16> kEmitters{{
      {"make_date", emit_make},
      {"make_timestamp", emit_make},
      {"make_timestamp_ms", emit_make},
      {"make_timestamp_ns", emit_make},
      {"epoch_ms", emit_epoch_count},
      {"epoch_us", emit_epoch_count},
      {"epoch_ns", emit_epoch_count},
      {"nanosecond", emit_nanosecond},
      {"julian", emit_julian},
      {"date_sub", emit_date_sub},
      {"time_bucket", emit_time_bucket},
      {"strftime", emit_strftime},
      {"strptime", emit_strptime},
      {"try_strptime", emit_strptime},
      {"age", emit_age},
      {"normalized_interval", emit_normalized_interval},
  }};
  for (const auto& [name, emitter] : kEmitters) {
    if (name == function) return emitter;
  }
  for (const IntervalUnit& unit : kIntervalUnits) {
    if (unit.function == function) return emit_interval;
  }
  return nullptr;
}

}  // namespace weft::gpu
