// The one result comparator of the project (docs/testing.md). Column types and names' count must be the same; DOUBLE
// values may differ by 1e-8 and FLOAT ones by 1e-6, relative to max(1, |a|, |b|); NaN equals NaN; all else is exact.
// With sort keys, rows may swap only within groups that are equal on every key; without, rows are a multiset.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "workload/result_table.hpp"

namespace weft::workload {

enum class Verdict : unsigned char { Equal, Different, Undetermined, Unchecked };
/// "equal", "different", "undetermined", "unchecked".
const char* to_string(Verdict verdict);

/// What a statement promises about the order of its rows.
struct OrderPromise {
  bool ordered = false;          // a top-level ORDER BY
  std::vector<uint32_t> keys;    // its keys as output columns, in order
  bool hidden_keys = false;      // some key is no output column: rows must then come in exactly the same order
  bool limited = false;          // a top-level LIMIT or OFFSET
  std::string unlimited_sql;     // limited: the statement without them
  bool order_dependent = false;  // an inner LIMIT, an ASOF join, an order-dependent aggregate or a row-position window
};

/// Asks DuckDB (json_serialize_sql) through a plain connection. A statement that is no SELECT promises nothing.
OrderPromise order_promise(session::Connection& plain, const std::string& statement, const ResultTable& answer);

/// A statement that has one answer only, but for sort keys whose floating values differ in their last places.
struct TieBrokenStatement {
  std::string sql;
  size_t added_columns = 0;  // sort keys that were no output columns, behind the statement's own
};
/// Makes every sort key an output column and every output column a sort key: those that were none become the last keys,
/// floating ones after all others. nullopt for what no order of the result can settle: no SELECT, or order-dependent
/// inside (OrderPromise::order_dependent).
std::optional<TieBrokenStatement> break_ties(session::Connection& plain, const std::string& statement,
                                             const ResultTable& answer);

struct Comparison {
  Verdict verdict = Verdict::Unchecked;
  bool values_agree = false;  // what Undetermined leaves open: did these two runs agree
  std::string detail;         // the first difference, for people; empty if none
};

/// Gives the rows of `unlimited_sql`; called only if a LIMIT may have cut a group of ties.
using UnlimitedRows = std::function<ResultTable()>;

Comparison compare(const ResultTable& expected, const ResultTable& actual, const OrderPromise& promise,
                   const UnlimitedRows& unlimited);

}  // namespace weft::workload
