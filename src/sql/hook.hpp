// Weft's place in DuckDB's planning: before its optimizers (which ones run) and after them (what the backend takes).
#pragma once

#include <memory>

#include "duckdb.hpp"
#include "sql/session_state.hpp"

namespace weft::sql {

/// Registers the hook. It acts on connections that carry a SessionState with a record, and leaves all others alone.
void register_hook(duckdb::DBConfig& config);

/// "[not_supported_on_gpu]"'s message: the refusals as "code: name (in NODE); ...".
std::string refusal_text(const std::vector<support::Refusal>& refusals);
/// True for a refusal that native_required takes as one: not for host tables and statements with nothing to do.
bool is_real_refusal(const support::Refusal& refusal);

}  // namespace weft::sql
