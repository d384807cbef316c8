#include "sql/statement_stream.hpp"

#include <utility>

#include "duckdb/common/arrow/arrow_converter.hpp"
#include "sql/error_bridge.hpp"
#include "sql/result_types.hpp"
#include "sql/value_bridge.hpp"

namespace weft::sql {
namespace {

engine::HostSchema arrow_schema_of(duckdb::ClientContext& context, const duckdb::vector<duckdb::Identifier>& names,
                                   const duckdb::vector<duckdb::LogicalType>& types) {
  ArrowSchema schema;
  auto properties = context.GetClientProperties();
  duckdb::ArrowConverter::ToArrowSchema(&schema, batch_types(types, properties), duckdb::IdentifiersToStrings(names),
                                        properties);
  return engine::HostSchema(schema);
}

class TextStream final : public StatementStream {
 public:
  TextStream(std::vector<plan::Column> columns, engine::HostSchema schema, std::deque<SizedBatch> batches)
      : columns_(std::move(columns)), schema_(std::move(schema)), batches_(std::move(batches)) {}

  const std::vector<plan::Column>& columns() const override { return columns_; }
  const ArrowSchema& schema() const override { return *schema_.get(); }
  StatementKind kind() const override { return StatementKind::Explain; }
  bool next(engine::HostBatch& batch) override {
    if (batches_.empty()) return false;
    batch = std::move(batches_.front().batch);
    batches_.pop_front();
    return true;
  }
  void cancel() noexcept override {}
  double progress() const noexcept override { return 1; }

 private:
  std::vector<plan::Column> columns_;
  engine::HostSchema schema_;
  std::deque<SizedBatch> batches_;
};

}  // namespace

void throw_result_error(const duckdb::ErrorData& data, StatementRecord& record) {
  const auto error = error_of(data);
  record.set_error(std::string(to_string(error.code)));
  throw Exception(error);
}

RunningStream::RunningStream(std::shared_ptr<duckdb::Connection> connection,
                             duckdb::unique_ptr<duckdb::QueryResult> result, std::shared_ptr<StatementRecord> record,
                             StatementKind kind, bool streams, Clock::time_point start)
    : connection_(std::move(connection)), record_(std::move(record)), kind_(kind), start_(start) {
  if (!streams) {
    collect(std::move(result));
    return;
  }
  describe(result->GetNames(), result->GetTypes());
  stream_ = std::make_unique<duckdb::QueryResultStream<BatchFormat>>(std::move(result));
}

RunningStream::~RunningStream() {
  if (!ended_) end();
}

void RunningStream::describe(const duckdb::vector<duckdb::Identifier>& names,
                             const duckdb::vector<duckdb::LogicalType>& types) {
  columns_ = to_columns(names, types);
  schema_ = arrow_schema_of(*connection_->context, names, types);
}

void RunningStream::collect(duckdb::unique_ptr<duckdb::QueryResult> result) {
  try {
    result->Complete();
    if (!result->HasError()) {
      auto batches = result->TakeCollection<BatchFormat>();
      for (auto& batch : *batches) retained_.push_back(std::move(batch));
    }
  } catch (const std::exception& error) {
    result->SetError(duckdb::ErrorData(error));
  }
  if (result->HasError()) {
    end();
    throw_result_error(result->GetErrorObject(), *record_);
  }
  describe(result->GetNames(), result->GetTypes());
}

duckdb::unique_ptr<SizedBatch> RunningStream::fetch() {
  if (!stream_) {
    if (retained_.empty()) return nullptr;
    auto batch = std::move(retained_.front());
    retained_.pop_front();
    return batch;
  }
  duckdb::ErrorData thrown;
  try {
    auto batch = stream_->Fetch();
    if (batch || !stream_->HasError()) return batch;
    thrown = stream_->GetErrorObject();
  } catch (const std::exception& error) {
    thrown = duckdb::ErrorData(error);
  }
  end();
  throw_result_error(thrown, *record_);
}

bool RunningStream::next(engine::HostBatch& batch) {
  if (ended_) return false;
  auto fetched = fetch();
  if (!fetched) {
    end();
    return false;
  }
  record_->add_rows(fetched->rows);
  batch = std::move(fetched->batch);
  return true;
}

void RunningStream::end() {
  ended_ = true;
  if (stream_) stream_->Close();
  retained_.clear();
  record_->drop_batches();
  record_->finish(milliseconds_since(start_));
}

void RunningStream::cancel() noexcept {
  record_->cancel();
  connection_->Interrupt();
}

double RunningStream::progress() const noexcept {
  if (record_->has_parts()) return record_->progress();
  try {
    const double percentage = connection_->context->GetQueryProgress().GetPercentage();
    return percentage < 0 ? -1 : percentage / 100.0;
  } catch (...) {
    return -1;
  }
}

std::unique_ptr<StatementStream> text_stream(duckdb::Connection& connection,
                                             const std::vector<std::pair<std::string, std::string>>& rows) {
  auto& context = *connection.context;
  const duckdb::vector<duckdb::LogicalType> types{duckdb::LogicalType::VARCHAR, duckdb::LogicalType::VARCHAR};
  const duckdb::vector<duckdb::Identifier> names{duckdb::Identifier("explain_key"),
                                                 duckdb::Identifier("explain_value")};
  BatchBuilder builder(types, context.GetClientProperties(), kResultBatchRows, kResultBatchBytes,
                       std::make_shared<BufferPool>(0));
  for (const auto& [key, value] : rows) {
    duckdb::DataChunk chunk;
    chunk.Initialize(context, types);
    chunk.data[0].Append(duckdb::Value(key));
    chunk.data[1].Append(duckdb::Value(value));
    chunk.SetChildCardinality(1);
    builder.append(chunk);
  }
  builder.seal();
  return std::make_unique<TextStream>(to_columns(names, types), arrow_schema_of(context, names, types),
                                      std::move(builder.sealed()));
}

}  // namespace weft::sql
