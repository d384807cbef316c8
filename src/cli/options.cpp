#include "cli/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>

namespace weft::cli {

namespace {

const char* value_label(session::SettingType type) {
  switch (type) {
    case session::SettingType::Text:
      return "TEXT";
    case session::SettingType::Integer:
      return "N";
    case session::SettingType::Boolean:
      return "BOOL";
    case session::SettingType::Bytes:
      return "BYTES";
    case session::SettingType::Milliseconds:
      return "MS";
  }
  return "TEXT";
}

std::string flag_name(std::string_view setting) {
  std::string dashes(setting);
  std::replace(dashes.begin(), dashes.end(), '_', '-');
  return "--" + dashes;
}

std::string flag_names(std::string_view setting) {
  const std::string underscores = "--" + std::string(setting);
  const std::string dashes = flag_name(setting);
  return dashes == underscores ? dashes : dashes + "," + underscores;
}

}  // namespace

void add_common_options(CLI::App& app, CommonOptions& options) {
  app.add_option("--backend", options.backend,
                 "auto: a GPU if there is one; gpu: a GPU or an error; none; oracle: for tests")
      ->check(CLI::IsMember({"auto", "gpu", "none", "oracle"}))
      ->default_str("auto");
  for (const session::SettingInfo& setting : session::settings()) {
    const auto store = [&options, &setting](const std::string& value) {
      try {
        options.settings[std::string(setting.name)] = session::check_setting(setting, value);
      } catch (const Exception& error) {
        throw CLI::ValidationError(flag_name(setting.name), error.error().message);
      }
    };
    app.add_option_function<std::string>(flag_names(setting.name), store, std::string(setting.help))
        ->type_name(value_label(setting.type))
        ->group("Settings");
  }
}

session::OpenOptions open_options(const CommonOptions& options) {
  session::OpenOptions out;
  out.backend = options.backend;
  out.settings = options.settings;
  return out;
}

std::string error_text(const std::exception& error) {
  if (dynamic_cast<const Exception*>(&error) != nullptr) return error.what();
  return Error{ErrorCode::InternalError, error.what(), std::nullopt}.to_string();
}

}  // namespace weft::cli
