#include "sql/settings_policy.hpp"

#include <gtest/gtest.h>

#include "sql/fake_backend.hpp"

namespace weft::sql {
namespace {

using testing::Fixture;

TEST(SettingsPolicy, EverySettingOfDuckDbIsClassified) {
  Fixture fixture;
  const auto names = fixture.texts("SELECT name FROM duckdb_settings()");
  ASSERT_GT(names.size(), 100u);
  std::string missing;
  for (const auto& name : names) {
    if (!classify_setting(name)) missing += name + " ";
  }
  EXPECT_EQ(missing, "") << "look at what these settings change, then add them to settings_policy.cpp";
}

TEST(SettingsPolicy, AnUnknownSettingIsNotClassified) {
  EXPECT_FALSE(classify_setting("a_setting_of_the_future").has_value());
  EXPECT_EQ(classify_setting("weft_mode"), SettingClass::Neutral);
  EXPECT_EQ(classify_setting("ieee_floating_point_ops"), SettingClass::Refused);
  EXPECT_EQ(classify_setting("preserve_insertion_order"), SettingClass::Honoured);
}

class RefusedSetting : public ::testing::TestWithParam<const char*> {};

TEST_P(RefusedSetting, KeepsTheQueryOnTheCpu) {
  Fixture fixture;
  fixture.setup("CREATE TABLE t AS SELECT range AS i FROM range(10)");
  fixture.run("SELECT max(i * 2) FROM t");
  ASSERT_EQ(fixture.session->last_report().where, "gpu");
  fixture.run(std::string("SET ") + GetParam());
  fixture.run("SELECT max(i * 2) FROM t");
  const auto report = fixture.session->last_report();
  EXPECT_EQ(report.where, "cpu");
  ASSERT_EQ(report.refusals.size(), 1u);
  EXPECT_EQ(report.refusals[0].code, support::RefusalCode::UnsupportedSetting);
  fixture.session->set_mode(Mode::NativeRequired);
  EXPECT_EQ(fixture.error("SELECT max(i * 2) FROM t").code, ErrorCode::NotSupportedOnGpu);
}

INSTANTIATE_TEST_SUITE_P(All, RefusedSetting,
                         ::testing::Values("error_on_division_by_zero = false", "ieee_floating_point_ops = false",
                                           "default_collation = 'NOCASE'"));

}  // namespace
}  // namespace weft::sql
