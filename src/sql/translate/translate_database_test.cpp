#include <unistd.h>

#include <filesystem>
#include <stdexcept>

#include "duckdb/main/config.hpp"
#include "duckdb/optimizer/optimizer_extension.hpp"
#include "duckdb/planner/expression_iterator.hpp"
#include "plan/walk.hpp"
#include "sql/database.hpp"
#include "sql/translate/translate_test_database.hpp"
#include "sql/translate/translator.hpp"
#include "tpcds_extension.hpp"
#include "tpch_extension.hpp"

extern "C" int duckdb_register_static_extensions(void);

namespace weft::sql::testing {

namespace {

/// References lose their names, so that the text shows their positions: #0.
void show_positions(duckdb::Expression& expression) {
  if (expression.GetExpressionClass() == duckdb::ExpressionClass::BOUND_REF) expression.ClearAlias();
  duckdb::ExpressionIterator::EnumerateChildren(expression, [](duckdb::Expression& child) { show_positions(child); });
}

std::string text_with_positions(const duckdb::Expression& expression) {
  const auto copy = expression.Copy();
  show_positions(*copy);
  return copy->ToString();
}

}  // namespace

struct TranslateDatabase::Hook : public duckdb::OptimizerExtensionInfo {
  bool active = false;
  CutOptions options;
  Seen seen;
  std::exception_ptr failure;

  void look(duckdb::ClientContext& context, duckdb::unique_ptr<duckdb::LogicalOperator>& root) {
    PlanCut result = cut(context, root, options);
    seen.refusals = result.refusals;
    seen.whole = result.whole;
    for (const Part& part : result.parts) {
      plan::validate(*part.translation.plan);
      SeenPart copy;
      copy.plan = part.translation.plan;
      for (const HostLeaf& leaf : part.translation.host_leaves) copy.leaves.push_back({leaf.description, leaf.why});
      for (const auto& expression : *part.translation.expressions)
        copy.expressions.push_back(text_with_positions(*expression));
      for (const auto& type : (*part.root)->types) copy.types.push_back(type.ToString());
      seen.parts.push_back(std::move(copy));
    }
  }
};

TranslateDatabase::TranslateDatabase() : hook_(std::make_shared<Hook>()) {
  duckdb_register_static_extensions();
  folder_ = (std::filesystem::temp_directory_path() / ("weft_translate_" + std::to_string(::getpid()))).string();
  std::filesystem::create_directories(folder_);
  database_ = std::make_unique<duckdb::DuckDB>(nullptr);
  database_->LoadStaticExtension<duckdb::TpchExtension>();
  database_->LoadStaticExtension<duckdb::TpcdsExtension>();
  connection_ = std::make_unique<duckdb::Connection>(*database_);
  duckdb::OptimizerExtension extension;
  extension.optimizer_info = duckdb::shared_ptr<duckdb::OptimizerExtensionInfo>(hook_);
  extension.optimize_function = [](duckdb::OptimizerExtensionInput& input,
                                   duckdb::unique_ptr<duckdb::LogicalOperator>& plan) {
    auto* hook = static_cast<Hook*>(input.info.get());
    if (!hook->active) return;
    try {
      hook->look(input.context, plan);
    } catch (...) {
      hook->failure = std::current_exception();
    }
  };
  duckdb::OptimizerExtension::Register(duckdb::DBConfig::GetConfig(*database_->instance), extension);
  std::string disabled;
  for (const std::string& name : disabled_optimizers()) disabled += (disabled.empty() ? "" : ",") + name;
  execute("SET disabled_optimizers = '" + disabled + "'");
  execute("SET threads = 1");
  for (const std::string table : {"t", "u"}) {
    execute("CREATE TABLE " + table + " AS SELECT (i % 10)::INTEGER a, i::BIGINT b, 'text ' || i c, " +
            "(i * 1.25)::DECIMAL(15,2) d, DATE '2020-01-01' + (i % 100)::INTEGER e, (i % 2 = 0) f, i::DOUBLE g " +
            "FROM range(1000) r(i)");
    execute("COPY " + table + " TO '" + folder_ + "/" + table + ".parquet'");
    execute("CREATE VIEW p" + table + " AS FROM '" + folder_ + "/" + table + ".parquet'");
  }
}

TranslateDatabase::~TranslateDatabase() {
  connection_.reset();
  database_.reset();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void TranslateDatabase::execute(const std::string& statement) {
  const auto result = connection_->Query(statement);
  if (result->HasError()) throw std::runtime_error(statement + ": " + result->GetError());
}

std::vector<std::string> TranslateDatabase::query_texts(const std::string& statement) {
  std::vector<std::string> texts;
  for_each_row(statement, [&](const duckdb::DataChunk& chunk, duckdb::idx_t row) {
    texts.push_back(chunk.GetValue(0, row).ToString());
  });
  return texts;
}

std::vector<std::string> TranslateDatabase::query_rows(const std::string& statement) {
  std::vector<std::string> rows;
  for_each_row(statement, [&](const duckdb::DataChunk& chunk, duckdb::idx_t row) {
    std::string text;
    for (duckdb::idx_t column = 0; column < chunk.ColumnCount(); ++column)
      text += chunk.GetValue(column, row).ToString() + "|";
    rows.push_back(std::move(text));
  });
  return rows;
}

void TranslateDatabase::for_each_row(const std::string& statement,
                                     const std::function<void(const duckdb::DataChunk&, duckdb::idx_t)>& visit) {
  auto result = connection_->Query(statement);
  if (result->HasError()) throw std::runtime_error(statement + ": " + result->GetError());
  while (auto chunk = result->Fetch()) {
    if (chunk->size() == 0) break;
    for (duckdb::idx_t row = 0; row < chunk->size(); ++row) visit(*chunk, row);
  }
}

Seen TranslateDatabase::see(const std::string& select, bool keep_trivial) {
  hook_->seen = Seen{};
  hook_->failure = nullptr;
  hook_->options = CutOptions{false, keep_trivial};
  hook_->active = true;
  try {
    connection_->ExtractPlan(select);
  } catch (...) {
    hook_->active = false;
    throw;
  }
  hook_->active = false;
  if (hook_->failure) std::rethrow_exception(hook_->failure);
  return hook_->seen;
}

}  // namespace weft::sql::testing
