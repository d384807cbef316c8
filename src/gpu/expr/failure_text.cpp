#include "gpu/expr/failure_text.hpp"

#include <fmt/format.h>
#include <cudf/copying.hpp>
#include <cudf/scalar/scalar.hpp>

#include "gpu/exec/cuda_check.hpp"
#include "gpu/expr/value_text.hpp"

namespace weft::gpu {
namespace {

using plan::Type;
using plan::TypeId;
using plan::Value;

template <typename T>
T fixed(const cudf::scalar& scalar, cuda::stream_ref stream) {
  T value{};
  const auto& typed =
      static_cast<const cudf::numeric_scalar<T>&>(scalar);  // all fixed-width scalars are laid out alike
  check_cuda(cudaMemcpyAsync(&value, typed.data(), sizeof value, cudaMemcpyDeviceToHost, stream.get()));
  check_cuda(cudaStreamSynchronize(stream.get()));
  return value;
}

Value cell(const Type& type, const cudf::scalar& scalar, cuda::stream_ref stream) {
  if (!scalar.is_valid(stream)) return Value::null(type);
  switch (type.carrier().id) {
    case TypeId::Boolean:
      return Value::boolean(fixed<bool>(scalar, stream));
    case TypeId::TinyInt:
      return Value::integer(type, fixed<int8_t>(scalar, stream));
    case TypeId::SmallInt:
      return Value::integer(type, fixed<int16_t>(scalar, stream));
    case TypeId::UTinyInt:
      return Value::integer(type, fixed<uint8_t>(scalar, stream));
    case TypeId::USmallInt:
      return Value::integer(type, fixed<uint16_t>(scalar, stream));
    case TypeId::Integer:
    case TypeId::Date:
      return Value::integer(type, fixed<int32_t>(scalar, stream));
    case TypeId::UInteger:
      return Value::integer(type, fixed<uint32_t>(scalar, stream));
    case TypeId::UBigInt:
      return Value::integer(type, fixed<uint64_t>(scalar, stream));
    case TypeId::Float:
      return Value::floating(type, fixed<float>(scalar, stream));
    case TypeId::Double:
      return Value::floating(type, fixed<double>(scalar, stream));
    case TypeId::Varchar:
      return Value{type, static_cast<const cudf::string_scalar&>(scalar).to_string(stream)};
    case TypeId::Decimal:
      if (type.width <= 9) {
        return Value::integer(type,
                              static_cast<const cudf::fixed_point_scalar<numeric::decimal32>&>(scalar).value(stream));
      }
      if (type.width <= 18) {
        return Value::integer(type,
                              static_cast<const cudf::fixed_point_scalar<numeric::decimal64>&>(scalar).value(stream));
      }
      [[fallthrough]];
    case TypeId::HugeInt:
      return Value::integer(type,
                            static_cast<const cudf::fixed_point_scalar<numeric::decimal128>&>(scalar).value(stream));
    default:
      return Value::integer(type, fixed<int64_t>(scalar, stream));
  }
}

}  // namespace

std::vector<std::optional<std::string>> row_text(const TaskContext& context, const std::vector<plan::Column>& columns,
                                                 const Batch& batch, cudf::size_type row) {
  std::vector<std::optional<std::string>> texts;
  for (size_t c = 0; c < columns.size(); ++c) {
    const auto scalar = cudf::get_element(batch.columns[c]->view(), row, context.stream, context.mr);
    texts.push_back(value_text(cell(columns[c].type, *scalar, context.stream)));
  }
  return texts;
}

}  // namespace weft::gpu
