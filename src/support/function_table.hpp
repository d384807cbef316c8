// The scalar functions that the GPU backend runs, with the types that it runs them on: one line a form. A form that
// is not here is refused; a form that is here must be implemented in src/gpu/expr. Names are those of DuckDB's bound
// plans.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "plan/expression.hpp"

namespace weft::support {

/// What an argument may be.
enum class TypeClass : uint8_t {
  None,     // no argument here
  Any,      // every type that a column can have
  Integer,  // TINYINT .. UBIGINT, HUGEINT
  Int32,    // INTEGER
  BigInt,
  Decimal,
  Floating,  // FLOAT, DOUBLE
  Double,
  Boolean,
  Varchar,
  Date,
  Timestamp,  // TIMESTAMP (microseconds) only
  TimestampNs,
  AnyTimestamp,  // all four units
  Interval,      // always a constant
};

struct Argument {
  TypeClass type = TypeClass::None;
  bool constant = false;  // must be a constant that is not NULL
};

/// What DuckDB gives back; another type is refused, since the backend would compute this one.
enum class ResultRule : uint8_t {
  Any,
  SameAsFirst,
  Boolean,
  TinyInt,
  BigInt,
  Double,
  Varchar,
  Decimal,
  Date,
  Timestamp
};

/// Further limits on constant arguments.
enum class Limit : uint8_t {
  None,
  DatePart,   // argument 0 is a part that date_part_known accepts
  DateTrunc,  // argument 0 is a unit that date_trunc_known accepts
  Escape,     // argument 2, the escape character, has one byte or none
};

struct ScalarForm {
  std::string_view name;
  std::array<Argument, 3> arguments;
  ResultRule result = ResultRule::SameAsFirst;
  bool same_types = false;  // all arguments have one type
  bool variadic = false;    // the last argument may repeat, any number of times
  Limit limit = Limit::None;
};

std::span<const ScalarForm> scalar_forms();
/// The names of all forms, of the date parts that are functions (year(x)) and of the other spellings of both.
std::vector<std::string_view> scalar_names();

/// Spellings that DuckDB keeps in its plans: canonical_function("substr") == "substring". Others are returned as they
/// are.
std::string_view canonical_function(std::string_view name);

/// A part as date_part and its named functions know it: "years" and "YEAR" are "year". Empty: not supported.
std::string_view canonical_date_part(std::string_view part);
/// A unit as date_trunc knows it, in the same spelling. Empty: not supported.
std::string_view canonical_trunc_unit(std::string_view unit);

bool matches(TypeClass type_class, const plan::Type& type);

enum class FunctionVerdict : uint8_t { Supported, Unsupported, ConstantOnly };
FunctionVerdict check_function(const plan::Expr& call);

}  // namespace weft::support
