// The window operator on a GPU: every function, every kind of frame, types of keys and values, parts, spilling, errors.
// The rules row by row are tested in kernels/window_rows_test.cpp; here is what holds them together.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "gpu/ops/test_batches.hpp"

namespace weft::gpu {
namespace {

using plan::FrameBound;
using plan::FrameBoundKind;
using plan::FrameExclude;
using plan::FrameUnit;
using plan::Type;
using plan::TypeId;
using Rows = std::vector<std::string>;

plan::ExprPtr bigint(int64_t value) { return plan::constant(plan::Value::integer(kTestBigInt, plan::Int128{value})); }

FrameBound unbounded_preceding() { return {FrameBoundKind::UnboundedPreceding, nullptr}; }
FrameBound unbounded_following() { return {FrameBoundKind::UnboundedFollowing, nullptr}; }
FrameBound current_row() { return {FrameBoundKind::CurrentRow, nullptr}; }
FrameBound preceding(plan::ExprPtr value) { return {FrameBoundKind::Preceding, std::move(value)}; }
FrameBound following(plan::ExprPtr value) { return {FrameBoundKind::Following, std::move(value)}; }

plan::Frame frame(FrameUnit unit, FrameBound start, FrameBound end, FrameExclude exclude = FrameExclude::NoOthers) {
  return {unit, std::move(start), std::move(end), exclude};
}

plan::Frame whole() { return frame(FrameUnit::Range, unbounded_preceding(), unbounded_following()); }

class WindowTest : public OperatorTest {
 protected:
  static plan::ExprPtr ref(uint32_t column, const Type& type) { return plan::column_ref(column, type, true); }

  static plan::WindowCall function(const std::string& name, std::vector<plan::ExprPtr> arguments, const Type& type,
                                   plan::Frame over = {}) {
    plan::WindowCall call;
    call.function = name;
    call.arguments = std::move(arguments);
    call.type = type;
    call.frame = std::move(over);
    return call;
  }

  static plan::WindowCall aggregate(const std::string& name, std::vector<plan::ExprPtr> arguments, const Type& type,
                                    plan::Frame over = {}) {
    plan::WindowCall call = function(name, std::move(arguments), type, std::move(over));
    call.is_aggregate = true;
    return call;
  }

  static plan::WindowCall ignoring_nulls(plan::WindowCall call) {
    call.ignore_nulls = true;
    return call;
  }

  static plan::SortKey key(uint32_t column, const Type& type, bool descending = false, bool nulls_first = false) {
    return plan::SortKey{ref(column, type), descending, nulls_first};
  }

  static pipeline::RowType row_type(const std::vector<Type>& types) {
    pipeline::RowType row;
    for (const Type& type : types) row.columns.push_back(plan::Column{"c", type, true});
    return row;
  }

  std::unique_ptr<SinkState> filled(const plan::Window& window, const std::vector<Type>& types,
                                    const std::vector<Batch>& batches) const {
    auto state = make_window(services(), window, row_type(types));
    uint64_t sequence = 0;
    for (Batch batch : batches) {
      batch.sequence = sequence++;
      state->consume(context(), 0, batch);
    }
    state->finalize(context());
    return state;
  }

  // In order of (partition, order), which one part keeps.
  Rows run(const plan::Window& window, const std::vector<Type>& types, const std::vector<Batch>& batches) const {
    return rows_of(*filled(window, types, batches));
  }

  std::string error_of(const plan::Window& window, const std::vector<Type>& types,
                       const std::vector<Batch>& batches) const {
    try {
      run(window, types, batches);
    } catch (const Exception& e) {
      EXPECT_TRUE(e.code() == ErrorCode::ExpressionError || e.code() == ErrorCode::DuckDbError);
      return e.error().message;
    }
    return "no error";
  }

  // (partition, order key, value): a: 1 10, 1 NULL, 2 30, NULL 40; b: 1 50, 3 NULL.
  const std::vector<Type> types_{kTestVarchar, kTestInteger, kTestBigInt};
  std::vector<Batch> rows() const {
    return {batch({text({"a", "b", "a"}), column<int32_t>(kTestInteger, {2, 1, 1}),
                   column<int64_t>(kTestBigInt, {30, 50, 10})}),
            batch({text({"a", "a", "b"}), column<int32_t>(kTestInteger, {1, {}, 3}),
                   column<int64_t>(kTestBigInt, {{}, 40, {}})})};
  }
  plan::Window window(std::vector<plan::WindowCall> calls) const {
    return {{ref(0, kTestVarchar)}, {key(1, kTestInteger)}, std::move(calls)};
  }
  plan::ExprPtr value() const { return ref(2, kTestBigInt); }
};

TEST_F(WindowTest, Ranks) {
  const auto spec = window({function("row_number", {}, kTestBigInt), function("rank", {}, kTestBigInt),
                            function("dense_rank", {}, kTestBigInt), function("percent_rank", {}, kTestDouble),
                            function("cume_dist", {}, kTestDouble), function("ntile", {bigint(3)}, kTestBigInt)});
  EXPECT_EQ(run(spec, types_, rows()),
            (Rows{"a|1|10|1|1|1|0.000000|0.500000|1", "a|1|NULL|2|1|1|0.000000|0.500000|1",
                  "a|2|30|3|3|2|0.666667|0.750000|2", "a|NULL|40|4|4|3|1.000000|1.000000|3",
                  "b|1|50|1|1|1|0.000000|0.500000|1", "b|3|NULL|2|2|2|1.000000|1.000000|2"}));
}

TEST_F(WindowTest, LagAndLead) {
  const plan::ExprPtr none = plan::constant(plan::Value::null(kTestBigInt));
  const plan::ExprPtr by_value = plan::call("-", kTestBigInt, {value(), bigint(29)}, false);  // NULL, 1 at 30
  const auto spec = window({function("lag", {value(), bigint(1), none}, kTestBigInt),
                            function("lead", {value(), bigint(2), bigint(-1)}, kTestBigInt),
                            ignoring_nulls(function("lag", {value(), bigint(1), none}, kTestBigInt)),
                            function("lead", {ref(0, kTestVarchar), by_value, ref(0, kTestVarchar)}, kTestVarchar)});
  EXPECT_EQ(run(spec, types_, rows()),
            (Rows{"a|1|10|NULL|30|NULL|a", "a|1|NULL|10|40|10|NULL", "a|2|30|NULL|-1|10|a", "a|NULL|40|30|-1|30|a",
                  "b|1|50|NULL|-1|NULL|b", "b|3|NULL|50|-1|50|NULL"}));
}

TEST_F(WindowTest, ValuesOfFrames) {
  const plan::Frame near = frame(FrameUnit::Rows, preceding(bigint(1)), following(bigint(1)));
  const plan::Frame others =
      frame(FrameUnit::Rows, preceding(bigint(1)), following(bigint(1)), FrameExclude::CurrentRow);
  const auto spec = window({function("first_value", {value()}, kTestBigInt, near),
                            function("last_value", {value()}, kTestBigInt, near),
                            ignoring_nulls(function("last_value", {value()}, kTestBigInt, near)),
                            function("nth_value", {value(), bigint(2)}, kTestBigInt, whole()),
                            ignoring_nulls(function("nth_value", {value(), bigint(2)}, kTestBigInt, whole())),
                            function("first_value", {value()}, kTestBigInt, others)});
  EXPECT_EQ(run(spec, types_, rows()), (Rows{"a|1|10|10|NULL|10|NULL|30|NULL", "a|1|NULL|10|30|30|NULL|30|10",
                                             "a|2|30|NULL|40|40|NULL|30|NULL", "a|NULL|40|30|40|40|NULL|30|30",
                                             "b|1|50|50|NULL|50|NULL|NULL|NULL", "b|3|NULL|50|NULL|50|NULL|NULL|50"}));
}

TEST_F(WindowTest, KindsOfFrames) {
  const auto count = [](plan::Frame over) { return aggregate("count_star", {}, kTestBigInt, std::move(over)); };
  const auto k = ref(1, kTestInteger);
  const auto one = plan::constant(plan::Value::integer(kTestInteger, 1));
  const auto below = plan::call("-", kTestInteger, {k, one}, false);
  const auto above = plan::call("+", kTestInteger, {k, one}, false);
  const auto spec = window({
      count({}),
      count(whole()),
      count(frame(FrameUnit::Rows, unbounded_preceding(), current_row())),
      count(frame(FrameUnit::Rows, following(bigint(1)), following(bigint(2)))),
      count(frame(FrameUnit::Rows, following(bigint(2)), preceding(bigint(1)))),
      count(frame(FrameUnit::Groups, preceding(bigint(1)), current_row())),
      count(frame(FrameUnit::Groups, following(bigint(1)), unbounded_following())),
      count(frame(FrameUnit::Range, preceding(below), current_row())),
      count(frame(FrameUnit::Range, preceding(below), following(above))),
      count(frame(FrameUnit::Range, current_row(), unbounded_following(), FrameExclude::Ties)),
      count(frame(FrameUnit::Range, unbounded_preceding(), unbounded_following(), FrameExclude::Group)),
  });
  EXPECT_EQ(run(spec, types_, rows()), (Rows{"a|1|10|2|4|1|2|0|2|2|2|3|3|2", "a|1|NULL|2|4|2|2|0|2|2|2|3|3|2",
                                             "a|2|30|3|4|3|1|0|3|1|3|3|2|3", "a|NULL|40|4|4|4|0|0|2|0|1|1|1|3",
                                             "b|1|50|1|2|1|1|0|1|1|1|1|2|1", "b|3|NULL|2|2|2|0|0|2|0|1|1|1|1"}));
}

TEST_F(WindowTest, AggregatesOfBigInts) {
  const auto running = [] { return frame(FrameUnit::Rows, unbounded_preceding(), current_row()); };
  plan::WindowCall filtered = aggregate("sum", {value()}, kTestHugeInt, whole());
  filtered.filter = plan::comparison(plan::CompareOp::Less, value(), bigint(35));
  const auto spec = window(
      {aggregate("sum", {value()}, kTestHugeInt, running()), aggregate("avg", {value()}, kTestDouble, running()),
       aggregate("count", {value()}, kTestBigInt, running()), aggregate("min", {value()}, kTestBigInt, whole()),
       aggregate("max", {value()}, kTestBigInt, running()), filtered,
       aggregate("first", {value()}, kTestBigInt, frame(FrameUnit::Rows, current_row(), unbounded_following())),
       aggregate("any_value", {value()}, kTestBigInt, frame(FrameUnit::Rows, current_row(), unbounded_following()))});
  EXPECT_EQ(run(spec, types_, rows()),
            (Rows{"a|1|10|10|10.000000|1|10|10|40|10|10", "a|1|NULL|10|10.000000|1|10|10|40|NULL|30",
                  "a|2|30|40|20.000000|2|10|30|40|30|30", "a|NULL|40|80|26.666667|3|10|40|40|40|40",
                  "b|1|50|50|50.000000|1|50|50|NULL|50|50", "b|3|NULL|50|50.000000|1|50|50|NULL|NULL|NULL"}));
}

TEST_F(WindowTest, TextAndWideDecimals) {
  const Type wide = Type::decimal(38, 0);
  const std::vector<Type> types{kTestInteger, kTestVarchar, wide};
  __int128 nines = 0;
  for (int i = 0; i < 38; ++i) nines = nines * 10 + 9;
  const auto s = ref(1, kTestVarchar);
  const auto d = ref(2, wide);
  const plan::Frame near = frame(FrameUnit::Rows, preceding(bigint(1)), current_row());
  const plan::Window spec{{},
                          {key(0, kTestInteger)},
                          {aggregate("min", {s}, kTestVarchar, near), aggregate("max", {s}, kTestVarchar, near),
                           aggregate("sum", {d}, wide, near), aggregate("max", {d}, wide, near),
                           function("last_value", {s}, kTestVarchar)}};
  const Batch one = batch({column<int32_t>(kTestInteger, {3, 1, 2, 4}), text({"", "b", "abc", std::nullopt}),
                           column<__int128>(wide, {-7, nines, -5, {}})});
  const std::string n = plan::to_string(nines);
  EXPECT_EQ(run(spec, types, {one}), (Rows{"1|b|" + n + "|b|b|" + n + "|" + n + "|b",
                                           "2|abc|-5|abc|b|" + plan::to_string(nines - 5) + "|" + n + "|abc",
                                           "3||-7||abc|-12|-5|", "4|NULL|NULL|||-7|-7|NULL"}));
}

TEST_F(WindowTest, SumOutOfRangeRaises) {
  const Type wide = Type::decimal(38, 0);
  __int128 nines = 0;
  for (int i = 0; i < 38; ++i) nines = nines * 10 + 9;
  const plan::Window spec{{}, {}, {aggregate("sum", {ref(0, wide)}, wide)}};
  EXPECT_EQ(run(spec, {wide}, {batch({column<__int128>(wide, {nines, -5})})}).size(), 2U);
  EXPECT_EQ(error_of(spec, {wide}, {batch({column<__int128>(wide, {nines, 1})})}),
            "Out of Range Error: Overflow in SUM of DECIMAL: the result does not fit in DECIMAL(38)");
}

TEST_F(WindowTest, DoublesWithNanAndInfinity) {
  const double nan = std::nan("");
  const std::vector<Type> types{kTestInteger, kTestDouble};
  const auto x = ref(1, kTestDouble);
  const plan::Frame near = frame(FrameUnit::Rows, preceding(bigint(1)), current_row());
  const plan::Window spec{
      {},
      {key(0, kTestInteger)},
      {aggregate("sum", {x}, kTestDouble, near), aggregate("avg", {x}, kTestDouble, near),
       aggregate("min", {x}, kTestDouble, near), aggregate("max", {x}, kTestDouble, near),
       aggregate("var_pop", {x}, kTestDouble, near), aggregate("stddev_samp", {x}, kTestDouble, near)}};
  const Batch one = batch({column<int32_t>(kTestInteger, {1, 2, 3, 4, 5, 6, 7}),
                           column<double>(kTestDouble, {1e17, 1.0, nan, 2.0, 4.0, INFINITY, {}})});
  const Rows found = run(spec, types, {one});
  ASSERT_EQ(found.size(), 7U);
  EXPECT_EQ(found[3], "4|2.000000|nan|nan|2.000000|nan|nan|nan");
  EXPECT_EQ(found[4], "5|4.000000|6.000000|3.000000|2.000000|4.000000|1.000000|1.414214");
  EXPECT_EQ(found[5], "6|inf|inf|inf|4.000000|inf|nan|nan");
  EXPECT_EQ(found[6], "7|NULL|inf|inf|inf|inf|0.000000|NULL");
}

TEST_F(WindowTest, RangeOverDoublesDescendingAndWideKeys) {
  const auto d = ref(0, kTestDouble);
  const auto half = plan::constant(plan::Value::floating(kTestDouble, 0.5));
  const plan::Frame near = frame(FrameUnit::Range, preceding(plan::call("+", kTestDouble, {d, half}, false)),
                                 following(plan::call("-", kTestDouble, {d, half}, false)));
  plan::Window spec{{}, {key(0, kTestDouble, true)}, {aggregate("count_star", {}, kTestBigInt, near)}};
  const Batch one =
      batch({column<double>(kTestDouble, {1.0, std::nan(""), 0.75, {}, -0.0, 0.0, 0.25, std::nan(""), INFINITY})});
  // NULLs last; a descending order puts NaN first.
  EXPECT_EQ(run(spec, {kTestDouble}, {one}), (Rows{"nan|2", "nan|2", "inf|1", "1.000000|2", "0.750000|3", "0.250000|4",
                                                   "-0.000000|3", "0.000000|3", "NULL|1"}));

  const auto h = ref(0, kTestHugeInt);
  const auto two = plan::constant(plan::Value::integer(kTestHugeInt, 2));
  const plan::Frame wide =
      frame(FrameUnit::Range, preceding(plan::call("-", kTestHugeInt, {h, two}, false)), current_row());
  spec = {{}, {key(0, kTestHugeInt)}, {aggregate("count_star", {}, kTestBigInt, wide)}};
  const Batch keys = batch({column<__int128>(kTestHugeInt, {7, 1, 3, 2, 100})});
  EXPECT_EQ(run(spec, {kTestHugeInt}, {keys}), (Rows{"1|1", "2|2", "3|3", "7|1", "100|1"}));
}

TEST_F(WindowTest, PartitionsByDoublesAndNulls) {
  const plan::Window spec{{ref(0, kTestDouble)}, {}, {aggregate("count_star", {}, kTestBigInt)}};
  const Batch one = batch({column<double>(kTestDouble, {0.0, std::nan(""), {}, -0.0, -std::nan(""), {}})});
  EXPECT_EQ(sorted(run(spec, {kTestDouble}, {one})),
            (Rows{"-0.000000|2", "0.000000|2", "NULL|2", "NULL|2", "nan|2", "nan|2"}));
}

TEST_F(WindowTest, WithoutKeysTheOrderIsTheSource) {
  const plan::Window spec{{}, {}, {function("row_number", {}, kTestBigInt), function("rank", {}, kTestBigInt)}};
  const auto state = make_window(services(), spec, row_type({kTestInteger}));
  state->consume(context(), 1, batch({column<int32_t>(kTestInteger, {50})}, 0));
  state->consume(context(), 0, batch({column<int32_t>(kTestInteger, {30, 40})}, 1));
  state->consume(context(), 0, batch({column<int32_t>(kTestInteger, {10, 20})}, 0));
  state->finalize(context());
  EXPECT_EQ(rows_of(*state), (Rows{"10|1|1", "20|2|1", "30|3|1", "40|4|1", "50|5|1"}));
}

TEST_F(WindowTest, NoRows) {
  const auto spec = window({function("row_number", {}, kTestBigInt), aggregate("sum", {value()}, kTestHugeInt)});
  EXPECT_EQ(run(spec, types_, {}), Rows{});
}

TEST_F(WindowTest, BadArgumentsHaveDuckDbsTexts) {
  const auto with = [&](plan::Frame over) {
    return window({aggregate("count_star", {}, kTestBigInt, std::move(over))});
  };
  const auto null = plan::constant(plan::Value::null(kTestBigInt));
  const auto k = ref(1, kTestInteger);
  const auto above = plan::call("+", kTestInteger, {k, plan::constant(plan::Value::integer(kTestInteger, 1))}, false);
  EXPECT_EQ(error_of(with(frame(FrameUnit::Rows, preceding(null), current_row())), types_, rows()),
            "Window ROWS PRECEDING expression cannot be NULL");
  EXPECT_EQ(error_of(with(frame(FrameUnit::Rows, current_row(), following(bigint(-1)))), types_, rows()),
            "Window ROWS FOLLOWING expression cannot be negative");
  EXPECT_EQ(error_of(with(frame(FrameUnit::Groups, preceding(bigint(-2)), current_row())), types_, rows()),
            "Invalid GROUPS PRECEDING value");
  EXPECT_EQ(error_of(with(frame(FrameUnit::Range, preceding(above), current_row())), types_, rows()),
            "Invalid RANGE PRECEDING value");
  EXPECT_EQ(error_of(window({function("ntile", {bigint(0)}, kTestBigInt)}), types_, rows()),
            "Argument for ntile must be greater than zero");
}

// (partition, order, value) with many partitions of few rows, and what a reference says.
class LargeWindowTest : public WindowTest {
 protected:
  void check(int32_t partitions) const {
    constexpr int kBatches = 8;
    constexpr int kBatchRows = 40000;
    std::mt19937 random(11);
    struct Row {
      int32_t partition, order, value;
    };
    std::vector<Row> all;
    std::vector<Batch> batches;
    for (int b = 0; b < kBatches; ++b) {
      Values<int32_t> partition, order, value;
      for (int i = 0; i < kBatchRows; ++i) {
        const Row row{static_cast<int32_t>(random() % static_cast<unsigned>(partitions)),
                      static_cast<int32_t>(all.size() * 7919 % 1000003), static_cast<int32_t>(random() % 2000) - 1000};
        all.push_back(row);
        partition.push_back(row.partition);
        order.push_back(row.order);
        value.push_back(row.value);
      }
      batches.push_back(
          batch({column(kTestInteger, partition), column(kTestInteger, order), column(kTestInteger, value)}));
    }
    std::sort(all.begin(), all.end(), [](const Row& a, const Row& b) {
      return a.partition != b.partition ? a.partition < b.partition : a.order < b.order;
    });
    Rows expected;
    int64_t sum = 0, number = 0;
    int32_t least = 0;
    for (size_t i = 0; i < all.size(); ++i) {
      const Row& row = all[i];
      const bool first = i == 0 || all[i - 1].partition != row.partition;
      sum = (first ? 0 : sum) + row.value;
      number = first ? 1 : number + 1;
      least = first ? row.value : std::min(least, row.value);
      expected.push_back(std::to_string(row.partition) + "|" + std::to_string(row.order) + "|" +
                         std::to_string(row.value) + "|" + std::to_string(sum) + "|" + std::to_string(number) + "|" +
                         std::to_string(least) + "|" + (first ? "NULL" : std::to_string(all[i - 1].value)));
    }
    const auto x = ref(2, kTestInteger);
    const plan::Window spec{
        {ref(0, kTestInteger)},
        {key(1, kTestInteger)},
        {aggregate("sum", {x}, kTestHugeInt), function("row_number", {}, kTestBigInt),
         aggregate("min", {x}, kTestInteger),
         function("lag", {x, bigint(1), plan::constant(plan::Value::null(kTestInteger))}, kTestInteger)}};
    const Rows found = run(spec, {kTestInteger, kTestInteger, kTestInteger}, batches);
    EXPECT_TRUE(sorted(found) == sorted(expected));
  }
};

TEST_F(LargeWindowTest, TinyPartitions) { check(150000); }
TEST_F(LargeWindowTest, FewPartitions) { check(7); }
TEST_F(LargeWindowTest, SmallCapMakesParts) {
  make_services(uint64_t{16} << 20, false);
  check(5000);
}
TEST_F(LargeWindowTest, ForcedSpill) {
  make_services(uint64_t{16} << 20, true);
  check(5000);
  make_services(uint64_t{8} << 30, true);
  check(5000);
}

// 20 million rows in one partition: running totals of whole numbers and of doubles, and minima of what lies ahead.
TEST_F(WindowTest, OneHugePartition) {
  constexpr int64_t kBatchRows = 5000000;
  std::vector<Batch> batches;
  std::vector<int32_t> values;
  for (int b = 0; b < 4; ++b) {
    Values<int32_t> order, value;
    for (int64_t i = 0; i < kBatchRows; ++i) {
      const auto at = static_cast<int64_t>(values.size());
      order.push_back(static_cast<int32_t>(at));
      value.push_back(static_cast<int32_t>(at * 7919 % 100003) - 50000);
      values.push_back(*value.back());
    }
    batches.push_back(batch({column(kTestInteger, order), column(kTestInteger, value)}));
  }
  std::reverse(batches.begin(), batches.end());
  const auto x = ref(1, kTestInteger);
  const plan::Window spec{
      {},
      {key(0, kTestInteger)},
      {aggregate("sum", {plan::cast(x, kTestDouble, false)}, kTestDouble), aggregate("count", {x}, kTestBigInt),
       aggregate("min", {x}, kTestInteger, frame(FrameUnit::Rows, current_row(), unbounded_following()))}};
  const auto state = filled(spec, {kTestInteger, kTestInteger}, batches);
  std::vector<double> sums;
  std::vector<int64_t> counts;
  std::vector<int32_t> least;
  const auto append = [](auto& to, const cudf::column& from) {
    using T = typename std::decay_t<decltype(to)>::value_type;
    const size_t old = to.size();
    to.resize(old + static_cast<size_t>(from.size()));
    check_cuda(cudaMemcpy(to.data() + old, from.view().head<T>(), static_cast<size_t>(from.size()) * sizeof(T),
                          cudaMemcpyDeviceToHost));
  };
  ASSERT_GT(state->pieces(), 1U);
  for (size_t i = 0; i < state->pieces(); ++i) {
    const Batch piece = state->piece(context(), i);
    synchronize(context());
    append(sums, *piece.columns[2]);
    append(counts, *piece.columns[3]);
    append(least, *piece.columns[4]);
  }
  ASSERT_EQ(sums.size(), values.size());
  double sum = 0;  // whole numbers below 2^53: any order of adding is exact
  for (size_t i = 0; i < values.size(); ++i) {
    sum += values[i];
    ASSERT_EQ(sums[i], sum) << i;
    ASSERT_EQ(counts[i], static_cast<int64_t>(i) + 1);
  }
  int32_t smallest = std::numeric_limits<int32_t>::max();
  for (size_t i = values.size(); i-- > 0;) {
    smallest = std::min(smallest, values[i]);
    ASSERT_EQ(least[i], smallest) << i;
  }
}

}  // namespace
}  // namespace weft::gpu
