#include "support/aggregate_table.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace weft::support {
namespace {

using plan::TypeId;

constexpr std::array kForms{
    AggregateForm{"sum", TypeClass::Integer, TypeId::HugeInt},
    AggregateForm{"sum", TypeClass::Boolean, TypeId::HugeInt},
    AggregateForm{"sum", TypeClass::Decimal, TypeId::Decimal},
    AggregateForm{"sum", TypeClass::Floating, TypeId::Double},
    AggregateForm{"sum_no_overflow", TypeClass::Integer, TypeId::HugeInt},
    AggregateForm{"sum_no_overflow", TypeClass::Decimal, TypeId::Decimal},
    AggregateForm{"avg", TypeClass::Integer, TypeId::Double},
    AggregateForm{"avg", TypeClass::Decimal, TypeId::Double},
    AggregateForm{"avg", TypeClass::Floating, TypeId::Double},
    AggregateForm{"count", TypeClass::Any, TypeId::BigInt},
    AggregateForm{"count_star", TypeClass::None, TypeId::BigInt},
    AggregateForm{"min", TypeClass::Any, TypeId::Null},
    AggregateForm{"max", TypeClass::Any, TypeId::Null},
    AggregateForm{"any_value", TypeClass::Any, TypeId::Null},
    AggregateForm{"first", TypeClass::Any, TypeId::Null},
    AggregateForm{"stddev_samp", TypeClass::Double, TypeId::Double},
    AggregateForm{"stddev_pop", TypeClass::Double, TypeId::Double},
    AggregateForm{"var_samp", TypeClass::Double, TypeId::Double},
    AggregateForm{"var_pop", TypeClass::Double, TypeId::Double},
    AggregateForm{"sem", TypeClass::Double, TypeId::Double},
    AggregateForm{"count_if", TypeClass::Boolean, TypeId::HugeInt},
    AggregateForm{"bool_and", TypeClass::Boolean, TypeId::Boolean},
    AggregateForm{"bool_or", TypeClass::Boolean, TypeId::Boolean},
    AggregateForm{"arg_min", TypeClass::Any, TypeId::Null, TypeClass::Any, false},
    AggregateForm{"arg_max", TypeClass::Any, TypeId::Null, TypeClass::Any, false},
    AggregateForm{"arg_min_null", TypeClass::Any, TypeId::Null, TypeClass::Any, false},
    AggregateForm{"arg_max_null", TypeClass::Any, TypeId::Null, TypeClass::Any, false},
    AggregateForm{"bit_and", TypeClass::Integer, TypeId::Null, TypeClass::None, false},
    AggregateForm{"bit_or", TypeClass::Integer, TypeId::Null, TypeClass::None, false},
    AggregateForm{"bit_xor", TypeClass::Integer, TypeId::Null, TypeClass::None, false},
    AggregateForm{"product", TypeClass::Double, TypeId::Double, TypeClass::None, false},
    AggregateForm{"covar_pop", TypeClass::Double, TypeId::Double, TypeClass::Double, false},
    AggregateForm{"covar_samp", TypeClass::Double, TypeId::Double, TypeClass::Double, false},
    AggregateForm{"corr", TypeClass::Double, TypeId::Double, TypeClass::Double, false},
    AggregateForm{"regr_count", TypeClass::Double, TypeId::UInteger, TypeClass::Double, false},
    AggregateForm{"regr_avgx", TypeClass::Double, TypeId::Double, TypeClass::Double, false},
    AggregateForm{"regr_avgy", TypeClass::Double, TypeId::Double, TypeClass::Double, false},
    AggregateForm{"regr_slope", TypeClass::Double, TypeId::Double, TypeClass::Double, false},
    AggregateForm{"regr_intercept", TypeClass::Double, TypeId::Double, TypeClass::Double, false},
    AggregateForm{"regr_r2", TypeClass::Double, TypeId::Double, TypeClass::Double, false},
    AggregateForm{"regr_sxx", TypeClass::Double, TypeId::Double, TypeClass::Double, false},
    AggregateForm{"regr_syy", TypeClass::Double, TypeId::Double, TypeClass::Double, false},
    AggregateForm{"regr_sxy", TypeClass::Double, TypeId::Double, TypeClass::Double, false},
};

constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kAliases{{{"mean", "avg"},
                                                                                 {"arbitrary", "first"},
                                                                                 {"stddev", "stddev_samp"},
                                                                                 {"variance", "var_samp"},
                                                                                 {"countif", "count_if"},
                                                                                 {"argmin", "arg_min"},
                                                                                 {"min_by", "arg_min"},
                                                                                 {"argmax", "arg_max"},
                                                                                 {"max_by", "arg_max"}}};

// libcudf has no bitwise operations on 128 bits.
bool too_wide(const AggregateForm& form, const plan::Type& argument) {
  return form.name.starts_with("bit_") && argument.id == TypeId::HugeInt;
}

bool form_matches(const AggregateForm& form, const plan::AggregateCall& call) {
  const size_t wanted = form.argument == TypeClass::None ? 0 : form.second == TypeClass::None ? 1 : 2;
  if (call.arguments.size() != wanted) return false;
  if (wanted == 0) return call.type.id == form.result && !call.distinct;
  const plan::Type& argument = call.arguments[0]->type;
  if (!matches(form.argument, argument) || too_wide(form, argument)) return false;
  if (wanted == 2 && !matches(form.second, call.arguments[1]->type)) return false;
  return form.result == TypeId::Null ? call.type == argument : call.type.id == form.result;
}

std::string call_name(const plan::AggregateCall& call) {
  std::string name = call.function + (call.distinct ? "(DISTINCT " : "(");
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    if (i > 0) name += ", ";
    name += call.arguments[i]->type.to_string();
  }
  return name + (call.order_by.empty() ? ")" : " ORDER BY)");
}

}  // namespace

std::span<const AggregateForm> aggregate_forms() { return kForms; }

std::vector<std::string_view> aggregate_names() {
  std::vector<std::string_view> names;
  for (const AggregateForm& form : kForms) names.push_back(form.name);
  for (const auto& [alias, canonical] : kAliases) names.push_back(alias);
  return names;
}

std::string_view canonical_aggregate(std::string_view name) {
  for (const auto& [alias, canonical] : kAliases) {
    if (alias == name) return canonical;
  }
  return name;
}

bool runs_over_frames(std::string_view function) {
  const std::string_view name = canonical_aggregate(function);
  return std::any_of(kForms.begin(), kForms.end(),
                     [&](const AggregateForm& form) { return form.name == name && form.over_frames; });
}

std::string refused_aggregate(const plan::AggregateCall& call) {
  if (!call.order_by.empty()) return call_name(call);
  const std::string_view name = canonical_aggregate(call.function);
  for (const AggregateForm& form : kForms) {
    if (form.name == name && form_matches(form, call)) return "";
  }
  return call_name(call);
}

}  // namespace weft::support
