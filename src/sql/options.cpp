#include "sql/options.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "duckdb/main/config.hpp"
#include "sql/error_bridge.hpp"
#include "sql/session_state.hpp"

namespace weft::sql {
namespace {

constexpr size_t kMaxOptions = 64;

std::string check_mode(const std::string& value) {
  if (value == "auto" || value == "native_required" || value == "functions_only") return value;
  throw Exception(ErrorCode::InvalidInput,
                  "weft_mode cannot be '" + value + "': use 'auto', 'native_required' or 'functions_only'");
}

/// DuckDB's callback for option number N: it is told the value, but not which setting it is of.
template <size_t N>
void set_option(duckdb::ClientContext& context, duckdb::SetScope, duckdb::Value& value) {
  const auto state = SessionState::of(context);
  if (!state || N >= state->shared->config.options.size()) return;
  const auto& option = state->shared->config.options[N];
  try {
    if (!option.per_session) {
      throw Exception(ErrorCode::InvalidInput,
                      "weft_" + option.name + " is read once at start: give it as a flag or in the environment");
    }
    if (!option.check) return;
    if (value.IsNull()) throw Exception(ErrorCode::InvalidInput, "weft_" + option.name + " cannot be NULL");
    value = duckdb::Value(option.check(value.ToString()));
  } catch (const Exception& error) {
    throw_in_duckdb(error.error());
  }
}

template <size_t... N>
constexpr std::array<duckdb::set_option_callback_t, sizeof...(N)> callbacks(std::index_sequence<N...>) {
  return {&set_option<N>...};
}
constexpr auto kCallbacks = callbacks(std::make_index_sequence<kMaxOptions>());

uint64_t number(const std::string& text) {
  if (text.empty() || !std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; })) return 0;
  return std::stoull(text);
}

}  // namespace

std::vector<Option> complete_options(std::vector<Option> options) {
  const bool has_mode =
      std::any_of(options.begin(), options.end(), [](const Option& option) { return option.name == "mode"; });
  if (!has_mode) {
    options.push_back({"mode", "text", true, "auto", "auto",
                       "Where relational plans run: auto, native_required, functions_only", check_mode});
  }
  if (options.size() > kMaxOptions) throw Exception(ErrorCode::InvalidInput, "a database has at most 64 options");
  return options;
}

void register_options(duckdb::DBConfig& config, const std::vector<Option>& options) {
  for (size_t i = 0; i < options.size(); ++i) {
    config.AddExtensionOption(duckdb::Identifier("weft_" + options[i].name), options[i].help,
                              duckdb::LogicalType::VARCHAR, duckdb::Value(options[i].value), kCallbacks[i],
                              duckdb::SetScope::SESSION);
  }
}

std::string option_value(duckdb::ClientContext& context, const std::string& name) {
  duckdb::Value value;
  if (!context.TryGetCurrentSetting(duckdb::Identifier("weft_" + name), value) || value.IsNull()) return "";
  return value.ToString();
}

Mode current_mode(duckdb::ClientContext& context) {
  const auto text = option_value(context, "mode");
  if (text == "native_required") return Mode::NativeRequired;
  if (text == "functions_only") return Mode::FunctionsOnly;
  return Mode::Auto;
}

bool small_on_cpu(duckdb::ClientContext& context) {
  return current_mode(context) == Mode::Auto && option_value(context, "small_on_cpu") != "false";
}

engine::QueryOptions query_options(duckdb::ClientContext& context) {
  engine::QueryOptions options;
  options.memory_limit_bytes = number(option_value(context, "memory_limit_bytes"));
  options.batch_bytes = number(option_value(context, "batch_bytes"));
  options.workers = static_cast<uint32_t>(number(option_value(context, "workers")));
  const auto spill = option_value(context, "force_spill");
  options.force_spill = spill == "true" || spill == "1";
  return options;
}

std::string to_string(Mode mode) {
  switch (mode) {
    case Mode::NativeRequired:
      return "native_required";
    case Mode::FunctionsOnly:
      return "functions_only";
    case Mode::Auto:
      break;
  }
  return "auto";
}

}  // namespace weft::sql
