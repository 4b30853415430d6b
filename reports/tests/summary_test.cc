#include "reports/summary.h"

#include <string>

#include "gtest/gtest.h"
#include "reports/text.h"

namespace lockstep {
namespace {

using Json = nlohmann::ordered_json;

Result SomeResult() {
  Result result;
  result.command = "verify --seconds 5";
  result.impl_name = "lockstep core";
  result.level = "exact";
  result.machine = "a processor";
  result.started = "2001-02-03T04:05:06Z";
  result.seconds = 5.04;
  result.seed = 18446744073709551615u;
  result.sections["invariants"] = {
      {{"id", "I1"}, {"name", "inserted slice"}, {"verdict", "holds"}, {"evidence", "12 calls"}},
      {{"id", "I2"}, {"name", "scope"}, {"verdict", "not checked"}, {"evidence", ""}}};
  return result;
}

Result BrokenResult() {
  Result result = SomeResult();
  result.exit_code = kExitBrokenPromise;
  result.impl_path = "my lib.so";
  result.sections["invariants"][1]["verdict"] = "broken";
  result.sections["findings"] = {{{"check", "I2"},
                                  {"what", "a token of another scope"},
                                  {"found_by", "isolation"},
                                  {"signature", "I2 draft"},
                                  {"transcript", "out/finding.jsonl"},
                                  {"ops", 4},
                                  {"tokens", 1234}}};
  result.sections["classes"] = {{"ring wrapped", 1234567}, {"run cut", 0}};
  return result;
}

TEST(TerminalSummary, PassIsReadAtAGlance) {
  EXPECT_EQ(RenderTerminal(SomeResult(), false),
            "PASS: lockstep core, exact level: 1 promise holds; 1 not checked\n"
            "verify --seconds 5; 5.0 s, seed 18446744073709551615\n"
            "\n"
            "  I1  inserted slice  holds        12 calls\n"
            "  I2  scope           not checked\n");
}

TEST(TerminalSummary, FindingsSayHowToSeeThemAgain) {
  EXPECT_EQ(RenderTerminal(BrokenResult(), false),
            "BROKEN PROMISE: my lib.so, exact level: 1 of 2 promises broken: I2\n"
            "verify --seconds 5; 5.0 s, seed 18446744073709551615\n"
            "\n"
            "  I1  inserted slice  holds   12 calls\n"
            "  I2  scope           broken\n"
            "\n"
            "Findings\n"
            "  1. I2: a token of another scope\n"
            "     found by isolation; 4 operations, 1,234 tokens\n"
            "     ./lockstep verify --impl 'my lib.so' --transcript out/finding.jsonl\n"
            "     ./lockstep explain out/finding.jsonl --impl 'my lib.so'\n"
            "\n"
            "Situations\n"
            "  1,234,567  ring wrapped  0  run cut\n"
            "  never reached: run cut\n");
}

TEST(TerminalSummary, ColourAddsNothingButColour) {
  std::string painted = RenderTerminal(BrokenResult(), true);
  EXPECT_NE(painted.find("\x1b[1;31m"), std::string::npos);
  for (const std::string code : {"\x1b[1;31m", "\x1b[32m", "\x1b[0m"}) {
    for (size_t at; (at = painted.find(code)) != std::string::npos;) painted.erase(at, code.size());
  }
  EXPECT_EQ(painted, RenderTerminal(BrokenResult(), false));
}

TEST(TerminalSummary, ForeignTextsCannotSteerTheTerminal) {
  Result result = BrokenResult();
  result.impl_path = "a\x1b[2Jb\nPASS";
  result.sections["findings"][0]["what"] = "x\r\x07\xc2\x9by";
  result.sections["classes"] = {{"\x1b]0;t", 1}};
  const std::string text = RenderTerminal(result, false);
  for (const char control : {'\x1b', '\r', '\x07'}) {
    EXPECT_EQ(text.find(control), std::string::npos);
  }
  EXPECT_EQ(text.find("\nPASS"), std::string::npos);
  EXPECT_NE(text.find("a\\x1b[2Jb\\x0aPASS"), std::string::npos) << text;
}

TEST(TerminalSummary, MembersOfAnotherTypeAreShown) {
  Result result = SomeResult();
  result.sections["invariants"] = {{{"id", 1}, {"evidence", Json::array({2})}}};
  result.sections["findings"] = {Json::object()};
  EXPECT_NE(RenderTerminal(result, true).find("[2]"), std::string::npos);
  EXPECT_NE(RenderMarkdown(result).find("\\[2\\]"), std::string::npos);
}

TEST(TerminalSummary, ManySituationsFillColumnsOfAtMostAHundred) {
  Result result;
  for (int i = 0; i < 40; ++i) result.sections["classes"]["situation " + std::to_string(i)] = i + 1;
  const std::string text = RenderTerminal(result, false);
  EXPECT_NE(text.find("   1  situation 0  11  situation 10  21  situation 20  31  situation 30\n"),
            std::string::npos)
      << text;
}

TEST(MarkdownSummary, TablesAndCommandsAreWhole) {
  EXPECT_EQ(RenderMarkdown(BrokenResult()),
            "# BROKEN PROMISE: my lib.so, exact level: 1 of 2 promises broken: I2\n"
            "\n"
            "verify --seconds 5; 5.0 s, seed 18446744073709551615  \n"
            "a processor, started 2001-02-03T04:05:06Z\n"
            "\n"
            "| | promise | verdict | evidence |\n"
            "|---|---|---|---|\n"
            "| I1 | inserted slice | holds | 12 calls |\n"
            "| I2 | scope | **broken** |  |\n"
            "\n"
            "## Findings\n"
            "\n"
            "**1.** I2: a token of another scope  \n"
            "found by isolation; 4 operations, 1,234 tokens\n"
            "\n"
            "    ./lockstep verify --impl 'my lib.so' --transcript out/finding.jsonl\n"
            "    ./lockstep explain out/finding.jsonl --impl 'my lib.so'\n"
            "\n"
            "\n"
            "## Situations\n"
            "\n"
            "| situation | occurred |\n"
            "|---|--:|\n"
            "| ring wrapped | 1,234,567 |\n"
            "| run cut | 0 |\n"
            "\n"
            "**never reached: run cut**\n");
}

TEST(MarkdownSummary, ForeignTextsAreNoMarkup) {
  Result result = BrokenResult();
  result.impl_path = "<script>|`x`\n# [a](http://b) @c *d* _e_";
  result.sections["findings"][0]["transcript"] = "`\n# x";
  const std::string text = RenderMarkdown(result);
  EXPECT_NE(text.find("&lt;script&gt;\\|\\`x\\`\\\\x0a\\# \\[a\\](http&#58;//b) &#64;c \\*d\\* "
                      "\\_e\\_"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("\n# x"), std::string::npos) << text;
}

TEST(MarkdownSummary, UnderscoresWithinWordsStayReadable) {
  EXPECT_EQ(EscapeMarkdown("x86_64 _a_ a_"), "x86_64 \\_a\\_ a\\_");
}

TEST(TerminalSummary, CommitWithChangesIsSaidToHaveThem) {
  Result result = SomeResult();
  result.commit = std::string(40, 'a') + "-dirty";
  EXPECT_NE(RenderTerminal(result, false).find(", commit aaaaaaaaaaaa and changes\n"),
            std::string::npos);
}

TEST(PrintableLine, KeepsTextAndShowsWhatIsNone) {
  EXPECT_EQ(PrintableLine("Grüße, 世界 😀"), "Grüße, 世界 😀");
  EXPECT_EQ(PrintableLine("\xff"), "\\xff");
  EXPECT_EQ(PrintableLine("\xe4\xb8"), "\\xe4\\xb8");                    // cut short
  EXPECT_EQ(PrintableLine("\xc0\xaf"), "\\xc0\\xaf");                    // overlong
  EXPECT_EQ(PrintableLine("\xe0\x80\xaf"), "\\xe0\\x80\\xaf");           // overlong
  EXPECT_EQ(PrintableLine("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // a surrogate
  EXPECT_EQ(PrintableLine("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond the last
  EXPECT_EQ(PrintableLine("a\u202eb"), "a\\xe2\\x80\\xaeb");             // right to left
  EXPECT_EQ(PrintableLine(std::string_view("\0\t\x7f", 3)), "\\x00\\x09\\x7f");
}

TEST(ShellWord, QuotesOnlyWhatNeedsIt) {
  EXPECT_EQ(ShellWord("out/a-b_c.jsonl"), "out/a-b_c.jsonl");
  EXPECT_EQ(ShellWord(""), "''");
  EXPECT_EQ(ShellWord("a b"), "'a b'");
  EXPECT_EQ(ShellWord("it's $(x)"), "'it'\\''s $(x)'");
}

TEST(CommandLine, CanBeTypedAgain) {
  const char* const argv[] = {"program", "--impl", "my lib.so", "--json"};
  EXPECT_EQ(CommandLine("verify", 4, argv), "verify --impl 'my lib.so' --json");
  EXPECT_EQ(CommandLine("verify", 1, argv), "verify");
}

TEST(WithThousands, GroupsByThree) {
  EXPECT_EQ(WithThousands(0), "0");
  EXPECT_EQ(WithThousands(999), "999");
  EXPECT_EQ(WithThousands(1000), "1,000");
  EXPECT_EQ(WithThousands(18446744073709551615u), "18,446,744,073,709,551,615");
}

TEST(TextTable, ColumnsLineUpByCodePoint) {
  TextTable table({TextTable::Align::kLeft, TextTable::Align::kRight});
  table.AddRow({"ü", "1", "x"});
  table.AddRow({"abc", "1,000"});
  EXPECT_EQ(table.Render(" "), " ü        1  x\n abc  1,000\n");
}

}  // namespace
}  // namespace lockstep
