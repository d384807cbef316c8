#include "plan/mutate.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <string_view>
#include <utility>

#include "plan/walk.hpp"

namespace weft::plan {
namespace {

// A place in a node that holds an expression, with the row that it reads.
struct Slot {
  ExprPtr* expression;
  std::vector<Column> row;
};

std::vector<Column> scan_row(const Scan& scan) {
  std::vector<Column> row;
  for (const ScanColumn& column : scan.columns) row.push_back({column.name, column.type, true});
  return row;
}

std::vector<Column> child_row(const Node& node, size_t child) { return node.children[child]->output; }

std::vector<Column> both_rows(const Node& node) {
  std::vector<Column> row = child_row(node, 0);
  const std::vector<Column> right = child_row(node, 1);
  row.insert(row.end(), right.begin(), right.end());
  return row;
}

void add_keys(std::vector<Slot>& slots, std::vector<SortKey>& keys, const std::vector<Column>& row) {
  for (SortKey& key : keys) slots.push_back({&key.expression, row});
}

std::vector<Slot> aggregate_slots(Aggregate& aggregate, const std::vector<Column>& row) {
  std::vector<Slot> slots;
  for (ExprPtr& group : aggregate.groups) slots.push_back({&group, row});
  for (AggregateCall& call : aggregate.aggregates) {
    for (ExprPtr& argument : call.arguments) slots.push_back({&argument, row});
    if (call.filter) slots.push_back({&call.filter, row});
    add_keys(slots, call.order_by, row);
  }
  return slots;
}

std::vector<Slot> window_slots(Window& window, const std::vector<Column>& row) {
  std::vector<Slot> slots;
  for (ExprPtr& partition : window.partitions) slots.push_back({&partition, row});
  add_keys(slots, window.orders, row);
  for (WindowCall& call : window.calls) {
    for (ExprPtr& argument : call.arguments) slots.push_back({&argument, row});
    if (call.filter) slots.push_back({&call.filter, row});
    add_keys(slots, call.argument_order_by, row);
    for (FrameBound* bound : {&call.frame.start, &call.frame.end}) {
      if (bound->value) slots.push_back({&bound->value, row});
    }
  }
  return slots;
}

std::vector<Slot> slots_of(Node& node) {
  std::vector<Slot> slots;
  if (auto* scan = std::get_if<Scan>(&node.body)) {
    for (ExprPtr& filter : scan->filters) slots.push_back({&filter, scan_row(*scan)});
  } else if (auto* filter = std::get_if<Filter>(&node.body)) {
    for (ExprPtr& conjunct : filter->conjuncts) slots.push_back({&conjunct, child_row(node, 0)});
  } else if (auto* project = std::get_if<Project>(&node.body)) {
    for (ExprPtr& expr : project->expressions) slots.push_back({&expr, child_row(node, 0)});
  } else if (auto* aggregate = std::get_if<Aggregate>(&node.body)) {
    slots = aggregate_slots(*aggregate, child_row(node, 0));
  } else if (auto* window = std::get_if<Window>(&node.body)) {
    slots = window_slots(*window, child_row(node, 0));
  } else if (auto* sort = std::get_if<Sort>(&node.body)) {
    add_keys(slots, sort->keys, child_row(node, 0));
  } else if (auto* top_n = std::get_if<TopN>(&node.body)) {
    add_keys(slots, top_n->keys, child_row(node, 0));
  } else if (auto* join = std::get_if<Join>(&node.body)) {
    for (JoinKey& key : join->keys) {
      slots.push_back({&key.left, child_row(node, 0)});
      slots.push_back({&key.right, child_row(node, 1)});
    }
    if (join->asof) {
      slots.push_back({&join->asof->left, child_row(node, 0)});
      slots.push_back({&join->asof->right, child_row(node, 1)});
    }
    if (join->residual) slots.push_back({&join->residual, both_rows(node)});
  }
  return slots;
}

std::vector<JoinKind> other_kinds(JoinKind kind) {
  switch (kind) {
    case JoinKind::Inner:
      return {JoinKind::Left, JoinKind::Right};
    case JoinKind::Left:
      return {JoinKind::Inner, JoinKind::Full};
    case JoinKind::Right:
      return {JoinKind::Inner, JoinKind::Full};
    case JoinKind::Full:
      return {JoinKind::Left, JoinKind::Right};
    case JoinKind::Semi:
      return {JoinKind::Anti};
    case JoinKind::Anti:
      return {JoinKind::Semi};
    case JoinKind::Mark:
      return {};  // its flag is changed instead
    case JoinKind::Single:
      return {JoinKind::Inner};
  }
  return {};
}

std::string_view other_aggregate(std::string_view name) {
  using Pair = std::pair<std::string_view, std::string_view>;
  constexpr std::array<Pair, 34> kOthers{{{"sum", "max"},
                                          {"sum_no_overflow", "max"},
                                          {"avg", "min"},
                                          {"count", "count_star"},
                                          {"min", "max"},
                                          {"max", "min"},
                                          {"first", "max"},
                                          {"arbitrary", "max"},
                                          {"any_value", "max"},
                                          {"stddev_samp", "stddev_pop"},
                                          {"stddev_pop", "stddev_samp"},
                                          {"var_samp", "var_pop"},
                                          {"var_pop", "var_samp"},
                                          {"bool_and", "bool_or"},
                                          {"bool_or", "bool_and"},
                                          {"mean", "min"},
                                          {"arg_min", "arg_max"},
                                          {"arg_max", "arg_min"},
                                          {"arg_min_null", "arg_min"},
                                          {"arg_max_null", "arg_max"},
                                          {"bit_and", "bit_or"},
                                          {"bit_or", "bit_xor"},
                                          {"bit_xor", "bit_and"},
                                          {"product", "max"},
                                          {"covar_pop", "covar_samp"},
                                          {"covar_samp", "covar_pop"},
                                          {"corr", "regr_r2"},
                                          {"regr_slope", "regr_intercept"},
                                          {"regr_intercept", "regr_slope"},
                                          {"regr_r2", "corr"},
                                          {"regr_avgx", "regr_avgy"},
                                          {"regr_avgy", "regr_avgx"},
                                          {"regr_sxx", "regr_syy"},
                                          {"regr_sxy", "regr_sxx"}}};
  for (const auto& [aggregate, other] : kOthers) {
    if (aggregate == name) return other;
  }
  return {};
}

std::string_view other_window(std::string_view name) {
  using Pair = std::pair<std::string_view, std::string_view>;
  constexpr std::array<Pair, 9> kOthers{{{"row_number", "rank"},
                                         {"rank", "dense_rank"},
                                         {"dense_rank", "rank"},
                                         {"percent_rank", "cume_dist"},
                                         {"cume_dist", "percent_rank"},
                                         {"lag", "lead"},
                                         {"lead", "lag"},
                                         {"first_value", "last_value"},
                                         {"last_value", "first_value"}}};
  for (const auto& [function, other] : kOthers) {
    if (function == name) return other;
  }
  return {};
}

// DISTINCT changes nothing about these.
bool ignores_repetition(std::string_view aggregate) {
  constexpr std::array<std::string_view, 13> kNames{"min",          "max",     "first",   "arbitrary", "any_value",
                                                    "bool_and",     "bool_or", "arg_min", "arg_max",   "arg_min_null",
                                                    "arg_max_null", "bit_and", "bit_or"};
  return std::find(kNames.begin(), kNames.end(), aggregate) != kNames.end();
}

class Mutator {
 public:
  explicit Mutator(const Plan& plan) : plan_(plan), prints_{print(plan)} {}

  std::vector<Mutation> run() {
    visit(plan_.root, {}, [](NodePtr replacement) { return replacement; });
    return std::move(found_);
  }

 private:
  using Rebuild = std::function<NodePtr(NodePtr)>;  // a node in place of the visited one -> a root

  const Plan& plan_;
  std::set<std::string> prints_;  // of the plan and of all mutants
  std::vector<Mutation> found_;
  const Node* node_ = nullptr;
  const Rebuild* rebuild_ = nullptr;

  // `visible`: CTE definitions that the node may refer to.
  void visit(const NodePtr& node, const std::vector<const Node*>& visible, const Rebuild& rebuild) {
    node_ = node.get();
    rebuild_ = &rebuild;
    mutate_expressions();
    std::visit([&](const auto& body) { mutate(body); }, node->body);
    mutate_references(visible);
    for (size_t i = 0; i < node->children.size(); ++i) {
      std::vector<const Node*> below = visible;
      if (node->as<CteDefinition>() != nullptr && i == 1) below.push_back(node.get());
      const Rebuild rebuild_child = [&](NodePtr replacement) {
        Node copy = *node;
        copy.children[i] = std::move(replacement);
        return rebuild(std::make_shared<const Node>(std::move(copy)));
      };
      visit(node->children[i], below, rebuild_child);
    }
  }

  void add_node(const std::string& what, NodePtr replacement) {
    Plan plan = plan_;
    plan.root = (*rebuild_)(std::move(replacement));
    if (!prints_.insert(print(plan)).second) return;
    found_.push_back({"node " + std::to_string(node_->id) + " (" + kind_name(*node_) + "): " + what, std::move(plan)});
  }

  /// A copy of the node with its body changed by `change`.
  template <typename Body>
  void add(const std::string& what, const std::function<void(Body&)>& change) {
    Node copy = *node_;
    change(std::get<Body>(copy.body));
    add_node(what, std::make_shared<const Node>(std::move(copy)));
  }

  void mutate_expressions() {
    Node original = *node_;
    const std::vector<Slot> slots = slots_of(original);
    for (size_t i = 0; i < slots.size(); ++i) {
      for (ExprMutation& mutant : mutations(*slots[i].expression, slots[i].row)) {
        Node copy = *node_;
        *slots_of(copy)[i].expression = std::move(mutant.expression);
        add_node("expression " + std::to_string(i) + ": " + mutant.what, std::make_shared<const Node>(std::move(copy)));
      }
    }
  }

  // Each position becomes another column of the same type.
  template <typename Body>
  void mutate_positions(const std::string& name, const std::vector<Column>& row,
                        std::vector<uint32_t> Body::*positions) {
    const std::vector<uint32_t>& current = std::get<Body>(node_->body).*positions;
    for (size_t i = 0; i < current.size(); ++i) {
      for (uint32_t step = 1; step < row.size(); ++step) {
        const auto other = static_cast<uint32_t>((current[i] + step) % row.size());
        if (row[other].type != row[current[i]].type) continue;
        add<Body>(name + " " + std::to_string(i) + " becomes column #" + std::to_string(other),
                  [&](Body& body) { (body.*positions)[i] = other; });
        break;
      }
    }
  }

  template <typename Body, typename Item>
  void drop_each(const std::string& name, std::vector<Item> Body::*items, size_t at_least) {
    const std::vector<Item>& current = std::get<Body>(node_->body).*items;
    for (size_t i = 0; current.size() > at_least && i < current.size(); ++i) {
      add<Body>(name + " " + std::to_string(i) + " dropped",
                [&](Body& body) { (body.*items).erase((body.*items).begin() + static_cast<std::ptrdiff_t>(i)); });
    }
  }

  // ---- leaves
  void mutate(const Scan& scan) {
    drop_each<Scan>("filter", &Scan::filters, 0);
    drop_each<Scan>("file", &Scan::files, 1);
    mutate_positions<Scan>("projection", scan_row(scan), &Scan::projection);
    for (size_t i = 0; !scan.files.empty() && i < scan.files[0].constants.size(); ++i) {
      const auto value = another_value(scan.files[0].constants[i]);
      if (!value) continue;
      add<Scan>("file constant " + std::to_string(i) + " becomes " + value->to_string(),
                [&](Scan& body) { body.files[0].constants[i] = *value; });
    }
  }

  void mutate(const HostSource&) {
    for_each_node(*plan_.root, [&](const Node& other) {
      const auto* source = other.as<HostSource>();
      if (source == nullptr || &other == node_ || !same_row(other.output, node_->output)) return;
      add<HostSource>("reads source " + std::to_string(source->source),
                      [&](HostSource& body) { body.source = source->source; });
    });
  }

  void mutate(const Values& values) {
    if (values.rows.empty()) {
      if (node_->output.empty()) add<Values>("row added", [](Values& body) { body.rows.emplace_back(); });
      return;
    }
    add<Values>("last row dropped", [](Values& body) { body.rows.pop_back(); });
    for (size_t i = 0; i < values.rows[0].size(); ++i) {
      const auto value = another_value(values.rows[0][i]);
      if (!value) continue;
      add<Values>("value " + std::to_string(i) + " becomes " + value->to_string(),
                  [&](Values& body) { body.rows[0][i] = *value; });
    }
  }

  // ---- one child
  void mutate(const Filter&) {
    drop_each<Filter>("conjunct", &Filter::conjuncts, 0);
    mutate_positions<Filter>("projection", child_row(*node_, 0), &Filter::projection);
  }

  void mutate(const Project& project) {
    for (size_t i = 0; i + 1 < project.expressions.size(); ++i) {
      if (project.expressions[i]->type != project.expressions[i + 1]->type) continue;
      add<Project>("columns " + std::to_string(i) + " and " + std::to_string(i + 1) + " swapped",
                   [&](Project& body) { std::swap(body.expressions[i], body.expressions[i + 1]); });
    }
  }

  void mutate(const Aggregate& aggregate) {
    for (size_t i = 0; i < aggregate.aggregates.size(); ++i) {
      const AggregateCall& call = aggregate.aggregates[i];
      const std::string name = "aggregate " + std::to_string(i) + " (" + call.function + ")";
      const std::string_view other = other_aggregate(call.function);
      if (!other.empty()) {
        add<Aggregate>(name + " becomes " + std::string(other), [&](Aggregate& body) {
          body.aggregates[i].function = other;
          if (other == "count_star") {
            body.aggregates[i].arguments.clear();
            body.aggregates[i].distinct = false;
          }
        });
      }
      if (!call.arguments.empty() && !ignores_repetition(call.function)) {
        add<Aggregate>(name + (call.distinct ? " loses DISTINCT" : " gets DISTINCT"),
                       [&](Aggregate& body) { body.aggregates[i].distinct = !call.distinct; });
      }
      if (call.filter) {
        add<Aggregate>(name + " loses its FILTER", [&](Aggregate& body) { body.aggregates[i].filter = nullptr; });
      }
    }
    mutate_grouping_sets(aggregate);
  }

  void mutate_grouping_sets(const Aggregate& aggregate) {
    drop_each<Aggregate>("grouping set", &Aggregate::grouping_sets, 1);
    for (size_t i = 0; i < aggregate.grouping_sets.size(); ++i) {
      const std::string name = "grouping set " + std::to_string(i);
      add<Aggregate>(name + " repeated",
                     [&](Aggregate& body) { body.grouping_sets.push_back(aggregate.grouping_sets[i]); });
      for (size_t j = 0; j < aggregate.grouping_sets[i].size(); ++j) {
        add<Aggregate>(name + " loses member " + std::to_string(j), [&](Aggregate& body) {
          auto& set = body.grouping_sets[i];
          set.erase(set.begin() + static_cast<std::ptrdiff_t>(j));
        });
      }
    }
    for (size_t i = 0; i < aggregate.groupings.size(); ++i) {
      const std::string name = "GROUPING " + std::to_string(i);
      if (aggregate.groupings[i].size() > 1) {
        add<Aggregate>(name + " swaps its first arguments",
                       [&](Aggregate& body) { std::swap(body.groupings[i][0], body.groupings[i][1]); });
      }
      if (aggregate.groups.size() > 1) {
        add<Aggregate>(name + " reads another group", [&](Aggregate& body) {
          auto& last = body.groupings[i].back();
          last = static_cast<uint32_t>((last + 1) % aggregate.groups.size());
        });
      }
    }
  }

  template <typename Body>
  void mutate_keys(std::vector<SortKey> Body::*keys, size_t at_least) {
    const std::vector<SortKey>& current = std::get<Body>(node_->body).*keys;
    for (size_t i = 0; i < current.size(); ++i) {
      const std::string name = "key " + std::to_string(i);
      add<Body>(name + " changes direction", [&](Body& body) { (body.*keys)[i].descending = !current[i].descending; });
      add<Body>(name + " changes NULLS FIRST",
                [&](Body& body) { (body.*keys)[i].nulls_first = !current[i].nulls_first; });
    }
    drop_each<Body>("key", keys, at_least);
    if (current.size() > 1) {
      add<Body>("keys 0 and 1 swapped", [&](Body& body) { std::swap((body.*keys)[0], (body.*keys)[1]); });
    }
  }

  // ---- windows
  void mutate(const Window& window) {
    drop_each<Window>("partition", &Window::partitions, 0);
    mutate_keys<Window>(&Window::orders, 0);
    for (size_t i = 0; i < window.calls.size(); ++i) mutate_call(window.calls[i], i);
  }

  void change_call(size_t i, const std::string& what, const std::function<void(WindowCall&)>& change) {
    const std::string& function = std::get<Window>(node_->body).calls[i].function;
    add<Window>("call " + std::to_string(i) + " (" + function + ") " + what,
                [&](Window& body) { change(body.calls[i]); });
  }

  void mutate_call(const WindowCall& call, size_t i) {
    const std::string_view other = call.is_aggregate ? other_aggregate(call.function) : other_window(call.function);
    if (!other.empty()) {
      change_call(i, "becomes " + std::string(other), [&](WindowCall& changed) {
        changed.function = other;
        if (other == "count_star") changed.arguments.clear();
      });
    }
    const bool may_ignore_nulls =
        !call.is_aggregate && (reads_frame(call) || call.function == "lag" || call.function == "lead");
    if (may_ignore_nulls) {
      change_call(i, "changes IGNORE NULLS", [](WindowCall& changed) { changed.ignore_nulls = !changed.ignore_nulls; });
    }
    for (size_t a = 0; a + 1 < call.arguments.size(); ++a) {
      if (call.arguments[a]->type != call.arguments[a + 1]->type) continue;
      change_call(i, "arguments " + std::to_string(a) + " and " + std::to_string(a + 1) + " swapped",
                  [&](WindowCall& changed) { std::swap(changed.arguments[a], changed.arguments[a + 1]); });
    }
    if (call.filter) change_call(i, "loses its FILTER", [](WindowCall& changed) { changed.filter = nullptr; });
    if (reads_frame(call)) mutate_frame(call.frame, i);
  }

  void mutate_frame(const Frame& frame, size_t i) {
    // A RANGE bound is a key and not an offset, so frames with one keep their unit. Without offsets RANGE and GROUPS
    // are the same, and so are all units of a whole partition.
    const bool offsets = frame.start.value || frame.end.value;
    const bool whole =
        frame.start.kind == FrameBoundKind::UnboundedPreceding && frame.end.kind == FrameBoundKind::UnboundedFollowing;
    const bool range_bounds = offsets && frame.unit == FrameUnit::Range;
    if (!whole && !range_bounds) {
      const FrameUnit other = frame.unit == FrameUnit::Rows ? FrameUnit::Groups : FrameUnit::Rows;
      change_call(i, std::string("counts in ") + unit_text(other),
                  [&](WindowCall& changed) { changed.frame.unit = other; });
    }
    for (const FrameExclude exclude :
         {FrameExclude::NoOthers, FrameExclude::CurrentRow, FrameExclude::Group, FrameExclude::Ties}) {
      if (exclude == frame.exclude) continue;
      change_call(i, std::string("gets") + exclude_text(exclude),
                  [&](WindowCall& changed) { changed.frame.exclude = exclude; });
    }
    mutate_bound(i, "starts", &Frame::start, FrameBoundKind::UnboundedPreceding);
    mutate_bound(i, "ends", &Frame::end, FrameBoundKind::UnboundedFollowing);
  }

  void mutate_bound(size_t i, const std::string& verb, FrameBound Frame::*bound, FrameBoundKind unbounded) {
    const FrameBound& current = std::get<Window>(node_->body).calls[i].frame.*bound;
    for (const FrameBoundKind kind : {unbounded, FrameBoundKind::CurrentRow}) {
      if (kind == current.kind) continue;
      const char* where = kind == unbounded ? " where the partition does" : " at the current row";
      change_call(i, "frame " + verb + where, [&](WindowCall& changed) { changed.frame.*bound = {kind, nullptr}; });
    }
    if (!current.value) return;
    change_call(i, "frame " + verb + " on the other side", [&](WindowCall& changed) {
      changed.frame.*
          bound = {current.kind == FrameBoundKind::Preceding ? FrameBoundKind::Following : FrameBoundKind::Preceding,
                   current.value};
    });
  }

  void mutate(const Sort&) { mutate_keys<Sort>(&Sort::keys, 1); }

  void mutate(const TopN& top_n) {
    mutate_keys<TopN>(&TopN::keys, 1);
    mutate_limits<TopN>(top_n.limit, top_n.offset);
  }
  void mutate(const Limit& limit) { mutate_limits<Limit>(limit.limit, limit.offset); }

  template <typename Body>
  void mutate_limits(std::optional<uint64_t> limit, uint64_t offset) {
    if (limit) add<Body>("limit grows", [&](Body& body) { body.limit = *limit + 1; });
    if (limit && *limit > 0) add<Body>("limit shrinks", [&](Body& body) { body.limit = *limit - 1; });
    add<Body>("offset grows", [&](Body& body) { body.offset = offset + 1; });
    if (offset > 0) add<Body>("offset shrinks", [&](Body& body) { body.offset = offset - 1; });
  }

  // ---- several children
  void mutate(const Join& join) {
    for (const JoinKind kind : other_kinds(join.kind)) {
      add<Join>("another kind", [&](Join& body) { body.kind = kind; });
    }
    if (join.kind == JoinKind::Mark) {
      add<Join>("mark changes its logic", [&](Join& body) { body.mark_three_valued = !join.mark_three_valued; });
    }
    for (size_t i = 0; i < join.keys.size(); ++i) {
      add<Join>("key " + std::to_string(i) + " changes null equality",
                [&](Join& body) { body.keys[i].null_equal = !body.keys[i].null_equal; });
    }
    drop_each<Join>("key", &Join::keys, 0);
    if (join.keys.size() > 1 && join.keys[0].right->type == join.keys[1].right->type) {
      add<Join>("right keys 0 and 1 swapped", [](Join& body) { std::swap(body.keys[0].right, body.keys[1].right); });
    }
    if (join.asof) mutate_asof(*join.asof);
    if (join.residual) add<Join>("residual dropped", [](Join& body) { body.residual = nullptr; });
    mutate_positions<Join>("left output", child_row(*node_, 0), &Join::left_output);
    mutate_positions<Join>("right output", child_row(*node_, 1), &Join::right_output);
  }

  void mutate_asof(const AsofOrder& asof) {
    const bool strict = asof.compare == CompareOp::Less || asof.compare == CompareOp::Greater;
    const bool below = asof.compare == CompareOp::Less || asof.compare == CompareOp::LessEqual;
    const auto other = [&](bool is_below, bool is_strict) {
      if (is_below) return is_strict ? CompareOp::Less : CompareOp::LessEqual;
      return is_strict ? CompareOp::Greater : CompareOp::GreaterEqual;
    };
    for (const CompareOp compare : {other(below, !strict), other(!below, strict)}) {
      add<Join>(std::string("ASOF ") + to_string(asof.compare) + " becomes " + to_string(compare),
                [&](Join& body) { body.asof->compare = compare; });
    }
    add<Join>("ASOF dropped", [](Join& body) { body.asof.reset(); });
  }

  void mutate(const Union&) {
    for (size_t i = 0; i < node_->children.size(); ++i) {
      const std::string what = "child " + std::to_string(i) + " dropped";
      if (node_->children.size() == 2) {
        add_node(what, node_->children[1 - i]);
        continue;
      }
      Node copy = *node_;
      copy.children.erase(copy.children.begin() + static_cast<std::ptrdiff_t>(i));
      add_node(what, std::make_shared<const Node>(std::move(copy)));
    }
  }

  static bool same_row(const std::vector<Column>& a, const std::vector<Column>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const Column& x, const Column& y) { return x.type == y.type; });
  }

  void mutate(const CteDefinition&) {}  // mutate_references
  void mutate(const CteReference&) {}   // mutate_references

  // A reference reads another visible CTE; a definition's references all do.
  void mutate_references(const std::vector<const Node*>& visible) {
    const auto* reference = node_->as<CteReference>();
    const auto* definition = node_->as<CteDefinition>();
    if (reference == nullptr && definition == nullptr) return;
    const uint32_t own = reference != nullptr ? reference->cte : definition->cte;
    const std::vector<Column>& row = reference != nullptr ? node_->output : node_->children[0]->output;
    for (const Node* other : visible) {
      const uint32_t cte = other->as<CteDefinition>()->cte;
      if (cte == own || !same_row(other->children[0]->output, row)) continue;
      const std::string what = "CTE " + std::to_string(own) + " is read as CTE " + std::to_string(cte);
      if (reference != nullptr) {
        add<CteReference>(what, [&](CteReference& body) { body.cte = cte; });
      } else {
        Node copy = *node_;
        copy.children[1] = with_reference(copy.children[1], own, cte);
        add_node(what, std::make_shared<const Node>(std::move(copy)));
      }
      return;
    }
  }

  static NodePtr with_reference(const NodePtr& node, uint32_t from, uint32_t to) {
    Node copy = *node;
    if (auto* reference = std::get_if<CteReference>(&copy.body); reference != nullptr && reference->cte == from) {
      reference->cte = to;
    }
    for (NodePtr& child : copy.children) child = with_reference(child, from, to);
    return std::make_shared<const Node>(std::move(copy));
  }
};

}  // namespace

std::vector<Mutation> mutations(const Plan& plan) { return Mutator(plan).run(); }

}  // namespace weft::plan
