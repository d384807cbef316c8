// What the GPU backend can run: one table, used by translation, EXPLAIN, CI and the backend, so that a verdict needs
// no GPU. The backend asserts it and refuses nothing else when it plans. Reason codes are never renamed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plan/node.hpp"

namespace weft::support {

enum class RefusalCode : uint8_t {
  UnsupportedOperator,    // unsupported_operator: POSITIONAL_JOIN, UNNEST, ...
  UnsupportedJoin,        // unsupported_join
  UnsupportedFunction,    // unsupported_function: name(types)
  UnsupportedAggregate,   // unsupported_aggregate: also of windows
  UnsupportedCast,        // unsupported_cast: FROM -> TO
  UnsupportedType,        // unsupported_type
  UnsupportedCollation,   // unsupported_collation
  UnsupportedSetting,     // unsupported_setting
  UnsupportedStatement,   // unsupported_statement: UPDATE, DELETE, MERGE, PRAGMA, ...
  VolatileFunction,       // volatile_function
  ConstantOnly,           // constant_only: an argument must be a constant, e.g. LIKE's pattern
  UnsupportedFile,        // unsupported_file: remote path, encryption, codec (becomes a HostSource)
  HostTable,              // host_table: not a refusal of the plan; says why a leaf is a HostSource
  TooSmall,               // too_small
  NoDevice,               // no_device
  DeviceMemoryExhausted,  // device_memory_exhausted: the statement ran again on the CPU
  ModeFunctionsOnly,      // mode_functions_only
  Nothing,                // nothing_to_do: no scan or source worth a GPU
};
std::string_view to_string(RefusalCode code);

struct Refusal {
  RefusalCode code;
  std::string name;  // what was refused: "regexp_matches(VARCHAR, VARCHAR)", "LIST", "WINDOW"
  std::string node;  // the operator it was found in: "FILTER", "PROJECTION"
  bool operator==(const Refusal&) const = default;
};

/// All refusals in a plan, empty = supported. Deterministic order: pre-order of nodes, then expressions.
std::vector<Refusal> check(const plan::Plan& plan);
/// The refusals of one node alone, its children taken as supported.
std::vector<Refusal> check_node(const plan::Node& node);
/// The refusals of one expression tree; `node` is copied into each refusal.
std::vector<Refusal> check_expression(const plan::Expr& expr, std::string_view node);
/// True for types that can be in a column on the device.
bool supported_type(const plan::Type& type);

struct FunctionInfo {
  std::string_view name;
  std::string_view kind;     // "scalar", "aggregate" or "window"
  std::string_view support;  // "native": the table accepts it for some types; "planned": it will
};
/// Every function that the tables know, sorted: weft_functions(), docs/functions.md and tests.
std::vector<FunctionInfo> functions();

}  // namespace weft::support
