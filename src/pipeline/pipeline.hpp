// A plan as pipelines: a source, a program of streaming steps, a sink. Breakers (hash build, aggregate, sort, shared
// CTE, limit) end one. It is data, so more than one executor can run it. No CUDA here; golden-tested without a GPU.
//
// States connect pipelines: a sink fills one, a later pipeline probes it or reads it as its source. Several pipelines
// may end in one sink (UNION ALL, the unmatched rows of an outer join): the sink finishes when the last of them has.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "plan/node.hpp"

namespace weft::pipeline {

using PipelineId = uint32_t;
using StateId = uint32_t;

/// Column types of the rows between two steps.
struct RowType {
  std::vector<plan::Column> columns;
};

// ---- sources
/// Filters of the scan are applied by the source.
struct ScanSource {
  const plan::Scan* scan;
};
/// An engine::BatchSource, by its number.
struct HostRows {
  uint32_t source;
};
struct ValuesSource {
  const plan::Values* values;
};
/// What an aggregate, window, sort, top-n, limit or CTE produced.
struct StateRows {
  StateId state;
};
/// JoinSpec::build_output of a join's build rows, after all probes.
struct BuildRows {
  StateId state;
  bool matched;  // true: rows that matched (semi), false: those that did not
};
using Source = std::variant<ScanSource, HostRows, ValuesSource, StateRows, BuildRows>;

// ---- steps
struct FilterStep {
  std::vector<plan::ExprPtr> conjuncts;
  std::vector<uint32_t> projection;
};
struct ProjectStep {
  std::vector<plan::ExprPtr> expressions;
};
/// Probes a join's build state. The row in is the probe side; see JoinSpec for what comes out.
struct ProbeStep {
  StateId state;
};
using StepBody = std::variant<FilterStep, ProjectStep, ProbeStep>;
struct Step {
  StepBody body;
  RowType output;
  uint32_t node = 0;  // the plan node that it came from: EXPLAIN ANALYZE adds its figures there
};

// ---- sinks
enum class MarkKind : uint8_t { TwoValued, ThreeValued };

/// `probe compare build`, one of < <= > >=.
struct RangeCondition {
  plan::ExprPtr probe;  // over the probe row
  plan::ExprPtr build;  // over the build row; same type
  plan::CompareOp compare = plan::CompareOp::Less;
};

/// Build rows that may match are found by their order: rows without NULLs, sorted by (build_keys, first.build), so that
/// those with equal keys that satisfy `first` and `second` follow each other.
struct RangeSearch {
  RangeCondition first;
  /// The other end of the range: a condition on the same `build` as the first, in the other direction.
  std::optional<RangeCondition> second;
  /// Without `second` and keys: a condition on another `build` that cuts off candidates that cannot satisfy it. It is
  /// in the residual too.
  std::optional<RangeCondition> reach;
  /// ASOF: of the rows that match, residual included, only the last one in the order.
  bool nearest = false;
  /// A value that is searched for, or by, may raise, and it is no error if no pair asks for it: when one does, all
  /// pairs are asked this, the whole condition, instead. Null: no value can raise; or an ASOF join, where it is an
  /// error.
  plan::ExprPtr otherwise;
};

/// A join, as its build state sees it. `probe`/`build` say which side of the plan's join is which.
struct JoinSpec {
  const plan::Join* join = nullptr;
  bool build_is_left = false;
  std::vector<plan::ExprPtr> probe_keys;  // over the probe row
  std::vector<plan::ExprPtr> build_keys;  // over the build row
  std::vector<bool> null_equal;           // per key
  std::optional<RangeSearch> search;      // nullopt: by hash of the keys, or all pairs
  plan::ExprPtr residual;                 // over left ++ right columns of the plan's join, `search` apart; null: none
  std::vector<uint32_t> probe_output;     // columns of the probe row that go on
  std::vector<uint32_t> build_output;     // columns of the build row that go on
  RowType probe_row;
  RowType build_row;
  /// What the probe emits. Inner: matches. ProbeOuter: matches and probe rows without one (build columns NULL).
  /// ProbeSemi / ProbeAnti: probe rows. ProbeMark: probe row and the mark. ProbeSingle: probe row and its one match.
  /// MarkBuildOnly: nothing; it only marks matched build rows (build-side semi and anti; the probe pipeline ends
  /// there).
  enum class Emit : uint8_t {
    Inner,
    ProbeOuter,
    ProbeSemi,
    ProbeAnti,
    ProbeMark,
    ProbeSingle,
    MarkBuildOnly
  } emit = Emit::Inner;
  bool track_build_matches = false;  // a BuildRows source will read matched or unmatched build rows
  MarkKind mark = MarkKind::TwoValued;
  bool output_left_is_probe = true;  // order of the output: left columns first, whichever side probes
};

/// The join is in StateInfo::join.
struct HashBuildSink {
  StateId state;
};
struct AggregateSink {
  StateId state;
  const plan::Aggregate* aggregate;
};
/// Gathers all rows; its StateRows are the rows with the calls' columns behind them.
struct WindowSink {
  StateId state;
  const plan::Window* window;
};
struct SortSink {
  StateId state;
  const plan::Sort* sort;
};
struct TopNSink {
  StateId state;
  const plan::TopN* top_n;
};
/// Keeps source order; stops its sources when full.
struct LimitSink {
  StateId state;
  const plan::Limit* limit;
};
/// Shared CTE; freed after its last reader.
struct MaterializeSink {
  StateId state;
  uint32_t readers;
};
struct DiscardSink {};  // after a MarkBuildOnly probe
struct ResultSink {};
using Sink = std::variant<HashBuildSink, AggregateSink, WindowSink, SortSink, TopNSink, LimitSink, MaterializeSink,
                          DiscardSink, ResultSink>;

struct Pipeline {
  PipelineId id = 0;
  Source source;
  RowType source_row;
  uint32_t source_node = 0;
  std::vector<Step> steps;
  Sink sink;
  uint32_t sink_node = 0;
  /// Run when all of these have finished and their sinks are final, its own sink apart: the unmatched rows of an outer
  /// join wait for the pipelines that probe it, and end in the same sink as those.
  std::vector<PipelineId> after;
  const RowType& row_into_sink() const { return steps.empty() ? source_row : steps.back().output; }
};

struct StateInfo {
  StateId id = 0;
  uint32_t node = 0;
  RowType row;                      // rows that a StateRows or BuildRows source of it yields
  std::vector<PipelineId> feeders;  // pipelines that end in it
  std::vector<PipelineId> readers;  // pipelines that probe it or have it as source: freed when all are done
  bool is_join = false;
  JoinSpec join;  // if is_join
};

/// The whole plan as pipelines, in an order that respects `after`. `plan` must outlive it (specs point into its nodes).
struct Program {
  std::vector<Pipeline> pipelines;  // the last ones feed the ResultSink
  std::vector<StateInfo> states;    // states[i].id == i
  RowType result;
  bool keep_order = false;
};

/// Lowers a validated plan. Total on every plan that validates. A filter or projection becomes a step of the pipeline
/// below it; Union becomes several pipelines with the same sink; a CTE with one reference is inlined.
Program lower(const plan::Plan& plan);

/// Throws InternalError if the program breaks a promise of this header: ids and order, row types that connect, feeders
/// and readers complete, `after` complete, DiscardSink exactly behind a MarkBuildOnly probe.
void check(const Program& program);

/// For golden tests and EXPLAIN: a pipeline a line group, with source, steps, sink and what it waits for.
std::string print(const Program& program);
/// One line: "P2: scan orders -> filter -> probe S0 -> aggregate S1".
std::string describe(const Pipeline& pipeline, const Program& program);

}  // namespace weft::pipeline
