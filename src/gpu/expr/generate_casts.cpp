// Casts between numbers, decimals, booleans, dates and timestamps; those from and to text are in
// generate_text_casts.cpp.
#include <fmt/format.h>

#include "base/error.hpp"
#include "gpu/expr/generate_dates.hpp"
#include "gpu/expr/generator.hpp"

namespace weft::gpu {
namespace {

using kernels::Section;
using plan::Expr;
using plan::Type;
using plan::TypeId;

// Code that sets `result` and gives a condition that the value does not fit ("": it always does).
struct Conversion {
  Generator& g;
  const Type& from;
  const Type& to;
  std::string x;       // the value
  std::string result;  // declared, of type `to`

  void set(const std::string& value) { g.line(fmt::format("{} = ({}){};", result, c_type(to), value)); }
  std::string test(const std::string& condition) { return g.declare("bool", condition); }
  // Does an integer, in a 128-bit sense, fit into the integer type `to`? "" if every value of `from` does.
  std::string outside_integer(const std::string& value, bool wide) {
    const std::string range = fmt::format("Range<{}>", c_type(to));
    if (wide || to.id == TypeId::UBigInt) {
      return fmt::format("((i128){0} < {1}::low() || (i128){0} > {1}::high())", value, range);
    }
    return fmt::format("((i64){0} < (i64){1}::low() || (i64){0} > (i64){1}::high())", value, range);
  }

  std::string integer_to_integer();
  std::string decimal_to_integer();
  std::string to_decimal_from_integer();
  std::string decimal_to_decimal();
  std::string from_floating();
  std::string to_floating();
  std::string from_date();
  std::string from_timestamp();
  std::string run();
};

bool wide_integer(const Type& type) { return type.id == TypeId::HugeInt || type.id == TypeId::UBigInt; }

std::string Conversion::integer_to_integer() {
  if (to.id == TypeId::HugeInt) {
    set(x);
    return "";
  }
  const std::string failed = test(outside_integer(x, wide_integer(from)));
  set(x);
  return failed;
}

std::string Conversion::decimal_to_integer() {
  const char* wide = stored_as_128(from) ? "i128" : "i64";
  const std::string whole =
      from.scale == 0
          ? g.declare(wide, x)
          : g.declare(wide, fmt::format("divide_half_away(({0}){1}, ({0}){2})", wide, x, power_of_ten(from.scale)));
  const std::string failed = to.id == TypeId::HugeInt ? "" : test(outside_integer(whole, stored_as_128(from)));
  set(whole);
  return failed;
}

std::string Conversion::to_decimal_from_integer() {
  // |x| < 10^(width - scale), so that the product fits.
  const unsigned digits = to.width - to.scale;
  const bool wide = wide_integer(from) || digits > 18;
  const std::string failed =
      test(fmt::format("outside(({0}){1}, ({0}){2})", wide ? "i128" : "i64", x, power_of_ten(digits)));
  const std::string zero =
      fmt::format("({} ? ({}){} * ({}){} : 0)", "!" + failed, c_type(to), x, c_type(to), power_of_ten(to.scale));
  set(zero);
  return failed;
}

std::string Conversion::decimal_to_decimal() {
  const bool wide = stored_as_128(from) || stored_as_128(to);
  const char* work = wide ? "i128" : "i64";
  if (to.scale >= from.scale) {
    const unsigned up = to.scale - from.scale;
    const unsigned digits = to.width - up;  // of the source that fit
    const std::string factor = fmt::format("({}){}", work, power_of_ten(up));
    if (from.width <= digits) {
      set(fmt::format("(({}){} * {})", work, x, factor));
      return "";
    }
    const std::string failed = test(fmt::format("outside(({0}){1}, ({0}){2})", work, x, power_of_ten(digits)));
    set(fmt::format("({} ? 0 : ({}){} * {})", failed, work, x, factor));
    return failed;
  }
  const unsigned down = from.scale - to.scale;
  const std::string rounded =
      g.declare(work, fmt::format("divide_half_away(({0}){1}, ({0}){2})", work, x, power_of_ten(down)));
  const bool fits = from.width - down < to.width;  // one digit to spare for the rounding
  const std::string failed =
      fits ? "" : test(fmt::format("outside({}, ({}){})", rounded, work, power_of_ten(to.width)));
  set(rounded);
  return failed;
}

std::string Conversion::from_floating() {
  const std::string wide = g.declare("f64", x);
  if (to.id == TypeId::Boolean) {
    set(fmt::format("({} != 0)", x));
    return "";
  }
  if (to.is_decimal()) {
    return test(fmt::format("float_to_decimal({}, (f64){}, (f64){}, {})", wide, power_of_ten(to.scale),
                            power_of_ten(to.width), result));
  }
  return test(fmt::format("float_to_integer({}, {})", wide, result));
}

std::string Conversion::to_floating() {
  if (from.is_decimal()) {
    set(fmt::format("decimal_to_f64((i128){}, (i128){})", x, power_of_ten(from.scale)));
    return "";
  }
  if (from.id == TypeId::Double && to.id == TypeId::Float) return test(fmt::format("f64_to_f32({}, {})", x, result));
  set(x);
  return "";
}

std::string Conversion::from_date() {
  g.need(Section::Dates);
  const int64_t rate = ticks_per_second(to);
  if (rate >= 1'000'000) return test(fmt::format("days_to_ticks({}, {}ll, {})", x, 86400 * rate, result));
  // DuckDB goes through microseconds, which bound the coarser units too.
  const std::string failed = test(fmt::format("days_to_ticks({}, DAY_MICROS, {})", x, result));
  g.line(fmt::format("{0} = finite_ticks({0}) ? {0} / {1} : {0};", result, 1'000'000 / rate));
  return failed;
}

std::string Conversion::from_timestamp() {
  g.need(Section::Dates);
  const int64_t from_rate = ticks_per_second(from);
  if (to.id == TypeId::Date) {
    // DuckDB goes through microseconds: nanoseconds are rounded, and coarser units must fit.
    std::string micros = x;
    std::string failed;
    if (from_rate > 1'000'000) {
      micros = g.declare("i64", fmt::format("ticks_divide({}, {}ll)", x, from_rate / 1'000'000));
    } else if (from_rate < 1'000'000) {
      micros = g.declare_result(Type::of(TypeId::Timestamp), false).value;
      failed = test(fmt::format("ticks_multiply({}, {}ll, {})", x, 1'000'000 / from_rate, micros));
    }
    set(fmt::format("ticks_to_days({}, DAY_MICROS)", micros));
    return failed;
  }
  const int64_t to_rate = ticks_per_second(to);
  if (to_rate == from_rate) {
    set(x);
    return "";
  }
  if (to_rate < from_rate && to_rate < 1'000'000) {
    return test(fmt::format("ticks_coarsen({}, {}ll, {}ll, {})", x, from_rate / to_rate, 1'000'000 / to_rate, result));
  }
  if (to_rate < from_rate) {
    set(fmt::format("ticks_divide({}, {}ll)", x, from_rate / to_rate));
    return "";
  }
  return test(fmt::format("ticks_multiply({}, {}ll, {})", x, to_rate / from_rate, result));
}

std::string Conversion::run() {
  const bool from_integer = from.is_integer() || from.id == TypeId::Boolean;
  if (to.is_floating()) return to_floating();
  if (from.is_floating()) return from_floating();
  if (to.id == TypeId::Boolean) {
    set(fmt::format("({} != 0)", x));
    return "";
  }
  if (from.id == TypeId::Boolean && to.is_integer()) {
    set(x);
    return "";
  }
  if (from_integer && to.is_integer()) return integer_to_integer();
  if (from_integer && to.is_decimal()) return to_decimal_from_integer();
  if (from.is_decimal() && to.is_integer()) return decimal_to_integer();
  if (from.is_decimal() && to.is_decimal()) return decimal_to_decimal();
  if (from.id == TypeId::Date && to.is_timestamp()) return from_date();
  if (from.is_timestamp()) return from_timestamp();
  throw Exception(ErrorCode::InternalError,
                  "no kernel code for the cast " + from.to_string() + " -> " + to.to_string());
}

// TIMESTAMP -> TIME, TIME -> TIME_NS; as Conversion::run().
std::string time_conversion(Generator& g, const Type& from, const std::string& x, const std::string& result) {
  if (from.id == TypeId::Time) {
    g.line(fmt::format("{} = {} * 1000;", result, x));
    return "";
  }
  g.need(Section::Dates);
  g.line(fmt::format("{} = floor_mod({}, DAY_MICROS);", result, x));
  return g.declare("bool", fmt::format("!finite_ticks({})", x));
}

}  // namespace

Operand emit_cast(Generator& g, const Expr& expr) {
  const Expr& child = *expr.children[0];
  const Operand value = g.emit(child);
  if (child.type == expr.type) return value;
  if (child.type.id == TypeId::Null) {
    g.makes_nulls();
    return {fmt::format("{}()", c_type(expr.type)), "false"};
  }
  if (expr.type.id == TypeId::Varchar)
    return g.guarded(expr.type, value.valid, emit_format(g, child.type, value.value));
  g.need(Section::Numbers);
  const Operand result = g.declare_result(expr.type, false);
  std::string failed;
  if (child.type.id == TypeId::Varchar) {
    failed = g.declare("bool",
                       Generator::valid_or_true(value) + " && " + emit_parse(g, expr.type, value.value, result.value));
  } else if (expr.type.carrier().id != expr.type.id && !expr.type.is_zoned()) {
    failed = time_conversion(g, child.type, value.value, result.value);
  } else {
    // Weft casts to and from a time zone where it is UTC only: then nothing moves.
    failed = Conversion{g, child.type.carrier(), expr.type.carrier(), value.value, result.value}.run();
  }
  if (failed.empty()) return {result.value, value.valid};
  if (expr.try_cast) {
    g.makes_nulls();
    return {result.value, g.declare("bool", fmt::format("{} && !{}", Generator::valid_or_true(value), failed))};
  }
  if (expr.can_throw) g.raise_if(expr, value.valid, failed);
  return {result.value, value.valid};
}

}  // namespace weft::gpu
