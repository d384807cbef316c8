// A query plan as plain structs. Columns are positional; every node knows its output columns. No DuckDB, no CUDA.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "plan/expression.hpp"

namespace weft::plan {

struct Column {
  std::string name;  // for people; never used to find a column
  Type type;
  bool nullable = true;
};

// ---- leaves

/// Identity of a file when the plan was made: reading checks it and gives source_changed if it differs.
struct ScanFile {
  std::string path;  // absolute, local
  uint64_t size_bytes = 0;
  int64_t mtime_ns = 0;
  std::vector<Value> constants;  // one per ScanColumn of kind FileConstant, in their order (hive keys, filename)
};

struct ScanColumn {
  enum class Kind : uint8_t { File, FileConstant, FileRowNumber };
  Kind kind = Kind::File;
  std::string name;              // File: the column's name in the file, found by name in every file
  Type type;                     // bound type: a file column of another type is cast to it
  bool null_if_missing = false;  // File: union_by_name; else a missing column is an error
};

/// Parquet files. Output columns are `columns[projection[i]]`. Every filter must hold; column references of a filter
/// are positions in `columns`. Filters are conjuncts in DuckDB's order.
struct Scan {
  std::string table_name;  // for people
  std::vector<ScanFile> files;
  std::vector<ScanColumn> columns;
  std::vector<ExprPtr> filters;
  std::vector<uint32_t> projection;
};

/// Rows that DuckDB produces (its tables, CSV, JSON, range(), a refused subtree), through engine::BatchSource number
/// `source`. The output columns are the source's.
struct HostSource {
  uint32_t source = 0;
  std::string description;  // for people: "table lineitem", "read_csv('a.csv')", "WINDOW (refused)"
};

struct Values {
  std::vector<std::vector<Value>> rows;  // may be empty; a row may have no columns (SELECT 1 without FROM)
};

// ---- one child

struct Filter {
  std::vector<ExprPtr> conjuncts;    // in order: a later one is evaluated only on rows that passed the earlier ones
  std::vector<uint32_t> projection;  // output column i is the child's column projection[i]
};

struct Project {
  std::vector<ExprPtr> expressions;
};

struct SortKey {
  ExprPtr expression;
  bool descending = false;
  bool nulls_first = false;
};

struct AggregateCall {
  std::string function;  // DuckDB's name: sum, avg, count, count_star, min, max, first, any_value, stddev_samp, ...
  std::vector<ExprPtr> arguments;
  Type type;  // result
  bool distinct = false;
  ExprPtr filter;                 // null: none
  std::vector<SortKey> order_by;  // ORDER BY inside the call; empty: none
  uint32_t id = 0;                // as Expr::id
};

/// Output: the groups, then the aggregates, then a BIGINT per entry of `groupings`. No aggregates: DISTINCT. No groups:
/// one row, also over no input.
struct Aggregate {
  std::vector<ExprPtr> groups;
  std::vector<AggregateCall> aggregates;
  /// GROUPING SETS, ROLLUP, CUBE: each set lists positions in `groups`, ascending and each once; the rows are
  /// aggregated once for each set, and groups that are not in the set are NULL. A set may stand twice: its rows come
  /// twice. The empty set gives one row, also over no input. Empty list: one set of all groups.
  std::vector<std::vector<uint32_t>> grouping_sets;
  /// GROUPING(a, b, ...): positions in `groups`; the value has a bit per argument, the last one lowest, set where the
  /// argument is not in the row's set.
  std::vector<std::vector<uint32_t>> groupings;
};

// ---- windows

enum class FrameUnit : uint8_t { Rows, Range, Groups };
enum class FrameBoundKind : uint8_t { UnboundedPreceding, Preceding, CurrentRow, Following, UnboundedFollowing };
enum class FrameExclude : uint8_t { NoOthers, CurrentRow, Group, Ties };

struct FrameBound {
  FrameBoundKind kind = FrameBoundKind::UnboundedPreceding;
  /// Preceding and Following. Rows, Groups: the offset, a BIGINT over the child's columns. As in DuckDB a negative one
  /// raises, and so does NULL for Rows; for Groups NULL is the row's own peers, as a NULL bound is for Range. Range:
  /// the bound itself (order key minus or plus the offset, as DuckDB's binder writes it), of the order key's type, over
  /// the child's columns: the frame starts at the first (ends after the last) row of the partition whose key is not
  /// before (after) it in the sort's order. Null for the other kinds.
  ExprPtr value;
};

/// SQL's rule without ORDER BY: the frame is the whole partition; with it: RANGE UNBOUNDED PRECEDING TO CURRENT ROW.
struct Frame {
  FrameUnit unit = FrameUnit::Range;
  FrameBound start{FrameBoundKind::UnboundedPreceding, nullptr};
  FrameBound end{FrameBoundKind::CurrentRow, nullptr};
  FrameExclude exclude = FrameExclude::NoOthers;
};

struct WindowCall {
  std::string function;  // row_number, rank, dense_rank, percent_rank, cume_dist, ntile, lag, lead, first_value,
                         // last_value, nth_value, or an aggregate's name (AggregateCall::function)
  bool is_aggregate = false;
  std::vector<ExprPtr> arguments;  // lag, lead: value, offset (BIGINT), default; all three always there
  Type type;                       // result
  bool distinct = false;
  bool ignore_nulls = false;
  ExprPtr filter;                          // aggregates; null: none
  std::vector<SortKey> argument_order_by;  // ORDER BY inside the call; empty: none
  Frame frame;                             // read by aggregates and first, last, nth_value
  uint32_t id = 0;                         // as Expr::id
};

/// True for the calls whose answer depends on their frame: aggregates, first_value, last_value, nth_value.
bool reads_frame(const WindowCall& call);

/// Output: the child's columns, then one per call. All calls share the partitions and the order; a query with other
/// windows has a node for each. The order of the output rows is not specified.
struct Window {
  std::vector<ExprPtr> partitions;
  std::vector<SortKey> orders;
  std::vector<WindowCall> calls;
};

struct Sort {
  std::vector<SortKey> keys;
};

struct TopN {
  std::vector<SortKey> keys;
  uint64_t limit = 0;
  uint64_t offset = 0;
};

struct Limit {
  std::optional<uint64_t> limit;
  uint64_t offset = 0;
};

// ---- two or more children

enum class JoinKind : uint8_t {
  Inner,
  Left,
  Right,
  Full,
  Semi,
  Anti,    // rows of the left side
  Mark,    // left columns, then a BOOLEAN: does a match exist
  Single,  // left columns, right columns of the one match or NULLs; a second match raises
};
enum class BuildSide : uint8_t { Left, Right };  // which child is built into a hash table; the other one probes

struct JoinKey {
  ExprPtr left;             // over the left child's columns
  ExprPtr right;            // over the right child's columns; same type as left
  bool null_equal = false;  // true: IS NOT DISTINCT FROM
};

/// ASOF: of the right rows that a left row may be joined with (keys, `left compare right` and the residual hold), it is
/// joined with the nearest one alone: the greatest `right` for > and >=, the least for < and <=. Which one of several
/// equally near rows that is, is not specified (DuckDB's own joins differ, docs/testing.md).
struct AsofOrder {
  ExprPtr left;                                 // over the left child's columns
  ExprPtr right;                                // over the right child's columns; same type as left
  CompareOp compare = CompareOp::GreaterEqual;  // or Greater, Less, LessEqual
};

/// children[0] = left, children[1] = right. No keys and no residual: a cross product (or ON true).
/// Output: left columns left_output[i], then right columns right_output[i] (none for Semi, Anti, Mark), then for Mark
/// the mark. Columns of an outer join's other side are nullable.
struct Join {
  JoinKind kind = JoinKind::Inner;
  BuildSide build = BuildSide::Right;  // Left is allowed for Semi and Anti too (DuckDB's RIGHT_SEMI, RIGHT_ANTI)
  std::vector<JoinKey> keys;
  std::optional<AsofOrder> asof;  // Inner, Left, Right and Full, build = Right
  ExprPtr residual;               // over left ++ right columns; null: none
  /// Mark. The condition of a pair is the conjunction of all keys and the residual, in SQL's three-valued logic. The
  /// mark is true if it is true for some right row; else, with this flag, NULL if it is NULL for some right row (with
  /// one key and no residual: the left key is NULL and a right row exists, or a right key is NULL); else false.
  bool mark_three_valued = false;
  std::vector<uint32_t> left_output;
  std::vector<uint32_t> right_output;
};

/// UNION ALL of two or more children of the same column types.
struct Union {};

/// children[0] = the definition, children[1] = the part that reads it through CteReference nodes.
struct CteDefinition {
  uint32_t cte = 0;
  std::string name;
};
struct CteReference {
  uint32_t cte = 0;
};

struct Node;
using NodePtr = std::shared_ptr<const Node>;

using NodeBody = std::variant<Scan, HostSource, Values, Filter, Project, Aggregate, Window, Sort, TopN, Limit, Join,
                              Union, CteDefinition, CteReference>;

struct Node {
  uint32_t id = 0;  // unique in the plan, numbered from 1 in pre-order
  NodeBody body;
  std::vector<NodePtr> children;
  std::vector<Column> output;
  double estimated_rows = 0;  // DuckDB's estimate; 0: unknown

  template <typename T>
  const T* as() const {
    return std::get_if<T>(&body);
  }
};

struct Plan {
  NodePtr root;
  uint32_t host_sources = 0;  // HostSource::source < host_sources
  bool keep_order = false;    // results must keep source order where nothing else orders them
};

/// "SCAN", "HASH_JOIN", "AGGREGATE", ...: the node's kind for people.
const char* kind_name(const Node& node);

}  // namespace weft::plan
