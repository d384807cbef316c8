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

}  // namespace

BatchBuilder::BatchBuilder(duckdb::vector<duckdb::LogicalType> types, duckdb::ClientProperties properties,
                           uint64_t max_rows, uint64_t max_bytes)
    : types_(std::move(types)), properties_(std::move(properties)), max_rows_(max_rows), max_bytes_(max_bytes) {
  for (duckdb::idx_t i = 0; i < types_.size(); ++i) {
    if (types_[i].InternalType() == duckdb::PhysicalType::VARCHAR) text_columns_.push_back(i);
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
  const uint64_t size = chunk.size();
  while (from < to) {
    if (!appender_) {
      auto extensions = duckdb::ArrowTypeExtensionData::GetExtensionTypes(*properties_.client_context, types_);
      appender_ = duckdb::make_uniq<duckdb::ArrowAppender>(types_, std::min(max_rows_, std::max(capacity_, to - from)),
                                                           properties_, std::move(extensions));
    }
    const uint64_t until = from + std::min<uint64_t>(max_rows_ - appender_->RowCount(), to - from);
    appender_->Append(chunk, from, until, size);
    from = until;
    if (appender_->RowCount() >= max_rows_ || appender_->ByteSize() >= max_bytes_) seal();
  }
}

void BatchBuilder::seal() {
  if (!appender_ || appender_->RowCount() == 0) return;
  SizedBatch sized;
  sized.rows = appender_->RowCount();
  sized.bytes = appender_->ByteSize();
  capacity_ = sized.rows;
  sized.batch = engine::HostBatch(appender_->Finalize());
  appender_.reset();
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

BatchReader::BatchReader(duckdb::ClientContext& context, const duckdb::vector<duckdb::LogicalType>& types) {
  duckdb::vector<duckdb::string> names;
  for (size_t i = 0; i < types.size(); ++i) names.push_back("c" + std::to_string(i));
  duckdb::ArrowSchemaWrapper schema;
  auto properties = seam_properties(context);
  duckdb::ArrowConverter::ToArrowSchema(&schema.arrow_schema, types, names, properties);
  duckdb::ArrowTableFunction::PopulateArrowTableSchema(context, schema_, schema.arrow_schema);
}

BatchReader::Scan::Scan(duckdb::ClientContext& context, engine::HostBatch batch)
    : state_(
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
  chunk.SetChildCardinality(rows);
  duckdb::ArrowTableFunction::ArrowToDuckDB(state_, reader.columns(), chunk);
  state_.chunk_offset += rows;
  return true;
}

}  // namespace weft::sql
