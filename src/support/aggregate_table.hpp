// The aggregates that the GPU backend runs: one line a form. The rest is refused.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plan/node.hpp"
#include "support/function_table.hpp"

namespace weft::support {

struct AggregateForm {
  std::string_view name;
  TypeClass argument = TypeClass::None;      // None: no argument
  plan::TypeId result = plan::TypeId::Null;  // Null: the (first) argument's type
  TypeClass second = TypeClass::None;        // None: no second argument
  bool over_frames = true;                   // also as a window function
};

std::span<const AggregateForm> aggregate_forms();
/// The names of all forms, and their other spellings.
std::vector<std::string_view> aggregate_names();

/// Grouping sets with more groups, or more sets, are refused: the backend's sets have keys of a bit a group and a
/// number.
inline constexpr size_t kMaxSetGroups = 40;
inline constexpr size_t kMaxGroupingSets = 1024;

/// Spellings that DuckDB keeps in its plans: canonical_aggregate("mean") == "avg". Others are returned as they are.
std::string_view canonical_aggregate(std::string_view name);

/// False for an aggregate that the backend has for groups alone, not for the frames of windows.
bool runs_over_frames(std::string_view function);

/// The name of what is refused, "string_agg(VARCHAR, VARCHAR)" or "first(VARCHAR ORDER BY)"; empty: supported. FILTER
/// and DISTINCT are supported on every aggregate with an argument. Types of arguments are checked as part of the
/// expressions.
std::string refused_aggregate(const plan::AggregateCall& call);

}  // namespace weft::support
