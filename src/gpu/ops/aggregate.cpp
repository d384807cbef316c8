// Aggregation: partial states per batch, merged from time to time and at the end.
//
// Where keys hardly repeat within a batch, grouping the batch first is wasted: after a few such batches, rows are kept
// as states of their own and grouped in the merges alone. When everything together is large for the query's cap, the
// states are cut by a hash of the groups, and each part is merged when it is read.
//
// Grouping sets are made from what was grouped by all groups when the input has ended: fewer rows are expanded then.
// Where grouping by all groups is wasted and no set wants it, batches are expanded as they come. From there on the rows
// of all sets are one grouping, by the groups and the set's key.
//
// Thread safety: consume() and spill() may run at once from many tasks; pieces are independent and made when asked for.
#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <numeric>
#include <string>

#include "gpu/ops/aggregate_functions.hpp"
#include "gpu/ops/group_states.hpp"
#include "gpu/ops/grouped_rows.hpp"
#include "gpu/ops/grouping_sets.hpp"
#include "gpu/ops/make_operators.hpp"
#include "gpu/ops/partitioned_rows.hpp"
#include "gpu/ops/rows.hpp"
#include "gpu/ops/sliced_batch.hpp"
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
      distinct_.push_back(std::make_unique<Distinct>(services, input, recipe_, distinct));
    }
    if (!recipe_.sets.empty()) {
      by_set_ = std::make_unique<SetExpansion>(
          services, recipe_.sets.size(),
          [this](const TaskContext& c, const Batch& b) { return merge_states(c, recipe_.main, b); },
          [this](const TaskContext& c, const Batch& b) { return states_by_set(c, recipe_, b); },
          [this](const TaskContext& c, const Batch& b) { return merge_states(c, recipe_.by_set, b); });
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
    std::vector<Batch> expanded;
    if (expands_batches()) expanded = by_set_->expand(context, states);
    synchronize(context);
    for (size_t i = 0; i < distinct.size(); ++i) distinct_[i]->gathered.add(context, std::move(distinct[i]));
    if (expanded.empty()) {
      states_.add(context, std::move(states));
    } else {
      for (Batch& one : expanded) by_set_->rows().add(context, std::move(one));
    }
  }

  void finalize(const TaskContext& context) override {
    if (parts_.empty()) {
      if (by_set_) expand_sets(context);
      take_all();
    }
    const uint32_t keys = recipe_.final_grouping().keys;
    partition_by_hash(context, services_, pending_, keys, parts_);
    for (const auto& set : distinct_) partition_by_hash(context, services_, set->pending, keys, set->parts);
    if (parts_.size() == 1) {
      merged_ = SlicedBatch(merged_part(context, 0), context.batch_bytes);
      synchronize(context);
      parts_.front().take();
      for (const auto& set : distinct_) set->parts.front().take();
    }
    uint64_t bytes = merged_.device_bytes();
    for (const StoredBatches& part : parts_) bytes += part.device_bytes();
    final_bytes_.store(bytes, std::memory_order_relaxed);
  }

  size_t pieces() const override { return parts_.size() != 1 ? parts_.size() : merged_.pieces(); }

  Batch piece(const TaskContext& context, size_t index) override {
    const Batch states = parts_.size() != 1 ? merged_part(context, index) : merged_.piece(context, index);
    if (states.rows == 0) return {};
    Batch out;
    out.rows = states.rows;
    out.sequence = index;
    out.columns = evaluate_results(context, *results_, recipe_.results, states);
    synchronize(context);
    return out;
  }

  uint64_t device_bytes() const override { return spillable_bytes() + final_bytes_.load(std::memory_order_relaxed); }

  uint64_t spillable_bytes() const override {
    uint64_t bytes = states_.device_bytes() + (by_set_ ? by_set_->rows().device_bytes() : 0);
    for (const auto& set : distinct_) {
      bytes += set->gathered.device_bytes() + (set->by_set ? set->by_set->rows().device_bytes() : 0);
    }
    return bytes;
  }

  uint64_t spill(const TaskContext& context, uint64_t bytes) override {
    uint64_t freed = 0;
    const auto spill_rows = [&](GroupedRows& rows) {
      if (freed < bytes) freed += rows.spill(context, bytes - freed);
    };
    spill_rows(states_);
    if (by_set_) spill_rows(by_set_->rows());
    for (const auto& set : distinct_) {
      spill_rows(set->gathered);
      if (set->by_set) spill_rows(set->by_set->rows());
    }
    return freed;
  }

 private:
  struct Distinct {
    Distinct(const OperatorServices& services, const pipeline::RowType& input, const AggregateRecipe& recipe,
             const DistinctGrouping& distinct)
        : spec(distinct),
          rows(Expressions::make(services.kernels, input.columns, distinct.rows)),
          inputs(Expressions::make(services.kernels, distinct.row, distinct.grouping.inputs)),
          gathered(services, distinct_rows) {
      if (recipe.sets.empty()) return;
      by_set = std::make_unique<SetExpansion>(
          services, recipe.sets.size(), distinct_rows,
          [&recipe](const TaskContext& c, const Batch& b) { return distinct_rows_by_set(c, recipe, b); },
          distinct_rows);
    }
    GroupedRows& final_rows() { return by_set ? by_set->rows() : gathered; }
    const DistinctGrouping& spec;
    std::unique_ptr<Expressions> rows;    // over the input row
    std::unique_ptr<Expressions> inputs;  // over the distinct rows
    GroupedRows gathered;
    std::unique_ptr<SetExpansion> by_set;
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

  // Grouping by all groups leaves about as many rows, and no set wants it.
  bool expands_batches() const {
    return by_set_ && skip_grouping_.load(std::memory_order_relaxed) &&
           recipe_.sets.front().groups.size() < recipe_.main.keys;
  }

  // What was gathered by all groups becomes the rows of the sets.
  void expand_sets(const TaskContext& context) {
    by_set_->run(context, states_, recipe_.main.keys);
    for (const auto& set : distinct_) {
      // By all columns: (groups, argument) are the keys of distinct rows.
      set->by_set->run(context, set->gathered, static_cast<uint32_t>(set->spec.rows.size()));
    }
    if (!by_set_->rows().empty()) return;
    for (Batch& batch : empty_states_by_set(context, recipe_)) by_set_->rows().add(context, std::move(batch));
  }

  // Decides on the number of parts, and takes the rows for them.
  void take_all() {
    GroupedRows& states = by_set_ ? by_set_->rows() : states_;
    uint64_t bytes = states.bytes();
    uint64_t rows = states.rows();
    for (const auto& set : distinct_) {
      bytes = std::max(bytes, set->final_rows().bytes());
      rows = std::max(rows, set->final_rows().rows());
    }
    const bool whole = recipe_.final_grouping().keys == 0;  // a single group cannot be cut by its keys
    const size_t parts = whole ? 1 : parts_needed(bytes, rows, services_.account.cap_bytes());
    parts_.resize(parts);
    for (const auto& set : distinct_) set->parts.resize(parts);
    pending_ = states.take();
    for (const auto& set : distinct_) set->pending = set->final_rows().take();
  }

  // The final row (see AggregateRecipe) of part `index`.
  Batch merged_part(const TaskContext& context, size_t index) const {
    const Grouping& main = recipe_.final_grouping();
    const StoredBatches& part = parts_[index];
    Batch merged;
    if (part.empty()) {
      if (main.keys > 0) return empty_batch(final_types());
      merged = empty_state(context, main);
    } else {
      const Batch all = load_all(context, part);
      merged = by_set_ && by_set_->merged() ? all : merge_states(context, main, all);
      synchronize(context);
    }
    for (const auto& set : distinct_) {
      const Batch aligned = distinct_states(context, *set, index, merged);
      merged.columns.insert(merged.columns.end(), aligned.columns.begin(), aligned.columns.end());
    }
    return merged;
  }

  // A distinct grouping's states for each row of `merged`, without keys.
  Batch distinct_states(const TaskContext& context, const Distinct& set, size_t index, const Batch& merged) const {
    const StoredBatches& part = set.parts[index];
    if (part.empty()) {  // there was no input: one row, or one for each empty set
      const std::vector<Batch> states(static_cast<size_t>(merged.rows), empty_state(context, set.spec.grouping));
      Batch all = concatenate_rows(context, states);
      synchronize(context);
      return all;
    }
    const Batch all = load_all(context, part);
    const Batch rows = set.by_set && set.by_set->merged() ? all : distinct_rows(context, all);
    Batch inputs;
    inputs.rows = rows.rows;
    inputs.columns = set.inputs->evaluate(context, rows);
    const Batch states = aggregate_rows(context, set.spec.grouping, inputs, 0);
    synchronize(context);
    return align_groups(context, merged, states, set.spec.grouping.keys);
  }

  std::vector<cudf::data_type> final_types() const {
    std::vector<cudf::data_type> types;
    for (const plan::Column& column : recipe_.final_row) types.push_back(device_type(column.type));
    return types;
  }

  const OperatorServices services_;
  const AggregateRecipe recipe_;
  std::unique_ptr<Expressions> inputs_;
  std::unique_ptr<Expressions> results_;
  GroupedRows states_;
  std::unique_ptr<SetExpansion> by_set_;  // with grouping sets
  std::vector<std::unique_ptr<Distinct>> distinct_;
  std::atomic<unsigned> useful_batches_{0};
  std::atomic<unsigned> wasted_batches_{0};
  std::atomic<bool> skip_grouping_{false};

  // ---- from finalize() on
  std::vector<StoredBatch> pending_;
  std::vector<StoredBatches> parts_;
  SlicedBatch merged_;  // if there is one part
  std::atomic<uint64_t> final_bytes_{0};
};

}  // namespace

std::unique_ptr<SinkState> make_aggregate(const OperatorServices& services, const plan::Aggregate& aggregate,
                                          const pipeline::RowType& input) {
  return std::make_unique<AggregateState>(services, aggregate, input);
}

}  // namespace weft::gpu
