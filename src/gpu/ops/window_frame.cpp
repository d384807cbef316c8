#include "gpu/ops/window_frame.hpp"

#include <string>
#include <utility>

#include "gpu/exec/cuda_check.hpp"
#include "gpu/kernels/window_frames.hpp"
#include "gpu/kernels/window_kernels.hpp"
#include "gpu/ops/rows.hpp"
#include "plan/walk.hpp"

namespace weft::gpu {
namespace {

using plan::FrameBoundKind;
using plan::FrameUnit;
using window::BoundError;
using window::Row;

bool is_computed(const plan::FrameBound& bound) {
  return bound.kind == FrameBoundKind::Preceding || bound.kind == FrameBoundKind::Following;
}

window::Edge edge_of(FrameUnit unit, const plan::FrameBound& bound) {
  if (is_computed(bound)) return window::Edge::Computed;
  if (bound.kind != FrameBoundKind::CurrentRow) return window::Edge::Partition;
  return unit == FrameUnit::Rows ? window::Edge::CurrentRow : window::Edge::Peers;
}

// DuckDB's texts (window_boundaries_state.cpp).
std::string error_text(FrameUnit unit, bool preceding, BoundError error) {
  const std::string side = preceding ? "PRECEDING" : "FOLLOWING";
  if (unit == FrameUnit::Rows) {
    return "Window ROWS " + side + " expression cannot be " + (error == BoundError::Null ? "NULL" : "negative");
  }
  return std::string("Invalid ") + plan::unit_text(unit) + " " + side + " value";
}

void range_bound(const TaskContext& context, const SortedRows& sorted, const window::Bound& bound,
                 const cudf::column& values) {
  const cudf::column& keys = *sorted.order_key;
  with_integers(keys.type(), [&](auto zero) {
    using T = decltype(zero);
    const T flip = sorted.descending ? static_cast<T>(~zero) : zero;
    const window::RangeBound<T> search{bound,           reinterpret_cast<const T*>(keys.view().head<char>()),
                                       mask_of(keys),   reinterpret_cast<const T*>(values.view().head<char>()),
                                       mask_of(values), flip};
    window::for_each_row(search, keys.size(), context.stream);
  });
}

}  // namespace

OffsetArgument::OffsetArgument(const plan::ExprPtr& expr, std::vector<plan::ExprPtr>& computed) {
  if (expr->kind == plan::ExprKind::Constant) {
    constant_.constant_is_null = expr->constant.is_null();
    if (!constant_.constant_is_null) constant_.constant = static_cast<int64_t>(expr->constant.as_int());
    return;
  }
  WEFT_INVARIANT(expr->type.id == plan::TypeId::BigInt, "an offset that is not a BIGINT");
  column_ = computed.size();
  computed.push_back(expr);
}

window::Offsets OffsetArgument::of(const std::vector<ColumnPtr>& columns) const {
  if (!column_) return constant_;
  const cudf::column& column = *columns.at(*column_);
  window::Offsets offsets;
  offsets.values = column.view().head<int64_t>();
  offsets.valid = mask_of(column);
  return offsets;
}

WindowFrame::WindowFrame(const OperatorServices& services, const plan::Frame& frame,
                         const std::vector<plan::SortKey>& orders, const pipeline::RowType& input)
    : frame_(frame) {
  std::vector<plan::ExprPtr> computed;
  start_ = bound_of(frame.start, orders, computed);
  end_ = bound_of(frame.end, orders, computed);
  if (!computed.empty()) values_ = Expressions::make(services.kernels, input.columns, std::move(computed));
}

std::optional<WindowFrame::ComputedBound> WindowFrame::bound_of(const plan::FrameBound& bound,
                                                                const std::vector<plan::SortKey>& orders,
                                                                std::vector<plan::ExprPtr>& computed) const {
  if (!is_computed(bound)) return std::nullopt;
  ComputedBound made;
  made.kind = bound.kind;
  if (frame_.unit != FrameUnit::Range) {
    made.offset.emplace(bound.value, computed);
    return made;
  }
  WEFT_INVARIANT(orders.size() == 1 && orders.front().expression->type == bound.value->type,
                 "a RANGE bound is of the type of the one order key");
  made.value = computed.size();
  const bool floating = bound.value->type.is_floating();  // compared with the order key of SortKeys
  computed.push_back(floating ? plan::call("__order_key", plan::Type::of(plan::TypeId::BigInt), {bound.value})
                              : bound.value);
  return made;
}

WindowFrame::Positions WindowFrame::positions(const TaskContext& context, const SortedRows& sorted,
                                              const ComputedBound& bound, bool is_end,
                                              const std::vector<ColumnPtr>& columns) const {
  context.cancellation.check();
  const Row rows = sorted.rows.rows;
  Positions found(std::in_place, static_cast<size_t>(rows), context.stream, context.mr);
  rmm::device_uvector<int32_t> error(1, context.stream, context.mr);
  check_cuda(cudaMemsetAsync(error.data(), 0, sizeof(int32_t), context.stream.get()));
  const bool preceding = bound.kind == FrameBoundKind::Preceding;
  const window::Bound target{sorted.layout(), preceding, is_end, found->data(), error.data()};
  switch (frame_.unit) {
    case FrameUnit::Rows:
      window::for_each_row(window::RowsBound{target, bound.offset->of(columns)}, rows, context.stream);
      break;
    case FrameUnit::Groups:
      window::for_each_row(window::GroupsBound{target, bound.offset->of(columns)}, rows, context.stream);
      break;
    case FrameUnit::Range:
      range_bound(context, sorted, target, *columns.at(bound.value));
      break;
  }
  int32_t code = 0;
  check_cuda(cudaMemcpyAsync(&code, error.data(), sizeof(code), cudaMemcpyDeviceToHost, context.stream.get()));
  synchronize(context);
  if (code != 0) {
    throw Exception(ErrorCode::ExpressionError, error_text(frame_.unit, preceding, static_cast<BoundError>(code)));
  }
  return found;
}

FrameRows WindowFrame::on(const TaskContext& context, const SortedRows& sorted) const {
  FrameRows frame;
  frame.view.layout = sorted.layout();
  frame.view.start = edge_of(frame_.unit, frame_.start);
  frame.view.end = edge_of(frame_.unit, frame_.end);
  frame.view.exclude = frame_.exclude;
  std::vector<ColumnPtr> columns;
  if (values_) columns = values_->evaluate(context, sorted.rows);
  if (start_) {
    frame.starts = positions(context, sorted, *start_, false, columns);
    frame.view.starts = frame.starts->data();
  }
  if (end_) {
    frame.ends = positions(context, sorted, *end_, true, columns);
    frame.view.ends = frame.ends->data();
  }
  return frame;
}

bool same_frame(const plan::Frame& a, const plan::Frame& b) {
  const auto same = [](const plan::FrameBound& x, const plan::FrameBound& y) {
    if (x.kind != y.kind || (x.value == nullptr) != (y.value == nullptr)) return false;
    return x.value == nullptr || plan::same(*x.value, *y.value);
  };
  return a.unit == b.unit && a.exclude == b.exclude && same(a.start, b.start) && same(a.end, b.end);
}

}  // namespace weft::gpu
