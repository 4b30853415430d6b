#include "fuzz/corpus.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "absl/time/clock.h"
#include "fuzz/corpus_figures.h"
#include "gtest/gtest.h"

namespace lockstep::fuzz {
namespace {

namespace fs = std::filesystem;

// A corpus of ten inputs, and a shell script in place of a target: `merge` is what it does to the
// folder $2, `coverage` what it prints of the folder $5.
class MergeTest : public testing::Test {
 protected:
  MergeTest() : root_(testing::TempDir() + "/corpus_test_" + std::to_string(getpid())) {
    fs::remove_all(root_);
    options_ = {.targets = {target_},
                .time = absl::Minutes(1),
                .impl = {},
                .programs = root_,
                .explain = {},
                .seeds = root_ + "/seeds",
                .corpus = root_ + "/grown",
                .out = root_ + "/out"};
    fs::create_directories(root_ + "/out/logs");
    fs::create_directories(root_ + "/seeds/plans");
    std::ofstream(root_ + "/seeds/plans/a") << "a";
    EXPECT_TRUE(OpenCorpus(options_, target_).ok());
    for (int i = 0; i < 10; ++i) std::ofstream(Grown() + "/" + std::to_string(i)) << i;
  }

  std::string Grown() const { return root_ + "/grown/plans"; }

  void WriteTarget(const std::string& merge, const std::string& coverage) {
    const std::string path = root_ + "/fuzz_plans";
    std::ofstream(path) << "#!/bin/sh\n"
                        << "for last; do :; done\n"
                        << "case $3 in\n-merge=1) " << merge << " ;;\n"
                        << "-runs=0) " << coverage << " ;;\nesac\n";
    chmod(path.c_str(), 0755);
  }

  MergeOutcome Merge(absl::Duration time = absl::Seconds(20)) {
    return MergeCorpus(options_, target_, absl::Now() + time);
  }

  Target target_ = {.name = "plans"};
  std::string root_;
  NightOptions options_;
};

constexpr char kKeepSix[] = "for i in 1 2 3 4 5 6; do cp $last/$i $4/; done";
constexpr char kSame[] = "echo '#1 INITED cov: 7 ft: 9 corp: 1/1b exec/s: 0'";

TEST_F(MergeTest, ReplacesTheCorpusWhenCoverageIsTheSame) {
  WriteTarget(kKeepSix, kSame);
  EXPECT_EQ(Merge().why_not, "");
  EXPECT_EQ(CountFiles(Grown()), 6);
}

TEST_F(MergeTest, LeavesACorpusThatWouldLoseCoverage) {
  WriteTarget(kKeepSix, "echo \"#1 INITED cov: $(ls $last | wc -l) ft: 9 corp: 1/1b exec/s: 0\"");
  EXPECT_TRUE(Merge().refused);
  EXPECT_EQ(CountFiles(Grown()), 10);
}

TEST_F(MergeTest, AMergedCorpusShrinksByMoreThanAFifthOnlyWhenAccepted) {
  WriteTarget("for i in 0 1 2 3 4 5 6 7 8 9; do cp $last/$i $4/; done", kSame);
  ASSERT_EQ(Merge().why_not, "");
  WriteTarget("for i in $(ls $last | head -n 6); do cp $last/$i $4/; done", kSame);
  EXPECT_TRUE(Merge().refused);
  EXPECT_EQ(CountFiles(Grown()), 10);
  options_.accept = true;
  EXPECT_EQ(Merge().why_not, "");
  EXPECT_EQ(CountFiles(Grown()), 6);
}

TEST_F(MergeTest, EndsByItsDeadlineAndLeavesTheCorpus) {
  WriteTarget("exec sleep 30", kSame);
  const absl::Time start = absl::Now();
  EXPECT_NE(Merge(absl::Milliseconds(300)).why_not, "");
  EXPECT_LT(absl::Now() - start, absl::Seconds(10));
  EXPECT_EQ(CountFiles(Grown()), 10);
}

TEST_F(MergeTest, AnInterruptedRenameIsMended) {
  fs::rename(Grown(), Grown() + ".before");
  EXPECT_TRUE(OpenCorpus(options_, target_).ok());
  EXPECT_EQ(CountFiles(Grown()), 10);
}

TEST_F(MergeTest, EmptySeedsAndACorpusThatLostItsInputsFail) {
  WriteTarget(kKeepSix, kSame);
  ASSERT_EQ(Merge().why_not, "");
  for (const std::string& file : FilesIn(Grown())) fs::remove(file);
  EXPECT_FALSE(OpenCorpus(options_, target_).ok());
  fs::remove(root_ + "/seeds/plans/a");
  EXPECT_FALSE(OpenCorpus(options_, target_).ok());
}

TEST(NameOf, SaysWhatTheInputShows) {
  EXPECT_EQ(NameOf(false, "{\"plan\": 1}").substr(0, 15), "11_bytes_plan_1");
  EXPECT_EQ(NameOf(true, "").substr(0, 10), "configured");
}

// A model without a ring would never come to an end of it.
TEST(NameOf, ARefusedConfigurationIsNamedWithoutRunningIt) {
  const auto number = [](uint64_t value) {
    std::string bytes = "\xf0";
    for (int i = 0; i < 8; ++i) bytes += static_cast<char>(value >> (8 * i));
    return bytes;
  };
  const std::string calls("\0\0\xc1\3\xff\0\4\0\0\0\0\0\0", 13);
  const std::string start("\1\0", 2);
  const std::string no_scopes = start + number(0) + number(6144) + '\0' + '\0' + calls;
  const std::string no_room = start + number(4) + number(100) + '\0' + '\0' + calls;
  const std::string no_key = start + number(1) + number(6144) + number(0) + '\0' + calls;
  // As long as the ring: it may be refused.
  const std::string long_key = start + number(1) + number(6144) + number(1024) + '\0' + calls;
  for (const std::string& bytes : {no_scopes, no_room, no_key, long_key}) {
    EXPECT_EQ(NameOf(true, bytes).substr(0, 22), "configuration_refused_");
  }
}

}  // namespace
}  // namespace lockstep::fuzz
