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
  None,      // no argument here
  Any,       // every type that a column can have
  Integer,   // TINYINT .. UBIGINT, HUGEINT
  Signed64,  // TINYINT .. BIGINT
  Int32,     // INTEGER
  BigInt,
  UBigInt,
  HugeInt,
  Decimal,
  Floating,  // FLOAT, DOUBLE
  Double,
  Boolean,
  Varchar,
  Date,
  Timestamp,  // TIMESTAMP (microseconds) only
  TimestampNs,
  TimestampTz,   // TIMESTAMP WITH TIME ZONE (microseconds) only
  Time,          // microseconds only
  AnyTimestamp,  // all four units
  Interval,      // always a constant
};

struct Argument {
  TypeClass type = TypeClass::None;
  bool constant = false;  // must be a constant that is not NULL
};

using Arguments = std::array<Argument, 6>;

/// What DuckDB gives back; another type is refused, since the backend would compute this one.
enum class ResultRule : uint8_t {
  Any,
  SameAsFirst,
  Boolean,
  TinyInt,
  SmallInt,
  Integer,
  BigInt,
  UBigInt,
  HugeInt,
  Double,
  Varchar,
  Decimal,
  Date,
  Timestamp,
  TimestampNs,
  Interval
};

/// Further limits on constant arguments.
enum class Limit : uint8_t {
  None,
  DatePart,   // argument 0 is a part that date_part_known accepts
  TimePart,   // argument 0 is such a part, of the time of day
  DateTrunc,  // argument 0 is a unit that date_trunc_known accepts
  Escape,     // argument 2, the escape character, has one byte or none
  Bucket,     // argument 0 is an interval of months alone or of days and time, and is positive
  Format,     // the format of strftime, whichever argument it is, has specifiers of the calendar and the clock only
  Parsed,     // the format of strptime, argument 1, has dates of year, month and day, and times
};

struct ScalarForm {
  std::string_view name;
  Arguments arguments;
  ResultRule result = ResultRule::SameAsFirst;
  bool same_types = false;  // all arguments have one type
  bool variadic = false;    // the last argument may repeat, any number of times
  Limit limit = Limit::None;
};

std::span<const ScalarForm> scalar_forms();
/// The names of all forms, of the date parts that are functions (year(x)) and of the other spellings of both.
std::vector<std::string_view> scalar_names();
/// Functions of DuckDB's that are to become native, for docs/functions.md.
std::span<const std::string_view> planned_scalars();

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
