#include "sql/select_root.hpp"

#include <functional>

#include "duckdb/planner/operator/logical_explain.hpp"
#include "duckdb/planner/operator/logical_get.hpp"

namespace weft::sql {
namespace {

using duckdb::LogicalOperator;
using duckdb::LogicalOperatorType;
using support::Refusal;
using support::RefusalCode;

void for_each_operator(const LogicalOperator& root, const std::function<void(const LogicalOperator&)>& visit) {
  visit(root);
  for (const auto& child : root.children) for_each_operator(*child, visit);
}

bool is_query(LogicalOperatorType type) {
  const auto number = static_cast<unsigned>(type);
  if (type == LogicalOperatorType::LOGICAL_COPY_TO_FILE || type == LogicalOperatorType::LOGICAL_COPY_DATABASE)
    return false;
  return number > 0 && number < static_cast<unsigned>(LogicalOperatorType::LOGICAL_INSERT);
}

bool changes_data(LogicalOperatorType type) {
  const auto number = static_cast<unsigned>(type);
  return number >= static_cast<unsigned>(LogicalOperatorType::LOGICAL_INSERT) &&
         number <= static_cast<unsigned>(LogicalOperatorType::LOGICAL_TRIGGER);
}

/// Table functions that read the catalog, settings or metadata, not data.
bool is_system_function(const std::string& name) {
  for (const char* prefix :
       {"duckdb_", "pragma_", "weft_", "parquet_metadata", "parquet_schema", "parquet_file_metadata",
        "parquet_kv_metadata", "parquet_bloom", "sniff_csv", "show_", "sql_auto_complete", "tpch_", "tpcds_",
        "json_execute", "checkpoint", "force_checkpoint"}) {
    if (name.rfind(prefix, 0) == 0) return true;
  }
  return name == "dbgen" || name == "dsdgen" || name == "summary" || name == "glob" || name == "read_blob" ||
         name == "read_text";
}

/// A statement that only reads the catalog has nothing for a GPU; one that changes data below the SELECT is left alone.
std::vector<Refusal> examine(const LogicalOperator& select) {
  std::vector<Refusal> refusals;
  for_each_operator(select, [&](const LogicalOperator& op) {
    const auto name = duckdb::LogicalOperatorToString(op.type);
    if (changes_data(op.type)) refusals.push_back({RefusalCode::UnsupportedStatement, name + " in a query", name});
    if (op.type != LogicalOperatorType::LOGICAL_GET) return;
    const auto function = op.Cast<duckdb::LogicalGet>().function.GetName().GetIdentifierName();
    if (is_system_function(function)) refusals.push_back({RefusalCode::Nothing, function + "()", name});
  });
  return refusals;
}

bool reads_data(const LogicalOperator& select) {
  bool found = false;
  for_each_operator(select,
                    [&](const LogicalOperator& op) { found = found || op.type == LogicalOperatorType::LOGICAL_GET; });
  return found;
}

}  // namespace

SelectRoot find_select(duckdb::unique_ptr<LogicalOperator>& root) {
  SelectRoot found;
  auto* slot = &root;
  while (*slot && !is_query((*slot)->type)) {
    auto& op = **slot;
    const auto name = duckdb::LogicalOperatorToString(op.type);
    switch (op.type) {
      case LogicalOperatorType::LOGICAL_EXPLAIN:
        if (op.Cast<duckdb::LogicalExplain>().explain_type == duckdb::ExplainType::EXPLAIN_SQL) return found;
        break;
      case LogicalOperatorType::LOGICAL_CREATE_TABLE:
      case LogicalOperatorType::LOGICAL_INSERT:
      case LogicalOperatorType::LOGICAL_COPY_TO_FILE:
      case LogicalOperatorType::LOGICAL_EXECUTE:
        break;
      case LogicalOperatorType::LOGICAL_UPDATE:
      case LogicalOperatorType::LOGICAL_DELETE:
      case LogicalOperatorType::LOGICAL_MERGE_INTO:
        found.refusals.push_back({RefusalCode::UnsupportedStatement, name, name});
        return found;
      default:
        return found;
    }
    if (op.children.size() != 1) return found;
    slot = &op.children[0];
  }
  if (!*slot || !reads_data(**slot)) return found;
  found.refusals = examine(**slot);
  if (!found.refusals.empty()) return found;
  found.slot = slot;
  found.at_root = slot == &root;
  return found;
}

std::vector<OperatorSlot> repeated_slots(duckdb::unique_ptr<LogicalOperator>& root) {
  std::vector<OperatorSlot> slots;
  const std::function<void(duckdb::unique_ptr<LogicalOperator>&, bool)> walk = [&](auto& slot, bool repeated) {
    if (repeated) slots.push_back(&slot);
    const bool recursive = slot->type == LogicalOperatorType::LOGICAL_RECURSIVE_CTE;
    for (size_t i = 0; i < slot->children.size(); ++i) walk(slot->children[i], repeated || (recursive && i == 1));
  };
  walk(root, false);
  return slots;
}

}  // namespace weft::sql
