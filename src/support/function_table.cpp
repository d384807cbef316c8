#include "support/function_table.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "support/scalar_forms/dates.hpp"
#include "support/scalar_forms/logic.hpp"
#include "support/scalar_forms/numeric.hpp"
#include "support/scalar_forms/text.hpp"
#include "support/support.hpp"

namespace weft::support {
namespace {

using plan::TypeId;

template <size_t... kSizes>
constexpr auto joined(const std::array<ScalarForm, kSizes>&... families) {
  std::array<ScalarForm, (kSizes + ...)> all{};
  size_t at = 0;
  const auto append = [&](const auto& family) {
    for (const ScalarForm& form : family) all[at++] = form;
  };
  (append(families), ...);
  return all;
}
constexpr std::array kForms = joined(forms::kNumeric, forms::kTexts, forms::kDates, forms::kLogic);

// clang-format off
using Alias = std::pair<std::string_view, std::string_view>;
constexpr std::array<Alias, 42> kAliases{{
    {"substr", "substring"}, {"lcase", "lower"}, {"ucase", "upper"}, {"len", "length"}, {"char_length", "length"},
    {"character_length", "length"}, {"starts_with", "prefix"}, {"^@", "prefix"}, {"ends_with", "suffix"},
    {"ceiling", "ceil"}, {"power", "pow"}, {"**", "pow"}, {"^", "pow"}, {"datepart", "date_part"},
    {"datetrunc", "date_trunc"}, {"add", "+"}, {"subtract", "-"}, {"multiply", "*"}, {"divide", "//"}, {"mod", "%"},
    {"dayofmonth", "day"}, {"weekofyear", "week"}, {"weekday", "dayofweek"}, {"datediff", "date_diff"}, {"log", "log10"},
    {"instr", "strpos"}, {"position", "strpos"}, {"@", "abs"}, {"factorial", "!__postfix"},
    {"gcd", "greatest_common_divisor"}, {"lcm", "least_common_multiple"}, {"roundbankers", "round_even"},
    {"ord", "unicode"}, {"to_hex", "hex"}, {"to_binary", "bin"}, {"formatReadableSize", "format_bytes"},
    {"mismatches", "hamming"}, {"datesub", "date_sub"}, {"editdist3", "levenshtein"},
    {"list_extract", "array_extract"}, {"list_element", "array_extract"},
    {"list_slice", "array_slice"},
}};
// Short forms of parts and units, in date_part('dow', x).
constexpr std::array<Alias, 6> kPartAliases{{
    {"dow", "dayofweek"}, {"doy", "dayofyear"}, {"yr", "year"}, {"mon", "month"}, {"min", "minute"}, {"sec", "second"},
}};

// Parts of date_part; each is a function of its own too: year(x).
constexpr std::array<std::string_view, 19> kDateParts{
    "year",      "quarter", "month",     "week",   "day",     "hour",       "minute", "second",  "millisecond", "microsecond",
    "dayofweek", "isodow",  "dayofyear", "decade", "century", "millennium", "era",    "isoyear", "yearweek"};
constexpr std::array<std::string_view, 5> kTimeParts{"hour", "minute", "second", "millisecond", "microsecond"};
constexpr std::array<std::string_view, 12> kIntervalParts{"year", "quarter", "month", "day", "hour", "minute", "second",
    "millisecond", "microsecond", "decade", "century", "millennium"};
constexpr std::array<std::string_view, 14> kTruncUnits{"year", "quarter", "month", "week", "day", "hour", "minute", "second",
    "millisecond", "microsecond", "decade", "century", "millennium", "isoyear"};
// clang-format on

// Functions whose forms are to come: they need what is under way, mostly columns of lists, text made of BLOB.
constexpr std::array<std::string_view, 18> kPlanned{
    "regexp_matches", "regexp_full_match", "regexp_replace", "regexp_extract", "string_split", "list_contains",
    "list_value",     "strip_accents",     "to_timestamp",   "timezone",       "make_time",    "make_timestamptz",
    "to_base64",      "from_base64",       "encode",         "decode",         "unhex",        "struct_extract"};

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
    case ResultRule::SmallInt:
      return id == TypeId::SmallInt;
    case ResultRule::Integer:
      return id == TypeId::Integer;
    case ResultRule::BigInt:
      return id == TypeId::BigInt;
    case ResultRule::UBigInt:
      return id == TypeId::UBigInt;
    case ResultRule::HugeInt:
      return id == TypeId::HugeInt;
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
    case ResultRule::TimestampNs:
      return id == TypeId::TimestampNs;
    case ResultRule::Interval:
      return id == TypeId::Interval;
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

// %a %Y %-d and their like, of those that are given; zones are missing, and so is what DuckDB does not know.
bool known_format(std::string_view format, std::string_view plain, std::string_view unpadded) {
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') continue;
    std::string_view known = plain;
    if (++i < format.size() && format[i] == '-') {
      known = unpadded;
      ++i;
    }
    if (i >= format.size() || known.find(format[i]) == std::string_view::npos) return false;
  }
  return !format.empty();
}

bool known_bucket(const plan::IntervalValue& width) {
  if (width.months != 0) return width.months > 0 && width.days == 0 && width.micros == 0;
  constexpr plan::Int128 kDay = 86'400'000'000;
  const plan::Int128 micros = width.micros + kDay * width.days;
  return micros > 0 && micros <= INT64_MAX;
}

bool limit_holds(Limit limit, const plan::Expr& call) {
  switch (limit) {
    case Limit::None:
      return true;
    case Limit::DatePart:
      return !canonical_date_part(call.children[0]->constant.as_text()).empty();
    case Limit::TimePart:
      return !canonical_part(kTimeParts, call.children[0]->constant.as_text()).empty();
    case Limit::DateTrunc:
      return !canonical_trunc_unit(call.children[0]->constant.as_text()).empty();
    case Limit::Escape:
      return call.children[2]->constant.as_text().size() <= 1;
    case Limit::Bucket:
      return known_bucket(std::get<plan::IntervalValue>(call.children[0]->constant.data));
    case Limit::Format:
      return known_format(call.children[call.children[0]->type.id == TypeId::Varchar ? 0 : 1]->constant.as_text(),
                          "aAwudhbBmyYGHIpMSnfgjUWVcxXT%", "dmyHIMSj");
    case Limit::Parsed:
      return known_format(call.children[1]->constant.as_text(), "aAdhbBmyYHIpMSfgcxXT%", "dmyHIMS");
  }
  return false;
}

// year(x) and its like: the forms of date_part without the part.
bool is_named_date_part(std::string_view name, const plan::Expr& call) {
  if (found_in(kDateParts, name).empty() || call.children.size() != 1) return false;
  const plan::Type& type = call.children[0]->type;
  if (type.id == TypeId::Interval) return call.type.id == TypeId::BigInt && !found_in(kIntervalParts, name).empty();
  if (type.id == TypeId::Time) return call.type.id == TypeId::BigInt && !found_in(kTimeParts, name).empty();
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

std::span<const std::string_view> planned_scalars() { return kPlanned; }

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
    case TypeClass::Signed64:
      return type.is_integer() && !type.is_unsigned() && type.id != TypeId::HugeInt;
    case TypeClass::BigInt:
      return type.id == TypeId::BigInt;
    case TypeClass::UBigInt:
      return type.id == TypeId::UBigInt;
    case TypeClass::HugeInt:
      return type.id == TypeId::HugeInt;
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
    case TypeClass::TimestampTz:
      return type.id == TypeId::TimestampTz;
    case TypeClass::Time:
      return type.id == TypeId::Time;
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
