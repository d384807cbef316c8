#include "sql/translate/expression_translator.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "duckdb/planner/bound_result_modifier.hpp"
#include "duckdb/planner/expression/bound_aggregate_expression.hpp"
#include "duckdb/planner/expression/bound_between_expression.hpp"
#include "duckdb/planner/expression/bound_case_expression.hpp"
#include "duckdb/planner/expression/bound_cast_expression.hpp"
#include "duckdb/planner/expression/bound_comparison_expression.hpp"
#include "duckdb/planner/expression/bound_conjunction_expression.hpp"
#include "duckdb/planner/expression/bound_constant_expression.hpp"
#include "duckdb/planner/expression/bound_function_expression.hpp"
#include "duckdb/planner/expression/bound_operator_expression.hpp"
#include "duckdb/planner/expression/bound_reference_expression.hpp"
#include "duckdb/planner/expression_iterator.hpp"
#include "duckdb/planner/filter/expression_filter.hpp"
#include "sql/translate/time_zone.hpp"

namespace weft::sql {

namespace {

using duckdb::ExpressionClass;
using duckdb::ExpressionType;
using support::RefusalCode;

bool any_nullable(const std::vector<plan::ExprPtr>& children) {
  return std::any_of(children.begin(), children.end(), [](const plan::ExprPtr& child) { return child->nullable; });
}

plan::ExprPtr make(plan::ExprKind kind, plan::Type type, bool nullable, std::vector<plan::ExprPtr> children) {
  plan::Expr expr;
  expr.kind = kind;
  expr.type = std::move(type);
  expr.nullable = nullable;
  expr.children = std::move(children);
  return std::make_shared<const plan::Expr>(std::move(expr));
}

plan::Type boolean() { return plan::Type::of(plan::TypeId::Boolean); }

/// Functions that give no NULL when no argument is one. Others (month(DATE 'infinity'), ...) may.
bool keeps_not_null(std::string_view name, const std::vector<plan::ExprPtr>& arguments) {
  const bool numeric = std::all_of(arguments.begin(), arguments.end(),
                                   [](const plan::ExprPtr& argument) { return argument->type.is_numeric(); });
  constexpr std::array<std::string_view, 3> kArithmetic{"+", "-", "*"};
  constexpr std::array<std::string_view, 8> kText{"~~",       "!~~",   "prefix", "suffix",
                                                  "contains", "lower", "upper",  "length"};
  const auto in = [name](const auto& names) { return std::find(names.begin(), names.end(), name) != names.end(); };
  return numeric ? in(kArithmetic) : in(kText);
}

/// string_split below an element of its list; null: the call is another. The plan has no lists, so that the element is
/// a function of the text, the separator and the index: what split_part() is.
const duckdb::BoundFunctionExpression* split_of_element(const duckdb::BoundFunctionExpression& function) {
  const std::string& name = function.Function().GetName().GetIdentifierName();
  if (name != "array_extract" && name != "list_extract" && name != "list_element") return nullptr;
  const duckdb::Expression& list = *function.GetChildren()[0];
  if (list.GetExpressionClass() != ExpressionClass::BOUND_FUNCTION) return nullptr;
  const auto& split = list.Cast<duckdb::BoundFunctionExpression>();
  constexpr std::array<std::string_view, 4> kSplits{"string_split", "str_split", "split", "string_to_array"};
  const std::string& splitter = split.Function().GetName().GetIdentifierName();
  return std::find(kSplits.begin(), kSplits.end(), splitter) == kSplits.end() ? nullptr : &split;
}

/// Where text[2:] and text[:2] leave a bound out, DuckDB has an empty list: 0 and -1 mean the same. Null: given.
plan::ExprPtr open_bound(const duckdb::BoundFunctionExpression& function, size_t argument) {
  const std::string& name = function.Function().GetName().GetIdentifierName();
  const auto& children = function.GetChildren();
  if ((name != "array_slice" && name != "list_slice") || argument == 0 || argument > 2) return nullptr;
  if (children[0]->GetReturnType().id() != duckdb::LogicalTypeId::VARCHAR) return nullptr;
  const duckdb::Expression& bound = *children[argument];
  const bool is_list = bound.GetReturnType().id() == duckdb::LogicalTypeId::LIST;
  if (!is_list || bound.GetExpressionClass() != ExpressionClass::BOUND_CONSTANT) return nullptr;
  if (bound.Cast<duckdb::BoundConstantExpression>().GetValue().IsNull()) return nullptr;
  return plan::constant(plan::Value::integer(plan::Type::of(plan::TypeId::BigInt), argument == 1 ? 0 : -1));
}

/// A hint of a scan: always true in its place, since DuckDB does not need it for the answer.
bool is_hint(const duckdb::Expression& expression) {
  return duckdb::ExpressionFilter::IsRootOptionalExpression(expression) ||
         duckdb::ExpressionFilter::IsOptionalExpression(expression);
}

}  // namespace

std::string aggregate_name(const std::string& name) { return name == "sum_no_overflow" ? "sum" : name; }

std::string signature(const std::string& name,
                      const duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& arguments) {
  std::string text = name + "(";
  for (size_t i = 0; i < arguments.size(); ++i) text += (i ? ", " : "") + arguments[i]->GetReturnType().ToString();
  return text + ")";
}

std::optional<plan::CompareOp> compare_op(duckdb::ExpressionType type) {
  switch (type) {
    case ExpressionType::COMPARE_EQUAL:
      return plan::CompareOp::Equal;
    case ExpressionType::COMPARE_NOTEQUAL:
      return plan::CompareOp::NotEqual;
    case ExpressionType::COMPARE_LESSTHAN:
      return plan::CompareOp::Less;
    case ExpressionType::COMPARE_LESSTHANOREQUALTO:
      return plan::CompareOp::LessEqual;
    case ExpressionType::COMPARE_GREATERTHAN:
      return plan::CompareOp::Greater;
    case ExpressionType::COMPARE_GREATERTHANOREQUALTO:
      return plan::CompareOp::GreaterEqual;
    case ExpressionType::COMPARE_DISTINCT_FROM:
      return plan::CompareOp::DistinctFrom;
    case ExpressionType::COMPARE_NOT_DISTINCT_FROM:
      return plan::CompareOp::NotDistinctFrom;
    default:
      return std::nullopt;
  }
}

plan::ExprPtr ExpressionTranslator::refuse(RefusalCode code, std::string name, const duckdb::Expression& expression) {
  refusals_.add(code, std::move(name), node_);
  return plan::constant(plan::Value::null(translate_type(expression.GetReturnType())));
}

plan::ExprPtr ExpressionTranslator::translate(const duckdb::Expression& expression) {
  const auto& type = expression.GetReturnType();
  if (type.id() == duckdb::LogicalTypeId::VARCHAR && !duckdb::StringType::GetCollation(type).empty())
    return refuse(RefusalCode::UnsupportedCollation, duckdb::StringType::GetCollation(type), expression);
  switch (expression.GetExpressionClass()) {
    case ExpressionClass::BOUND_COLUMN_REF:
    case ExpressionClass::BOUND_REF:
      return translate_reference(expression);
    case ExpressionClass::BOUND_CONSTANT: {
      const auto& value = expression.Cast<duckdb::BoundConstantExpression>().GetValue();
      const plan::Type value_type = translate_type(value.type());
      if (value_type.id == plan::TypeId::Unsupported)
        return refuse(RefusalCode::UnsupportedType, value_type.text, expression);
      return plan::constant(translate_value(value));
    }
    case ExpressionClass::BOUND_FUNCTION:
      return translate_function(expression.Cast<duckdb::BoundFunctionExpression>());
    case ExpressionClass::BOUND_OPERATOR:
      return translate_operator(expression.Cast<duckdb::BoundOperatorExpression>());
    case ExpressionClass::BOUND_CONJUNCTION:
      return translate_conjunction(expression);
    case ExpressionClass::BOUND_CASE:
      return translate_case(expression);
    case ExpressionClass::BOUND_PARAMETER:
      return refuse(RefusalCode::UnsupportedStatement, "PREPARE", expression);
    default:
      return refuse(RefusalCode::UnsupportedFunction, duckdb::ExpressionClassToString(expression.GetExpressionClass()),
                    expression);
  }
}

std::vector<plan::ExprPtr> ExpressionTranslator::translate_all(
    const duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& expressions) {
  std::vector<plan::ExprPtr> result;
  result.reserve(expressions.size());
  for (const auto& expression : expressions) result.push_back(translate(*expression));
  return result;
}

plan::ExprPtr ExpressionTranslator::translate_reference(const duckdb::Expression& expression) {
  const ColumnScope::Found found = scope_.find(expression);
  if (!found.known)
    return refuse(RefusalCode::UnsupportedFunction, "reference to " + expression.ToString(), expression);
  const plan::Type type = translate_type(expression.GetReturnType());
  if (!found.position) return plan::constant(plan::Value::null(type));
  const plan::Column& column = scope_.column(*found.position);
  if (column.type != type)
    return refuse(RefusalCode::UnsupportedType, column.type.to_string() + " read as " + type.to_string(), expression);
  return plan::column_ref(*found.position, column.type, column.nullable);
}

plan::ExprPtr ExpressionTranslator::translate_function(const duckdb::BoundFunctionExpression& function) {
  if (duckdb::BoundCastExpression::IsCast(function)) return translate_cast(function);
  if (function.GetExpressionType() == ExpressionType::COMPARE_BETWEEN) return translate_between(function);
  if (duckdb::BoundComparisonExpression::IsComparison(function)) {
    const auto op = compare_op(function.GetExpressionType());
    if (!op) return translate_call(function);
    plan::ExprPtr left = translate(duckdb::BoundComparisonExpression::Left(function));
    return plan::comparison(*op, std::move(left), translate(duckdb::BoundComparisonExpression::Right(function)));
  }
  return translate_call(function);
}

plan::ExprPtr ExpressionTranslator::translate_call(const duckdb::BoundFunctionExpression& function) {
  const std::string& name = function.Function().GetName().GetIdentifierName();
  const bool is_error = name == "error";
  if (is_hint(function)) return plan::constant(plan::Value::boolean(true));
  if (!is_error && function.Function().GetStability() == duckdb::FunctionStability::VOLATILE)
    return refuse(RefusalCode::VolatileFunction, signature(name, function.GetChildren()), function);
  plan::Expr expr;
  expr.kind = plan::ExprKind::Function;
  expr.type = translate_type(function.GetReturnType());
  expr.function = name;
  expr.children = translate_arguments(function);
  expr.nullable = !keeps_not_null(name, expr.children) || any_nullable(expr.children);
  expr.can_throw = is_error || function.Function().GetErrorMode() == duckdb::FunctionErrors::CAN_THROW_RUNTIME_ERROR;
  if (expr.can_throw) expr.id = remember(function);
  if (plan::ExprPtr local = call_in_utc(expr.function, expr.type, expr.children, expr.id, expr.can_throw)) return local;
  return std::make_shared<const plan::Expr>(std::move(expr));
}

std::vector<plan::ExprPtr> ExpressionTranslator::translate_arguments(const duckdb::BoundFunctionExpression& function) {
  const auto& given = function.GetChildren();
  if (const duckdb::BoundFunctionExpression* split = split_of_element(function)) {
    std::vector<plan::ExprPtr> arguments = translate_all(split->GetChildren());
    arguments.push_back(translate(*given[1]));
    return arguments;
  }
  std::vector<plan::ExprPtr> arguments;
  for (size_t i = 0; i < given.size(); ++i) {
    plan::ExprPtr bound = open_bound(function, i);
    arguments.push_back(bound ? std::move(bound) : translate(*given[i]));
  }
  return arguments;
}

plan::ExprPtr ExpressionTranslator::translate_cast(const duckdb::BoundFunctionExpression& function) {
  plan::Expr expr;
  expr.kind = plan::ExprKind::Cast;
  expr.type = translate_type(function.GetReturnType());
  expr.try_cast = duckdb::BoundCastExpression::IsTryCast(function);
  expr.children = {translate(duckdb::BoundCastExpression::Child(function))};
  expr.nullable = expr.try_cast || any_nullable(expr.children);
  expr.can_throw = duckdb::BoundCastExpression::CastCanThrow(duckdb::BoundCastExpression::SourceType(function),
                                                             function.GetReturnType(), expr.try_cast);
  if (expr.can_throw) expr.id = remember(function);
  return std::make_shared<const plan::Expr>(std::move(expr));
}

plan::ExprPtr ExpressionTranslator::translate_between(const duckdb::BoundFunctionExpression& function) {
  using Between = duckdb::BoundBetweenExpression;
  const plan::ExprPtr input = translate(Between::Input(function));
  const auto lower_op = Between::LowerInclusive(function) ? plan::CompareOp::GreaterEqual : plan::CompareOp::Greater;
  const auto upper_op = Between::UpperInclusive(function) ? plan::CompareOp::LessEqual : plan::CompareOp::Less;
  plan::ExprPtr lower = plan::comparison(lower_op, input, translate(Between::LowerBound(function)));
  plan::ExprPtr upper = plan::comparison(upper_op, input, translate(Between::UpperBound(function)));
  const bool nullable = lower->nullable || upper->nullable;
  return make(plan::ExprKind::And, boolean(), nullable, {std::move(lower), std::move(upper)});
}

plan::ExprPtr ExpressionTranslator::translate_operator(const duckdb::BoundOperatorExpression& expression) {
  const auto refuse_operator = [&] {
    const std::string name = duckdb::ExpressionTypeToString(expression.GetExpressionType());
    return refuse(RefusalCode::UnsupportedFunction, signature(name, expression.GetChildren()), expression);
  };
  switch (expression.GetExpressionType()) {
    case ExpressionType::OPERATOR_NOT:
    case ExpressionType::OPERATOR_IS_NULL:
    case ExpressionType::OPERATOR_IS_NOT_NULL:
    case ExpressionType::COMPARE_IN:
    case ExpressionType::COMPARE_NOT_IN:
    case ExpressionType::OPERATOR_COALESCE:
      break;
    default:
      return refuse_operator();
  }
  std::vector<plan::ExprPtr> children = translate_all(expression.GetChildren());
  const bool nullable = any_nullable(children);
  switch (expression.GetExpressionType()) {
    case ExpressionType::OPERATOR_NOT:
      return make(plan::ExprKind::Not, boolean(), nullable, std::move(children));
    case ExpressionType::OPERATOR_IS_NULL:
      return make(plan::ExprKind::IsNull, boolean(), false, std::move(children));
    case ExpressionType::OPERATOR_IS_NOT_NULL:
      return make(plan::ExprKind::IsNotNull, boolean(), false, std::move(children));
    case ExpressionType::COMPARE_IN:
      return make(plan::ExprKind::In, boolean(), nullable, std::move(children));
    case ExpressionType::COMPARE_NOT_IN: {
      plan::ExprPtr in = make(plan::ExprKind::In, boolean(), nullable, std::move(children));
      return make(plan::ExprKind::Not, boolean(), nullable, {std::move(in)});
    }
    default: {
      const bool all_nullable =
          std::all_of(children.begin(), children.end(), [](const plan::ExprPtr& child) { return child->nullable; });
      return make(plan::ExprKind::Coalesce, translate_type(expression.GetReturnType()), all_nullable,
                  std::move(children));
    }
  }
}

plan::ExprPtr ExpressionTranslator::translate_conjunction(const duckdb::Expression& expression) {
  const bool is_and = expression.GetExpressionType() == ExpressionType::CONJUNCTION_AND;
  std::vector<plan::ExprPtr> children =
      translate_all(expression.Cast<duckdb::BoundConjunctionExpression>().GetChildren());
  if (children.size() == 1) return children[0];
  const bool nullable = any_nullable(children);
  return make(is_and ? plan::ExprKind::And : plan::ExprKind::Or, boolean(), nullable, std::move(children));
}

plan::ExprPtr ExpressionTranslator::translate_case(const duckdb::Expression& expression) {
  const auto& source = expression.Cast<duckdb::BoundCaseExpression>();
  std::vector<plan::ExprPtr> children;
  bool nullable = false;
  for (const auto& check : source.CaseChecks()) {
    children.push_back(translate(*check.when_expr));
    children.push_back(translate(*check.then_expr));
    nullable = nullable || children.back()->nullable;
  }
  children.push_back(translate(source.Else()));
  nullable = nullable || children.back()->nullable;
  return make(plan::ExprKind::Case, translate_type(expression.GetReturnType()), nullable, std::move(children));
}

plan::AggregateCall ExpressionTranslator::translate_aggregate(const duckdb::BoundAggregateExpression& aggregate) {
  plan::AggregateCall call;
  call.function = aggregate_name(aggregate.Function().GetName().GetIdentifierName());
  call.type = translate_type(aggregate.GetReturnType());
  const std::string text = signature(call.function, aggregate.GetChildren());
  if (aggregate.StateExportMode() != duckdb::AggregateStateExportMode::NONE)
    refusals_.add(RefusalCode::UnsupportedAggregate, "state of " + text, node_);
  if (aggregate.Function().GetStability() == duckdb::FunctionStability::VOLATILE)
    refusals_.add(RefusalCode::VolatileFunction, text, node_);
  call.arguments = translate_all(aggregate.GetChildren());
  call.distinct = aggregate.IsDistinct();
  if (aggregate.GetFilter()) call.filter = translate(*aggregate.GetFilter());
  if (aggregate.GetOrderBys()) call.order_by = translate_order(aggregate.GetOrderBys()->orders);
  call.id = remember(aggregate);
  return call;
}

std::vector<plan::SortKey> ExpressionTranslator::translate_order(
    const duckdb::vector<duckdb::BoundOrderByNode>& orders) {
  std::vector<plan::SortKey> keys;
  for (const auto& order : orders) {
    const bool explicit_order =
        (order.type == duckdb::OrderType::ASCENDING || order.type == duckdb::OrderType::DESCENDING) &&
        (order.null_order == duckdb::OrderByNullType::NULLS_FIRST ||
         order.null_order == duckdb::OrderByNullType::NULLS_LAST);
    if (!explicit_order) refusals_.add(RefusalCode::UnsupportedOperator, "ORDER BY " + order.ToString(), node_);
    plan::SortKey key;
    key.expression = translate(*order.expression);
    key.descending = order.type == duckdb::OrderType::DESCENDING;
    key.nulls_first = order.null_order == duckdb::OrderByNullType::NULLS_FIRST;
    keys.push_back(std::move(key));
  }
  return keys;
}

void ExpressionTranslator::translate_conjuncts(const duckdb::Expression& predicate,
                                               std::vector<plan::ExprPtr>& conjuncts) {
  if (is_hint(predicate)) return;
  if (predicate.GetExpressionClass() == ExpressionClass::BOUND_CONJUNCTION &&
      predicate.GetExpressionType() == ExpressionType::CONJUNCTION_AND) {
    for (const auto& child : predicate.Cast<duckdb::BoundConjunctionExpression>().GetChildren())
      translate_conjuncts(*child, conjuncts);
    return;
  }
  plan::ExprPtr conjunct = translate(predicate);
  const bool always_true = conjunct->kind == plan::ExprKind::Constant && !conjunct->constant.is_null() &&
                           conjunct->constant == plan::Value::boolean(true);
  if (!always_true) conjuncts.push_back(std::move(conjunct));
}

uint32_t ExpressionTranslator::remember(const duckdb::Expression& expression) {
  auto copy = expression.Copy();
  bind_references(copy);
  expressions_.push_back(std::move(copy));
  return static_cast<uint32_t>(expressions_.size());
}

void ExpressionTranslator::bind_references(duckdb::unique_ptr<duckdb::Expression>& expression) const {
  const auto kind = expression->GetExpressionClass();
  if (kind == ExpressionClass::BOUND_COLUMN_REF || kind == ExpressionClass::BOUND_REF) {
    const ColumnScope::Found found = scope_.find(*expression);
    if (found.position) {
      // The name is part of DuckDB's error texts: "... when casting from source column c".
      expression = duckdb::make_uniq<duckdb::BoundReferenceExpression>(expression->GetAlias(),
                                                                       expression->GetReturnType(), *found.position);
    } else {
      expression = duckdb::make_uniq<duckdb::BoundConstantExpression>(duckdb::Value(expression->GetReturnType()));
    }
    return;
  }
  duckdb::ExpressionIterator::EnumerateChildren(
      *expression, [this](duckdb::unique_ptr<duckdb::Expression>& child) { bind_references(child); });
}

}  // namespace weft::sql
