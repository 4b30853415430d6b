#include "reports/merge.h"

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "reports/junit.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// Of a verify that found all in order.
ReportedRun Passing(const std::string& library, const std::string& sha256) {
  ReportedRun run;
  run.result.command = "verify";
  run.result.impl_name = library;
  run.result.impl_path = library;
  run.result.impl_sha256 = sha256;
  run.result.level = "exact";
  run.result.sections["invariants"] = {
      {{"id", "I1"}, {"name", "inserted slice"}, {"verdict", "holds"}, {"evidence", "12 calls"}}};
  run.result.sections["classes"] = {{"ring wrapped", 3}};
  return run;
}

ReportedRun WithExitCode(int exit_code) {
  ReportedRun run = Passing("a.so", "aa");
  run.result.exit_code = exit_code;
  return run;
}

std::string Line(const std::vector<ReportedRun>& runs) { return UpstreamLine(SubjectsOf(runs)); }

class ReadRunsTest : public ::testing::Test {
 protected:
  ReadRunsTest() {
    dir_ = (std::filesystem::temp_directory_path() / "lockstep_merge_XXXXXX").string();
    if (mkdtemp(dir_.data()) == nullptr) std::abort();
  }
  ~ReadRunsTest() override { std::filesystem::remove_all(dir_); }

  void Write(const std::string& name, const std::string& text) {
    std::ofstream(dir_ + "/" + name) << text;
  }

  std::string dir_;
};

TEST(Upstream, YesOnlyWhenAllPromisesWereChecked) {
  EXPECT_EQ(Line({Passing("a.so", "aa")}),
            "May this go upstream? Yes, because 1 promise holds (exact level).");
  ReportedRun partly = Passing("a.so", "aa");
  partly.result.sections["invariants"][0]["verdict"] = "not checked";
  EXPECT_THAT(Line({partly}), StartsWith("May this go upstream? Not shown, because"));
  ReportedRun unreached = Passing("a.so", "aa");
  unreached.result.sections["classes"]["run cut"] = 0;
  EXPECT_THAT(Line({unreached}), HasSubstr("Not shown, because 1 situation never reached"));
}

TEST(Upstream, RunsThatJudgeNothingShowNothing) {
  ReportedRun plan;
  plan.result.command = "plan x.json";
  EXPECT_THAT(Line({plan}), HasSubstr("Not shown, because no run here checks the promises"));
}

TEST(Upstream, WhatTheSoundLevelLeavesOutIsNoGap) {
  ReportedRun sound = Passing("a.so", "aa");
  sound.result.level = "sound";
  sound.result.sections["invariants"].push_back(
      {{"id", "I7"}, {"verdict", "not checked"}, {"evidence", "not part of the sound level"}});
  EXPECT_THAT(Line({sound}), HasSubstr("Yes, because 1 promise holds (sound level)"));
}

TEST(Upstream, BrokenPromisesAreNamedFirst) {
  ReportedRun broken = WithExitCode(kExitBrokenPromise);
  broken.result.sections["invariants"][0]["verdict"] = "broken";
  EXPECT_THAT(Line({WithExitCode(kExitSlower), broken}),
              HasSubstr("No, because verify: 1 of 1 promise broken (I1); verify: slower"));
}

TEST(Upstream, LibrariesGetNoCommonAnswer) {
  ReportedRun bad = Passing("b.so", "bb");
  bad.result.exit_code = kExitBrokenPromise;
  const std::string line = Line({Passing("a.so", "aa"), bad});
  EXPECT_THAT(line, HasSubstr("2 different libraries"));
  EXPECT_THAT(line, HasSubstr("a.so: Yes; b.so: No"));
}

TEST(Upstream, OneLibraryByTwoNamesIsOne) {
  EXPECT_EQ(SubjectsOf({Passing("a.so", "aa"), Passing("./a.so", "aa")}).size(), 1u);
  EXPECT_EQ(SubjectsOf({Passing("a.so", "aa"), Passing("a.so", "bb")}).size(), 2u);
}

TEST(Upstream, OurOwnCoreOfTwoCommitsIsTwo) {
  ReportedRun one = Passing("", "");
  one.result.impl_name = "lockstep core";
  one.result.commit = "c1";
  ReportedRun other = one;
  other.result.commit = "c2";
  EXPECT_EQ(SubjectsOf({one, other}).size(), 2u);
  EXPECT_EQ(SubjectsOf({one, one}).size(), 1u);
}

TEST(OverallExitCode, WorstFirst) {
  const std::vector<int> order = {4, 2, 1, 3, 5, 6, 0};
  for (size_t i = 0; i + 1 < order.size(); ++i) {
    EXPECT_EQ(OverallExitCode({WithExitCode(order[i + 1]), WithExitCode(order[i])}), order[i]);
    EXPECT_EQ(OverallExitCode({WithExitCode(order[i]), WithExitCode(order[i + 1])}), order[i]);
  }
}

TEST_F(ReadRunsTest, EmptyFolderIsOneClearLine) {
  const auto runs = ReadRuns({dir_});
  ASSERT_FALSE(runs.ok());
  EXPECT_THAT(std::string(runs.status().message()), HasSubstr(dir_ + ": holds no result.json"));
  EXPECT_THAT(std::string(runs.status().message()), Not(HasSubstr("\n")));
  EXPECT_FALSE(ReadRuns({dir_ + "/absent"}).ok());
}

TEST_F(ReadRunsTest, MalformedResultNamesTheFile) {
  Write("result.json", "{\"format_version\": 1,");
  const auto runs = ReadRuns({dir_});
  ASSERT_FALSE(runs.ok());
  EXPECT_THAT(std::string(runs.status().message()), HasSubstr("result.json: is not JSON"));
}

TEST_F(ReadRunsTest, StoriesAndBenchmarksBesideAreTakenIn) {
  Result result = Passing("a.so", "aa").result;
  result.sections["findings"] = {{{"check", "I1"}, {"folder", "gone/findings/f1"}}};
  ASSERT_TRUE(WriteResult(result, dir_).ok());
  std::filesystem::create_directories(dir_ + "/findings/f1");
  Write("findings/f1/story.txt", "1. insert\n");
  Write("bench.json", "{\"benchmarks\": []}");
  const auto runs = ReadRuns({dir_});
  ASSERT_TRUE(runs.ok()) << runs.status();
  EXPECT_EQ((*runs)[0].result.sections["findings"][0]["story"], "1. insert\n");
  EXPECT_EQ((*runs)[0].google_benchmark, "{\"benchmarks\": []}");
}

TEST(Junit, CountsAndEscapes) {
  ReportedRun run = WithExitCode(kExitBrokenPromise);
  run.result.command = "verify \"<&>\x01";
  run.result.sections["findings"] = {{{"check", "I1"}, {"what", "<b>"}, {"signature", "s"}}};
  const std::string xml = RenderJunit({run});
  EXPECT_THAT(xml, HasSubstr("tests=\"3\" failures=\"2\" errors=\"0\" skipped=\"0\""));
  EXPECT_THAT(xml, HasSubstr("name=\"verify &quot;&lt;&amp;&gt;\\x01\""));
  EXPECT_THAT(xml, Not(HasSubstr("<b>")));
}

TEST(MergedMarkdown, AnswersInItsFirstLine) {
  EXPECT_THAT(RenderMergedMarkdown({Passing("a.so", "aa")}),
              StartsWith("**May this go upstream? Yes, because 1 promise holds"));
}

}  // namespace
}  // namespace lockstep
