#include "gpu/column/batch.hpp"

#include "base/error.hpp"

namespace weft::gpu {
cudf::table_view Batch::view() const {
  std::vector<cudf::column_view> views;
  views.reserve(columns.size());
  for (const ColumnPtr& column : columns) views.push_back(column->view());
  return cudf::table_view(views);
}

uint64_t Batch::device_bytes() const {
  uint64_t bytes = 0;
  for (const ColumnPtr& column : columns) bytes += column->alloc_size();
  return bytes;
}

cudf::data_type device_type(const plan::Type& column) {
  using plan::TypeId;
  const plan::Type type = column.carrier();
  switch (type.id) {
    case TypeId::Boolean:
      return cudf::data_type{cudf::type_id::BOOL8};
    case TypeId::TinyInt:
      return cudf::data_type{cudf::type_id::INT8};
    case TypeId::SmallInt:
      return cudf::data_type{cudf::type_id::INT16};
    case TypeId::Integer:
      return cudf::data_type{cudf::type_id::INT32};
    case TypeId::BigInt:
      return cudf::data_type{cudf::type_id::INT64};
    case TypeId::HugeInt:
      return cudf::data_type{cudf::type_id::DECIMAL128, 0};
    case TypeId::UTinyInt:
      return cudf::data_type{cudf::type_id::UINT8};
    case TypeId::USmallInt:
      return cudf::data_type{cudf::type_id::UINT16};
    case TypeId::UInteger:
      return cudf::data_type{cudf::type_id::UINT32};
    case TypeId::UBigInt:
      return cudf::data_type{cudf::type_id::UINT64};
    case TypeId::Float:
      return cudf::data_type{cudf::type_id::FLOAT32};
    case TypeId::Double:
      return cudf::data_type{cudf::type_id::FLOAT64};
    case TypeId::Decimal: {
      const auto id = type.width <= 9    ? cudf::type_id::DECIMAL32
                      : type.width <= 18 ? cudf::type_id::DECIMAL64
                                         : cudf::type_id::DECIMAL128;
      return cudf::data_type{id, -static_cast<int32_t>(type.scale)};
    }
    case TypeId::Varchar:
      return cudf::data_type{cudf::type_id::STRING};
    case TypeId::Date:
      return cudf::data_type{cudf::type_id::TIMESTAMP_DAYS};
    case TypeId::TimestampS:
      return cudf::data_type{cudf::type_id::TIMESTAMP_SECONDS};
    case TypeId::TimestampMs:
      return cudf::data_type{cudf::type_id::TIMESTAMP_MILLISECONDS};
    case TypeId::Timestamp:
      return cudf::data_type{cudf::type_id::TIMESTAMP_MICROSECONDS};
    case TypeId::TimestampNs:
      return cudf::data_type{cudf::type_id::TIMESTAMP_NANOSECONDS};
    default:
      break;
  }
  throw Exception(ErrorCode::InternalError, "no device form of type " + type.to_string());
}

Batch make_batch(std::vector<std::unique_ptr<cudf::column>> columns, cudf::size_type rows) {
  Batch batch;
  batch.rows = rows;
  batch.columns.reserve(columns.size());
  for (auto& column : columns) batch.columns.emplace_back(std::move(column));
  return batch;
}

}  // namespace weft::gpu
