// Lives of scopes, and caches in which scopes meet.

#include "props/harness/isolation.h"

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "props/harness/contained.h"
#include "props/harness/implementation.h"
#include "props/harness/interpreter.h"
#include "props/harness/scenarios.h"

namespace lockstep {
namespace {

using testing::ElementsAre;

ScopeKey S(uint64_t tenant) { return {.tenant = tenant}; }

std::vector<Answer> RunAll(CacheHandle& cache, absl::Span<const Operation> ops) {
  Interpreter interpreter{InterpreterOptions{}};
  std::vector<Answer> answers;
  while (answers.size() < ops.size()) {
    for (Answer& answer : interpreter.Step(cache, ops.subspan(answers.size()))) {
      answers.push_back(std::move(answer));
    }
  }
  return answers;
}

TEST(LivesOf, EndWithTheDropOfTheLeastRecentlyUsed) {
  const CacheConfig config{2 * 6144, 2, 2};
  const std::vector<Operation> ops = {
      Propose(S(1), {1, 2}, 1),              // absent
      Insert(S(1), {1, 2, 3}),               // makes 1
      Insert(S(2), {1, 2, 4}),               // makes 2
      Insert(S(3), {1, 2}),                  // short: makes nothing
      Propose(S(1), {}, 0),                  // a use
      Insert(S(1), {1, kReservedToken, 3}),  // refused: none, but part of the life
      Insert(S(3), {1, 2, 5}),               // drops 2
      Propose(S(2), {1, 2}, 1),              // absent
      Insert(S(2), {1, 2, 6}),               // drops 1, makes 2 again
      Propose(S(3), {1, 2}, 1),
  };
  const CreateResult created = CreateCache(OwnCore(), config);
  const ScopeLives lives = LivesOf(config, ops, RunAll(*created.cache, ops));
  EXPECT_THAT(lives.absent_proposals, ElementsAre(0, 7));
  ASSERT_EQ(lives.lives.size(), 4u);
  EXPECT_THAT(lives.lives[0].ops, ElementsAre(1, 4, 5));
  EXPECT_THAT(lives.lives[1].ops, ElementsAre(2));
  EXPECT_THAT(lives.lives[2].ops, ElementsAre(6, 9));
  EXPECT_THAT(lives.lives[3].ops, ElementsAre(8));
}

TEST(LivesOf, TakeAnAcceptedReservedTokenForAUse) {
  const CacheConfig config{6144, 1, 1};
  const std::vector<Operation> ops = {Insert(S(1), {1, kReservedToken})};
  EXPECT_EQ(LivesOf(config, ops, {Answer{.status = LOCKSTEP_OK}}).lives.size(), 1u);
  EXPECT_EQ(LivesOf(config, ops, {Answer{.status = LOCKSTEP_INVALID_ARGUMENT}}).lives.size(), 0u);
}

// Our own core behind a table of scopes that makes a mistake with their keys.
SequenceRunner OwnCoreWith(ScopeKey (*mistake)(ScopeKey)) {
  return [mistake](const CacheConfig& config,
                   absl::Span<const Operation> ops) -> absl::StatusOr<std::vector<Answer>> {
    std::vector<Operation> changed(ops.begin(), ops.end());
    for (Operation& op : changed) op.scope = mistake(op.scope);
    const CreateResult created = CreateCache(OwnCore(), config);
    return RunAll(*created.cache, changed);
  };
}

bool Shows(ScopeKey (*mistake)(ScopeKey)) {
  for (const Sequence& sequence : IsolationSequences(2)) {
    const auto outcome = CheckNonInterference(sequence, OwnCoreWith(mistake), {});
    EXPECT_TRUE(outcome.ok());
    if (!outcome->finding) continue;
    EXPECT_EQ(outcome->finding->check, "I2");
    EXPECT_LT(outcome->finding->op_index, sequence.ops.size());
    return true;
  }
  return false;
}

TEST(NonInterference, HoldsForOurCore) {
  EXPECT_FALSE(Shows([](ScopeKey k) { return k; }));
}

TEST(NonInterference, ShowsScopesTakenForOneAnother) {
  EXPECT_TRUE(Shows([](ScopeKey k) { return k.adapter = 0, k; }));
  EXPECT_TRUE(Shows([](ScopeKey k) { return k.tokenizer &= ~(uint64_t{1} << 37), k; }));
  EXPECT_TRUE(Shows([](ScopeKey k) { return k.model = static_cast<uint32_t>(k.model), k; }));
  EXPECT_TRUE(Shows(
      [](ScopeKey k) { return ScopeKey{.model = k.model + k.tokenizer + k.adapter + k.tenant}; }));
  EXPECT_TRUE(Shows(
      [](ScopeKey k) { return ScopeKey{.model = k.model ^ k.tokenizer ^ k.adapter ^ k.tenant}; }));
  EXPECT_TRUE(Shows([](ScopeKey k) {
    return ScopeKey{.model = ((k.model * 31 + k.tokenizer) * 31 + k.adapter) * 31 + k.tenant};
  }));
  EXPECT_TRUE(Shows([](ScopeKey k) {
    if (k.tenant < k.adapter) std::swap(k.tenant, k.adapter);
    return k;
  }));
}

TEST(NonInterference, HoldsForOurCoreInChildren) {
  CheckContext context;
  const absl::StatusOr<CheckReport> report = RunIsolated(context, RandomIsolationSequence(4, 120));
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_TRUE(report->failures.empty());
  EXPECT_GT(report->sequences, 2u);
}

}  // namespace
}  // namespace lockstep
