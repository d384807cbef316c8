// Where a statement ran and why, as verify, fuzz and the committed placements say it.
#pragma once

#include <string>
#include <vector>

#include "session/connection.hpp"

namespace weft::workload {

/// "unsupported_function lpad(VARCHAR, INTEGER, VARCHAR)".
std::string reason_text(const support::Refusal& refusal);
/// Refusals that say why a part ran on the CPU; that a leaf is a DuckDB table is one only if there is no other.
std::vector<support::Refusal> true_refusals(const sql::StatementReport& report);
/// "gpu", "mixed unsupported_operator", ...
std::string placement_text(const sql::StatementReport& report);

}  // namespace weft::workload
