#include "props/harness/contained.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <utility>
#include <vector>

#include "props/harness/containment/interpose_state.h"
#include "props/tests/misbehaving.h"

namespace lockstep {
namespace {

using testing::HasSubstr;
using testing::Not;
using Kind = ChildEnd::Kind;

constexpr ScopeKey kScope = {1, 2, 3, 4};
constexpr CacheConfig kConfig = {.budget_bytes = 1 << 20, .max_scopes = 4, .key_len = kBehave};

// Limits low enough for a test; nothing below comes near them by accident.
ContainedOptions TestOptions() {
  ContainedOptions options;
  options.time_limit_per_op = absl::Milliseconds(300);
  options.live_bytes_limit = uint64_t{64} << 20;
  return options;
}

std::unique_ptr<ContainedCache> Start(const CacheConfig& config = kConfig,
                                      const ContainedOptions& options = TestOptions(),
                                      const char* library = MISBEHAVING_LIBRARY) {
  auto cache = StartContained({.library = library}, config, options);
  EXPECT_TRUE(cache.ok()) << cache.status();
  return cache.ok() ? *std::move(cache) : nullptr;
}

Operation Do(Deed deed) { return Insert(kScope, {deed, 0, 0}); }
Operation Ask(Deed deed, uint64_t max_len = 8) { return Propose(kScope, {deed, 0, 0}, max_len); }

// Three harmless operations, then the deed, then one that must not be reached.
ChildEnd EndOf(const Operation& op) {
  const std::unique_ptr<ContainedCache> cache = Start();
  std::vector<Operation> ops(5, Do(kBehave));
  ops[3] = op;
  EXPECT_EQ(cache->Run(ops).size(), 3u);
  EXPECT_EQ(cache->end().op_index, 3u);
  EXPECT_TRUE(cache->Run(ops).empty()) << "a child that has ended runs nothing";
  return cache->end();
}

TEST(Contained, WellBehavedLibraryAnswersAndFinishes) {
  const std::unique_ptr<ContainedCache> cache = Start();
  EXPECT_EQ(cache->impl_name(), "misbehaving");
  EXPECT_EQ(cache->create_status(), LOCKSTEP_OK);
  EXPECT_FALSE(cache->has_batch());
  const std::vector<Answer> answers =
      cache->Run(std::vector<Operation>{Do(kBehave), Ask(kFill, 3), Ask(kTellCalls)});
  ASSERT_EQ(answers.size(), 3u);
  EXPECT_EQ(answers[0].status, LOCKSTEP_OK);
  EXPECT_EQ(answers[1].draft, (std::vector<Token>{0, 1, 2}));
  EXPECT_EQ(answers[2].draft, (std::vector<Token>{3}));
  EXPECT_EQ(answers[2].stored_tokens, 3u);
  EXPECT_EQ(cache->Finish().kind, Kind::kCompleted);
  EXPECT_EQ(cache->end().what, "");
}

TEST(Contained, OwnCoreRunsInAChildAsWell) {
  const std::unique_ptr<ContainedCache> cache = Start(kConfig, TestOptions(), "");
  const std::vector<Answer> answers =
      cache->Run(std::vector<Operation>{Insert(kScope, {5, 6, 7, 8}), Propose(kScope, {1, 5}, 9)});
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[1].draft, (std::vector<Token>{6, 7, 8}));
  EXPECT_TRUE(cache->has_batch());
  EXPECT_EQ(cache->Finish().kind, Kind::kCompleted);
}

TEST(Contained, RefusedConfigurationIsNoError) {
  const std::unique_ptr<ContainedCache> cache = Start({.budget_bytes = 1, .max_scopes = 1});
  EXPECT_EQ(cache->create_status(), LOCKSTEP_INVALID_ARGUMENT);
  EXPECT_EQ(cache->create_error(), "told to");
  EXPECT_TRUE(cache->Run(std::vector<Operation>{Do(kBehave)}).empty());
  EXPECT_EQ(cache->end().kind, Kind::kCompleted);
  EXPECT_EQ(cache->Recreate(kConfig), LOCKSTEP_OK);
  EXPECT_EQ(cache->Run(std::vector<Operation>{Do(kBehave)}).size(), 1u);
}

TEST(Contained, CrashNamesSignalAndCall) {
  const ChildEnd end = EndOf(Do(kCrash));
  EXPECT_EQ(end.kind, Kind::kCrashed);
  EXPECT_EQ(end.signal, SIGSEGV);
  EXPECT_THAT(end.what, HasSubstr("SIGSEGV in insert: wrote at a null pointer"));
}

TEST(Contained, AbortQuotesWhatWasPrintedLast) {
  const ChildEnd end = EndOf(Ask(kPrintAndAbort));
  EXPECT_EQ(end.signal, SIGABRT);
  EXPECT_EQ(end.what, "SIGABRT in propose; it printed \"assertion \\\"x\\\" failed\"");
}

TEST(Contained, ExceptionThatCrossesTheInterfaceIsACrash) {
  const ChildEnd end = EndOf(Do(kThrow));
  EXPECT_EQ(end.signal, SIGABRT);
  EXPECT_THAT(end.what, HasSubstr("thrown across C"));
}

TEST(Contained, ExitWithinACallIsNoEndInOrder) {
  EXPECT_EQ(EndOf(Do(kExit)).kind, Kind::kExited);
  EXPECT_EQ(EndOf(Do(kExit)).what, "exit(0) in insert");
  EXPECT_EQ(EndOf(Ask(kQuickExit)).what, "exit(3) in propose");
}

TEST(Contained, SignalSentToTheChildIsACrash) {
  EXPECT_EQ(EndOf(Do(kKill)).signal, SIGKILL);
  EXPECT_EQ(EndOf(Do(kRaiseFault)).signal, SIGSEGV);
}

TEST(Contained, EndlessLoopAndEndlessSleepTimeOut) {
  const ChildEnd loop = EndOf(Do(kLoop));
  EXPECT_EQ(loop.kind, Kind::kTimedOut);
  EXPECT_THAT(loop.what, HasSubstr("no answer in insert within 300"));
  const ChildEnd sleep = EndOf(Ask(kSleep));
  EXPECT_EQ(sleep.kind, Kind::kTimedOut);
  EXPECT_THAT(sleep.what, HasSubstr("it waits"));
}

TEST(Contained, DeedsInCreateAndDestroyAreFound) {
  CacheConfig config = kConfig;
  config.key_len = kAbort;
  EXPECT_EQ(Start(config)->end().what, "SIGABRT in create");
  EXPECT_EQ(Start(config)->create_status(), LOCKSTEP_INTERNAL);
  config.key_len = kAtDestroy + kCrash;
  const std::unique_ptr<ContainedCache> cache = Start(config);
  EXPECT_EQ(cache->Run(std::vector<Operation>{Do(kBehave)}).size(), 1u);
  EXPECT_EQ(cache->Finish().kind, Kind::kCrashed);
  EXPECT_EQ(cache->end().op_index, 1u);
  EXPECT_THAT(cache->end().what, HasSubstr("in destroy"));
}

TEST(Contained, PrintingIsSwallowedAndNoFault) {
  testing::internal::CaptureStdout();
  const std::unique_ptr<ContainedCache> cache = Start();
  const std::vector<Operation> ops = {Do(kPrint), Do(kPrintForever), Do(kPrint)};
  EXPECT_EQ(cache->Run(ops).size(), 3u);
  EXPECT_EQ(cache->Finish().kind, Kind::kCompleted);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

TEST(Contained, OneTokenTooFarIsAFaultInTheArrayItBelongsTo) {
  EXPECT_THAT(EndOf(Ask(kWritePastOut)).what, HasSubstr("wrote past the end of `out`"));
  const std::unique_ptr<ContainedCache> cache = Start();
  EXPECT_TRUE(cache->Run(std::vector<Operation>{Do(kReadPastInput)}).empty());
  EXPECT_THAT(cache->end().what, HasSubstr("read past the end of its input"));
}

TEST(Contained, ProcessesThatALibraryStartsEndWithIt) {
  int status;
  const std::unique_ptr<ContainedCache> cache = Start();
  EXPECT_EQ(cache->Run(std::vector<Operation>{Do(kFork)}).size(), 1u);
  EXPECT_EQ(cache->Finish().kind, Kind::kCompleted);
  EXPECT_EQ(waitpid(-1, &status, WNOHANG), 0) << "the zygote is the only child, and lives";
}

TEST(Contained, LongStreamsAndLongDocumentsPass) {
  const std::unique_ptr<ContainedCache> cache = Start();
  std::vector<Operation> ops(100'000, Ask(kTellCalls));
  const std::vector<Answer> answers = cache->Run(ops);
  ASSERT_EQ(answers.size(), ops.size());
  for (size_t i = 0; i < answers.size(); ++i) ASSERT_EQ(answers[i].draft.at(0), i + 1);

  std::vector<Token> doc(1'500'000, 3);
  doc[0] = kFill;
  ops.assign(20, Propose(kScope, doc, 1'000'000));
  ops.insert(ops.begin(), Insert(kScope, doc));
  const std::vector<Answer> long_answers = cache->Run(ops);
  ASSERT_EQ(long_answers.size(), ops.size());
  EXPECT_EQ(long_answers.back().draft.size(), 1'000'000u);
  EXPECT_EQ(long_answers.back().draft.back(), 999'999u);
}

TEST(Contained, RepeatRunsInBulkAndTellsTheOperationItEndedIn) {
  const std::unique_ptr<ContainedCache> cache = Start();
  EXPECT_TRUE(cache->Repeat(std::vector<Operation>{Do(kBehave), Do(kBehave)}, 50'000));
  EXPECT_EQ(cache->Run(std::vector<Operation>{Ask(kTellCalls)}).at(0).draft.at(0), 100'001u);
  EXPECT_FALSE(cache->Repeat(std::vector<Operation>{Do(kBehave), Do(kAbort)}, 10));
  EXPECT_EQ(cache->end().op_index, 100'002u);
}

TEST(Contained, EveryCacheHasAChildOfItsOwn) {
  const std::unique_ptr<ContainedCache> a = Start();
  const std::unique_ptr<ContainedCache> b = Start();
  EXPECT_TRUE(a->Run(std::vector<Operation>{Do(kAbort)}).empty());
  EXPECT_EQ(b->Run(std::vector<Operation>{Ask(kTellCalls)}).size(), 1u);
  EXPECT_EQ(b->Finish().kind, Kind::kCompleted);
}

TEST(Contained, FreshProcessesAnswerTheSame) {
  ContainedOptions options = TestOptions();
  options.surroundings = {.fresh_process = true,
                          .other_environment = true,
                          .heap_noise_seed = 7,
                          .unrelated_work = true};
  for (const char* library : {MISBEHAVING_LIBRARY, ""}) {
    const std::unique_ptr<ContainedCache> cache = Start(kConfig, options, library);
    EXPECT_EQ(cache->Run(std::vector<Operation>(50, Do(kBehave))).size(), 50u);
    EXPECT_EQ(cache->Finish().kind, Kind::kCompleted);
  }
}

TEST(Contained, LibraryThatStartsThreadsIsLoadedInTheChild) {
  const std::unique_ptr<ContainedCache> cache = Start(kConfig, TestOptions(), THREADED_LIBRARY);
  EXPECT_EQ(cache->Run(std::vector<Operation>{Ask(kTellCalls)}).size(), 1u);
  EXPECT_EQ(cache->Finish().kind, Kind::kCompleted);
}

TEST(Contained, UnusableLibrariesAreTheUsersToMend) {
  for (const char* library : {"/no/such.so", CRASHING_LIBRARY, "/"}) {
    const auto cache = StartContained({.library = library}, kConfig, TestOptions());
    EXPECT_EQ(cache.status().code(), absl::StatusCode::kFailedPrecondition) << cache.status();
    EXPECT_THAT(std::string(cache.status().message()), HasSubstr(library));
  }
}

// What follows needs the interposed allocator and clocks.
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
