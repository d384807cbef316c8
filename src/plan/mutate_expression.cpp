// One-field mutants of expressions.
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "plan/mutate.hpp"

namespace weft::plan {
namespace {

ExprPtr shared(Expr expr) { return std::make_shared<const Expr>(std::move(expr)); }

CompareOp opposite(CompareOp op) {
  switch (op) {
    case CompareOp::Equal:
      return CompareOp::NotEqual;
    case CompareOp::NotEqual:
      return CompareOp::Equal;
    case CompareOp::Less:
      return CompareOp::LessEqual;
    case CompareOp::LessEqual:
      return CompareOp::Less;
    case CompareOp::Greater:
      return CompareOp::GreaterEqual;
    case CompareOp::GreaterEqual:
      return CompareOp::Greater;
    case CompareOp::DistinctFrom:
      return CompareOp::NotDistinctFrom;
    case CompareOp::NotDistinctFrom:
      return CompareOp::DistinctFrom;
  }
  return op;
}

// Functions of the same argument and result types.
std::string_view other_function(std::string_view name) {
  using Pair = std::pair<std::string_view, std::string_view>;
  constexpr std::array<Pair, 14> kSwaps{{{"+", "-"},
                                         {"*", "+"},
                                         {"/", "*"},
                                         {"//", "%"},
                                         {"~~", "!~~"},
                                         {"~~*", "!~~*"},
                                         {"prefix", "suffix"},
                                         {"lower", "upper"},
                                         {"floor", "ceil"},
                                         {"greatest", "least"},
                                         {"year", "month"},
                                         {"day", "dayofweek"},
                                         {"ltrim", "rtrim"},
                                         {"left", "right"}}};
  for (const auto& [first, second] : kSwaps) {
    if (name == first) return second;
    if (name == second) return first;
  }
  return {};
}

// True if other_function() gives the same result type on the same arguments.
bool other_has_this_type(const Expr& call) {
  const auto& children = call.children;
  if (std::string_view("+-*/%").find(call.function[0]) == std::string_view::npos) return true;
  if (children.size() != 2) return false;
  const TypeId first = children[0]->type.id;
  const TypeId second = children[1]->type.id;
  if (call.function != "+" && call.function != "-") return first == second && !call.type.is_decimal();
  // Interval + x, INTEGER + DATE and DATE - DATE have no counterpart.
  return first != TypeId::Interval && second != TypeId::Date;
}

bool takes_a_part(const Expr& expr) {
  return expr.kind == ExprKind::Function && (expr.function == "date_part" || expr.function == "date_trunc");
}

class ExprMutator {
 public:
  explicit ExprMutator(const std::vector<Column>& row) : row_(row) {}

  std::vector<ExprMutation> all(const ExprPtr& expr) {
    std::vector<ExprMutation> found = own(*expr);
    if (expr->kind == ExprKind::Function && expr->function == "error") return found;  // its text is no answer
    for (size_t i = takes_a_part(*expr) ? 1 : 0; i < expr->children.size(); ++i) {
      for (ExprMutation& mutant : all(expr->children[i])) {
        Expr copy = *expr;
        copy.children[i] = std::move(mutant.expression);
        found.push_back({std::move(mutant.what), shared(std::move(copy))});
      }
    }
    return found;
  }

 private:
  const std::vector<Column>& row_;

  static void add(std::vector<ExprMutation>& found, std::string what, Expr expr) {
    found.push_back({std::move(what), shared(std::move(expr))});
  }

  std::vector<ExprMutation> own(const Expr& expr) const {
    std::vector<ExprMutation> found;
    Expr copy = expr;
    switch (expr.kind) {
      case ExprKind::ColumnRef:
        other_columns(expr, found);
        break;
      case ExprKind::Constant:
        if (auto value = another_value(expr.constant)) {
          copy.constant = *value;
          copy.nullable = false;
          add(found, expr.constant.to_string() + " becomes " + value->to_string(), copy);
        }
        wrong_scale(expr, found);
        break;
      case ExprKind::Comparison:
        comparisons(expr, found);
        break;
      case ExprKind::And:
        copy.kind = ExprKind::Or;
        add(found, "AND becomes OR", copy);
        break;
      case ExprKind::Or:
        copy.kind = ExprKind::And;
        add(found, "OR becomes AND", copy);
        break;
      case ExprKind::Not:
        found.push_back({"NOT dropped", expr.children[0]});
        break;
      case ExprKind::IsNull:
        copy.kind = ExprKind::IsNotNull;
        add(found, "IS NULL becomes IS NOT NULL", copy);
        break;
      case ExprKind::IsNotNull:
        copy.kind = ExprKind::IsNull;
        add(found, "IS NOT NULL becomes IS NULL", copy);
        break;
      case ExprKind::In:
        if (expr.children.size() < 3) break;
        copy.children.pop_back();
        add(found, "last value of IN dropped", copy);
        break;
      case ExprKind::Case:
        std::swap(copy.children[1], copy.children.back());
        add(found, "CASE branches swapped", copy);
        break;
      case ExprKind::Coalesce:
        if (expr.children.size() < 2) break;
        copy.children.pop_back();
        add(found, "last value of COALESCE dropped", copy);
        break;
      case ExprKind::Cast:
        cast_scale(expr, found);
        break;
      case ExprKind::Function:
        functions(expr, found);
        break;
    }
    return found;
  }

  void other_columns(const Expr& expr, std::vector<ExprMutation>& found) const {
    for (uint32_t i = 1; i < row_.size(); ++i) {
      const auto other = static_cast<uint32_t>((expr.column + i) % row_.size());
      if (row_[other].type != expr.type) continue;
      Expr copy = expr;
      copy.column = other;
      copy.nullable = row_[other].nullable;
      add(found, "column #" + std::to_string(expr.column) + " becomes #" + std::to_string(other), copy);
      return;
    }
  }

  static void comparisons(const Expr& expr, std::vector<ExprMutation>& found) {
    for (const CompareOp op : {opposite(expr.compare), mirrored(expr.compare)}) {
      if (op == expr.compare) continue;
      Expr copy = expr;
      copy.compare = op;
      add(found, std::string(to_string(expr.compare)) + " becomes " + to_string(op), copy);
    }
  }

  // A decimal constant that was read with a scale too small by one.
  static void wrong_scale(const Expr& expr, std::vector<ExprMutation>& found) {
    if (!expr.type.is_decimal() || expr.constant.is_null() || expr.constant.as_int() == 0) return;
    Expr copy = expr;
    Int128 limit = 1;
    for (int i = 1; i < expr.type.width; ++i) limit *= 10;
    const Int128 value = expr.constant.as_int();
    const bool room = value < limit && value > -limit;
    copy.constant.data = room ? Int128{value * 10} : Int128{value / 10};
    add(found, expr.constant.to_string() + " gets another scale: " + copy.constant.to_string(), copy);
  }

  // A cast that goes through a decimal of one digit less.
  static void cast_scale(const Expr& expr, std::vector<ExprMutation>& found) {
    if (!expr.type.is_decimal() || expr.type.scale == 0) return;
    const auto scale = static_cast<uint8_t>(expr.type.scale - 1);
    Expr narrow = expr;
    narrow.type = Type::decimal(expr.type.width, scale);
    Expr copy = expr;
    copy.children = {shared(std::move(narrow))};
    add(found, "cast to " + expr.type.to_string() + " rounds to scale " + std::to_string(scale), copy);
  }

  static void functions(const Expr& expr, std::vector<ExprMutation>& found) {
    if (takes_a_part(expr)) {
      Expr copy = expr;
      const std::string& part = expr.children[0]->constant.as_text();
      copy.children[0] = constant(Value::text(part == "year" ? "month" : "year"));
      add(found, "part " + part + " becomes " + copy.children[0]->constant.as_text(), copy);
      return;
    }
    const auto& children = expr.children;
    const std::string_view other = other_function(expr.function);
    if (!other.empty() && other_has_this_type(expr)) {
      Expr copy = expr;
      copy.function = other;
      add(found, expr.function + " becomes " + std::string(other), copy);
    }
    const bool ordered = std::string_view("+*").find(expr.function) == std::string_view::npos &&
                         expr.function != "greatest" && expr.function != "least";
    if (ordered && children.size() == 2 && children[0]->type == children[1]->type &&
        children[1]->kind != ExprKind::Constant) {
      Expr copy = expr;
      std::swap(copy.children[0], copy.children[1]);
      add(found, "arguments of " + expr.function + " swapped", copy);
    }
  }
};

}  // namespace

std::optional<Value> another_value(const Value& value) {
  if (value.is_null()) return std::nullopt;
  Value copy = value;
  switch (value.type.carrier().id) {
    case TypeId::Boolean:
      copy.data = Int128{value.as_int() == 0 ? 1 : 0};
      return copy;
    case TypeId::Varchar:
      copy.data = value.as_text() + "x";
      return copy;
    case TypeId::Float:
    case TypeId::Double:
      copy.data = value.as_double() + 1;
      return copy;
    case TypeId::Interval: {
      IntervalValue interval = std::get<IntervalValue>(value.data);
      ++interval.days;
      copy.data = interval;
      return copy;
    }
    default:
      copy.data = Int128{value.as_int() + (value.as_int() > 0 ? -1 : 1)};
      return copy;
  }
}

std::vector<ExprMutation> mutations(const ExprPtr& expr, const std::vector<Column>& row) {
  return ExprMutator(row).all(expr);
}

}  // namespace weft::plan
