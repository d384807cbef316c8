// Dates and timestamps: fields, truncation, intervals, differences.
#include "gpu/expr/generate_dates.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "support/function_table.hpp"

namespace weft::gpu {
namespace {

using kernels::Section;
using plan::Expr;
using plan::Type;
using plan::TypeId;

bool is_date_like(const Type& type) {
  return type.id == TypeId::Date || type.is_timestamp() || type.id == TypeId::Interval;
}

int64_t ticks_per_day(const Type& type) { return 86400 * ticks_per_second(type); }

std::string micros_of_day(const Type& type, const std::string& value) {
  if (type.id == TypeId::Date) return "0ll";
  if (type.id == TypeId::Time) return value;
  const int64_t per_second = ticks_per_second(type);
  const std::string ticks = fmt::format("floor_mod({}, {}ll)", value, ticks_per_day(type));
  return per_second > 1'000'000 ? fmt::format("({} / {})", ticks, per_second / 1'000'000)
                                : fmt::format("({} * {})", ticks, 1'000'000 / per_second);
}

bool is_time_part(std::string_view part) {
  constexpr std::array<std::string_view, 5> kParts{"hour", "minute", "second", "millisecond", "microsecond"};
  return std::find(kParts.begin(), kParts.end(), part) != kParts.end();
}

Operand emit_part(Generator& g, const Expr& expr, const Expr& argument, std::string_view part) {
  g.need(Section::Dates);
  g.makes_nulls();  // of infinite dates
  const Operand value = g.emit(argument);
  const std::string valid = g.both(value.valid, g.declare("bool", finite_condition(argument.type, value.value)));
  std::string field;
  if (argument.type.id == TypeId::Time && part == "epoch") {
    field = fmt::format("((f64){} / 1000000.0)", value.value);
  } else if (part == "epoch") {
    const std::string day = day_number(argument.type, value.value);
    field = fmt::format("((f64)({} * DAY_MICROS + {}) / 1000000.0)", day, micros_of_day(argument.type, value.value));
    if (argument.type.id == TypeId::Date) field = fmt::format("(f64)({} * 86400)", day);
    // As DuckDB's ICU adds them up, to the last digit.
    if (argument.type.is_zoned()) {
      field =
          fmt::format("((f64)floor_div({0}, 1000ll) / 1000.0 + (f64)floor_mod({0}, 1000ll) / 1000000.0)", value.value);
    }
  } else {
    field = fmt::format(
        "part_{}({})", part,
        is_time_part(part) ? micros_of_day(argument.type, value.value) : day_number(argument.type, value.value));
  }
  return g.guarded(expr.type, valid, fmt::format("({}){}", c_type(expr.type), field));
}

Operand emit_date_part(Generator& g, const Expr& expr) {
  const std::string& text = expr.children[0]->constant.as_text();
  return emit_part(g, expr, *expr.children[1], support::canonical_date_part(text));
}

Operand emit_named_part(Generator& g, const Expr& expr) {
  if (expr.children[0]->type.id == TypeId::Interval) return emit_interval_field(g, expr);
  return emit_part(g, expr, *expr.children[0], support::canonical_function(expr.function));
}

Operand emit_epoch(Generator& g, const Expr& expr) {
  if (expr.children[0]->type.id == TypeId::Interval) return emit_interval_field(g, expr);
  return emit_part(g, expr, *expr.children[0], "epoch");
}

Operand emit_date_trunc(Generator& g, const Expr& expr) {
  g.need(Section::Dates);
  const std::string_view unit = support::canonical_trunc_unit(expr.children[0]->constant.as_text());
  const Expr& argument = *expr.children[1];
  const Operand value = g.emit(argument);
  const Operand result = g.declare_result(expr.type, false);
  const std::string valid = Generator::valid_or_true(value);
  if (is_time_part(unit) && argument.type.id != TypeId::Date) {
    const int64_t step = micros_of_unit(unit);
    g.line(
        fmt::format("{0} = finite_ticks({1}) ? {1} - floor_mod({1}, {2}ll) : {1};", result.value, value.value, step));
    return {result.value, value.valid};
  }
  const std::string day = day_number(argument.type, value.value);
  const std::string start = is_time_part(unit) ? day : fmt::format("trunc_{}({})", unit, day);
  g.open(fmt::format("if ({} && {})", valid, finite_condition(argument.type, value.value)));
  const std::string overflow =
      g.declare("bool", fmt::format("days_to_ticks((i32)({}), DAY_MICROS, {})", start, result.value));
  if (expr.can_throw) g.raise_if(expr, "", overflow);
  g.close();
  const std::string infinite =
      argument.type.id == TypeId::Date ? fmt::format("days_to_infinite_ticks({})", value.value) : value.value;
  g.line(fmt::format("else {} = {};", result.value, infinite));
  return {result.value, value.valid};
}

// A timestamp of any unit or a date, as ticks of the result's unit.
Operand as_ticks(Generator& g, const Expr& expr, const Expr& argument) {
  const Operand value = g.emit(argument);
  if (argument.type == expr.type) return value;
  const Operand result = g.declare_result(expr.type, false);
  const int64_t per_day = ticks_per_day(expr.type);
  const std::string call = argument.type.id == TypeId::Date
                               ? fmt::format("days_to_ticks({}, {}ll, {})", value.value, per_day, result.value)
                               : fmt::format("ticks_multiply({}, {}ll, {})", value.value,
                                             per_day / ticks_per_day(argument.type), result.value);
  const std::string overflow = g.declare("bool", call);
  if (expr.can_throw) g.raise_if(expr, value.valid, overflow);
  return {result.value, value.valid};
}

Operand add_interval(Generator& g, const Expr& expr, const Expr& moment, const Expr& interval, const char* sign) {
  g.need(Section::Dates);
  const Operand ticks = as_ticks(g, expr, moment);
  const Operand by = g.emit(interval);
  const std::string valid = g.both(ticks.valid, by.valid);
  const Operand result = g.declare_result(expr.type, false);
  const int64_t per_second = ticks_per_second(expr.type);
  g.open(fmt::format("if ({})", valid.empty() ? "true" : valid));
  const std::string inverted = *sign == '-' ? fmt::format("cannot_invert({}) || ", by.value) : "";
  const std::string overflow = g.declare(
      "bool",
      fmt::format("{6}ticks_add_span({0}, {1}{2}.months, {1}(i64){2}.days, {1}(i128){2}.micros * {3}, {4}ll, {5})",
                  ticks.value, sign, by.value, per_second / 1'000'000, ticks_per_day(expr.type), result.value,
                  inverted));
  if (expr.can_throw) g.raise_if(expr, "", overflow);
  g.close();
  return {result.value, valid};
}

Operand add_days(Generator& g, const Expr& expr, const Expr& date, const Expr& days, const char* sign) {
  g.need(Section::Dates);
  const Operand value = g.emit(date);
  const Operand count = g.emit(days);
  const std::string valid = g.both(value.valid, count.valid);
  const Operand result = g.declare_result(expr.type, false);
  const std::string overflow =
      g.declare("bool", fmt::format("days_add({}, {}(i64){}, {})", value.value, sign, count.value, result.value));
  if (expr.can_throw) g.raise_if(expr, valid, overflow);
  return {result.value, valid};
}

Operand emit_last_day(Generator& g, const Expr& expr) {
  g.need(Section::Dates);
  g.makes_nulls();
  const Expr& argument = *expr.children[0];
  const Operand value = g.emit(argument);
  const std::string valid = g.both(value.valid, g.declare("bool", finite_condition(argument.type, value.value)));
  return g.guarded(expr.type, valid, fmt::format("(i32)last_day({})", day_number(argument.type, value.value)));
}

// Boundaries between two moments; of weeks, whole spans of seven days.
Operand emit_date_diff(Generator& g, const Expr& expr) {
  g.need(Section::Dates);
  g.makes_nulls();
  const std::string_view unit = support::canonical_trunc_unit(expr.children[0]->constant.as_text());
  const Type& type = expr.children[1]->type;
  const Operand a = g.emit(*expr.children[1]);
  const Operand b = g.emit(*expr.children[2]);
  const std::string both_finite =
      g.declare("bool", finite_condition(type, a.value) + " && " + finite_condition(type, b.value));
  const std::string valid = g.both(g.both(a.valid, b.valid), both_finite);
  if (is_time_part(unit)) {
    const Operand result = g.declare_result(expr.type, false);
    const bool dates = type.id == TypeId::Date;
    const int64_t step = dates ? 86'400'000'000 / micros_of_unit(unit) : micros_of_unit(unit);
    const std::string overflow = g.declare(
        "bool", fmt::format("{} && {}({}, {}, {}ll, {})", valid, dates ? "days_difference" : "ticks_difference",
                            b.value, a.value, step, result.value));
    if (expr.can_throw) g.raise_if(expr, "", overflow);
    return {result.value, valid};
  }
  const std::string from = day_number(type, a.value);
  const std::string to = day_number(type, b.value);
  if (unit == "week") return g.guarded(expr.type, valid, fmt::format("({} - {}) / 7", to, from));
  return g.guarded(expr.type, valid, fmt::format("{0}_count({2}) - {0}_count({1})", unit, from, to));
}

// Names are constants: views of a table.
Operand emit_name(Generator& g, const Expr& expr) {
  constexpr std::array kDays{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
  constexpr std::array kMonths{"January", "February", "March",     "April",   "May",      "June",
                               "July",    "August",   "September", "October", "November", "December"};
  g.need(Section::Dates);
  g.makes_nulls();
  const bool is_day = expr.function == "dayname";
  const Expr& argument = *expr.children[0];
  const Operand value = g.emit(argument);
  const std::string valid = g.both(value.valid, g.declare("bool", finite_condition(argument.type, value.value)));
  std::string bytes;
  std::vector<std::string> starts;
  const auto add = [&](const char* name) {
    starts.push_back(std::to_string(bytes.size()));
    bytes += name;
  };
  if (is_day) std::for_each(kDays.begin(), kDays.end(), add);
  if (!is_day) std::for_each(kMonths.begin(), kMonths.end(), add);
  starts.push_back(std::to_string(bytes.size()));
  const std::string names = g.declare("Text", g.text_constant(bytes));
  const std::string table = g.table("i32", starts);
  const std::string day = day_number(argument.type, value.value);
  const std::string which = is_day ? fmt::format("part_dayofweek({})", day) : fmt::format("part_month({}) - 1", day);
  return g.guarded(expr.type, valid, fmt::format("pick_name({}, {}, {})", names, table, which));
}

}  // namespace

// Fields of an infinite date are NULL.
std::string finite_condition(const Type& type, const std::string& value) {
  if (type.id == TypeId::Time) return "true";
  return fmt::format("{}({})", type.id == TypeId::Date ? "finite_days" : "finite_ticks", value);
}

std::string day_number(const Type& type, const std::string& value) {
  return type.id == TypeId::Date ? "(i64)" + value : fmt::format("floor_div({}, {}ll)", value, ticks_per_day(type));
}

int64_t micros_of_unit(std::string_view unit) {
  if (unit == "hour") return 3'600'000'000;
  if (unit == "minute") return 60'000'000;
  if (unit == "second") return 1'000'000;
  return unit == "millisecond" ? 1000 : 1;
}

int64_t ticks_per_second(const Type& type) {
  switch (type.carrier().id) {
    case TypeId::TimestampS:
      return 1;
    case TypeId::TimestampMs:
      return 1'000;
    case TypeId::TimestampNs:
      return 1'000'000'000;
    default:
      return 1'000'000;
  }
}

bool is_date_arithmetic(const Expr& expr) {
  return std::any_of(expr.children.begin(), expr.children.end(),
                     [](const plan::ExprPtr& child) { return is_date_like(child->type); });
}

Operand emit_date_add(Generator& g, const Expr& expr) {
  if (expr.type.id == TypeId::Interval) return emit_interval_arithmetic(g, expr);
  const Expr& left = *expr.children[0];
  const Expr& right = *expr.children[1];
  if (left.type.id == TypeId::Interval) return add_interval(g, expr, right, left, "");
  if (right.type.id == TypeId::Interval) return add_interval(g, expr, left, right, "");
  return left.type.id == TypeId::Date ? add_days(g, expr, left, right, "") : add_days(g, expr, right, left, "");
}

Operand emit_date_subtract(Generator& g, const Expr& expr) {
  if (expr.type.id == TypeId::Interval) return emit_interval_arithmetic(g, expr);
  const Expr& left = *expr.children[0];
  const Expr& right = *expr.children[1];
  if (right.type.id == TypeId::Interval) return add_interval(g, expr, left, right, "-");
  if (right.type.id != TypeId::Date) return add_days(g, expr, left, right, "-");
  const Operand a = g.emit(left);
  const Operand b = g.emit(right);
  return {g.declare("i64", fmt::format("(i64){} - {}", a.value, b.value)), g.both(a.valid, b.valid)};
}

Emitter find_date(std::string_view function) {
  constexpr std::array<std::pair<std::string_view, Emitter>, 7> kEmitters{{{"date_part", emit_date_part},
                                                                           {"date_trunc", emit_date_trunc},
                                                                           {"last_day", emit_last_day},
                                                                           {"date_diff", emit_date_diff},
                                                                           {"dayname", emit_name},
                                                                           {"monthname", emit_name},
                                                                           {"epoch", emit_epoch}}};
  for (const auto& [name, emitter] : kEmitters) {
    if (name == function) return emitter;
  }
  return support::canonical_date_part(function).empty() ? nullptr : emit_named_part;
}

}  // namespace weft::gpu
