#include "bench/replay/replay.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "bench/replay/replay_report.h"
#include "bench/replay/sweep.h"
#include "bench/replay/tests/brute_force.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep {
namespace {

constexpr CacheConfig kTiny = {.budget_bytes = 2 * 6144, .max_scopes = 2, .key_len = 2};

void ExpectEqual(const ReplayReport& report, const BruteCounts& want) {
  EXPECT_EQ(report.all.steps_own_only, want.steps_own_only);
  EXPECT_EQ(report.all.decode.steps, want.decode.steps);
  EXPECT_EQ(report.all.decode.own, want.decode.own);
  EXPECT_EQ(report.all.decode.shared, want.decode.shared);
  EXPECT_EQ(report.all.scope_drops, want.scope_drops);
  EXPECT_EQ(report.all.live_tokens, want.live_tokens);
}

void ExpectSumsOverScopes(const ReplayReport& report) {
  ReplayCounts sum = report.other_scopes;
  for (const ReplayReport::ScopeRow& row : report.scopes) {
    sum.requests += row.counts.requests;
    sum.decode.Add(row.counts.decode);
    sum.scope_drops += row.counts.scope_drops;
    sum.live_tokens += row.counts.live_tokens;
    sum.bytes += row.counts.bytes;
  }
  EXPECT_EQ(sum.requests, report.all.requests);
  EXPECT_EQ(sum.decode, report.all.decode);
  EXPECT_EQ(sum.scope_drops, report.all.scope_drops);
  EXPECT_EQ(sum.live_tokens, report.all.live_tokens);
  EXPECT_EQ(sum.bytes, report.all.bytes);
}

// Requests that repeat themselves and each other, some of them empty or short.
std::vector<Request> RandomRequests(uint64_t seed, size_t count, uint64_t tenants) {
  std::mt19937_64 random(seed);
  std::vector<Request> requests;
  const auto tokens = [&](size_t most) {
    Tokens text;
    const size_t len = random() % (most + 1);
    while (text.size() < len) {
      if (!requests.empty() && random() % 3 == 0) {
        const Tokens& earlier = requests[random() % requests.size()].output;
        const size_t from = earlier.empty() ? 0 : random() % earlier.size();
        const size_t end = std::min(earlier.size(), from + random() % 60);
        text.insert(text.end(), earlier.begin() + static_cast<ptrdiff_t>(from),
                    earlier.begin() + static_cast<ptrdiff_t>(end));
      }
      text.push_back(static_cast<Token>(random() % 40));
    }
    return text;
  };
  for (size_t i = 0; i < count; ++i) {
    Request request;
    request.scope.tenant = random() % tenants;
    request.prompt = tokens(random() % 8 == 0 ? 2 : 300);
    request.output = tokens(random() % 8 == 0 ? 1 : 200);
    requests.push_back(std::move(request));
  }
  return requests;
}

struct Case {
  DraftPolicy policy;
  uint64_t max_draft;
  CacheConfig cache;
  uint64_t tenants;
};

class ReplayAgainstBruteForce : public ::testing::TestWithParam<Case> {};

TEST_P(ReplayAgainstBruteForce, EveryCountIsEqual) {
  const Case& c = GetParam();
  const ReplaySettings settings{.cache = c.cache, .max_draft = c.max_draft, .policy = c.policy};
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    auto replay = Replay::Make(OwnCore(), settings);
    ASSERT_TRUE(replay.ok()) << replay.status();
    BruteReplay brute(settings);
    for (const Request& request : RandomRequests(seed, 60, c.tenants)) {
      ASSERT_TRUE((*replay)->Play(request).ok());
      brute.Play(request);
    }
    const ReplayReport report = (*replay)->Finish();
    ExpectEqual(report, brute.Finish());
    ExpectSumsOverScopes(report);
    EXPECT_GT(report.all.decode.shared.accepted, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, ReplayAgainstBruteForce,
                         ::testing::Values(Case{DraftPolicy::kPlain, 8, kTiny, 2},
                                           Case{DraftPolicy::kEngine, 8, kTiny, 2},
                                           Case{DraftPolicy::kPlain, 1, kTiny, 4},
                                           Case{DraftPolicy::kEngine, 1, kTiny, 4},
                                           Case{DraftPolicy::kEngine, 64, {1 << 20, 3, 1}, 3},
                                           Case{DraftPolicy::kPlain, 64, {1 << 20, 1, 3}, 1}));

// The committed traces, whose figures no one may take on trust.
class CommittedTrace : public ::testing::TestWithParam<std::string> {};

TEST_P(CommittedTrace, FiguresEqualTheBruteForceSimulation) {
  const std::string path = LOCKSTEP_SOURCE_DIR "/corpus/traces/" + GetParam() + ".jsonl.zst";
  std::vector<ReplaySettings> settings = {
      {.cache = {.budget_bytes = 1 << 18, .max_scopes = 1, .key_len = 8}},
      {.cache = {.budget_bytes = 1 << 20, .max_scopes = 4, .key_len = 4}},
      {.cache = {.budget_bytes = 1 << 18, .max_scopes = 2, .key_len = 3},
       .policy = DraftPolicy::kEngine}};
  std::vector<BruteReplay> brute(settings.begin(), settings.end());
  auto reader = TraceReader::Open({path});
  ASSERT_TRUE(reader.ok()) << reader.status();
  Request request;
  for (;;) {
    const absl::StatusOr<bool> more = (*reader)->Next(request);
    ASSERT_TRUE(more.ok()) << more.status();
    if (!*more) break;
    for (BruteReplay& one : brute) one.Play(request);
  }
  const auto reports = ReplayAll(OwnCore(), settings, {path}, 2, [](const SweepProgress&) {});
  ASSERT_TRUE(reports.ok()) << reports.status();
  for (size_t i = 0; i < settings.size(); ++i) {
    SCOPED_TRACE(testing::Message() << "settings " << i);
    ExpectEqual((*reports)[i], brute[i].Finish());
    ExpectSumsOverScopes((*reports)[i]);
    EXPECT_GT((*reports)[i].all.decode.shared.accepted, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(Traces, CommittedTrace,
                         ::testing::Values("lockstep_history", "lockstep_folders"));

TEST(Replay, ScopesPastTheMostThatHaveRowsAreCountedTogether) {
  auto replay = Replay::Make(OwnCore(), {.cache = kTiny});
  ASSERT_TRUE(replay.ok());
  const uint64_t tenants = Replay::kMostScopeRows + 10;
  for (uint64_t tenant = 0; tenant < tenants; ++tenant) {
    Request request{.id = "x", .scope = {.tenant = tenant}, .prompt = {1, 2, 3}, .output = {4}};
    ASSERT_TRUE((*replay)->Play(request).ok());
  }
  const ReplayReport report = (*replay)->Finish();
  EXPECT_EQ(report.scopes.size(), Replay::kMostScopeRows);
  EXPECT_EQ(report.other_scopes.requests, 10u);
  EXPECT_EQ(report.all.scope_drops, tenants - 2);
  ExpectSumsOverScopes(report);
}

TEST(Replay, ProposalAloneKeepsAScopeFromBeingDropped) {
  CacheConfig config = kTiny;
  config.key_len = 8;
  auto replay = Replay::Make(OwnCore(), {.cache = config});
  ASSERT_TRUE(replay.ok());
  const Tokens longer(20, 1);
  const auto play = [&](uint64_t tenant, const Tokens& prompt) {
    const Request request{.id = "x", .scope = {.tenant = tenant}, .prompt = prompt, .output = {1}};
    ASSERT_TRUE((*replay)->Play(request).ok());
  };
  play(1, longer);
  play(2, longer);
  play(1, {1});  // asks, and is too short to be inserted
  play(3, longer);
  const ReplayReport report = (*replay)->Finish();
  EXPECT_EQ(report.scopes[0].counts.scope_drops, 0u);
  EXPECT_EQ(report.scopes[1].counts.scope_drops, 1u);
  EXPECT_GT(report.scopes[0].counts.live_tokens, 0u);
  EXPECT_EQ(report.scopes[1].counts.live_tokens, 0u);
}

TEST(Replay, ImplementationThatWritesTooMuchIsABrokenPromise) {
  CInterface liar = OwnCore();
  liar.propose = [](lockstep_cache*, const lockstep_scope_key*, const uint32_t*, size_t, uint32_t*,
                    size_t max_len) { return max_len + 1; };
  auto replay = Replay::Make(liar, {.cache = kTiny});
  ASSERT_TRUE(replay.ok());
  const absl::Status played =
      (*replay)->Play({.id = "x", .scope = {}, .prompt = {1}, .output = {2}});
  EXPECT_EQ(played.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(played.message()), testing::HasSubstr("I5"));
}

TEST(Replay, FailedInsertIsNotCountedAway) {
  CInterface full = OwnCore();
  full.insert = [](lockstep_cache*, const lockstep_scope_key*, const uint32_t*, size_t) {
    return LOCKSTEP_RESOURCE_EXHAUSTED;
  };
  auto replay = Replay::Make(full, {.cache = kTiny});
  ASSERT_TRUE(replay.ok());
  EXPECT_EQ((*replay)->Play({.id = "x", .scope = {}, .prompt = {1}, .output = {2}}).code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(Replay, RefusedConfigurationIsTheUsersError) {
  EXPECT_EQ(Replay::Make(OwnCore(), {.cache = {1, 1, 1}}).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Replay::Make(OwnCore(), {.cache = {6144, 1, 5000}}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace lockstep
