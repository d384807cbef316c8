#include "gpu/ops/sum_overflow.hpp"

#include <gtest/gtest.h>

namespace weft::gpu {
namespace {

using plan::ExprPtr;
using plan::Type;
using plan::TypeId;

const Type kBigInt = Type::of(TypeId::BigInt);
const Type kHugeInt = Type::of(TypeId::HugeInt);
const std::string kMost = "170141183460469231731687303715884105727";
const std::string kLeast = "-170141183460469231731687303715884105728";

using Row = std::vector<std::optional<std::string>>;

ExprPtr sum(const Type& type, uint32_t first) {
  std::vector<ExprPtr> limbs;
  for (uint32_t k = 0; k < 4; ++k) limbs.push_back(plan::column_ref(first + k, kBigInt, true));
  return plan::call("__from_limbs", type, std::move(limbs), true);
}

// The limbs that a value's kernel makes, times `count`.
Row limbs(plan::Int128 value, int64_t count) {
  Row row;
  for (int k = 0; k < 4; ++k) {
    const auto limb =
        k == 3 ? static_cast<int64_t>(value >> 96) : static_cast<int64_t>((value >> (32 * k)) & 0xffffffff);
    row.emplace_back(std::to_string(limb * count));
  }
  return row;
}

std::string text_of(const Type& type, const Row& row) {
  const Error error = sum_overflow({sum(type, 0)}, row);
  EXPECT_EQ(error.code, ErrorCode::DuckDbError);
  return error.to_string();
}

Row plus(const Row& a, const Row& b) {
  Row row;
  for (size_t k = 0; k < a.size(); ++k) row.emplace_back(std::to_string(std::stoll(*a[k]) + std::stoll(*b[k])));
  return row;
}

constexpr plan::Int128 kHighest = static_cast<plan::Int128>(~static_cast<unsigned __int128>(0) >> 1);

// Each expected text is what DuckDB 2.0.1 says to sum() over these values in this order.
TEST(SumOverflow, HugeintNamesWhatGoesBeyond) {
  EXPECT_EQ(text_of(kHugeInt, plus(limbs(kHighest, 1), limbs(1, 1))),
            "Out of Range Error: Overflow in HUGEINT addition: " + kMost + " + 1");
  EXPECT_EQ(text_of(kHugeInt, plus(limbs(-kHighest - 1, 1), limbs(-1, 1))),
            "Out of Range Error: Overflow in HUGEINT addition: " + kLeast + " + -1");
  EXPECT_EQ(
      text_of(kHugeInt, plus(limbs(kHighest, 1), limbs(kHighest - 1, 1))),
      "Out of Range Error: Overflow in HUGEINT addition: " + kMost + " + 170141183460469231731687303715884105726");
}

TEST(SumOverflow, FarBeyondIsCut) {
  EXPECT_EQ(text_of(kHugeInt, limbs(kHighest, 1000)),
            "Out of Range Error: Overflow in HUGEINT addition: " + kMost + " + " + kMost);
  EXPECT_EQ(text_of(kHugeInt, limbs(-kHighest, 1000)),
            "Out of Range Error: Overflow in HUGEINT addition: " + kLeast + " + " + kLeast);
}

TEST(SumOverflow, DecimalHas38Digits) {
  plan::Int128 nines = 0;
  for (int i = 0; i < 38; ++i) nines = nines * 10 + 9;
  const std::string text = "Out of Range Error: Overflow in SUM of DECIMAL: the result does not fit in DECIMAL(38)";
  EXPECT_EQ(text_of(Type::decimal(38, 0), plus(limbs(nines, 1), limbs(1, 1))), text);
  EXPECT_EQ(text_of(Type::decimal(38, 5), plus(limbs(-nines, 1), limbs(-1, 1))), text);
  // Two of them need more than 128 bits, which DuckDB notices first.
  EXPECT_EQ(
      text_of(Type::decimal(38, 0), limbs(nines, 2)).rfind("Out of Range Error: Overflow in HUGEINT addition: ", 0),
      0U);
}

TEST(SumOverflow, TheFirstSumThatIsOutOfRangeIsNamed) {
  Row row = limbs(5, 1);
  for (int k = 0; k < 4; ++k) row.emplace_back(std::nullopt);
  const Row last = plus(limbs(kHighest, 1), limbs(2, 1));
  row.insert(row.end(), last.begin(), last.end());
  const ExprPtr average = plan::call("__average", Type::of(TypeId::Double), {sum(kHugeInt, 8)});
  const Error error =
      sum_overflow({plan::column_ref(0, kBigInt, true), sum(kHugeInt, 0), sum(kHugeInt, 4), average}, row);
  EXPECT_EQ(error.to_string(), "Out of Range Error: Overflow in HUGEINT addition: " + kMost + " + 2");
  EXPECT_EQ(sum_overflow({sum(kHugeInt, 0)}, row).code, ErrorCode::InternalError);
}

}  // namespace
}  // namespace weft::gpu
