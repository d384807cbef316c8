#include "sql/session.hpp"

#include <algorithm>
#include <condition_variable>
#include <utility>

#include "duckdb/main/appender.hpp"
#include "duckdb/parser/statement/explain_statement.hpp"
#include "sql/error_bridge.hpp"
#include "sql/explain.hpp"
#include "sql/hook.hpp"
#include "sql/options.hpp"
#include "sql/value_bridge.hpp"

namespace weft::sql {
namespace {

using duckdb::StatementType;

/// What a streaming result buffers ahead of its reader.
constexpr duckdb::idx_t kStreamingBufferBytes = duckdb::idx_t{64} << 20;

[[noreturn]] void rethrow(duckdb::ClientContext& context, const std::exception& error, const std::string& query) {
  if (const auto* own = dynamic_cast<const Exception*>(&error)) throw *own;
  duckdb::ErrorData data(error);
  context.ProcessError(data, query);
  throw Exception(error_of(data));
}

StatementKind kind_of(StatementType type, const duckdb::QueryResult& result) {
  if (type == StatementType::EXPLAIN_STATEMENT) return StatementKind::Explain;
  if (!result.MetadataAvailable()) return StatementKind::Select;
  const auto returns = result.GetStatementProperties().return_type;
  return returns == duckdb::StatementReturnType::QUERY_RESULT ? StatementKind::Select : StatementKind::Other;
}

/// A query whose rows may be read as they come: nothing is lost if the reader stops early.
bool can_stream(StatementType type, const duckdb::QueryResult& result) {
  if (type != StatementType::SELECT_STATEMENT && type != StatementType::EXECUTE_STATEMENT) return false;
  if (!result.MetadataAvailable()) return false;
  const auto& properties = result.GetStatementProperties();
  return properties.return_type == duckdb::StatementReturnType::QUERY_RESULT && properties.IsReadOnly();
}

bool explainable(StatementType type) {
  return type == StatementType::SELECT_STATEMENT || type == StatementType::INSERT_STATEMENT ||
         type == StatementType::CREATE_STATEMENT || type == StatementType::COPY_STATEMENT ||
         type == StatementType::UPDATE_STATEMENT || type == StatementType::DELETE_STATEMENT ||
         type == StatementType::MERGE_INTO_STATEMENT || type == StatementType::EXECUTE_STATEMENT;
}

duckdb::unique_ptr<duckdb::SQLStatement> explain_of(const duckdb::SQLStatement& statement) {
  auto explain = duckdb::make_uniq<duckdb::ExplainStatement>(statement.Copy());
  explain->query = "EXPLAIN " + statement.query;
  return explain;
}

/// Of a plan with GPU parts. Throws InvalidInput for a format that has no form of it.
bool explained_as_json(const duckdb::ExplainStatement& statement) {
  using Format = duckdb::ProfilerPrintFormat;
  if (statement.format == Format::JSON()) return true;
  if (statement.format == Format::Default() || statement.format == Format::Text()) return false;
  throw Exception(ErrorCode::InvalidInput, "EXPLAIN (FORMAT " + statement.format.ToString() +
                                               ") cannot show what runs on the GPU: use FORMAT text or json, or SET "
                                               "weft_mode = 'functions_only' to see DuckDB's plan");
}

/// Waits for the source's next batch; false at its end.
bool next_batch(engine::BatchSource& source, engine::HostBatch& batch) {
  struct Signal {
    std::mutex mutex;
    std::condition_variable raised;
    bool ready = false;
  };
  while (true) {
    auto signal = std::make_shared<Signal>();
    auto poll = source.poll(batch, [signal] {
      const std::lock_guard<std::mutex> guard(signal->mutex);
      signal->ready = true;
      signal->raised.notify_all();
    });
    if (poll.value() == engine::Poll::Ready) return true;
    if (poll.value() == engine::Poll::Done) return false;
    std::unique_lock<std::mutex> lock(signal->mutex);
    signal->raised.wait(lock, [&] { return signal->ready; });
  }
}

}  // namespace

SessionImpl::SessionImpl(duckdb::DuckDB& database, std::shared_ptr<DatabaseShared> shared, uint64_t number)
    : shared_(std::move(shared)), number_(number), connection_(std::make_shared<duckdb::Connection>(database)) {
  state_ = duckdb::make_shared_ptr<SessionState>(shared_, *this);
  auto& context = *connection_->context;
  context.registered_state->Insert(SessionState::kKey, state_);
  context.config.enable_progress_bar = true;
  context.config.print_progress_bar = false;
  context.config.wait_time = 0;
  context.config.max_streaming_buffer_size = kStreamingBufferBytes;
}

SessionImpl::~SessionImpl() { connection_->context->registered_state->Remove(SessionState::kKey); }

SessionImpl::StatementPointer SessionImpl::parse(const std::string& text) {
  duckdb::vector<StatementPointer> statements;
  try {
    statements = connection_->ExtractStatements(text, false);
  } catch (const std::exception& error) {
    rethrow(*connection_->context, error, text);
  }
  if (statements.empty()) throw Exception(ErrorCode::InvalidInput, "there is no statement in the text");
  if (statements.size() > 1) {
    throw Exception(ErrorCode::InvalidInput, "there are several statements in the text: run them one at a time");
  }
  return std::move(statements.front());
}

std::vector<std::string> SessionImpl::split(const std::string& script) {
  std::vector<std::string> texts;
  try {
    for (const auto& statement : connection_->ExtractStatements(script, false)) texts.push_back(statement->query);
  } catch (const std::exception& error) {
    rethrow(*connection_->context, error, script);
  }
  return texts;
}

std::shared_ptr<StatementRecord> SessionImpl::begin(Treatment treatment) {
  auto id = std::to_string(number_) + "." + std::to_string(++statements_);
  auto record = std::make_shared<StatementRecord>(std::move(id), treatment, mode());
  const std::lock_guard<std::mutex> guard(mutex_);
  previous_ = std::move(record_);
  record_ = record;
  return record;
}

std::unique_ptr<StatementStream> SessionImpl::execute(const std::string& statement) {
  const auto record = begin(Treatment::ByMode);
  return run(parse(statement), record);
}

std::unique_ptr<StatementStream> SessionImpl::execute_on_cpu(const std::string& statement, support::Refusal reason) {
  const auto record = begin(Treatment::OnCpu);
  record->cpu_reason = std::move(reason);
  return run(parse(statement), record);
}

std::unique_ptr<StatementStream> SessionImpl::run(StatementPointer statement,
                                                  const std::shared_ptr<StatementRecord>& record) {
  const bool explains = statement->type == StatementType::EXPLAIN_STATEMENT && shared_->config.hooks;
  if (explains) return explain(std::move(statement), record);
  return start(std::move(statement), record, Clock::now());
}

std::unique_ptr<StatementStream> SessionImpl::start(StatementPointer statement,
                                                    const std::shared_ptr<StatementRecord>& record,
                                                    Clock::time_point start_time) {
  auto& context = *connection_->context;
  const auto type = statement->type;
  const auto query = statement->query;
  record->passthrough =
      type == StatementType::SELECT_STATEMENT && same_form(context.GetClientProperties(), seam_properties(context));
  state_->record = record;
  duckdb::unique_ptr<duckdb::QueryResult> result;
  try {
    result = connection_->Submit(std::move(statement),
                                 duckdb::shared_ptr<duckdb::ResultFormat>(
                                     duckdb::make_shared_ptr<BatchFormat>(record, shared_->config.seam_results)));
  } catch (const std::exception& error) {
    state_->record.reset();
    rethrow(context, error, query);
  }
  record->set_planning_ms(milliseconds_since(start_time));
  if (result->HasError()) {
    record->finish(milliseconds_since(start_time));
    throw_result_error(result->GetErrorObject(), *record);
  }
  const bool bypassed = type == StatementType::SELECT_STATEMENT && shared_->config.hooks && !record->hook_ran.load();
  if (bypassed && record->treatment == Treatment::ByMode && mode() == Mode::NativeRequired) {
    record->set_error(std::string(to_string(ErrorCode::NotSupportedOnGpu)));
    throw Exception(
        ErrorCode::NotSupportedOnGpu,
        "unsupported_setting: enable_optimizer or disabled_optimizers keeps Weft out of planning (in SETTING)");
  }
  // DuckDB forgets an interrupt that came before its query began.
  if (record->cancelled()) connection_->Interrupt();
  const auto kind = kind_of(type, *result);
  const bool streams = can_stream(type, *result);
  return std::make_unique<RunningStream>(connection_, std::move(result), record, kind, streams, start_time);
}

std::vector<std::pair<std::string, std::string>> SessionImpl::plan_only(
    StatementPointer statement, const std::shared_ptr<StatementRecord>& record) {
  const auto start_time = Clock::now();
  state_->record = record;
  auto result = connection_->Query(std::move(statement));
  record->set_planning_ms(milliseconds_since(start_time));
  if (result->HasError()) throw_result_error(result->GetErrorObject(), *record);
  std::vector<std::pair<std::string, std::string>> rows;
  for (auto& row : result->Collection().Rows()) {
    rows.emplace_back(row.GetValue(0).ToString(), row.GetValue(1).ToString());
  }
  return rows;
}

std::unique_ptr<StatementStream> SessionImpl::explain(StatementPointer statement,
                                                      const std::shared_ptr<StatementRecord>& record) {
  const auto start_time = Clock::now();
  auto& explained = statement->Cast<duckdb::ExplainStatement>();
  const bool analyze = explained.explain_type == duckdb::ExplainType::EXPLAIN_ANALYZE;
  if (explained.explain_type == duckdb::ExplainType::EXPLAIN_SQL)
    return start(std::move(statement), record, start_time);

  auto planned = std::make_shared<StatementRecord>(record->report().query_id, Treatment::Explain, mode());
  auto rows = plan_only(explain_of(*explained.stmt), planned);
  const ExplainOptions options{analyze, shared_->config.describe_pipelines};
  const bool own_format = explained.format != duckdb::ProfilerPrintFormat::Default();
  const bool json = planned->has_parts() && explained_as_json(explained);
  const auto text = [&] { return json ? explain_json(*record, options) : explain_text(*record, options); };
  if (planned->has_parts() && analyze) {
    record->profile = true;
    const auto stream = start(std::move(explained.stmt), record, start_time);
    engine::HostBatch batch;
    while (stream->next(batch)) batch.reset();
    return text_stream(*connection_, {{"weft_plan", text()}});
  }
  if (planned->has_parts()) {
    record->adopt(*planned);
    record->finish(milliseconds_since(start_time));
    return text_stream(*connection_, {{"weft_plan", text()}});
  }
  if (analyze || own_format) rows = plan_only(std::move(statement), analyze ? record : planned);
  if (!analyze) record->adopt(*planned);
  if (!rows.empty() && !own_format) rows.back().second += reason_text(record->report());
  record->finish(milliseconds_since(start_time));
  return text_stream(*connection_, rows);
}

StatementReport SessionImpl::check(const std::string& statement) {
  auto record = std::make_shared<StatementRecord>(std::to_string(number_) + ".check", Treatment::PlanOnly, mode());
  auto parsed = parse(statement);
  if (parsed->type == StatementType::EXPLAIN_STATEMENT) {
    parsed = std::move(parsed->Cast<duckdb::ExplainStatement>().stmt);
  }
  if (explainable(parsed->type)) plan_only(explain_of(*parsed), record);
  return record->report();
}

void SessionImpl::run_quietly(const std::string& sql) {
  state_->record.reset();
  auto result = connection_->Query(sql);
  if (result->HasError()) throw Exception(error_of(result->GetErrorObject()));
}

void SessionImpl::set_mode(Mode mode) { set_option("mode", to_string(mode)); }

Mode SessionImpl::mode() const { return current_mode(*connection_->context); }

void SessionImpl::set_option(const std::string& name, const std::string& value) {
  const auto& options = shared_->config.options;
  const bool known =
      std::any_of(options.begin(), options.end(), [&](const Option& option) { return option.name == name; });
  if (!known) throw Exception(ErrorCode::InvalidInput, "there is no setting weft_" + name + ": see weft_settings()");
  run_quietly("SET weft_" + name + " = " + duckdb::Value(value).ToSQLString());
}

std::string SessionImpl::option(const std::string& name) const { return option_value(*connection_->context, name); }

const StatementReport& SessionImpl::last_report() const {
  const std::lock_guard<std::mutex> guard(mutex_);
  last_report_ = record_ ? record_->report() : StatementReport{};
  return last_report_;
}

StatementReport SessionImpl::previous_report() const {
  const std::lock_guard<std::mutex> guard(mutex_);
  return previous_ ? previous_->report() : StatementReport{};
}

void SessionImpl::create_temp_table(const std::string& name, const std::vector<plan::Column>& columns,
                                    engine::BatchSource& rows) {
  auto& context = *connection_->context;
  std::string ddl = "CREATE OR REPLACE TEMP TABLE " + quoted(name) + " (";
  duckdb::vector<duckdb::LogicalType> types;
  for (size_t i = 0; i < columns.size(); ++i) {
    ddl += (i > 0 ? ", " : "") + quoted(columns[i].name) + " " + columns[i].type.to_string();
    types.push_back(to_duckdb(columns[i].type));
  }
  run_quietly(ddl + ")");
  try {
    const BatchReader reader(context, types);
    duckdb::Appender appender(*connection_, duckdb::Identifier("temp"), duckdb::Identifier("main"),
                              duckdb::Identifier(name));
    engine::HostBatch batch;
    while (next_batch(rows, batch)) {
      BatchReader::Scan scan(context, std::move(batch));
      while (true) {
        duckdb::DataChunk chunk;
        chunk.Initialize(context, types);
        if (!scan.next(reader, chunk)) break;
        appender.AppendDataChunk(chunk);
      }
    }
    appender.Close();
  } catch (const std::exception& error) {
    rows.cancel();
    rethrow(context, error, "");
  }
}

void SessionImpl::interrupt() noexcept {
  std::shared_ptr<StatementRecord> record;
  {
    const std::lock_guard<std::mutex> guard(mutex_);
    record = record_;
  }
  if (record) record->cancel();
  connection_->Interrupt();
}

}  // namespace weft::sql
