// The allocator and the clocks of a child, which are interposed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <string>
#include <vector>

#include "props/harness/contained.h"
#include "props/harness/containment/interpose_state.h"
#include "props/tests/contained_fixture.h"
#include "props/tests/misbehaving.h"

namespace lockstep {
namespace {

using testing::HasSubstr;
using Kind = ChildEnd::Kind;

class InterposedTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!interpose::state.present) GTEST_SKIP() << "SKIPPED: nothing is interposed here";
  }
};

TEST_F(InterposedTest, RunawayMemoryIsOutOfMemory) {
  const ChildEnd end = EndOf(Do(kRunAway));
  EXPECT_EQ(end.kind, Kind::kOutOfMemory);
  EXPECT_THAT(end.what, HasSubstr("at the limit of 67108864"));
}

TEST_F(InterposedTest, RunawayMemoryBesideTheAllocatorIsBounded) {
  ContainedOptions options = TestOptions();
  options.time_limit_per_op = absl::Seconds(20);
  const std::unique_ptr<ContainedCache> cache = Start(kConfig, options);
  EXPECT_TRUE(cache->Run(std::vector<Operation>{Do(kRunAwayRaw)}).empty());
  EXPECT_EQ(cache->end().signal, SIGABRT) << cache->end().what;
}

TEST_F(InterposedTest, LiveBytesShowLeaksThroughTheAllocatorAndThroughMmap) {
  const std::unique_ptr<ContainedCache> cache = Start();
  const MemorySample before = cache->Memory();
  EXPECT_TRUE(before.counted);
  EXPECT_TRUE(cache->Repeat(std::vector<Operation>{Do(kBehave)}, 1000));
  EXPECT_EQ(cache->Memory().live_bytes, before.live_bytes);
  EXPECT_TRUE(cache->Repeat(std::vector<Operation>{Do(kLeak)}, 1000));
  const MemorySample leaked = cache->Memory();
  EXPECT_EQ(leaked.live_bytes, before.live_bytes + 24 * 1000);
  EXPECT_EQ(leaked.allocations, before.allocations + 1000);
  EXPECT_TRUE(cache->Repeat(std::vector<Operation>{Do(kMap)}, 100));
  const MemorySample mapped = cache->Memory();
  EXPECT_EQ(mapped.mapped_bytes, 8192 * 100);
  EXPECT_EQ(mapped.live_bytes, leaked.live_bytes + 4096 * 100);
  EXPECT_GE(mapped.private_bytes, leaked.private_bytes + 4096 * 100);
}

TEST_F(InterposedTest, DestroyGivesBackWhatCreateTook) {
  const std::unique_ptr<ContainedCache> cache = Start(kConfig, TestOptions(), "");
  const MemorySample first = cache->Memory();
  EXPECT_GT(first.live_bytes, 0);
  EXPECT_TRUE(cache->Destroy());
  EXPECT_EQ(cache->Memory().live_bytes, 0);
  EXPECT_EQ(cache->Recreate(kConfig), LOCKSTEP_OK);
  EXPECT_EQ(cache->Memory().live_bytes, first.live_bytes);
}

TEST_F(InterposedTest, TheNthAllocationFailsOnce) {
  const std::unique_ptr<ContainedCache> cache = Start();
  cache->FailAllocation(3);
  std::vector<Token> failed;
  for (const Answer& answer : cache->Run(std::vector<Operation>(5, Ask(kAllocate)))) {
    failed.push_back(answer.draft.at(0));
  }
  EXPECT_EQ(failed, (std::vector<Token>{0, 0, 1, 0, 0}));
}

TEST_F(InterposedTest, ClocksCanBeSetAndHurried) {
  const auto tell = [](int64_t offset, int64_t step) {
    ContainedOptions options = TestOptions();
    options.surroundings.clock_offset_seconds = offset;
    options.surroundings.clock_step_seconds = step;
    return Start(kConfig, options)->Run(std::vector<Operation>(2, Ask(kTellTheTime)));
  };
  const std::vector<Answer> now = tell(0, 0);
  const auto hour = static_cast<Token>(absl::ToUnixSeconds(absl::Now()) / 3600);
  EXPECT_LE(hour - now[0].draft[0], 1u);
  EXPECT_LE(hour - now[0].draft[1], 1u);
  const std::vector<Answer> later = tell(1000 * 3600, 0);
  EXPECT_LE(later[0].draft[1] - hour - 1000, 1u);
  const std::vector<Answer> hurried = tell(0, 5 * 3600);
  EXPECT_EQ(hurried[0].draft[1] - hurried[0].draft[0], 5u);
  EXPECT_EQ(hurried[1].draft[0] - hurried[0].draft[0], 10u);
}

TEST_F(InterposedTest, FreshMemoryHoldsWhatItIsToldTo) {
  const auto tell = [](MemoryFill fill) {
    ContainedOptions options = TestOptions();
    options.surroundings.fill = fill;
    return Start(kConfig, options)->Run(std::vector<Operation>{Ask(kTellFreshMemory)});
  };
  EXPECT_EQ(tell(MemoryFill::kZero).at(0).draft.at(0), 0u);
  EXPECT_EQ(tell(MemoryFill::kOnes).at(0).draft.at(0), 0xFFFFFFFFu);
  const Token noise = tell(MemoryFill::kNoise).at(0).draft.at(0);
  EXPECT_TRUE(noise != 0 && noise != 0xFFFFFFFF);
}

}  // namespace
}  // namespace lockstep
