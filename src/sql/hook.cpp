#include "sql/hook.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "duckdb/main/config.hpp"
#include "duckdb/main/settings.hpp"
#include "duckdb/optimizer/optimizer.hpp"
#include "duckdb/optimizer/optimizer_extension.hpp"
#include "plan/walk.hpp"
#include "sql/arrow_bridge.hpp"
#include "sql/error_bridge.hpp"
#include "sql/explain.hpp"
#include "sql/gpu_operator.hpp"
#include "sql/options.hpp"
#include "sql/row_order.hpp"
#include "sql/select_root.hpp"
#include "sql/settings_policy.hpp"
#include "sql/translate/translator.hpp"

namespace weft::sql {
namespace {

using PlanPointer = duckdb::unique_ptr<duckdb::LogicalOperator>;
using duckdb::OptimizerExtensionInput;
using support::Refusal;
using support::RefusalCode;

/// Throws if the mode forbids to run what was refused on the CPU.
void require_native(duckdb::ClientContext& context, const StatementRecord& record,
                    const std::vector<Refusal>& refusals) {
  if (record.treatment != Treatment::ByMode || current_mode(context) != Mode::NativeRequired) return;
  std::vector<Refusal> real;
  std::copy_if(refusals.begin(), refusals.end(), std::back_inserter(real), is_real_refusal);
  if (!real.empty()) throw_in_duckdb(Error{ErrorCode::NotSupportedOnGpu, refusal_text(real), std::nullopt});
}

/// Why a query does not go to the GPU whatever its plan is.
std::vector<Refusal> reasons_before_planning(duckdb::ClientContext& context, const SessionState& state) {
  const auto& record = *state.record;
  if (record.treatment == Treatment::OnCpu) {
    return {record.cpu_reason.value_or(Refusal{RefusalCode::Nothing, "CPU", "STATEMENT"})};
  }
  if (record.treatment != Treatment::PlanOnly) {
    if (current_mode(context) == Mode::FunctionsOnly) {
      return {{RefusalCode::ModeFunctionsOnly, "weft_mode = functions_only", "STATEMENT"}};
    }
    if (!state.shared->config.backend) {
      const auto& error = state.shared->config.backend_error;
      return {{RefusalCode::NoDevice, error ? error->message : "there is no GPU", "STATEMENT"}};
    }
  }
  return refused_settings(context);
}

void pre_optimize(OptimizerExtensionInput& input, PlanPointer& plan) {
  auto& context = input.context;
  const auto state = SessionState::of(context);
  if (!state || !state->record || state->reoptimizing) return;
  state->leave();
  auto& record = *state->record;
  record.hook_ran = true;
  if (plan->type == duckdb::LogicalOperatorType::LOGICAL_PREPARE) return;
  const auto select = find_select(plan);
  auto refusals = select.refusals;
  if (refusals.empty() && select.slot != nullptr) refusals = reasons_before_planning(context, *state);
  if (!refusals.empty()) {
    record.add_refusals(refusals);
    require_native(context, record, refusals);
    return;
  }
  if (select.slot == nullptr) {
    // It reads no table and no file.
    record.add_refusals({{RefusalCode::Nothing, "", "STATEMENT"}});
    return;
  }
  state->enter(duckdb::DBConfig::GetConfig(context));
  state->planning = true;
  try {
    state->unoptimized = (*select.slot)->Copy(context);
  } catch (const std::exception&) {
    // An operator that cannot be copied: where nothing runs on the GPU, the plan stays as the lean list made it.
    state->unoptimized.reset();
  }
}

/// Plans the copy again, as DuckDB plans without Weft.
void plan_for_cpu(OptimizerExtensionInput& input, SessionState& state, PlanPointer& slot) {
  auto copy = std::move(state.unoptimized);
  state.leave();
  if (!copy) return;
  struct Quiet {
    explicit Quiet(SessionState& state) : state(state) { state.reoptimizing = true; }
    ~Quiet() { state.reoptimizing = false; }
    SessionState& state;
  } quiet(state);
  duckdb::Optimizer optimizer(input.optimizer.binder, input.context);
  slot = optimizer.Optimize(std::move(copy));
  slot->ResolveOperatorTypes();
}

/// Without the parts that stand where DuckDB would run them again and again.
void drop_repeated(PlanCut& cut, PlanPointer& slot) {
  const auto repeated = repeated_slots(slot);
  const auto dropped = std::remove_if(cut.parts.begin(), cut.parts.end(), [&](const Part& part) {
    return std::find(repeated.begin(), repeated.end(), part.root) != repeated.end();
  });
  if (dropped == cut.parts.end()) return;
  cut.parts.erase(dropped, cut.parts.end());
  cut.whole = false;
  const Refusal refusal{RefusalCode::UnsupportedOperator, "REC_CTE", "REC_CTE"};
  if (std::find(cut.refusals.begin(), cut.refusals.end(), refusal) == cut.refusals.end())
    cut.refusals.push_back(refusal);
}

/// What the parts read: files as they are stored, and DuckDB's rows as they travel; nullopt if that is not known.
std::optional<uint64_t> source_bytes(const PlanCut& cut) {
  constexpr uint64_t kBytesAValue = 8;
  uint64_t bytes = 0;
  bool known = true;
  for (const auto& part : cut.parts) {
    plan::for_each_node(*part.translation.plan->root, [&](const plan::Node& node) {
      if (const auto* scan = node.as<plan::Scan>()) {
        for (const auto& file : scan->files) bytes += file.size_bytes;
      } else if (node.as<plan::HostSource>()) {
        known = known && node.estimated_rows > 0;
        bytes += static_cast<uint64_t>(node.estimated_rows) * std::max<uint64_t>(node.output.size(), 1) * kBytesAValue;
      }
    });
  }
  return known ? std::optional(bytes) : std::nullopt;
}

/// Leaves the query to DuckDB if it reads too little to be worth the way to the device.
void drop_small(duckdb::ClientContext& context, const SessionState& state, PlanCut& cut) {
  const auto& backend = state.shared->config.backend;
  if (cut.parts.empty() || !backend || state.record->treatment != Treatment::ByMode || !small_on_cpu(context)) return;
  const auto bytes = source_bytes(cut);
  if (!bytes || *bytes >= backend->least_bytes()) return;
  cut.parts.clear();
  cut.whole = false;
  cut.refusals.push_back({RefusalCode::TooSmall, std::to_string(*bytes) + " bytes", "STATEMENT"});
}

void replace(duckdb::ClientContext& context, const SessionState& state, Part& part, bool passthrough) {
  auto& record = *state.record;
  auto gpu = std::make_shared<GpuPart>();
  gpu->plan = part.translation.plan;
  gpu->expressions = part.translation.expressions;
  for (const auto& leaf : part.translation.host_leaves) {
    auto text = leaf.description;
    for (const auto& why : leaf.why) {
      const bool said = why.name.empty() || why.name == leaf.description;
      text += " [" + std::string(support::to_string(why.code)) + (said ? "" : ": " + why.name) + "]";
    }
    gpu->leaf_descriptions.push_back(std::move(text));
  }
  gpu->backend = record.treatment == Treatment::ByMode ? state.shared->config.backend : nullptr;
  gpu->options = query_options(context);
  gpu->options.profile = record.profile;
  gpu->record = state.record;
  gpu->number = record.add_part(gpu->plan);
  gpu->ordered = has_ordered_result(*gpu->plan);
  gpu->passthrough = passthrough;
  auto op = duckdb::make_uniq<LogicalGpu>(**part.root, std::move(gpu));
  for (const auto& leaf : part.translation.host_leaves) op->children.push_back(std::move(*leaf.subtree));
  *part.root = std::move(op);
}

void optimize(OptimizerExtensionInput& input, PlanPointer& plan) {
  auto& context = input.context;
  const auto state = SessionState::of(context);
  if (!state || !state->record || state->reoptimizing || !state->planning) return;
  state->leave_optimizers();
  auto& record = *state->record;
  const auto select = find_select(plan);
  if (select.slot == nullptr) {
    // The optimizers have proven that no data need be read.
    state->leave();
    record.add_refusals({{RefusalCode::Nothing, "", "STATEMENT"}});
    return;
  }
  CutOptions options;
  options.keep_order = duckdb::Settings::Get<duckdb::PreserveInsertionOrderSetting>(context);
  auto cut = sql::cut(context, *select.slot, options);
  drop_repeated(cut, *select.slot);
  drop_small(context, *state, cut);
  record.add_refusals(cut.refusals);
  require_native(context, record, cut.refusals);
  if (cut.parts.empty()) {
    plan_for_cpu(input, *state, *select.slot);
  } else {
    const auto& types = (*select.slot)->types;
    const bool at_root =
        select.at_root && record.passthrough && cut.parts.back().root == select.slot && seam_types(types) == types;
    for (auto& part : cut.parts) replace(context, *state, part, at_root && &part == &cut.parts.back());
    record.set_where(cut.whole ? "gpu" : "mixed");
    state->leave();
  }
  auto& shown = plan->type == duckdb::LogicalOperatorType::LOGICAL_EXPLAIN ? *plan->children[0] : *plan;
  record.set_explain(explain_lines(shown, cut.refusals));
}

}  // namespace

bool is_real_refusal(const Refusal& refusal) {
  return refusal.code != RefusalCode::Nothing && refusal.code != RefusalCode::HostTable &&
         refusal.code != RefusalCode::TooSmall;
}

std::string refusal_text(const std::vector<Refusal>& refusals) {
  std::string text;
  for (const auto& refusal : refusals) {
    if (!text.empty()) text += "; ";
    text += std::string(support::to_string(refusal.code)) + ": " + refusal.name + " (in " + refusal.node + ")";
  }
  return text;
}

void register_hook(duckdb::DBConfig& config) {
  duckdb::OptimizerExtension extension;
  extension.pre_optimize_function = pre_optimize;
  extension.optimize_function = optimize;
  duckdb::OptimizerExtension::Register(config, extension);
}

}  // namespace weft::sql
