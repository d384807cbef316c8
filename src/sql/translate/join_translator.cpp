// The joins of OperatorTranslator.
#include "duckdb/planner/operator/logical_any_join.hpp"
#include "duckdb/planner/operator/logical_comparison_join.hpp"
#include "sql/translate/expression_translator.hpp"
#include "sql/translate/operator_translator.hpp"

namespace weft::sql {

namespace {

using support::RefusalCode;

struct Kind {
  plan::JoinKind kind;
  bool flipped = false;  // DuckDB's right child is the plan's left one
};

std::optional<Kind> join_kind(duckdb::JoinType type) {
  switch (type) {
    case duckdb::JoinType::INNER:
      return Kind{plan::JoinKind::Inner};
    case duckdb::JoinType::LEFT:
      return Kind{plan::JoinKind::Left};
    case duckdb::JoinType::RIGHT:
      return Kind{plan::JoinKind::Right};
    case duckdb::JoinType::OUTER:
      return Kind{plan::JoinKind::Full};
    case duckdb::JoinType::SEMI:
      return Kind{plan::JoinKind::Semi};
    case duckdb::JoinType::ANTI:
      return Kind{plan::JoinKind::Anti};
    case duckdb::JoinType::MARK:
      return Kind{plan::JoinKind::Mark};
    case duckdb::JoinType::SINGLE:
      return Kind{plan::JoinKind::Single};
    case duckdb::JoinType::RIGHT_SEMI:
      return Kind{plan::JoinKind::Semi, true};
    case duckdb::JoinType::RIGHT_ANTI:
      return Kind{plan::JoinKind::Anti, true};
    default:
      return std::nullopt;
  }
}

bool is_asof_kind(plan::JoinKind kind) {
  return kind == plan::JoinKind::Inner || kind == plan::JoinKind::Left || kind == plan::JoinKind::Right ||
         kind == plan::JoinKind::Full;
}

std::string join_name(duckdb::JoinType type) { return duckdb::JoinTypeToString(type) + " JOIN"; }

std::vector<size_t> kept_columns(const duckdb::vector<duckdb::ProjectionIndex>& map, const Relation& child) {
  std::vector<size_t> kept;
  for (const auto& index : map) kept.push_back(index.GetIndex());
  for (size_t i = 0; map.empty() && i < child.bindings.size(); ++i) kept.push_back(i);
  return kept;
}

bool outputs_right(plan::JoinKind kind) {
  return kind != plan::JoinKind::Semi && kind != plan::JoinKind::Anti && kind != plan::JoinKind::Mark;
}

bool left_becomes_nullable(plan::JoinKind kind) {
  return kind == plan::JoinKind::Right || kind == plan::JoinKind::Full;
}

bool right_becomes_nullable(plan::JoinKind kind) {
  return kind == plan::JoinKind::Left || kind == plan::JoinKind::Full || kind == plan::JoinKind::Single;
}

/// What DuckDB's mark joins mean, as the plan's flag says it; false for a join that means something else. `groups` is
/// the number of correlated columns that DuckDB counts NULLs by.
/// - EXISTS: every comparison treats NULLs as values. The mark is never NULL.
/// - IN, ANY: one comparison, or "=" on every column of a row. The mark is NULL as SQL says.
/// - A correlated IN or ANY: a key that treats NULLs as equal for each correlated column, and one comparison. DuckDB's
///   mark is NULL where the comparison is NULL for some row of the group, which is what SQL says of the conjunction.
bool set_mark_logic(plan::Join& join, const std::vector<plan::ExprPtr>& residual, size_t groups) {
  size_t safe = 0;
  for (const auto& key : join.keys) safe += key.null_equal ? 1 : 0;
  size_t distinct = 0;
  for (const auto& one : residual) distinct += one->compare == plan::CompareOp::DistinctFrom ? 1 : 0;
  const size_t plain_keys = join.keys.size() - safe;
  const size_t plain = plain_keys + residual.size() - distinct;
  join.mark_three_valued = plain > 0;
  if (plain == 0) return safe > 0 && (distinct == 0 || groups != safe + distinct - 1);
  if (distinct > 0) return false;
  if (groups > 0) return safe == groups && plain == 1;
  return safe == 0 && (plain == plain_keys || plain == 1);
}

plan::ExprPtr all_of(std::vector<plan::ExprPtr> predicates) {
  if (predicates.empty()) return nullptr;
  return plan::conjunction(std::move(predicates));
}

}  // namespace

void OperatorTranslator::add_condition(const duckdb::JoinCondition& condition, bool flipped, const Relation& left,
                                       const Relation& right, duckdb::LogicalOperator& op, plan::Join& join,
                                       std::vector<plan::ExprPtr>& residual) {
  const ColumnScope both(left, right);
  ExpressionTranslator over_both(both, operator_name(op), expressions_, refusals_);
  if (!condition.IsComparison()) {
    over_both.translate_conjuncts(condition.GetJoinExpression(), residual);
    return;
  }
  const auto compare = compare_op(condition.GetComparisonType());
  if (!compare) {
    refuse(RefusalCode::UnsupportedJoin, duckdb::ExpressionTypeToString(condition.GetComparisonType()), op);
    return;
  }
  const bool is_key = *compare == plan::CompareOp::Equal || *compare == plan::CompareOp::NotDistinctFrom;
  if (!is_key && op.type != duckdb::LogicalOperatorType::LOGICAL_ASOF_JOIN) {
    plan::ExprPtr lhs = over_both.translate(condition.GetLHS());
    residual.push_back(plan::comparison(*compare, std::move(lhs), over_both.translate(condition.GetRHS())));
    return;
  }
  const ColumnScope left_scope(left);
  const ColumnScope right_scope(right);
  ExpressionTranslator over_left(left_scope, operator_name(op), expressions_, refusals_);
  ExpressionTranslator over_right(right_scope, operator_name(op), expressions_, refusals_);
  plan::JoinKey key;
  key.left = over_left.translate(flipped ? condition.GetRHS() : condition.GetLHS());
  key.right = over_right.translate(flipped ? condition.GetLHS() : condition.GetRHS());
  key.null_equal = *compare == plan::CompareOp::NotDistinctFrom;
  if (key.left->type != key.right->type)
    refuse(RefusalCode::UnsupportedJoin,
           "a key of " + key.left->type.to_string() + " and " + key.right->type.to_string(), op);
  if (is_key) {
    join.keys.push_back(std::move(key));
  } else if (plan::is_order(*compare) && !join.asof) {
    join.asof = plan::AsofOrder{std::move(key.left), std::move(key.right), *compare};
  } else {
    refuse(RefusalCode::UnsupportedJoin, "ASOF JOIN on several inequalities", op);
  }
}

std::optional<Relation> OperatorTranslator::finish_join(duckdb::LogicalOperator& op, plan::Join join,
                                                        const Relation& left, const Relation& right,
                                                        const std::vector<std::vector<size_t>>& maps) {
  Relation relation;
  const auto bindings = op.GetColumnBindings();
  relation.bindings.assign(bindings.begin(), bindings.end());
  std::vector<plan::Column> output;
  const auto add_side = [&](const Relation& side, const std::vector<size_t>& kept, bool nullable,
                            std::vector<uint32_t>& positions) {
    for (const size_t i : kept) {
      if (!side.positions[i]) {
        relation.positions.emplace_back(std::nullopt);
        continue;
      }
      relation.positions.emplace_back(static_cast<uint32_t>(output.size()));
      positions.push_back(*side.positions[i]);
      output.push_back(side.node->output[*side.positions[i]]);
      output.back().nullable = output.back().nullable || nullable;
    }
  };
  add_side(left, maps[0], left_becomes_nullable(join.kind), join.left_output);
  if (outputs_right(join.kind)) add_side(right, maps[1], right_becomes_nullable(join.kind), join.right_output);
  if (join.kind == plan::JoinKind::Mark) {
    relation.positions.emplace_back(static_cast<uint32_t>(output.size()));
    output.push_back(plan::Column{"mark", plan::Type::of(plan::TypeId::Boolean), join.mark_three_valued});
  }
  if (relation.positions.size() != relation.bindings.size()) {
    refuse(RefusalCode::UnsupportedJoin, "a join with other columns than its children", op);
    return std::nullopt;
  }
  relation.node = make_checked(std::move(join), {left.node, right.node}, std::move(output), op);
  return relation;
}

std::optional<Relation> OperatorTranslator::translate_comparison_join(duckdb::LogicalComparisonJoin& op,
                                                                      std::vector<Relation> children) {
  const auto kind = join_kind(op.join_type);
  const bool asof = op.type == duckdb::LogicalOperatorType::LOGICAL_ASOF_JOIN;
  const bool known = kind && (!asof || is_asof_kind(kind->kind));
  if (!known || !op.duplicate_eliminated_columns.empty()) {
    refuse(RefusalCode::UnsupportedJoin, (asof ? "ASOF " : "") + join_name(op.join_type), op);
    return std::nullopt;
  }
  plan::Join join;
  join.kind = kind->kind;
  join.build = kind->flipped ? plan::BuildSide::Left : plan::BuildSide::Right;
  const Relation& left = kind->flipped ? children[1] : children[0];
  const Relation& right = kind->flipped ? children[0] : children[1];
  std::vector<plan::ExprPtr> residual;
  for (const auto& condition : op.conditions) add_condition(condition, kind->flipped, left, right, op, join, residual);
  const bool logic = join.kind != plan::JoinKind::Mark ||
                     (!op.HasArbitraryConditions() && set_mark_logic(join, residual, op.mark_types.size()));
  join.residual = all_of(std::move(residual));
  if (!logic) {
    refuse(RefusalCode::UnsupportedJoin, "MARK JOIN on several comparisons", op);
    return std::nullopt;
  }
  const auto& left_map = kind->flipped ? op.right_projection_map : op.left_projection_map;
  const auto& right_map = kind->flipped ? op.left_projection_map : op.right_projection_map;
  return finish_join(op, std::move(join), left, right, {kept_columns(left_map, left), kept_columns(right_map, right)});
}

std::optional<Relation> OperatorTranslator::translate_any_join(duckdb::LogicalOperator& op,
                                                               std::vector<Relation> children) {
  auto& any = op.Cast<duckdb::LogicalAnyJoin>();
  const auto kind = join_kind(any.join_type);
  if (!kind || kind->kind == plan::JoinKind::Mark) {
    refuse(RefusalCode::UnsupportedJoin, join_name(any.join_type), op);
    return std::nullopt;
  }
  const Relation& left = kind->flipped ? children[1] : children[0];
  const Relation& right = kind->flipped ? children[0] : children[1];
  plan::Join join;
  join.kind = kind->kind;
  join.build = kind->flipped ? plan::BuildSide::Left : plan::BuildSide::Right;
  const ColumnScope both(left, right);
  ExpressionTranslator translator(both, operator_name(op), expressions_, refusals_);
  std::vector<plan::ExprPtr> residual;
  translator.translate_conjuncts(*any.condition, residual);
  join.residual = all_of(std::move(residual));
  const auto& left_map = kind->flipped ? any.right_projection_map : any.left_projection_map;
  const auto& right_map = kind->flipped ? any.left_projection_map : any.right_projection_map;
  return finish_join(op, std::move(join), left, right, {kept_columns(left_map, left), kept_columns(right_map, right)});
}

std::optional<Relation> OperatorTranslator::translate_cross_product(duckdb::LogicalOperator& op,
                                                                    std::vector<Relation> children) {
  return finish_join(op, plan::Join{}, children[0], children[1],
                     {kept_columns({}, children[0]), kept_columns({}, children[1])});
}

}  // namespace weft::sql
