#include "cli/statement_reader.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace weft::cli {
namespace {

std::vector<std::string> cut(const std::string& text) {
  StatementReader reader;
  reader.append(text);
  std::vector<std::string> out;
  while (auto statement = reader.next()) out.push_back(*statement);
  if (std::string rest = reader.take_rest(); !rest.empty()) out.push_back("rest:" + rest);
  return out;
}

using Statements = std::vector<std::string>;

TEST(StatementReader, CutsAtSemicolons) {
  EXPECT_EQ(cut("SELECT 1; SELECT\n2;\n SELECT 3"), (Statements{"SELECT 1;", "SELECT\n2;", "rest:SELECT 3"}));
}

TEST(StatementReader, SemicolonsInTextDoNotCut) {
  EXPECT_EQ(cut("SELECT ';''; ';"), (Statements{"SELECT ';''; ';"}));
  EXPECT_EQ(cut("SELECT \"a;\"\"b\";"), (Statements{"SELECT \"a;\"\"b\";"}));
  EXPECT_EQ(cut("SELECT E'\\';' ;"), (Statements{"SELECT E'\\';' ;"}));
  EXPECT_EQ(cut("SELECT $$a;b$$;SELECT $x$ $$;$x$;"), (Statements{"SELECT $$a;b$$;", "SELECT $x$ $$;$x$;"}));
}

TEST(StatementReader, ABackslashIsPlainInAnOrdinaryString) {
  EXPECT_EQ(cut("SELECT '\\'; SELECT 2;"), (Statements{"SELECT '\\';", "SELECT 2;"}));
  EXPECT_EQ(cut("SELECT name'\\'; SELECT 2;"), (Statements{"SELECT name'\\';", "SELECT 2;"}));
}

TEST(StatementReader, ParametersAreNoDollarQuotes) {
  EXPECT_EQ(cut("EXECUTE q($1, $2); SELECT $1$;"), (Statements{"EXECUTE q($1, $2);", "SELECT $1$;"}));
}

TEST(StatementReader, CommentsAreNoStatements) {
  EXPECT_EQ(cut("-- a; b\n/* c; /* d; */ e; */ SELECT 1 - 1; -- end;"),
            (Statements{"-- a; b\n/* c; /* d; */ e; */ SELECT 1 - 1;"}));
  EXPECT_EQ(cut("-- nothing\n"), Statements{});
}

TEST(StatementReader, TextMayArriveInAnyPieces) {
  const std::string text = "SELECT $tag$;$tag$ /* ; */, E'\\';', ';' -- ;\n; SELECT 2;";
  const Statements whole = cut(text);
  ASSERT_EQ(whole.size(), 2u);
  for (size_t first = 0; first <= text.size(); ++first) {
    StatementReader reader;
    Statements out;
    for (const std::string& piece : {text.substr(0, first), text.substr(first)}) {
      // Lines are what arrives: a piece may cut a word but never a two-character token.
      reader.append(piece);
      if (piece.ends_with('/') || piece.ends_with('-') || piece.ends_with("$tag") || piece.ends_with("$ta") ||
          piece.ends_with("$t") || piece.ends_with('$')) {
        continue;
      }
      while (auto statement = reader.next()) out.push_back(*statement);
    }
    while (auto statement = reader.next()) out.push_back(*statement);
    EXPECT_EQ(out, whole) << first;
  }
}

TEST(StatementReader, IdleTellsWhetherADotCommandMayStart) {
  StatementReader reader;
  EXPECT_TRUE(reader.idle());
  reader.append("  -- comment\n");
  EXPECT_FALSE(reader.next().has_value());
  EXPECT_TRUE(reader.idle());
  reader.append("SELECT\n");
  EXPECT_FALSE(reader.next().has_value());
  EXPECT_FALSE(reader.idle());
  reader.clear();
  reader.append("/* open\n");
  EXPECT_FALSE(reader.next().has_value());
  EXPECT_FALSE(reader.idle());
  reader.append("*/ SELECT 1;\n");
  EXPECT_EQ(reader.next(), "/* open\n*/ SELECT 1;");
}

}  // namespace
}  // namespace weft::cli
