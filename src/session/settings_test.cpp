#include "session/settings.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "base/error.hpp"

namespace weft::session {
namespace {

TEST(Settings, SizesAcceptUnits) {
  EXPECT_EQ(parse_bytes("1000"), 1000U);
  EXPECT_EQ(parse_bytes("8GB"), 8000000000U);
  EXPECT_EQ(parse_bytes("512MiB"), 512U << 20);
  EXPECT_EQ(parse_bytes(" 1.5 gb "), 1500000000U);
  EXPECT_EQ(parse_bytes("0"), 0U);
  for (const char* wrong : {"", "GB", "-1", "8 apples", "1e3", "99999999999TB", "1.2.3MB"}) {
    EXPECT_FALSE(parse_bytes(wrong)) << wrong;
  }
}

TEST(Settings, ValuesBecomeCanonical) {
  EXPECT_EQ(check_setting(*find_setting("mode"), " Native_Required "), "native_required");
  EXPECT_EQ(check_setting(*find_setting("memory_limit_bytes"), "1GiB"), "1073741824");
  EXPECT_EQ(check_setting(*find_setting("force_spill"), "ON"), "true");
  EXPECT_EQ(check_setting(*find_setting("workers"), "007"), "7");
}

TEST(Settings, WrongValuesNameSettingValueAndChoices) {
  try {
    check_setting(*find_setting("mode"), "fast");
    FAIL() << "accepted";
  } catch (const Exception& e) {
    EXPECT_EQ(e.code(), ErrorCode::InvalidInput);
    EXPECT_EQ(e.error().message,
              "the setting weft_mode does not take 'fast': it is auto, native_required or functions_only");
  }
  EXPECT_THROW(check_setting(*find_setting("workers"), "-1"), Exception);
  EXPECT_THROW(check_setting(*find_setting("force_spill"), "perhaps"), Exception);
  EXPECT_THROW(check_setting(*find_setting("batch_bytes"), "big"), Exception);
}

TEST(Settings, FlagsWinOverTheEnvironmentAndThatOverTheDefault) {
  const SettingInfo& mode = *find_setting("mode");
  EXPECT_EQ(starting_value(mode, {}), "auto");
  setenv("WEFT_MODE", "functions_only", 1);
  EXPECT_EQ(starting_value(mode, {}), "functions_only");
  EXPECT_EQ(starting_value(mode, {{"mode", "native_required"}}), "native_required");
  setenv("WEFT_MODE", "wrong", 1);
  try {
    starting_value(mode, {});
    ADD_FAILURE() << "accepted";
  } catch (const Exception& e) {
    EXPECT_NE(e.error().message.find("WEFT_MODE"), std::string::npos);
  }
  unsetenv("WEFT_MODE");
}

TEST(Settings, TheRegistryIsSound) {
  std::set<std::string_view> names;
  for (const auto& setting : settings()) {
    EXPECT_TRUE(names.insert(setting.name).second) << setting.name;
    EXPECT_FALSE(setting.help.empty()) << setting.name;
    EXPECT_EQ(setting.help.back(), '.') << setting.name;
    EXPECT_NO_THROW(check_setting(setting, setting.default_value)) << setting.name;
    EXPECT_EQ(setting.type == SettingType::Bytes, setting.name.ends_with("_bytes")) << setting.name;
    EXPECT_EQ(setting.type == SettingType::Milliseconds, setting.name.ends_with("_ms")) << setting.name;
  }
  EXPECT_EQ(find_setting("no_such_setting"), nullptr);
}

TEST(Settings, TheDocumentIsCurrent) {
  const std::string path = std::string(WEFT_SOURCE_DIR) + "/docs/settings.md";
  if (std::getenv("WEFT_UPDATE_DOCS") != nullptr) std::ofstream(path) << settings_document();
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  EXPECT_EQ(text.str(), settings_document()) << "run this test with WEFT_UPDATE_DOCS=1 to rewrite docs/settings.md";
}

}  // namespace
}  // namespace weft::session
