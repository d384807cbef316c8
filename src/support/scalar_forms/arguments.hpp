// The words that the families of forms (numeric.hpp, text.hpp, dates.hpp, logic.hpp) are written in. Only
// function_table.cpp includes these.
#pragma once

#include <array>
#include <string_view>

#include "support/function_table.hpp"

namespace weft::support::forms {

constexpr Argument kAny{TypeClass::Any};
constexpr Argument kInteger{TypeClass::Integer};
constexpr Argument kInt32{TypeClass::Int32};
constexpr Argument kSigned64{TypeClass::Signed64};
constexpr Argument kBigInt{TypeClass::BigInt};
constexpr Argument kUBigInt{TypeClass::UBigInt};
constexpr Argument kHugeInt{TypeClass::HugeInt};
constexpr Argument kDecimal{TypeClass::Decimal};
constexpr Argument kFloating{TypeClass::Floating};
constexpr Argument kDouble{TypeClass::Double};
constexpr Argument kVarchar{TypeClass::Varchar};
constexpr Argument kDate{TypeClass::Date};
constexpr Argument kTimestamp{TypeClass::Timestamp};
constexpr Argument kTimestampNs{TypeClass::TimestampNs};
constexpr Argument kTimestampTz{TypeClass::TimestampTz};
constexpr Argument kTime{TypeClass::Time};
constexpr Argument kAnyTimestamp{TypeClass::AnyTimestamp};
constexpr Argument kInterval{TypeClass::Interval};    // a constant, or a function of the row
constexpr Argument kSpan{TypeClass::Interval, true};  // a constant
constexpr Argument kFlag{TypeClass::Boolean, true};   // a constant
constexpr Argument kText{TypeClass::Varchar, true};   // a constant
constexpr Argument kDigits{TypeClass::Int32, true};   // a constant

constexpr ScalarForm same_types(std::string_view name, Arguments arguments, ResultRule result) {
  return ScalarForm{name, arguments, result, true, false, Limit::None};
}
constexpr ScalarForm variadic(std::string_view name, Arguments arguments, ResultRule result, bool same) {
  return ScalarForm{name, arguments, result, same, true, Limit::None};
}
constexpr ScalarForm limited(std::string_view name, Arguments arguments, ResultRule result, Limit limit) {
  return ScalarForm{name, arguments, result, false, false, limit};
}

}  // namespace weft::support::forms
