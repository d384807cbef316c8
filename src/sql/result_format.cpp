#include "sql/result_format.hpp"

#include <utility>

#include "sql/result_types.hpp"

namespace weft::sql {
namespace {

class BatchUnit final : public duckdb::ResultUnit {
 public:
  explicit BatchUnit(SizedBatch batch) : ResultUnit(batch.rows, batch.bytes), batch(std::move(batch)) {}
  SizedBatch batch;
};

class GlobalState final : public duckdb::ResultFormatGlobalState {
 public:
  GlobalState(const duckdb::ResultFormatContext& context, bool as_at_seam)
      : types(as_at_seam ? seam_types(context.types) : batch_types(context.types, context.client_properties)),
        casts(types != context.types),
        properties(context.client_properties),
        pool(std::make_shared<BufferPool>(kResultPoolBytes)) {}
  const duckdb::vector<duckdb::LogicalType> types;  // of the batches
  const bool casts;                                 // some chunks' columns have other types
  duckdb::ClientProperties properties;
  const std::shared_ptr<BufferPool> pool;
};

class LocalState final : public duckdb::ResultFormatLocalState {
 public:
  explicit LocalState(const GlobalState& state)
      : builder(state.types, state.properties, kResultBatchRows, kResultBatchBytes, state.pool) {}
  BatchBuilder builder;
};

/// Bytes of an array's buffers as far as its type-free description tells: the buffer's cap need not be exact.
uint64_t rough_bytes(const ArrowArray& array) {
  uint64_t bytes = 0;
  for (int64_t i = 0; i < array.n_children; ++i) {
    bytes += static_cast<uint64_t>(array.length) * (array.children[i]->n_buffers > 2 ? 24 : 8);
  }
  return bytes;
}

}  // namespace

duckdb::unique_ptr<duckdb::ResultFormatGlobalState> BatchFormat::InitGlobal(
    const duckdb::ResultFormatContext& context) {
  return duckdb::make_uniq<sql::GlobalState>(context, as_at_seam_);
}

duckdb::unique_ptr<duckdb::ResultFormatLocalState> BatchFormat::InitLocal(duckdb::ResultFormatGlobalState& state) {
  return duckdb::make_uniq<LocalState>(state.Cast<sql::GlobalState>());
}

void BatchFormat::AppendToUnit(duckdb::ResultFormatGlobalState& global, duckdb::ResultFormatLocalState& local,
                               duckdb::DataChunk& chunk) {
  auto& state = global.Cast<sql::GlobalState>();
  auto& builder = local.Cast<LocalState>().builder;
  auto batch = record_->pop_batch();
  if (batch.empty()) {
    if (!state.casts) {
      builder.append(chunk);
      return;
    }
    duckdb::DataChunk cast;
    if (as_at_seam_) {
      reinterpret_chunk(chunk, state.types, cast);
    } else {
      cast_chunk(*state.properties.client_context, chunk, state.types, cast);
    }
    builder.append(cast);
    return;
  }
  const auto rows = static_cast<uint64_t>(batch->length);
  const auto bytes = rough_bytes(*batch.get());
  builder.sealed().push_back(SizedBatch{std::move(batch), rows, bytes});
}

bool BatchFormat::IsUnitFinished(duckdb::ResultFormatLocalState& local) {
  return !local.Cast<LocalState>().builder.sealed().empty();
}

duckdb::unique_ptr<duckdb::ResultUnit> BatchFormat::FinishUnit(duckdb::ResultFormatGlobalState&,
                                                               duckdb::ResultFormatLocalState& local) {
  auto& builder = local.Cast<LocalState>().builder;
  if (builder.sealed().empty()) builder.seal();
  if (builder.sealed().empty()) return nullptr;
  auto unit = duckdb::make_uniq<BatchUnit>(std::move(builder.sealed().front()));
  builder.sealed().pop_front();
  return unit;
}

duckdb::unique_ptr<duckdb::RetainedResultCollection> BatchFormat::CreateCollection(
    duckdb::ClientContext&, duckdb::ResultFormatGlobalState& state, const duckdb::ResultFormatContext&) {
  return duckdb::make_uniq<duckdb::DefaultRetainedCollection<BatchFormat>>(*this, state);
}

duckdb::unique_ptr<SizedBatch> BatchFormat::UnpackUnit(duckdb::unique_ptr<duckdb::ResultUnit> unit) {
  if (!unit) return nullptr;
  return duckdb::make_uniq<SizedBatch>(std::move(unit->Cast<BatchUnit>().batch));
}

}  // namespace weft::sql
