// Writes a plan as DuckDB SQL text, so that DuckDB can say what the plan's answer is. It takes no DuckDB object and
// never uses DuckDB's own plan-to-SQL exporter: an error of translation must not be able to hide in both.
#pragma once

#include <string>
#include <vector>

#include "plan/node.hpp"

namespace weft::oracle {

/// One SELECT statement that answers the plan, columns named c0, c1, ... `source_tables[i]` is the (quoted, if need be)
/// name of a table that holds the rows of HostSource i; its columns are read by position. Every literal is typed; every
/// expression is cast to the plan's result type, so that DuckDB's binder cannot choose another one. Order of rows is
/// kept where the plan's root orders them.
std::string write_sql(const plan::Plan& plan, const std::vector<std::string>& source_tables);

/// One expression over columns named by `columns`.
std::string write_expression(const plan::Expr& expr, const std::vector<std::string>& columns);

}  // namespace weft::oracle
