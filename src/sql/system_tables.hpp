// Weft's own tables in SQL: weft_last_query(), weft_devices(), weft_settings(), and those that other layers register.
#pragma once

#include <string>
#include <vector>

#include "duckdb.hpp"
#include "sql/database.hpp"

namespace weft::sql {

/// What weft_last_query() shows; implemented by the sessions of this layer.
class ReportsPrevious {
 public:
  virtual ~ReportsPrevious() = default;
  /// The report of the last statement that had ended when the running one began.
  virtual StatementReport previous_report() const = 0;
};

void register_system_tables(duckdb::DatabaseInstance& instance);
void register_system_table(duckdb::DatabaseInstance& instance, const std::string& name,
                           const std::vector<plan::Column>& columns, TableRows rows);

}  // namespace weft::sql
