// The window functions that the GPU backend runs: one line each. As windows, all aggregates of aggregate_table run too.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "plan/node.hpp"
#include "support/function_table.hpp"

namespace weft::support {

struct WindowForm {
  std::string_view name;
  std::array<TypeClass, 3> arguments{TypeClass::None, TypeClass::None, TypeClass::None};
  plan::TypeId result = plan::TypeId::Null;  // Null: the first argument's type
  bool ignore_nulls = false;                 // IGNORE NULLS is allowed
};

std::span<const WindowForm> window_forms();

/// The name of what is refused, "fill(DOUBLE)", "sum(DISTINCT BIGINT)" or "lag(INTEGER ORDER BY)"; empty: supported.
/// Refused are DISTINCT, an ORDER BY inside the call, and FILTER on what is no aggregate. Types of arguments are
/// checked as part of the expressions.
std::string refused_window(const plan::WindowCall& call);

}  // namespace weft::support
