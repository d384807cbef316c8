// check(): the promises of pipeline.hpp.
#include <algorithm>
#include <set>
#include <string>

#include "base/error.hpp"
#include "base/overloaded.hpp"
#include "pipeline/pipeline.hpp"
#include "plan/walk.hpp"

namespace weft::pipeline {
namespace {

using Emit = JoinSpec::Emit;

constexpr StateId kNoState = UINT32_MAX;

StateId state_of(const Sink& sink) {
  return std::visit(Overloaded{[](const DiscardSink&) { return kNoState; }, [](const ResultSink&) { return kNoState; },
                               [](const auto& other) { return other.state; }},
                    sink);
}

StateId state_of(const Source& source) {
  return std::visit(Overloaded{[](const StateRows& rows) { return rows.state; },
                               [](const BuildRows& rows) { return rows.state; }, [](const auto&) { return kNoState; }},
                    source);
}

bool same_types(const RowType& a, const RowType& b) {
  return std::equal(a.columns.begin(), a.columns.end(), b.columns.begin(), b.columns.end(),
                    [](const plan::Column& x, const plan::Column& y) { return x.type == y.type; });
}

RowType project(const RowType& row, const std::vector<uint32_t>& columns) {
  RowType projected;
  for (const uint32_t column : columns) {
    if (column < row.columns.size()) projected.columns.push_back(row.columns[column]);
  }
  return projected;
}

class Checker {
 public:
  explicit Checker(const Program& program) : program_(program) {}

  void run() {
    require(!program_.pipelines.empty(), "the program", "has no pipelines");
    for (const Pipeline& pipeline : program_.pipelines) check_pipeline(pipeline);
    for (const StateInfo& state : program_.states) check_state(state);
    check_results();
  }

 private:
  const Program& program_;
  std::string where_;

  void require(bool condition, const std::string& where, const std::string& rule) const {
    if (!condition) throw Exception(ErrorCode::InternalError, "invalid program: " + where + " " + rule);
  }
  void require(bool condition, const std::string& rule) const { require(condition, where_, rule); }

  const StateInfo& state(StateId id) const {
    require(id < program_.states.size(), "names a state that does not exist");
    return program_.states[id];
  }

  void check_expression(const plan::ExprPtr& expr, const RowType& row) const {
    plan::for_each_expr(*expr, [&](const plan::Expr& part) {
      if (part.kind != plan::ExprKind::ColumnRef) return;
      require(part.column < row.columns.size(), "reads a column out of range");
      require(part.type == row.columns[part.column].type, "reads a column as another type");
    });
  }

  void check_pipeline(const Pipeline& pipeline) {
    where_ = "P" + std::to_string(pipeline.id);
    require(&pipeline == &program_.pipelines[0] + pipeline.id, "is not at its place");
    for (const PipelineId before : pipeline.after) require(before < pipeline.id, "waits for a later pipeline");
    check_source(pipeline);
    const RowType* row = &pipeline.source_row;
    for (const Step& step : pipeline.steps) {
      check_step(step, *row);
      row = &step.output;
    }
    check_sink(pipeline, *row);
    check_after(pipeline);
  }

  void check_source(const Pipeline& pipeline) const {
    std::visit(Overloaded{[&](const StateRows& rows) {
                            require(!state(rows.state).is_join, "reads a join's state as rows");
                            require(same_types(pipeline.source_row, state(rows.state).row),
                                    "reads other rows than its state has");
                          },
                          [&](const BuildRows& rows) {
                            require(state(rows.state).join.track_build_matches, "reads build rows that nobody marks");
                            require(same_types(pipeline.source_row, state(rows.state).row),
                                    "reads other rows than its state has");
                          },
                          [&](const ScanSource& scan) {
                            require(pipeline.source_row.columns.size() == scan.scan->projection.size(),
                                    "has a scan of another width");
                          },
                          [](const auto&) {}},
               pipeline.source);
  }

  void check_step(const Step& step, const RowType& row) const {
    if (const auto* filter = std::get_if<FilterStep>(&step.body)) {
      for (const plan::ExprPtr& conjunct : filter->conjuncts) check_expression(conjunct, row);
      const RowType projected = project(row, filter->projection);
      require(projected.columns.size() == filter->projection.size(), "projects a column out of range");
      require(same_types(projected, step.output), "has a filter of another row type");
    } else if (const auto* projection = std::get_if<ProjectStep>(&step.body)) {
      RowType computed;
      for (const plan::ExprPtr& expr : projection->expressions) {
        check_expression(expr, row);
        computed.columns.push_back(plan::Column{"", expr->type, expr->nullable});
      }
      require(same_types(computed, step.output), "has a projection of another row type");
    } else {
      const JoinSpec& join = state(std::get<ProbeStep>(step.body).state).join;
      require(same_types(row, join.probe_row), "probes with other rows than the join expects");
      require(same_types(probe_rows(join), step.output), "has a probe of another row type");
    }
  }

  RowType probe_rows(const JoinSpec& join) const {
    if (join.emit == Emit::MarkBuildOnly) return {};
    const RowType probe = project(join.probe_row, join.probe_output);
    const RowType build = project(join.build_row, join.build_output);
    RowType rows = join.output_left_is_probe ? probe : build;
    const RowType& last = join.output_left_is_probe ? build : probe;
    rows.columns.insert(rows.columns.end(), last.columns.begin(), last.columns.end());
    if (join.emit == Emit::ProbeMark) {
      rows.columns.push_back(plan::Column{"", plan::Type::of(plan::TypeId::Boolean), true});
    }
    return rows;
  }

  void check_sink(const Pipeline& pipeline, const RowType& row) const {
    const bool discards = std::holds_alternative<DiscardSink>(pipeline.sink);
    for (size_t i = 0; i < pipeline.steps.size(); ++i) {
      const auto* probe = std::get_if<ProbeStep>(&pipeline.steps[i].body);
      if (probe == nullptr || state(probe->state).join.emit != Emit::MarkBuildOnly) continue;
      require(discards && i + 1 == pipeline.steps.size(), "goes on after a probe that yields no rows");
    }
    if (discards) {
      const auto* probe = pipeline.steps.empty() ? nullptr : std::get_if<ProbeStep>(&pipeline.steps.back().body);
      require(probe != nullptr && state(probe->state).join.emit == Emit::MarkBuildOnly, "discards its rows");
      return;
    }
    if (std::holds_alternative<ResultSink>(pipeline.sink)) {
      require(same_types(row, program_.result), "gives other rows than the result has");
      return;
    }
    const StateInfo& fed = state(state_of(pipeline.sink));
    require(std::count(fed.feeders.begin(), fed.feeders.end(), pipeline.id) == 1, "is no feeder of its sink's state");
    if (std::holds_alternative<HashBuildSink>(pipeline.sink)) {
      require(fed.is_join && same_types(row, fed.join.build_row), "builds from other rows than the join expects");
    } else if (const auto* aggregate = std::get_if<AggregateSink>(&pipeline.sink)) {
      check_aggregate(*aggregate->aggregate, row);
    } else if (const auto* window = std::get_if<WindowSink>(&pipeline.sink)) {
      check_window(*window->window, row, fed.row);
    } else {
      require(same_types(row, fed.row), "feeds other rows than its state has");
    }
  }

  void check_aggregate(const plan::Aggregate& aggregate, const RowType& row) const {
    for (const plan::ExprPtr& group : aggregate.groups) check_expression(group, row);
    for (const plan::AggregateCall& call : aggregate.aggregates) {
      for (const plan::ExprPtr& argument : call.arguments) check_expression(argument, row);
      if (call.filter) check_expression(call.filter, row);
    }
  }

  void check_window(const plan::Window& window, const RowType& row, const RowType& rows) const {
    for (const plan::ExprPtr& partition : window.partitions) check_expression(partition, row);
    for (const plan::SortKey& key : window.orders) check_expression(key.expression, row);
    RowType expected = row;
    for (const plan::WindowCall& call : window.calls) {
      for (const plan::ExprPtr& argument : call.arguments) check_expression(argument, row);
      if (call.filter) check_expression(call.filter, row);
      for (const plan::FrameBound& bound : {call.frame.start, call.frame.end}) {
        if (bound.value) check_expression(bound.value, row);
      }
      expected.columns.push_back(plan::Column{"", call.type, true});
    }
    require(same_types(expected, rows), "has a window of another row type");
  }

  void require_after(const Pipeline& pipeline, const std::vector<PipelineId>& others) const {
    for (const PipelineId other : others) {
      const bool waits = std::find(pipeline.after.begin(), pipeline.after.end(), other) != pipeline.after.end();
      require(waits, "does not wait for P" + std::to_string(other));
    }
  }

  // The pipelines that probe a state.
  std::vector<PipelineId> probing(StateId id) const {
    std::vector<PipelineId> ids;
    for (const Pipeline& pipeline : program_.pipelines) {
      for (const Step& step : pipeline.steps) {
        const auto* probe = std::get_if<ProbeStep>(&step.body);
        if (probe != nullptr && probe->state == id) ids.push_back(pipeline.id);
      }
    }
    return ids;
  }

  void check_after(const Pipeline& pipeline) const {
    for (const Step& step : pipeline.steps) {
      if (const auto* probe = std::get_if<ProbeStep>(&step.body)) require_after(pipeline, state(probe->state).feeders);
    }
    const StateId source = state_of(pipeline.source);
    if (source == kNoState) return;
    require_after(pipeline, state(source).feeders);
    if (std::holds_alternative<BuildRows>(pipeline.source)) require_after(pipeline, probing(source));
  }

  void check_state(const StateInfo& info) {
    where_ = "S" + std::to_string(info.id);
    require(&info == &program_.states[0] + info.id, "is not at its place");
    std::set<PipelineId> feeders;
    const std::vector<PipelineId> probes = probing(info.id);
    std::set<PipelineId> readers(probes.begin(), probes.end());
    std::set<size_t> sinks;
    for (const Pipeline& pipeline : program_.pipelines) {
      if (state_of(pipeline.source) == info.id) readers.insert(pipeline.id);
      if (state_of(pipeline.sink) != info.id) continue;
      feeders.insert(pipeline.id);
      sinks.insert(pipeline.sink.index());
      const auto* shared = std::get_if<MaterializeSink>(&pipeline.sink);
      require(shared == nullptr || shared->readers == info.readers.size(), "counts its readers wrongly");
    }
    require(!feeders.empty(), "has no feeder");
    require(!readers.empty(), "has no reader");
    require(sinks.size() == 1, "is the sink of two kinds of operator");
    require(std::vector<PipelineId>(feeders.begin(), feeders.end()) == info.feeders, "lists other feeders than it has");
    require(std::vector<PipelineId>(readers.begin(), readers.end()) == info.readers, "lists other readers than it has");
    require(info.is_join == (*sinks.begin() == Sink(HashBuildSink{}).index()),
            "is a join without a build, or the reverse");
    if (info.is_join) {
      require(same_types(info.row, project(info.join.build_row, info.join.build_output)), "yields other build rows");
      if (info.join.search) check_search(info.join);
    }
  }

  void check_search(const JoinSpec& join) const {
    const RangeSearch& search = *join.search;
    const auto check_condition = [&](const RangeCondition& range) {
      check_expression(range.probe, join.probe_row);
      check_expression(range.build, join.build_row);
      require(range.probe->type == range.build->type, "searches for another type than it orders");
      require(plan::is_order(range.compare), "searches by a condition that is no inequality");
    };
    check_condition(search.first);
    if (search.second) check_condition(*search.second);
    if (search.reach) check_condition(*search.reach);
    require(search.nearest || join.probe_keys.empty(), "searches where it has keys to hash");
    if (search.otherwise) {
      RowType both = join.build_is_left ? join.build_row : join.probe_row;
      const RowType& last = join.build_is_left ? join.probe_row : join.build_row;
      both.columns.insert(both.columns.end(), last.columns.begin(), last.columns.end());
      check_expression(search.otherwise, both);
    }
    require(!search.reach || (!search.second && join.probe_keys.empty()), "has a reach beside keys or a second end");
  }

  void check_results() const {
    const bool any = std::any_of(program_.pipelines.begin(), program_.pipelines.end(), [](const Pipeline& pipeline) {
      return std::holds_alternative<ResultSink>(pipeline.sink);
    });
    require(any, "the program", "gives no result");
  }
};

}  // namespace

void check(const Program& program) { Checker(program).run(); }

}  // namespace weft::pipeline
