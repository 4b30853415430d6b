#include "bench/gate/decision.h"

#include <cmath>
#include <random>

#include "bench/gate/revisions.h"
#include "gtest/gtest.h"

namespace lockstep::gate {
namespace {

// `count` values around `ratio`, `spread` to either side.
std::vector<double> Around(double ratio, double spread, int count = kFirstProcesses) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i) {
    values.push_back(std::log1p(ratio) + spread * (2.0 * i / (count - 1) - 1));
  }
  return values;
}

TimeDecision Decide(const std::vector<double>& values) {
  return DecideByTime({{"w", values}}, kAlpha).at("w");
}

TEST(DecideByTime, ThreePercentIsSlowerAndHalfAPercentIsNot) {
  EXPECT_TRUE(Decide(Around(0.03, 0.01)).slower);
  EXPECT_FALSE(Decide(Around(0.005, 0.01)).slower);
  EXPECT_FALSE(Decide(Around(0.005, 0.01)).unclear);
  EXPECT_TRUE(Decide(Around(-0.03, 0.01)).faster);
}

TEST(DecideByTime, SignificantBelowTheLimitIsNotSlower) {
  const TimeDecision d = Decide(Around(0.010, 0.001));
  EXPECT_LT(d.p_slower, 0.001);
  EXPECT_FALSE(d.slower);
  EXPECT_FALSE(d.unclear);
}

TEST(DecideByTime, AHighMedianWithoutSignificanceIsUnclear) {
  EXPECT_TRUE(Decide(Around(0.018, 0.2)).unclear);
}

// Values shaped like those of real processes: most within half a percent, some far off.
TEST(DecideByTime, ResampledEqualLibrariesAreNotFlaggedAndThreePercentIsFound) {
  std::mt19937 random(7);
  std::normal_distribution<double> narrow(0, 0.006);
  std::normal_distribution<double> wide(0, 0.03);
  constexpr int kGates = 1000;
  int false_alarms = 0;
  int found = 0;
  for (int gate = 0; gate < kGates; ++gate) {
    LogRatios equal;
    for (const char* name : {"a", "b", "c", "d", "e", "f"}) {
      for (int i = 0; i < kFirstProcesses; ++i) {
        equal[name].push_back(random() % 10 == 0 ? wide(random) : narrow(random));
      }
    }
    LogRatios slower = equal;
    for (double& value : slower["c"]) value += std::log1p(0.03);
    for (const auto& [name, d] : DecideByTime(equal, kAlpha)) false_alarms += d.slower ? 1 : 0;
    found += DecideByTime(slower, kAlpha).at("c").slower ? 1 : 0;
  }
  EXPECT_EQ(false_alarms, 0);
  EXPECT_GE(found, kGates * 99 / 100);
}

TEST(Combine, WitnessesAgreeOrAreAskedAgain) {
  const TimeDecision slower = {.slower = true};
  const TimeDecision same = {};
  const TimeDecision faster = {.faster = true};
  EXPECT_EQ(Combine(slower, 0.02, {}), Verdict::kSlower);
  EXPECT_TRUE(TimeAlone(slower, 0.0));
  EXPECT_FALSE(TimeAlone(slower, 0.02));
  EXPECT_EQ(Combine(slower, 0.0, true), Verdict::kSlower);
  EXPECT_EQ(Combine(slower, 0.0, false), Verdict::kSame);
  EXPECT_EQ(Combine(same, 0.02, {}), Verdict::kSame);
  EXPECT_EQ(Combine(same, 0.04, {}), Verdict::kSlower);
  EXPECT_EQ(Combine(faster, 0.04, {}), Verdict::kFaster);
}

TEST(WhyTooNoisy, TellsFromTheControl) {
  EXPECT_EQ(WhyTooNoisy(Around(0.001, 0.01)), "");
  EXPECT_NE(WhyTooNoisy(Around(0.02, 0.001)), "");
  EXPECT_NE(WhyTooNoisy(Around(0, 0.2)), "");
}

TEST(ParseAcceptances, NeedAWorkloadAndAReason) {
  const auto accepted = ParseAcceptances(
      "Change it\n\nPerf-Accept: resent/cache longer keys are worth it\nPerf-Accept: key_hash\n");
  ASSERT_EQ(accepted.size(), 1U);
  EXPECT_EQ(accepted.at("resent/cache"), "longer keys are worth it");
}

TEST(IsBuildInput, DocumentsAndOtherRoomsAreNone) {
  EXPECT_TRUE(IsBuildInput("core/lockstep/scope.cc"));
  EXPECT_TRUE(IsBuildInput("CMakeLists.txt"));
  EXPECT_TRUE(IsBuildInput("something/new.cmake"));
  EXPECT_FALSE(IsBuildInput("README.md"));
  EXPECT_FALSE(IsBuildInput("core/tests/scope_test.cc"));
  EXPECT_FALSE(IsBuildInput("props/harness/check.h"));
}

}  // namespace
}  // namespace lockstep::gate
