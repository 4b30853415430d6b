#include "lockstep/plan_fit.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "gtest/gtest.h"
#include "lockstep/geometry.h"

namespace lockstep {
namespace {

constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();

CachePlan LookupPlan(uint64_t sequences, uint64_t history_tokens) {
  CachePlan plan;
  plan.declarations = {
      {.id = "index", .kind = CacheKind::kPromptLookupIndex, .format = Dtype::kU64, .elements = 2}};
  plan.inputs.lookup = {.sequences = sequences, .history_tokens = history_tokens};
  return plan;
}

// The most in [0, cap] that fits, one at a time, straight from the law.
uint64_t MostByScanning(uint64_t sequences, uint64_t budget_bytes, uint64_t cap) {
  uint64_t most = 0;
  for (uint64_t history = 0; history <= cap; ++history) {
    if (sequences * *HashTableBytes(history, 16) <= budget_bytes) most = history;
  }
  return most;
}

TEST(FitPlan, HistoryEndsWhereTheTableWouldDouble) {
  // 8 * 112 / 7 = 128 buckets still hold 112 entries; 113 need 256.
  const uint64_t bytes = 128 * 17 + 16;
  for (const uint64_t budget : {bytes, bytes + 1, 256 * 17 + 15ul}) {
    const absl::StatusOr<Fit> fit = FitPlan(LookupPlan(1, 0), FitInput::kHistoryTokens, budget);
    ASSERT_TRUE(fit.ok());
    EXPECT_EQ(fit->value, 112u);
    EXPECT_FALSE(fit->is_cap);
    EXPECT_EQ(fit->host_bytes, absl::uint128(bytes));
    EXPECT_EQ(fit->one_more_host_bytes, absl::uint128(256 * 17 + 16));
    EXPECT_EQ(fit->plan.inputs.lookup->history_tokens, 112u);
  }
  EXPECT_EQ(FitPlan(LookupPlan(1, 0), FitInput::kHistoryTokens, bytes - 1)->value, 56u);
}

TEST(FitPlan, HistoryAgreesWithScanningOneAtATime) {
  for (uint64_t budget = 0; budget < 40000; budget += 37) {
    EXPECT_EQ(FitPlan(LookupPlan(3, 0), FitInput::kHistoryTokens, budget, 1000)->value,
              MostByScanning(3, budget, 1000));
  }
}

TEST(FitPlan, SequencesAreADivision) {
  const uint64_t table = *HashTableBytes(1000, 16);
  for (const uint64_t budget : {table - 1, table, 17 * table, 18 * table - 1}) {
    const absl::StatusOr<Fit> fit = FitPlan(LookupPlan(0, 1000), FitInput::kSequences, budget);
    ASSERT_TRUE(fit.ok());
    EXPECT_EQ(fit->value, budget / table);
    EXPECT_EQ(fit->one_more_host_bytes, absl::uint128(budget / table + 1) * table);
  }
}

TEST(FitPlan, CapIsSaidAndNotPassed) {
  const absl::StatusOr<Fit> fit = FitPlan(LookupPlan(0, 10), FitInput::kSequences, kMax, 5);
  ASSERT_TRUE(fit.ok());
  EXPECT_EQ(fit->value, 5u);
  EXPECT_TRUE(fit->is_cap);
  EXPECT_EQ(fit->one_more_host_bytes, std::nullopt);
}

TEST(FitPlan, NothingThatDependsOnItFitsUpToTheLargestNumber) {
  CachePlan plan = LookupPlan(1, 0);
  plan.declarations.clear();
  const absl::StatusOr<Fit> fit = FitPlan(plan, FitInput::kHistoryTokens, 0);
  ASSERT_TRUE(fit.ok());
  EXPECT_EQ(fit->value, kMax);
  EXPECT_TRUE(fit->is_cap);
}

TEST(FitPlan, OneMoreThatOutgrowsSixtyFourBitsHasNoBytes) {
  const absl::StatusOr<Fit> fit = FitPlan(LookupPlan(1, 0), FitInput::kHistoryTokens, kMax);
  ASSERT_TRUE(fit.ok());
  // 2^60 buckets of 17 bytes do not fit, so 2^59 are the most: 7/8 of them entries.
  EXPECT_EQ(fit->value, (uint64_t{1} << 59) / 8 * 7);
  EXPECT_FALSE(fit->is_cap);
  EXPECT_EQ(fit->one_more_host_bytes, std::nullopt);
}

TEST(FitPlan, ScopesKeepTheShareThatThePlanGivesEach) {
  CachePlan plan = LookupPlan(1, 100);
  plan.shared_cache = {.budget_bytes = 4 << 20, .max_scopes = 4, .key_len = 8};
  const uint64_t others = *HashTableBytes(100, 16);
  const uint64_t scope_bytes = ComputeGeometry(*plan.shared_cache)->scope_bytes;
  const absl::StatusOr<Fit> fit = FitPlan(plan, FitInput::kScopes, others + 10 * scope_bytes);
  ASSERT_TRUE(fit.ok());
  EXPECT_EQ(fit->value, 10u);
  EXPECT_EQ(fit->plan.shared_cache,
            (CacheConfig{.budget_bytes = 10 << 20, .max_scopes = 10, .key_len = 8}));
  EXPECT_EQ(fit->terms.back().bytes, 10 * scope_bytes);
  EXPECT_EQ(FitPlan(plan, FitInput::kScopes, others + 10 * scope_bytes - 1)->value, 9u);
}

TEST(FitPlan, ScopesWithoutASharedCacheAreOfTheLeastSize) {
  const absl::StatusOr<Fit> fit = FitPlan(CachePlan(), FitInput::kScopes, 100 * 6144 + 6143);
  ASSERT_TRUE(fit.ok());
  EXPECT_EQ(fit->value, 100u);
}

TEST(FitPlan, NothingFitsIsAnErrorThatSaysHowMuchIsNeeded) {
  const absl::StatusOr<Fit> fit = FitPlan(CachePlan(), FitInput::kScopes, 6143);
  EXPECT_EQ(fit.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_NE(fit.status().message().find("6144"), absl::string_view::npos);
}

TEST(FitPlan, AbsentLookupInputsCannotBeFitted) {
  EXPECT_EQ(FitPlan(CachePlan(), FitInput::kSequences, 1).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(FitPlan, FaultOfThePlanItselfIsTheError) {
  CachePlan plan = LookupPlan(1, 1);
  plan.declarations[0].elements = kMax;
  EXPECT_EQ(PlanErrorOf(FitPlan(plan, FitInput::kSequences, kMax).status()), (PlanError{"index"}));
}

}  // namespace
}  // namespace lockstep
