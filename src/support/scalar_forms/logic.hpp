// Forms of the functions of values of any type, and of the planner's own.
#pragma once

#include "support/scalar_forms/arguments.hpp"

namespace weft::support::forms {

// clang-format off
constexpr std::array kLogic{
    // Planner's own.
    variadic("hash", {kAny}, ResultRule::UBigInt, false),
    variadic("constant_or_null", {kAny, kAny}, ResultRule::SameAsFirst, false),
    ScalarForm{"error", {kVarchar}, ResultRule::Any},
};
// clang-format on

}  // namespace weft::support::forms
