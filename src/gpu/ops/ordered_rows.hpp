// Build rows that are searched: sorted by (keys, search key), so that the rows that a probe row may be joined with
// follow each other. See pipeline::RangeSearch.
#pragma once

#include <memory>
#include <vector>

#include <rmm/device_buffer.hpp>

#include "gpu/kernels/join_ranges.hpp"
#include "gpu/ops/join_layout.hpp"

namespace weft::gpu {

struct OrderedRows {
  cudf::size_type searchable = 0;  // rows [0, searchable) have no NULL in "=" keys, the search key and the reach key
  /// If the search has a reach: per searchable row, the greatest (for < and <=) or the least reach key up to there. It
  /// ascends (descends): where it first satisfies the condition, the first row that may do so is.
  ColumnPtr reach;
};

/// The stored rows in order, those that can never match last. ASOF: the nearest of several candidates is the last.
Batch in_search_order(const TaskContext& context, const JoinLayout& layout, const Batch& rows, OrderedRows& order);

/// For each of a batch of probe rows, its candidates among sorted build rows. Immutable.
class CandidateRanges {
 public:
  /// `keys` and `bounds` are the values of layout.probe_keys and layout.bounds for the probe rows.
  CandidateRanges(const TaskContext& context, const JoinLayout& layout, const Batch& rows, const OrderedRows& order,
                  const std::vector<ColumnPtr>& keys, const std::vector<ColumnPtr>& bounds);
  join::Candidates view() const;

 private:
  std::unique_ptr<cudf::column> begins_;  // null: 0
  std::unique_ptr<cudf::column> ends_;
  rmm::device_buffer valid_;  // of probe rows; empty: all
};

}  // namespace weft::gpu
