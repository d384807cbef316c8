// The arithmetic of windows on the CPU: random partitions, orders, frames and exclusions against a reference that asks
// for every pair of rows whether the one is in the other's frame.
#include "gpu/kernels/window_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <vector>

#include "gpu/kernels/window_aggregates.hpp"
#include "gpu/kernels/window_frames.hpp"
#include "gpu/kernels/window_functions.hpp"

namespace weft::gpu::window {
namespace {

using plan::FrameBoundKind;
using plan::FrameExclude;
using plan::FrameUnit;
using Key = std::optional<int32_t>;
using Offset = std::optional<int64_t>;

template <typename Functor>
void run(const Functor& functor, Row rows) {
  for (Row row = 0; row < rows; ++row) functor(row);
}

std::vector<uint32_t> mask_for(Row rows) { return std::vector<uint32_t>(static_cast<size_t>(rows) / 32 + 1, 0); }

template <typename Functor>
std::vector<uint32_t> run_masked(const Functor& functor, Row rows) {
  std::vector<uint32_t> mask = mask_for(rows);
  for (Row row = 0; row < rows; ++row) {
    if (functor(row)) mask[static_cast<size_t>(row) / 32] |= 1U << (row % 32);
  }
  return mask;
}

// A column with NULLs in the form of the device.
template <typename T>
struct HostColumn {
  explicit HostColumn(const std::vector<std::optional<T>>& from)
      : mask(mask_for(static_cast<Row>(from.size()))), before(1, 0) {
    for (size_t i = 0; i < from.size(); ++i) {
      values.push_back(from[i].value_or(T{77}));  // what stands in the place of a NULL must not matter
      if (from[i]) mask[i / 32] |= 1U << (i % 32);
      before.push_back(before.back() + (from[i] ? 1 : 0));
    }
  }
  std::vector<T> values;
  std::vector<uint32_t> mask;
  std::vector<Row> before;
  Present present() const { return {before.data()}; }
};

struct HostRuns {
  explicit HostRuns(const std::vector<uint8_t>& changed) {
    Row last = -1;
    for (const uint8_t begins : changed) numbers.push_back(last += begins);
    starts.resize(static_cast<size_t>(last) + 2, -1);
    const auto rows = static_cast<Row>(changed.size());
    run(WriteStarts{changed.data(), numbers.data(), rows, starts.data()}, rows);
  }
  Runs view() const { return {numbers.data(), starts.data()}; }
  std::vector<Row> numbers;
  std::vector<Row> starts;
};

// Sorted rows of one part.
struct Part {
  Part(std::vector<int32_t> partition_of, std::vector<Key> order, bool down)
      : partition(std::move(partition_of)), keys(std::move(order)), descending(down), key_column(keys) {
    std::vector<uint8_t> changed(partition.size(), 0);
    changed[0] = 1;
    run(MarkChanges<int32_t>{partition.data(), nullptr, changed.data()}, rows());
    partitions.emplace(changed);
    run(MarkChanges<int32_t>{key_column.values.data(), key_column.mask.data(), changed.data()}, rows());
    peers.emplace(changed);
    for (Row row = 0; row < rows(); ++row) {
      groups.push_back(row == 0 ? 0 : groups.back() + (are_peers(row - 1, row) ? 0 : 1));
    }
  }
  Row rows() const { return static_cast<Row>(partition.size()); }
  Layout layout() const { return {partitions->view(), peers->view()}; }
  bool same_partition(Row a, Row b) const { return partition[at(a)] == partition[at(b)]; }
  bool are_peers(Row a, Row b) const { return same_partition(a, b) && keys[at(a)] == keys[at(b)]; }
  // The number of groups from one row of a partition to another, signed.
  int64_t groups_between(Row from, Row to) const { return groups[at(to)] - groups[at(from)]; }
  static size_t at(Row row) { return static_cast<size_t>(row); }

  std::vector<int32_t> partition;
  std::vector<Key> keys;
  bool descending;
  HostColumn<int32_t> key_column;
  std::vector<int64_t> groups;  // those that begin up to each row, by are_peers alone
  std::optional<HostRuns> partitions;
  std::optional<HostRuns> peers;
};

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  int64_t below(int64_t limit) { return std::uniform_int_distribution<int64_t>(0, limit - 1)(engine_); }
  bool one_in(int64_t n) { return below(n) == 0; }

  Part part(Row rows) {
    const bool descending = one_in(2);
    const bool nulls_first = one_in(2);
    const int64_t partitions = 1 + below(4);
    const int64_t distinct = 1 + below(rows < 40 ? 12 : 60);
    std::vector<std::pair<int32_t, Key>> pairs;
    for (Row row = 0; row < rows; ++row) {
      Key key;
      if (!one_in(6)) key = static_cast<int32_t>(below(distinct)) - 5;
      pairs.emplace_back(static_cast<int32_t>(below(partitions)), key);
    }
    std::sort(pairs.begin(), pairs.end(), [&](const auto& a, const auto& b) {
      if (a.first != b.first) return a.first < b.first;
      if (!a.second || !b.second) return nulls_first ? !a.second && b.second : a.second && !b.second;
      return descending ? *a.second > *b.second : *a.second < *b.second;
    });
    std::vector<int32_t> partition;
    std::vector<Key> keys;
    for (const auto& [p, key] : pairs) {
      partition.push_back(p);
      keys.push_back(key);
    }
    return {partition, keys, descending};
  }

  template <typename T>
  std::vector<std::optional<T>> column(Row rows, int64_t limit, int64_t null_one_in) {
    std::vector<std::optional<T>> values;
    for (Row row = 0; row < rows; ++row) {
      std::optional<T> value;
      if (!one_in(null_one_in)) value = static_cast<T>(below(limit) - limit / 2);
      values.push_back(value);
    }
    return values;
  }

 private:
  std::mt19937 engine_;
};

// A bound with its offset per row; for RANGE the offset is of the key.
struct TestBound {
  FrameBoundKind kind = FrameBoundKind::CurrentRow;
  std::vector<Offset> offsets;
  bool computed() const { return kind == FrameBoundKind::Preceding || kind == FrameBoundKind::Following; }
  bool preceding() const { return kind == FrameBoundKind::Preceding; }
};

struct TestFrame {
  FrameUnit unit = FrameUnit::Rows;
  TestBound start;
  TestBound end;
  FrameExclude exclude = FrameExclude::NoOthers;
};

TestBound random_bound(Random& random, Row rows, FrameUnit unit, bool is_end) {
  TestBound bound;
  const int64_t kind = random.below(4);
  if (kind == 0) bound.kind = is_end ? FrameBoundKind::UnboundedFollowing : FrameBoundKind::UnboundedPreceding;
  if (kind == 1) bound.kind = FrameBoundKind::Preceding;
  if (kind == 2) bound.kind = FrameBoundKind::Following;
  for (Row row = 0; row < rows; ++row) {
    Offset offset = random.below(8);
    if (random.one_in(20)) offset = std::numeric_limits<int64_t>::max();
    if (unit == FrameUnit::Range) offset = random.below(30);
    if (unit != FrameUnit::Rows && random.one_in(9)) offset.reset();
    bound.offsets.push_back(offset);
  }
  return bound;
}

// The value that a RANGE bound compares with.
Key range_value(const Part& part, const TestBound& bound, Row row) {
  const Key key = part.keys[Part::at(row)];
  const Offset offset = bound.offsets[Part::at(row)];
  if (!key || !offset) return std::nullopt;
  return static_cast<int32_t>(*key + (bound.preceding() != part.descending ? -*offset : *offset));
}

// Is `other`, a row of the same partition, on the inner side of the bound?
bool passes(const Part& part, FrameUnit unit, const TestBound& bound, bool is_end, Row row, Row other) {
  const int64_t sign = is_end ? -1 : 1;  // as if all bounds were starts
  const int64_t side = bound.preceding() ? -1 : 1;
  const bool peer_side = sign * part.groups_between(row, other) >= 0;
  switch (bound.kind) {
    case FrameBoundKind::UnboundedPreceding:
    case FrameBoundKind::UnboundedFollowing:
      return true;
    case FrameBoundKind::CurrentRow:
      return unit == FrameUnit::Rows ? sign * (int64_t{other} - row) >= 0 : peer_side;
    default:
      break;
  }
  if (unit == FrameUnit::Range) {
    const Key value = range_value(part, bound, row);
    if (!value) return peer_side;
    const Key key = part.keys[Part::at(other)];
    if (!key) return is_end ? other < row : other > row;  // NULLs before pass an end, NULLs behind a start
    const int64_t ahead = part.descending ? int64_t{*value} - *key : int64_t{*key} - *value;
    return sign * ahead >= 0;
  }
  const Offset offset = bound.offsets[Part::at(row)];
  if (!offset) return peer_side;
  const int64_t distance = unit == FrameUnit::Rows ? int64_t{other} - row : part.groups_between(row, other);
  if (*offset > part.rows()) return sign != side;  // beyond the partition
  return sign * (distance - side * *offset) >= 0;
}

bool in_frame(const Part& part, const TestFrame& frame, Row row, Row other) {
  if (!part.same_partition(row, other)) return false;
  if (!passes(part, frame.unit, frame.start, false, row, other)) return false;
  if (!passes(part, frame.unit, frame.end, true, row, other)) return false;
  switch (frame.exclude) {
    case FrameExclude::NoOthers:
      return true;
    case FrameExclude::CurrentRow:
      return row != other;
    case FrameExclude::Group:
      return !part.are_peers(row, other);
    case FrameExclude::Ties:
      return row == other || !part.are_peers(row, other);
  }
  return false;
}

struct Positions {
  std::vector<Row> rows;
  int32_t error = 0;
};

Positions positions_of(const Part& part, FrameUnit unit, const TestBound& bound, bool is_end) {
  Positions found;
  found.rows.resize(Part::at(part.rows()), -7);
  const Bound target{part.layout(), bound.preceding(), is_end, found.rows.data(), &found.error};
  if (unit == FrameUnit::Range) {
    std::vector<Key> bounds;
    for (Row row = 0; row < part.rows(); ++row) bounds.push_back(range_value(part, bound, row));
    const HostColumn<int32_t> values(bounds);
    run(RangeBound<int32_t>{target, part.key_column.values.data(), part.key_column.mask.data(), values.values.data(),
                            values.mask.data(), part.descending ? ~0 : 0},
        part.rows());
    return found;
  }
  const HostColumn<int64_t> values(bound.offsets);
  const Offsets offsets{values.values.data(), values.mask.data(), 0, false};
  if (unit == FrameUnit::Rows) run(RowsBound{target, offsets}, part.rows());
  if (unit == FrameUnit::Groups) run(GroupsBound{target, offsets}, part.rows());
  return found;
}

Edge edge_of(FrameUnit unit, const TestBound& bound) {
  if (bound.computed()) return Edge::Computed;
  if (bound.kind != FrameBoundKind::CurrentRow) return Edge::Partition;
  return unit == FrameUnit::Rows ? Edge::CurrentRow : Edge::Peers;
}

// The frames of a part as the kernels compute them.
struct HostFrame {
  HostFrame(const Part& part, const TestFrame& frame) {
    view.layout = part.layout();
    view.start = edge_of(frame.unit, frame.start);
    view.end = edge_of(frame.unit, frame.end);
    view.exclude = frame.exclude;
    if (frame.start.computed()) starts = positions_of(part, frame.unit, frame.start, false);
    if (frame.end.computed()) ends = positions_of(part, frame.unit, frame.end, true);
    EXPECT_EQ(starts.error + ends.error, 0);
    view.starts = starts.rows.data();
    view.ends = ends.rows.data();
  }
  Positions starts;
  Positions ends;
  Frame view;
};

template <typename Leaves>
struct HostTree {
  HostTree(const Leaves& leaves, Row rows) {
    view.leaves = leaves;
    for (Row below = rows; below > kFanOut;) {
      const Row nodes = (below - 1) / kFanOut + 1;
      levels.push_back(std::vector<typename Leaves::State>(static_cast<size_t>(nodes)));
      run(BuildLevel<Leaves>{view, below, levels.back().data()}, nodes);
      view.levels[view.height++] = levels.back().data();
      below = nodes;
    }
  }
  std::vector<std::vector<typename Leaves::State>> levels;
  Tree<Leaves> view;
};

// One random part with one random frame, and the rows of each row's frame.
struct Trial {
  Trial(Random& random, Row rows) : part(random.part(rows)) {
    frame.unit = static_cast<FrameUnit>(random.below(3));
    frame.exclude = static_cast<FrameExclude>(random.below(4));
    frame.start = random_bound(random, rows, frame.unit, false);
    frame.end = random_bound(random, rows, frame.unit, true);
    host.emplace(part, frame);
    for (Row row = 0; row < rows; ++row) {
      std::vector<Row>& members = frames.emplace_back();
      for (Row other = 0; other < rows; ++other) {
        if (in_frame(part, frame, row, other)) members.push_back(other);
      }
    }
  }
  Row rows() const { return part.rows(); }
  const Frame& view() const { return host->view; }
  std::string text() const {
    return "unit " + std::to_string(static_cast<int>(frame.unit)) + " start " +
           std::to_string(static_cast<int>(frame.start.kind)) + " end " +
           std::to_string(static_cast<int>(frame.end.kind)) + " exclude " +
           std::to_string(static_cast<int>(frame.exclude)) + (part.descending ? " descending" : "");
  }
  Part part;
  TestFrame frame;
  std::optional<HostFrame> host;
  std::vector<std::vector<Row>> frames;
};

Row random_rows(Random& random, int trial) { return static_cast<Row>(1 + random.below(trial % 20 == 0 ? 300 : 30)); }

constexpr int kTrials = 600;

TEST(WindowRows, FramesHaveTheRowsOfTheirDefinition) {
  Random random(1);
  for (int trial = 0; trial < kTrials && !::testing::Test::HasFailure(); ++trial) {
    const Trial t(random, random_rows(random, trial));
    for (Row row = 0; row < t.rows(); ++row) {
      std::vector<Row> found;
      const FrameRanges ranges = frame_of(t.view(), row);
      for (int i = 0; i < ranges.count; ++i) {
        EXPECT_LE(ranges.range[i].begin, ranges.range[i].end);
        for (Row other = ranges.range[i].begin; other < ranges.range[i].end; ++other) found.push_back(other);
      }
      ASSERT_EQ(found, t.frames[Part::at(row)]) << "trial " << trial << " row " << row << " " << t.text();
    }
  }
}

TEST(WindowRows, CountsSumsAndExtremes) {
  Random random(2);
  for (int trial = 0; trial < kTrials && !::testing::Test::HasFailure(); ++trial) {
    const Trial t(random, random_rows(random, trial));
    const Row rows = t.rows();
    const auto values = random.column<int64_t>(rows, int64_t{1} << 40, 4);
    const HostColumn<int64_t> column(values);
    std::vector<int64_t> totals{0};
    std::vector<std::optional<double>> doubles;
    for (const auto& value : values) {
      totals.push_back(totals.back() + value.value_or(0));
      doubles.push_back(value ? std::optional<double>(static_cast<double>(*value)) : std::nullopt);
    }
    const HostColumn<double> double_column(doubles);
    const auto count = static_cast<size_t>(rows);
    std::vector<int64_t> counts(count), sums(count), least(count), most(count), moment_counts(count);
    std::vector<double> double_sums(count), means(count), squares(count);
    const Frame& frame = t.view();
    const Present present = column.present();
    const uint32_t* mask = column.mask.data();
    run(CountFrame{frame, present, counts.data()}, rows);
    const auto sum_valid = run_masked(SumFrame{frame, present, totals.data(), sums.data()}, rows);
    const int64_t largest = std::numeric_limits<int64_t>::max();
    const HostTree<LeastLeaves<int64_t>> low({column.values.data(), mask, 0, largest}, rows);
    const HostTree<LeastLeaves<int64_t>> high({column.values.data(), mask, ~int64_t{0}, largest}, rows);
    const auto least_valid = run_masked(LeastFrame<int64_t>{frame, present, low.view, least.data()}, rows);
    const auto most_valid = run_masked(LeastFrame<int64_t>{frame, present, high.view, most.data()}, rows);
    const HostTree<DoubleLeaves> adds({double_column.values.data(), mask}, rows);
    const auto double_valid = run_masked(DoubleSumFrame{frame, present, adds.view, double_sums.data()}, rows);
    const HostTree<MomentsLeaves> moments({double_column.values.data(), mask}, rows);
    run(MomentsFrame{frame, moments.view, moment_counts.data(), means.data(), squares.data()}, rows);
    for (Row row = 0; row < rows; ++row) {
      const size_t at = Part::at(row);
      std::vector<int64_t> seen;
      for (const Row other : t.frames[at]) {
        if (values[Part::at(other)]) seen.push_back(*values[Part::at(other)]);
      }
      ASSERT_EQ(counts[at], static_cast<int64_t>(seen.size())) << trial << " " << t.text();
      ASSERT_EQ(moment_counts[at], counts[at]);
      for (const auto& valid : {sum_valid, least_valid, most_valid, double_valid}) {
        ASSERT_EQ(has_value(valid.data(), row), !seen.empty());
      }
      if (seen.empty()) continue;
      int64_t sum = 0;
      for (const int64_t value : seen) sum += value;
      const double mean = static_cast<double>(sum) / static_cast<double>(seen.size());
      double squared = 0;
      for (const int64_t value : seen)
        squared += (static_cast<double>(value) - mean) * (static_cast<double>(value) - mean);
      ASSERT_EQ(sums[at], sum);
      ASSERT_EQ(double_sums[at], static_cast<double>(sum));  // whole numbers below 2^53: any order is exact
      ASSERT_EQ(least[at], *std::min_element(seen.begin(), seen.end()));
      ASSERT_EQ(most[at], *std::max_element(seen.begin(), seen.end()));
      ASSERT_NEAR(means[at], mean, 1e-3);
      ASSERT_NEAR(squares[at], squared, 1e-9 * squared + 1e-3);
    }
  }
}

TEST(WindowRows, ExtremesByPosition) {
  Random random(3);
  for (int trial = 0; trial < 300; ++trial) {
    const Trial t(random, random_rows(random, trial));
    const Row rows = t.rows();
    const auto values = random.column<int32_t>(rows, 50, 3);
    const HostColumn<int32_t> column(values);
    std::vector<Row> order(static_cast<size_t>(rows));
    for (Row row = 0; row < rows; ++row) order[Part::at(row)] = row;
    std::stable_sort(order.begin(), order.end(), [&](Row a, Row b) {
      if (!values[Part::at(a)] || !values[Part::at(b)]) return values[Part::at(a)].has_value() && !values[Part::at(b)];
      return *values[Part::at(a)] < *values[Part::at(b)];
    });
    std::vector<Row> positions(order.size());
    run(InvertOrder{order.data(), positions.data()}, rows);
    for (const bool least : {true, false}) {
      const HostTree<LeastLeaves<Row>> tree(
          {positions.data(), column.mask.data(), least ? 0 : ~0, std::numeric_limits<Row>::max()}, rows);
      std::vector<Row> found(order.size());
      run(LeastRowOfFrame{t.view(), column.present(), tree.view, order.data(), found.data()}, rows);
      for (Row row = 0; row < rows; ++row) {
        std::optional<int32_t> best;
        for (const Row other : t.frames[Part::at(row)]) {
          const auto& value = values[Part::at(other)];
          if (value && (!best || (least ? *value < *best : *value > *best))) best = value;
        }
        const Row at = found[Part::at(row)];
        ASSERT_EQ(at == kNoRow ? std::nullopt : values[Part::at(at)], best);
      }
    }
  }
}

TEST(WindowRows, NthValues) {
  Random random(4);
  for (int trial = 0; trial < kTrials && !::testing::Test::HasFailure(); ++trial) {
    const Trial t(random, random_rows(random, trial));
    const Row rows = t.rows();
    const auto values = random.column<int32_t>(rows, 100, 3);
    const HostColumn<int32_t> column(values);
    std::vector<Offset> nth;
    for (Row row = 0; row < rows; ++row) nth.push_back(random.one_in(8) ? Offset{} : Offset{random.below(7) - 1});
    const HostColumn<int64_t> nth_column(nth);
    for (const bool ignore_nulls : {false, true}) {
      const Present present = ignore_nulls ? column.present() : Present{};
      std::vector<Row> nths(static_cast<size_t>(rows)), lasts(nths);
      run(NthOfFrame{t.view(), present, Offsets{nth_column.values.data(), nth_column.mask.data(), 0, false}, false,
                     nths.data()},
          rows);
      run(NthOfFrame{t.view(), present, Offsets{nullptr, nullptr, 1, false}, true, lasts.data()}, rows);
      for (Row row = 0; row < rows; ++row) {
        std::vector<Row> seen;
        for (const Row other : t.frames[Part::at(row)]) {
          if (!ignore_nulls || values[Part::at(other)]) seen.push_back(other);
        }
        const Offset n = nth[Part::at(row)];
        const bool there = n && *n >= 1 && *n <= static_cast<int64_t>(seen.size());
        ASSERT_EQ(nths[Part::at(row)], there ? seen[static_cast<size_t>(*n) - 1] : kNoRow) << t.text();
        ASSERT_EQ(lasts[Part::at(row)], seen.empty() ? kNoRow : seen.back()) << t.text();
      }
    }
  }
}

// Walks the partition a row at a time.
Row shift_by_steps(const Part& part, const std::vector<std::optional<int32_t>>& values, bool ignore_nulls, bool ahead,
                   Row row, const Offset& offset) {
  if (!offset) return kNoRow;
  int64_t left = std::min<int64_t>(std::abs(std::max(*offset, -int64_t{1000})), 1000);
  const Row step = ahead == (*offset > 0) ? 1 : -1;
  Row at = row;
  while (left > 0) {
    at += step;
    if (at < 0 || at >= part.rows() || !part.same_partition(at, row)) return kDefaultRow;
    if (!ignore_nulls || values[Part::at(at)]) --left;
  }
  return at;
}

TEST(WindowRows, LagAndLead) {
  Random random(5);
  for (int trial = 0; trial < kTrials && !::testing::Test::HasFailure(); ++trial) {
    const Row rows = random_rows(random, trial);
    const Part part = random.part(rows);
    const auto values = random.column<int32_t>(rows, 100, 3);
    const HostColumn<int32_t> column(values);
    std::vector<Offset> offsets;
    for (Row row = 0; row < rows; ++row) {
      Offset offset = random.below(9) - 4;
      if (random.one_in(9)) offset.reset();
      if (random.one_in(12)) offset = std::numeric_limits<int64_t>::min();
      if (random.one_in(12)) offset = std::numeric_limits<int64_t>::max();
      offsets.push_back(offset);
    }
    const HostColumn<int64_t> offset_column(offsets);
    const Offsets view{offset_column.values.data(), offset_column.mask.data(), 0, false};
    for (const bool ahead : {false, true}) {
      for (const bool ignore_nulls : {false, true}) {
        std::vector<Row> found(static_cast<size_t>(rows));
        run(Shift{part.layout(), view, ahead, ignore_nulls ? column.present() : Present{}, found.data()}, rows);
        for (Row row = 0; row < rows; ++row) {
          ASSERT_EQ(found[Part::at(row)],
                    shift_by_steps(part, values, ignore_nulls, ahead, row, offsets[Part::at(row)]))
              << "row " << row << (ahead ? " lead" : " lag");
        }
        std::vector<uint8_t> defaults(found.size());
        run(TakesDefault{found.data(), defaults.data()}, rows);
        for (size_t i = 0; i < found.size(); ++i) ASSERT_EQ(defaults[i] != 0, found[i] == kDefaultRow);
      }
    }
  }
}

TEST(WindowRows, Ranks) {
  Random random(6);
  for (int trial = 0; trial < kTrials && !::testing::Test::HasFailure(); ++trial) {
    const Row rows = random_rows(random, trial);
    const Part part = random.part(rows);
    const auto count = static_cast<size_t>(rows);
    std::vector<int64_t> numbers(count), ranks(count), dense(count);
    std::vector<double> percent(count), cumulative(count);
    run(RowNumber{part.layout(), numbers.data()}, rows);
    run(Rank{part.layout(), ranks.data()}, rows);
    run(DenseRank{part.layout(), dense.data()}, rows);
    run(PercentRank{part.layout(), percent.data()}, rows);
    run(CumeDist{part.layout(), cumulative.data()}, rows);
    for (Row row = 0; row < rows; ++row) {
      int64_t size = 0, before = 0, above = 0, up_to = 0, groups = 0;
      for (Row other = 0; other < rows; ++other) {
        if (!part.same_partition(row, other)) continue;
        ++size;
        before += other < row ? 1 : 0;
        const bool peer = part.are_peers(row, other);
        above += other < row && !peer ? 1 : 0;
        up_to += other < row || peer ? 1 : 0;
        groups = std::max(groups, part.groups_between(other, row));
      }
      const size_t at = Part::at(row);
      ASSERT_EQ(numbers[at], before + 1);
      ASSERT_EQ(ranks[at], above + 1);
      ASSERT_EQ(dense[at], groups + 1);
      ASSERT_EQ(percent[at], size == 1 ? 0 : static_cast<double>(above) / static_cast<double>(size - 1));
      ASSERT_EQ(cumulative[at], static_cast<double>(up_to) / static_cast<double>(size));
    }
  }
}

TEST(WindowRows, NtileFillsLargeBucketsFirst) {
  for (Row rows = 1; rows <= 40; ++rows) {
    const Part part(std::vector<int32_t>(static_cast<size_t>(rows), 1), std::vector<Key>(static_cast<size_t>(rows)),
                    false);
    for (int64_t buckets = 1; buckets <= 45; ++buckets) {
      std::vector<int64_t> found(static_cast<size_t>(rows));
      int32_t error = 0;
      const Offsets argument{nullptr, nullptr, buckets, false};
      const auto valid = run_masked(Ntile{part.layout(), argument, found.data(), &error}, rows);
      ASSERT_EQ(error, 0);
      std::vector<int64_t> expected;
      for (int64_t bucket = 1; bucket <= buckets; ++bucket) {
        const int64_t size = rows / buckets + (bucket <= rows % buckets ? 1 : 0);
        expected.insert(expected.end(), static_cast<size_t>(size), bucket);
      }
      ASSERT_EQ(found, expected) << rows << " rows in " << buckets;
      ASSERT_TRUE(has_value(valid.data(), rows - 1));
    }
  }
}

TEST(WindowRows, NtileOfNullAndOfNothing) {
  const Part part({1, 1, 1}, {1, 2, 3}, false);
  std::vector<int64_t> found(3);
  int32_t error = 0;
  const auto valid = run_masked(Ntile{part.layout(), Offsets{nullptr, nullptr, 0, true}, found.data(), &error}, 3);
  EXPECT_EQ(valid[0], 0U);
  EXPECT_EQ(error, 0);
  run_masked(Ntile{part.layout(), Offsets{nullptr, nullptr, 0, false}, found.data(), &error}, 3);
  EXPECT_NE(error, 0);
}

TEST(WindowRows, BadOffsetsAreErrors) {
  const Part part({1, 1, 1}, {1, 2, Key{}}, false);
  const auto error = [&](FrameUnit unit, FrameBoundKind kind, const Offset& offset) {
    TestBound bound{kind, {Offset{1}, offset, Offset{1}}};
    const int32_t at_start = positions_of(part, unit, bound, false).error;
    EXPECT_EQ(positions_of(part, unit, bound, true).error, at_start);
    return static_cast<BoundError>(at_start);
  };
  for (const FrameBoundKind kind : {FrameBoundKind::Preceding, FrameBoundKind::Following}) {
    for (const FrameUnit unit : {FrameUnit::Rows, FrameUnit::Range, FrameUnit::Groups}) {
      EXPECT_EQ(error(unit, kind, -1), BoundError::Negative);
      EXPECT_EQ(error(unit, kind, 0), BoundError::None);
    }
    EXPECT_EQ(error(FrameUnit::Rows, kind, std::nullopt), BoundError::Null);
    EXPECT_EQ(error(FrameUnit::Range, kind, std::nullopt), BoundError::None);
    EXPECT_EQ(error(FrameUnit::Groups, kind, std::nullopt), BoundError::None);
  }
}

TEST(WindowRows, TreesOfManyLevels) {
  Random random(7);
  constexpr Row kRows = 70001;  // four levels above the rows
  const auto values = random.column<int64_t>(kRows, 1000000, 5);
  const HostColumn<int64_t> column(values);
  std::vector<std::optional<double>> doubles;
  for (const auto& value : values) doubles.push_back(value ? std::optional<double>(*value) : std::nullopt);
  const HostColumn<double> double_column(doubles);
  const uint32_t* mask = column.mask.data();
  const HostTree<LeastLeaves<int64_t>> low({column.values.data(), mask, 0, std::numeric_limits<int64_t>::max()}, kRows);
  const HostTree<DoubleLeaves> adds({double_column.values.data(), mask}, kRows);
  ASSERT_EQ(low.view.height, 4);
  for (int trial = 0; trial < 400; ++trial) {
    const auto begin = static_cast<Row>(random.below(kRows));
    const auto end = static_cast<Row>(begin + random.below(kRows - begin + 1));
    int64_t least = std::numeric_limits<int64_t>::max();
    double sum = 0;
    for (Row row = begin; row < end; ++row) {
      if (!values[Part::at(row)]) continue;
      least = std::min(least, *values[Part::at(row)]);
      sum += static_cast<double>(*values[Part::at(row)]);
    }
    FrameRanges ranges;
    ranges.add(begin, end);
    ASSERT_EQ(low.view.of(ranges), least) << begin << ".." << end;
    ASSERT_EQ(adds.view.of(ranges), sum) << begin << ".." << end;
  }
}

TEST(WindowRows, InfinitiesAndNansStayInTheirFrames) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const std::vector<std::optional<double>> values{1e308, 1.0, kInf, 2.0, std::nan(""), 3.0, 1e17, 1.0, -1e17};
  const HostColumn<double> column(values);
  const auto rows = static_cast<Row>(values.size());
  const HostTree<DoubleLeaves> tree({column.values.data(), nullptr}, rows);
  const auto sum = [&](Row begin, Row end) {
    FrameRanges ranges;
    ranges.add(begin, end);
    return tree.view.of(ranges);
  };
  EXPECT_EQ(sum(2, 4), kInf);
  EXPECT_EQ(sum(3, 4), 2.0);
  EXPECT_TRUE(std::isnan(sum(3, 6)));
  EXPECT_EQ(sum(5, 6), 3.0);
  EXPECT_EQ(sum(7, 8), 1.0);  // a difference of running totals would give 0
  const HostTree<MomentsLeaves> moments({column.values.data(), nullptr}, rows);
  const auto squares = [&](Row begin, Row end) {
    FrameRanges ranges;
    ranges.add(begin, end);
    return moments.view.of(ranges).squares;
  };
  EXPECT_TRUE(std::isnan(squares(1, 3)));
  EXPECT_TRUE(std::isnan(squares(2, 4)));
  EXPECT_EQ(squares(2, 3), 0);  // one value
  EXPECT_TRUE(std::isnan(squares(4, 6)));
}

TEST(WindowRows, RunsOfText) {
  const std::string chars = "aabbabb";
  const std::vector<int32_t> narrow{0, 1, 2, 4, 5, 5, 7, 7};  // a a bb a '' bb ''
  const std::vector<int64_t> wide(narrow.begin(), narrow.end());
  const uint32_t valid = 0b0111111;  // the last row is NULL
  std::vector<uint8_t> changed{1, 0, 0, 0, 0, 0, 0};
  run(MarkTextChanges<int32_t>{chars.data(), narrow.data(), &valid, changed.data()}, 7);
  EXPECT_EQ(changed, (std::vector<uint8_t>{1, 0, 1, 1, 1, 1, 1}));
  std::vector<uint8_t> again{1, 0, 0, 0, 0, 0, 0};
  run(MarkTextChanges<int64_t>{chars.data(), wide.data(), &valid, again.data()}, 7);
  EXPECT_EQ(again, changed);
  const HostRuns runs(changed);
  EXPECT_EQ(runs.starts, (std::vector<Row>{0, 2, 3, 4, 5, 6, 7}));
}

}  // namespace
}  // namespace weft::gpu::window
