// Programs as text, for golden tests and EXPLAIN.
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/pipeline.hpp"

namespace weft::pipeline {
namespace {

std::string pipeline_name(PipelineId id) { return "P" + std::to_string(id); }
std::string state_name(StateId id) { return "S" + std::to_string(id); }

std::string pipeline_names(const std::vector<PipelineId>& ids) {
  std::string text;
  for (const PipelineId id : ids) text += (text.empty() ? "" : ", ") + pipeline_name(id);
  return text;
}

std::vector<std::string> names(const RowType& row) {
  std::vector<std::string> all;
  for (size_t i = 0; i < row.columns.size(); ++i) {
    const std::string& name = row.columns[i].name;
    all.push_back(name.empty() ? "#" + std::to_string(i) : name + "#" + std::to_string(i));
  }
  return all;
}

std::string row_text(const RowType& row) {
  std::string text;
  for (const plan::Column& column : row.columns) {
    text +=
        (text.empty() ? "" : ", ") + column.name + " " + column.type.to_string() + (column.nullable ? "" : " NOT NULL");
  }
  return "(" + text + ")";
}

std::string expressions(const std::vector<plan::ExprPtr>& list, const RowType& row, std::string_view separator) {
  const std::vector<std::string> columns = names(row);
  std::string text;
  for (const plan::ExprPtr& expr : list) {
    if (!text.empty()) text += separator;
    text += to_string(*expr, columns);
  }
  return text;
}

const char* emit_name(JoinSpec::Emit emit) {
  switch (emit) {
    case JoinSpec::Emit::Inner:
      return "inner";
    case JoinSpec::Emit::ProbeOuter:
      return "outer";
    case JoinSpec::Emit::ProbeSemi:
      return "semi";
    case JoinSpec::Emit::ProbeAnti:
      return "anti";
    case JoinSpec::Emit::ProbeMark:
      return "mark";
    case JoinSpec::Emit::ProbeSingle:
      return "single";
    case JoinSpec::Emit::MarkBuildOnly:
      return "mark build rows";
  }
  return "";
}

struct SourceText {
  std::string operator()(const ScanSource& source) const { return "scan " + source.scan->table_name; }
  std::string operator()(const HostRows& source) const { return "host source " + std::to_string(source.source); }
  std::string operator()(const ValuesSource&) const { return "values"; }
  std::string operator()(const StateRows& source) const { return "rows of " + state_name(source.state); }
  std::string operator()(const BuildRows& source) const {
    return (source.matched ? "matched build rows of " : "unmatched build rows of ") + state_name(source.state);
  }
};

struct StepText {
  const Program& program;
  std::string operator()(const FilterStep&) const { return "filter"; }
  std::string operator()(const ProjectStep&) const { return "project"; }
  std::string operator()(const ProbeStep& step) const {
    return (program.states.at(step.state).join.search ? "search " : "probe ") + state_name(step.state);
  }
};

struct SinkText {
  std::string operator()(const HashBuildSink& sink) const { return "build " + state_name(sink.state); }
  std::string operator()(const AggregateSink& sink) const { return "aggregate " + state_name(sink.state); }
  std::string operator()(const WindowSink& sink) const { return "window " + state_name(sink.state); }
  std::string operator()(const SortSink& sink) const { return "sort " + state_name(sink.state); }
  std::string operator()(const TopNSink& sink) const { return "top-n " + state_name(sink.state); }
  std::string operator()(const LimitSink& sink) const { return "limit " + state_name(sink.state); }
  std::string operator()(const MaterializeSink& sink) const { return "materialize " + state_name(sink.state); }
  std::string operator()(const DiscardSink&) const { return "discard"; }
  std::string operator()(const ResultSink&) const { return "result"; }
};

std::string positions(const std::vector<uint32_t>& columns) {
  std::string text;
  for (const uint32_t column : columns) text += (text.empty() ? "#" : ", #") + std::to_string(column);
  return "[" + text + "]";
}

std::string step_details(const Step& step, const RowType& input) {
  if (const auto* filter = std::get_if<FilterStep>(&step.body)) {
    return expressions(filter->conjuncts, input, " AND ") + " -> " + positions(filter->projection);
  }
  if (const auto* project = std::get_if<ProjectStep>(&step.body)) return expressions(project->expressions, input, ", ");
  return row_text(step.output);
}

std::string search_text(const RangeSearch& search) {
  const auto condition = [](const char* name, const RangeCondition& range) {
    return std::string(" ") + name + " probe " + to_string(*range.probe) + " " + to_string(range.compare) + " build " +
           to_string(*range.build);
  };
  std::string text = condition(search.nearest ? "nearest" : "range", search.first);
  if (search.second) text += condition("and", *search.second);
  if (search.reach) text += condition("within", *search.reach);
  return text;
}

std::string join_details(const JoinSpec& join) {
  std::string text = std::string(emit_name(join.emit)) + (join.build_is_left ? " build left" : " build right");
  for (size_t i = 0; i < join.probe_keys.size(); ++i) {
    text += (i == 0 ? " on probe " : " and probe ") + to_string(*join.probe_keys[i]) +
            (join.null_equal[i] ? " IS NOT DISTINCT FROM build " : " = build ") + to_string(*join.build_keys[i]);
  }
  if (join.search) text += search_text(*join.search);
  if (join.residual) text += " where " + to_string(*join.residual);
  if (join.emit == JoinSpec::Emit::ProbeMark) {
    text += join.mark == MarkKind::ThreeValued ? " three-valued" : " two-valued";
  }
  if (join.track_build_matches) text += " tracks matches";
  return text + " gives probe " + positions(join.probe_output) + " build " + positions(join.build_output);
}

}  // namespace

std::string describe(const Pipeline& pipeline, const Program& program) {
  std::string text = pipeline_name(pipeline.id) + ": " + std::visit(SourceText{}, pipeline.source);
  for (const Step& step : pipeline.steps) text += " -> " + std::visit(StepText{program}, step.body);
  return text + " -> " + std::visit(SinkText{}, pipeline.sink);
}

std::string print(const Program& program) {
  std::string text;
  for (const Pipeline& pipeline : program.pipelines) {
    text += describe(pipeline, program);
    if (!pipeline.after.empty()) text += " after " + pipeline_names(pipeline.after);
    text += "\n  " + row_text(pipeline.source_row) + "\n";
    const RowType* row = &pipeline.source_row;
    for (const Step& step : pipeline.steps) {
      text += "  " + std::visit(StepText{program}, step.body) + ": " + step_details(step, *row) + "\n";
      row = &step.output;
    }
  }
  for (const StateInfo& state : program.states) {
    text += state_name(state.id) + ": fed by " + pipeline_names(state.feeders) + ", read by " +
            pipeline_names(state.readers) + ", rows " + row_text(state.row) + "\n";
    if (state.is_join) text += "  " + join_details(state.join) + "\n";
  }
  return text;
}

}  // namespace weft::pipeline
