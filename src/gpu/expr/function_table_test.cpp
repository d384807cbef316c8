// The tables of src/support against the generator: everything that they accept must generate and compile for a GPU.
#include <gtest/gtest.h>

#include <optional>

#include "gpu/expr/generator.hpp"
#include "gpu/expr/kernel_cache.hpp"
#include "support/cast_table.hpp"
#include "support/function_table.hpp"
#include "support/support.hpp"

namespace weft::gpu {
namespace {

using plan::ExprPtr;
using plan::Type;
using plan::TypeId;
using plan::Value;
using support::ResultRule;
using support::ScalarForm;
using support::TypeClass;

constexpr size_t kExpressionsAKernel = 60;

std::vector<Type> all_types() {
  std::vector<Type> types;
  for (int id = 0; id < static_cast<int>(TypeId::Unsupported); ++id) {
    const Type type = Type::of(static_cast<TypeId>(id));
    if (!type.is_decimal() && type.id != TypeId::Enum && support::supported_type(type)) types.push_back(type);
  }
  types.push_back(Type::enumeration("ENUM('a', 'b')", 2));
  if (!support::supported_type(types.back())) types.pop_back();
  for (const auto& [width, scale] : {std::pair{4, 1}, {9, 2}, {15, 2}, {18, 4}, {38, 10}, {38, 0}, {2, 2}}) {
    types.push_back(Type::decimal(static_cast<uint8_t>(width), static_cast<uint8_t>(scale)));
  }
  return types;
}

std::vector<Type> types_of(TypeClass type_class) {
  if (type_class == TypeClass::Interval) return {Type::of(TypeId::Interval)};
  std::vector<Type> types;
  for (const Type& type : all_types()) {
    if (support::matches(type_class, type)) types.push_back(type);
  }
  return types;
}

// Every column that the expressions of this test use: one a type.
std::vector<plan::Column> columns() {
  std::vector<plan::Column> row;
  for (const Type& type : all_types()) row.push_back({"c", type, true});
  return row;
}

ExprPtr column(const Type& type) {
  const std::vector<Type> types = all_types();
  for (uint32_t i = 0; i < types.size(); ++i) {
    if (types[i] == type) return plan::column_ref(i, type, true);
  }
  return nullptr;
}

ExprPtr argument(const ScalarForm& form, const support::Argument& wanted, const Type& type) {
  if (!wanted.constant && type.id == TypeId::Interval) {
    return plan::call("to_days", type, {column(Type::of(TypeId::BigInt))}, true);
  }
  if (!wanted.constant) return column(type);
  if (type.id == TypeId::Interval) return plan::constant(Value{type, plan::IntervalValue{0, 2, 3}});
  if (type.id == TypeId::Varchar) {
    const bool unit = form.limit == support::Limit::DatePart || form.limit == support::Limit::DateTrunc;
    if (form.limit == support::Limit::TimePart) return plan::constant(Value::text("hour"));
    return plan::constant(Value::text(unit ? "month" : "!"));
  }
  if (type.id == TypeId::Boolean) return plan::constant(Value::boolean(true));
  return plan::constant(Value::integer(type, -1));
}

std::optional<Type> result_type(const ScalarForm& form, const std::vector<ExprPtr>& arguments) {
  switch (form.result) {
    case ResultRule::Any:
      for (const ExprPtr& child : arguments) {
        if (child->type.id == TypeId::TimestampNs) return child->type;
      }
      return Type::of(TypeId::Timestamp);
    case ResultRule::SameAsFirst:
      return arguments[0]->type;
    case ResultRule::Boolean:
      return Type::of(TypeId::Boolean);
    case ResultRule::TinyInt:
      return Type::of(TypeId::TinyInt);
    case ResultRule::SmallInt:
      return Type::of(TypeId::SmallInt);
    case ResultRule::Integer:
      return Type::of(TypeId::Integer);
    case ResultRule::BigInt:
      return Type::of(TypeId::BigInt);
    case ResultRule::UBigInt:
      return Type::of(TypeId::UBigInt);
    case ResultRule::HugeInt:
      return Type::of(TypeId::HugeInt);
    case ResultRule::Double:
      return Type::of(TypeId::Double);
    case ResultRule::Varchar:
      return Type::of(TypeId::Varchar);
    case ResultRule::Decimal:
      return Type::decimal(38, form.name == "round" || arguments.size() == 2 ? 10 : 0);
    case ResultRule::Date:
      return Type::of(TypeId::Date);
    case ResultRule::Timestamp:
      return Type::of(TypeId::Timestamp);
    case ResultRule::TimestampNs:
      return Type::of(TypeId::TimestampNs);
    case ResultRule::Interval:
      return Type::of(TypeId::Interval);
  }
  return std::nullopt;
}

// All type lists that a form takes, as calls.
void add_calls(const ScalarForm& form, std::vector<ExprPtr>& calls) {
  std::vector<std::vector<Type>> choices;
  std::vector<support::Argument> wanted;
  for (const support::Argument& one : form.arguments) {
    if (one.type == TypeClass::None) continue;
    choices.push_back(types_of(one.type));
    wanted.push_back(one);
  }
  if (form.variadic) {
    choices.push_back(choices.back());
    wanted.push_back(wanted.back());
  }
  size_t total = 1;
  for (const auto& list : choices) total *= list.size();
  for (size_t k = 0; k < total; ++k) {
    std::vector<ExprPtr> arguments;
    size_t rest = k;
    for (size_t a = 0; a < choices.size(); ++a) {
      arguments.push_back(argument(form, wanted[a], choices[a][rest % choices[a].size()]));
      rest /= choices[a].size();
    }
    const auto result = result_type(form, arguments);
    ExprPtr call = plan::call(std::string(form.name), *result, arguments, true);
    if (support::check_function(*call) == support::FunctionVerdict::Supported) {
      // No column holds an interval.
      if (result->id == TypeId::Interval) {
        const Type moment = Type::of(TypeId::Timestamp);
        call = plan::call("+", moment, {column(moment), call}, true);
      }
      calls.push_back(call);
    }
  }
}

// Generates all, compiles them in lists, and waits.
void expect_compiles(const std::vector<ExprPtr>& expressions) {
  KernelCache cache("", 90, null_logger());
  std::vector<std::pair<std::shared_ptr<const CompiledKernel>, std::string>> kernels;
  for (size_t first = 0; first < expressions.size(); first += kExpressionsAKernel) {
    const std::vector<ExprPtr> part(
        expressions.begin() + static_cast<ptrdiff_t>(first),
        expressions.begin() + static_cast<ptrdiff_t>(std::min(first + kExpressionsAKernel, expressions.size())));
    kernels.emplace_back(cache.get(generate_columns(columns(), part).source), plan::to_string(*part.front()));
  }
  for (const auto& [kernel, name] : kernels) EXPECT_NO_THROW(kernel->cubin()) << "the list that starts with " << name;
}

TEST(FunctionTableTest, EveryFormCompiles) {
  for (const ScalarForm& form : support::scalar_forms()) {
    std::vector<ExprPtr> calls;
    add_calls(form, calls);
    EXPECT_FALSE(calls.empty()) << form.name;
  }
  std::vector<ExprPtr> calls;
  for (const ScalarForm& form : support::scalar_forms()) {
    std::vector<ExprPtr> all;
    add_calls(form, all);
    // What follows from the rest: not every pair of types of constant_or_null.
    const size_t step = form.name == "constant_or_null" ? 37 : 1;
    for (size_t i = 0; i < all.size(); i += step) calls.push_back(all[i]);
  }
  expect_compiles(calls);
}

TEST(FunctionTableTest, EveryCastCompiles) {
  std::vector<ExprPtr> casts;
  for (const Type& from : all_types()) {
    for (const Type& to : all_types()) {
      if (from == to || !support::cast_supported(from, to)) continue;
      casts.push_back(plan::cast(column(from), to, true));
    }
  }
  EXPECT_GT(casts.size(), 300u);
  expect_compiles(casts);
}

TEST(FunctionTableTest, EveryComparisonCompiles) {
  using plan::CompareOp;
  std::vector<ExprPtr> tests;
  for (const Type& type : all_types()) {
    for (const CompareOp op : {CompareOp::Equal, CompareOp::Less, CompareOp::NotDistinctFrom}) {
      tests.push_back(plan::comparison(op, column(type), column(type)));
    }
  }
  expect_compiles(tests);
}

TEST(FunctionTableTest, EveryDatePartGenerates) {
  for (const char* part :
       {"year", "quarter", "month", "week", "day", "hour", "minute", "second", "millisecond", "microsecond", "dow",
        "isodow", "doy", "decade", "century", "millennium", "era", "isoyear", "yearweek"}) {
    ASSERT_FALSE(support::canonical_date_part(part).empty()) << part;
    for (const TypeId id : {TypeId::Date, TypeId::Timestamp, TypeId::TimestampNs}) {
      const auto call =
          plan::call("date_part", Type::of(TypeId::BigInt), {plan::constant(Value::text(part)), column(Type::of(id))});
      EXPECT_NO_THROW(generate_columns(columns(), {call})) << part;
    }
  }
}

}  // namespace
}  // namespace weft::gpu
