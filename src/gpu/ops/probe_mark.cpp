// The mark column of a mark join, and which of its values are NULL.
#include <algorithm>

#include <cudf/binaryop.hpp>
#include <cudf/column/column_factories.hpp>
#include <cudf/copying.hpp>
#include <cudf/filling.hpp>
#include <cudf/null_mask.hpp>
#include <cudf/scalar/scalar.hpp>
#include <cudf/stream_compaction.hpp>
#include <cudf/table/table.hpp>
#include <cudf/transform.hpp>
#include <cudf/unary.hpp>

#include "gpu/exec/cuda_check.hpp"
#include "gpu/ops/probe_task.hpp"
#include "gpu/ops/rows.hpp"

namespace weft::gpu {

void ProbeTask::emit_mark() {
  if (layout_.three_valued && !build_.partitions().empty()) find_unknown();
  Batch out = select_columns(input_, layout_.spec.probe_output);
  if (unknown_ != nullptr) {
    // The mark is valid where it is true or not unknown.
    const auto known = cudf::unary_operation(unknown_->view(), cudf::unary_operator::NOT, context_.stream, context_.mr);
    const auto valid = cudf::binary_operation(matched_->view(), known->view(), cudf::binary_operator::LOGICAL_OR,
                                              matched_->type(), context_.stream, context_.mr);
    auto [mask, null_count] = cudf::bools_to_mask(valid->view(), context_.stream, context_.mr);
    if (null_count > 0) matched_->set_null_mask(std::move(*mask), null_count);
  }
  out.columns.push_back(std::move(matched_));
  emit_(std::move(out));
}

void ProbeTask::find_unknown() {
  if (layout_.groups) {
    find_unknown_by_groups();
  } else if (probe_.unknown() == nullptr) {
    find_unknown_by_value();
  } else {
    find_unknown_by_pairs();
  }
}

// One key or one inequality, no residual: unknown if a build row's value is NULL, or if the probe row's is (and a build
// row exists).
void ProbeTask::find_unknown_by_value() {
  const ColumnPtr& value = layout_.spec.search ? bounds_.front() : keys_.front();
  if (build_.has_null_key()) {
    unknown_marks_ = new_marks(unknown_, 1);
  } else if (value->null_count() > 0) {
    unknown_ = cudf::is_null(value->view(), context_.stream, context_.mr);
  }
}

// Unknown if a row of the probe row's group has NULL as its "=" key, or if the probe row has and its group has a row.
void ProbeTask::find_unknown_by_groups() {
  std::vector<cudf::column_view> keys;
  for (const ColumnPtr& key : keys_) keys.push_back(key->view());
  const cudf::table_view groups(group_keys(layout_, keys));
  const cudf::column_view value = plain_key(layout_, keys);
  std::unique_ptr<cudf::column> grouped;
  uint8_t* grouped_marks = value.null_count() > 0 ? new_marks(grouped, 0) : nullptr;
  unknown_marks_ = new_marks(unknown_, 0);
  const auto mark_found = [&](cudf::filtered_join& join, uint8_t* marks) {
    const auto rows = row_numbers(std::move(*join.semi_join(groups, context_.stream, context_.mr)));
    mark(rows->view(), marks);
  };
  for (const Partition& partition : build_.partitions()) {
    context_.cancellation.check();
    if (grouped_marks != nullptr) mark_found(*partition.groups, grouped_marks);
    if (partition.null_groups != nullptr) mark_found(*partition.null_groups, unknown_marks_);
  }
  if (grouped_marks == nullptr) return;
  const auto combine = [&](cudf::column_view a, cudf::column_view b, cudf::binary_operator op) {
    return cudf::binary_operation(a, b, op, matched_->type(), context_.stream, context_.mr);
  };
  const auto value_null = cudf::is_null(value, context_.stream, context_.mr);
  const auto asked = combine(grouped->view(), value_null->view(), cudf::binary_operator::LOGICAL_AND);
  unknown_ = combine(unknown_->view(), asked->view(), cudf::binary_operator::LOGICAL_OR);
}

// BOOL8 per row: some "=" key is NULL.
ColumnPtr ProbeTask::null_key_mask(const std::vector<cudf::column_view>& keys, cudf::size_type rows) const {
  std::vector<cudf::column_view> plain;
  for (size_t i = 0; i < keys.size(); ++i) {
    if (!layout_.spec.null_equal[i]) plain.push_back(keys[i]);
  }
  auto [mask, null_count] = cudf::bitmask_and(cudf::table_view(plain), context_.stream, context_.mr);
  if (null_count == 0 || mask.size() == 0) {
    const cudf::numeric_scalar<bool> none(false, true, context_.stream, context_.mr);
    return cudf::make_column_from_scalar(none, rows, context_.stream, context_.mr);
  }
  const auto valid =
      cudf::mask_to_bools(static_cast<const cudf::bitmask_type*>(mask.data()), 0, rows, context_.stream, context_.mr);
  return cudf::unary_operation(valid->view(), cudf::unary_operator::NOT, context_.stream, context_.mr);
}

ColumnPtr ProbeTask::rows_where(cudf::column_view mask, bool value) const {
  const cudf::numeric_scalar<cudf::size_type> zero(0, true, context_.stream, context_.mr);
  const auto all = cudf::sequence(mask.size(), zero, context_.stream, context_.mr);
  const cudf::table_view table({all->view()});
  auto kept = value ? cudf::apply_retention_mask(table, mask, context_.stream, context_.mr)
                    : cudf::apply_deletion_mask(table, mask, context_.stream, context_.mr);
  return ColumnPtr(std::move(kept->release().front()));
}

// Several keys or a residual. A pair whose condition is NULL has equal keys and a NULL residual (take_pairs has marked
// those), or a NULL in a key of one side: the pairs tested here.
void ProbeTask::find_unknown_by_pairs() {
  if (unknown_marks_ == nullptr) unknown_marks_ = new_marks(unknown_, 0);
  if (!layout_.has_keys()) return;
  std::vector<cudf::column_view> keys;
  for (const ColumnPtr& key : keys_) keys.push_back(key->view());
  const ColumnPtr probe_null = null_key_mask(keys, input_.rows);
  const auto unmatched =
      cudf::unary_operation(matched_->view(), cudf::unary_operator::NOT, context_.stream, context_.mr);
  const auto both = [&](cudf::column_view a, cudf::column_view b) {
    return cudf::binary_operation(a, b, cudf::binary_operator::LOGICAL_AND, matched_->type(), context_.stream,
                                  context_.mr);
  };
  const auto probe_valid =
      cudf::unary_operation(probe_null->view(), cudf::unary_operator::NOT, context_.stream, context_.mr);
  const ColumnPtr with_null = rows_where(both(unmatched->view(), probe_null->view())->view(), true);
  const ColumnPtr without = rows_where(both(unmatched->view(), probe_valid->view())->view(), true);
  for (const Partition& partition : build_.partitions()) {
    const cudf::numeric_scalar<cudf::size_type> zero(0, true, context_.stream, context_.mr);
    const auto all = cudf::sequence(partition.rows.rows, zero, context_.stream, context_.mr);
    test_unknown(partition, with_null->view(), all->view());
    std::vector<cudf::column_view> build_keys;
    for (const uint32_t column : layout_.key_columns) build_keys.push_back(partition.rows.columns[column]->view());
    const ColumnPtr build_null = null_key_mask(build_keys, partition.rows.rows);
    test_unknown(partition, without->view(), rows_where(build_null->view(), true)->view());
  }
}

void ProbeTask::test_unknown(const Partition& partition, cudf::column_view probe_rows, cudf::column_view build_rows) {
  if (probe_rows.size() == 0 || build_rows.size() == 0) return;
  visit_product(context_, probe_rows.size(), build_rows.size(), block_of(partition), [&](RowPairs pairs) {
    const auto numbers = [&](cudf::column_view of, const cudf::column& at) {
      return std::move(cudf::gather(cudf::table_view({of}), at.view(), cudf::out_of_bounds_policy::DONT_CHECK,
                                    context_.stream, context_.mr)
                           ->release()
                           .front());
    };
    pairs.probe = numbers(probe_rows, *pairs.probe);
    pairs.build = numbers(build_rows, *pairs.build);
    pairs.every_probe_row_once = false;
    const auto mask = pair_mask(*probe_.unknown(), pair_row(partition, pairs));
    mark(keep_pairs(context_, pairs, mask->view()).probe->view(), unknown_marks_);
  });
}

}  // namespace weft::gpu
