// + and - where an operand is a DATE or a TIMESTAMP.
#pragma once

#include "gpu/expr/generator.hpp"

namespace weft::gpu {

bool is_date_arithmetic(const plan::Expr& expr);
Operand emit_date_add(Generator& generator, const plan::Expr& expr);
Operand emit_date_subtract(Generator& generator, const plan::Expr& expr);

/// + - * that give an INTERVAL, and fields of one.
Operand emit_interval_arithmetic(Generator& generator, const plan::Expr& expr);
Operand emit_interval_field(Generator& generator, const plan::Expr& expr);

/// Ticks a second of a timestamp type.
int64_t ticks_per_second(const plan::Type& type);
/// Microseconds of a unit below the day.
int64_t micros_of_unit(std::string_view unit);
/// C++ conditions and values of a date or timestamp: where it is finite, the number of its day.
std::string finite_condition(const plan::Type& type, const std::string& value);
std::string day_number(const plan::Type& type, const std::string& value);

}  // namespace weft::gpu
