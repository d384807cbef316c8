#include "support/window_table.hpp"

#include <algorithm>

#include "support/aggregate_table.hpp"

namespace weft::support {
namespace {

using plan::TypeId;

constexpr TypeClass kAny = TypeClass::Any;
constexpr TypeClass kBigInt = TypeClass::BigInt;

constexpr std::array kForms{
    WindowForm{"row_number", {}, TypeId::BigInt},
    WindowForm{"rank", {}, TypeId::BigInt},
    WindowForm{"dense_rank", {}, TypeId::BigInt},
    WindowForm{"percent_rank", {}, TypeId::Double},
    WindowForm{"cume_dist", {}, TypeId::Double},
    WindowForm{"ntile", {kBigInt}, TypeId::BigInt},
    WindowForm{"lag", {kAny, kBigInt, kAny}, TypeId::Null, true},
    WindowForm{"lead", {kAny, kBigInt, kAny}, TypeId::Null, true},
    WindowForm{"first_value", {kAny}, TypeId::Null, true},
    WindowForm{"last_value", {kAny}, TypeId::Null, true},
    WindowForm{"nth_value", {kAny, kBigInt}, TypeId::Null, true},
};

bool form_matches(const WindowForm& form, const plan::WindowCall& call) {
  const auto wanted = static_cast<size_t>(
      std::count_if(form.arguments.begin(), form.arguments.end(), [](TypeClass c) { return c != TypeClass::None; }));
  if (call.arguments.size() != wanted || (call.ignore_nulls && !form.ignore_nulls) || call.filter) return false;
  for (size_t i = 0; i < wanted; ++i) {
    if (!matches(form.arguments[i], call.arguments[i]->type)) return false;
  }
  return form.result == TypeId::Null ? call.type == call.arguments[0]->type : call.type.id == form.result;
}

bool supported_aggregate(const plan::WindowCall& call) {
  plan::AggregateCall aggregate;
  aggregate.function = call.function;
  aggregate.arguments = call.arguments;
  aggregate.type = call.type;
  return !call.ignore_nulls && refused_aggregate(aggregate).empty();
}

std::string call_name(const plan::WindowCall& call) {
  std::string name = call.function + (call.distinct ? "(DISTINCT " : "(");
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    if (i > 0) name += ", ";
    name += call.arguments[i]->type.to_string();
  }
  if (!call.argument_order_by.empty()) name += " ORDER BY";
  return name + (call.ignore_nulls ? " IGNORE NULLS)" : ")") + (!call.is_aggregate && call.filter ? " FILTER" : "");
}

}  // namespace

std::span<const WindowForm> window_forms() { return kForms; }

std::string refused_window(const plan::WindowCall& call) {
  const auto supported = [&] {
    if (call.distinct || !call.argument_order_by.empty()) return false;
    if (call.is_aggregate) return supported_aggregate(call);
    return std::any_of(kForms.begin(), kForms.end(),
                       [&](const WindowForm& form) { return form.name == call.function && form_matches(form, call); });
  };
  return supported() ? "" : call_name(call);
}

}  // namespace weft::support
