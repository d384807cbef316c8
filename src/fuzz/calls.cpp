// Calls of scalar functions, made from support::scalar_forms().
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "fuzz/expressions.hpp"
#include "fuzz/values.hpp"
#include "support/support.hpp"
#include "workload/duckdb_text.hpp"

namespace weft::fuzz {

using plan::Type;
using plan::TypeId;
using support::Argument;
using support::Limit;
using support::ResultRule;
using support::ScalarForm;
using support::TypeClass;

namespace {

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

size_t argument_count(const ScalarForm& form) {
  return static_cast<size_t>(std::count_if(form.arguments.begin(), form.arguments.end(),
                                           [](const Argument& argument) { return argument.type != TypeClass::None; }));
}

bool gives(const ScalarForm& form, const Type& type) {
  switch (form.result) {
    case ResultRule::Any:
      return form.name == "error" || type.is_timestamp();
    case ResultRule::SameAsFirst:
      return support::matches(form.arguments[0].type, type);
    case ResultRule::Boolean:
      return type.id == TypeId::Boolean;
    case ResultRule::TinyInt:
      return type.id == TypeId::TinyInt;
    case ResultRule::SmallInt:
      return type.id == TypeId::SmallInt;
    case ResultRule::Integer:
      return type.id == TypeId::Integer;
    case ResultRule::BigInt:
      return type.id == TypeId::BigInt;
    case ResultRule::UBigInt:
      return type.id == TypeId::UBigInt;
    case ResultRule::HugeInt:
      return type.id == TypeId::HugeInt;
    case ResultRule::Double:
      return type.id == TypeId::Double;
    case ResultRule::Varchar:
      return type.id == TypeId::Varchar;
    case ResultRule::Decimal:
      return type.is_decimal();
    case ResultRule::Date:
      return type.id == TypeId::Date;
    case ResultRule::Timestamp:
      return type.id == TypeId::Timestamp;
    case ResultRule::TimestampNs:
      return type.id == TypeId::TimestampNs;
    case ResultRule::Interval:
      return false;  // no column of the fuzzer's has it
  }
  return false;
}

/// Of numbers: no result is further from 0 than the greatest argument, or than kSmallResult.
bool is_bounded(const ScalarForm& form) {
  return is_one_of(form.name,
                   {"+", "-", "*", "abs", "round", "trunc", "floor", "ceil", "greatest", "least", "%", "sign"});
}

/// May raise for arguments far from 0 or from the present, unless they are kept near.
bool needs_near_arguments(const ScalarForm& form) {
  return is_one_of(form.name, {"+", "-", "*", "//", "%", "abs", "round", "date_trunc", "date_diff", "last_day", "epoch",
                               "epoch_ms", "epoch_ns"});
}

bool is_temporal(const Type& type) { return type.id == TypeId::Date || type.is_timestamp() || type.is_zoned(); }

/// date_part('year', x) and all texts that are parts: what the table accepts, and some spellings of them.
std::string date_word(Limit limit, Random& random) {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all = support::scalar_names();
    for (const char* more : {"dow", "doy", "mon", "min", "sec", "years", "Months", "HOUR"}) all.emplace_back(more);
    return all;
  }();
  static constexpr std::array kTimeParts = {"hour", "minute", "second", "millisecond", "microsecond", "min", "SECONDS"};
  if (limit == Limit::TimePart) return kTimeParts[random.below(kTimeParts.size())];
  while (true) {
    const std::string_view name = random.pick(names);
    const auto known =
        limit == Limit::DatePart ? support::canonical_date_part(name) : support::canonical_trunc_unit(name);
    if (!known.empty()) return std::string(name);
  }
}

std::string interval_text(Random& random) {
  static constexpr std::array kUnits = {"DAY", "MONTH", "YEAR", "HOUR", "MINUTE", "SECOND", "WEEK", "MICROSECOND"};
  const auto number = random.between(-40, 40);
  return "INTERVAL '" + std::to_string(number) + "' " + kUnits[random.below(kUnits.size())];
}

std::string pattern_text(Random& random) {
  std::string pattern;
  const auto pieces = random.between(1, 4);
  for (int64_t i = 0; i < pieces; ++i) {
    const auto roll = random.below(3);
    pattern += roll == 0 ? "%" : roll == 1 ? "_" : short_text(random);
  }
  return pattern;
}

bool is_like(std::string_view name) {
  return name.find("~~") != std::string_view::npos || name.find("like") != std::string_view::npos;
}

struct Infix {
  std::string_view name;
  const char* text;
};
constexpr std::array kInfix{
    Infix{"+", "+"},          Infix{"-", "-"},       Infix{"*", "*"},           Infix{"/", "/"},   Infix{"//", "//"},
    Infix{"%", "%"},          Infix{"&", "&"},       Infix{"|", "|"},           Infix{"||", "||"}, Infix{"~~", "LIKE"},
    Infix{"!~~", "NOT LIKE"}, Infix{"~~*", "ILIKE"}, Infix{"!~~*", "NOT ILIKE"}};
constexpr std::array kEscapes{Infix{"like_escape", "LIKE"}, Infix{"not_like_escape", "NOT LIKE"},
                              Infix{"ilike_escape", "ILIKE"}, Infix{"not_ilike_escape", "NOT ILIKE"}};

template <typename List>
const char* found(const List& list, std::string_view name) {
  for (const auto& one : list) {
    if (one.name == name) return one.text;
  }
  return nullptr;
}

bool is_word(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || c == '_' || (c >= '0' && c <= '9');
  });
}

double result_bound(const ScalarForm& form, const Want& want, const std::vector<ExprPtr>& arguments) {
  double largest = 0, sum = 0;
  for (const auto& argument : arguments) {
    largest = std::max(largest, argument->bound);
    sum += argument->bound;
  }
  if (is_temporal(want.type)) return largest + 1000;  // moved, so no more near
  if (!want.type.is_numeric()) return 0;
  double bound = greatest_of(want.type);
  if (form.name == "*") bound = arguments[0]->bound * arguments[1]->bound;
  if (is_one_of(form.name, {"+", "-"})) bound = sum;
  if (is_one_of(form.name, {"abs", "greatest", "least", "trunc", "%"})) bound = largest;
  if (is_one_of(form.name, {"round", "floor", "ceil"})) bound = largest * 10 + 1;
  if (form.name == "sign" || form.name == "sin" || form.name == "cos") bound = 1;
  return std::min(bound, greatest_of(want.type));
}

}  // namespace

bool is_inexact_function(std::string_view name) {
  return is_one_of(name, {"ln", "exp", "pow", "log10", "log2", "cbrt", "sin", "cos", "tan", "asin", "acos", "atan",
                          "atan2", "radians", "degrees"});
}

const std::vector<const ScalarForm*>& ExpressionGenerator::forms_giving(const Type& type) {
  auto& forms = forms_[type.to_string()];
  if (!forms.empty()) return forms;
  for (const auto& form : support::scalar_forms()) {
    if (gives(form, type)) forms.push_back(&form);
  }
  return forms;
}

bool ExpressionGenerator::usable(const ScalarForm& form, const Want& want) {
  if (want.exact && is_inexact_function(form.name)) return false;
  if (want.limit != kNoLimit && want.type.is_numeric() && !is_bounded(form)) return false;
  if (want.limit != kNoLimit && is_temporal(want.type)) return false;
  if (form.name == "error" && !(risky_ && random_.chance(3))) return false;
  const bool negates = form.name == "-" && want.type.is_unsigned();
  return risky_ || !negates;
}

ExprPtr ExpressionGenerator::call(const Want& want, const Scope& scope) {
  std::vector<const ScalarForm*> forms;
  for (const auto* form : forms_giving(want.type)) {
    if (usable(*form, want)) forms.push_back(form);
  }
  return forms.empty() ? nullptr : call_of(*random_.pick(forms), want, scope);
}

std::vector<Type> ExpressionGenerator::argument_types(const ScalarForm& form, const Want& want) {
  const size_t count = argument_count(form);
  std::vector<Type> types;
  for (size_t i = 0; i < count; ++i) {
    if (support::matches(TypeClass::Interval, Type::of(TypeId::Interval)) &&
        form.arguments[i].type == TypeClass::Interval) {
      types.push_back(Type::of(TypeId::Interval));
      continue;
    }
    std::vector<Type> fitting = types_of(form.arguments[i].type);
    types.push_back(fitting.empty() ? Type::of(TypeId::Varchar) : random_.pick(fitting));
  }
  const bool timestamps = form.result == ResultRule::Any && want.type.is_timestamp();
  for (size_t i = 0; i < count; ++i) {
    if (timestamps && form.arguments[i].type == TypeClass::AnyTimestamp) types[i] = want.type;
  }
  const bool follows = form.result == ResultRule::SameAsFirst;
  if (follows && count > 0) types[0] = want.type;
  // Decimals are multiplied in narrow forms, whose product has a type.
  if (form.result == ResultRule::Decimal && form.name == "*") {
    for (auto& type : types) {
      if (type.is_decimal()) type = Type::decimal(9, 2);
      if (type.is_integer()) type = Type::of(TypeId::Integer);
    }
  }
  if (form.same_types) std::fill(types.begin(), types.end(), types.front());
  return types;
}

Want ExpressionGenerator::argument_want(const ScalarForm& form, size_t i, const Type& type, const Want& want) {
  Want out{type, want.depth - 1, kNoLimit, true};
  // What only hands on its argument; an error of its last places would grow in all else.
  const bool hands_on =
      is_one_of(form.name, {"abs", "constant_or_null"}) || (form.name == "-" && argument_count(form) == 1);
  if (hands_on && i == 0) out.exact = want.exact;
  if (type.is_numeric()) {
    double limit = want.type.is_numeric() && form.result == ResultRule::SameAsFirst ? want.limit : kNoLimit;
    if (want.type.is_decimal() && type.is_decimal()) limit = want.limit;
    if (!risky_ && needs_near_arguments(form)) limit = std::min(limit, 0.9 * greatest_of(type));
    if (form.name == "+" || form.name == "-") limit = type.is_unsigned() || !want.type.is_numeric() ? limit : limit / 2;
    if (form.name == "*") limit = std::sqrt(std::min(limit, greatest_of(want.type)));
    if (form.name == "round" || form.name == "//") limit /= 20;
    if (is_one_of(form.name, {"ceil", "floor"})) limit /= 2;
    if (!risky_ && is_temporal(want.type)) limit = 1000;
    if (!want.type.is_numeric() && risky_) limit = kNoLimit;
    if (std::isnan(limit)) limit = kNoLimit;
    out.limit = limit;
  }
  const bool is_number_in_text_function =
      type.id == TypeId::BigInt && i > 0 && form.arguments[0].type == TypeClass::Varchar;
  if (is_number_in_text_function) {
    out.limit = random_.chance(85) ? 6 : kNoLimit;
    if (random_.chance(70)) out.depth = 0;
  }
  if (is_temporal(type) && !risky_ && needs_near_arguments(form)) out.limit = 1;
  return out;
}

ExprPtr ExpressionGenerator::constant_argument(const ScalarForm& form, size_t i, const Type& type) {
  std::string text;
  if (type.id == TypeId::Interval) {
    text = interval_text(random_);
  } else if (form.limit == Limit::DatePart || form.limit == Limit::DateTrunc || form.limit == Limit::TimePart) {
    text = "'" + date_word(form.limit, random_) + "'";
  } else if (form.limit == Limit::Escape && i == 2) {
    static constexpr std::array kEscapes = {"'\\'", "'!'", "''", "'a'", "'_'"};
    text = kEscapes[random_.below(kEscapes.size())];
  } else if (type.is_integer()) {
    text = std::to_string(random_.between(type.is_unsigned() ? 0 : -3, 5));
  } else {
    text = literal_sql(type, plain_value(type, random_));
  }
  auto out = Compose(type, 20).text(text).done();
  out->literal = true;
  return out;
}

ExprPtr ExpressionGenerator::divisor(const Want& want, const Scope& scope) {
  const auto number = std::to_string(random_.between(1, 9));
  auto fallback = Compose(want.type, 9).text(literal_sql(want.type, number)).done();
  if (random_.chance(40)) return fallback;
  auto value = make(want, scope);
  const double bound = value->bound;
  return Compose(want.type, std::max(bound, 9.0))
      .text("COALESCE(NULLIF(")
      .expr(value)
      .text(", 0), ")
      .expr(fallback)
      .text(")")
      .done();
}

ExprPtr ExpressionGenerator::argument(const ScalarForm& form, size_t i, const Want& want, const Scope& scope) {
  const Argument& kind = form.arguments[std::min(i, argument_count(form) - 1)];
  if (kind.constant || want.type.id == TypeId::Interval) return constant_argument(form, i, want.type);
  if (!risky_ && i == 1 && is_one_of(form.name, {"//", "%"})) return divisor(want, scope);
  if (i == 0 && form.name == "constant_or_null") return literal(want);  // DuckDB binds no other
  if (i == 1 && want.type.id == TypeId::Varchar) {
    const bool pattern = is_like(form.name);
    if (random_.chance(pattern ? 75 : 55)) {
      const std::string text = pattern ? pattern_text(random_) : short_text(random_);
      return Compose(want.type).text(workload::sql_text(text)).done();
    }
  }
  return make(want, scope);
}

std::string ExpressionGenerator::spelling(std::string_view name) {
  static const std::map<std::string_view, std::vector<std::string_view>> spellings = [] {
    std::map<std::string_view, std::vector<std::string_view>> all;
    for (const auto one : support::scalar_names()) {
      if (is_word(one) && one != "position") all[support::canonical_function(one)].push_back(one);
    }
    return all;
  }();
  const auto known = spellings.find(name);
  if (known != spellings.end() && (random_.chance(20) || !is_word(name)))
    return std::string(random_.pick(known->second));
  return is_word(name) ? std::string(name) : "\"" + std::string(name) + "\"";
}

ExprPtr ExpressionGenerator::spelled(const ScalarForm& form, const Want& want, const std::vector<ExprPtr>& arguments) {
  Compose out(want.type, result_bound(form, want, arguments));
  const char* infix = found(kInfix, form.name);
  const char* escape = found(kEscapes, form.name);
  if (infix != nullptr && arguments.size() == 2) {
    return out.text("(").expr(arguments[0]).text(std::string(" ") + infix + " ").expr(arguments[1]).text(")").done();
  }
  if (escape != nullptr && arguments.size() == 3 && random_.chance(70)) {
    return out.text("(")
        .expr(arguments[0])
        .text(std::string(" ") + escape + " ")
        .expr(arguments[1])
        .text(" ESCAPE ")
        .expr(arguments[2])
        .text(")")
        .done();
  }
  if (arguments.size() == 1 && (form.name == "-" || form.name == "~")) {
    return out.text("(" + std::string(form.name)).expr(arguments[0]).text(")").done();
  }
  if (form.limit == Limit::DatePart && random_.chance(50)) {
    const std::string part = to_sql(*arguments[0]);
    const auto name = support::canonical_date_part(part.substr(1, part.size() - 2));
    return out.text(std::string(name) + "(").expr(arguments[1]).text(")").done();
  }
  out.text(spelling(form.name) + "(");
  const size_t needed = argument_count(form);
  for (size_t i = 0; i < arguments.size(); ++i) {
    const int group = i >= needed ? out.new_group() : 0;
    if (i > 0) out.text(", ", group);
    out.expr(arguments[i], group);
  }
  return out.text(")").done();
}

ExprPtr ExpressionGenerator::any_call(const Scope& scope, int depth, bool exact) {
  if (random_.chance(20)) {
    const Type to = random_.pick(all_types());
    if (auto made = cast({to, depth, kNoLimit, exact}, scope)) return made;
  }
  for (int attempt = 0; attempt < 4; ++attempt) {
    const ScalarForm& form = random_.pick(support::scalar_forms());
    // One form of the table, and 19 parts.
    if (form.limit != Limit::DatePart && random_.chance(10)) continue;
    std::vector<Type> results;
    for (const auto& type : all_types()) {
      if (gives(form, type) && usable(form, {type, depth, kNoLimit, exact})) results.push_back(type);
    }
    if (results.empty()) continue;
    if (auto made = call_of(form, {random_.pick(results), depth, kNoLimit, exact}, scope)) return made;
  }
  return literal({random_.pick(all_types())});
}

/// What reads no column would be folded away before anything runs.
void ExpressionGenerator::keep_from_constant(const ScalarForm& form, const std::vector<Type>& types, const Want& want,
                                             const Scope& scope, std::vector<ExprPtr>& arguments) {
  const auto reads = [](const ExprPtr& argument) { return argument->reads_column; };
  if (std::any_of(arguments.begin(), arguments.end(), reads) || random_.chance(10)) return;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Argument& kind = form.arguments[std::min(i, argument_count(form) - 1)];
    const bool divides = i == 1 && is_one_of(form.name, {"//", "%"});
    const bool fixed = i == 0 && form.name == "constant_or_null";
    if (kind.constant || divides || fixed) continue;
    auto column = column_as(argument_want(form, i, types[i], want), scope);
    if (!column) continue;
    arguments[i] = column;
    return;
  }
}

ExprPtr ExpressionGenerator::call_of(const ScalarForm& form, const Want& want, const Scope& scope) {
  std::vector<Type> types = argument_types(form, want);
  if (types.empty()) return nullptr;
  if (form.variadic) {
    const auto more = random_.between(types.size() < 2 ? 1 : 0, 2);
    for (int64_t i = 0; i < more; ++i) types.push_back(form.same_types ? types.front() : random_.pick(all_types()));
  }
  std::vector<ExprPtr> arguments;
  for (size_t i = 0; i < types.size(); ++i) {
    arguments.push_back(argument(form, i, argument_want(form, i, types[i], want), scope));
  }
  keep_from_constant(form, types, want, scope, arguments);
  auto made = spelled(form, want, arguments);
  if (want.type.is_floating()) {
    if (is_inexact_function(form.name)) made->exact = false;
  }
  // DuckDB rounds these in DOUBLE.
  const bool gives_double =
      (want.type.is_unsigned() || want.type.id == TypeId::HugeInt) && is_one_of(form.name, {"round", "trunc"});
  const bool gives_another_scale = want.type.is_decimal() && form.result == ResultRule::Decimal && random_.chance(60);
  if (gives_double || gives_another_scale) {
    const double bound = made->bound;
    return Compose(want.type, bound)
        .text(risky_ ? "CAST(" : "TRY_CAST(")
        .expr(made)
        .text(" AS " + want.type.to_string() + ")")
        .done();
  }
  return made;
}

}  // namespace weft::fuzz
