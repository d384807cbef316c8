#include "gpu/ops/window_functions.hpp"

#include <array>
#include <utility>

#include <cudf/copying.hpp>

#include "gpu/exec/cuda_check.hpp"
#include "gpu/kernels/window_functions.hpp"
#include "gpu/kernels/window_kernels.hpp"
#include "gpu/ops/rows.hpp"

namespace weft::gpu {
namespace {

using window::Row;
using RowNumbers = rmm::device_uvector<Row>;

constexpr cudf::data_type kInt64{cudf::type_id::INT64};
constexpr cudf::data_type kDouble{cudf::type_id::FLOAT64};

template <typename Functor, typename T>
ColumnPtr ranked(const TaskContext& context, const SortedRows& sorted, cudf::data_type type) {
  rmm::device_buffer values = values_buffer(context, type, sorted.rows.rows);
  window::for_each_row(Functor{sorted.layout(), static_cast<T*>(values.data())}, sorted.rows.rows, context.stream);
  return std::make_shared<const cudf::column>(type, sorted.rows.rows, std::move(values), rmm::device_buffer{}, 0);
}

ColumnPtr bucket_numbers(const TaskContext& context, const SortedRows& sorted, const window::Offsets& buckets) {
  const cudf::size_type rows = sorted.rows.rows;
  rmm::device_buffer values = values_buffer(context, kInt64, rows);
  rmm::device_buffer mask = mask_buffer(context, rows);
  rmm::device_uvector<int32_t> error(1, context.stream, context.mr);
  check_cuda(cudaMemsetAsync(error.data(), 0, sizeof(int32_t), context.stream.get()));
  const window::Ntile ntile{sorted.layout(), buckets, static_cast<int64_t*>(values.data()), error.data()};
  window::for_each_row_masked(ntile, rows, static_cast<uint32_t*>(mask.data()), context.stream);
  int32_t failed = 0;
  check_cuda(cudaMemcpyAsync(&failed, error.data(), sizeof(failed), cudaMemcpyDeviceToHost, context.stream.get()));
  synchronize(context);
  if (failed != 0) throw Exception(ErrorCode::ExpressionError, "Argument for ntile must be greater than zero");
  return masked_column(context, kInt64, rows, std::move(values), std::move(mask));
}

window::Offsets constant_offset(int64_t value) {
  window::Offsets offsets;
  offsets.constant = value;
  return offsets;
}

}  // namespace

WindowFunction::WindowFunction(const OperatorServices& services, const plan::WindowCall& call,
                               const pipeline::RowType& input)
    : kind_(kind_of(call)), ignore_nulls_(call.ignore_nulls) {
  std::vector<plan::ExprPtr> computed;
  const bool has_value = kind_ >= Kind::Lag;
  if (has_value) computed.push_back(call.arguments.at(0));
  if (kind_ == Kind::Ntile) offset_.emplace(call.arguments.at(0), computed);
  if (kind_ == Kind::Lag || kind_ == Kind::Lead) {
    offset_.emplace(call.arguments.at(1), computed);
    const plan::ExprPtr& otherwise = call.arguments.at(2);
    if (otherwise->kind != plan::ExprKind::Constant || !otherwise->constant.is_null()) {
      default_ = computed.size();
      computed.push_back(otherwise);
    }
  }
  if (kind_ == Kind::NthValue) offset_.emplace(call.arguments.at(1), computed);
  if (!computed.empty()) arguments_ = Expressions::make(services.kernels, input.columns, std::move(computed));
}

WindowFunction::Kind WindowFunction::kind_of(const plan::WindowCall& call) {
  static constexpr std::array<std::pair<std::string_view, Kind>, 11> kKinds{{
      {"row_number", Kind::RowNumber},
      {"rank", Kind::Rank},
      {"dense_rank", Kind::DenseRank},
      {"percent_rank", Kind::PercentRank},
      {"cume_dist", Kind::CumeDist},
      {"ntile", Kind::Ntile},
      {"lag", Kind::Lag},
      {"lead", Kind::Lead},
      {"first_value", Kind::FirstValue},
      {"last_value", Kind::LastValue},
      {"nth_value", Kind::NthValue},
  }};
  for (const auto& [name, kind] : kKinds) {
    if (name == call.function) return kind;
  }
  throw Exception(ErrorCode::InternalError, "the GPU has no window function " + call.function);
}

ColumnPtr WindowFunction::evaluate(const TaskContext& context, const SortedRows& sorted,
                                   const window::Frame& frame) const {
  context.cancellation.check();
  std::vector<ColumnPtr> columns;
  if (arguments_) columns = arguments_->evaluate(context, sorted.rows);
  switch (kind_) {
    case Kind::RowNumber:
      return ranked<window::RowNumber, int64_t>(context, sorted, kInt64);
    case Kind::Rank:
      return ranked<window::Rank, int64_t>(context, sorted, kInt64);
    case Kind::DenseRank:
      return ranked<window::DenseRank, int64_t>(context, sorted, kInt64);
    case Kind::PercentRank:
      return ranked<window::PercentRank, double>(context, sorted, kDouble);
    case Kind::CumeDist:
      return ranked<window::CumeDist, double>(context, sorted, kDouble);
    case Kind::Ntile:
      return bucket_numbers(context, sorted, offset_->of(columns));
    case Kind::Lag:
    case Kind::Lead:
      return shifted(context, sorted, columns);
    case Kind::FirstValue:
    case Kind::LastValue:
    case Kind::NthValue:
      return of_frame(context, frame, columns);
  }
  throw Exception(ErrorCode::InternalError, "a window function without a kind");
}

ColumnPtr WindowFunction::shifted(const TaskContext& context, const SortedRows& sorted,
                                  const std::vector<ColumnPtr>& columns) const {
  const cudf::size_type rows = sorted.rows.rows;
  const ColumnPtr& values = columns.at(value_);
  std::optional<PresentRows> present;
  if (ignore_nulls_) present.emplace(context, *values);
  RowNumbers found(static_cast<size_t>(rows), context.stream, context.mr);
  const window::Shift shift{sorted.layout(), offset_->of(columns), kind_ == Kind::Lead,
                            present ? present->view() : window::Present{}, found.data()};
  window::for_each_row(shift, rows, context.stream);
  ColumnPtr shifted = picked_values(context, values, found);
  if (!default_) return shifted;
  const cudf::data_type boolean{cudf::type_id::BOOL8};
  rmm::device_buffer takes = values_buffer(context, boolean, rows);
  const window::TakesDefault mark{found.data(), static_cast<uint8_t*>(takes.data())};
  window::for_each_row(mark, rows, context.stream);
  const cudf::column mask(boolean, rows, std::move(takes), rmm::device_buffer{}, 0);
  context.cancellation.check();
  return cudf::copy_if_else(columns.at(*default_)->view(), shifted->view(), mask.view(), context.stream, context.mr);
}

ColumnPtr WindowFunction::of_frame(const TaskContext& context, const window::Frame& frame,
                                   const std::vector<ColumnPtr>& columns) const {
  const ColumnPtr& values = columns.at(value_);
  std::optional<PresentRows> present;
  if (ignore_nulls_) present.emplace(context, *values);
  RowNumbers found(static_cast<size_t>(values->size()), context.stream, context.mr);
  const window::NthOfFrame nth{frame, present ? present->view() : window::Present{},
                               offset_ ? offset_->of(columns) : constant_offset(1), kind_ == Kind::LastValue,
                               found.data()};
  window::for_each_row(nth, values->size(), context.stream);
  return picked_values(context, values, found);
}

ColumnPtr picked_values(const TaskContext& context, const ColumnPtr& values, const RowNumbers& rows) {
  const auto count = static_cast<cudf::size_type>(rows.size());
  Batch batch;
  batch.rows = values->size();
  batch.columns = {values};
  const cudf::column_view map(cudf::data_type{cudf::type_id::INT32}, count, rows.data(), nullptr, 0);
  return gather_rows_or_null(context, batch, map).columns.front();
}

}  // namespace weft::gpu
