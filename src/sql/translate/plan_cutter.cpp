// cut(): walks a DuckDB plan from its leaves to its root and decides what becomes a part, a leaf, or stays.
#include <algorithm>
#include <set>

#include "duckdb/planner/operator/logical_cteref.hpp"
#include "duckdb/planner/operator/logical_get.hpp"
#include "duckdb/planner/operator/logical_materialized_cte.hpp"
#include "plan/walk.hpp"
#include "sql/database.hpp"
#include "sql/translate/column_pruning.hpp"
#include "sql/translate/operator_translator.hpp"
#include "sql/translate/relation.hpp"
#include "sql/translate/scan_translator.hpp"
#include "sql/translate/translator.hpp"

namespace weft::sql {

namespace {

using duckdb::LogicalOperatorType;
using support::RefusalCode;

/// Reasons that make a leaf without refusing the plan above it.
bool only_a_leaf(const std::vector<support::Refusal>& why) {
  return !why.empty() && std::all_of(why.begin(), why.end(), [](const support::Refusal& refusal) {
    return refusal.code == RefusalCode::HostTable || refusal.code == RefusalCode::UnsupportedFile;
  });
}

/// Below these an operator's rows are made several times or from outside, or it has side effects.
bool is_barrier(LogicalOperatorType type) {
  switch (type) {
    case LogicalOperatorType::LOGICAL_RECURSIVE_CTE:
    case LogicalOperatorType::LOGICAL_DELIM_JOIN:
    case LogicalOperatorType::LOGICAL_DEPENDENT_JOIN:
    case LogicalOperatorType::LOGICAL_EXTENSION_OPERATOR:
    case LogicalOperatorType::LOGICAL_INSERT:
    case LogicalOperatorType::LOGICAL_DELETE:
    case LogicalOperatorType::LOGICAL_UPDATE:
    case LogicalOperatorType::LOGICAL_MERGE_INTO:
      return true;
    default:
      return false;
  }
}

bool is_trivial(const plan::Project& project) {
  return std::all_of(project.expressions.begin(), project.expressions.end(), [](const plan::ExprPtr& expr) {
    return expr->kind == plan::ExprKind::ColumnRef || expr->kind == plan::ExprKind::Constant;
  });
}

/// Work for a GPU: something is computed over rows that are read.
bool has_work(const plan::Node& root) {
  bool reads = false;
  bool computes = false;
  plan::for_each_node(root, [&](const plan::Node& node) {
    const auto* scan = node.as<plan::Scan>();
    const auto* filter = node.as<plan::Filter>();
    const auto* project = node.as<plan::Project>();
    reads = reads || scan || node.as<plan::HostSource>();
    computes = computes || (scan && !scan->filters.empty()) || (filter && !filter->conjuncts.empty()) ||
               (project && !is_trivial(*project)) || node.as<plan::Join>() || node.as<plan::Aggregate>() ||
               node.as<plan::Window>() || node.as<plan::Sort>() || node.as<plan::TopN>();
  });
  return reads && computes;
}

/// The CTEs that a subtree reads but does not define.
void collect_free_ctes(const duckdb::LogicalOperator& op, std::set<uint64_t>& defined, std::set<uint64_t>& free) {
  if (op.type == LogicalOperatorType::LOGICAL_CTE_REF) {
    const uint64_t cte = op.Cast<duckdb::LogicalCTERef>().cte_index.index;
    if (!defined.count(cte)) free.insert(cte);
  }
  const bool defines =
      op.type == LogicalOperatorType::LOGICAL_MATERIALIZED_CTE || op.type == LogicalOperatorType::LOGICAL_RECURSIVE_CTE;
  if (defines) defined.insert(op.Cast<duckdb::LogicalCTE>().table_index.index);
  for (const auto& child : op.children) collect_free_ctes(*child, defined, free);
}

/// Copies a draft with node ids in pre-order and its own HostSource numbers.
class PartNumbering {
 public:
  plan::NodePtr number(const plan::Node& draft) {
    plan::Node node = draft;
    node.id = ++last_id_;
    if (auto* source = std::get_if<plan::HostSource>(&node.body)) {
      leaves_.push_back(source->source);
      source->source = static_cast<uint32_t>(leaves_.size() - 1);
    }
    for (auto& child : node.children) child = number(*child);
    return std::make_shared<const plan::Node>(std::move(node));
  }
  /// Numbers in the draft, in the order of the new ones.
  const std::vector<uint32_t>& leaves() const { return leaves_; }

 private:
  uint32_t last_id_ = 0;
  std::vector<uint32_t> leaves_;
};

class Cutter {
 public:
  Cutter(duckdb::ClientContext& context, const CutOptions& options) : context_(context), options_(options) {}

  PlanCut run(OperatorSlot root);

 private:
  void reset();
  std::optional<Relation> visit(OperatorSlot slot);
  std::optional<Relation> visit_materialized_cte(OperatorSlot slot);
  std::optional<Relation> combine(OperatorSlot slot, std::vector<std::optional<Relation>> children);
  std::optional<Relation> visit_get(OperatorSlot slot);
  /// Notes that the operator stays on the CPU; complete children become parts.
  std::nullopt_t refuse(OperatorSlot slot, const RefusalList& reasons, std::vector<std::optional<Relation>> children);
  /// A leaf that DuckDB feeds; nullopt (and reasons) if its columns cannot go to the GPU.
  std::optional<Relation> make_leaf(OperatorSlot slot, std::string description, std::vector<support::Refusal> why,
                                    RefusalList& reasons);
  /// Unless there is no work in it.
  void add_worthy_part(OperatorSlot slot, Relation relation);
  void add_part(OperatorSlot slot, Relation relation);
  bool leaves_are_host_tables(const Translation& translation) const;

  duckdb::ClientContext& context_;
  const CutOptions& options_;
  CteScope ctes_;                 // of the operator being visited
  std::set<uint64_t> host_ctes_;  // stay on the CPU, since a part on the CPU reads them
  bool restart_ = false;          // host_ctes_ grew: what was translated may read one of them
  std::shared_ptr<ExpressionList> expressions_;
  std::vector<HostLeaf> leaves_;                                                     // of all parts, by draft number
  std::map<const duckdb::LogicalOperator*, std::vector<support::Refusal>> reasons_;  // of refused operators
  RefusalList refusals_;
  std::vector<Part> parts_;
};

void Cutter::reset() {
  restart_ = false;
  ctes_.clear();
  expressions_ = std::make_shared<ExpressionList>();
  leaves_.clear();
  reasons_.clear();
  refusals_ = RefusalList();
  parts_.clear();
}

std::optional<Relation> Cutter::make_leaf(OperatorSlot slot, std::string description, std::vector<support::Refusal> why,
                                          RefusalList& reasons) {
  duckdb::LogicalOperator& op = **slot;
  plan::HostSource source{static_cast<uint32_t>(leaves_.size()), description};
  Relation relation = whole_relation(make_node(std::move(source), {}, output_columns(op), op), op);
  const auto unsupported = support::check_node(*relation.node);
  if (!unsupported.empty()) {
    reasons.add(unsupported, operator_name(op));
    return std::nullopt;
  }
  leaves_.push_back(HostLeaf{slot, std::move(description), std::move(why)});
  return relation;
}

std::nullopt_t Cutter::refuse(OperatorSlot slot, const RefusalList& reasons,
                              std::vector<std::optional<Relation>> children) {
  duckdb::LogicalOperator& op = **slot;
  for (size_t i = 0; i < children.size(); ++i)
    if (children[i]) add_worthy_part(&op.children[i], std::move(*children[i]));
  for (const auto& refusal : reasons.all()) refusals_.add(refusal.code, refusal.name, refusal.node);
  reasons_[&op] = reasons.all();
  std::set<uint64_t> defined;
  std::set<uint64_t> free;
  collect_free_ctes(op, defined, free);
  for (const uint64_t cte : free) restart_ = host_ctes_.insert(cte).second || restart_;
  return std::nullopt;
}

std::optional<Relation> Cutter::visit_get(OperatorSlot slot) {
  auto& get = (*slot)->Cast<duckdb::LogicalGet>();
  ScanTranslation scan = translate_scan(context_, get, *expressions_);
  if (scan.relation) return std::move(scan.relation);
  if (only_a_leaf(scan.why.all())) {
    RefusalList reasons;
    auto leaf = make_leaf(slot, scan.description, scan.why.all(), reasons);
    if (!leaf) return refuse(slot, reasons, {});
    for (const auto& refusal : scan.why.all())
      if (refusal.code != RefusalCode::HostTable) refusals_.add(refusal.code, refusal.name, refusal.node);
    return leaf;
  }
  std::vector<std::optional<Relation>> children;
  for (auto& child : get.children) children.push_back(visit(&child));
  return refuse(slot, scan.why, std::move(children));
}

std::optional<Relation> Cutter::combine(OperatorSlot slot, std::vector<std::optional<Relation>> children) {
  duckdb::LogicalOperator& op = **slot;
  RefusalList reasons;
  std::vector<Relation> inputs;
  for (size_t i = 0; i < children.size(); ++i) {
    auto input = children[i];
    if (!input) {
      const duckdb::LogicalOperator* child = op.children[i].get();
      input = make_leaf(&op.children[i], operator_name(*child) + " (on the CPU)", reasons_[child], reasons);
    }
    if (input) inputs.push_back(std::move(*input));
  }
  std::optional<Relation> relation;
  if (inputs.size() == children.size()) {
    OperatorTranslator translator(context_, ctes_, *expressions_, reasons);
    relation = translator.translate(op, std::move(inputs));
  }
  if (relation && reasons.empty()) return relation;
  if (only_a_leaf(reasons.all()) && children.empty()) {
    RefusalList leaf_reasons;
    return make_leaf(slot, operator_name(op), reasons.all(), leaf_reasons);
  }
  return refuse(slot, reasons, std::move(children));
}

std::optional<Relation> Cutter::visit_materialized_cte(OperatorSlot slot) {
  duckdb::LogicalOperator& op = **slot;
  auto& cte = op.Cast<duckdb::LogicalMaterializedCTE>();
  const uint64_t index = cte.table_index.index;
  RefusalList reasons;
  std::optional<Relation> definition = visit(&op.children[0]);
  if (definition) {
    definition = with_every_column(std::move(*definition), *op.children[0]);
  } else {
    const duckdb::LogicalOperator* child = op.children[0].get();
    definition = make_leaf(&op.children[0], operator_name(*child) + " (on the CPU)", reasons_[child], reasons);
  }
  const bool readable = definition && !host_ctes_.count(index);
  if (readable) {
    ctes_[index] = definition->node->output;
  } else {
    host_ctes_.insert(index);
    reasons.add(RefusalCode::UnsupportedOperator, "CTE " + cte.ctename.GetIdentifierName() + " read on the CPU",
                operator_name(op));
  }
  std::optional<Relation> consumer = visit(&op.children[1]);
  ctes_.erase(index);
  if (!readable || !consumer) {
    std::vector<std::optional<Relation>> children;
    children.push_back(reasons_.count(op.children[0].get()) ? std::nullopt : std::move(definition));
    children.push_back(std::move(consumer));
    return refuse(slot, reasons, std::move(children));
  }
  std::vector<std::optional<Relation>> children;
  children.push_back(std::move(definition));
  children.push_back(std::move(consumer));
  auto relation = combine(slot, std::move(children));
  if (!relation) restart_ = host_ctes_.insert(index).second || restart_;
  return relation;
}

std::optional<Relation> Cutter::visit(OperatorSlot slot) {
  duckdb::LogicalOperator& op = **slot;
  if (is_barrier(op.type)) {
    RefusalList reasons;
    reasons.add(RefusalCode::UnsupportedOperator, operator_name(op), operator_name(op));
    return refuse(slot, reasons, {});
  }
  if (op.type == LogicalOperatorType::LOGICAL_GET) return visit_get(slot);
  if (op.type == LogicalOperatorType::LOGICAL_MATERIALIZED_CTE) return visit_materialized_cte(slot);
  if (op.type == LogicalOperatorType::LOGICAL_CTE_REF &&
      !ctes_.count(op.Cast<duckdb::LogicalCTERef>().cte_index.index)) {
    RefusalList reasons;
    auto leaf = make_leaf(slot, "CTE (on the CPU)", {{RefusalCode::HostTable, "CTE", operator_name(op)}}, reasons);
    if (!leaf) return refuse(slot, reasons, {});
    return leaf;
  }
  std::vector<std::optional<Relation>> children;
  for (auto& child : op.children) children.push_back(visit(&child));
  return combine(slot, std::move(children));
}

void Cutter::add_worthy_part(OperatorSlot slot, Relation relation) {
  if (has_work(*relation.node)) add_part(slot, std::move(relation));
}

void Cutter::add_part(OperatorSlot slot, Relation relation) {
  relation = with_every_column(std::move(relation), **slot);
  PartNumbering numbering;
  plan::Plan plan;
  plan.root = numbering.number(*prune_columns(relation.node, *expressions_));
  plan.host_sources = static_cast<uint32_t>(numbering.leaves().size());
  plan.keep_order = options_.keep_order;
  Part part;
  part.root = slot;
  part.translation.plan = std::make_shared<const plan::Plan>(std::move(plan));
  for (const uint32_t leaf : numbering.leaves()) part.translation.host_leaves.push_back(leaves_[leaf]);
  part.translation.expressions = expressions_;
  parts_.push_back(std::move(part));
}

bool Cutter::leaves_are_host_tables(const Translation& translation) const {
  return std::all_of(translation.host_leaves.begin(), translation.host_leaves.end(),
                     [](const HostLeaf& leaf) { return only_a_leaf(leaf.why); });
}

PlanCut Cutter::run(OperatorSlot root) {
  std::optional<Relation> relation;
  do {
    reset();
    relation = visit(root);
  } while (restart_);
  PlanCut cut;
  if (relation) {
    const bool has_root = options_.keep_trivial || has_work(*relation->node);
    if (has_root) add_part(root, std::move(*relation));
    if (!has_root && reasons_.empty()) refusals_.add(RefusalCode::Nothing, "no work for a GPU", operator_name(**root));
    cut.whole = has_root && parts_.size() == 1 && leaves_are_host_tables(parts_.back().translation);
  }
  cut.parts = std::move(parts_);
  cut.refusals = refusals_.all();
  return cut;
}

}  // namespace

PlanCut cut(duckdb::ClientContext& context, duckdb::unique_ptr<duckdb::LogicalOperator>& select_root,
            const CutOptions& options) {
  select_root->ResolveOperatorTypes();
  return Cutter(context, options).run(&select_root);
}

const std::vector<std::string>& disabled_optimizers() {
  static const std::vector<std::string> kDisabled{"compressed_materialization",
                                                  "late_materialization",
                                                  "join_filter_pushdown",
                                                  "top_n_window_elimination",
                                                  "in_clause",
                                                  "partial_aggregate_pushdown",
                                                  "aggregate_reuse",
                                                  "grouping_sets",
                                                  "type_pushdown",
                                                  "scalar_fn_pushdown",
                                                  "partitioned_execution",
                                                  "window_rewriter",
                                                  "row_group_pruner"};
  return kDisabled;
}

}  // namespace weft::sql
