// Groups as numbers 0, 1, 2, ...: for states whose merging takes more than one pass over the rows, where each pass
// needs what the one before found for the row's group.
#pragma once

#include <memory>
#include <vector>

#include <cudf/aggregation.hpp>
#include <cudf/column/column.hpp>
#include <cudf/join/distinct_hash_join.hpp>
#include <cudf/table/table_view.hpp>
#include <rmm/device_uvector.hpp>

#include "gpu/column/batch.hpp"
#include "gpu/exec/task_context.hpp"

namespace weft::gpu {

/// Everything runs on the context's stream; who lets it go has synchronized.
class GroupNumbers {
 public:
  using Column = std::unique_ptr<cudf::column>;
  struct Request {
    cudf::column_view values;  // a row each
    std::unique_ptr<cudf::groupby_aggregation> aggregation;
  };

  /// `groups`: the distinct rows of `keys`, NULL equal to NULL. The number of a row is the place of its group.
  GroupNumbers(const TaskContext& context, cudf::table_view keys, cudf::table_view groups);

  /// A result for each group, in their order.
  std::vector<Column> aggregate(const TaskContext& context, std::vector<Request> requests) const;
  /// For each row, the value of its group.
  Column spread(const TaskContext& context, cudf::column_view per_group) const;

 private:
  cudf::column_view numbers() const;

  cudf::distinct_hash_join table_;
  std::unique_ptr<rmm::device_uvector<cudf::size_type>> numbers_;
};

/// The rows of `columns` that an argmin or argmax names; NULLs where a group had no row to name.
std::vector<std::unique_ptr<cudf::column>> pick_rows(const TaskContext& context, const std::vector<ColumnPtr>& columns,
                                                     std::unique_ptr<cudf::column> rows);

}  // namespace weft::gpu
