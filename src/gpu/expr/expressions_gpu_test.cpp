// Expressions and predicates on a device: null masks, counts, text, failures, selections. Semantics are tested on the
// CPU (expressions_test.cpp); here it is the launch and the columns.
#include "gpu/expr/expressions.hpp"

#include "gpu/ops/test_batches.hpp"

namespace weft::gpu {
namespace {

using plan::CompareOp;
using plan::ExprKind;
using plan::ExprPtr;
using plan::Type;
using plan::Value;

// Neither a multiple of a warp nor of a block.
constexpr int kRows = 100'003;

ExprPtr constant(int value) { return plan::constant(Value::integer(kTestInteger, value)); }
ExprPtr constant(const char* text) { return plan::constant(Value::text(text)); }

class ExpressionsTest : public OperatorTest {
 protected:
  static ExprPtr ref(uint32_t column, const Type& type) { return plan::column_ref(column, type, true); }

  static std::vector<plan::Column> columns_of(const std::vector<Type>& types) {
    std::vector<plan::Column> columns;
    for (const Type& type : types) columns.push_back({"c", type, true});
    return columns;
  }

  std::vector<std::string> evaluate(const std::vector<Type>& types, const Batch& input,
                                    std::vector<ExprPtr> expressions) const {
    const auto made = Expressions::make(services().kernels, columns_of(types), std::move(expressions));
    Batch output;
    output.rows = input.rows;
    output.columns = made->evaluate(context(), input);
    return rows_of(output);
  }

  Batch filter(const std::vector<Type>& types, const Batch& input, std::vector<ExprPtr> conjuncts,
               const std::vector<uint32_t>& projection) const {
    return Predicate::make(services().kernels, columns_of(types), std::move(conjuncts))
        ->filter(context(), input, projection);
  }

  // i, and i with every seventh NULL.
  Batch numbers() const {
    Values<int32_t> all, some;
    for (int i = 0; i < kRows; ++i) {
      all.push_back(i);
      some.push_back(i % 7 == 3 ? std::nullopt : std::optional<int32_t>(i));
    }
    return batch({column<int32_t>(kTestInteger, all), column<int32_t>(kTestInteger, some)});
  }
  const std::vector<Type> two_integers_{kTestInteger, kTestInteger};
};

TEST_F(ExpressionsTest, ComputesWithNulls) {
  const auto sum = plan::call("+", kTestInteger, {ref(0, kTestInteger), ref(1, kTestInteger)}, true);
  const auto coalesced = [&] {
    plan::Expr expr;
    expr.kind = ExprKind::Coalesce;
    expr.type = kTestInteger;
    expr.children = {ref(1, kTestInteger), constant(-1)};
    return std::make_shared<const plan::Expr>(expr);
  }();
  const Batch input = numbers();
  const auto made =
      Expressions::make(services().kernels, columns_of(two_integers_), {sum, coalesced, ref(1, kTestInteger)});
  const auto columns = made->evaluate(context(), input);
  EXPECT_EQ(columns[0]->null_count(), (kRows + 3) / 7);
  EXPECT_EQ(columns[1]->null_count(), 0);
  EXPECT_FALSE(columns[1]->nullable());
  EXPECT_EQ(columns[2], input.columns[1]);  // a plain column is passed on
  Batch output;
  output.rows = kRows;
  output.columns = columns;
  const auto rows = rows_of(output);
  for (int i = 0; i < kRows; ++i) {
    const std::string n = std::to_string(i);
    ASSERT_EQ(rows[static_cast<size_t>(i)], i % 7 == 3 ? "NULL|-1|NULL" : std::to_string(2 * i) + "|" + n + "|" + n);
  }
}

TEST_F(ExpressionsTest, NoRows) {
  const Batch empty = batch({column<int32_t>(kTestInteger, {}), column<int32_t>(kTestInteger, {})});
  const auto sum = plan::call("+", kTestInteger, {ref(0, kTestInteger), constant(1)}, true);
  EXPECT_TRUE(evaluate(two_integers_, empty, {sum}).empty());
  const Batch none =
      filter(two_integers_, empty, {plan::comparison(CompareOp::Less, ref(0, kTestInteger), constant(5))}, {1});
  EXPECT_EQ(none.rows, 0);
  EXPECT_EQ(none.columns.size(), 1u);
}

TEST_F(ExpressionsTest, FailureNamesTheFirstRow) {
  plan::Expr product = *plan::call("*", kTestInteger, {ref(0, kTestInteger), constant(100'000)}, true);
  product.id = 42;
  const auto made =
      Expressions::make(services().kernels, columns_of(two_integers_), {std::make_shared<const plan::Expr>(product)});
  try {
    made->evaluate(context(), numbers());
    FAIL() << "no error";
  } catch (const Exception& error) {
    EXPECT_EQ(error.code(), ErrorCode::ExpressionError);
    ASSERT_TRUE(error.error().failure.has_value());
    EXPECT_EQ(error.error().failure->expression_id, 42u);
    const std::vector<std::optional<std::string>> expected{"21475", "21475"};
    EXPECT_EQ(error.error().failure->inputs, expected);
  }
}

TEST_F(ExpressionsTest, FiltersInOrder) {
  const Batch input = numbers();
  const auto even = plan::comparison(
      CompareOp::Equal, plan::call("%", kTestInteger, {ref(1, kTestInteger), constant(2)}, true), constant(0));
  const auto high = plan::comparison(CompareOp::GreaterEqual, ref(0, kTestInteger), constant(kRows / 2));
  const Batch passed = filter(two_integers_, input, {even, high}, {1, 0});
  std::vector<std::string> expected;
  for (int i = kRows / 2; i < kRows; ++i) {
    if (i % 2 == 0 && i % 7 != 3) expected.push_back(std::to_string(i) + "|" + std::to_string(i));
  }
  EXPECT_EQ(rows_of(passed), expected);
  const Batch all =
      filter(two_integers_, input, {plan::comparison(CompareOp::GreaterEqual, ref(0, kTestInteger), constant(0))}, {1});
  EXPECT_EQ(all.rows, kRows);
  EXPECT_EQ(all.columns[0], input.columns[1]);
  const Batch none =
      filter(two_integers_, input, {plan::comparison(CompareOp::Less, ref(0, kTestInteger), constant(0))}, {1});
  EXPECT_EQ(none.rows, 0);
  const Batch counted = filter(two_integers_, input, {even}, {});
  EXPECT_EQ(counted.rows, 42'859);
  EXPECT_TRUE(counted.columns.empty());
}

TEST_F(ExpressionsTest, LaterConjunctsSeeOnlyRowsThatPassed) {
  const auto quotient = plan::call("//", kTestInteger, {constant(1000), ref(0, kTestInteger)}, true);
  const auto large = plan::comparison(CompareOp::Greater, quotient, constant(300));
  const auto nonzero = plan::comparison(CompareOp::NotEqual, ref(0, kTestInteger), constant(0));
  EXPECT_EQ(rows_of(filter(two_integers_, numbers(), {nonzero, large}, {0})),
            (std::vector<std::string>{"1", "2", "3"}));
  EXPECT_THROW(filter(two_integers_, numbers(), {large, nonzero}, {0}), Exception);
}

TEST_F(ExpressionsTest, TextViewsAndNewText) {
  Values<std::string> values;
  for (int i = 0; i < kRows; ++i) {
    if (i % 5 == 2) {
      values.emplace_back(std::nullopt);
    } else {
      values.emplace_back(i % 5 == 4 ? "" : "Wörld " + std::to_string(i));
    }
  }
  const Batch input = batch({text(values)});
  const auto s = ref(0, kTestVarchar);
  const auto twice = plan::call("||", kTestVarchar, {s, s});
  // Four times the input's text: more than the first guess of the arena.
  const auto four = plan::call("||", kTestVarchar, {twice, twice});
  const auto rows = evaluate(
      {kTestVarchar}, input,
      {plan::call("substring", kTestVarchar,
                  {s, plan::constant(Value::integer(kTestBigInt, 2)), plan::constant(Value::integer(kTestBigInt, 3))}),
       plan::call("upper", kTestVarchar, {s}), four, plan::call("length", kTestBigInt, {s}),
       plan::call("concat", kTestVarchar, {s, constant("!")})});
  for (int i = 0; i < kRows; ++i) {
    const std::string& row = rows[static_cast<size_t>(i)];
    if (i % 5 == 2) {
      ASSERT_EQ(row, "NULL|NULL|NULL|NULL|!");
    } else if (i % 5 == 4) {
      ASSERT_EQ(row, "|||0|!");
    } else {
      const std::string n = std::to_string(i);
      const std::string t = "Wörld " + n;
      ASSERT_EQ(row, "örl|WÖRLD " + n + "|" + t + t + t + t + "|" + std::to_string(6 + n.size()) + "|" + t + "!");
    }
  }
}

TEST_F(ExpressionsTest, LikeAgainstAPlainSearch) {
  Values<std::string> values;
  uint64_t random = 88172645463325252ull;
  for (int i = 0; i < kRows; ++i) {
    std::string value;
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    for (uint64_t bits = random; bits != 0; bits >>= 3) value += "abspecil"[bits & 7];
    if (i % 3 == 0) value.insert(random % value.size(), "special");
    if (i % 4 == 0) value.insert(random % value.size(), "requests");
    values.emplace_back(value);
  }
  std::vector<std::string> expected;
  for (const auto& value : values) {
    const size_t first = value->find("special");
    const bool like = first != std::string::npos && value->find("requests", first + 7) != std::string::npos;
    expected.push_back(std::string(like ? "1" : "0") + "|" + (value->find("pec") != std::string::npos ? "1" : "0"));
  }
  EXPECT_EQ(evaluate({kTestVarchar}, batch({text(values)}),
                     {plan::call("~~", kTestBoolean, {ref(0, kTestVarchar), constant("%special%requests%")}),
                      plan::call("contains", kTestBoolean, {ref(0, kTestVarchar), constant("pec")})}),
            expected);
}

TEST_F(ExpressionsTest, DecimalsOf128Bits) {
  const Type wide = Type::decimal(38, 2);
  const Type narrow = Type::decimal(15, 2);
  Values<int64_t> values;
  for (int i = 0; i < kRows; ++i)
    values.push_back(i % 11 == 0 ? std::nullopt : std::optional<int64_t>(i * 1'000'003ll));
  const auto cast = plan::cast(ref(0, narrow), wide, false);
  const auto square = plan::call("*", Type::decimal(38, 4), {cast, cast}, true);
  const auto back = plan::call("__limb", kTestBigInt, {square, constant(1)});
  const auto text_form = plan::cast(ref(0, narrow), kTestVarchar, false);
  const auto parsed = plan::cast(text_form, narrow, true);
  const auto rows = evaluate({narrow}, batch({column<int64_t>(narrow, values)}), {square, back, parsed});
  for (int i = 0; i < kRows; ++i) {
    if (i % 11 == 0) {
      ASSERT_EQ(rows[static_cast<size_t>(i)], "NULL|NULL|NULL");
    } else {
      const __int128 x = i * 1'000'003ll;
      ASSERT_EQ(rows[static_cast<size_t>(i)],
                plan::to_string(x * x) + "|" + plan::to_string(x * x >> 32 & 0xffffffff) + "|" + plan::to_string(x));
    }
  }
}

}  // namespace
}  // namespace weft::gpu
