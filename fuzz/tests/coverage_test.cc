#include "fuzz/coverage.h"

#include "gtest/gtest.h"

namespace lockstep::fuzz {
namespace {

constexpr char kTracefile[] =
    "SF:/a/scope.cc\nDA:1,4\nDA:2,0\nBRDA:1,0,0,3\nBRDA:1,0,1,-\nBRDA:2,0,0,1\nend_of_record\n";
constexpr char kSource[] = "  if (a) {\n  b();\n";

CoverageFigures Compare(const std::string& exceptions) {
  const auto files = ReadTracefile(kTracefile);
  const auto read = ReadExceptions("list", exceptions);
  EXPECT_TRUE(files.ok() && read.ok());
  return CompareWithExceptions(*files, *read, {{"/a/scope.cc", kSource}});
}

TEST(Coverage, ABranchNotTakenIsMissed) {
  const CoverageFigures figures = Compare("");
  EXPECT_EQ(figures.lines, 2);
  EXPECT_EQ(figures.lines_run, 1);
  EXPECT_EQ(figures.branches, 3);
  EXPECT_EQ(figures.branches_taken, 2);
  EXPECT_EQ(figures.missed, std::vector<std::string>{"scope.cc:1: if (a) {"});
}

TEST(Coverage, AnExceptionExcusesItsLineOnly) {
  const CoverageFigures figures = Compare("# why\nscope.cc | if (a) { | no memory is needed\n");
  EXPECT_TRUE(figures.missed.empty());
  EXPECT_TRUE(figures.stale.empty());
}

TEST(Coverage, AnExceptionForWhatIsCoveredOrGoneIsStale) {
  EXPECT_EQ(Compare("scope.cc | if (a) { | x\nscope.cc | b(); | x\n").stale.size(), 1);
  EXPECT_EQ(Compare("other.cc | if (a) { | x\n").stale.size(), 1);
}

TEST(Coverage, WhatIsTakenByChanceIsNeverStale) {
  EXPECT_TRUE(Compare("scope.cc | b(); | by chance: an address\n").stale.empty());
  EXPECT_TRUE(Compare("scope.cc | if (a) { | by chance: an address\n").missed.empty());
}

TEST(Coverage, AnExceptionWithoutAReasonIsRefusedAtItsLine) {
  const auto read = ReadExceptions("list", "# a\nscope.cc | if (a) {\n");
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.status().message().substr(0, 7), "list:2:");
}

TEST(Coverage, WhatIsNoTracefileIsRefused) { EXPECT_FALSE(ReadTracefile("DA:1,2\n").ok()); }

}  // namespace
}  // namespace lockstep::fuzz
