// The probe of sorted build rows: ranges of candidates, and the nearest row of an ASOF join.
#include <cudf/binaryop.hpp>
#include <cudf/column/column_factories.hpp>
#include <cudf/copying.hpp>
#include <cudf/filling.hpp>
#include <cudf/scalar/scalar.hpp>
#include <cudf/table/table.hpp>

#include "base/error.hpp"
#include "gpu/exec/cuda_check.hpp"
#include "gpu/kernels/window_kernels.hpp"
#include "gpu/ops/probe_task.hpp"
#include "gpu/ops/rows.hpp"

namespace weft::gpu {
namespace {

constexpr cudf::data_type kRowNumber{cudf::type_id::INT32};
constexpr cudf::data_type kBool{cudf::type_id::BOOL8};

}  // namespace

void ProbeTask::evaluate_bounds() {
  if (probe_.bounds() == nullptr || build_.partitions().empty()) return;
  if (build_.is_searched()) {
    try {
      bounds_ = probe_.bounds()->evaluate(context_, input_);
      return;
    } catch (const Exception& e) {
      if (!layout_.otherwise || e.code() != ErrorCode::ExpressionError) throw;
    }
  }
  residual_ = probe_.otherwise();
}

void ProbeTask::search_partition(const Partition& partition) {
  if (partition.order.searchable == 0) return;
  const CandidateRanges ranges(context_, layout_, partition.rows, partition.order, keys_, bounds_);
  if (layout_.spec.search->nearest) {
    find_nearest(partition, ranges.view());
  } else if (!layout_.needs_pairs()) {
    window::for_each_row(join::MarkCandidates{ranges.view(), matched_marks_}, input_.rows, context_.stream);
  } else {
    visit_candidates(context_, ranges.view(), input_.rows, block_of(partition),
                     [&](RowPairs pairs) { take_pairs(partition, std::move(pairs)); });
  }
}

void ProbeTask::find_nearest(const Partition& partition, const join::Candidates& candidates) {
  auto found = cudf::make_fixed_width_column(kRowNumber, input_.rows, cudf::mask_state::UNALLOCATED, context_.stream,
                                             context_.mr);
  auto* rows = found->mutable_view().data<cudf::size_type>();
  if (residual_ == nullptr) {
    window::for_each_row(join::LastCandidate{candidates, rows}, input_.rows, context_.stream);
  } else {
    constexpr int kAllBits = 0xff;  // kNoRow
    check_cuda(cudaMemsetAsync(rows, kAllBits, static_cast<size_t>(input_.rows) * sizeof(cudf::size_type),
                               context_.stream.get()));
    visit_candidates(context_, candidates, input_.rows, block_of(partition), [&](RowPairs pairs) {
      const RowPairs passing = passing_pairs(partition, std::move(pairs));
      window::for_each_row(join::KeepLast{passing.probe->view().data<cudf::size_type>(),
                                          passing.build->view().data<cudf::size_type>(), rows},
                           passing.size(), context_.stream);
    });
  }
  const auto number = static_cast<cudf::size_type>(&partition - build_.partitions().data());
  const cudf::numeric_scalar<cudf::size_type> this_one(number, true, context_.stream, context_.mr);
  if (build_.partitions().size() == 1) {
    nearest_row_ = std::move(found);
    return;
  }
  // A NULL where nothing was found.
  const cudf::table_view key({partition.rows.columns[layout_.search_column]->view()});
  auto found_key = std::move(cudf::gather(key, found->view(), cudf::out_of_bounds_policy::NULLIFY,
                                          cudf::negative_index_policy::NOT_ALLOWED, context_.stream, context_.mr)
                                 ->release()
                                 .front());
  if (nearest_row_ == nullptr) {
    nearest_partition_ = cudf::make_column_from_scalar(this_one, input_.rows, context_.stream, context_.mr);
    nearest_row_ = std::move(found);
    nearest_key_ = std::move(found_key);
    return;
  }
  Batch keys;
  keys.rows = input_.rows;
  keys.columns = {ColumnPtr(std::move(nearest_key_)), ColumnPtr(std::move(found_key))};
  const auto nearer = probe_.nearer()->mask(context_, keys);
  const auto choose = [&](const auto& other, cudf::column_view so_far) {
    return cudf::copy_if_else(other, so_far, nearer->view(), context_.stream, context_.mr);
  };
  nearest_partition_ = choose(this_one, nearest_partition_->view());
  nearest_row_ = choose(found->view(), nearest_row_->view());
  nearest_key_ = choose(keys.columns[1]->view(), keys.columns[0]->view());
}

void ProbeTask::accept_nearest() {
  if (nearest_row_ == nullptr) return;
  const cudf::numeric_scalar<cudf::size_type> zero(0, true, context_.stream, context_.mr);
  const auto compare = [&](cudf::column_view rows, const cudf::numeric_scalar<cudf::size_type>& value,
                           cudf::binary_operator op) {
    return cudf::binary_operation(rows, value, op, kBool, context_.stream, context_.mr);
  };
  const auto found = compare(nearest_row_->view(), zero, cudf::binary_operator::GREATER_EQUAL);
  RowPairs all;
  all.probe = cudf::sequence(input_.rows, zero, context_.stream, context_.mr);
  all.build = std::move(nearest_row_);
  all.every_probe_row_once = true;
  if (nearest_partition_ == nullptr) {
    accept_pairs(build_.partitions().front(), keep_pairs(context_, all, found->view()));
    return;
  }
  for (size_t i = 0; i < build_.partitions().size(); ++i) {
    const cudf::numeric_scalar<cudf::size_type> number(static_cast<cudf::size_type>(i), true, context_.stream,
                                                       context_.mr);
    const auto here = compare(nearest_partition_->view(), number, cudf::binary_operator::EQUAL);
    const auto both = cudf::binary_operation(here->view(), found->view(), cudf::binary_operator::LOGICAL_AND, kBool,
                                             context_.stream, context_.mr);
    accept_pairs(build_.partitions()[i], keep_pairs(context_, all, both->view()));
  }
}

}  // namespace weft::gpu
