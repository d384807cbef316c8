// Parts of a SELECT that several kinds of node write.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plan/node.hpp"

namespace weft::oracle {

using Columns = std::vector<std::string>;

std::string joined(const Columns& parts, std::string_view separator);
/// Each expression over columns named by `columns`.
Columns expressions(const std::vector<plan::ExprPtr>& list, const Columns& columns);
/// "ORDER BY c0 ASC NULLS LAST, ..."
std::string order_by(const std::vector<plan::SortKey>& keys, const Columns& columns);
/// The text cast to the type, so that DuckDB's binder cannot choose another one.
std::string typed(const std::string& text, const plan::Type& type);
/// The name that SQL has for an aggregate of a plan, quoted: sum_no_overflow is sum.
std::string aggregate_name(const std::string& function);

/// An aggregate call, typed.
std::string write_aggregate(const plan::AggregateCall& call, const Columns& columns);
/// Each call of the window with its OVER clause, typed.
Columns write_window_calls(const plan::Window& window, const Columns& columns);

}  // namespace weft::oracle
