#include "gpu/ops/join_pairs.hpp"

#include <algorithm>

#include <cudf/aggregation.hpp>
#include <cudf/copying.hpp>
#include <cudf/reduction.hpp>
#include <cudf/scalar/scalar.hpp>
#include <cudf/stream_compaction.hpp>
#include <cudf/table/table.hpp>

#include "gpu/exec/cuda_check.hpp"
#include "gpu/kernels/join_rows.hpp"
#include "gpu/kernels/window_kernels.hpp"
#include "gpu/ops/rows.hpp"

namespace weft::gpu {
namespace {

using Indices = std::unique_ptr<rmm::device_uvector<cudf::size_type>>;

RowPairs to_pairs(std::pair<Indices, Indices> indices) {
  RowPairs pairs;
  pairs.probe = row_numbers(std::move(*indices.first));
  pairs.build = row_numbers(std::move(*indices.second));
  return pairs;
}

int64_t sum_of(const TaskContext& context, cudf::column_view counts) {
  const auto sum = cudf::make_sum_aggregation<cudf::reduce_aggregation>();
  const auto total = cudf::reduce(counts, *sum, cudf::data_type{cudf::type_id::INT64}, context.stream, context.mr);
  return static_cast<const cudf::numeric_scalar<int64_t>&>(*total).value(context.stream);
}

// Halves a range of probe rows until its pairs are few enough; a single row is taken whatever its pairs.
class RangeSplitter {
 public:
  RangeSplitter(const TaskContext& context, const cudf::hash_join& join, cudf::table_view probe_keys,
                cudf::size_type block, const VisitPairs& visit)
      : context_(context), join_(join), visit_(visit), limit_(block) {
    partition_.left_table_context = std::make_unique<cudf::join_match_context>(
        join.inner_join_match_context(probe_keys, context.stream, context.mr));
    const auto& counts = *partition_.left_table_context->_match_counts;
    counts_ = cudf::column_view(cudf::data_type{cudf::type_id::INT32}, static_cast<cudf::size_type>(counts.size()),
                                counts.data(), nullptr, 0);
  }

  void run(cudf::size_type begin, cudf::size_type end) {
    context_.cancellation.check();
    const int64_t pairs = sum_of(context_, cudf::slice(counts_, {begin, end}, context_.stream).front());
    if (pairs == 0) return;
    if (pairs > limit_ && end - begin > 1) {
      const cudf::size_type middle = begin + (end - begin) / 2;
      run(begin, middle);
      run(middle, end);
      return;
    }
    partition_.left_start_idx = begin;
    partition_.left_end_idx = end;
    visit_(to_pairs(join_.partitioned_inner_join(partition_, context_.stream, context_.mr)));
  }

 private:
  const TaskContext& context_;
  const cudf::hash_join& join_;
  const VisitPairs& visit_;
  const int64_t limit_;
  cudf::join_partition_context partition_{};
  cudf::column_view counts_;
};

// Pairs [0, total), a block at a time; `write` gives the rows of the pairs [first, first + count).
template <typename Write>
void visit_blocks(const TaskContext& context, int64_t total, int64_t block, const Write& write,
                  const VisitPairs& visit) {
  for (int64_t first = 0; first < total; first += block) {
    context.cancellation.check();
    const auto count = static_cast<cudf::size_type>(std::min(block, total - first));
    rmm::device_uvector<cudf::size_type> probe(static_cast<size_t>(count), context.stream, context.mr);
    rmm::device_uvector<cudf::size_type> build(static_cast<size_t>(count), context.stream, context.mr);
    write(first, count, probe.data(), build.data());
    RowPairs pairs;
    pairs.probe = row_numbers(std::move(probe));
    pairs.build = row_numbers(std::move(build));
    visit(std::move(pairs));
  }
}

}  // namespace

cudf::size_type max_pairs(const TaskContext& context, uint64_t condition_bytes) {
  constexpr uint64_t kBytesPerPair = 16;  // two row numbers, and what a condition's mask and the kept ones take
  return rows_per_piece(context.batch_bytes, kBytesPerPair + condition_bytes);
}

void visit_key_pairs(const TaskContext& context, const HashBuild::Partition& partition, cudf::table_view probe_keys,
                     cudf::size_type block, const VisitPairs& visit) {
  context.cancellation.check();
  const cudf::size_type probe_rows = probe_keys.num_rows();
  if (probe_rows == 0) return;
  if (partition.distinct != nullptr) {
    RowPairs pairs = to_pairs(partition.distinct->inner_join(probe_keys, context.stream, context.mr));
    // At most one match a row, found in the order of the probe rows: as many as rows means each row once.
    pairs.every_probe_row_once = pairs.size() == probe_rows;
    if (pairs.size() > 0) visit(std::move(pairs));
    return;
  }
  RangeSplitter(context, *partition.hash, probe_keys, block, visit).run(0, probe_rows);
}

void visit_product(const TaskContext& context, cudf::size_type probe_rows, cudf::size_type build_rows,
                   cudf::size_type block, const VisitPairs& visit) {
  const int64_t total = static_cast<int64_t>(probe_rows) * build_rows;
  const auto write = [&](int64_t first, cudf::size_type count, cudf::size_type* probe, cudf::size_type* build) {
    product_rows(first, count, build_rows, probe, build, context.stream);
  };
  visit_blocks(context, total, block, write, [&](RowPairs pairs) {
    pairs.every_probe_row_once = build_rows == 1 && pairs.size() == probe_rows;
    visit(std::move(pairs));
  });
}

void visit_candidates(const TaskContext& context, const join::Candidates& candidates, cudf::size_type probe_rows,
                      cudf::size_type block, const VisitPairs& visit) {
  if (probe_rows == 0) return;
  rmm::device_uvector<int64_t> counts(static_cast<size_t>(probe_rows), context.stream, context.mr);
  window::for_each_row(join::CountCandidates{candidates, counts.data()}, probe_rows, context.stream);
  const cudf::column_view counted(cudf::data_type{cudf::type_id::INT64}, probe_rows, counts.data(), nullptr, 0);
  const auto sum = cudf::make_sum_aggregation<cudf::scan_aggregation>();
  const auto totals =
      cudf::scan(counted, *sum, cudf::scan_type::INCLUSIVE, cudf::null_policy::EXCLUDE, context.stream, context.mr);
  const auto* total_rows = totals->view().data<int64_t>();
  int64_t total = 0;
  check_cuda(cudaMemcpyAsync(&total, total_rows + probe_rows - 1, sizeof(total), cudaMemcpyDeviceToHost,
                             context.stream.get()));
  synchronize(context);
  const auto write = [&](int64_t first, cudf::size_type count, cudf::size_type* probe, cudf::size_type* build) {
    window::for_each_row(join::WritePair{candidates, total_rows, probe_rows, first, probe, build}, count,
                         context.stream);
  };
  visit_blocks(context, total, block, write, visit);
}

RowPairs keep_pairs(const TaskContext& context, const RowPairs& pairs, cudf::column_view mask) {
  context.cancellation.check();
  const cudf::table_view both({pairs.probe->view(), pairs.build->view()});
  auto columns = cudf::apply_retention_mask(both, mask, context.stream, context.mr)->release();
  RowPairs kept;
  kept.probe = std::move(columns[0]);
  kept.build = std::move(columns[1]);
  kept.every_probe_row_once = pairs.every_probe_row_once && kept.size() == pairs.size();
  return kept;
}

std::unique_ptr<cudf::column> row_numbers(rmm::device_uvector<cudf::size_type>&& rows) {
  return std::make_unique<cudf::column>(std::move(rows), rmm::device_buffer{}, 0);
}

}  // namespace weft::gpu
