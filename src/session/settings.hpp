// The one registry of settings. From it come the SQL setting `weft_x`, the flag `--x`, the environment variable WEFT_X,
// weft_settings() and docs/settings.md. Sizes end in _bytes and accept '8GB'; times end in _ms.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::session {

enum class SettingType : unsigned char { Text, Integer, Boolean, Bytes, Milliseconds };
enum class SettingScope : unsigned char { Process, Session };  // Process: read once at start (flag or environment only)

struct SettingInfo {
  std::string_view name;  // without the prefix: "mode", "memory_limit_bytes"
  SettingType type;
  SettingScope scope;
  std::string_view default_value;
  std::string_view help;                       // one line
  std::vector<std::string_view> choices = {};  // Text: empty = any
};

const std::vector<SettingInfo>& settings();
const SettingInfo* find_setting(std::string_view name);
/// Parses '8GB', '512MiB', '1000' (bytes). nullopt if it is none of these.
std::optional<uint64_t> parse_bytes(std::string_view text);
/// Checks the value against the setting's type and choices. Returns its canonical text, or throws InvalidInput that
/// names the setting, the value and what is accepted.
std::string check_setting(const SettingInfo& setting, std::string_view value);
/// "text", "integer", "boolean", "bytes", "milliseconds".
const char* to_string(SettingType type);
/// WEFT_MODE for mode.
std::string environment_variable(const SettingInfo& setting);
/// The value at start: `flags`, else the environment variable WEFT_X, else the default. Canonical; throws InvalidInput.
std::string starting_value(const SettingInfo& setting, const std::map<std::string, std::string>& flags);
/// The text of docs/settings.md.
std::string settings_document();

}  // namespace weft::session
