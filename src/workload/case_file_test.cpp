#include "workload/case_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.hpp"

namespace weft::workload {
namespace {

TEST(CaseFile, BlocksAreReadInOrder) {
  const CaseFile file = parse_case_file("a.sql",
                                        "-- kind: things\n"
                                        "-- case: first one\n"
                                        "CREATE TABLE t(a INT);\n"
                                        "-- a remark\n"
                                        "INSERT INTO t VALUES (1);\n"
                                        "-- query\n"
                                        "SELECT a\n"
                                        "FROM t;\n"
                                        "-- setup\n"
                                        "DELETE FROM t;\n"
                                        "-- error: Table with name u does not exist\n"
                                        "SELECT * FROM u;\n"
                                        "-- case: second\n"
                                        "-- query\n"
                                        "SELECT 1;\n");
  EXPECT_EQ(file.kind, "things");
  ASSERT_EQ(file.cases.size(), 2U);
  EXPECT_EQ(file.cases[0].name, "first one");
  const auto& blocks = file.cases[0].blocks;
  ASSERT_EQ(blocks.size(), 4U);
  EXPECT_EQ(blocks[0].kind, CaseBlock::Kind::Setup);
  EXPECT_NE(blocks[0].sql.find("INSERT"), std::string::npos);
  EXPECT_EQ(blocks[1].kind, CaseBlock::Kind::Query);
  EXPECT_EQ(blocks[1].line, 7U);
  EXPECT_EQ(blocks[1].sql, "SELECT a\nFROM t;\n");
  EXPECT_EQ(blocks[2].kind, CaseBlock::Kind::Setup);
  EXPECT_EQ(blocks[3].kind, CaseBlock::Kind::Error);
  EXPECT_EQ(blocks[3].error, "Table with name u does not exist");
  ASSERT_EQ(file.cases[1].blocks.size(), 1U);
}

TEST(CaseFile, MistakesNameTheLine) {
  const auto message = [](const std::string& text) -> std::string {
    try {
      parse_case_file("a.sql", text);
    } catch (const Exception& e) {
      return e.error().message;
    }
    return "";
  };
  EXPECT_EQ(message("SELECT 1;\n"), "a.sql:1: a statement before the first '-- case: name'");
  EXPECT_EQ(message("-- case: a\n-- error:\nSELECT 1;\n"),
            "a.sql:2: -- error: needs the text that the message must contain");
  EXPECT_EQ(message("-- case: a\n-- query\n-- query\nSELECT 1;\n"), "a.sql:3: the block at line 2 is empty");
  EXPECT_NE(message("").find("no '-- case: name'"), std::string::npos);
}

TEST(CaseFile, EveryCommittedFileIsReadWhole) {
  size_t files = 0;
  size_t cases = 0;
  size_t compared = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(WEFT_SOURCE_DIR) + "/tests/sql")) {
    if (entry.path().extension() != ".sql") continue;
    const CaseFile file = read_case_file(entry.path().string());
    EXPECT_FALSE(file.kind.empty()) << file.path;
    ++files;
    cases += file.cases.size();
    for (const auto& one : file.cases) {
      for (const auto& block : one.blocks) compared += block.kind == CaseBlock::Kind::Setup ? 0 : 1;
    }
  }
  EXPECT_GE(files, 27U);
  EXPECT_GE(cases, 185U);
  EXPECT_GE(compared, 862U);
}

}  // namespace
}  // namespace weft::workload
