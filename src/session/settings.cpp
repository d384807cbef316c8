#include "session/settings.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <utility>

#include "base/error.hpp"

namespace weft::session {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
  return text;
}

[[noreturn]] void refuse(const SettingInfo& setting, std::string_view value, const std::string& accepted) {
  throw Exception(ErrorCode::InvalidInput, "the setting weft_" + std::string(setting.name) + " does not take '" +
                                               std::string(value) + "': " + accepted);
}

std::string join(const std::vector<std::string_view>& words) {
  std::string out;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += i + 1 == words.size() ? " or " : ", ";
    out += words[i];
  }
  return out;
}

std::optional<uint64_t> parse_integer(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

std::string check_boolean(const SettingInfo& setting, std::string_view value) {
  const std::string word = lower(value);
  if (word == "true" || word == "1" || word == "on" || word == "yes") return "true";
  if (word == "false" || word == "0" || word == "off" || word == "no") return "false";
  refuse(setting, value, "it is true or false");
}

}  // namespace

const char* to_string(SettingType type) {
  switch (type) {
    case SettingType::Text:
      return "text";
    case SettingType::Integer:
      return "integer";
    case SettingType::Boolean:
      return "boolean";
    case SettingType::Bytes:
      return "bytes";
    case SettingType::Milliseconds:
      return "milliseconds";
  }
  return "text";
}

const std::vector<SettingInfo>& settings() {
  static const std::vector<SettingInfo> registry = {
      {"mode",
       SettingType::Text,
       SettingScope::Session,
       "auto",
       "What runs on the GPU: all that can (auto), everything or an error (native_required), table functions alone "
       "(functions_only).",
       {"auto", "native_required", "functions_only"}},
      {"memory_limit_bytes", SettingType::Bytes, SettingScope::Session, "0",
       "Device memory that one query may hold; 0 is all that Weft manages."},
      {"batch_bytes", SettingType::Bytes, SettingScope::Session, "0",
       "Target size of a batch on the device; 0 derives it from the query's limit."},
      {"workers", SettingType::Integer, SettingScope::Session, "0",
       "Worker threads that one query may use at once; 0 is all of the engine's."},
      {"small_on_cpu", SettingType::Boolean, SettingScope::Session, "true",
       "In mode auto, queries that read too little to be worth the way to the device (a few MB) stay on the CPU."},
      {"force_spill", SettingType::Boolean, SettingScope::Session, "false",
       "For tests: spill what can be spilled between any two batches."},
      {"device", SettingType::Integer, SettingScope::Process, "0", "Number of the GPU to use, as nvidia-smi counts."},
      {"device_memory_bytes", SettingType::Bytes, SettingScope::Process, "0",
       "Device memory that Weft manages; 0 is 80 % of what is free at start."},
      {"host_memory_bytes", SettingType::Bytes, SettingScope::Process, "0",
       "Pinned host memory for spilling; 0 is a quarter of the machine's memory."},
      {"engine_workers", SettingType::Integer, SettingScope::Process, "0",
       "Worker threads of the engine; 0 is half the cores, at most 8."},
      {"kernel_cache_dir", SettingType::Text, SettingScope::Process, "",
       "Folder for kernels compiled at run time; empty is ~/.cache/weft/kernels."},
      {"log_level",
       SettingType::Text,
       SettingScope::Process,
       "warning",
       "The least level of log lines on standard error.",
       {"debug", "info", "warning", "error"}}};
  return registry;
}

const SettingInfo* find_setting(std::string_view name) {
  for (const auto& setting : settings()) {
    if (setting.name == name) return &setting;
  }
  return nullptr;
}

std::optional<uint64_t> parse_bytes(std::string_view text) {
  text = trimmed(text);
  size_t digits = 0;
  while (digits < text.size() && (std::isdigit(static_cast<unsigned char>(text[digits])) != 0 || text[digits] == '.')) {
    ++digits;
  }
  static constexpr std::array<std::pair<std::string_view, uint64_t>, 15> kUnits = {{{"", 1},
                                                                                    {"b", 1},
                                                                                    {"k", 1000},
                                                                                    {"kb", 1000},
                                                                                    {"kib", 1ULL << 10},
                                                                                    {"m", 1000000},
                                                                                    {"mb", 1000000},
                                                                                    {"mib", 1ULL << 20},
                                                                                    {"g", 1000000000},
                                                                                    {"gb", 1000000000},
                                                                                    {"gib", 1ULL << 30},
                                                                                    {"t", 1000000000000},
                                                                                    {"tb", 1000000000000},
                                                                                    {"tib", 1ULL << 40},
                                                                                    {"bytes", 1}}};
  const std::string unit = lower(trimmed(text.substr(digits)));
  const auto* found =
      std::find_if(kUnits.begin(), kUnits.end(), [&](const auto& entry) { return entry.first == unit; });
  if (found == kUnits.end()) return std::nullopt;
  const std::string_view number = text.substr(0, digits);
  if (const auto whole = parse_integer(number)) {
    if (*whole > UINT64_MAX / found->second) return std::nullopt;
    return *whole * found->second;
  }
  double value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (error != std::errc() || end != number.data() + number.size()) return std::nullopt;
  value *= static_cast<double>(found->second);
  if (!(value < 18e18)) return std::nullopt;
  return static_cast<uint64_t>(value);
}

std::string check_setting(const SettingInfo& setting, std::string_view value) {
  switch (setting.type) {
    case SettingType::Text: {
      if (setting.choices.empty()) return std::string(value);
      const std::string word = lower(trimmed(value));
      for (const auto& choice : setting.choices) {
        if (choice == word) return word;
      }
      refuse(setting, value, "it is " + join(setting.choices));
    }
    case SettingType::Integer:
    case SettingType::Milliseconds:
      if (const auto number = parse_integer(trimmed(value)); number && *number <= INT32_MAX) {
        return std::to_string(*number);
      }
      refuse(setting, value,
             setting.type == SettingType::Integer ? "it is a whole number from 0"
                                                  : "it is a whole number of milliseconds from 0");
    case SettingType::Bytes:
      if (const auto bytes = parse_bytes(value)) return std::to_string(*bytes);
      refuse(setting, value, "it is a size such as 8GB, 512MiB or 1000 (bytes)");
    case SettingType::Boolean:
      return check_boolean(setting, trimmed(value));
  }
  refuse(setting, value, "its type is unknown");
}

std::string environment_variable(const SettingInfo& setting) {
  std::string name = "WEFT_" + std::string(setting.name);
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::toupper(c); });
  return name;
}

std::string starting_value(const SettingInfo& setting, const std::map<std::string, std::string>& flags) {
  const auto flag = flags.find(std::string(setting.name));
  if (flag != flags.end()) return check_setting(setting, flag->second);
  const std::string variable = environment_variable(setting);
  if (const char* value = std::getenv(variable.c_str()); value != nullptr && *value != '\0') {
    try {
      return check_setting(setting, value);
    } catch (const Exception& e) {
      throw Exception(ErrorCode::InvalidInput, "in the environment variable " + variable + ": " + e.error().message);
    }
  }
  return check_setting(setting, setting.default_value);
}

std::string settings_document() {
  std::string out =
      "# Settings\n\n"
      "This file is generated from the registry in src/session/settings.cpp; a test checks that it is current\n"
      "(`WEFT_UPDATE_DOCS=1` makes the test rewrite it).\n\n"
      "A setting `x` is `SET weft_x = ...` in SQL (scope session), the flag `--x`, with dashes or underscores, and "
      "the\n"
      "environment variable in its row. A flag wins over the environment, SET over both. Settings of scope process "
      "are\n"
      "read once at start. Sizes accept `8GB`, `512MiB` and plain bytes. `FROM weft_settings()` shows what is in "
      "force.\n\n"
      "| setting | type | scope | default | environment | what it does |\n"
      "|---|---|---|---|---|---|\n";
  for (const auto& setting : settings()) {
    out += "| `weft_" + std::string(setting.name) + "` | " + std::string(to_string(setting.type)) + " | ";
    out += setting.scope == SettingScope::Process ? "process" : "session";
    out += std::string(" | ") +
           (setting.default_value.empty() ? "(empty)" : "`" + std::string(setting.default_value) + "`");
    out += " | `" + environment_variable(setting) + "` | " + std::string(setting.help) + " |\n";
  }
  return out;
}

}  // namespace weft::session
