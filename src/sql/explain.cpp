#include "sql/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "duckdb/common/render_tree.hpp"
#include "plan/walk.hpp"
#include "sql/gpu_operator.hpp"

namespace weft::sql {
namespace {

constexpr size_t kMaxParameterText = 160;

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  if (text.size() > kMaxParameterText) {
    text.resize(kMaxParameterText);
    text += "...";
  }
  return text;
}

class LineWriter {
 public:
  explicit LineWriter(std::vector<support::Refusal> refusals) : refusals_(std::move(refusals)) {}

  void write(duckdb::LogicalOperator& op, uint32_t depth, const std::string& note) {
    if (auto* gpu = dynamic_cast<LogicalGpu*>(&op)) {
      write_plan(*gpu, *gpu->part().plan->root, depth);
      return;
    }
    ExplainLine line{depth, op.GetName(), -1, 0};
    std::string parameters;
    for (const auto& [name, value] : op.ParamsToString()) {
      if (name == duckdb::RenderTreeNode::ESTIMATED_CARDINALITY || value.empty()) continue;
      parameters += (parameters.empty() ? "" : ", ") + value;
    }
    if (!parameters.empty()) line.text += " " + one_line(parameters);
    line.text += note.empty() ? reason(duckdb::LogicalOperatorToString(op.type)) : "  <- " + note;
    lines.push_back(std::move(line));
    for (auto& child : op.children) write(*child, depth + 1, "");
  }

  std::vector<ExplainLine> lines;

 private:
  void write_plan(LogicalGpu& gpu, const plan::Node& node, uint32_t depth) {
    lines.push_back({depth, plan::describe(node), static_cast<int>(gpu.part().number), node.id});
    if (const auto* host = node.as<plan::HostSource>()) {
      const auto source = host->source;
      if (source < gpu.children.size() && gpu.children[source]) {
        write(*gpu.children[source], depth + 1, gpu.part().leaf_descriptions[source]);
      }
    }
    for (const auto& child : node.children) write_plan(gpu, *child, depth + 1);
  }

  /// The refusals that were found in an operator of this kind, each shown once.
  std::string reason(const std::string& node) {
    std::string text;
    for (auto refusal = refusals_.begin(); refusal != refusals_.end();) {
      if (refusal->node != node) {
        ++refusal;
        continue;
      }
      text += fmt::format("{}{}: {}", text.empty() ? "  <- " : ", ", support::to_string(refusal->code), refusal->name);
      refusal = refusals_.erase(refusal);
    }
    return text;
  }

  std::vector<support::Refusal> refusals_;
};

const engine::OperatorProfile* find_operator(const StatementReport& report, const ExplainLine& line) {
  if (line.part < 0 || static_cast<size_t>(line.part) >= report.profiles.size()) return nullptr;
  for (const auto& profile : report.profiles[line.part].operators) {
    if (profile.node == line.node) return &profile;
  }
  return nullptr;
}

std::string tree_text(const std::vector<ExplainLine>& lines, const StatementReport& report, bool analyze) {
  std::string text;
  for (const auto& line : lines) {
    text += fmt::format("{}  {:{}}{}", line.part < 0 ? "CPU" : "GPU", "", line.depth * 2, line.text);
    const auto* profile = analyze ? find_operator(report, line) : nullptr;
    if (profile != nullptr) {
      text += fmt::format("  ({} rows, {} batches, {:.2f} ms busy)", profile->rows, profile->batches, profile->busy_ms);
    }
    text += "\n";
  }
  return text;
}

std::string json_text(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

/// The node of line `at` and, below it, those of the deeper lines that follow; `at` is then behind them.
std::string json_node(const std::vector<ExplainLine>& lines, size_t& at, const StatementReport& report, bool analyze) {
  const ExplainLine& line = lines[at++];
  std::string info = fmt::format("\"device\": \"{}\"", line.part < 0 ? "CPU" : "GPU");
  if (line.part >= 0) info += fmt::format(", \"part\": {}, \"node\": {}", line.part + 1, line.node);
  if (const auto* profile = analyze ? find_operator(report, line) : nullptr) {
    info += fmt::format(", \"rows\": {}, \"batches\": {}, \"busy_ms\": {:.2f}", profile->rows, profile->batches,
                        profile->busy_ms);
  }
  std::string children;
  while (at < lines.size() && lines[at].depth > line.depth) {
    children += (children.empty() ? "\n" : ",\n") + json_node(lines, at, report, analyze);
  }
  const std::string indent(2 * size_t{line.depth} + 2, ' ');
  return fmt::format("{}{{\"name\": {}, \"extra_info\": {{{}}}, \"children\": [{}]}}", indent, json_text(line.text),
                     info, children);
}

void append_indented(std::string& text, const std::string& lines) {
  size_t begin = 0;
  while (begin < lines.size()) {
    auto end = lines.find('\n', begin);
    if (end == std::string::npos) end = lines.size();
    text += "  " + lines.substr(begin, end - begin) + "\n";
    begin = end + 1;
  }
}

std::string pipeline_text(const StatementReport& report, const ExplainOptions& options) {
  std::string text;
  for (size_t part = 0; part < report.gpu_plans.size(); ++part) {
    const auto& profile = report.profiles[part];
    const auto title =
        report.gpu_plans.size() == 1 ? std::string("Pipelines") : fmt::format("Pipelines of part {}", part + 1);
    std::string lines;
    if (options.analyze && !profile.pipelines.empty()) {
      for (const auto& pipeline : profile.pipelines) {
        lines += fmt::format("{}  ({}, {:.2f} ms wall)\n", pipeline.text, pipeline.executor, pipeline.wall_ms);
      }
    } else if (options.describe_pipelines) {
      lines = options.describe_pipelines(*report.gpu_plans[part]);
    }
    if (lines.empty()) continue;
    text += "\n" + title + "\n";
    append_indented(text, lines);
  }
  return text;
}

std::string totals_text(const StatementReport& report) {
  uint64_t peak = 0;
  uint64_t read = 0;
  uint64_t spilled = 0;
  for (const auto& profile : report.profiles) {
    peak = std::max(peak, profile.peak_device_bytes);
    read += profile.bytes_read;
    spilled += profile.spilled_bytes;
  }
  return fmt::format(
      "\nTotals\n  {} rows, planning {:.2f} ms, total {:.2f} ms\n  peak device bytes {}, bytes read {}, spilled bytes "
      "{}\n",
      report.rows, report.planning_ms, report.total_ms, peak, read, spilled);
}

}  // namespace

std::vector<ExplainLine> explain_lines(duckdb::LogicalOperator& root, const std::vector<support::Refusal>& refusals) {
  LineWriter writer(refusals);
  writer.write(root, 0, "");
  return std::move(writer.lines);
}

std::string reason_text(const StatementReport& report) {
  if (report.refusals.empty()) return "";
  std::string text = "\nOn the CPU because\n";
  for (const auto& refusal : report.refusals) {
    text += fmt::format("  {}{}{}{}\n", support::to_string(refusal.code), refusal.name.empty() ? "" : ": ",
                        refusal.name, refusal.node.empty() ? "" : " (in " + refusal.node + ")");
  }
  return text;
}

std::string explain_text(const StatementRecord& record, const ExplainOptions& options) {
  const auto report = record.report();
  std::string text = tree_text(record.explain(), report, options.analyze);
  text += pipeline_text(report, options);
  text += reason_text(report);
  if (options.analyze) text += totals_text(report);
  return text;
}

std::string explain_json(const StatementRecord& record, const ExplainOptions& options) {
  const auto lines = record.explain();
  const auto report = record.report();
  std::string nodes;
  for (size_t at = 0; at < lines.size();) {
    nodes += (nodes.empty() ? "" : ",\n") + json_node(lines, at, report, options.analyze);
  }
  return "[\n" + nodes + "\n]\n";
}

}  // namespace weft::sql
