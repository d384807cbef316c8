#include "sql/result_types.hpp"

#include <algorithm>

#include "duckdb/common/type_visitor.hpp"
#include "duckdb/common/vector_operations/vector_operations.hpp"

namespace weft::sql {
namespace {

bool arrow_changes(const duckdb::LogicalType& type) {
  return duckdb::TypeVisitor::Contains(type, [](const duckdb::LogicalType& part) {
    switch (part.id()) {
      case duckdb::LogicalTypeId::TIME_TZ:
      case duckdb::LogicalTypeId::UHUGEINT:
      case duckdb::LogicalTypeId::BIT:
      case duckdb::LogicalTypeId::TUPLE:
        return true;
      default:
        return false;
    }
  });
}

}  // namespace

duckdb::vector<duckdb::LogicalType> batch_types(const duckdb::vector<duckdb::LogicalType>& types,
                                                const duckdb::ClientProperties& properties) {
  auto out = types;
  if (properties.arrow_lossless_conversion) return out;
  std::replace_if(out.begin(), out.end(), arrow_changes, duckdb::LogicalType(duckdb::LogicalType::VARCHAR));
  return out;
}

void cast_chunk(duckdb::ClientContext& context, duckdb::DataChunk& from,
                const duckdb::vector<duckdb::LogicalType>& types, duckdb::DataChunk& to) {
  const auto rows = from.size();
  to.Initialize(context, types, std::max<duckdb::idx_t>(rows, STANDARD_VECTOR_SIZE));
  for (duckdb::idx_t i = 0; i < types.size(); ++i) {
    if (from.data[i].GetType() == types[i]) {
      to.data[i].Reference(from.data[i]);
    } else {
      duckdb::VectorOperations::Cast(context, from.data[i], to.data[i], rows);
    }
  }
  to.SetCardinalityUnsafe(rows);
}

}  // namespace weft::sql
