#include "gpu/ops/grouping_sets.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <cudf/column/column_factories.hpp>
#include <cudf/scalar/scalar.hpp>

#include "gpu/ops/group_states.hpp"

namespace weft::gpu {
namespace {

// The groups of the set alone, then the rest.
struct SetRows {
  const std::vector<uint32_t>* groups;
  Batch batch;
};

bool covers(const SetRows& rows, const GroupingSet& set) {
  return std::includes(rows.groups->begin(), rows.groups->end(), set.groups.begin(), set.groups.end());
}

// `rows` without the groups that the set lacks.
Batch without_other_groups(const SetRows& rows, const GroupingSet& set) {
  std::vector<uint32_t> chosen;
  for (uint32_t i = 0; i < rows.batch.columns.size(); ++i) {
    const bool is_group = i < rows.groups->size();
    if (!is_group || std::binary_search(set.groups.begin(), set.groups.end(), (*rows.groups)[i])) chosen.push_back(i);
  }
  return select_columns(rows.batch, chosen);
}

ColumnPtr key_column(const TaskContext& context, const GroupingSet& set, cudf::size_type rows) {
  const cudf::numeric_scalar<int64_t> key(set.key, true, context.stream, context.mr);
  return cudf::make_column_from_scalar(key, rows, context.stream, context.mr);
}

// All groups, the set's key, the rest. `types`: of all groups.
Batch with_every_group(const TaskContext& context, const std::vector<cudf::data_type>& types, const GroupingSet& set,
                       const Batch& rows) {
  Batch out;
  out.rows = rows.rows;
  auto next = rows.columns.begin();
  for (uint32_t group = 0; group < types.size(); ++group) {
    const bool inside = std::binary_search(set.groups.begin(), set.groups.end(), group);
    out.columns.push_back(inside ? *next++ : null_column(context, types[group], rows.rows));
  }
  out.columns.push_back(key_column(context, set, rows.rows));
  out.columns.insert(out.columns.end(), next, rows.columns.end());
  return out;
}

using MergeSet = std::function<Batch(const Batch&, uint32_t keys)>;

std::vector<Batch> by_set(const TaskContext& context, const AggregateRecipe& recipe, const Batch& rows,
                          const MergeSet& merge) {
  std::vector<uint32_t> all(recipe.main.keys);
  std::vector<cudf::data_type> types;
  for (uint32_t group = 0; group < recipe.main.keys; ++group) {
    all[group] = group;
    types.push_back(rows.columns[group]->type());
  }
  std::vector<SetRows> made{SetRows{&all, rows}};
  std::vector<Batch> out;
  for (const GroupingSet& set : recipe.sets) {
    const SetRows* source = &made.front();
    for (const SetRows& finer : made) {
      if (covers(finer, set) && finer.batch.rows <= source->batch.rows) source = &finer;
    }
    Batch batch = source->batch;
    if (source->groups->size() > set.groups.size()) {
      batch = merge(without_other_groups(*source, set), static_cast<uint32_t>(set.groups.size()));
    }
    out.push_back(with_every_group(context, types, set, batch));
    made.push_back(SetRows{&set.groups, std::move(batch)});
  }
  synchronize(context);  // before rows that are in no result are let go
  return out;
}

}  // namespace

std::vector<Batch> states_by_set(const TaskContext& context, const AggregateRecipe& recipe, const Batch& states) {
  return by_set(context, recipe, states, [&](const Batch& batch, uint32_t keys) {
    Grouping grouping;
    grouping.keys = keys;
    grouping.parts = recipe.main.parts;
    for (StatePart& part : grouping.parts) part.first_column -= recipe.main.keys - keys;
    return merge_states(context, grouping, batch);
  });
}

std::vector<Batch> distinct_rows_by_set(const TaskContext& context, const AggregateRecipe& recipe, const Batch& rows) {
  return by_set(context, recipe, rows, [&](const Batch& batch, uint32_t) { return distinct_rows(context, batch); });
}

std::vector<Batch> empty_states_by_set(const TaskContext& context, const AggregateRecipe& recipe) {
  std::vector<cudf::data_type> types;
  for (uint32_t group = 0; group < recipe.main.keys; ++group) {
    types.push_back(device_type(recipe.main.state_row[group].type));
  }
  std::vector<Batch> out;
  for (const GroupingSet& set : recipe.sets) {
    if (set.groups.empty()) out.push_back(with_every_group(context, types, set, empty_state(context, recipe.main)));
  }
  synchronize(context);
  return out;
}

SetExpansion::SetExpansion(const OperatorServices& services, size_t sets, GroupedRows::Merge merge, Expand expand,
                           GroupedRows::Merge merge_sets)
    : services_(services),
      sets_(sets),
      merge_(std::move(merge)),
      expand_(std::move(expand)),
      rows_(services, std::move(merge_sets)) {}

void SetExpansion::run(const TaskContext& context, GroupedRows& gathered, uint32_t hashed) {
  if (!started_) {
    const uint64_t expanded_bytes = gathered.bytes() * sets_;
    parts_.resize(hashed == 0 ? 1 : parts_needed(expanded_bytes, gathered.rows(), services_.account.cap_bytes()));
    merged_ = parts_.size() == 1 && rows_.empty();
    pending_ = gathered.take();
    started_ = true;
  }
  partition_by_hash(context, services_, pending_, hashed, parts_);
  while (!parts_.empty()) {
    std::vector<Batch> expanded;
    if (!parts_.back().empty()) {
      const Batch all = load_all(context, parts_.back());
      const Batch merged = merge_(context, all);
      expanded = expand_(context, merged);
    }
    parts_.pop_back();
    for (Batch& batch : expanded) rows_.add(context, std::move(batch));
  }
}

}  // namespace weft::gpu
