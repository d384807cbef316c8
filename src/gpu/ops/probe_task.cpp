#include "gpu/ops/probe_task.hpp"

#include <algorithm>

#include <cudf/column/column_factories.hpp>

#include "base/error.hpp"
#include "gpu/exec/cuda_check.hpp"
#include "gpu/kernels/join_rows.hpp"
#include "gpu/ops/rows.hpp"

namespace weft::gpu {
namespace {

// DuckDB's text.
constexpr const char* kSecondRow =
    "Invalid Input Error: More than one row returned by a subquery used as an expression - scalar subqueries can only "
    "return a single "
    "row.\n\nUse \"SET scalar_subquery_error_on_multiple_rows=false\" to revert to previous behavior of returning a "
    "random row.";

constexpr cudf::data_type kBool{cudf::type_id::BOOL8};

cudf::column_view part_of(const cudf::column& rows, cudf::size_type begin, cudf::size_type count) {
  return {rows.type(), count, rows.view().head<cudf::size_type>() + begin, nullptr, 0};
}

}  // namespace

ProbeTask::ProbeTask(const HashProbe& probe, const TaskContext& context, const Batch& input, const Emit& emit)
    : probe_(probe),
      build_(probe.build()),
      layout_(probe.layout()),
      context_(context),
      input_(input),
      emit_(emit),
      residual_(probe.residual()) {}

bool ProbeTask::emits_pairs() const {
  const Kind kind = layout_.spec.emit;
  return kind == Kind::Inner || kind == Kind::ProbeOuter || kind == Kind::ProbeSingle;
}

bool ProbeTask::follows_matches() const {
  const Kind kind = layout_.spec.emit;
  return kind != Kind::Inner && kind != Kind::MarkBuildOnly;
}

uint8_t* ProbeTask::new_marks(std::unique_ptr<cudf::column>& marks, int value) const {
  marks =
      cudf::make_fixed_width_column(kBool, input_.rows, cudf::mask_state::UNALLOCATED, context_.stream, context_.mr);
  auto* bytes = marks->mutable_view().head<uint8_t>();
  check_cuda(cudaMemsetAsync(bytes, value, static_cast<size_t>(input_.rows), context_.stream.get()));
  return bytes;
}

void ProbeTask::run() {
  if (build_.partitions().empty() && !follows_matches()) return;
  evaluate_bounds();
  if (layout_.has_keys() && !build_.partitions().empty()) {
    keys_ = probe_.keys()->evaluate(context_, input_);
    std::vector<cudf::column_view> views;
    std::vector<cudf::column_view> plain;
    for (size_t i = 0; i < keys_.size(); ++i) {
      views.push_back(keys_[i]->view());
      if (!layout_.spec.null_equal[i]) plain.push_back(views.back());
    }
    if (layout_.marker) {
      marker_ = make_null_marker(context_, plain, input_.rows, 1);
      views.push_back(marker_->view());
    }
    key_view_ = cudf::table_view(views);
  }
  if (answered_by_one_filter()) return;
  if (follows_matches()) matched_marks_ = new_marks(matched_, 0);
  for (const Partition& partition : build_.partitions()) visit_partition(partition);
  accept_nearest();
  finish();
}

// A semi or anti join with one partition needs no marks: the filter table names the rows.
bool ProbeTask::answered_by_one_filter() {
  const Kind kind = layout_.spec.emit;
  if (build_.partitions().size() != 1 || (kind != Kind::ProbeSemi && kind != Kind::ProbeAnti)) return false;
  const Partition& partition = build_.partitions().front();
  if (partition.filter == nullptr) return false;
  context_.cancellation.check();
  auto rows = kind == Kind::ProbeSemi ? partition.filter->semi_join(key_view_, context_.stream, context_.mr)
                                      : partition.filter->anti_join(key_view_, context_.stream, context_.mr);
  const auto map = row_numbers(std::move(*rows));
  const Batch input = select_columns(input_, layout_.spec.probe_output);
  if (map->size() == input.rows) {
    emit_(input);
  } else if (map->size() > 0) {
    emit_(gather_rows(context_, input, map->view()));
  }
  return true;
}

void ProbeTask::visit_partition(const Partition& partition) {
  context_.cancellation.check();
  if (partition.filter != nullptr) {
    probe_filter(partition);
    return;
  }
  if (!bounds_.empty()) {
    search_partition(partition);
    return;
  }
  const auto visit = [&](RowPairs pairs) { take_pairs(partition, std::move(pairs)); };
  if (layout_.has_keys()) {
    visit_key_pairs(context_, partition, key_view_, block_of(partition), visit);
    return;
  }
  if (!residual_ && !emits_pairs()) {  // every pair matches: no need to walk over them
    if (matched_marks_ != nullptr) matched_marks_ = new_marks(matched_, 1);
    if (partition.marks != nullptr) {
      check_cuda(cudaMemsetAsync(partition.marks->data(), 1, partition.marks->size(), context_.stream.get()));
    }
    return;
  }
  visit_product(context_, input_.rows, partition.rows.rows, block_of(partition), visit);
}

// Pairs of a block: conditions read these columns of each.
cudf::size_type ProbeTask::block_of(const Partition& partition) const {
  if (residual_ == nullptr && probe_.unknown() == nullptr) return max_pairs(context_, 0);
  return max_pairs(context_, bytes_per_row(select_columns(input_, layout_.pair_probe)) +
                                 bytes_per_row(select_columns(partition.rows, layout_.pair_build)));
}

void ProbeTask::probe_filter(const Partition& partition) {
  const auto rows = partition.filter->semi_join(key_view_, context_.stream, context_.mr);
  mark_rows(matched_marks_, rows->data(), static_cast<cudf::size_type>(rows->size()), context_.stream);
}

Batch ProbeTask::pair_row(const Partition& partition, const RowPairs& pairs) const {
  const Batch probe = select_columns(input_, layout_.pair_probe);
  const Batch build = select_columns(partition.rows, layout_.pair_build);
  Batch row = pairs.every_probe_row_once ? probe : gather_rows(context_, probe, pairs.probe->view());
  Batch more = gather_rows(context_, build, pairs.build->view());
  for (ColumnPtr& column : more.columns) row.columns.push_back(std::move(column));
  return row;
}

// A condition of pairs, over rows that pair_row made.
std::unique_ptr<cudf::column> ProbeTask::pair_mask(const Predicate& condition, const Batch& row) const {
  try {
    return condition.mask(context_, row);
  } catch (const Exception& e) {
    if (!e.error().failure) throw;
    Error error = e.error();
    error.failure = failure_of_pair(layout_, *error.failure);
    throw Exception(std::move(error));
  }
}

void ProbeTask::mark(cudf::column_view rows, uint8_t* marks) const {
  mark_rows(marks, rows.data<cudf::size_type>(), rows.size(), context_.stream);
}

void ProbeTask::take_pairs(const Partition& partition, RowPairs pairs) {
  accept_pairs(partition, passing_pairs(partition, std::move(pairs)));
}

// Those that the residual keeps.
RowPairs ProbeTask::passing_pairs(const Partition& partition, RowPairs pairs) {
  if (pairs.size() == 0 || residual_ == nullptr) return pairs;
  const Batch row = pair_row(partition, pairs);
  if (probe_.unknown() != nullptr) {
    if (unknown_marks_ == nullptr) unknown_marks_ = new_marks(unknown_, 0);
    const auto unknown = pair_mask(*probe_.unknown(), row);
    mark(keep_pairs(context_, pairs, unknown->view()).probe->view(), unknown_marks_);
  }
  const auto mask = pair_mask(*residual_, row);
  return keep_pairs(context_, pairs, mask->view());
}

void ProbeTask::accept_pairs(const Partition& partition, const RowPairs& pairs) {
  if (pairs.size() == 0) return;
  pairs_ += pairs.size();
  if (matched_marks_ != nullptr) mark(pairs.probe->view(), matched_marks_);
  if (partition.marks != nullptr) mark(pairs.build->view(), partition.marks->data());
  if (layout_.spec.emit == Kind::ProbeSingle) {
    // Before anything is emitted for these pairs: a second match is an error of the query.
    if (pairs_ > count_true(context_, matched_->view())) throw Exception(ErrorCode::DuckDbError, kSecondRow);
  }
  if (emits_pairs()) emit_pairs(partition, pairs);
}

Batch ProbeTask::joined(Batch probe, Batch build) const {
  const bool probe_first = layout_.spec.output_left_is_probe;
  Batch& first = probe_first ? probe : build;
  Batch& second = probe_first ? build : probe;
  Batch out;
  out.rows = probe.rows;
  out.sequence = input_.sequence;
  out.columns = std::move(first.columns);
  for (ColumnPtr& column : second.columns) out.columns.push_back(std::move(column));
  return out;
}

void ProbeTask::emit_pairs(const Partition& partition, const RowPairs& pairs) {
  const Batch probe = select_columns(input_, layout_.spec.probe_output);
  const Batch build = select_columns(partition.rows, layout_.build_output);
  const cudf::size_type step = rows_per_piece(context_.batch_bytes, bytes_per_row(probe) + bytes_per_row(build));
  // A rest of less than half a piece goes with the piece before it.
  const auto pieces = std::max<int64_t>(1, (static_cast<int64_t>(pairs.size()) + step / 2) / step);
  for (int64_t i = 0; i < pieces; ++i) {
    const auto begin = static_cast<cudf::size_type>(i * step);
    const auto count = i + 1 == pieces ? pairs.size() - begin : step;
    Batch left = pairs.every_probe_row_once ? slice_rows(context_, probe, begin, begin + count)
                                            : gather_rows(context_, probe, part_of(*pairs.probe, begin, count));
    Batch right = gather_rows(context_, build, part_of(*pairs.build, begin, count));
    emit_(joined(std::move(left), std::move(right)));
  }
}

void ProbeTask::finish() {
  switch (layout_.spec.emit) {
    case Kind::Inner:
    case Kind::MarkBuildOnly:
      return;
    case Kind::ProbeOuter:
    case Kind::ProbeSingle:
      emit_unmatched();
      return;
    case Kind::ProbeSemi:
    case Kind::ProbeAnti: {
      Batch rows = filter_rows(context_, select_columns(input_, layout_.spec.probe_output), matched_->view(),
                               layout_.spec.emit == Kind::ProbeSemi);
      if (rows.rows > 0) emit_(std::move(rows));
      return;
    }
    case Kind::ProbeMark:
      emit_mark();
      return;
  }
}

void ProbeTask::emit_unmatched() {
  const bool none_matched = build_.partitions().empty();
  Batch rows = select_columns(input_, layout_.spec.probe_output);
  if (!none_matched) rows = filter_rows(context_, rows, matched_->view(), false);
  if (rows.rows == 0) return;
  Batch nulls;
  nulls.rows = rows.rows;
  for (const cudf::data_type type : build_.output_types()) {
    nulls.columns.push_back(null_column(context_, type, rows.rows));
  }
  emit_(joined(std::move(rows), std::move(nulls)));
}

}  // namespace weft::gpu
