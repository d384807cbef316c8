// TIMESTAMP WITH TIME ZONE in a plan: it knows one time zone, UTC, and DuckDB's calendar. What depends on a zone is
// written with casts to and from TIMESTAMP, and runs on the GPU where the session's zone is UTC.
#pragma once

#include <vector>

#include "sql/translate/translator.hpp"

namespace weft::sql {

/// What support refuses of the node, and unsupported_setting where it depends on a time zone and the session's TimeZone
/// or Calendar is another than the plan's.
std::vector<support::Refusal> check_node(duckdb::ClientContext& context, const plan::Node& node);

/// A call with arguments of TIMESTAMP WITH TIME ZONE as one of TIMESTAMP, for the functions whose result is the same in
/// UTC; nullptr: the call is none of them. `type`: what the call gives.
plan::ExprPtr call_in_utc(const std::string& function, const plan::Type& type,
                          const std::vector<plan::ExprPtr>& arguments, uint32_t id, bool can_throw);

}  // namespace weft::sql
