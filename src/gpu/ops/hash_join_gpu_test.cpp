// Every kind of join against a nested loop over host rows, with NULLs, duplicates, several build batches, a residual,
// empty sides, several partitions and forced spilling.
#include <random>
#include <tuple>

#include "gpu/ops/test_batches.hpp"

namespace weft::gpu {
namespace {

using Emit_ = pipeline::JoinSpec::Emit;
using Value = std::optional<int32_t>;

struct HostRow {
  Value a, b, x;  // two keys and a payload that the residual compares
};
using HostRows = std::vector<HostRow>;

enum class Keys { None, One, Two, Mixed, NullSafe };

struct Case {
  Keys keys = Keys::One;
  bool residual = false;
  bool build_is_left = false;
  bool three_valued = false;
};

enum class Truth { False, Unknown, True };

Truth equal(const Value& left, const Value& right, bool null_safe) {
  if (null_safe) return left == right ? Truth::True : Truth::False;
  if (!left || !right) return Truth::Unknown;
  return *left == *right ? Truth::True : Truth::False;
}

Truth both(Truth a, Truth b) { return std::min(a, b); }

// The residual: probe.x < build.x.
Truth condition(const Case& which, const HostRow& probe, const HostRow& build) {
  Truth truth = Truth::True;
  if (which.keys != Keys::None) truth = both(truth, equal(probe.a, build.a, which.keys == Keys::NullSafe));
  if (which.keys == Keys::Two || which.keys == Keys::Mixed) {
    truth = both(truth, equal(probe.b, build.b, which.keys == Keys::Mixed));
  }
  if (which.residual) {
    const Truth less = !probe.x || !build.x ? Truth::Unknown : *probe.x < *build.x ? Truth::True : Truth::False;
    truth = both(truth, less);
  }
  return truth;
}

std::string text_of(const Value& value) { return value ? std::to_string(*value) : "NULL"; }
std::string text_of(const HostRow& row) { return text_of(row.a) + "|" + text_of(row.b) + "|" + text_of(row.x); }
const std::string kNulls = "NULL|NULL|NULL";

std::vector<std::string> expected(const Case& which, Emit_ emit, const HostRows& probe, const HostRows& build) {
  std::vector<std::string> rows;
  for (const HostRow& p : probe) {
    Truth best = Truth::False;
    for (const HostRow& b : build) {
      const Truth truth = condition(which, p, b);
      best = std::max(best, truth);
      const bool pairs = emit == Emit_::Inner || emit == Emit_::ProbeOuter || emit == Emit_::ProbeSingle;
      if (truth == Truth::True && pairs) {
        rows.push_back(which.build_is_left ? text_of(b) + "|" + text_of(p) : text_of(p) + "|" + text_of(b));
      }
    }
    const bool matched = best == Truth::True;
    if ((emit == Emit_::ProbeOuter || emit == Emit_::ProbeSingle) && !matched) {
      rows.push_back(which.build_is_left ? kNulls + "|" + text_of(p) : text_of(p) + "|" + kNulls);
    }
    if ((emit == Emit_::ProbeSemi && matched) || (emit == Emit_::ProbeAnti && !matched)) rows.push_back(text_of(p));
    if (emit == Emit_::ProbeMark) {
      const bool unknown = which.three_valued && best == Truth::Unknown;
      rows.push_back(text_of(p) + "|" + (unknown ? "NULL" : matched ? "1" : "0"));
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
  for (int i = 0; i < count; ++i) rows.push_back(HostRow{value(domain), value(2), value(100)});
  return rows;
}

class JoinTest : public OperatorTest {
 protected:
  static plan::ExprPtr ref(uint32_t column) { return plan::column_ref(column, kTestInteger, true); }

  static pipeline::JoinSpec spec_of(const Case& which, Emit_ emit, bool track) {
    pipeline::JoinSpec spec{};
    spec.join = nullptr;
    spec.build_is_left = which.build_is_left;
    spec.output_left_is_probe = !which.build_is_left;
    spec.emit = emit;
    spec.track_build_matches = track;
    spec.mark = which.three_valued ? pipeline::MarkKind::ThreeValued : pipeline::MarkKind::TwoValued;
    const auto key = [&](uint32_t column, bool null_safe) {
      spec.probe_keys.push_back(ref(column));
      spec.build_keys.push_back(ref(column));
      spec.null_equal.push_back(null_safe);
    };
    if (which.keys != Keys::None) key(0, which.keys == Keys::NullSafe);
    if (which.keys == Keys::Two || which.keys == Keys::Mixed) key(1, which.keys == Keys::Mixed);
    for (int i = 0; i < 3; ++i) {
      spec.probe_row.columns.push_back(plan::Column{"p", kTestInteger, true});
      spec.build_row.columns.push_back(plan::Column{"b", kTestInteger, true});
    }
    const uint32_t probe_base = which.build_is_left ? 3 : 0;
    const uint32_t build_base = which.build_is_left ? 0 : 3;
    if (which.residual) {
      spec.residual = plan::comparison(plan::CompareOp::Less, ref(probe_base + 2), ref(build_base + 2));
    }
    spec.probe_output = {0, 1, 2};
    const bool build_columns = emit == Emit_::Inner || emit == Emit_::ProbeOuter || emit == Emit_::ProbeSingle || track;
    if (build_columns) spec.build_output = {0, 1, 2};
    return spec;
  }

  Batch batch_of(const HostRows& rows, size_t begin, size_t end) const {
    Values<int32_t> a, b, x;
    for (size_t i = begin; i < end; ++i) {
      a.push_back(rows[i].a);
      b.push_back(rows[i].b);
      x.push_back(rows[i].x);
    }
    Batch made = batch({column(kTestInteger, a), column(kTestInteger, b), column(kTestInteger, x)});
    made.rows = static_cast<cudf::size_type>(end - begin);
    return made;
  }

  std::unique_ptr<SinkState> build_of(const pipeline::JoinSpec& spec, const HostRows& rows, size_t batches) const {
    auto state = make_hash_build(services(), spec);
    for (size_t i = 0; i < batches; ++i) {
      const size_t begin = rows.size() * i / batches;
      const size_t end = rows.size() * (i + 1) / batches;
      state->consume(context(), 0, batch_of(rows, begin, end));
    }
    state->finalize(context());
    return state;
  }

  std::vector<std::string> probe_with(const pipeline::JoinSpec& spec, SinkState& build, const HostRows& rows) const {
    const auto step = make_probe(services(), spec, build);
    std::vector<std::string> out;
    const auto emit = [&](const Batch& piece) {
      for (std::string& row : rows_of(piece)) out.push_back(std::move(row));
    };
    const size_t middle = rows.size() / 2;
    step->run(context(), batch_of(rows, 0, middle), emit);
    step->run(context(), batch_of(rows, middle, rows.size()), emit);
    return sorted(out);
  }

  void check(const Case& which, Emit_ emit, const HostRows& probe, const HostRows& build) const {
    const auto spec = spec_of(which, emit, false);
    const auto state = build_of(spec, build, 3);
    EXPECT_EQ(probe_with(spec, *state, probe), expected(which, emit, probe, build))
        << "keys " << static_cast<int>(which.keys) << " emit " << static_cast<int>(emit) << " residual "
        << which.residual << " build left " << which.build_is_left << " three-valued " << which.three_valued;
  }

  void check_all(const HostRows& probe, const HostRows& build) const {
    for (const Keys keys : {Keys::None, Keys::One, Keys::Two, Keys::Mixed, Keys::NullSafe}) {
      for (const bool residual : {false, true}) {
        for (const Emit_ emit : {Emit_::Inner, Emit_::ProbeOuter}) {
          check(Case{keys, residual, false, false}, emit, probe, build);
          check(Case{keys, residual, true, false}, emit, probe, build);
        }
        check(Case{keys, residual, false, false}, Emit_::ProbeSemi, probe, build);
        check(Case{keys, residual, false, false}, Emit_::ProbeAnti, probe, build);
        check(Case{keys, residual, false, false}, Emit_::ProbeMark, probe, build);
        check(Case{keys, residual, false, true}, Emit_::ProbeMark, probe, build);
      }
    }
  }

  // Semi, anti and outer joins that keep build rows: what BuildRows gives after all probes.
  void check_build_rows(const Case& which, Emit_ emit, const HostRows& probe, const HostRows& build) const {
    const auto spec = spec_of(which, emit, true);
    const auto state = build_of(spec, build, 3);
    const auto emitted = probe_with(spec, *state, probe);
    if (emit == Emit_::MarkBuildOnly) {
      EXPECT_TRUE(emitted.empty());
    } else {
      EXPECT_EQ(emitted, expected(which, emit, probe, build));
    }
    for (const bool wanted : {false, true}) {
      std::vector<std::string> rows;
      for (size_t i = 0; i < build_row_pieces(*state); ++i) {
        for (std::string& row : rows_of(build_row_piece(context(), *state, i, wanted))) rows.push_back(std::move(row));
      }
      std::vector<std::string> wanted_rows;
      for (const HostRow& b : build) {
        const bool matched = std::any_of(probe.begin(), probe.end(),
                                         [&](const HostRow& p) { return condition(which, p, b) == Truth::True; });
        if (matched == wanted) wanted_rows.push_back(text_of(b));
      }
      EXPECT_EQ(sorted(rows), sorted(wanted_rows)) << "matched " << wanted;
    }
  }
};

TEST_F(JoinTest, DuplicatesAndNulls) { check_all(random_rows(1, 60, 8, 2), random_rows(2, 40, 8, 2)); }

TEST_F(JoinTest, NoNulls) { check_all(random_rows(3, 60, 8, 0), random_rows(4, 40, 8, 0)); }

TEST_F(JoinTest, DistinctBuildKeys) {
  HostRows build;
  for (int32_t i = 0; i < 30; ++i) build.push_back(HostRow{i, i % 2, i * 3});
  build.push_back(HostRow{std::nullopt, 1, 5});
  build.push_back(HostRow{std::nullopt, 0, 50});
  check_all(random_rows(5, 80, 40, 1), build);
}

TEST_F(JoinTest, EveryProbeRowMatchesOnce) {
  HostRows build;
  for (int32_t i = 0; i < 8; ++i) build.push_back(HostRow{i, 0, i});
  check_all(random_rows(6, 50, 8, 0), build);
}

TEST_F(JoinTest, EmptySides) {
  check_all(random_rows(7, 20, 8, 2), {});
  check_all({}, random_rows(8, 20, 8, 2));
  check_all({}, {});
}

// What IN over rows and a correlated IN ask: NULLs in any key of any side, also in all of them.
TEST_F(JoinTest, MarksOfNullKeys) {
  const HostRows nulls{{std::nullopt, 1, 5}, {3, std::nullopt, 6}, {std::nullopt, std::nullopt, std::nullopt}};
  const HostRows plain{{3, 1, 5}, {4, 0, 7}, {3, 0, std::nullopt}};
  HostRows probe = random_rows(21, 40, 6, 4);
  probe.insert(probe.end(), nulls.begin(), nulls.end());
  HostRows both = nulls;
  both.insert(both.end(), plain.begin(), plain.end());
  for (const HostRows& build :
       {nulls, plain, both, random_rows(22, 30, 6, 5), HostRows{nulls[0]}, HostRows{nulls[1]}}) {
    for (const Keys keys : {Keys::None, Keys::One, Keys::Two, Keys::Mixed, Keys::NullSafe}) {
      for (const bool residual : {false, true}) {
        for (const bool three_valued : {false, true}) {
          check(Case{keys, residual, false, three_valued}, Emit_::ProbeMark, probe, build);
        }
      }
    }
  }
}

TEST_F(JoinTest, SeveralPartitions) {
  make_services(6 * 1024, false);  // a partition of about 1 KB
  check_all(random_rows(9, 60, 20, 1), random_rows(10, 400, 20, 1));
}

TEST_F(JoinTest, ForcedSpill) {
  make_services(uint64_t{8} << 30, true);
  check_all(random_rows(11, 60, 8, 2), random_rows(12, 40, 8, 2));
}

TEST_F(JoinTest, BuildRows) {
  const HostRows probe = random_rows(13, 60, 12, 2);
  const HostRows build = random_rows(14, 50, 12, 2);
  for (const Keys keys : {Keys::None, Keys::One, Keys::Two, Keys::Mixed, Keys::NullSafe}) {
    for (const bool residual : {false, true}) {
      for (const Emit_ emit : {Emit_::MarkBuildOnly, Emit_::ProbeOuter, Emit_::Inner}) {
        check_build_rows(Case{keys, residual, true, false}, emit, probe, build);
      }
    }
  }
  check_build_rows(Case{Keys::One, false, true, false}, Emit_::MarkBuildOnly, {}, build);
}

TEST_F(JoinTest, SingleTakesOneMatch) {
  HostRows build;
  for (int32_t i = 0; i < 10; ++i) build.push_back(HostRow{i, 0, i});
  check(Case{Keys::One, false, false, false}, Emit_::ProbeSingle, random_rows(15, 30, 20, 1), build);
}

TEST_F(JoinTest, SingleRaisesOnTwoMatches) {
  const HostRows build{{1, 0, 1}, {2, 0, 2}, {1, 0, 3}};
  const auto spec = spec_of(Case{}, Emit_::ProbeSingle, false);
  const auto state = build_of(spec, build, 2);
  EXPECT_EQ(probe_with(spec, *state, {{2, 0, 0}, {5, 0, 0}}),
            (std::vector<std::string>{"2|0|0|2|0|2", "5|0|0|NULL|NULL|NULL"}));
  try {
    probe_with(spec, *state, {{2, 0, 0}, {1, 0, 0}});
    FAIL() << "a second match must raise";
  } catch (const Exception& e) {
    EXPECT_EQ(e.code(), ErrorCode::DuckDbError);
    EXPECT_EQ(e.error().message.rfind(
                  "Invalid Input Error: More than one row returned by a subquery used as an expression", 0),
              0U);
  }
}

TEST_F(JoinTest, FanOutComesInPieces) {
  HostRows probe(700, HostRow{1, 0, 0});
  HostRows build(700, HostRow{1, 0, 1});
  const auto spec = spec_of(Case{}, Emit_::Inner, false);
  const auto state = build_of(spec, build, 1);
  const auto step = make_probe(services(), spec, *state);
  size_t pieces = 0;
  int64_t rows = 0;
  step->run(context(), batch_of(probe, 0, probe.size()), [&](const Batch& piece) {
    ++pieces;
    rows += piece.rows;
    EXPECT_LE(piece.rows, 2 * 65536);
  });
  EXPECT_EQ(rows, 490000);
  EXPECT_GE(pieces, 4U);
}

TEST_F(JoinTest, RowsWithoutColumnsKeepTheirCount) {
  auto spec = spec_of(Case{}, Emit_::Inner, false);
  spec.probe_output.clear();
  spec.build_output.clear();
  const auto state = build_of(spec, {{1, 0, 0}, {1, 0, 0}, {2, 0, 0}}, 1);
  const auto step = make_probe(services(), spec, *state);
  int64_t rows = 0;
  step->run(context(), batch_of({{1, 0, 0}, {2, 0, 0}, {3, 0, 0}}, 0, 3), [&](const Batch& piece) {
    EXPECT_TRUE(piece.columns.empty());
    rows += piece.rows;
  });
  EXPECT_EQ(rows, 3);
}

}  // namespace
}  // namespace weft::gpu
