#include "workload/compare.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

namespace weft::workload {
namespace {

using plan::Type;
using plan::TypeId;

Cell text(const std::string& value) { return Cell{Cell::Kind::Text, 0, value}; }
Cell number(double value) { return Cell{Cell::Kind::Double, value, ""}; }
Cell single(double value) { return Cell{Cell::Kind::Float, value, ""}; }
Cell null() { return Cell{}; }

ResultTable table(const std::vector<TypeId>& types, std::vector<std::vector<Cell>> rows) {
  ResultTable out;
  for (size_t i = 0; i < types.size(); ++i) {
    out.columns.push_back({"c" + std::to_string(i), Type::of(types[i]), true});
  }
  out.rows = std::move(rows);
  return out;
}

ResultTable texts(const std::vector<std::string>& values) {
  std::vector<std::vector<Cell>> rows;
  for (const auto& value : values) rows.push_back({text(value)});
  return table({TypeId::Varchar}, rows);
}

/// Two columns: a key and a value.
ResultTable pairs(const std::vector<std::pair<std::string, std::string>>& values) {
  std::vector<std::vector<Cell>> rows;
  for (const auto& [key, value] : values) rows.push_back({text(key), text(value)});
  return table({TypeId::Varchar, TypeId::Varchar}, rows);
}

OrderPromise ordered(std::vector<uint32_t> keys) {
  OrderPromise promise;
  promise.ordered = true;
  promise.keys = std::move(keys);
  return promise;
}

Verdict verdict(const ResultTable& a, const ResultTable& b, const OrderPromise& promise = {},
                const UnlimitedRows& unlimited = nullptr) {
  return compare(a, b, promise, unlimited).verdict;
}

TEST(Compare, WithoutOrderRowsAreAMultiset) {
  EXPECT_EQ(verdict(texts({"a", "b", "b"}), texts({"b", "a", "b"})), Verdict::Equal);
  EXPECT_EQ(verdict(texts({"a", "b", "b"}), texts({"b", "a", "a"})), Verdict::Different);
  EXPECT_EQ(verdict(texts({"a"}), texts({"a", "a"})), Verdict::Different);
  EXPECT_EQ(verdict(texts({}), texts({})), Verdict::Equal);
}

TEST(Compare, NullIsNoEmptyText) {
  const auto with_null = table({TypeId::Varchar}, {{null()}});
  EXPECT_EQ(verdict(with_null, with_null), Verdict::Equal);
  EXPECT_EQ(verdict(with_null, texts({""})), Verdict::Different);
  EXPECT_EQ(verdict(with_null, texts({"NULL"})), Verdict::Different);
}

TEST(Compare, CellsDoNotRunIntoEachOther) {
  EXPECT_EQ(verdict(pairs({{"a", "bc"}}), pairs({{"ab", "c"}})), Verdict::Different);
}

TEST(Compare, TypesAndNamesMustBeTheSame) {
  auto integers = table({TypeId::Integer}, {{text("1")}});
  auto longs = table({TypeId::BigInt}, {{text("1")}});
  EXPECT_EQ(verdict(integers, longs), Verdict::Different);
  auto renamed = integers;
  renamed.columns[0].name = "x";
  EXPECT_EQ(verdict(integers, renamed), Verdict::Different);
}

TEST(Compare, DoublesHaveATolerance) {
  const auto one = [](double value) { return table({TypeId::Double}, {{number(value)}}); };
  EXPECT_EQ(verdict(one(1e10), one(1e10 + 50)), Verdict::Equal);
  EXPECT_EQ(verdict(one(1e10), one(1e10 + 500)), Verdict::Different);
  EXPECT_EQ(verdict(one(0), one(0.9e-8)), Verdict::Equal);
  EXPECT_EQ(verdict(one(0), one(1.1e-8)), Verdict::Different);
  EXPECT_EQ(verdict(one(NAN), one(NAN)), Verdict::Equal);
  EXPECT_EQ(verdict(one(NAN), one(-NAN)), Verdict::Equal);
  EXPECT_EQ(verdict(one(NAN), one(1)), Verdict::Different);
  EXPECT_EQ(verdict(one(INFINITY), one(INFINITY)), Verdict::Equal);
  EXPECT_EQ(verdict(one(INFINITY), one(-INFINITY)), Verdict::Different);
  EXPECT_EQ(verdict(one(INFINITY), one(1e308)), Verdict::Different);
  EXPECT_EQ(verdict(one(0.0), one(-0.0)), Verdict::Equal);
}

TEST(Compare, FloatsHaveAWiderOne) {
  const auto one = [](double value) { return table({TypeId::Float}, {{single(value)}}); };
  EXPECT_EQ(verdict(one(1), one(1 + 0.9e-6)), Verdict::Equal);
  EXPECT_EQ(verdict(one(1), one(1 + 1.5e-6)), Verdict::Different);
}

TEST(Compare, NearDoublesAreMatchedWhateverTheirOrder) {
  const auto a = table({TypeId::Double, TypeId::Double}, {{number(1), number(5)}, {number(1 + 1e-12), number(3)}});
  const auto b = table({TypeId::Double, TypeId::Double}, {{number(1), number(3)}, {number(1 + 1e-12), number(5)}});
  const auto c = table({TypeId::Double, TypeId::Double}, {{number(1), number(3)}, {number(1 + 1e-12), number(4)}});
  EXPECT_EQ(verdict(a, b), Verdict::Equal);
  EXPECT_EQ(verdict(a, c), Verdict::Different);
}

TEST(Compare, OrderedRowsSwapOnlyWithinTies) {
  const auto expected = pairs({{"a", "1"}, {"a", "2"}, {"b", "3"}});
  EXPECT_EQ(verdict(expected, pairs({{"a", "2"}, {"a", "1"}, {"b", "3"}}), ordered({0})), Verdict::Equal);
  EXPECT_EQ(verdict(expected, pairs({{"b", "3"}, {"a", "1"}, {"a", "2"}}), ordered({0})), Verdict::Different);
  EXPECT_EQ(verdict(expected, pairs({{"a", "2"}, {"a", "1"}, {"b", "3"}}), ordered({0, 1})), Verdict::Different);
  EXPECT_EQ(verdict(expected, pairs({{"a", "3"}, {"a", "1"}, {"b", "2"}}), ordered({0})), Verdict::Different);
}

TEST(Compare, ALimitMayCutTies) {
  OrderPromise promise = ordered({0});
  promise.limited = true;
  const auto all = [] { return pairs({{"a", "1"}, {"b", "2"}, {"b", "3"}, {"b", "3"}}); };
  const auto expected = pairs({{"a", "1"}, {"b", "2"}});
  EXPECT_EQ(verdict(expected, pairs({{"a", "1"}, {"b", "3"}}), promise, all), Verdict::Equal);
  EXPECT_EQ(verdict(expected, pairs({{"a", "1"}, {"b", "4"}}), promise, all), Verdict::Different);
  EXPECT_EQ(verdict(expected, pairs({{"b", "2"}, {"b", "3"}}), promise, all), Verdict::Different);
  EXPECT_EQ(verdict(expected, pairs({{"a", "1"}}), promise, all), Verdict::Different);
}

TEST(Compare, ALimitRespectsMultiplicities) {
  OrderPromise promise;
  promise.limited = true;
  const auto all = [] { return texts({"a", "b", "b"}); };
  EXPECT_EQ(verdict(texts({"a", "b"}), texts({"b", "b"}), promise, all), Verdict::Equal);
  EXPECT_EQ(verdict(texts({"a", "b"}), texts({"a", "a"}), promise, all), Verdict::Different);
}

TEST(Compare, AHiddenSortKeyLeavesSwapsUndetermined) {
  OrderPromise promise = ordered({});
  promise.hidden_keys = true;
  EXPECT_EQ(verdict(texts({"a", "b"}), texts({"a", "b"}), promise), Verdict::Equal);
  const Comparison swapped = compare(texts({"a", "b"}), texts({"b", "a"}), promise, nullptr);
  EXPECT_EQ(swapped.verdict, Verdict::Undetermined);
  EXPECT_FALSE(swapped.values_agree);
  EXPECT_EQ(verdict(texts({"a", "b"}), texts({"a", "c"}), promise), Verdict::Different);
}

TEST(Compare, OrderDependentAnswersAreNeverEqual) {
  OrderPromise promise;
  promise.order_dependent = true;
  const Comparison same = compare(texts({"a"}), texts({"a"}), promise, nullptr);
  EXPECT_EQ(same.verdict, Verdict::Undetermined);
  EXPECT_TRUE(same.values_agree);
  const Comparison other = compare(texts({"a"}), texts({"b"}), promise, nullptr);
  EXPECT_EQ(other.verdict, Verdict::Undetermined);
  EXPECT_FALSE(other.values_agree);
}

TEST(Compare, TablesSurviveAFile) {
  auto before = table({TypeId::Varchar, TypeId::Double, TypeId::Float},
                      {{text("line\nbreak \"quoted\""), number(0.1), single(0.1F)},
                       {null(), number(NAN), single(-INFINITY)},
                       {text(""), number(-0.0), null()}});
  before.columns[0].type = Type::decimal(15, 2);
  std::stringstream file;
  write_table(before, file);
  const ResultTable after = read_table(file);
  ASSERT_EQ(after.rows.size(), 3U);
  EXPECT_EQ(after.columns[0].type, before.columns[0].type);
  EXPECT_EQ(after.rows[0], before.rows[0]);
  EXPECT_TRUE(std::isnan(after.rows[1][1].number));
  EXPECT_EQ(after.rows[1][2], before.rows[1][2]);
  EXPECT_TRUE(std::signbit(after.rows[2][1].number));
  EXPECT_EQ(after.rows[2][2].kind, Cell::Kind::Null);
  std::stringstream wrong("not a table");
  EXPECT_THROW(read_table(wrong), Exception);
}

}  // namespace
}  // namespace weft::workload
