#include "gpu/ops/window_states.hpp"

#include <utility>

#include <cudf/sorting.hpp>

#include "gpu/kernels/window_aggregates.hpp"
#include "gpu/kernels/window_functions.hpp"
#include "gpu/kernels/window_kernels.hpp"
#include "gpu/ops/window_functions.hpp"

namespace weft::gpu {
namespace {

using window::Row;

constexpr cudf::data_type kInt64{cudf::type_id::INT64};
constexpr cudf::data_type kDouble{cudf::type_id::FLOAT64};

// A tree whose levels are on the device.
template <typename Leaves>
struct BuiltTree {
  std::vector<rmm::device_uvector<typename Leaves::State>> levels;
  window::Tree<Leaves> view;
};

template <typename Leaves>
BuiltTree<Leaves> build_tree(const TaskContext& context, const Leaves& leaves, Row rows) {
  BuiltTree<Leaves> tree;
  tree.view.leaves = leaves;
  for (Row below = rows; below > window::kFanOut;) {
    context.cancellation.check();
    const Row nodes = (below - 1) / window::kFanOut + 1;
    auto& level = tree.levels.emplace_back(static_cast<size_t>(nodes), context.stream, context.mr);
    window::for_each_row(window::BuildLevel<Leaves>{tree.view, below, level.data()}, nodes, context.stream);
    tree.view.levels[tree.view.height++] = level.data();
    below = nodes;
  }
  return tree;
}

// The greatest value of a signed or an unsigned integer, 128 bits among them.
template <typename T>
constexpr T largest() {
  constexpr T kAllOnes = static_cast<T>(~T{0});
  if constexpr (kAllOnes > T{0}) return kAllOnes;
  constexpr unsigned kBits = 8 * sizeof(T) - 2;
  return static_cast<T>(((T{1} << kBits) - 1) * 2 + 1);
}
static_assert(largest<int8_t>() == 127 && largest<uint16_t>() == 65535 && largest<int32_t>() == 2147483647);

template <typename T>
window::LeastLeaves<T> least_leaves(const T* values, const uint32_t* valid, bool least) {
  return {values, valid, least ? T{0} : static_cast<T>(~T{0}), largest<T>()};
}

}  // namespace

std::vector<ColumnPtr> FrameStates::of(const StatePart& part, const std::vector<bool>& wanted) {
  context_.cancellation.check();
  std::vector<ColumnPtr> columns(part.types.size());
  const auto input = [&](size_t i) -> const ColumnPtr& { return inputs_.at(part.inputs.at(i)); };
  switch (part.kind) {
    case MergeKind::Sum:
      for (size_t i = 0; i < columns.size(); ++i) {
        if (!wanted[i]) continue;
        columns[i] = part.types[i].is_floating() ? double_sum(input(i)) : limb_sum(input(i));
      }
      break;
    case MergeKind::Count:
      if (wanted[0]) columns[0] = count(part.inputs.empty() ? window::Present{} : present(input(0)));
      break;
    case MergeKind::Min:
    case MergeKind::Max:
      if (wanted[0]) columns[0] = extreme(input(0), part.kind == MergeKind::Min);
      break;
    case MergeKind::First:
      WEFT_INVARIANT(!wanted[0], "a result that reads an order key");
      if (wanted[1]) columns[1] = first(input(0), part.inputs.size() > 1 ? input(1) : nullptr);
      break;
    case MergeKind::Moments:
      columns = moments(input(0), wanted);
      break;
    case MergeKind::ArgMin:
    case MergeKind::ArgMax:
    case MergeKind::Product:
    case MergeKind::BitAnd:
    case MergeKind::BitOr:
    case MergeKind::BitXor:
      throw Exception(ErrorCode::InternalError, "an aggregate that src/support refuses over frames");
  }
  return columns;
}

window::Present FrameStates::present(const ColumnPtr& column) {
  const auto found = present_.find(column.get());
  if (found != present_.end()) return found->second.view();
  return present_.emplace(column.get(), PresentRows(context_, *column)).first->second.view();
}

ColumnPtr FrameStates::count(const window::Present& present) const {
  rmm::device_buffer values = values_buffer(context_, kInt64, rows_);
  const window::CountFrame count{frame_, present, static_cast<int64_t*>(values.data())};
  window::for_each_row(count, rows_, context_.stream);
  return std::make_shared<const cudf::column>(kInt64, rows_, std::move(values), rmm::device_buffer{}, 0);
}

ColumnPtr FrameStates::limb_sum(const ColumnPtr& values) {
  rmm::device_uvector<int64_t> totals(static_cast<size_t>(rows_) + 1, context_.stream, context_.mr);
  window::sum_before(values->view().head<int64_t>(), mask_of(*values), rows_, totals.data(), context_.stream,
                     context_.mr);
  rmm::device_buffer sums = values_buffer(context_, kInt64, rows_);
  rmm::device_buffer mask = mask_buffer(context_, rows_);
  const window::SumFrame sum{frame_, present(values), totals.data(), static_cast<int64_t*>(sums.data())};
  window::for_each_row_masked(sum, rows_, static_cast<uint32_t*>(mask.data()), context_.stream);
  return masked_column(context_, kInt64, rows_, std::move(sums), std::move(mask));
}

ColumnPtr FrameStates::double_sum(const ColumnPtr& values) {
  const auto tree = build_tree(context_, window::DoubleLeaves{values->view().head<double>(), mask_of(*values)}, rows_);
  rmm::device_buffer sums = values_buffer(context_, kDouble, rows_);
  rmm::device_buffer mask = mask_buffer(context_, rows_);
  const window::DoubleSumFrame sum{frame_, present(values), tree.view, static_cast<double*>(sums.data())};
  window::for_each_row_masked(sum, rows_, static_cast<uint32_t*>(mask.data()), context_.stream);
  return masked_column(context_, kDouble, rows_, std::move(sums), std::move(mask));
}

ColumnPtr FrameStates::extreme(const ColumnPtr& values, bool least) {
  const cudf::data_type type = values->type();
  if (type.id() == cudf::type_id::STRING) return text_extreme(values, least);
  return with_integers(type, [&](auto zero) {
    using T = decltype(zero);
    const auto* data = reinterpret_cast<const T*>(values->view().head<char>());
    const auto tree = build_tree(context_, least_leaves<T>(data, mask_of(*values), least), rows_);
    rmm::device_buffer found = values_buffer(context_, type, rows_);
    rmm::device_buffer mask = mask_buffer(context_, rows_);
    const window::LeastFrame<T> extreme{frame_, present(values), tree.view, static_cast<T*>(found.data())};
    window::for_each_row_masked(extreme, rows_, static_cast<uint32_t*>(mask.data()), context_.stream);
    return masked_column(context_, type, rows_, std::move(found), std::move(mask));
  });
}

// Text is compared once, by a sort; the tree is over the positions in its order.
ColumnPtr FrameStates::text_extreme(const ColumnPtr& values, bool least) {
  const auto order = cudf::sorted_order(cudf::table_view({values->view()}), {cudf::order::ASCENDING},
                                        {cudf::null_order::AFTER}, context_.stream, context_.mr);
  const Row* order_rows = order->view().head<Row>();
  rmm::device_uvector<Row> positions(static_cast<size_t>(rows_), context_.stream, context_.mr);
  window::for_each_row(window::InvertOrder{order_rows, positions.data()}, rows_, context_.stream);
  const auto tree = build_tree(context_, least_leaves<Row>(positions.data(), mask_of(*values), least), rows_);
  rmm::device_uvector<Row> found(static_cast<size_t>(rows_), context_.stream, context_.mr);
  const window::LeastRowOfFrame extreme{frame_, present(values), tree.view, order_rows, found.data()};
  window::for_each_row(extreme, rows_, context_.stream);
  return picked_values(context_, values, found);
}

ColumnPtr FrameStates::first(const ColumnPtr& values, const ColumnPtr& among) {
  rmm::device_uvector<Row> found(static_cast<size_t>(rows_), context_.stream, context_.mr);
  window::Offsets one;
  one.constant = 1;
  const window::NthOfFrame nth{frame_, among ? present(among) : window::Present{}, one, false, found.data()};
  window::for_each_row(nth, rows_, context_.stream);
  return picked_values(context_, values, found);
}

std::vector<ColumnPtr> FrameStates::moments(const ColumnPtr& values, const std::vector<bool>& wanted) const {
  const auto tree = build_tree(context_, window::MomentsLeaves{values->view().head<double>(), mask_of(*values)}, rows_);
  std::vector<rmm::device_buffer> buffers(wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i]) buffers[i] = values_buffer(context_, i == 0 ? kInt64 : kDouble, rows_);
  }
  // The buffer of a column that is not wanted has no memory: a null pointer.
  const window::MomentsFrame state{frame_, tree.view, static_cast<int64_t*>(buffers.at(0).data()),
                                   static_cast<double*>(buffers.at(1).data()),
                                   static_cast<double*>(buffers.at(2).data())};
  window::for_each_row(state, rows_, context_.stream);
  std::vector<ColumnPtr> columns(wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (!wanted[i]) continue;
    columns[i] = std::make_shared<const cudf::column>(i == 0 ? kInt64 : kDouble, rows_, std::move(buffers[i]),
                                                      rmm::device_buffer{}, 0);
  }
  return columns;
}

}  // namespace weft::gpu
