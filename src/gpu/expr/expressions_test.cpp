// Answers of generated kernels, run on the CPU, against DuckDB's (every expected value was read from DuckDB 2.0.1).
#include <gtest/gtest.h>

#include <cmath>
#include <ctime>
#include <optional>

#include "gpu/expr/host_harness.hpp"

namespace weft::gpu::test {
namespace {

using plan::CompareOp;
using plan::ExprKind;
using plan::ExprPtr;
using plan::Type;
using plan::TypeId;
using plan::Value;

const Type kInt = Type::of(TypeId::Integer);
const Type kBigInt = Type::of(TypeId::BigInt);
const Type kTinyInt = Type::of(TypeId::TinyInt);
const Type kBool = Type::of(TypeId::Boolean);
const Type kDouble = Type::of(TypeId::Double);
const Type kFloat = Type::of(TypeId::Float);
const Type kText = Type::of(TypeId::Varchar);
const Type kDate = Type::of(TypeId::Date);
const Type kTimestamp = Type::of(TypeId::Timestamp);
const Type kHuge = Type::of(TypeId::HugeInt);

Value num(const Type& type, plan::Int128 value) { return Value::integer(type, value); }
Value null(const Type& type) { return Value::null(type); }
ExprPtr lit(Value value) { return plan::constant(std::move(value)); }
ExprPtr lit(int value) { return lit(num(kInt, value)); }
ExprPtr lit(const char* text) { return lit(Value::text(text)); }
ExprPtr big(int64_t value) { return lit(num(kBigInt, value)); }

ExprPtr node(ExprKind kind, Type type, std::vector<ExprPtr> children) {
  plan::Expr expr;
  expr.kind = kind;
  expr.type = std::move(type);
  expr.children = std::move(children);
  return std::make_shared<const plan::Expr>(std::move(expr));
}

ExprPtr with_id(ExprPtr expr, uint32_t id) {
  plan::Expr copy = *expr;
  copy.id = id;
  return std::make_shared<const plan::Expr>(std::move(copy));
}

ExprPtr try_cast(ExprPtr child, Type type) {
  plan::Expr copy = *plan::cast(std::move(child), std::move(type));
  copy.try_cast = true;
  return std::make_shared<const plan::Expr>(std::move(copy));
}

// Rows of one type list; columns are called by position.
struct Table {
  std::vector<plan::Column> columns;
  Rows rows;

  ExprPtr column(uint32_t index) const { return plan::column_ref(index, columns[index].type, true); }
};

Table table(std::vector<Type> types, Rows rows) {
  Table result;
  for (Type& type : types) result.columns.push_back({"c", std::move(type), true});
  result.rows = std::move(rows);
  return result;
}

// A table of one column; a missing number is NULL.
Table numbers(const Type& type, const std::vector<std::optional<plan::Int128>>& values) {
  Rows rows;
  for (const auto& value : values) rows.push_back({value ? num(type, *value) : null(type)});
  return table({type}, std::move(rows));
}

Table texts(const std::vector<std::optional<std::string>>& values) {
  Rows rows;
  for (const auto& value : values) rows.push_back({value ? Value::text(*value) : null(kText)});
  return table({kText}, std::move(rows));
}

// Each column of the answer as text, cells separated by '|', with NULL for NULLs.
std::vector<std::string> answers(const HostResult& result) {
  std::vector<std::string> lines;
  for (const auto& column : result.columns) {
    std::string line;
    for (const Value& cell : column) {
      if (&cell != &column.front()) line += "|";
      line += cell.is_null() ? "NULL" : cell.type.id == TypeId::Varchar ? cell.as_text() : cell.to_string();
    }
    lines.push_back(line);
  }
  return lines;
}

std::vector<std::string> evaluate(const Table& input, const std::vector<ExprPtr>& expressions) {
  const HostResult result = run_on_host(input.columns, input.rows, expressions);
  EXPECT_FALSE(result.failed_row.has_value()) << "row " << result.failed_row.value_or(0);
  return answers(result);
}

using Lines = std::vector<std::string>;

// The failing row of one expression, or -1.
int64_t failing_row(const Table& input, const ExprPtr& expression) {
  const HostResult result = run_on_host(input.columns, input.rows, {expression});
  return result.failed_row ? static_cast<int64_t>(*result.failed_row) : -1;
}

const plan::Int128 kMaxHuge = static_cast<plan::Int128>(~(static_cast<unsigned __int128>(1) << 127));
const plan::Int128 kMinHuge = -kMaxHuge - 1;

TEST(ArithmeticTest, RaisesInTheFirstRowThatOverflows) {
  const Table t = numbers(kTinyInt, {100, -128, 27, std::nullopt, 127});
  const HostResult result = run_on_host(
      t.columns, t.rows, {with_id(plan::call("+", kTinyInt, {t.column(0), lit(num(kTinyInt, 1))}, true), 7)});
  EXPECT_EQ(result.failed_row, std::optional<uint64_t>(4));
  EXPECT_EQ(result.failed_id, 7u);
  EXPECT_EQ(failing_row(t, plan::call("-", kTinyInt, {t.column(0)}, true)), 1);
  EXPECT_EQ(failing_row(t, plan::call("*", kTinyInt, {t.column(0), lit(num(kTinyInt, 2))}, true)), 0);
  EXPECT_EQ(failing_row(t, plan::call("abs", kTinyInt, {t.column(0)}, true)), 1);
}

TEST(ArithmeticTest, ChecksTheEdgesOfEveryWidth) {
  struct Case {
    TypeId id;
    plan::Int128 low, high;
  };
  const std::vector<Case> cases = {
      {TypeId::TinyInt, -128, 127},
      {TypeId::SmallInt, -32768, 32767},
      {TypeId::Integer, INT32_MIN, INT32_MAX},
      {TypeId::BigInt, INT64_MIN, INT64_MAX},
      {TypeId::HugeInt, kMinHuge, kMaxHuge},
      {TypeId::UTinyInt, 0, 255},
      {TypeId::USmallInt, 0, 65535},
      {TypeId::UInteger, 0, UINT32_MAX},
      {TypeId::UBigInt, 0, UINT64_MAX},
  };
  // Per type: rows that end with one that fails.
  std::vector<HostRun> runs;
  const auto add = [&runs](const Table& t, const ExprPtr& expr) { runs.push_back({t.columns, t.rows, {expr}}); };
  for (const Case& c : cases) {
    const Type type = Type::of(c.id);
    const ExprPtr one = lit(num(type, 1));
    const Table high = numbers(type, {c.high - 1, c.high});
    const Table low = numbers(type, {c.low + 1, c.low});
    const Table half = numbers(type, {c.high / 2, c.high / 2 + 1});
    add(high, plan::call("+", type, {high.column(0), one}, true));
    add(low, plan::call("-", type, {low.column(0), one}, true));
    add(half, plan::call("*", type, {half.column(0), lit(num(type, 2))}, true));
    if (c.low < 0) add(low, plan::call("//", type, {low.column(0), lit(num(type, -1))}, true));
    if (c.low < 0) add(low, plan::call("-", type, {low.column(0)}, true));
  }
  const std::vector<HostResult> results = run_on_host(runs);
  for (size_t i = 0; i < runs.size(); ++i) {
    EXPECT_EQ(results[i].failed_row, std::optional<uint64_t>(1))
        << plan::to_string(*runs[i].expressions[0]) << " of " << runs[i].input[0].type.to_string();
  }
  const Table low = numbers(kBigInt, {INT64_MIN, INT64_MIN + 1});
  EXPECT_EQ(evaluate(low, {plan::call("%", kBigInt, {low.column(0), big(-1)}, true)}), Lines{"0|0"});
}

TEST(ArithmeticTest, DividesAsDuckDB) {
  const Table t = table({kInt, kInt}, {{num(kInt, 7), num(kInt, 2)},
                                       {num(kInt, -7), num(kInt, 2)},
                                       {num(kInt, 7), num(kInt, -2)},
                                       {num(kInt, -7), num(kInt, -2)},
                                       {null(kInt), num(kInt, 0)}});
  const auto a = t.column(0), b = t.column(1);
  const auto real = [](const ExprPtr& x) { return plan::cast(x, kDouble, false); };
  EXPECT_EQ(evaluate(t, {plan::call("//", kInt, {a, b}, true), plan::call("%", kInt, {a, b}, true),
                         plan::call("/", kDouble, {real(a), real(b)})}),
            (Lines{"3|-3|-3|3|NULL", "1|-1|1|-1|NULL", "3.5|-3.5|-3.5|3.5|NULL"}));
  const Table zero =
      table({kInt, kInt}, {{num(kInt, 1), num(kInt, 0)}, {num(kInt, -1), num(kInt, 0)}, {num(kInt, 0), num(kInt, 0)}});
  EXPECT_EQ(evaluate(zero, {plan::call("/", kDouble, {real(zero.column(0)), real(zero.column(1))})}),
            Lines{"inf|-inf|nan"});
  EXPECT_EQ(failing_row(zero, plan::call("//", kInt, {zero.column(0), zero.column(1)}, true)), 0);
  EXPECT_EQ(failing_row(zero, plan::call("%", kInt, {zero.column(0), zero.column(1)}, true)), 0);
  EXPECT_EQ(failing_row(zero, plan::call("//", kDouble, {real(zero.column(0)), real(zero.column(1))}, true)), 0);
  EXPECT_EQ(evaluate(zero, {plan::call("%", kDouble, {real(zero.column(0)), real(zero.column(1))})}),
            Lines{"nan|nan|nan"});
}

TEST(ArithmeticTest, HugeIntProducts) {
  const plan::Int128 big = static_cast<plan::Int128>(1) << 100;
  const Table t = table({kHuge, kHuge}, {{num(kHuge, big), num(kHuge, 1 << 26)},
                                         {num(kHuge, big), num(kHuge, -(1 << 27))},
                                         {num(kHuge, -big), num(kHuge, -(1 << 26))},
                                         {num(kHuge, big), num(kHuge, 1 << 27)}});
  const auto product = plan::call("*", kHuge, {t.column(0), t.column(1)}, true);
  const HostResult result = run_on_host(t.columns, t.rows, {product});
  EXPECT_EQ(result.failed_row, std::optional<uint64_t>(3));
  EXPECT_EQ(result.columns[0][1].as_int(), kMinHuge);
  EXPECT_EQ(result.columns[0][2].as_int(), big * (1 << 26));
}

TEST(DecimalTest, SumsAndProductsAreCheckedByTheirSize) {
  const Type d18 = Type::decimal(18, 2);
  const plan::Int128 most = 999999999999999999;
  const Table t = numbers(d18, {most - 1, most, -most, 150});
  EXPECT_EQ(failing_row(t, plan::call("+", d18, {t.column(0), lit(num(d18, 1))}, true)), 1);
  EXPECT_EQ(failing_row(t, plan::call("-", d18, {t.column(0), lit(num(d18, 1))}, true)), 2);
  const Type d4 = Type::decimal(18, 4);
  EXPECT_EQ(failing_row(t, plan::call("*", d4, {t.column(0), lit(num(d18, 1000))}, true)), 0);
  const Type d38 = Type::decimal(38, 4);
  EXPECT_EQ(evaluate(t, {plan::call("*", d38, {t.column(0), lit(num(Type::decimal(10, 2), 100))}, true)}),
            Lines{"9999999999999999.9800|9999999999999999.9900|-9999999999999999.9900|1.5000"});
}

TEST(DecimalTest, RoundsHalfAwayFromZero) {
  const Type d = Type::decimal(6, 2);
  const Table t = numbers(d, {250, -250, 201, -249, 125075, std::nullopt});
  const auto round_to = [&](const char* name, int digits, uint8_t scale) {
    return plan::call(name, Type::decimal(6, scale), {t.column(0), lit(digits)});
  };
  const Type whole = Type::decimal(6, 0);
  EXPECT_EQ(evaluate(t, {round_to("round", 0, 0), round_to("round", 1, 1), round_to("round", -2, 0),
                         plan::call("floor", whole, {t.column(0)}), plan::call("ceil", whole, {t.column(0)}),
                         plan::call("trunc", whole, {t.column(0)})}),
            (Lines{"3|-3|2|-2|1251|NULL", "2.5|-2.5|2.0|-2.5|1250.8|NULL", "0|0|0|0|1300|NULL", "2|-3|2|-3|1250|NULL",
                   "3|-2|3|-2|1251|NULL", "2|-2|2|-2|1250|NULL"}));
}

TEST(DecimalTest, CastsCheckTheirRange) {
  const Type from = Type::decimal(3, 2);
  const Table t = numbers(from, {994, 995, -995, 5, -5, 4});
  EXPECT_EQ(evaluate(t, {try_cast(t.column(0), Type::decimal(2, 1)), try_cast(t.column(0), Type::decimal(1, 0)),
                         try_cast(t.column(0), Type::decimal(6, 4)), try_cast(t.column(0), kTinyInt)}),
            (Lines{"9.9|NULL|NULL|0.1|-0.1|0.0", "NULL|NULL|NULL|0|0|0", "9.9400|9.9500|-9.9500|0.0500|-0.0500|0.0400",
                   "10|10|-10|0|0|0"}));
  EXPECT_EQ(failing_row(t, plan::cast(t.column(0), Type::decimal(2, 1))), 1);
  const Table integers = numbers(kInt, {999, 1000, -1000, std::nullopt});
  EXPECT_EQ(evaluate(integers, {try_cast(integers.column(0), Type::decimal(4, 1)),
                                try_cast(integers.column(0), Type::decimal(38, 30))}),
            (Lines{"999.0|NULL|NULL|NULL",
                   "999.000000000000000000000000000000|1000.000000000000000000000000000000|"
                   "-1000.000000000000000000000000000000|NULL"}));
}

Table doubles(const std::vector<double>& values) {
  Rows rows;
  for (const double value : values) rows.push_back({Value::floating(kDouble, value)});
  return table({kDouble}, std::move(rows));
}

TEST(CastTest, DoublesAreShortestText) {
  // Each as DuckDB 2.0.1 prints it; 2069.02447509765625 and 531.38238525390625 are ties between two shortest texts.
  const Table t = doubles({0.0,
                           -0.0,
                           1.0,
                           -1.5,
                           0.1,
                           1e15,
                           1e16,
                           1e-4,
                           1e-5,
                           5e-324,
                           4.35,
                           1e22,
                           1e23,
                           9007199254740993.0,
                           1.0 / 3,
                           0.3,
                           123456.0,
                           2.2250738585072014e-308,
                           1.7976931348623157e308,
                           2069.02447509765625,
                           531.38238525390625,
                           9999999999999998.0,
                           std::nan(""),
                           INFINITY,
                           -INFINITY});
  EXPECT_EQ(evaluate(t, {plan::cast(t.column(0), kText)}),
            (Lines{"0.0|-0.0|1.0|-1.5|0.1|1000000000000000.0|1e+16|0.0001|1e-05|5e-324|4.35|1e+22|1e+23|"
                   "9007199254740992.0|0.3333333333333333|0.3|123456.0|2.2250738585072014e-308|"
                   "1.7976931348623157e+308|2069.0244750976562|531.3823852539062|9999999999999998.0|nan|inf|-inf"}));
}

TEST(CastTest, FloatsRoundHalfToEvenAndThenCheck) {
  const double nan = std::nan(""), inf = INFINITY;
  const Table t = doubles({0.5, 1.5, 2.5, -0.5, -2.5, 127.4, 127.6, -128.4, -0.4, 1e10, nan, inf});
  EXPECT_EQ(evaluate(t, {try_cast(t.column(0), kTinyInt), try_cast(t.column(0), Type::of(TypeId::UTinyInt)),
                         try_cast(t.column(0), kBigInt)}),
            (Lines{"0|2|2|0|-2|127|NULL|-128|0|NULL|NULL|NULL", "0|2|2|0|NULL|127|128|NULL|0|NULL|NULL|NULL",
                   "0|2|2|0|-2|127|128|-128|0|10000000000|NULL|NULL"}));
  EXPECT_EQ(failing_row(t, plan::cast(t.column(0), kTinyInt)), 6);
  const Table edges = doubles({9223372036854775807.0, -9223372036854775808.0, 1.6e38, 1.8e38});
  EXPECT_EQ(evaluate(edges, {try_cast(edges.column(0), kBigInt), try_cast(edges.column(0), kHuge)}),
            (Lines{"NULL|-9223372036854775808|NULL|NULL",
                   "9223372036854775808|-9223372036854775808|159999999999999992620202531233938276352|NULL"}));
  const Table decimals = doubles({9.995, 9.994, -9.995, 1e5, nan});
  EXPECT_EQ(
      evaluate(decimals, {try_cast(decimals.column(0), Type::decimal(6, 2)), try_cast(decimals.column(0), kFloat)})[0],
      "9.99|9.99|-9.99|NULL|NULL");
}

TEST(CastTest, NarrowsIntegers) {
  const Table t = numbers(kInt, {127, -128, 255, -1, 32767, 70000, std::nullopt});
  EXPECT_EQ(evaluate(t, {try_cast(t.column(0), kTinyInt), try_cast(t.column(0), Type::of(TypeId::UTinyInt)),
                         try_cast(t.column(0), Type::of(TypeId::UBigInt)), plan::cast(t.column(0), kBool),
                         plan::cast(t.column(0), kHuge)}),
            (Lines{"127|-128|NULL|-1|NULL|NULL|NULL", "127|NULL|255|NULL|NULL|NULL|NULL",
                   "127|NULL|255|NULL|32767|70000|NULL", "true|true|true|true|true|true|NULL",
                   "127|-128|255|-1|32767|70000|NULL"}));
}

TEST(FloatTest, NanIsGreatestAndZerosAreEqual) {
  const double nan = std::nan("");
  const Table t = table({kDouble, kDouble}, {{Value::floating(kDouble, nan), Value::floating(kDouble, nan)},
                                             {Value::floating(kDouble, nan), Value::floating(kDouble, INFINITY)},
                                             {Value::floating(kDouble, -0.0), Value::floating(kDouble, 0.0)},
                                             {Value::floating(kDouble, -INFINITY), Value::floating(kDouble, 1)}});
  const auto a = t.column(0), b = t.column(1);
  const Lines lines =
      evaluate(t, {plan::comparison(CompareOp::Equal, a, b), plan::comparison(CompareOp::Less, a, b),
                   plan::comparison(CompareOp::Greater, a, b), plan::comparison(CompareOp::GreaterEqual, a, b),
                   plan::comparison(CompareOp::NotEqual, a, a), plan::call("greatest", kDouble, {a, b})});
  EXPECT_EQ(lines[0], "true|false|true|false");
  EXPECT_EQ(lines[1], "false|false|false|true");
  EXPECT_EQ(lines[2], "false|true|false|false");
  EXPECT_EQ(lines[3], "true|true|true|false");
  EXPECT_EQ(lines[4], "false|false|false|false");
  EXPECT_EQ(lines[5].substr(0, 7), "nan|nan");
}

Table truth() {
  const auto b = [](int v) { return v < 0 ? null(kBool) : Value::boolean(v != 0); };
  Rows rows;
  for (const int x : {1, 0, -1}) {
    for (const int y : {1, 0, -1}) rows.push_back({b(x), b(y)});
  }
  return table({kBool, kBool}, std::move(rows));
}

TEST(LogicTest, ThreeValued) {
  const Table t = truth();
  const auto x = t.column(0), y = t.column(1);
  EXPECT_EQ(
      evaluate(t,
               {node(ExprKind::And, kBool, {x, y}), node(ExprKind::Or, kBool, {x, y}), node(ExprKind::Not, kBool, {x}),
                node(ExprKind::IsNull, kBool, {x}), plan::comparison(CompareOp::DistinctFrom, x, y),
                plan::comparison(CompareOp::NotDistinctFrom, x, y), plan::comparison(CompareOp::Less, x, y)}),
      (Lines{"true|false|NULL|false|false|false|NULL|false|NULL", "true|true|true|true|false|NULL|true|NULL|NULL",
             "false|false|false|true|true|true|NULL|NULL|NULL", "false|false|false|false|false|false|true|true|true",
             "false|true|true|true|false|true|true|true|false", "true|false|false|false|true|false|false|false|true",
             "false|false|NULL|true|false|NULL|NULL|NULL|NULL"}));
  const HostResult mask = filter_on_host(t.columns, t.rows, {node(ExprKind::Or, kBool, {x, y})});
  EXPECT_EQ(answers(mask)[0], "true|true|true|true|false|false|true|false|false");
}

// k, v, s: the guarded divisions of cases/logic.sql.
Table guarded() {
  return table({kInt, kInt, kText}, {{num(kInt, 1), num(kInt, 10), Value::text("5")},
                                     {num(kInt, 0), num(kInt, 20), Value::text("x")},
                                     {null(kInt), num(kInt, 30), null(kText)},
                                     {num(kInt, 4), num(kInt, 2000000000), Value::text("7")}});
}

TEST(LogicTest, BranchesAreEvaluatedOnlyWhereNeeded) {
  const Table t = guarded();
  const auto k = t.column(0), v = t.column(1);
  const auto quotient = plan::call("//", kInt, {v, k}, true);
  const auto nonzero = plan::comparison(CompareOp::NotEqual, k, lit(0));
  EXPECT_EQ(evaluate(t, {node(ExprKind::Case, kInt, {nonzero, quotient, lit(-1)})}), Lines{"10|-1|-1|500000000"});
  EXPECT_EQ(evaluate(t, {node(ExprKind::Coalesce, kInt, {k, quotient})}), Lines{"1|0|NULL|4"});
  const auto isnull = node(ExprKind::IsNull, kBool, {k});
  EXPECT_EQ(failing_row(t, node(ExprKind::Case, kInt, {isnull, lit(0), quotient})), 1);
  // AND and OR stop, and a later conjunct sees only the rows that passed.
  const auto big = plan::comparison(CompareOp::Greater, quotient, lit(5));
  EXPECT_EQ(failing_row(t, node(ExprKind::And, kBool, {nonzero, big})), -1);
  EXPECT_EQ(failing_row(t, node(ExprKind::Or, kBool, {plan::comparison(CompareOp::Equal, k, lit(0)), big})), -1);
  const HostResult mask = filter_on_host(t.columns, t.rows, {nonzero, big});
  EXPECT_FALSE(mask.failed_row.has_value());
  EXPECT_EQ(answers(mask)[0], "true|false|false|true");
  EXPECT_TRUE(filter_on_host(t.columns, t.rows, {big, nonzero}).failed_row.has_value());
}

TEST(LogicTest, InLists) {
  const Table t = numbers(kInt, {1, 5, 13, 7, std::nullopt});
  const auto v = t.column(0);
  const auto in = [&](std::vector<ExprPtr> list) {
    list.insert(list.begin(), v);
    return node(ExprKind::In, kBool, list);
  };
  std::vector<ExprPtr> many;
  for (int i = -20; i < 20; i += 3) many.push_back(lit(i));
  const Lines lines =
      evaluate(t, {in({lit(1), lit(5), lit(9)}), in({lit(1), lit(null(kInt))}), in({v, lit(5)}), in(many)});
  EXPECT_EQ(lines, (Lines{"true|true|false|false|NULL", "true|NULL|NULL|NULL|NULL", "true|true|true|true|NULL",
                          "true|false|true|true|NULL"}));
  const Table s = texts({"s1", "MAIL", "", "exactly16bytes!!", "seventeen bytes!!", std::nullopt, "mail"});
  EXPECT_EQ(evaluate(s, {node(ExprKind::In, kBool,
                              {s.column(0), lit("MAIL"), lit(""), lit("exactly16bytes!!"), lit("seventeen bytes!!")})}),
            Lines{"false|true|true|true|true|NULL|false"});
}

TEST(LogicTest, LongTextLists) {
  std::vector<ExprPtr> list{nullptr};
  for (int i = 0; i < 40; ++i) list.push_back(lit(("key" + std::to_string(i * 3)).c_str()));
  list.push_back(lit("é"));
  const Table s = texts({"key0", "key3", "key4", "key117", "", "é", std::nullopt, "zzz", "key"});
  list[0] = s.column(0);
  EXPECT_EQ(evaluate(s, {node(ExprKind::In, kBool, list)}), Lines{"true|true|false|true|false|true|NULL|false|false"});
}

TEST(TextTest, ComparesBytes) {
  const Table t = table({kText, kText}, {{Value::text("a"), Value::text("ab")},
                                         {Value::text("é"), Value::text("z")},
                                         {Value::text("longer than eight"), Value::text("longer than eighx")},
                                         {Value::text(""), Value::text("")},
                                         {Value::text(std::string("a\0b", 3)), Value::text("a")},
                                         {null(kText), Value::text("")}});
  const auto a = t.column(0), b = t.column(1);
  EXPECT_EQ(
      evaluate(t, {plan::comparison(CompareOp::Less, a, b), plan::comparison(CompareOp::Equal, a, b),
                   plan::comparison(CompareOp::GreaterEqual, a, b), plan::comparison(CompareOp::DistinctFrom, a, b)}),
      (Lines{"true|false|true|false|false|NULL", "false|false|false|true|false|NULL", "false|true|false|true|true|NULL",
             "true|true|true|false|true|true"}));
}

TEST(TextTest, Like) {
  const Table t = texts({"special requests", "the special packages requests sleep", "xspecialrequestsx",
                         "requests special", "", "héllo", "a_b%c", std::nullopt});
  const auto like = [&](const char* pattern) { return plan::call("~~", kBool, {t.column(0), lit(pattern)}); };
  EXPECT_EQ(
      evaluate(t, {like("%special%requests%"), like("special%"), like("%special"), like("h_llo"), like("%"), like(""),
                   like("%e%e%"), like("s%l%s"), plan::call("!~~", kBool, {t.column(0), lit("%special%")})}),
      (Lines{"true|true|true|false|false|false|false|NULL", "true|false|false|false|false|false|false|NULL",
             "false|false|false|true|false|false|false|NULL", "false|false|false|false|false|true|false|NULL",
             "true|true|true|true|true|true|true|NULL", "false|false|false|false|true|false|false|NULL",
             "true|true|true|true|false|false|false|NULL", "true|false|false|false|false|false|false|NULL",
             "false|false|false|false|true|true|true|NULL"}));
}

TEST(TextTest, FindsALiteralAtEveryAlignment) {
  // Every start and every length of prefix; the needle overlaps itself.
  std::vector<std::optional<std::string>> values;
  std::string expected;
  for (size_t before = 0; before < 9; ++before) {
    values.push_back(std::string(before, 'a') + "aaab");
    values.push_back(std::string(before, 'a') + "aaac");
    expected += std::string(expected.empty() ? "" : "|") + "true|false";
  }
  const Table t = texts(values);
  EXPECT_EQ(evaluate(t, {plan::call("contains", kBool, {t.column(0), lit("aaab")})}), Lines{expected});
}

TEST(TextTest, SubstringCountsCodePoints) {
  const Table t = texts({"hello", "héllo wörld", "", std::nullopt, "日本語テキスト"});
  const auto sub = [&](int64_t start, int64_t length) {
    return plan::call("substring", kText, {t.column(0), big(start), big(length)});
  };
  EXPECT_EQ(evaluate(t, {sub(2, 3), sub(0, 3), sub(-3, 2), sub(-10, 3), sub(-10, 7), sub(4, -2), sub(9, -5),
                         sub(-7, -2), sub(100, 2), plan::call("substring", kText, {t.column(0), big(3)}),
                         plan::call("length", kBigInt, {t.column(0)}), plan::call("strlen", kBigInt, {t.column(0)})}),
            (Lines{"ell|éll||NULL|本語テ", "he|hé||NULL|日本", "ll|rl||NULL|キス", "|éll||NULL|",
                   "he|éllo wö||NULL|日本語テ", "el|él||NULL|本語", "lo|lo wö||NULL|テキスト", "|ll||NULL|", "|||NULL|",
                   "llo|llo wörld||NULL|語テキスト", "5|11|0|NULL|7", "5|13|0|NULL|21"}));
}

TEST(TextTest, TrimsSpaceSeparatorsOnly) {
  const Table t = texts({"  ab  ", "\t x \n", "", "   ", "\xe3\x80\x80w\xc2\xa0"});
  EXPECT_EQ(evaluate(t, {plan::call("trim", kText, {t.column(0)}), plan::call("ltrim", kText, {t.column(0)}),
                         plan::call("rtrim", kText, {t.column(0)})}),
            (Lines{"ab|\t x \n|||w", "ab  |\t x \n|||w\xc2\xa0", "  ab|\t x \n|||\xe3\x80\x80w"}));
}

TEST(TextTest, MakesNewText) {
  const Table t = texts({"straße", "ÀÉÎ òü", "éßıǆ", "İstanbul", "ﬁn", "banana", "", std::nullopt});
  const auto s = t.column(0);
  EXPECT_EQ(evaluate(t, {plan::call("upper", kText, {s}), plan::call("lower", kText, {s}),
                         plan::call("||", kText, {s, lit("!")}), plan::call("concat", kText, {lit("<"), s, lit(">")}),
                         plan::call("replace", kText, {s, lit("an"), lit("")}),
                         plan::call("replace", kText, {s, lit(""), lit("x")})}),
            (Lines{"STRAẞE|ÀÉÎ ÒÜ|ÉẞIǄ|İSTANBUL|ﬁN|BANANA||NULL", "straße|àéî òü|éßıǆ|istanbul|ﬁn|banana||NULL",
                   "straße!|ÀÉÎ òü!|éßıǆ!|İstanbul!|ﬁn!|banana!|!|NULL",
                   "<straße>|<ÀÉÎ òü>|<éßıǆ>|<İstanbul>|<ﬁn>|<banana>|<>|<>", "straße|ÀÉÎ òü|éßıǆ|İstbul|ﬁn|ba||NULL",
                   "straße|ÀÉÎ òü|éßıǆ|İstanbul|ﬁn|banana||NULL"}));
}

TEST(TextTest, PatternsWithEscapesAndWithoutCase) {
  const Table t = texts({"a%b", "axb", "ÀÉ", "àé", "STRASSE", "Straẞe", std::nullopt});
  const auto s = t.column(0);
  EXPECT_EQ(evaluate(t, {plan::call("like_escape", kBool, {s, lit("a!%b"), lit("!")}),
                         plan::call("~~*", kBool, {s, lit("àÉ%")}), plan::call("!~~*", kBool, {s, lit("str%")}),
                         plan::call("~~*", kBool, {s, lit("straß_")})}),
            (Lines{"true|false|false|false|false|false|NULL", "false|false|true|true|false|false|NULL",
                   "true|true|true|true|false|false|NULL", "false|false|false|false|false|true|NULL"}));
  EXPECT_EQ(failing_row(t, plan::call("like_escape", kBool, {s, lit("a!"), lit("!")}, true)), 0);
}

TEST(TextTest, ReadsNumbersAndDates) {
  const Table t =
      texts({" 12 ", "+5", "2.5", "-2.5", "1e3", "0x1F", "1_000", "", "12a", "99999999999", "nan", std::nullopt});
  const auto s = t.column(0);
  EXPECT_EQ(
      evaluate(t, {try_cast(s, kInt), try_cast(s, kBigInt), try_cast(s, Type::decimal(8, 1)), try_cast(s, kDouble)}),
      (Lines{"12|5|3|-3|1000|31|1000|NULL|NULL|NULL|NULL|NULL",
             "12|5|3|-3|1000|31|1000|NULL|NULL|99999999999|NULL|NULL",
             "12.0|5.0|2.5|-2.5|1000.0|NULL|1000.0|NULL|NULL|NULL|NULL|NULL",
             "12.0|5.0|2.5|-2.5|1000.0|NULL|1000.0|NULL|NULL|99999999999.0|nan|NULL"}));
  EXPECT_EQ(failing_row(t, plan::cast(s, kInt)), 7);
  const Table d = texts({"2020-02-29", " 2020-1-5 ", "2021-02-29", "2020-01-05 10:11:12.5", "2020-01-05 25:00:00",
                         "infinity", "0044-03-15 (BC)", "2020-01-05 24:00:00", "2020-01-05 10:11:12+02"});
  EXPECT_EQ(evaluate(d, {plan::cast(try_cast(d.column(0), kDate), kText, false),
                         plan::cast(try_cast(d.column(0), kTimestamp), kText, false)}),
            (Lines{"2020-02-29|2020-01-05|NULL|2020-01-05|NULL|infinity|0044-03-15 (BC)|2020-01-05|2020-01-05",
                   "2020-02-29 00:00:00|NULL|NULL|2020-01-05 10:11:12.5|NULL|infinity|0044-03-15 (BC) "
                   "00:00:00|2020-01-06 00:00:00|"
                   "2020-01-05 10:11:12"}));
}

TEST(TextTest, WritesNumbers) {
  const Table t = numbers(Type::decimal(5, 2), {-150, 5, -5, 1200, std::nullopt});
  EXPECT_EQ(evaluate(t, {plan::cast(t.column(0), kText, false)}), Lines{"-1.50|0.05|-0.05|12.00|NULL"});
  const Table fraction = numbers(Type::decimal(2, 2), {0, -5, 99});
  EXPECT_EQ(evaluate(fraction, {plan::cast(fraction.column(0), kText, false)}), Lines{".00|-.05|.99"});
  const Table huge = numbers(kHuge, {kMaxHuge, kMinHuge, 0});
  EXPECT_EQ(
      evaluate(huge,
               {plan::cast(huge.column(0), kText, false), plan::cast(plan::cast(huge.column(0), kBool), kText, false)}),
      (Lines{"170141183460469231731687303715884105727|-170141183460469231731687303715884105728|0", "true|true|false"}));
}

int64_t day(int year, int month, int date) {
  std::tm civil{};
  civil.tm_year = year - 1900;
  civil.tm_mon = month - 1;
  civil.tm_mday = date;
  return timegm(&civil) / 86400 - (timegm(&civil) % 86400 < 0 ? 1 : 0);
}

TEST(DateTest, FieldsAndTruncation) {
  const Table t = numbers(kDate, {day(1970, 1, 1), day(1969, 12, 28), day(2020, 2, 29), day(2021, 1, 3),
                                  day(1900, 3, 1), INT32_MAX, std::nullopt});
  const auto part = [&](const char* name) { return plan::call("date_part", kBigInt, {lit(name), t.column(0)}); };
  EXPECT_EQ(evaluate(t, {part("year"), part("month"), part("day"), part("quarter"), part("week"), part("dow"),
                         part("isodow"), part("doy"), plan::call("year", kBigInt, {t.column(0)})}),
            (Lines{"1970|1969|2020|2021|1900|NULL|NULL", "1|12|2|1|3|NULL|NULL", "1|28|29|3|1|NULL|NULL",
                   "1|4|1|1|1|NULL|NULL", "1|52|9|53|9|NULL|NULL", "4|0|6|0|4|NULL|NULL", "4|7|6|7|4|NULL|NULL",
                   "1|362|60|3|60|NULL|NULL", "1970|1969|2020|2021|1900|NULL|NULL"}));
  const auto trunc = [&](const char* unit) {
    return plan::cast(plan::call("date_trunc", kTimestamp, {lit(unit), t.column(0)}, true), kDate, false);
  };
  EXPECT_EQ(evaluate(t, {trunc("month"), trunc("week"), trunc("year"), trunc("quarter")}),
            (Lines{"DATE '1970-01-01'|DATE '1969-12-01'|DATE '2020-02-01'|DATE '2021-01-01'|DATE '1900-03-01'|DATE "
                   "'infinity'|NULL",
                   "DATE '1969-12-29'|DATE '1969-12-22'|DATE '2020-02-24'|DATE '2020-12-28'|DATE '1900-02-26'|DATE "
                   "'infinity'|NULL",
                   "DATE '1970-01-01'|DATE '1969-01-01'|DATE '2020-01-01'|DATE '2021-01-01'|DATE '1900-01-01'|DATE "
                   "'infinity'|NULL",
                   "DATE '1970-01-01'|DATE '1969-10-01'|DATE '2020-01-01'|DATE '2021-01-01'|DATE '1900-01-01'|DATE "
                   "'infinity'|NULL"}));
}

TEST(DateTest, IntervalsClampToTheEndOfTheMonth) {
  const Table t = numbers(
      kDate, {day(2020, 1, 31), day(2020, 2, 29), day(2019, 12, 31), day(1969, 12, 31), INT32_MAX, std::nullopt});
  const auto span = [](int months, int days, int64_t micros) {
    return lit(Value{Type::of(TypeId::Interval), plan::IntervalValue{months, days, micros}});
  };
  const auto add = [&](const char* op, const ExprPtr& by) {
    return plan::cast(plan::call(op, kTimestamp, {t.column(0), by}, true), kDate, false);
  };
  EXPECT_EQ(
      evaluate(t, {add("+", span(1, 0, 0)), add("-", span(1, 0, 0)), add("+", span(12, 0, 0)), add("+", span(1, 1, 0)),
                   add("-", span(0, 0, 25ll * 3600000000)), plan::call("+", kDate, {t.column(0), lit(1)}, true),
                   plan::call("-", kBigInt, {t.column(0), lit(num(kDate, 0))})}),
      (Lines{"DATE '2020-02-29'|DATE '2020-03-29'|DATE '2020-01-31'|DATE '1970-01-31'|DATE 'infinity'|NULL",
             "DATE '2019-12-31'|DATE '2020-01-29'|DATE '2019-11-30'|DATE '1969-11-30'|DATE 'infinity'|NULL",
             "DATE '2021-01-31'|DATE '2021-02-28'|DATE '2020-12-31'|DATE '1970-12-31'|DATE 'infinity'|NULL",
             "DATE '2020-03-01'|DATE '2020-03-30'|DATE '2020-02-01'|DATE '1970-02-01'|DATE 'infinity'|NULL",
             "DATE '2020-01-29'|DATE '2020-02-27'|DATE '2019-12-29'|DATE '1969-12-29'|DATE 'infinity'|NULL",
             "DATE '2020-02-01'|DATE '2020-03-01'|DATE '2020-01-01'|DATE '1970-01-01'|DATE 'infinity'|NULL",
             "18292|18321|18261|-1|2147483647|NULL"}));
}

TEST(InternalTest, LimbsComeBack) {
  const Table t = numbers(kHuge, {kMaxHuge, kMinHuge, -1, 0, static_cast<plan::Int128>(UINT64_MAX) << 3, std::nullopt});
  std::vector<ExprPtr> limbs;
  for (int k = 0; k < 4; ++k) limbs.push_back(plan::call("__limb", kBigInt, {t.column(0), lit(k)}));
  const auto back = plan::call("__from_limbs", kHuge, limbs, true);
  const HostResult result = run_on_host(t.columns, t.rows, {back, limbs[0], limbs[3]});
  EXPECT_FALSE(result.failed_row.has_value());
  for (size_t r = 0; r < t.rows.size(); ++r) EXPECT_EQ(result.columns[0][r], t.rows[r][0]) << r;
  EXPECT_EQ(answers(result)[1], "4294967295|0|4294967295|0|4294967288|NULL");
  EXPECT_EQ(answers(result)[2], "2147483647|-2147483648|-1|0|0|NULL");
  // A sum past 128 bits raises, and a negative one of 64-bit values does not.
  const Table sums = table({kBigInt, kBigInt, kBigInt, kBigInt},
                           {{num(kBigInt, -5), num(kBigInt, -3), num(kBigInt, 0), num(kBigInt, 0)},
                            {num(kBigInt, 0), num(kBigInt, 0), num(kBigInt, 0), num(kBigInt, 1ll << 31)}});
  const auto joined =
      plan::call("__from_limbs", kHuge, {sums.column(0), sums.column(1), sums.column(2), sums.column(3)}, true);
  EXPECT_EQ(failing_row(sums, joined), 1);
  EXPECT_EQ(run_on_host(sums.columns, {sums.rows[0]}, {joined}).columns[0][0].as_int(),
            -5 - 3 * (static_cast<plan::Int128>(1) << 32));
}

TEST(InternalTest, OrderKeysKeepTheOrder) {
  const std::vector<double> ascending = {-INFINITY, -1e300, -1.5, -5e-324, 0.0, 5e-324, 1.5, INFINITY, std::nan("")};
  const Table t = doubles(ascending);
  const auto key = plan::call("__order_key", kBigInt, {t.column(0)});
  const HostResult result = run_on_host(t.columns, t.rows, {key, plan::call("__from_order_key", kDouble, {key})});
  for (size_t r = 0; r + 1 < ascending.size(); ++r)
    EXPECT_LT(result.columns[0][r].as_int(), result.columns[0][r + 1].as_int()) << r;
  for (size_t r = 0; r + 1 < ascending.size(); ++r) EXPECT_EQ(result.columns[1][r].as_double(), ascending[r]);
  EXPECT_TRUE(std::isnan(result.columns[1].back().as_double()));
  const Table zeros = doubles({-0.0, 0.0});
  const HostResult equal =
      run_on_host(zeros.columns, zeros.rows, {plan::call("__order_key", kBigInt, {zeros.column(0)})});
  EXPECT_EQ(equal.columns[0][0], equal.columns[0][1]);
}

TEST(GeneratorTest, SourceDoesNotDependOnNumbers) {
  const Table t = numbers(kInt, {1});
  const auto less = [&](int limit) { return plan::comparison(CompareOp::Less, t.column(0), lit(limit)); };
  EXPECT_EQ(generate_mask(t.columns, {less(1)}).source, generate_mask(t.columns, {less(99)}).source);
  EXPECT_NE(generate_mask(t.columns, {less(1)}).constants, generate_mask(t.columns, {less(99)}).constants);
}

TEST(GeneratorTest, CommonSubexpressionsAreComputedOnce) {
  const Table t = numbers(kInt, {1});
  const auto product = [&] { return plan::call("*", kInt, {t.column(0), t.column(0)}, true); };
  const std::string source =
      generate_columns(t.columns, {product(), plan::call("+", kInt, {product(), lit(1)}, true)}).source;
  const size_t first = source.find("checked_mul((i32)");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(source.find("checked_mul((i32)", first + 1), std::string::npos);
}

}  // namespace
}  // namespace weft::gpu::test
