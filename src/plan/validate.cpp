// validate(): every promise that node.hpp and expression.hpp make, checked.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "plan/walk.hpp"

namespace weft::plan {
namespace {

const Type kBoolean = Type::of(TypeId::Boolean);

bool valid_type(const Type& type) {
  if (type.id == TypeId::Decimal) return type.width >= 1 && type.width <= 38 && type.scale <= type.width;
  if (type.id == TypeId::Enum) return (type.width == 1 || type.width == 2 || type.width == 4) && !type.text.empty();
  return type.width == 0 && type.scale == 0 && (type.id == TypeId::Unsupported) == !type.text.empty();
}

bool data_fits_type(const Value& value) {
  if (value.is_null()) return true;
  switch (value.type.carrier().id) {
    case TypeId::Float:
    case TypeId::Double:
      return std::holds_alternative<double>(value.data);
    case TypeId::Varchar:
      return std::holds_alternative<std::string>(value.data);
    case TypeId::Interval:
      return std::holds_alternative<IntervalValue>(value.data);
    case TypeId::Null:
    case TypeId::Unsupported:
      return false;
    default:
      return std::holds_alternative<Int128>(value.data);
  }
}

std::vector<Column> concatenated(const std::vector<Column>& left, const std::vector<Column>& right) {
  std::vector<Column> row = left;
  row.insert(row.end(), right.begin(), right.end());
  return row;
}

class Validator {
 public:
  explicit Validator(const Plan& plan) : plan_(plan) {}

  void check_tree(const Node& node) {
    node_ = &node;
    require(node.id != 0, "has no id");
    require(ids_.insert(node.id).second, "has the id of another node");
    require(
        std::all_of(node.children.begin(), node.children.end(), [](const NodePtr& child) { return child != nullptr; }),
        "has a null child");
    for (const Column& column : node.output) require(valid_type(column.type), "has an output column of no valid type");
    std::visit([&](const auto& body) { check(body); }, node.body);
    if (const auto* cte = node.as<CteDefinition>()) {
      check_cte(node, *cte);
      return;
    }
    for (const NodePtr& child : node.children) check_tree(*child);
  }

 private:
  const Plan& plan_;
  const Node* node_ = nullptr;
  std::set<uint32_t> ids_;
  std::set<uint32_t> sources_;
  std::set<uint32_t> all_ctes_;
  std::map<uint32_t, const std::vector<Column>*> visible_ctes_;

  [[noreturn]] void fail(const std::string& rule) const {
    throw Exception(ErrorCode::InternalError,
                    "invalid plan: node " + std::to_string(node_->id) + " (" + kind_name(*node_) + ") " + rule);
  }
  void require(bool condition, const char* rule) const {
    if (!condition) fail(rule);
  }
  void require_children(size_t count) const {
    if (node_->children.size() != count) fail("must have " + std::to_string(count) + " children");
  }
  const std::vector<Column>& child_row(size_t child = 0) const { return node_->children[child]->output; }

  // ---- the CTEs that a subtree may name
  void check_cte(const Node& node, const CteDefinition& cte) {
    check_tree(*node.children[0]);
    visible_ctes_[cte.cte] = &node.children[0]->output;
    check_tree(*node.children[1]);
    visible_ctes_.erase(cte.cte);
  }

  // ---- expressions
  void check_column(const Expr& expr, const std::vector<Column>& row) const {
    if (expr.column >= row.size()) fail("has a column reference out of range: #" + std::to_string(expr.column));
    const Column& column = row[expr.column];
    if (expr.type != column.type) {
      fail("reads column #" + std::to_string(expr.column) + " of " + column.type.to_string() + " as " +
           expr.type.to_string());
    }
    require(expr.nullable || !column.nullable, "reads a nullable column as not nullable");
  }

  void require_same_types(const Expr& expr, size_t first, const Type& type) const {
    for (size_t i = first; i < expr.children.size(); ++i) {
      if (expr.children[i]->type != type) {
        fail("mixes types " + type.to_string() + " and " + expr.children[i]->type.to_string() + " in " +
             to_string(expr));
      }
    }
  }

  void check_case(const Expr& expr) const {
    const size_t count = expr.children.size();
    require(count >= 3 && count % 2 == 1, "has a CASE without an odd number of children");
    for (size_t i = 0; i + 1 < count; i += 2) {
      require(expr.children[i]->type == kBoolean, "has a CASE condition that is no BOOLEAN");
      require(expr.children[i + 1]->type == expr.type, "has a CASE branch of another type than its result");
    }
    require(expr.children.back()->type == expr.type, "has an ELSE branch of another type than its result");
  }

  void check_shape(const Expr& expr, const std::vector<Column>& row) const {
    const size_t count = expr.children.size();
    switch (expr.kind) {
      case ExprKind::ColumnRef:
        require(count == 0, "has a column reference with children");
        check_column(expr, row);
        return;
      case ExprKind::Constant:
        require(count == 0, "has a constant with children");
        require(expr.constant.type == expr.type && data_fits_type(expr.constant),
                "has a constant that is not of its type");
        require(expr.nullable || !expr.constant.is_null(), "has a NULL constant that is not nullable");
        return;
      case ExprKind::Comparison:
        require(count == 2, "has a comparison without two children");
        require_same_types(expr, 1, expr.children[0]->type);
        break;
      case ExprKind::And:
      case ExprKind::Or:
        require(count >= 1, "has a conjunction without children");
        require_same_types(expr, 0, kBoolean);
        break;
      case ExprKind::Not:
        require(count == 1, "has a NOT without one child");
        require_same_types(expr, 0, kBoolean);
        break;
      case ExprKind::IsNull:
      case ExprKind::IsNotNull:
        require(count == 1, "has an IS NULL without one child");
        break;
      case ExprKind::In:
        require(count >= 2, "has an IN without a list");
        require_same_types(expr, 1, expr.children[0]->type);
        break;
      case ExprKind::Case:
        check_case(expr);
        return;
      case ExprKind::Coalesce:
        require(count >= 1, "has a COALESCE without children");
        require_same_types(expr, 0, expr.type);
        return;
      case ExprKind::Cast:
        require(count == 1, "has a cast without one child");
        return;
      case ExprKind::Function:
        require(!expr.function.empty(), "has a function without a name");
        return;
    }
    require(expr.type == kBoolean, "has a predicate that is no BOOLEAN");
  }

  void check_expr(const ExprPtr& expr, const std::vector<Column>& row) const {
    require(expr != nullptr, "has a null expression");
    require(valid_type(expr->type), "has an expression of no valid type");
    for (const ExprPtr& child : expr->children) check_expr(child, row);
    check_shape(*expr, row);
  }
  void check_predicate(const ExprPtr& expr, const std::vector<Column>& row) const {
    check_expr(expr, row);
    require(expr->type == kBoolean, "has a condition that is no BOOLEAN");
  }
  void check_keys(const std::vector<SortKey>& keys, const std::vector<Column>& row) const {
    require(!keys.empty(), "has no sort key");
    for (const SortKey& key : keys) check_expr(key.expression, row);
  }

  // ---- output columns
  void check_output(size_t i, const Type& type, bool nullable) const {
    const Column& column = node_->output[i];
    if (column.type != type) {
      fail("has output column #" + std::to_string(i) + " of " + column.type.to_string() + ", computed as " +
           type.to_string());
    }
    if (nullable && !column.nullable) fail("promises output column #" + std::to_string(i) + " without NULLs");
  }
  void require_output(size_t count) const {
    if (node_->output.size() != count) fail("must have " + std::to_string(count) + " output columns");
  }
  void check_output_row(const std::vector<Column>& row) const {
    require_output(row.size());
    for (size_t i = 0; i < row.size(); ++i) check_output(i, row[i].type, row[i].nullable);
  }
  void check_projection(const std::vector<uint32_t>& projection, const std::vector<Column>& row, size_t first,
                        bool outer) const {
    for (size_t i = 0; i < projection.size(); ++i) {
      require(projection[i] < row.size(), "projects a column out of range");
      check_output(first + i, row[projection[i]].type, outer || row[projection[i]].nullable);
    }
  }

  // ---- nodes
  void check_file(const Scan& scan, const ScanFile& file) const {
    require(!file.path.empty(), "has a file without a path");
    size_t next = 0;
    for (const ScanColumn& column : scan.columns) {
      if (column.kind != ScanColumn::Kind::FileConstant) continue;
      require(next < file.constants.size(), "has a file with too few constants");
      const Value& value = file.constants[next++];
      require(value.type == column.type && data_fits_type(value),
              "has a file constant of another type than its column");
    }
    require(next == file.constants.size(), "has a file with too many constants");
  }
  void check(const Scan& scan) const {
    require_children(0);
    std::vector<Column> row;
    for (const ScanColumn& column : scan.columns) {
      require(valid_type(column.type), "scans a column of no valid type");
      require(column.kind != ScanColumn::Kind::FileRowNumber || column.type == Type::of(TypeId::BigInt),
              "has a file row number that is no BIGINT");
      row.push_back(Column{column.name, column.type, column.kind != ScanColumn::Kind::FileRowNumber});
    }
    for (const ScanFile& file : scan.files) check_file(scan, file);
    for (const ExprPtr& filter : scan.filters) check_predicate(filter, row);
    require_output(scan.projection.size());
    for (size_t i = 0; i < scan.projection.size(); ++i) {
      require(scan.projection[i] < row.size(), "projects a column out of range");
      // A file's statistics may prove that a column has no NULLs, so the scan may promise it.
      check_output(i, row[scan.projection[i]].type, false);
    }
  }
  void check(const HostSource& source) {
    require_children(0);
    require(source.source < plan_.host_sources, "reads a host source that the plan does not have");
    require(sources_.insert(source.source).second, "reads a host source that another node reads");
  }
  void check(const Values& values) const {
    require_children(0);
    for (const std::vector<Value>& row : values.rows) {
      require_output(row.size());
      for (size_t i = 0; i < row.size(); ++i) {
        require(data_fits_type(row[i]), "has a value that is not of its type");
        check_output(i, row[i].type, row[i].is_null());
      }
    }
  }
  void check(const Filter& filter) const {
    require_children(1);
    for (const ExprPtr& conjunct : filter.conjuncts) check_predicate(conjunct, child_row());
    require_output(filter.projection.size());
    check_projection(filter.projection, child_row(), 0, false);
  }
  void check(const Project& project) const {
    require_children(1);
    require_output(project.expressions.size());
    for (size_t i = 0; i < project.expressions.size(); ++i) {
      check_expr(project.expressions[i], child_row());
      check_output(i, project.expressions[i]->type, project.expressions[i]->nullable);
    }
  }
  void check_call(const AggregateCall& call, size_t output) const {
    require(!call.function.empty(), "has an aggregate without a name");
    for (const ExprPtr& argument : call.arguments) check_expr(argument, child_row());
    if (call.filter) check_predicate(call.filter, child_row());
    if (!call.order_by.empty()) check_keys(call.order_by, child_row());
    require(call.function != "count_star" || call.arguments.empty(), "has a count_star with arguments");
    check_output(output, call.type, false);
  }
  void check_grouping_sets(const Aggregate& aggregate) const {
    const size_t groups = aggregate.groups.size();
    for (const std::vector<uint32_t>& set : aggregate.grouping_sets) {
      for (size_t i = 0; i < set.size(); ++i) {
        require(set[i] < groups, "has a grouping set with a group out of range");
        require(i == 0 || set[i - 1] < set[i], "has a grouping set that is not in ascending order");
      }
    }
    const size_t first = groups + aggregate.aggregates.size();
    for (size_t i = 0; i < aggregate.groupings.size(); ++i) {
      const std::vector<uint32_t>& grouping = aggregate.groupings[i];
      require(!grouping.empty() && grouping.size() < 64, "has a GROUPING() that does not fit a BIGINT");
      for (const uint32_t group : grouping) require(group < groups, "has a GROUPING() of a group out of range");
      check_output(first + i, Type::of(TypeId::BigInt), false);
    }
  }
  void check(const Aggregate& aggregate) const {
    require_children(1);
    require(!aggregate.groups.empty() || !aggregate.aggregates.empty(), "has neither groups nor aggregates");
    require_output(aggregate.groups.size() + aggregate.aggregates.size() + aggregate.groupings.size());
    check_grouping_sets(aggregate);
    for (size_t i = 0; i < aggregate.groups.size(); ++i) {
      check_expr(aggregate.groups[i], child_row());
      check_output(i, aggregate.groups[i]->type,
                   aggregate.groups[i]->nullable || !in_every_set(aggregate, static_cast<uint32_t>(i)));
    }
    for (size_t i = 0; i < aggregate.aggregates.size(); ++i) {
      check_call(aggregate.aggregates[i], aggregate.groups.size() + i);
    }
  }
  void check_bound(const Window& window, const Frame& frame, const FrameBound& bound) const {
    const bool has_value = bound.kind == FrameBoundKind::Preceding || bound.kind == FrameBoundKind::Following;
    require(has_value == (bound.value != nullptr), "has a frame bound without its value, or the reverse");
    if (!has_value) return;
    check_expr(bound.value, child_row());
    if (frame.unit == FrameUnit::Range) {
      require(window.orders.size() == 1, "has a RANGE bound without one order key");
      require(bound.value->type == window.orders[0].expression->type, "has a RANGE bound of another type than its key");
    } else {
      require(bound.value->type == Type::of(TypeId::BigInt), "has a frame offset that is no BIGINT");
    }
  }
  void check_call(const Window& window, const WindowCall& call, size_t output) const {
    require(!call.function.empty(), "has a window function without a name");
    for (const ExprPtr& argument : call.arguments) check_expr(argument, child_row());
    if (call.filter) check_predicate(call.filter, child_row());
    if (!call.argument_order_by.empty()) check_keys(call.argument_order_by, child_row());
    require(call.function != "count_star" || call.arguments.empty(), "has a count_star with arguments");
    if (!call.is_aggregate && (call.function == "lag" || call.function == "lead")) {
      require(call.arguments.size() == 3, "has a lag or lead without value, offset and default");
      require(call.arguments[1]->type == Type::of(TypeId::BigInt), "has a lag or lead whose offset is no BIGINT");
      require(call.arguments[2]->type == call.type, "has a lag or lead with a default of another type");
    }
    check_output(output, call.type, false);
    if (!reads_frame(call)) return;
    require(call.frame.start.kind != FrameBoundKind::UnboundedFollowing, "has a frame that starts after its partition");
    require(call.frame.end.kind != FrameBoundKind::UnboundedPreceding, "has a frame that ends before its partition");
    check_bound(window, call.frame, call.frame.start);
    check_bound(window, call.frame, call.frame.end);
  }
  void check(const Window& window) const {
    require_children(1);
    require(!window.calls.empty(), "has no call");
    for (const ExprPtr& partition : window.partitions) check_expr(partition, child_row());
    if (!window.orders.empty()) check_keys(window.orders, child_row());
    const size_t width = child_row().size();
    require_output(width + window.calls.size());
    for (size_t i = 0; i < width; ++i) check_output(i, child_row()[i].type, child_row()[i].nullable);
    for (size_t i = 0; i < window.calls.size(); ++i) check_call(window, window.calls[i], width + i);
  }
  void check(const Sort& sort) const {
    require_children(1);
    check_keys(sort.keys, child_row());
    check_output_row(child_row());
  }
  void check(const TopN& top_n) const {
    require_children(1);
    check_keys(top_n.keys, child_row());
    check_output_row(child_row());
  }
  void check(const Limit&) const {
    require_children(1);
    check_output_row(child_row());
  }
  void check_join_keys(const Join& join) const {
    for (const JoinKey& key : join.keys) {
      check_expr(key.left, child_row(0));
      check_expr(key.right, child_row(1));
      require(key.left->type == key.right->type, "joins keys of different types");
    }
    if (join.asof) check_asof(join);
    if (join.residual) check_predicate(join.residual, concatenated(child_row(0), child_row(1)));
  }
  void check_asof(const Join& join) const {
    check_expr(join.asof->left, child_row(0));
    check_expr(join.asof->right, child_row(1));
    require(join.asof->left->type == join.asof->right->type, "orders by keys of different types");
    require(is_order(join.asof->compare), "has an ASOF condition that is no inequality");
    const bool pairs = join.kind == JoinKind::Inner || join.kind == JoinKind::Left || join.kind == JoinKind::Right ||
                       join.kind == JoinKind::Full;
    require(pairs && join.build == BuildSide::Right, "is an ASOF join of a kind that there is not");
  }
  void check(const Join& join) const {
    require_children(2);
    check_join_keys(join);
    const bool mark = join.kind == JoinKind::Mark;
    const bool left_only = mark || join.kind == JoinKind::Semi || join.kind == JoinKind::Anti;
    require(!left_only || join.right_output.empty(), "gives columns of the right side");
    require(mark || !join.mark_three_valued, "is three-valued and no mark join");
    require(join.build == BuildSide::Right || (!mark && join.kind != JoinKind::Single), "must build its right side");
    require_output(join.left_output.size() + join.right_output.size() + (mark ? 1 : 0));
    const bool full = join.kind == JoinKind::Full;
    check_projection(join.left_output, child_row(0), 0, full || join.kind == JoinKind::Right);
    check_projection(join.right_output, child_row(1), join.left_output.size(),
                     full || join.kind == JoinKind::Left || join.kind == JoinKind::Single);
    if (mark) check_output(join.left_output.size(), kBoolean, join.mark_three_valued);
  }
  void check(const Union&) const {
    require(node_->children.size() >= 2, "has fewer than two children");
    for (const NodePtr& child : node_->children) check_output_row(child->output);
  }
  void check(const CteDefinition& cte) {
    require_children(2);
    require(all_ctes_.insert(cte.cte).second, "defines a CTE that another node defines");
    check_output_row(child_row(1));
  }
  void check(const CteReference& cte) const {
    require_children(0);
    const auto found = visible_ctes_.find(cte.cte);
    if (found == visible_ctes_.end()) fail("reads CTE " + std::to_string(cte.cte) + " outside its definition");
    check_output_row(*found->second);
  }
};

}  // namespace

void validate(const Plan& plan) {
  if (!plan.root) throw Exception(ErrorCode::InternalError, "invalid plan: it has no root");
  Validator(plan).check_tree(*plan.root);
}

}  // namespace weft::plan
