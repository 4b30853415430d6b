#include "bench/gate/conclusion.h"

#include <string>

#include "bench/gate/decision.h"
#include "gtest/gtest.h"
#include "reports/result.h"

namespace lockstep::gate {
namespace {

// One workload that the time says is 3 % slower.
Evidence Slower() {
  Evidence e;
  e.decisions["resent/cache"] = {.ratio = 0.03, .slower = true};
  e.sampling.wall["resent/cache"] = {0.03};
  e.sampling.base_ns["resent/cache"] = {100};
  return e;
}

Comparison Concluded(const Evidence& evidence, const std::string& noise = "",
                     const std::map<std::string, std::string>& accepted = {}) {
  Comparison c = {.noise = noise};
  c.rows = MakeRows(evidence, accepted);
  Conclude(c);
  return c;
}

TEST(Conclude, ASlowerWorkloadFails) {
  const Comparison c = Concluded(Slower());
  EXPECT_EQ(c.exit_code, kExitSlower);
  EXPECT_EQ(c.verdict, "SLOWER: resent/cache +3.0 %");
}

TEST(Conclude, TimesOfANoisyMachineAreNoEvidence) {
  const Comparison c = Concluded(Slower(), "two copies of the base differ by +2.0 %");
  EXPECT_EQ(c.exit_code, kExitInconclusive);
  EXPECT_EQ(c.verdict, "CANNOT TELL HERE: two copies of the base differ by +2.0 %");
  EXPECT_EQ(c.rows[0].verdict, Verdict::kUnclear);
}

TEST(Conclude, InstructionsOfANoisyMachineAreEvidence) {
  Evidence e = Slower();
  e.instructions["resent/cache"] = 0.02;
  EXPECT_EQ(Concluded(e, "noise").exit_code, kExitSlower);
}

TEST(Conclude, ATimeThatOneLinkOrderAloneShowsIsNoLoss) {
  Evidence e = Slower();
  e.instructions["resent/cache"] = 0.001;
  e.confirmed["resent/cache"] = false;
  const Comparison c = Concluded(e);
  EXPECT_EQ(c.exit_code, kExitPass);
  EXPECT_EQ(c.verdict, "SAME: none of 1 workloads is slower");
  EXPECT_EQ(c.rows[0].note, "only in one link order");
  e.confirmed["resent/cache"] = true;
  EXPECT_EQ(Concluded(e).exit_code, kExitSlower);
}

TEST(Conclude, InstructionsAloneFailFromThreePercentOn) {
  Evidence e = Slower();
  e.decisions["resent/cache"] = {};
  e.instructions["resent/cache"] = 0.029;
  EXPECT_EQ(Concluded(e).exit_code, kExitPass);
  e.instructions["resent/cache"] = 0.031;
  const Comparison c = Concluded(e);
  EXPECT_EQ(c.exit_code, kExitSlower);
  EXPECT_EQ(c.rows[0].note, "instructions alone");
}

TEST(Conclude, AnAcceptedLossPassesAndIsRecorded) {
  for (const char* key : {"resent/cache", "resent"}) {
    const Comparison c = Concluded(Slower(), "", {{key, "longer keys are worth it"}});
    EXPECT_EQ(c.exit_code, kExitPass) << key;
    EXPECT_NE(c.verdict.find("accepted: resent/cache +3.0 %"), std::string::npos) << c.verdict;
    EXPECT_EQ(c.rows[0].verdict, Verdict::kAccepted);
    EXPECT_EQ(c.rows[0].note, "longer keys are worth it");
  }
  EXPECT_EQ(Concluded(Slower(), "", {{"resent/small", "another one"}}).exit_code, kExitSlower);
}

TEST(Conclude, UnclearFailsAsInconclusiveAndFasterPasses) {
  Evidence e = Slower();
  e.decisions["resent/cache"] = {.ratio = 0.016, .unclear = true};
  EXPECT_EQ(Concluded(e).exit_code, kExitInconclusive);
  e.decisions["resent/cache"] = {.ratio = -0.04, .faster = true};
  const Comparison c = Concluded(e);
  EXPECT_EQ(c.exit_code, kExitPass);
  EXPECT_EQ(c.verdict, "FASTER: resent/cache -4.0 %");
}

TEST(MakeRows, WhatOneSideLacksIsNewOrGone) {
  Evidence e = Slower();
  e.only_head = {"key_hash/small"};
  e.only_base = {"replay/small"};
  const std::vector<Row> rows = MakeRows(e, {});
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[1].verdict, Verdict::kNew);
  EXPECT_EQ(rows[2].verdict, Verdict::kGone);
}

}  // namespace
}  // namespace lockstep::gate
