// Lowering: a node becomes the open pipelines that yield its rows; a breaker closes them into one state and opens a new
// pipeline on that state. Pipelines get their numbers when they are closed, so that a number is an order of execution.
#include <algorithm>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "pipeline/pipeline.hpp"
#include "pipeline/range_search.hpp"

namespace weft::pipeline {
namespace {

using plan::Node;
using Emit = JoinSpec::Emit;

// A pipeline without its sink.
struct Open {
  Source source;
  RowType row;  // of the source
  uint32_t node = 0;
  std::vector<Step> steps;
};
using OpenPipelines = std::vector<Open>;

// What a join does by kind and build side.
struct JoinShape {
  Emit emit = Emit::Inner;
  bool matched_rows = false;    // a BuildRows source yields the matched build rows
  bool unmatched_rows = false;  // a BuildRows source yields the unmatched build rows
};

JoinShape shape_of(const plan::Join& join) {
  const bool build_left = join.build == plan::BuildSide::Left;
  switch (join.kind) {
    case plan::JoinKind::Inner:
      return {Emit::Inner, false, false};
    case plan::JoinKind::Left:
      return build_left ? JoinShape{Emit::Inner, false, true} : JoinShape{Emit::ProbeOuter, false, false};
    case plan::JoinKind::Right:
      return build_left ? JoinShape{Emit::ProbeOuter, false, false} : JoinShape{Emit::Inner, false, true};
    case plan::JoinKind::Full:
      return {Emit::ProbeOuter, false, true};
    case plan::JoinKind::Semi:
      return build_left ? JoinShape{Emit::MarkBuildOnly, true, false} : JoinShape{Emit::ProbeSemi, false, false};
    case plan::JoinKind::Anti:
      return build_left ? JoinShape{Emit::MarkBuildOnly, false, true} : JoinShape{Emit::ProbeAnti, false, false};
    case plan::JoinKind::Mark:
      return {Emit::ProbeMark, false, false};
    case plan::JoinKind::Single:
      return {Emit::ProbeSingle, false, false};
  }
  return {};
}

RowType project(const RowType& row, const std::vector<uint32_t>& columns) {
  RowType projected;
  for (const uint32_t column : columns) projected.columns.push_back(row.columns[column]);
  return projected;
}

JoinSpec spec_of(const Node& node, const plan::Join& join, const JoinShape& shape) {
  JoinSpec spec;
  spec.join = &join;
  spec.build_is_left = join.build == plan::BuildSide::Left;
  for (const plan::JoinKey& key : join.keys) {
    spec.probe_keys.push_back(spec.build_is_left ? key.right : key.left);
    spec.build_keys.push_back(spec.build_is_left ? key.left : key.right);
    spec.null_equal.push_back(key.null_equal);
  }
  spec.residual = join.residual;
  spec.probe_output = spec.build_is_left ? join.right_output : join.left_output;
  spec.build_output = spec.build_is_left ? join.left_output : join.right_output;
  spec.probe_row.columns = node.children[spec.build_is_left ? 1 : 0]->output;
  spec.build_row.columns = node.children[spec.build_is_left ? 0 : 1]->output;
  spec.emit = shape.emit;
  spec.track_build_matches = shape.matched_rows || shape.unmatched_rows;
  spec.mark = join.mark_three_valued ? MarkKind::ThreeValued : MarkKind::TwoValued;
  spec.output_left_is_probe = !spec.build_is_left;
  choose_search(spec);
  return spec;
}

class Lowering {
 public:
  explicit Lowering(const plan::Plan& plan) : plan_(plan) { count_references(*plan.root); }

  Program run() {
    const OpenPipelines last = lower(*plan_.root);
    for (const Open& open : last) close(open, ResultSink{}, plan_.root->id);
    program_.result.columns = plan_.root->output;
    program_.keep_order = plan_.keep_order;
    for (Pipeline& pipeline : program_.pipelines) {
      auto* sink = std::get_if<MaterializeSink>(&pipeline.sink);
      if (sink != nullptr) sink->readers = static_cast<uint32_t>(state(sink->state).readers.size());
    }
    return std::move(program_);
  }

 private:
  const plan::Plan& plan_;
  Program program_;
  std::map<uint32_t, uint32_t> references_;   // by CTE: references that will be lowered
  std::map<uint32_t, const Node*> inlined_;   // by CTE: the definition of one with a single reference
  std::map<uint32_t, StateId> materialized_;  // by CTE: the state of one with several

  // A definition that nobody reads is never run, so references inside it do not count.
  void count_references(const Node& node) {
    if (const auto* reference = node.as<plan::CteReference>()) ++references_[reference->cte];
    if (const auto* cte = node.as<plan::CteDefinition>()) {
      count_references(*node.children[1]);
      if (references_[cte->cte] > 0) count_references(*node.children[0]);
      return;
    }
    for (const plan::NodePtr& child : node.children) count_references(*child);
  }

  StateInfo& state(StateId id) { return program_.states[id]; }

  StateId new_state(const Node& node, RowType row) {
    StateInfo info;
    info.id = static_cast<StateId>(program_.states.size());
    info.node = node.id;
    info.row = std::move(row);
    program_.states.push_back(std::move(info));
    return program_.states.back().id;
  }

  // ---- closing
  void wait_for(Pipeline& pipeline, const std::vector<PipelineId>& others) {
    pipeline.after.insert(pipeline.after.end(), others.begin(), others.end());
  }

  // The pipeline reads the state: it runs after the feeders, and the state lives until it is done.
  void read(Pipeline& pipeline, StateId id) {
    wait_for(pipeline, state(id).feeders);
    state(id).readers.push_back(pipeline.id);
  }

  void close(const Open& open, Sink sink, uint32_t sink_node) {
    Pipeline pipeline;
    pipeline.id = static_cast<PipelineId>(program_.pipelines.size());
    pipeline.source = open.source;
    pipeline.source_row = open.row;
    pipeline.source_node = open.node;
    pipeline.steps = open.steps;
    pipeline.sink = sink;
    pipeline.sink_node = sink_node;
    if (const auto* rows = std::get_if<StateRows>(&pipeline.source)) read(pipeline, rows->state);
    if (const auto* build = std::get_if<BuildRows>(&pipeline.source)) {
      // All that probe the state stand before this one in the list that closes both: they are its readers so far.
      wait_for(pipeline, state(build->state).readers);
      read(pipeline, build->state);
    }
    for (const Step& step : pipeline.steps) {
      if (const auto* probe = std::get_if<ProbeStep>(&step.body)) read(pipeline, probe->state);
    }
    std::sort(pipeline.after.begin(), pipeline.after.end());
    pipeline.after.erase(std::unique(pipeline.after.begin(), pipeline.after.end()), pipeline.after.end());
    program_.pipelines.push_back(std::move(pipeline));
  }

  template <typename SinkType>
  void close_into(const OpenPipelines& pipelines, SinkType sink, uint32_t node) {
    for (const Open& open : pipelines) {
      state(sink.state).feeders.push_back(static_cast<PipelineId>(program_.pipelines.size()));
      close(open, sink, node);
    }
  }

  // ---- nodes
  OpenPipelines lower(const Node& node) {
    return std::visit([&](const auto& body) { return lower_body(node, body); }, node.body);
  }

  OpenPipelines source(const Node& node, Source source) { return {Open{source, RowType{node.output}, node.id, {}}}; }

  OpenPipelines with_step(OpenPipelines pipelines, const Node& node, const StepBody& body) {
    for (Open& open : pipelines) open.steps.push_back(Step{body, RowType{node.output}, node.id});
    return pipelines;
  }

  OpenPipelines lower_body(const Node& node, const plan::Scan& scan) { return source(node, ScanSource{&scan}); }
  OpenPipelines lower_body(const Node& node, const plan::HostSource& host) {
    return source(node, HostRows{host.source});
  }
  OpenPipelines lower_body(const Node& node, const plan::Values& values) { return source(node, ValuesSource{&values}); }

  OpenPipelines lower_body(const Node& node, const plan::Filter& filter) {
    return with_step(lower(*node.children[0]), node, FilterStep{filter.conjuncts, filter.projection});
  }
  OpenPipelines lower_body(const Node& node, const plan::Project& project) {
    return with_step(lower(*node.children[0]), node, ProjectStep{project.expressions});
  }

  template <typename SinkType, typename Body>
  OpenPipelines lower_breaker(const Node& node, const Body& body) {
    const OpenPipelines input = lower(*node.children[0]);
    const StateId id = new_state(node, RowType{node.output});
    close_into(input, SinkType{id, &body}, node.id);
    return source(node, StateRows{id});
  }
  OpenPipelines lower_body(const Node& node, const plan::Aggregate& aggregate) {
    return lower_breaker<AggregateSink>(node, aggregate);
  }
  OpenPipelines lower_body(const Node& node, const plan::Window& window) {
    return lower_breaker<WindowSink>(node, window);
  }
  OpenPipelines lower_body(const Node& node, const plan::Sort& sort) { return lower_breaker<SortSink>(node, sort); }
  OpenPipelines lower_body(const Node& node, const plan::TopN& top_n) { return lower_breaker<TopNSink>(node, top_n); }
  OpenPipelines lower_body(const Node& node, const plan::Limit& limit) { return lower_breaker<LimitSink>(node, limit); }

  OpenPipelines lower_body(const Node& node, const plan::Union&) {
    OpenPipelines all;
    for (const plan::NodePtr& child : node.children) {
      OpenPipelines pipelines = lower(*child);
      std::move(pipelines.begin(), pipelines.end(), std::back_inserter(all));
    }
    return all;
  }

  OpenPipelines lower_body(const Node& node, const plan::Join& join) {
    const JoinShape shape = shape_of(join);
    JoinSpec spec = spec_of(node, join, shape);
    const Node& build_child = *node.children[spec.build_is_left ? 0 : 1];
    const Node& probe_child = *node.children[spec.build_is_left ? 1 : 0];

    const OpenPipelines build = lower(build_child);
    const StateId id = new_state(node, project(spec.build_row, spec.build_output));
    state(id).is_join = true;
    state(id).join = std::move(spec);
    close_into(build, HashBuildSink{id}, node.id);

    OpenPipelines probe = lower(probe_child);
    if (shape.emit == Emit::MarkBuildOnly) {
      for (Open& open : probe) {
        open.steps.push_back(Step{ProbeStep{id}, RowType{}, node.id});
        close(open, DiscardSink{}, node.id);
      }
      return {Open{BuildRows{id, shape.matched_rows}, state(id).row, node.id, {}}};
    }
    OpenPipelines rows = with_step(std::move(probe), node, ProbeStep{id});
    if (shape.unmatched_rows) rows.push_back(unmatched_build_rows(node, id));
    return rows;
  }

  // The build rows without a match, with NULLs for the probe side's columns.
  Open unmatched_build_rows(const Node& node, StateId id) {
    const JoinSpec& spec = state(id).join;
    std::vector<plan::ExprPtr> expressions;
    const auto add_nulls = [&] {
      for (const uint32_t column : spec.probe_output) {
        expressions.push_back(plan::constant(plan::Value::null(spec.probe_row.columns[column].type)));
      }
    };
    if (spec.output_left_is_probe) add_nulls();
    for (uint32_t i = 0; i < state(id).row.columns.size(); ++i) {
      const plan::Column& column = state(id).row.columns[i];
      expressions.push_back(plan::column_ref(i, column.type, column.nullable));
    }
    if (!spec.output_left_is_probe) add_nulls();
    Open open{BuildRows{id, false}, state(id).row, node.id, {}};
    open.steps.push_back(Step{ProjectStep{std::move(expressions)}, RowType{node.output}, node.id});
    return open;
  }

  OpenPipelines lower_body(const Node& node, const plan::CteDefinition& cte) {
    const Node& definition = *node.children[0];
    const uint32_t readers = references_[cte.cte];
    if (readers == 1) inlined_[cte.cte] = &definition;
    if (readers > 1) {
      const OpenPipelines input = lower(definition);
      const StateId id = new_state(node, RowType{definition.output});
      close_into(input, MaterializeSink{id, readers}, node.id);
      materialized_[cte.cte] = id;
    }
    return lower(*node.children[1]);
  }
  OpenPipelines lower_body(const Node& node, const plan::CteReference& cte) {
    const auto inlined = inlined_.find(cte.cte);
    if (inlined != inlined_.end()) return lower(*inlined->second);
    const auto materialized = materialized_.find(cte.cte);
    WEFT_INVARIANT(materialized != materialized_.end(), "a CTE reference without its definition");
    return source(node, StateRows{materialized->second});
  }
};

}  // namespace

Program lower(const plan::Plan& plan) { return Lowering(plan).run(); }

}  // namespace weft::pipeline
