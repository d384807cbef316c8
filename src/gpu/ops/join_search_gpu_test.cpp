// Joins by search against a nested loop over host rows: inequalities of one and two sorted columns, ASOF, with NULLs,
// duplicates, keys, residuals, text, floating point, empty sides, several partitions and forced spilling.
#include <limits>
#include <random>

#include "base/error.hpp"
#include "gpu/ops/test_batches.hpp"
#include "pipeline/range_search.hpp"

namespace weft::gpu {
namespace {

using Emit_ = pipeline::JoinSpec::Emit;
using plan::CompareOp;
using Value = std::optional<int32_t>;

struct HostRow {
  Value a, b, x;
};
using HostRows = std::vector<HostRow>;

// probe.<column> op build.<column>
struct Condition {
  uint32_t probe = 0;
  CompareOp op = CompareOp::Less;
  uint32_t build = 0;
};

// The ranges, in order; with `asof` the first is the order and `keys` are equal.
struct Case {
  std::vector<Condition> ranges;
  bool residual = false;  // probe.x <> build.x
  bool asof = false;
  bool key = false;  // a = a, or with null_safe IS NOT DISTINCT FROM
  bool null_safe = false;
  bool build_is_left = false;
  bool three_valued = false;  // one range, no more
};

Value field(const HostRow& row, uint32_t column) { return column == 0 ? row.a : column == 1 ? row.b : row.x; }

bool holds(CompareOp op, const Value& left, const Value& right) {
  if (!left || !right) return false;
  switch (op) {
    case CompareOp::Less:
      return *left < *right;
    case CompareOp::LessEqual:
      return *left <= *right;
    case CompareOp::Greater:
      return *left > *right;
    default:
      return *left >= *right;
  }
}

bool matches(const Case& which, const HostRow& probe, const HostRow& build) {
  bool all = true;
  for (const Condition& range : which.ranges) {
    all = all && holds(range.op, field(probe, range.probe), field(build, range.build));
  }
  if (which.residual) all = all && probe.x && build.x && *probe.x != *build.x;
  if (which.key) all = all && probe.a == build.a && (which.null_safe || probe.a);
  return all;
}

std::string text_of(const Value& value) { return value ? std::to_string(*value) : "NULL"; }
std::string text_of(const HostRow& row) { return text_of(row.a) + "|" + text_of(row.b) + "|" + text_of(row.x); }
const std::string kNulls = "NULL|NULL|NULL";

// The build rows that a probe row is joined with.
std::vector<size_t> partners(const Case& which, const HostRow& probe, const HostRows& build) {
  std::vector<size_t> found;
  for (size_t i = 0; i < build.size(); ++i) {
    if (matches(which, probe, build[i])) found.push_back(i);
  }
  if (!which.asof || found.size() < 2) return found;
  const Condition& order = which.ranges[0];
  const bool upward = order.op == CompareOp::Greater || order.op == CompareOp::GreaterEqual;
  const auto nearest = std::max_element(found.begin(), found.end(), [&](size_t i, size_t j) {
    const int32_t one = *field(build[i], order.build);
    const int32_t other = *field(build[j], order.build);
    return upward ? one < other : one > other;
  });
  return {*nearest};
}

std::vector<std::string> expected(const Case& which, Emit_ emit, const HostRows& probe, const HostRows& build) {
  std::vector<std::string> rows;
  for (const HostRow& p : probe) {
    const std::vector<size_t> found = partners(which, p, build);
    const bool pairs = emit == Emit_::Inner || emit == Emit_::ProbeOuter;
    for (const size_t i : found) {
      const HostRow& b = build[i];
      if (pairs) rows.push_back(which.build_is_left ? text_of(b) + "|" + text_of(p) : text_of(p) + "|" + text_of(b));
    }
    if (emit == Emit_::ProbeOuter && found.empty()) {
      rows.push_back(which.build_is_left ? kNulls + "|" + text_of(p) : text_of(p) + "|" + kNulls);
    }
    if ((emit == Emit_::ProbeSemi && !found.empty()) || (emit == Emit_::ProbeAnti && found.empty())) {
      rows.push_back(text_of(p));
    }
    if (emit == Emit_::ProbeMark) {
      const Condition& range = which.ranges[0];
      const bool unknown = which.three_valued && std::any_of(build.begin(), build.end(), [&](const HostRow& b) {
                             return !field(p, range.probe) || !field(b, range.build);
                           });
      rows.push_back(text_of(p) + "|" + (!found.empty() ? "1" : unknown ? "NULL" : "0"));
    }
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

HostRows random_rows(unsigned seed, int count, int domain, int nulls_in_ten) {
  std::mt19937 random(seed);
  const auto value = [&](int limit) -> Value {
    if (static_cast<int>(random() % 10) < nulls_in_ten) return std::nullopt;
    return static_cast<int32_t>(random() % static_cast<unsigned>(limit));
  };
  HostRows rows;
  for (int i = 0; i < count; ++i) rows.push_back(HostRow{value(5), value(domain), value(domain)});
  return rows;
}

// Each order value once among the rows of a key, so that there is one nearest row.
HostRows distinct_rows(unsigned seed, int count, int nulls_in_ten) {
  HostRows rows = random_rows(seed, count, 1 << 20, nulls_in_ten);
  std::vector<int32_t> values;
  for (int i = 0; i < count; ++i) values.push_back(i * 3);
  std::shuffle(values.begin(), values.end(), std::mt19937(seed));
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].b) rows[i].b = values[i];
    if (rows[i].x) rows[i].x = *rows[i].x % 7;
  }
  return rows;
}

class JoinSearchTest : public OperatorTest {
 protected:
  static plan::ExprPtr ref(uint32_t column) { return plan::column_ref(column, kTestInteger, true); }

  static pipeline::JoinSpec spec_of(const Case& which, Emit_ emit, bool track) {
    pipeline::JoinSpec spec{};
    spec.build_is_left = which.build_is_left;
    spec.output_left_is_probe = !which.build_is_left;
    spec.emit = emit;
    spec.track_build_matches = track;
    spec.mark = which.three_valued ? pipeline::MarkKind::ThreeValued : pipeline::MarkKind::TwoValued;
    for (int i = 0; i < 3; ++i) {
      spec.probe_row.columns.push_back(plan::Column{"p", kTestInteger, true});
      spec.build_row.columns.push_back(plan::Column{"b", kTestInteger, true});
    }
    const uint32_t probe_base = which.build_is_left ? 3 : 0;
    const uint32_t build_base = which.build_is_left ? 0 : 3;
    std::vector<plan::ExprPtr> conjuncts;
    for (const Condition& range : which.ranges) {
      if (which.asof) break;
      conjuncts.push_back(plan::comparison(range.op, ref(probe_base + range.probe), ref(build_base + range.build)));
    }
    if (which.residual) {
      conjuncts.push_back(plan::comparison(CompareOp::NotEqual, ref(probe_base + 2), ref(build_base + 2)));
    }
    if (!conjuncts.empty()) spec.residual = plan::conjunction(conjuncts);
    if (which.key) {
      spec.probe_keys = {ref(0)};
      spec.build_keys = {ref(0)};
      spec.null_equal = {which.null_safe};
    }
    plan::Join join;
    if (which.asof) {
      const Condition& order = which.ranges[0];
      join.asof = plan::AsofOrder{ref(order.probe), ref(order.build), order.op};
    }
    spec.join = &join;
    pipeline::choose_search(spec);
    spec.join = nullptr;
    spec.probe_output = {0, 1, 2};
    if (emit == Emit_::Inner || emit == Emit_::ProbeOuter || track) spec.build_output = {0, 1, 2};
    return spec;
  }

  Batch batch_of(const HostRows& rows, size_t begin, size_t end) const {
    Values<int32_t> a, b, x;
    for (size_t i = begin; i < end; ++i) {
      a.push_back(rows[i].a);
      b.push_back(rows[i].b);
      x.push_back(rows[i].x);
    }
    return batch({column(kTestInteger, a), column(kTestInteger, b), column(kTestInteger, x)});
  }

  std::unique_ptr<SinkState> build_of(const pipeline::JoinSpec& spec, const std::vector<Batch>& batches) const {
    auto state = make_hash_build(services(), spec);
    for (const Batch& one : batches) state->consume(context(), 0, one);
    state->finalize(context());
    return state;
  }
  std::unique_ptr<SinkState> build_of(const pipeline::JoinSpec& spec, const HostRows& rows) const {
    std::vector<Batch> batches;
    for (size_t i = 0; i < 4; ++i) {
      batches.push_back(batch_of(rows, rows.size() * i / 4, rows.size() * (i + 1) / 4));
    }
    return build_of(spec, batches);
  }

  std::vector<std::string> probe_with(const pipeline::JoinSpec& spec, SinkState& build,
                                      const std::vector<Batch>& batches) const {
    const auto step = make_probe(services(), spec, build);
    std::vector<std::string> out;
    for (const Batch& one : batches) {
      step->run(context(), one, [&](const Batch& piece) {
        for (std::string& row : rows_of(piece)) out.push_back(std::move(row));
      });
    }
    return sorted(out);
  }
  std::vector<std::string> probe_with(const pipeline::JoinSpec& spec, SinkState& build, const HostRows& rows) const {
    const size_t middle = rows.size() / 2;
    return probe_with(spec, build, {batch_of(rows, 0, middle), batch_of(rows, middle, rows.size())});
  }

  static std::string name_of(const Case& which, Emit_ emit) {
    std::string text = which.asof ? "asof" : "range";
    for (const Condition& range : which.ranges) {
      text += " " + std::to_string(range.probe) + plan::to_string(range.op) + std::to_string(range.build);
    }
    return text + " residual " + std::to_string(static_cast<int>(which.residual)) + " key " +
           std::to_string(static_cast<int>(which.key)) + std::to_string(static_cast<int>(which.null_safe)) +
           " build left " + std::to_string(static_cast<int>(which.build_is_left)) + " emit " +
           std::to_string(static_cast<int>(emit));
  }

  void check(const Case& which, Emit_ emit, const HostRows& probe, const HostRows& build) const {
    const auto spec = spec_of(which, emit, false);
    ASSERT_TRUE(spec.search) << name_of(which, emit);
    const auto state = build_of(spec, build);
    EXPECT_EQ(probe_with(spec, *state, probe), expected(which, emit, probe, build)) << name_of(which, emit);
  }

  // Outer joins that keep build rows, and joins that only mark them.
  void check_build_rows(const Case& which, Emit_ emit, const HostRows& probe, const HostRows& build) const {
    const auto spec = spec_of(which, emit, true);
    const auto state = build_of(spec, build);
    const auto emitted = probe_with(spec, *state, probe);
    if (emit != Emit_::MarkBuildOnly) {
      EXPECT_EQ(emitted, expected(which, emit, probe, build)) << name_of(which, emit);
    }
    std::vector<bool> matched(build.size(), false);
    for (const HostRow& p : probe) {
      for (const size_t i : partners(which, p, build)) matched[i] = true;
    }
    for (const bool wanted : {false, true}) {
      std::vector<std::string> rows;
      for (size_t i = 0; i < build_row_pieces(*state); ++i) {
        for (std::string& row : rows_of(build_row_piece(context(), *state, i, wanted))) rows.push_back(std::move(row));
      }
      std::vector<std::string> wanted_rows;
      for (size_t i = 0; i < build.size(); ++i) {
        if (matched[i] == wanted) wanted_rows.push_back(text_of(build[i]));
      }
      EXPECT_EQ(sorted(rows), sorted(wanted_rows)) << name_of(which, emit) << " matched " << wanted;
    }
  }

  static std::vector<std::vector<Condition>> range_lists() {
    std::vector<std::vector<Condition>> lists;
    const std::vector<CompareOp> all{CompareOp::Less, CompareOp::LessEqual, CompareOp::Greater,
                                     CompareOp::GreaterEqual};
    for (const CompareOp op : all) lists.push_back({{1, op, 1}});
    for (const CompareOp one : all) {
      for (const CompareOp other : all) {
        lists.push_back({{1, one, 1}, {2, other, 2}});  // another build column: a reach
        lists.push_back({{1, one, 1}, {2, other, 1}});  // the same: both ends, or a residual
        lists.push_back({{1, one, 1}, {1, other, 2}});  // BETWEEN of two build columns
      }
    }
    return lists;
  }

  void check_ranges(const HostRows& probe, const HostRows& build) const {
    for (const auto& ranges : range_lists()) {
      for (const bool residual : {false, true}) {
        for (const Emit_ emit :
             {Emit_::Inner, Emit_::ProbeOuter, Emit_::ProbeSemi, Emit_::ProbeAnti, Emit_::ProbeMark}) {
          check(Case{ranges, residual}, emit, probe, build);
        }
        check(Case{ranges, residual, false, false, false, true}, Emit_::Inner, probe, build);
      }
    }
  }

  void check_asof(const HostRows& probe, const HostRows& build) const {
    for (const CompareOp op : {CompareOp::Less, CompareOp::LessEqual, CompareOp::Greater, CompareOp::GreaterEqual}) {
      for (const bool residual : {false, true}) {
        for (const Emit_ emit : {Emit_::Inner, Emit_::ProbeOuter}) {
          check(Case{{{1, op, 1}}, residual, true}, emit, probe, build);
          check(Case{{{1, op, 1}}, residual, true, true}, emit, probe, build);
          check(Case{{{1, op, 1}}, residual, true, true, true}, emit, probe, build);
        }
      }
    }
  }
};

TEST_F(JoinSearchTest, RangesWithDuplicatesAndNulls) {
  check_ranges(random_rows(1, 50, 20, 2), random_rows(2, 40, 20, 2));
}

TEST_F(JoinSearchTest, RangesWithoutNulls) { check_ranges(random_rows(3, 50, 30, 0), random_rows(4, 40, 30, 0)); }

TEST_F(JoinSearchTest, EmptySidesAndOnlyNulls) {
  const HostRows rows = random_rows(5, 20, 9, 2);
  const HostRows nulls(5, HostRow{1, std::nullopt, std::nullopt});
  for (const HostRows& probe : {rows, nulls, HostRows{}}) {
    for (const HostRows& build : {rows, nulls, HostRows{}}) {
      check(Case{{{1, CompareOp::Less, 1}}}, Emit_::ProbeOuter, probe, build);
      check(Case{{{1, CompareOp::Less, 1}, {1, CompareOp::Greater, 2}}}, Emit_::ProbeAnti, probe, build);
    }
  }
  for (const HostRows& probe : {distinct_rows(6, 20, 2), nulls, HostRows{}}) {
    for (const HostRows& build : {distinct_rows(7, 20, 2), nulls, HostRows{}}) check_asof(probe, build);
  }
}

TEST_F(JoinSearchTest, AsofWithKeysNullsAndResiduals) {
  check_asof(random_rows(8, 80, 200, 2), distinct_rows(9, 60, 2));
}

// x > ANY (...)
TEST_F(JoinSearchTest, MarksThatMayBeNull) {
  const HostRows nulls(3, HostRow{1, std::nullopt, 2});
  for (const CompareOp op : {CompareOp::Less, CompareOp::GreaterEqual}) {
    Case which{{{1, op, 1}}};
    which.three_valued = true;
    for (const HostRows& build : {random_rows(24, 30, 20, 0), random_rows(25, 30, 20, 2), nulls, HostRows{}}) {
      check(which, Emit_::ProbeMark, random_rows(26, 40, 24, 2), build);
    }
  }
}

TEST_F(JoinSearchTest, SeveralPartitions) {
  make_services(6 * 1024, false);  // a partition of about 1 KB
  check_ranges(random_rows(10, 30, 40, 1), random_rows(11, 300, 40, 1));
  check_asof(random_rows(12, 60, 900, 1), distinct_rows(13, 300, 1));
}

TEST_F(JoinSearchTest, ForcedSpill) {
  make_services(uint64_t{8} << 30, true);
  check_ranges(random_rows(14, 30, 20, 2), random_rows(15, 30, 20, 2));
  check_asof(random_rows(16, 40, 100, 2), distinct_rows(17, 40, 2));
}

TEST_F(JoinSearchTest, BuildRows) {
  const HostRows probe = random_rows(18, 12, 20, 2);
  const HostRows build = random_rows(19, 50, 20, 2);
  for (const Emit_ emit : {Emit_::MarkBuildOnly, Emit_::ProbeOuter, Emit_::Inner}) {
    for (const bool residual : {false, true}) {
      check_build_rows(Case{{{1, CompareOp::Greater, 1}}, residual, false, false, false, true}, emit, probe, build);
      check_build_rows(Case{{{1, CompareOp::GreaterEqual, 1}, {1, CompareOp::Less, 2}}, residual}, emit, probe, build);
    }
  }
  for (const bool key : {false, true}) {
    for (const Emit_ emit : {Emit_::ProbeOuter, Emit_::Inner}) {
      check_build_rows(Case{{{1, CompareOp::GreaterEqual, 1}}, false, true, key}, emit, random_rows(20, 40, 150, 2),
                       distinct_rows(21, 50, 2));
      check_build_rows(Case{{{1, CompareOp::Less, 1}}, true, true, key}, emit, random_rows(22, 40, 150, 2),
                       distinct_rows(23, 50, 2));
    }
  }
}

TEST_F(JoinSearchTest, EquallyNearRowsGiveOneOfThem) {
  const HostRows build{{1, 5, 1}, {1, 5, 2}, {1, 3, 3}, {1, 5, 4}};
  const auto spec = spec_of(Case{{{1, CompareOp::GreaterEqual, 1}}, false, true, true}, Emit_::Inner, false);
  const auto state = build_of(spec, build);
  const auto rows = probe_with(spec, *state, HostRows{{1, 7, 0}, {1, 4, 0}});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0], "1|4|0|1|3|3");
  EXPECT_EQ(rows[1].rfind("1|7|0|1|5|", 0), 0U) << rows[1];
}

// probe.b > build.b AND a < a // x, where the side that `of_build` says divides.
class JoinSearchRaisingTest : public JoinSearchTest {
 protected:
  std::vector<std::string> joined(bool of_build, const HostRows& probe, const HostRows& build) const {
    pipeline::JoinSpec spec = spec_of(Case{{{1, CompareOp::Greater, 1}}}, Emit_::Inner, false);
    const auto quotient = [](uint32_t base) {
      return plan::call("//", kTestInteger, {ref(base), ref(base + 2)}, true);
    };
    const auto divides = of_build ? plan::comparison(CompareOp::Less, ref(0), quotient(3))
                                  : plan::comparison(CompareOp::Greater, ref(3), quotient(0));
    spec.search.reset();
    spec.residual = plan::conjunction({plan::comparison(CompareOp::Greater, ref(1), ref(4)), divides});
    const plan::Join join;
    spec.join = &join;
    pipeline::choose_search(spec);
    spec.join = nullptr;
    EXPECT_TRUE(spec.search && spec.search->otherwise);
    const auto state = build_of(spec, build);
    return probe_with(spec, *state, probe);
  }
};

TEST_F(JoinSearchRaisingTest, AValueThatNoPairAsksForIsNoError) {
  using Rows = std::vector<std::string>;
  const HostRows build{{12, 5, 0}, {12, 3, 2}, {30, 3, 5}};
  EXPECT_EQ(joined(true, {{5, 4, 0}}, build), (Rows{"5|4|0|12|3|2", "5|4|0|30|3|5"}));
  EXPECT_EQ(joined(true, {{5, 4, 0}}, {build[1], build[2]}), (Rows{"5|4|0|12|3|2", "5|4|0|30|3|5"}));
  EXPECT_EQ(joined(false, {{5, 1, 0}, {40, 4, 2}}, build), (Rows{"40|4|2|30|3|5"}));
}

TEST_F(JoinSearchRaisingTest, AValueThatAPairAsksForIsAnError) {
  const HostRows build{{12, 5, 0}, {12, 3, 2}};
  EXPECT_THROW(joined(true, {{5, 9, 0}}, build), Exception);
  EXPECT_THROW(joined(false, {{5, 4, 0}}, build), Exception);
}

TEST_F(JoinSearchTest, FanOutComesInPieces) {
  const HostRows probe(700, HostRow{0, 1, 0});
  const HostRows build(700, HostRow{0, 2, 0});
  const auto spec = spec_of(Case{{{1, CompareOp::Less, 1}}}, Emit_::Inner, false);
  const auto state = build_of(spec, build);
  const auto step = make_probe(services(), spec, *state);
  int64_t rows = 0;
  size_t pieces = 0;
  step->run(context(), batch_of(probe, 0, probe.size()), [&](const Batch& piece) {
    rows += piece.rows;
    ++pieces;
    EXPECT_LE(piece.rows, 2 * 65536);
  });
  EXPECT_EQ(rows, 490000);
  EXPECT_GE(pieces, 4U);
}

// One column a side.
class JoinSearchTypesTest : public JoinSearchTest {
 protected:
  std::vector<std::string> joined(const plan::Type& type, CompareOp op, bool asof, const ColumnPtr& probe,
                                  const ColumnPtr& build) const {
    pipeline::JoinSpec spec{};
    spec.probe_row.columns = {plan::Column{"p", type, true}};
    spec.build_row.columns = {plan::Column{"b", type, true}};
    const plan::ExprPtr left = plan::column_ref(0, type, true);
    plan::Join join;
    if (asof) {
      join.asof = plan::AsofOrder{left, left, op};
    } else {
      spec.residual = plan::comparison(op, left, plan::column_ref(1, type, true));
    }
    spec.join = &join;
    pipeline::choose_search(spec);
    spec.join = nullptr;
    EXPECT_TRUE(spec.search);
    spec.probe_output = {0};
    spec.build_output = {0};
    const auto state = build_of(spec, {batch({build})});
    return probe_with(spec, *state, {batch({probe})});
  }
};

TEST_F(JoinSearchTypesTest, TextComparesByBytes) {
  const ColumnPtr probe = text({"b", "", "zoé", std::nullopt});
  const ColumnPtr build = text({"a", "b", "zoe", std::nullopt, "ba"});
  using Rows = std::vector<std::string>;
  EXPECT_EQ(joined(kTestVarchar, CompareOp::Greater, false, probe, build),
            (Rows{"b|a", "zoé|a", "zoé|b", "zoé|ba", "zoé|zoe"}));
  EXPECT_EQ(joined(kTestVarchar, CompareOp::GreaterEqual, true, probe, build), (Rows{"b|b", "zoé|zoe"}));
  EXPECT_EQ(joined(kTestVarchar, CompareOp::Less, true, probe, build), (Rows{"b|ba", "|a"}));
}

TEST_F(JoinSearchTypesTest, NotANumberIsGreatestAndZerosAreEqual) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinite = std::numeric_limits<double>::infinity();
  const ColumnPtr probe = column<double>(kTestDouble, {0.0, nan, -infinite, std::nullopt});
  const ColumnPtr build = column<double>(kTestDouble, {-0.0, nan, infinite, std::nullopt});
  const auto rows = joined(kTestDouble, CompareOp::GreaterEqual, false, probe, build);
  EXPECT_EQ(rows.size(), 4U);  // 0 >= -0, NaN >= all three
  const auto nearest = joined(kTestDouble, CompareOp::GreaterEqual, true, probe, build);
  ASSERT_EQ(nearest.size(), 2U);
  EXPECT_EQ(nearest[1], "nan|nan");
  EXPECT_EQ(joined(kTestDouble, CompareOp::Less, true, probe, build).size(), 2U);  // 0 < inf, -inf < -0
}

}  // namespace
}  // namespace weft::gpu
