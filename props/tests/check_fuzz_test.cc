// What a short run of a fuzz target leaves behind: the seeds stay as they are, and a program that
// fails, or writes an input that does, is a finding.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "props/harness/check.h"
#include "props/tests/run_program.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

// Stands for a libFuzzer program: it writes an input to the first folder of its command line, as
// libFuzzer does, then does what `ending` says.
std::string FakeTarget(const TemporaryFolder& folder, const std::string& ending) {
  const std::string path =
      folder.Write("target",
                   "#!/bin/bash\n"
                   "for word; do\n"
                   "  case $word in -artifact_prefix=*) prefix=${word#*=};; esac\n"
                   "  [[ -d $word && -z ${first:-} ]] && first=$word\n"
                   "done\n"
                   "echo input >\"$first/learned\"\n"
                   "echo 'stat::number_of_executed_units: 1234'\n" +
                       ending + "\n");
  fs::permissions(path, fs::perms::owner_all);
  return path;
}

CheckReport RunFake(const TemporaryFolder& folder, const std::string& ending) {
  fs::create_directories(folder / "seeds");
  fs::create_directories(folder / "out");
  CheckContext context;
  context.deadline = absl::Now() + absl::Seconds(1);
  const auto check = MakeFuzzCheck(FakeTarget(folder, ending), folder / "seeds", folder / "out");
  absl::StatusOr<CheckReport> report = check->Run(context);
  EXPECT_TRUE(report.ok()) << report.status();
  return report.ok() ? *std::move(report) : CheckReport();
}

TEST(FuzzCheck, LeavesTheSeedsAsTheyAre) {
  const TemporaryFolder folder;
  const CheckReport report = RunFake(folder, "exit 0");
  EXPECT_TRUE(report.failures.empty());
  EXPECT_EQ(report.operations, 1234);
  EXPECT_TRUE(fs::is_empty(folder / "seeds"));
  EXPECT_TRUE(fs::exists(folder / "out/fuzz-corpus/learned"));
}

TEST(FuzzCheck, ReportsTheInputThatFails) {
  const TemporaryFolder folder;
  const CheckReport report = RunFake(folder, "echo >\"${prefix}crash-1\"; exit 77");
  ASSERT_EQ(report.failures.size(), 1);
  EXPECT_THAT(report.failures.front().finding.what, testing::HasSubstr("fuzz-crash-1"));
}

TEST(FuzzCheck, ReportsAProgramThatFailsWithoutAnInput) {
  const TemporaryFolder folder;
  const CheckReport report = RunFake(folder, "exit 1");
  ASSERT_EQ(report.failures.size(), 1);
  EXPECT_THAT(report.failures.front().finding.what, testing::HasSubstr("failed; see"));
}

}  // namespace
}  // namespace lockstep
