// The directed sequences reach what they are there for, and show small mistakes in what nobody
// would see from a few calls.

#include "props/harness/scenarios.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "props/harness/exact_judge.h"
#include "props/harness/implementation.h"
#include "props/harness/interpreter.h"
#include "props/harness/scenario_list.h"

namespace lockstep {
namespace {

std::optional<Finding> RunOn(CacheHandle& cache, const Sequence& sequence,
                             SituationCounts* situations = nullptr) {
  InterpreterOptions options;
  for (const Operation& op : sequence.ops) {
    options.out_tokens = std::max(options.out_tokens, op.tokens.size() + 64);
  }
  ExactJudge judge(ModelOptions::FromConfig(sequence.config).value());
  auto finding = RunBeside(cache, judge, sequence.ops, options);
  if (situations != nullptr) situations->Add(judge.model().situations());
  return finding;
}

TEST(DirectedScenarios, NamesAreUnique) {
  std::set<std::string> names;
  for (const Scenario& scenario : DirectedScenarios()) {
    EXPECT_TRUE(names.insert(scenario.name).second) << scenario.name;
  }
}

TEST(DirectedScenarios, OwnCoreAgreesAndTheCheapOnesReachEverySituation) {
  SituationCounts cheap;
  for (const Scenario& scenario : DirectedScenarios()) {
    const Sequence sequence = scenario.make(scenario.name, 1);
    const CreateResult created = CreateCache(OwnCore(), sequence.config);
    ASSERT_NE(created.cache, nullptr) << scenario.name;
    const auto finding = RunOn(*created.cache, sequence, scenario.tier == 0 ? &cheap : nullptr);
    EXPECT_FALSE(finding) << scenario.name << ", call " << finding->op_index << ": "
                          << finding->what;
  }
  for (size_t i = 0; i < static_cast<size_t>(Situation::kCount); ++i) {
    EXPECT_GT(cheap.of[i], 0u) << SituationName(static_cast<Situation>(i));
  }
}

TEST(DirectedScenarios, EqualSeedsGiveEqualSequencesAndOthersOthers) {
  for (const Scenario& scenario : DirectedScenarios()) {
    if (scenario.tier > 0) break;
    const Sequence one = scenario.make(scenario.name, 5);
    EXPECT_EQ(one.ops, scenario.make(scenario.name, 5).ops) << scenario.name;
    EXPECT_NE(one.ops, scenario.make(scenario.name, 6).ops) << scenario.name;
  }
}

// Whether some cheap directed sequence shows a core whose options differ from the right ones.
bool Shows(ModelOptions (*mistake)(ModelOptions)) {
  for (const Scenario& scenario : DirectedScenarios()) {
    if (scenario.tier > 0) break;
    const Sequence sequence = scenario.make(scenario.name, 1);
    const auto options = ModelOptions::FromConfig(sequence.config);
    if (RunOn(*MakeTinyCache(mistake(*options)), sequence)) return true;
  }
  return false;
}

TEST(DirectedScenarios, ShowSmallMistakes) {
  EXPECT_FALSE(Shows([](ModelOptions o) { return o; }));
  EXPECT_TRUE(Shows([](ModelOptions o) { return --o.ring_tokens, o; }));
  EXPECT_TRUE(Shows([](ModelOptions o) { return ++o.ring_tokens, o; }));
  EXPECT_TRUE(Shows([](ModelOptions o) { return o.slots /= 2, o; }));
  EXPECT_TRUE(Shows([](ModelOptions o) { return o.slots *= 2, o; }));
  EXPECT_TRUE(Shows([](ModelOptions o) { return --o.duplicate_limit, o; }));
  EXPECT_TRUE(Shows([](ModelOptions o) { return ++o.duplicate_limit, o; }));
  EXPECT_TRUE(Shows([](ModelOptions o) { return ++o.max_scopes, o; }));
}

TEST(IsolationSequences, OwnCoreAgrees) {
  for (const Sequence& sequence : IsolationSequences(3)) {
    const CreateResult created = CreateCache(OwnCore(), sequence.config);
    ASSERT_NE(created.cache, nullptr) << sequence.name;
    const auto finding = RunOn(*created.cache, sequence);
    EXPECT_FALSE(finding) << sequence.name << ": " << finding->what;
  }
}

TEST(DeepSource, PassesItsPosition) {
  for (const uint64_t position : {uint64_t{1} << 16, uint64_t{1} << 20}) {
    const auto source = DeepSource(7, position);
    const auto options = ModelOptions::FromConfig(source->config());
    ASSERT_TRUE(options.ok());
    const CreateResult created = CreateCache(OwnCore(), source->config());
    ExactJudge judge(*options);
    std::vector<Operation> ops;
    uint64_t stored = 0;
    while (source->Next(ops)) {
      ASSERT_FALSE(ops.empty());
      const auto finding = RunBeside(*created.cache, judge, ops);
      ASSERT_FALSE(finding) << finding->what;
      stored = std::max(stored, judge.model().stored_tokens(ops.front().scope));
      ops.clear();
    }
    EXPECT_GT(stored, position + options->ring_tokens);
    EXPECT_LT(stored, position + 20 * options->ring_tokens);
  }
}

}  // namespace
}  // namespace lockstep
