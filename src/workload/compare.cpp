#include "workload/compare.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace weft::workload {
namespace {

using Row = std::vector<Cell>;
using RowRange = std::pair<size_t, size_t>;  // [begin, end)

constexpr double kDoubleTolerance = 1e-8;
constexpr double kFloatTolerance = 1e-6;

bool is_floating(const Cell& cell) { return cell.kind == Cell::Kind::Float || cell.kind == Cell::Kind::Double; }

bool numbers_match(double a, double b, double tolerance) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (std::isinf(a) || std::isinf(b)) return a == b;
  return std::abs(a - b) <= tolerance * std::max({1.0, std::abs(a), std::abs(b)});
}

bool cells_match(const Cell& a, const Cell& b) {
  if (a.kind != b.kind) return false;
  if (!is_floating(a)) return a.text == b.text;
  return numbers_match(a.number, b.number, a.kind == Cell::Kind::Double ? kDoubleTolerance : kFloatTolerance);
}

bool rows_match(const Row& a, const Row& b) { return std::equal(a.begin(), a.end(), b.begin(), b.end(), cells_match); }

bool keys_match(const Row& a, const Row& b, const std::vector<uint32_t>& keys) {
  return std::all_of(keys.begin(), keys.end(), [&](uint32_t key) { return cells_match(a.at(key), b.at(key)); });
}

std::string row_text(const Row& row) {
  std::string text = "(";
  for (size_t i = 0; i < row.size(); ++i) text += (i > 0 ? ", " : "") + to_text(row[i]);
  return text + ")";
}

/// What must be the same in rows that match; of a floating value only whether it is finite.
std::string exact_part(const Row& row) {
  std::string part;
  for (const auto& cell : row) {
    if (cell.kind == Cell::Kind::Null) {
      part += "N;";
    } else if (cell.kind == Cell::Kind::Text) {
      part += "T" + std::to_string(cell.text.size()) + ":" + cell.text;
    } else {
      // The sign of a NaN is the processor's, and no value of SQL.
      part += std::isfinite(cell.number) ? "F;" : std::isnan(cell.number) ? "nan;" : to_text(cell) + ";";
    }
  }
  return part;
}

/// The first finite floating value, by which rows of one bucket are ordered for matching.
double first_number(const Row& row) {
  for (const auto& cell : row) {
    if (is_floating(cell) && std::isfinite(cell.number)) return cell.number;
  }
  return 0;
}

/// Finds for each row of `wanted` another row of `pool` that matches it; gives the first row that has none. Greedy over
/// rows that are near by their first number: exact unless three values chain within the tolerance.
const Row* first_unmatched(std::vector<const Row*> wanted, std::vector<const Row*> pool) {
  const auto by_number = [](const Row* a, const Row* b) { return first_number(*a) < first_number(*b); };
  std::stable_sort(wanted.begin(), wanted.end(), by_number);
  std::stable_sort(pool.begin(), pool.end(), by_number);
  std::vector<bool> used(pool.size(), false);
  size_t low = 0;
  for (const Row* row : wanted) {
    const double number = first_number(*row);
    const double reach = kFloatTolerance * 2 * std::max(1.0, std::abs(number));
    while (low < pool.size() && (used[low] || first_number(*pool[low]) < number - reach)) ++low;
    bool found = false;
    for (size_t i = low; i < pool.size() && !found && first_number(*pool[i]) <= number + reach; ++i) {
      if (used[i] || !rows_match(*row, *pool[i])) continue;
      used[i] = true;
      found = true;
    }
    if (!found) return row;
  }
  return nullptr;
}

using Buckets = std::map<std::string, std::vector<const Row*>>;

Buckets buckets(const std::vector<Row>& rows, RowRange range) {
  Buckets out;
  for (size_t i = range.first; i < range.second; ++i) out[exact_part(rows[i])].push_back(&rows[i]);
  return out;
}

/// A row of `wanted` that occurs less often in `pool`; nullptr if all occur.
const Row* first_missing(const std::vector<Row>& wanted, RowRange wanted_range, const std::vector<Row>& pool,
                         RowRange pool_range) {
  const Buckets pool_buckets = buckets(pool, pool_range);
  for (auto& [part, rows] : buckets(wanted, wanted_range)) {
    const auto found = pool_buckets.find(part);
    if (found == pool_buckets.end()) return rows.front();
    if (const Row* row = first_unmatched(rows, found->second)) return row;
  }
  return nullptr;
}

/// Compares two equally long ranges as multisets; the first difference, or nullopt.
std::optional<std::string> multiset_difference(const ResultTable& expected, const ResultTable& actual, RowRange range) {
  const Row* missing = first_missing(expected.rows, range, actual.rows, range);
  if (missing == nullptr) return std::nullopt;
  std::string detail = "expected row " + row_text(*missing) + " is missing";
  const Row* surplus = first_missing(actual.rows, range, expected.rows, range);
  if (surplus != nullptr) detail += "; unexpected row " + row_text(*surplus);
  return detail;
}

std::optional<std::string> schema_difference(const ResultTable& expected, const ResultTable& actual) {
  if (expected.columns.size() != actual.columns.size()) {
    return "expected " + std::to_string(expected.columns.size()) + " columns, got " +
           std::to_string(actual.columns.size());
  }
  for (size_t i = 0; i < expected.columns.size(); ++i) {
    const auto& want = expected.columns[i];
    const auto& got = actual.columns[i];
    if (want.name == got.name && want.type == got.type) continue;
    return "column " + std::to_string(i + 1) + ": expected " + want.name + " " + want.type.to_string() + ", got " +
           got.name + " " + got.type.to_string();
  }
  return std::nullopt;
}

std::optional<std::string> position_difference(const ResultTable& expected, const ResultTable& actual) {
  for (size_t i = 0; i < expected.rows.size(); ++i) {
    if (rows_match(expected.rows[i], actual.rows[i])) continue;
    return "row " + std::to_string(i + 1) + ": expected " + row_text(expected.rows[i]) + ", got " +
           row_text(actual.rows[i]);
  }
  return std::nullopt;
}

std::optional<std::string> key_difference(const ResultTable& expected, const ResultTable& actual,
                                          const std::vector<uint32_t>& keys) {
  for (size_t i = 0; i < expected.rows.size(); ++i) {
    if (keys_match(expected.rows[i], actual.rows[i], keys)) continue;
    return "order: row " + std::to_string(i + 1) + ": expected the sort keys of " + row_text(expected.rows[i]) +
           ", got " + row_text(actual.rows[i]);
  }
  return std::nullopt;
}

std::optional<std::string> grouped_difference(const ResultTable& expected, const ResultTable& actual,
                                              const std::vector<uint32_t>& keys) {
  if (auto detail = key_difference(expected, actual, keys)) return detail;
  size_t begin = 0;
  for (size_t i = 1; i <= expected.rows.size(); ++i) {
    if (i < expected.rows.size() && keys_match(expected.rows[i - 1], expected.rows[i], keys)) continue;
    if (auto detail = multiset_difference(expected, actual, {begin, i})) return detail;
    begin = i;
  }
  return std::nullopt;
}

/// The rows differ under a LIMIT: they may still both be right cuts of one longer answer.
Comparison compare_cut(const ResultTable& expected, const ResultTable& actual, const OrderPromise& promise,
                       const UnlimitedRows& unlimited, const std::string& detail) {
  if (promise.ordered && !promise.hidden_keys) {
    if (auto keys = key_difference(expected, actual, promise.keys)) return {Verdict::Different, false, *keys};
  }
  if (!unlimited) return {Verdict::Undetermined, false, detail};
  const ResultTable all = unlimited();
  const Row* foreign = first_missing(actual.rows, {0, actual.rows.size()}, all.rows, {0, all.rows.size()});
  if (foreign != nullptr) {
    return {Verdict::Different, false, "row " + row_text(*foreign) + " is not in the answer without LIMIT"};
  }
  if (promise.hidden_keys) return {Verdict::Undetermined, false, detail + " (a sort key is no output column)"};
  return {Verdict::Equal, true, ""};
}

Comparison compare_rows(const ResultTable& expected, const ResultTable& actual, const OrderPromise& promise,
                        const UnlimitedRows& unlimited) {
  if (expected.rows.size() != actual.rows.size()) {
    return {Verdict::Different, false,
            "expected " + std::to_string(expected.rows.size()) + " rows, got " + std::to_string(actual.rows.size())};
  }
  const auto by_position = position_difference(expected, actual);
  if (!by_position) return {Verdict::Equal, true, ""};
  const RowRange all{0, expected.rows.size()};
  std::optional<std::string> detail;
  if (promise.ordered && promise.hidden_keys) {
    detail = by_position;
  } else if (promise.ordered) {
    detail = grouped_difference(expected, actual, promise.keys);
  } else {
    detail = multiset_difference(expected, actual, all);
  }
  if (!detail) return {Verdict::Equal, true, ""};
  if (promise.limited) return compare_cut(expected, actual, promise, unlimited, *detail);
  if (promise.ordered && promise.hidden_keys && !multiset_difference(expected, actual, all)) {
    return {Verdict::Undetermined, false, *detail + " (the same rows, but a sort key is no output column)"};
  }
  return {Verdict::Different, false, *detail};
}

}  // namespace

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::Equal:
      return "equal";
    case Verdict::Different:
      return "different";
    case Verdict::Undetermined:
      return "undetermined";
    case Verdict::Unchecked:
      return "unchecked";
  }
  return "unchecked";
}

Comparison compare(const ResultTable& expected, const ResultTable& actual, const OrderPromise& promise,
                   const UnlimitedRows& unlimited) {
  if (auto detail = schema_difference(expected, actual)) return {Verdict::Different, false, *detail};
  Comparison comparison = compare_rows(expected, actual, promise, unlimited);
  if (promise.order_dependent) comparison.verdict = Verdict::Undetermined;
  return comparison;
}

}  // namespace weft::workload
