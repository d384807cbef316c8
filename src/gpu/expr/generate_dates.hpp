// + and - where an operand is a DATE or a TIMESTAMP.
#pragma once

#include "gpu/expr/generator.hpp"

namespace weft::gpu {

bool is_date_arithmetic(const plan::Expr& expr);
Operand emit_date_add(Generator& generator, const plan::Expr& expr);
Operand emit_date_subtract(Generator& generator, const plan::Expr& expr);

/// Ticks a second of a timestamp type.
int64_t ticks_per_second(const plan::Type& type);

}  // namespace weft::gpu
