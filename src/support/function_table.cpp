#include "support/function_table.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "support/support.hpp"

namespace weft::support {
namespace {

using plan::TypeId;

constexpr Argument kAny{TypeClass::Any};
constexpr Argument kInteger{TypeClass::Integer};
constexpr Argument kInt32{TypeClass::Int32};
constexpr Argument kBigInt{TypeClass::BigInt};
constexpr Argument kDecimal{TypeClass::Decimal};
constexpr Argument kFloating{TypeClass::Floating};
constexpr Argument kDouble{TypeClass::Double};
constexpr Argument kVarchar{TypeClass::Varchar};
constexpr Argument kDate{TypeClass::Date};
constexpr Argument kTimestamp{TypeClass::Timestamp};
constexpr Argument kTimestampNs{TypeClass::TimestampNs};
constexpr Argument kAnyTimestamp{TypeClass::AnyTimestamp};
constexpr Argument kInterval{TypeClass::Interval, true};
constexpr Argument kText{TypeClass::Varchar, true};  // a constant
constexpr Argument kDigits{TypeClass::Int32, true};  // a constant

constexpr ScalarForm same_types(std::string_view name, std::array<Argument, 3> arguments, ResultRule result) {
  return ScalarForm{name, arguments, result, true, false, Limit::None};
}
constexpr ScalarForm variadic(std::string_view name, std::array<Argument, 3> arguments, ResultRule result, bool same) {
  return ScalarForm{name, arguments, result, same, true, Limit::None};
}
constexpr ScalarForm limited(std::string_view name, std::array<Argument, 3> arguments, ResultRule result, Limit limit) {
  return ScalarForm{name, arguments, result, false, false, limit};
}

// clang-format off
constexpr std::array kForms{
    // Arithmetic. DuckDB casts both sides to one type first; decimals of + and - have the result's scale, those of * and %
    // keep their own. A decimal / or // is one of DOUBLEs.
    same_types("+", {kInteger, kInteger}, ResultRule::SameAsFirst),
    same_types("+", {kFloating, kFloating}, ResultRule::SameAsFirst),
    ScalarForm{"+", {kDecimal, kDecimal}, ResultRule::Decimal},
    ScalarForm{"+", {kDate, kInt32}, ResultRule::Date},
    ScalarForm{"+", {kInt32, kDate}, ResultRule::Date},
    ScalarForm{"+", {kDate, kInterval}, ResultRule::Timestamp},
    ScalarForm{"+", {kInterval, kDate}, ResultRule::Timestamp},
    ScalarForm{"+", {kAnyTimestamp, kInterval}, ResultRule::Any},
    ScalarForm{"+", {kInterval, kAnyTimestamp}, ResultRule::Any},
    same_types("-", {kInteger, kInteger}, ResultRule::SameAsFirst),
    same_types("-", {kFloating, kFloating}, ResultRule::SameAsFirst),
    ScalarForm{"-", {kDecimal, kDecimal}, ResultRule::Decimal},
    ScalarForm{"-", {kDate, kInt32}, ResultRule::Date},
    ScalarForm{"-", {kDate, kDate}, ResultRule::BigInt},
    ScalarForm{"-", {kDate, kInterval}, ResultRule::Timestamp},
    ScalarForm{"-", {kAnyTimestamp, kInterval}, ResultRule::Any},
    ScalarForm{"-", {kInteger}},
    ScalarForm{"-", {kDecimal}},
    ScalarForm{"-", {kFloating}},
    same_types("*", {kInteger, kInteger}, ResultRule::SameAsFirst),
    same_types("*", {kFloating, kFloating}, ResultRule::SameAsFirst),
    ScalarForm{"*", {kDecimal, kDecimal}, ResultRule::Decimal},
    ScalarForm{"*", {kInteger, kDecimal}, ResultRule::Decimal},
    ScalarForm{"*", {kDecimal, kInteger}, ResultRule::Decimal},
    same_types("/", {kFloating, kFloating}, ResultRule::SameAsFirst),
    same_types("//", {kInteger, kInteger}, ResultRule::SameAsFirst),
    same_types("//", {kFloating, kFloating}, ResultRule::SameAsFirst),
    same_types("%", {kInteger, kInteger}, ResultRule::SameAsFirst),
    same_types("%", {kFloating, kFloating}, ResultRule::SameAsFirst),
    ScalarForm{"%", {kDecimal, kDecimal}, ResultRule::Decimal},

    // Numbers.
    ScalarForm{"abs", {kInteger}},
    ScalarForm{"abs", {kDecimal}},
    ScalarForm{"abs", {kFloating}},
    ScalarForm{"round", {kInteger}},
    ScalarForm{"round", {kInteger, kDigits}},
    ScalarForm{"round", {kDecimal}, ResultRule::Decimal},
    ScalarForm{"round", {kDecimal, kDigits}, ResultRule::Decimal},
    ScalarForm{"round", {kFloating}},
    ScalarForm{"round", {kFloating, kDigits}},
    ScalarForm{"trunc", {kInteger}},
    ScalarForm{"trunc", {kDecimal}, ResultRule::Decimal},
    ScalarForm{"trunc", {kFloating}},
    ScalarForm{"floor", {kDecimal}, ResultRule::Decimal},
    ScalarForm{"floor", {kFloating}},
    ScalarForm{"ceil", {kDecimal}, ResultRule::Decimal},
    ScalarForm{"ceil", {kFloating}},
    ScalarForm{"sign", {kInteger}, ResultRule::TinyInt},
    ScalarForm{"sign", {kFloating}, ResultRule::TinyInt},
    ScalarForm{"sqrt", {kDouble}},
    ScalarForm{"ln", {kDouble}},
    ScalarForm{"exp", {kDouble}},
    ScalarForm{"pow", {kDouble, kDouble}},
    ScalarForm{"log10", {kDouble}},
    ScalarForm{"log2", {kDouble}},
    ScalarForm{"cbrt", {kDouble}},
    ScalarForm{"sin", {kDouble}},
    ScalarForm{"cos", {kDouble}},
    ScalarForm{"tan", {kDouble}},
    ScalarForm{"asin", {kDouble}},
    ScalarForm{"acos", {kDouble}},
    ScalarForm{"atan", {kDouble}},
    ScalarForm{"atan2", {kDouble, kDouble}},
    ScalarForm{"radians", {kDouble}},
    ScalarForm{"degrees", {kDouble}},
    ScalarForm{"isnan", {kFloating}, ResultRule::Boolean},
    ScalarForm{"isinf", {kFloating}, ResultRule::Boolean},
    ScalarForm{"isfinite", {kFloating}, ResultRule::Boolean},
    same_types("&", {kInteger, kInteger}, ResultRule::SameAsFirst),
    same_types("|", {kInteger, kInteger}, ResultRule::SameAsFirst),
    same_types("xor", {kInteger, kInteger}, ResultRule::SameAsFirst),
    ScalarForm{"~", {kInteger}},
    variadic("greatest", {kAny}, ResultRule::SameAsFirst, true),
    variadic("least", {kAny}, ResultRule::SameAsFirst, true),

    // Text.
    ScalarForm{"~~", {kVarchar, kVarchar}, ResultRule::Boolean},
    ScalarForm{"!~~", {kVarchar, kVarchar}, ResultRule::Boolean},
    ScalarForm{"~~*", {kVarchar, kVarchar}, ResultRule::Boolean},
    ScalarForm{"!~~*", {kVarchar, kVarchar}, ResultRule::Boolean},
    limited("like_escape", {kVarchar, kVarchar, kText}, ResultRule::Boolean, Limit::Escape),
    limited("not_like_escape", {kVarchar, kVarchar, kText}, ResultRule::Boolean, Limit::Escape),
    limited("ilike_escape", {kVarchar, kVarchar, kText}, ResultRule::Boolean, Limit::Escape),
    limited("not_ilike_escape", {kVarchar, kVarchar, kText}, ResultRule::Boolean, Limit::Escape),
    ScalarForm{"prefix", {kVarchar, kVarchar}, ResultRule::Boolean},
    ScalarForm{"suffix", {kVarchar, kVarchar}, ResultRule::Boolean},
    ScalarForm{"contains", {kVarchar, kVarchar}, ResultRule::Boolean},
    ScalarForm{"substring", {kVarchar, kBigInt}},
    ScalarForm{"substring", {kVarchar, kBigInt, kBigInt}},
    ScalarForm{"left", {kVarchar, kBigInt}},
    ScalarForm{"right", {kVarchar, kBigInt}},
    ScalarForm{"lower", {kVarchar}},
    ScalarForm{"upper", {kVarchar}},
    ScalarForm{"length", {kVarchar}, ResultRule::BigInt},
    ScalarForm{"strlen", {kVarchar}, ResultRule::BigInt},
    variadic("concat", {kVarchar}, ResultRule::SameAsFirst, true),
    ScalarForm{"||", {kVarchar, kVarchar}},
    ScalarForm{"trim", {kVarchar}},
    ScalarForm{"ltrim", {kVarchar}},
    ScalarForm{"rtrim", {kVarchar}},
    ScalarForm{"trim", {kVarchar, kVarchar}},
    ScalarForm{"ltrim", {kVarchar, kVarchar}},
    ScalarForm{"rtrim", {kVarchar, kVarchar}},
    ScalarForm{"strpos", {kVarchar, kVarchar}, ResultRule::BigInt},
    ScalarForm{"replace", {kVarchar, kVarchar, kVarchar}},

    // Dates and times. DuckDB writes date_part('year', x) as year(x).
    limited("date_part", {kText, kDate}, ResultRule::BigInt, Limit::DatePart),
    limited("date_part", {kText, kTimestamp}, ResultRule::BigInt, Limit::DatePart),
    limited("date_part", {kText, kTimestampNs}, ResultRule::BigInt, Limit::DatePart),
    limited("date_trunc", {kText, kDate}, ResultRule::Timestamp, Limit::DateTrunc),
    limited("date_trunc", {kText, kTimestamp}, ResultRule::Timestamp, Limit::DateTrunc),

    limited("date_diff", {kText, kDate, kDate}, ResultRule::BigInt, Limit::DateTrunc),
    limited("date_diff", {kText, kTimestamp, kTimestamp}, ResultRule::BigInt, Limit::DateTrunc),
    ScalarForm{"last_day", {kDate}, ResultRule::Date},
    ScalarForm{"last_day", {kTimestamp}, ResultRule::Date},
    ScalarForm{"dayname", {kDate}, ResultRule::Varchar},
    ScalarForm{"dayname", {kTimestamp}, ResultRule::Varchar},
    ScalarForm{"monthname", {kDate}, ResultRule::Varchar},
    ScalarForm{"monthname", {kTimestamp}, ResultRule::Varchar},
    ScalarForm{"epoch", {kDate}, ResultRule::Double},
    ScalarForm{"epoch", {kTimestamp}, ResultRule::Double},

    // Planner's own.
    variadic("constant_or_null", {kAny, kAny}, ResultRule::SameAsFirst, false),
    ScalarForm{"error", {kVarchar}, ResultRule::Any},
};

using Alias = std::pair<std::string_view, std::string_view>;
constexpr std::array<Alias, 27> kAliases{{
    {"substr", "substring"}, {"lcase", "lower"}, {"ucase", "upper"}, {"len", "length"}, {"char_length", "length"},
    {"character_length", "length"}, {"starts_with", "prefix"}, {"^@", "prefix"}, {"ends_with", "suffix"},
    {"ceiling", "ceil"}, {"power", "pow"}, {"**", "pow"}, {"^", "pow"}, {"datepart", "date_part"},
    {"datetrunc", "date_trunc"}, {"add", "+"}, {"subtract", "-"}, {"multiply", "*"}, {"divide", "//"}, {"mod", "%"},
    {"dayofmonth", "day"}, {"weekofyear", "week"}, {"weekday", "dayofweek"}, {"datediff", "date_diff"}, {"log", "log10"},
    {"instr", "strpos"}, {"position", "strpos"},
}};
// Short forms of parts and units, in date_part('dow', x).
constexpr std::array<Alias, 6> kPartAliases{{
    {"dow", "dayofweek"}, {"doy", "dayofyear"}, {"yr", "year"}, {"mon", "month"}, {"min", "minute"}, {"sec", "second"},
}};

// Parts of date_part; each is a function of its own too: year(x).
constexpr std::array<std::string_view, 19> kDateParts{
    "year",      "quarter", "month",     "week",   "day",     "hour",       "minute", "second",  "millisecond", "microsecond",
    "dayofweek", "isodow",  "dayofyear", "decade", "century", "millennium", "era",    "isoyear", "yearweek"};
constexpr std::array<std::string_view, 10> kTruncUnits{"year", "quarter", "month", "week", "day", "hour", "minute", "second",
                                                       "millisecond", "microsecond"};
// clang-format on

template <typename Aliases>
std::string_view resolved(const Aliases& aliases, std::string_view name) {
  for (const auto& [alias, canonical] : aliases) {
    if (alias == name) return canonical;
  }
  return name;
}

template <typename Names>
std::string_view found_in(const Names& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? std::string_view() : *found;
}

// Lower case, without the plural's s and the short forms.
template <typename Names>
std::string_view canonical_part(const Names& names, std::string_view part) {
  std::string lower(part);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : static_cast<char>(c);
  });
  const std::string_view exact = found_in(names, resolved(kPartAliases, resolved(kAliases, lower)));
  if (!exact.empty() || lower.empty() || lower.back() != 's') return exact;
  lower.pop_back();
  return found_in(names, resolved(kPartAliases, resolved(kAliases, lower)));
}

size_t argument_count(const ScalarForm& form) {
  return static_cast<size_t>(std::count_if(form.arguments.begin(), form.arguments.end(),
                                           [](const Argument& argument) { return argument.type != TypeClass::None; }));
}

const Argument& argument_at(const ScalarForm& form, size_t i) {
  return form.arguments[std::min(i, argument_count(form) - 1)];
}

bool result_matches(ResultRule rule, const plan::Expr& call) {
  const TypeId id = call.type.id;
  switch (rule) {
    case ResultRule::Any:
      return true;
    case ResultRule::SameAsFirst:
      return call.type == call.children[0]->type;
    case ResultRule::Boolean:
      return id == TypeId::Boolean;
    case ResultRule::TinyInt:
      return id == TypeId::TinyInt;
    case ResultRule::BigInt:
      return id == TypeId::BigInt;
    case ResultRule::Double:
      return id == TypeId::Double;
    case ResultRule::Varchar:
      return id == TypeId::Varchar;
    case ResultRule::Decimal:
      return id == TypeId::Decimal;
    case ResultRule::Date:
      return id == TypeId::Date;
    case ResultRule::Timestamp:
      return id == TypeId::Timestamp;
  }
  return false;
}

bool types_match(const ScalarForm& form, const plan::Expr& call) {
  const size_t wanted = argument_count(form);
  const size_t given = call.children.size();
  if (form.variadic ? given < wanted : given != wanted) return false;
  for (size_t i = 0; i < given; ++i) {
    if (!matches(argument_at(form, i).type, call.children[i]->type)) return false;
    if (form.same_types && call.children[i]->type != call.children[0]->type) return false;
  }
  return result_matches(form.result, call);
}

bool constants_match(const ScalarForm& form, const plan::Expr& call) {
  for (size_t i = 0; i < call.children.size(); ++i) {
    const plan::Expr& child = *call.children[i];
    const bool is_constant = child.kind == plan::ExprKind::Constant && !child.constant.is_null();
    if (argument_at(form, i).constant && !is_constant) return false;
  }
  return true;
}

bool limit_holds(Limit limit, const plan::Expr& call) {
  switch (limit) {
    case Limit::None:
      return true;
    case Limit::DatePart:
      return !canonical_date_part(call.children[0]->constant.as_text()).empty();
    case Limit::DateTrunc:
      return !canonical_trunc_unit(call.children[0]->constant.as_text()).empty();
    case Limit::Escape:
      return call.children[2]->constant.as_text().size() <= 1;
  }
  return false;
}

// year(x) and its like: the forms of date_part without the part.
bool is_named_date_part(std::string_view name, const plan::Expr& call) {
  if (found_in(kDateParts, name).empty() || call.children.size() != 1) return false;
  const plan::Type& type = call.children[0]->type;
  return call.type.id == TypeId::BigInt && (matches(TypeClass::Date, type) || matches(TypeClass::Timestamp, type) ||
                                            matches(TypeClass::TimestampNs, type));
}

}  // namespace

std::span<const ScalarForm> scalar_forms() { return kForms; }

std::string_view canonical_function(std::string_view name) { return resolved(kAliases, name); }

std::vector<std::string_view> scalar_names() {
  std::vector<std::string_view> names(kDateParts.begin(), kDateParts.end());
  for (const ScalarForm& form : kForms) names.push_back(form.name);
  for (const auto& [alias, canonical] : kAliases) names.push_back(alias);
  return names;
}

std::string_view canonical_date_part(std::string_view part) { return canonical_part(kDateParts, part); }
std::string_view canonical_trunc_unit(std::string_view unit) { return canonical_part(kTruncUnits, unit); }

bool matches(TypeClass type_class, const plan::Type& type) {
  switch (type_class) {
    case TypeClass::None:
      return false;
    case TypeClass::Any:
      return supported_type(type) || type.id == TypeId::Null;
    case TypeClass::Integer:
      return type.is_integer();
    case TypeClass::Int32:
      return type.id == TypeId::Integer;
    case TypeClass::BigInt:
      return type.id == TypeId::BigInt;
    case TypeClass::Decimal:
      return type.is_decimal();
    case TypeClass::Floating:
      return type.is_floating();
    case TypeClass::Double:
      return type.id == TypeId::Double;
    case TypeClass::Boolean:
      return type.id == TypeId::Boolean;
    case TypeClass::Varchar:
      return type.id == TypeId::Varchar;
    case TypeClass::Date:
      return type.id == TypeId::Date;
    case TypeClass::Timestamp:
      return type.id == TypeId::Timestamp;
    case TypeClass::TimestampNs:
      return type.id == TypeId::TimestampNs;
    case TypeClass::AnyTimestamp:
      return type.is_timestamp();
    case TypeClass::Interval:
      return type.id == TypeId::Interval;
  }
  return false;
}

FunctionVerdict check_function(const plan::Expr& call) {
  const std::string_view name = canonical_function(call.function);
  if (is_named_date_part(name, call)) return FunctionVerdict::Supported;
  FunctionVerdict verdict = FunctionVerdict::Unsupported;
  for (const ScalarForm& form : kForms) {
    if (form.name != name || !types_match(form, call)) continue;
    if (!constants_match(form, call)) {
      verdict = FunctionVerdict::ConstantOnly;
    } else if (limit_holds(form.limit, call)) {
      return FunctionVerdict::Supported;
    }
  }
  return verdict;
}

}  // namespace weft::support
