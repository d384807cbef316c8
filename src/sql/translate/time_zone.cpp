#include "sql/translate/time_zone.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "plan/walk.hpp"
#include "support/function_table.hpp"

namespace weft::sql {
namespace {

using plan::ExprPtr;
using plan::Type;
using plan::TypeId;

constexpr const char* kNode = "SETTING";

// ICU's names of UTC.
constexpr std::array<std::string_view, 7> kUtc{"utc", "etc/utc", "gmt", "etc/gmt", "zulu", "etc/zulu", "uct"};

/// A moment becomes a date and a time of day, or the reverse.
bool crosses_zone(const plan::Expr& expr) {
  if (expr.kind != plan::ExprKind::Cast) return false;
  const Type& from = expr.children[0]->type;
  return from.id != TypeId::Null && from.is_zoned() != expr.type.is_zoned();
}

bool depends_on_zone(const plan::Node& node) {
  bool found = false;
  plan::for_each_expression(node, [&](const ExprPtr& root) {
    plan::for_each_expr(*root, [&](const plan::Expr& expr) { found = found || crosses_zone(expr); });
  });
  return found;
}

std::string setting(duckdb::ClientContext& context, const char* name) {
  duckdb::Value value;
  if (!context.TryGetCurrentSetting(duckdb::Identifier(name), value) || value.IsNull()) return "";
  return value.ToString();
}

ExprPtr bigint(int64_t number) {
  return plan::constant(plan::Value::integer(Type::of(TypeId::BigInt), plan::Int128{number}));
}

/// Years as DuckDB's ICU has them: those before Christ are counted from it, without a sign.
ExprPtr year_of_era(const ExprPtr& local) {
  const Type type = Type::of(TypeId::BigInt);
  const ExprPtr year = plan::call("year", type, {local});
  return plan::call("greatest", type, {year, plan::call("-", type, {bigint(1), year})});
}

bool is_one_of(std::string_view name, const auto& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Periods of years that begin elsewhere before Christ.
constexpr std::array<std::string_view, 3> kEraUnits{"decade", "century", "millennium"};

bool same_in_utc(std::string_view function, const std::vector<ExprPtr>& arguments) {
  constexpr std::array<std::string_view, 5> kWhole{"last_day", "dayname", "monthname", "julian", "strftime"};
  if (function == "date_trunc") {
    const plan::Expr& unit = *arguments[0];
    const bool known = unit.kind == plan::ExprKind::Constant && !unit.constant.is_null();
    return known && !is_one_of(support::canonical_trunc_unit(unit.constant.as_text()), kEraUnits);
  }
  return is_one_of(function, kWhole);
}

/// The part of a moment that the call gives; "": it is no such call.
std::string_view part_of(std::string_view function, const std::vector<ExprPtr>& arguments) {
  if (arguments.size() == 1) return support::canonical_date_part(function);
  if (function != "date_part" || arguments.size() != 2) return "";
  const plan::Expr& part = *arguments[0];
  if (part.kind != plan::ExprKind::Constant || part.type.id != TypeId::Varchar || part.constant.is_null()) return "";
  return support::canonical_date_part(part.constant.as_text());
}

}  // namespace

std::vector<support::Refusal> check_node(duckdb::ClientContext& context, const plan::Node& node) {
  std::vector<support::Refusal> refusals = support::check_node(node);
  if (!depends_on_zone(node)) return refusals;
  const std::string zone = setting(context, "TimeZone");
  if (!is_one_of(duckdb::StringUtil::Lower(zone), kUtc))
    refusals.push_back({support::RefusalCode::UnsupportedSetting, "TimeZone = " + zone, kNode});
  const std::string calendar = setting(context, "Calendar");
  if (calendar != "gregorian")
    refusals.push_back({support::RefusalCode::UnsupportedSetting, "Calendar = " + calendar, kNode});
  return refusals;
}

ExprPtr call_in_utc(const std::string& function, const Type& type, const std::vector<ExprPtr>& arguments, uint32_t id,
                    bool can_throw) {
  const auto zoned = [](const ExprPtr& argument) { return argument->type.id == TypeId::TimestampTz; };
  if (std::none_of(arguments.begin(), arguments.end(), zoned)) return nullptr;
  const std::string_view name = support::canonical_function(function);
  const std::string_view part = part_of(name, arguments);
  if (part.empty() && !same_in_utc(name, arguments)) return nullptr;
  std::vector<ExprPtr> local = arguments;
  for (ExprPtr& argument : local) {
    if (zoned(argument)) argument = plan::cast(argument, Type::of(TypeId::Timestamp), false);
  }
  if (part == "year") return year_of_era(local.back());
  if (part == "decade") return plan::call("//", type, {year_of_era(local.back()), bigint(10)});
  plan::Expr call;
  call.kind = plan::ExprKind::Function;
  call.type = type.id == TypeId::TimestampTz ? Type::of(TypeId::Timestamp) : type;
  call.can_throw = can_throw;
  call.id = id;
  call.function = function;
  call.children = std::move(local);
  const ExprPtr result = std::make_shared<const plan::Expr>(std::move(call));
  return result->type == type ? result : plan::cast(result, type, false);
}

}  // namespace weft::sql
