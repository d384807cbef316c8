// Sort keys as columns, and their order in libcudf's terms.
//
// FLOAT and DOUBLE keys go through __order_key: NaN greatest, -0 equal to 0. Text compares by bytes, as in DuckDB.
// libcudf's null order is relative to the ascending order, so with a descending key it is the other way round.
#pragma once

#include <memory>
#include <vector>

#include "gpu/ops/make_operators.hpp"

namespace weft::gpu {

/// Immutable, thread-safe. A keyed row is the input's columns, then those keys that are not plain columns of it.
class SortKeys {
 public:
  SortKeys(const OperatorServices& services, const std::vector<plan::SortKey>& keys, const pipeline::RowType& input);
  Batch keyed(const TaskContext& context, const Batch& batch) const;
  /// The keys of a keyed batch.
  cudf::table_view view(const Batch& keyed) const;
  const std::vector<cudf::size_type>& columns() const { return columns_; }  // of a keyed row
  const std::vector<cudf::order>& orders() const { return orders_; }
  const std::vector<cudf::null_order>& null_orders() const { return null_orders_; }
  /// The row without the added keys.
  Batch without_keys(const Batch& keyed) const;
  /// The first `limit` rows in order (all of them with a larger limit), in order.
  Batch sorted(const TaskContext& context, const Batch& keyed, uint64_t limit) const;

 private:
  size_t input_columns_;
  std::unique_ptr<Expressions> computed_;  // null: none
  std::vector<cudf::size_type> columns_;
  std::vector<cudf::order> orders_;
  std::vector<cudf::null_order> null_orders_;
};

}  // namespace weft::gpu
