#include "sql/arrow_bridge.hpp"

#include <algorithm>
#include <utility>

#include "duckdb/common/arrow/arrow_converter.hpp"
#include "duckdb/common/arrow/arrow_wrapper.hpp"
#include "duckdb/function/table/arrow/arrow_duck_schema.hpp"

namespace weft::sql {
namespace {

/// Rows whose strings exceed this are appended in parts, so that no batch comes near 2^31 bytes in a column.
constexpr uint64_t kMaxAppendBytes = uint64_t{256} << 20;

/// The largest number of string bytes that one column has in rows [from, to).
uint64_t text_bytes(const duckdb::DataChunk& chunk, const std::vector<duckdb::idx_t>& columns, uint64_t from,
                    uint64_t to) {
  uint64_t most = 0;
  for (const auto column : columns) {
    duckdb::UnifiedVectorFormat format;
    chunk.data[column].ToUnifiedFormat(format);
    const auto* texts = duckdb::UnifiedVectorFormat::GetData<duckdb::string_t>(format);
    uint64_t bytes = 0;
    for (uint64_t row = from; row < to; ++row) {
      const auto index = format.sel->get_index(row);
      if (format.validity.RowIsValid(index)) bytes += texts[index].GetSize();
    }
    most = std::max(most, bytes);
  }
  return most;
}

/// A batch of columns, which it owns.
engine::HostBatch struct_of(std::vector<engine::HostBatch> columns, uint64_t rows) {
  struct Owned {
    std::vector<engine::HostBatch> columns;  // empty where a consumer has moved a child out
    std::vector<ArrowArray*> pointers;
    const void* no_validity = nullptr;
  };
  auto owned = std::make_unique<Owned>();
  owned->columns = std::move(columns);
  for (auto& column : owned->columns) owned->pointers.push_back(column.get());
  ArrowArray array{};
  array.length = static_cast<int64_t>(rows);
  array.n_buffers = 1;
  array.buffers = &owned->no_validity;
  array.n_children = static_cast<int64_t>(owned->pointers.size());
  array.children = owned->pointers.data();
  array.private_data = owned.release();
  array.release = [](ArrowArray* released) {
    delete static_cast<Owned*>(released->private_data);
    released->release = nullptr;
  };
  return engine::HostBatch(array);
}

}  // namespace

BatchBuilder::BatchBuilder(const duckdb::vector<duckdb::LogicalType>& types, const duckdb::ClientProperties& properties,
                           uint64_t max_rows, uint64_t max_bytes, std::shared_ptr<BufferPool> pool)
    : max_rows_(max_rows), max_bytes_(max_bytes) {
  for (duckdb::idx_t i = 0; i < types.size(); ++i) {
    columns_.push_back(make_column_writer(types[i], properties, pool));
    if (types[i].InternalType() == duckdb::PhysicalType::VARCHAR) text_columns_.push_back(i);
  }
}

void BatchBuilder::append(duckdb::DataChunk& chunk) {
  const uint64_t rows = chunk.size();
  if (rows == 0) return;
  if (text_columns_.empty() || text_bytes(chunk, text_columns_, 0, rows) <= kMaxAppendBytes) {
    append_rows(chunk, 0, rows);
    return;
  }
  for (uint64_t row = 0; row < rows; ++row) append_rows(chunk, row, row + 1);
}

void BatchBuilder::append_rows(duckdb::DataChunk& chunk, uint64_t from, uint64_t to) {
  while (from < to) {
    const uint64_t until = from + std::min<uint64_t>(max_rows_ - rows_, to - from);
    for (size_t i = 0; i < columns_.size(); ++i) columns_[i]->append(chunk.data[i], from, until, chunk.size());
    rows_ += until - from;
    from = until;
    if (rows_ >= max_rows_ || bytes() >= max_bytes_) seal();
  }
}

uint64_t BatchBuilder::bytes() const {
  uint64_t bytes = 0;
  for (const auto& column : columns_) bytes += column->bytes();
  return bytes;
}

void BatchBuilder::seal() {
  if (rows_ == 0) return;
  SizedBatch sized;
  sized.rows = std::exchange(rows_, 0);
  sized.bytes = bytes();
  std::vector<engine::HostBatch> arrays;
  for (const auto& column : columns_) arrays.push_back(column->finish());
  sized.batch = struct_of(std::move(arrays), sized.rows);
  sealed_.push_back(std::move(sized));
}

duckdb::ClientProperties seam_properties(duckdb::ClientContext& context) {
  duckdb::ClientProperties properties;
  properties.client_context = context;
  return properties;
}

bool same_form(const duckdb::ClientProperties& a, const duckdb::ClientProperties& b) {
  return a.arrow_offset_size == b.arrow_offset_size && a.arrow_use_list_view == b.arrow_use_list_view &&
         a.produce_arrow_string_view == b.produce_arrow_string_view &&
         a.arrow_lossless_conversion == b.arrow_lossless_conversion && a.arrow_output_version == b.arrow_output_version;
}

duckdb::vector<duckdb::LogicalType> seam_types(const duckdb::vector<duckdb::LogicalType>& types) {
  using duckdb::LogicalType;
  const auto seam_type = [](const LogicalType& type) -> LogicalType {
    if (type.id() == duckdb::LogicalTypeId::UUID) return LogicalType::HUGEINT;
    if (type.id() != duckdb::LogicalTypeId::ENUM) return type;
    switch (type.InternalType()) {
      case duckdb::PhysicalType::UINT8:
        return LogicalType::UTINYINT;
      case duckdb::PhysicalType::UINT16:
        return LogicalType::USMALLINT;
      default:
        return LogicalType::UINTEGER;
    }
  };
  duckdb::vector<LogicalType> out;
  for (const auto& type : types) out.push_back(seam_type(type));
  return out;
}

void reinterpret_chunk(duckdb::DataChunk& from, const duckdb::vector<duckdb::LogicalType>& types,
                       duckdb::DataChunk& to) {
  to.InitializeEmpty(types);
  for (duckdb::idx_t i = 0; i < types.size(); ++i) to.data[i].Reinterpret(from.data[i]);
  to.SetCardinalityUnsafe(from.size());
}

BatchReader::BatchReader(duckdb::ClientContext& context, const duckdb::vector<duckdb::LogicalType>& types)
    : types_(seam_types(types)) {
  duckdb::vector<duckdb::string> names;
  for (size_t i = 0; i < types.size(); ++i) names.push_back("c" + std::to_string(i));
  duckdb::ArrowSchemaWrapper schema;
  auto properties = seam_properties(context);
  duckdb::ArrowConverter::ToArrowSchema(&schema.arrow_schema, types_, names, properties);
  duckdb::ArrowTableFunction::PopulateArrowTableSchema(context, schema_, schema.arrow_schema);
}

BatchReader::Scan::Scan(duckdb::ClientContext& context, engine::HostBatch batch)
    : context_(context),
      state_(
          [&] {
            auto wrapper = duckdb::make_uniq<duckdb::ArrowArrayWrapper>();
            wrapper->arrow_array = batch.release_to_consumer();
            return wrapper;
          }(),
          context) {}

bool BatchReader::Scan::next(const BatchReader& reader, duckdb::DataChunk& chunk) {
  const auto total = static_cast<uint64_t>(state_.chunk->arrow_array.length);
  if (state_.chunk_offset >= total) return false;
  const uint64_t rows = std::min<uint64_t>(STANDARD_VECTOR_SIZE, total - state_.chunk_offset);
  if (chunk.GetTypes() == reader.types()) {
    read(reader, rows, chunk);
  } else {
    duckdb::DataChunk stored;
    stored.Initialize(context_, reader.types());
    read(reader, rows, stored);
    for (duckdb::idx_t i = 0; i < chunk.ColumnCount(); ++i) chunk.data[i].Reinterpret(stored.data[i]);
    chunk.SetCardinalityUnsafe(rows);
  }
  state_.chunk_offset += rows;
  return true;
}

void BatchReader::Scan::read(const BatchReader& reader, uint64_t rows, duckdb::DataChunk& chunk) {
  chunk.SetChildCardinality(rows);
  duckdb::ArrowTableFunction::ArrowToDuckDB(state_, reader.columns(), chunk);
}

}  // namespace weft::sql
