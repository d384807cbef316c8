#include "workload/placement.hpp"

#include <algorithm>
#include <set>

namespace weft::workload {

std::string reason_text(const support::Refusal& refusal) {
  return std::string(support::to_string(refusal.code)) + (refusal.name.empty() ? "" : " " + refusal.name);
}

std::vector<support::Refusal> true_refusals(const sql::StatementReport& report) {
  std::vector<support::Refusal> refusals = report.refusals;
  const bool only_tables = std::all_of(refusals.begin(), refusals.end(), [](const auto& refusal) {
    return refusal.code == support::RefusalCode::HostTable;
  });
  if (only_tables) return refusals;
  std::erase_if(refusals, [](const auto& refusal) { return refusal.code == support::RefusalCode::HostTable; });
  return refusals;
}

std::string placement_text(const sql::StatementReport& report) {
  std::set<std::string> codes;
  for (const auto& refusal : true_refusals(report)) codes.insert(std::string(support::to_string(refusal.code)));
  std::string text = report.where;
  if (report.where == "gpu") return text;
  for (const auto& code : codes) text += " " + code;
  return text;
}

}  // namespace weft::workload
