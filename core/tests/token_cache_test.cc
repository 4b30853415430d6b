#include "lockstep/token_cache.h"

#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace lockstep {
namespace {

using Tokens = std::vector<Token>;

constexpr uint64_t kScopeBytes = 65536;  // 4096 slots, 8192 ring tokens
constexpr uint64_t kKeyLen = 4;
constexpr ScopeKey kA{1, 2, 3, 4};
constexpr ScopeKey kB{1, 2, 3, 5};
constexpr ScopeKey kC{1, 2, 3, 6};

SharedTokenCache MakeCache(uint64_t max_scopes, uint64_t key_len = kKeyLen) {
  absl::StatusOr<SharedTokenCache> cache =
      SharedTokenCache::Make({kScopeBytes * max_scopes, max_scopes, key_len});
  EXPECT_TRUE(cache.ok()) << cache.status();
  return *std::move(cache);
}

Tokens Range(Token first, size_t count) {
  Tokens tokens(count);
  std::iota(tokens.begin(), tokens.end(), first);
  return tokens;
}

Tokens Draft(SharedTokenCache& cache, const ScopeKey& scope, const Tokens& history,
             size_t max_len = 1000) {
  Tokens out(max_len);
  out.resize(cache.Propose(scope, history, absl::MakeSpan(out)));
  return out;
}

std::string RefusalOf(const CacheConfig& config) {
  const absl::StatusOr<SharedTokenCache> cache = SharedTokenCache::Make(config);
  EXPECT_EQ(cache.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(cache.status().message());
}

TEST(Make, RefusesWhatGeometryRefuses) {
  for (const CacheConfig& config :
       {CacheConfig{1 << 20, 0, 8}, CacheConfig{1 << 20, 1, 0}, CacheConfig{6143, 1, 8}}) {
    EXPECT_EQ(RefusalOf(config), ComputeGeometry(config).status().message());
  }
}

TEST(Make, RefusesKeysThatLeaveNothingToPredict) {
  EXPECT_TRUE(SharedTokenCache::Make({6144, 1, 1022}).ok());
  for (const uint64_t key_len :
       {uint64_t{1023}, uint64_t{1024}, uint64_t{1} << 40, std::numeric_limits<uint64_t>::max()}) {
    const std::string refusal = RefusalOf({6144, 1, key_len});
    EXPECT_NE(refusal.find(std::to_string(key_len)), std::string::npos) << refusal;
    EXPECT_NE(refusal.find("1023"), std::string::npos) << refusal;
    EXPECT_NE(refusal.find("lower key_len"), std::string::npos) << refusal;
  }
}

TEST(Make, LongestKeyStoresTheLongestTail) {
  absl::StatusOr<SharedTokenCache> cache = SharedTokenCache::Make({6144, 1, 1022});
  ASSERT_TRUE(cache.ok());
  ASSERT_TRUE(cache->Insert(kA, Range(1, 2000)).ok());
  EXPECT_EQ(cache->stored_tokens(kA), 1024u);
  EXPECT_EQ(Draft(*cache, kA, Range(1, 1999)), Tokens{2000});
}

TEST(Make, SaysWhatItMade) {
  const SharedTokenCache cache = MakeCache(3);
  EXPECT_EQ(cache.geometry(), (ScopeGeometry{4096, 8192, kScopeBytes}));
  EXPECT_EQ(cache.config(), (CacheConfig{3 * kScopeBytes, 3, kKeyLen}));
  EXPECT_EQ(cache.scope_count(), 0u);
}

TEST(Insert, DocumentIsDraftedToItsEnd) {
  SharedTokenCache cache = MakeCache(1);
  ASSERT_TRUE(cache.Insert(kA, Range(10, 100)).ok());
  EXPECT_EQ(cache.stored_tokens(kA), 101u);
  EXPECT_EQ(Draft(cache, kA, Range(10, 4)), Range(14, 96));
  EXPECT_EQ(Draft(cache, kA, Range(50, 10)), Range(60, 50));
  EXPECT_EQ(Draft(cache, kA, Range(106, 4)), Tokens{});
}

TEST(Insert, RepeatWritesNothing) {
  SharedTokenCache cache = MakeCache(1);
  // So short that no two of its keys share a slot.
  ASSERT_TRUE(cache.Insert(kA, Range(10, 20)).ok());
  ASSERT_TRUE(cache.Insert(kA, Range(10, 20)).ok());
  EXPECT_EQ(cache.stored_tokens(kA), 21u);
}

TEST(Insert, ShortDocumentMakesNoScope) {
  SharedTokenCache cache = MakeCache(1);
  for (size_t count = 0; count <= kKeyLen; ++count) {
    ASSERT_TRUE(cache.Insert(kA, Range(1, count)).ok());
    EXPECT_EQ(cache.scope_count(), 0u);
  }
  ASSERT_TRUE(cache.Insert(kA, {}).ok());
  ASSERT_TRUE(cache.Insert(kA, Range(1, kKeyLen + 1)).ok());
  EXPECT_EQ(cache.scope_count(), 1u);
}

TEST(Insert, ShortDocumentIsNoUse) {
  SharedTokenCache cache = MakeCache(2);
  ASSERT_TRUE(cache.Insert(kA, Range(1, 10)).ok());
  ASSERT_TRUE(cache.Insert(kB, Range(1, 10)).ok());
  ASSERT_TRUE(cache.Insert(kA, Range(1, kKeyLen)).ok());
  ASSERT_TRUE(cache.Insert(kC, Range(1, 10)).ok());
  EXPECT_EQ(cache.stored_tokens(kA), 0u);
  EXPECT_EQ(cache.stored_tokens(kB), 11u);
}

TEST(Insert, ReservedTokenAnywhereIsRefusedAndNothingChanges) {
  for (const auto& [count, at] : std::vector<std::pair<size_t, size_t>>{
           {10, 0}, {10, 9}, {10, 5}, {1, 0}, {kKeyLen, 2}, {20000, 0}, {20000, 19999}}) {
    SCOPED_TRACE(at);
    SharedTokenCache cache = MakeCache(2);
    ASSERT_TRUE(cache.Insert(kA, Range(1, 10)).ok());
    ASSERT_TRUE(cache.Insert(kB, Range(1, 10)).ok());
    Tokens doc = Range(100, count);
    doc[at] = kReservedToken;
    for (const ScopeKey& scope : {kA, kC}) {
      const absl::Status status = cache.Insert(scope, doc);
      EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
      EXPECT_NE(status.message().find(std::to_string(at)), std::string::npos) << status;
    }
    EXPECT_EQ(cache.scope_count(), 2u);
    EXPECT_EQ(cache.stored_tokens(kA), 11u);
    EXPECT_EQ(cache.stored_tokens(kC), 0u);
    // Nor was it a use: A is still the least recently used.
    ASSERT_TRUE(cache.Insert(kC, Range(1, 10)).ok());
    EXPECT_EQ(cache.stored_tokens(kA), 0u);
    EXPECT_EQ(cache.stored_tokens(kB), 11u);
  }
}

TEST(Insert, LargestTokenIdIsStored) {
  SharedTokenCache cache = MakeCache(1);
  const Tokens doc = {0, kReservedToken - 1, 0, kReservedToken - 1, kReservedToken - 2, 0};
  ASSERT_TRUE(cache.Insert(kA, doc).ok());
  EXPECT_EQ(Draft(cache, kA, {0, kReservedToken - 1, 0, kReservedToken - 1}),
            (Tokens{kReservedToken - 2, 0}));
}

TEST(Insert, BudgetThatCannotBeAllocatedIsResourceExhausted) {
  absl::StatusOr<SharedTokenCache> cache =
      SharedTokenCache::Make({std::numeric_limits<uint64_t>::max(), 2, kKeyLen});
  ASSERT_TRUE(cache.ok());
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(cache->Insert(kA, Range(1, 10)).code(), absl::StatusCode::kResourceExhausted);
    EXPECT_EQ(cache->scope_count(), 0u);
    EXPECT_EQ(cache->stored_tokens(kA), 0u);
    EXPECT_EQ(Draft(*cache, kA, Range(1, 4)), Tokens{});
  }
}

TEST(Propose, WritesAtMostMaxLenAndNothingPastTheDraft) {
  SharedTokenCache cache = MakeCache(1);
  ASSERT_TRUE(cache.Insert(kA, Range(10, 20)).ok());
  const Tokens history = Range(10, 4);
  for (const size_t max_len : {size_t{0}, size_t{1}, size_t{15}, size_t{16}, size_t{17},
                               std::numeric_limits<size_t>::max()}) {
    Tokens out(40, 7);
    const size_t written = cache.Propose(kA, history, out.data(), max_len);
    ASSERT_EQ(written, std::min<size_t>(max_len, 16));
    Tokens expected = Range(14, written);
    expected.resize(40, 7);
    EXPECT_EQ(out, expected);
  }
}

TEST(Propose, OnlyTheLastKeyOfTheHistoryCounts) {
  SharedTokenCache cache = MakeCache(1);
  ASSERT_TRUE(cache.Insert(kA, Range(10, 20)).ok());
  EXPECT_EQ(Draft(cache, kA, {kReservedToken, 10, 11, 12, 13}), Range(14, 16));
  EXPECT_EQ(Draft(cache, kA, {10, 11, 12, kReservedToken}), Tokens{});
  EXPECT_EQ(Draft(cache, kA, {11, 12, 13}), Tokens{});
  EXPECT_EQ(Draft(cache, kA, {10, 11, 13, 12}), Tokens{});
}

TEST(Propose, ReservedTokensMatchNoRunMark) {
  SharedTokenCache cache = MakeCache(1, 1);
  ASSERT_TRUE(cache.Insert(kA, {1, 2}).ok());
  ASSERT_TRUE(cache.Insert(kA, {3, 4}).ok());
  EXPECT_EQ(Draft(cache, kA, {kReservedToken}), Tokens{});
  EXPECT_EQ(Draft(cache, kA, {2}), Tokens{});
}

TEST(Propose, NullArraysOfNoTokensAreFine) {
  SharedTokenCache cache = MakeCache(1);
  EXPECT_EQ(cache.Propose(kA, {}, nullptr, 0), 0u);
  ASSERT_TRUE(cache.Insert(kA, Range(10, 20)).ok());
  EXPECT_EQ(cache.Propose(kA, {}, nullptr, 0), 0u);
  EXPECT_EQ(cache.Propose(kA, Range(10, 4), nullptr, 0), 0u);
}

TEST(Propose, AbsentScopeIsNotMade) {
  SharedTokenCache cache = MakeCache(2);
  EXPECT_EQ(Draft(cache, kA, Range(1, 10)), Tokens{});
  EXPECT_EQ(cache.scope_count(), 0u);
}

TEST(SharedTokenCache, MovedCacheKeepsItsScopes) {
  SharedTokenCache cache = MakeCache(2);
  ASSERT_TRUE(cache.Insert(kA, Range(10, 20)).ok());
  SharedTokenCache moved = std::move(cache);
  ASSERT_TRUE(moved.Insert(kB, Range(10, 20)).ok());
  EXPECT_EQ(Draft(moved, kA, Range(10, 4)), Range(14, 16));
  ASSERT_TRUE(moved.Insert(kC, Range(10, 20)).ok());
  EXPECT_EQ(moved.stored_tokens(kB), 0u);
}

}  // namespace
}  // namespace lockstep
