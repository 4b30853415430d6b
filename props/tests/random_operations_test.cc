// Random operations on our own core beside the exact model: 200,000 in every run of the tests,
// 10 million in the nightly tier, which sets LOCKSTEP_RANDOM_OPERATIONS. Each sequence is named by
// its seed and can be made again from it.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>

#include "gtest/gtest.h"
#include "props/harness/exact_judge.h"
#include "props/harness/implementation.h"
#include "props/harness/interpreter.h"
#include "props/harness/scenarios.h"
#include "props/harness/transcript.h"

namespace lockstep {
namespace {

uint64_t FromEnvironment(const char* name, uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
}

TEST(RandomOperations, OwnCoreAgreesWithTheModel) {
  const uint64_t wanted = FromEnvironment("LOCKSTEP_RANDOM_OPERATIONS", 200'000);
  const uint64_t first_seed = FromEnvironment("LOCKSTEP_SEED", std::random_device{}());
  std::cout << wanted << " operations from LOCKSTEP_SEED=" << first_seed << "\n";
  uint64_t done = 0;
  SituationCounts situations;
  for (uint64_t round = 0; done < wanted; ++round) {
    Sequence sequence = RandomSequence(first_seed + round, round % 8 == 7 ? 4000 : 800);
    const CreateResult created = CreateCache(OwnCore(), sequence.config);
    ASSERT_NE(created.cache, nullptr) << sequence.name << ": " << created.error;
    InterpreterOptions options{.guard_pages = true};
    for (const Operation& op : sequence.ops) {
      options.out_tokens = std::max(options.out_tokens, op.tokens.size() + 64);
    }
    ExactJudge judge(ModelOptions::FromConfig(sequence.config).value());
    const auto finding = RunBeside(*created.cache, judge, sequence.ops, options);
    if (finding) {
      sequence.ops.resize(finding->op_index + 1);
      FAIL() << sequence.name << ", call " << finding->op_index << ": " << finding->check << ": "
             << finding->what << "\n"
             << WriteTranscript(sequence);
    }
    done += sequence.ops.size();
    situations.Add(judge.model().situations());
  }
  for (size_t i = 0; i < static_cast<size_t>(Situation::kCount); ++i) {
    if (wanted < 200'000) break;
    EXPECT_GT(situations.of[i], 0u) << SituationName(static_cast<Situation>(i));
  }
}

}  // namespace
}  // namespace lockstep
