#include "props/harness/contained.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "props/tests/contained_fixture.h"
#include "props/tests/misbehaving.h"

namespace lockstep {
namespace {

using testing::HasSubstr;
using Kind = ChildEnd::Kind;

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

}  // namespace
}  // namespace lockstep
