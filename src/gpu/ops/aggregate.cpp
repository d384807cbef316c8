// Aggregation: partial states per batch, merged from time to time and at the end.
//
// Where keys hardly repeat within a batch, grouping the batch first is wasted: after a few such batches, rows are kept
// as states of their own and grouped in the merges alone. When everything together is large for the query's cap, the
// states are cut by a hash of the groups, and each part is merged when it is read.
//
// Thread safety: consume() and spill() may run at once from many tasks; pieces are independent and made when asked for.
#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <numeric>

#include "gpu/ops/aggregate_functions.hpp"
#include "gpu/ops/group_states.hpp"
#include "gpu/ops/grouped_rows.hpp"
#include "gpu/ops/make_operators.hpp"
#include "gpu/ops/partitioned_rows.hpp"
#include "gpu/ops/rows.hpp"
#include "gpu/ops/sum_overflow.hpp"

namespace weft::gpu {
namespace {

// Grouping a batch is skipped once this many batches kept more than that share of their rows.
constexpr unsigned kProbationBatches = 4;
constexpr double kWastedShare = 0.5;
constexpr cudf::size_type kSmallBatch = 1 << 16;  // says little about how keys repeat

class AggregateState final : public SinkState {
 public:
  AggregateState(const OperatorServices& services, const plan::Aggregate& aggregate, const pipeline::RowType& input)
      : services_(services),
        recipe_(make_recipe(aggregate, input)),
        inputs_(Expressions::make(services.kernels, input.columns, recipe_.main.inputs)),
        results_(Expressions::make(services.kernels, recipe_.final_row, recipe_.results)),
        states_(services, [this](const TaskContext& c, const Batch& b) { return merge_states(c, recipe_.main, b); }) {
    for (const DistinctGrouping& distinct : recipe_.distinct) {
      distinct_.push_back(std::make_unique<Distinct>(services, input, distinct));
    }
  }

  void consume(const TaskContext& context, uint32_t pipeline, Batch batch) override {
    if (batch.rows == 0) return;
    // All work that may fail comes before anything is kept: a task that runs short of memory runs again.
    Batch states = partial(context, pipeline, batch);
    std::vector<Batch> distinct;
    for (const auto& set : distinct_) {
      Batch rows;
      rows.rows = batch.rows;
      rows.columns = set->rows->evaluate(context, batch);
      distinct.push_back(distinct_rows(context, rows));
    }
    synchronize(context);
    for (size_t i = 0; i < distinct.size(); ++i) distinct_[i]->gathered.add(context, std::move(distinct[i]));
    states_.add(context, std::move(states));
  }

  void finalize(const TaskContext& context) override {
    const bool whole = recipe_.main.keys == 0;  // a single group cannot be cut by its keys
    if (parts_.empty()) {
      uint64_t bytes = states_.bytes();
      uint64_t rows = states_.rows();
      for (const auto& set : distinct_) {
        bytes = std::max(bytes, set->gathered.bytes());
        rows = std::max(rows, set->gathered.rows());
      }
      const size_t parts = whole ? 1 : parts_needed(bytes, rows, services_.account.cap_bytes());
      parts_.resize(parts);
      for (const auto& set : distinct_) set->parts.resize(parts);
      pending_ = states_.take();
      for (const auto& set : distinct_) set->pending = set->gathered.take();
    }
    partition_by_hash(context, services_, pending_, recipe_.main.keys, parts_);
    for (const auto& set : distinct_) {
      partition_by_hash(context, services_, set->pending, recipe_.main.keys, set->parts);
    }
    if (parts_.size() == 1) {
      merged_ = merged_part(context, 0);
      synchronize(context);
      parts_.front().take();
      for (const auto& set : distinct_) set->parts.front().take();
      rows_per_piece_ = rows_per_piece(context.batch_bytes, bytes_per_row(merged_));
    }
    uint64_t bytes = merged_.device_bytes();
    for (const StoredBatches& part : parts_) bytes += part.device_bytes();
    final_bytes_.store(bytes, std::memory_order_relaxed);
  }

  size_t pieces() const override {
    if (parts_.size() != 1) return parts_.size();
    const auto rows = static_cast<size_t>(merged_.rows);
    const auto step = static_cast<size_t>(rows_per_piece_);
    return (rows + step - 1) / step;
  }

  Batch piece(const TaskContext& context, size_t index) override {
    Batch states;
    if (parts_.size() != 1) {
      states = merged_part(context, index);
    } else {
      const auto begin = static_cast<int64_t>(index) * rows_per_piece_;
      const auto end = std::min<int64_t>(begin + rows_per_piece_, merged_.rows);
      states = slice_rows(context, merged_, static_cast<cudf::size_type>(begin), static_cast<cudf::size_type>(end));
    }
    if (states.rows == 0) return {};
    Batch out;
    out.rows = states.rows;
    out.sequence = index;
    out.columns = finished(context, states);
    synchronize(context);
    return out;
  }

  uint64_t device_bytes() const override {
    uint64_t bytes = states_.device_bytes() + final_bytes_.load(std::memory_order_relaxed);
    for (const auto& set : distinct_) bytes += set->gathered.device_bytes();
    return bytes;
  }

  uint64_t spillable_bytes() const override {
    uint64_t bytes = states_.device_bytes();
    for (const auto& set : distinct_) bytes += set->gathered.device_bytes();
    return bytes;
  }

  uint64_t spill(const TaskContext& context, uint64_t bytes) override {
    uint64_t freed = states_.spill(context, bytes);
    for (const auto& set : distinct_) {
      if (freed < bytes) freed += set->gathered.spill(context, bytes - freed);
    }
    return freed;
  }

 private:
  struct Distinct {
    Distinct(const OperatorServices& services, const pipeline::RowType& input, const DistinctGrouping& distinct)
        : spec(distinct),
          rows(Expressions::make(services.kernels, input.columns, distinct.rows)),
          inputs(Expressions::make(services.kernels, distinct.row, distinct.grouping.inputs)),
          gathered(services, [](const TaskContext& c, const Batch& b) { return distinct_rows(c, b); }) {}
    const DistinctGrouping& spec;
    std::unique_ptr<Expressions> rows;    // over the input row
    std::unique_ptr<Expressions> inputs;  // over the distinct rows
    GroupedRows gathered;
    std::vector<StoredBatch> pending;
    std::vector<StoredBatches> parts;
  };

  Batch partial(const TaskContext& context, uint32_t pipeline, const Batch& batch) {
    Batch inputs;
    inputs.rows = batch.rows;
    inputs.columns = inputs_->evaluate(context, batch);
    const int64_t order = order_base(pipeline, batch.sequence);
    if (skip_grouping_.load(std::memory_order_relaxed)) return rows_as_states(context, recipe_.main, inputs, order);
    Batch states = aggregate_rows(context, recipe_.main, inputs, order);
    if (recipe_.main.keys > 0 && batch.rows >= kSmallBatch) learn(batch.rows, states.rows);
    synchronize(context);  // before the inputs are let go
    return states;
  }

  void learn(cudf::size_type before, cudf::size_type after) {
    const bool wasted = static_cast<double>(after) > kWastedShare * static_cast<double>(before);
    if (!wasted) {
      useful_batches_.fetch_add(1, std::memory_order_relaxed);
    } else if (wasted_batches_.fetch_add(1, std::memory_order_relaxed) + 1 >= kProbationBatches &&
               useful_batches_.load(std::memory_order_relaxed) == 0) {
      skip_grouping_.store(true, std::memory_order_relaxed);
    }
  }

  // The final row (see AggregateRecipe) of part `index`.
  Batch merged_part(const TaskContext& context, size_t index) const {
    const Grouping& main = recipe_.main;
    const StoredBatches& part = parts_[index];
    Batch merged;
    if (part.empty()) {
      if (main.keys > 0) return empty_batch(final_types());
      merged = empty_state(context, main);
    } else {
      const Batch all = load_all(context, part);
      merged = merge_states(context, main, all);
      synchronize(context);
    }
    for (const auto& set : distinct_) {
      const Batch groups = distinct_states(context, *set, index);
      const Batch aligned = align_groups(context, merged, groups, main.keys);
      merged.columns.insert(merged.columns.end(), aligned.columns.begin(), aligned.columns.end());
    }
    return merged;
  }

  Batch distinct_states(const TaskContext& context, const Distinct& set, size_t index) const {
    const StoredBatches& part = set.parts[index];
    if (part.empty()) return empty_state(context, set.spec.grouping);  // no rows and no keys
    const Batch all = load_all(context, part);
    const Batch rows = distinct_rows(context, all);
    Batch inputs;
    inputs.rows = rows.rows;
    inputs.columns = set.inputs->evaluate(context, rows);
    Batch states = aggregate_rows(context, set.spec.grouping, inputs, 0);
    synchronize(context);
    return states;
  }

  std::vector<cudf::data_type> final_types() const {
    std::vector<cudf::data_type> types;
    for (const plan::Column& column : recipe_.final_row) types.push_back(device_type(column.type));
    return types;
  }

  std::vector<ColumnPtr> finished(const TaskContext& context, const Batch& states) const {
    try {
      return results_->evaluate(context, states);
    } catch (const Exception& e) {
      // The only error that a result can raise: a sum out of range.
      if (e.code() != ErrorCode::ExpressionError || !e.error().failure) throw;
      throw Exception(sum_overflow(recipe_.results, e.error().failure->inputs));
    }
  }

  const OperatorServices services_;
  const AggregateRecipe recipe_;
  std::unique_ptr<Expressions> inputs_;
  std::unique_ptr<Expressions> results_;
  GroupedRows states_;
  std::vector<std::unique_ptr<Distinct>> distinct_;
  std::atomic<unsigned> useful_batches_{0};
  std::atomic<unsigned> wasted_batches_{0};
  std::atomic<bool> skip_grouping_{false};

  // ---- from finalize() on
  std::vector<StoredBatch> pending_;
  std::vector<StoredBatches> parts_;
  Batch merged_;  // if there is one part
  cudf::size_type rows_per_piece_ = 1;
  std::atomic<uint64_t> final_bytes_{0};
};

}  // namespace

std::unique_ptr<SinkState> make_aggregate(const OperatorServices& services, const plan::Aggregate& aggregate,
                                          const pipeline::RowType& input) {
  return std::make_unique<AggregateState>(services, aggregate, input);
}

}  // namespace weft::gpu
