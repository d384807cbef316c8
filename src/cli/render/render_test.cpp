#include <gtest/gtest.h>

#include "cli/progress_bar.hpp"
#include "cli/render/display_width.hpp"
#include "cli/render/renderer.hpp"
#include "cli/render/type_label.hpp"

namespace weft::cli {
namespace {

TEST(OutputMode, NamesReadBack) {
  for (OutputMode mode : {OutputMode::Box, OutputMode::Csv, OutputMode::Json, OutputMode::Markdown, OutputMode::Line}) {
    EXPECT_EQ(find_output_mode(to_string(mode)), mode);
    EXPECT_NE(output_modes().find(to_string(mode)), std::string::npos);
  }
  EXPECT_FALSE(find_output_mode("xml").has_value());
}

TEST(TypeLabel, IsThatOfDuckDbsShell) {
  EXPECT_EQ(type_label(plan::Type::of(plan::TypeId::BigInt)), "int64");
  EXPECT_EQ(type_label(plan::Type::of(plan::TypeId::UTinyInt)), "uint8");
  EXPECT_EQ(type_label(plan::Type::decimal(15, 2)), "decimal(15,2)");
  EXPECT_EQ(type_label(plan::Type{plan::TypeId::Unsupported, 0, 0, "HUGEINT[][]"}), "int128[][]");
}

TEST(DisplayWidth, NeverCutsACharacter) {
  EXPECT_EQ(cut_to_width("aéb", 2), "aé");
  EXPECT_EQ(cut_to_width("abc", 9), "abc");
  EXPECT_EQ(display_width("a\xFF"
                          "b"),
            3u);
  EXPECT_EQ(on_one_line("a\nb\t\x1b"), "a\\nb\\t\\x1b");
}

TEST(ProgressText, ShowsShareOrOnlyTime) {
  EXPECT_NE(progress_text(0.5, 2.2).find(" 50 %"), std::string::npos);
  EXPECT_NE(progress_text(7, 1).find("100 %"), std::string::npos);
  EXPECT_EQ(progress_text(-1, 3), "running, 3 s (Ctrl-C cancels)");
}

}  // namespace
}  // namespace weft::cli
