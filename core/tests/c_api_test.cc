#include "lockstep/c_api.h"

#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "lockstep/token_cache.h"

namespace {

using Tokens = std::vector<uint32_t>;

constexpr lockstep_config kConfig = {1 << 20, 4, 4};
constexpr lockstep_scope_key kScope = {1, 2, 3, 4};
constexpr uint32_t kReserved = 0xffffffff;

lockstep_cache* MakeCache() {
  lockstep_cache* cache = nullptr;
  EXPECT_EQ(lockstep_cache_create(&kConfig, &cache), LOCKSTEP_OK);
  return cache;
}

Tokens Range(uint32_t first, size_t count) {
  Tokens tokens(count);
  std::iota(tokens.begin(), tokens.end(), first);
  return tokens;
}

lockstep_status Insert(lockstep_cache* cache, const Tokens& doc) {
  return lockstep_cache_insert(cache, &kScope, doc.data(), doc.size());
}

TEST(CInterface, VersionIsOneAndThereIsAName) {
  EXPECT_EQ(lockstep_abi_version(), 1u);
  EXPECT_STREQ(lockstep_impl_name(), "lockstep core");
}

TEST(CInterface, StatusesAreNumberedAsInTheContract) {
  EXPECT_EQ(LOCKSTEP_OK, 0);
  EXPECT_EQ(LOCKSTEP_INVALID_ARGUMENT, 1);
  EXPECT_EQ(LOCKSTEP_RESOURCE_EXHAUSTED, 2);
  EXPECT_EQ(LOCKSTEP_INTERNAL, 3);
}

TEST(CInterface, LearnsAndProposes) {
  lockstep_cache* cache = MakeCache();
  EXPECT_EQ(Insert(cache, Range(10, 20)), LOCKSTEP_OK);
  EXPECT_EQ(lockstep_cache_stored_tokens(cache, &kScope), 21u);
  EXPECT_EQ(lockstep_cache_scope_count(cache), 1u);
  Tokens out(30, 7);
  const Tokens history = Range(12, 4);
  ASSERT_EQ(lockstep_cache_propose(cache, &kScope, history.data(), 4, out.data(), 5), 5u);
  Tokens expected = Range(16, 5);
  expected.resize(30, 7);
  EXPECT_EQ(out, expected);
  lockstep_cache_destroy(cache);
}

TEST(CInterface, FailedCreateSetsOutToNull) {
  for (const lockstep_config& config :
       {lockstep_config{0, 0, 0}, lockstep_config{1 << 20, 0, 4}, lockstep_config{1 << 20, 4, 0},
        lockstep_config{6143, 1, 4}, lockstep_config{6144, 1, 1023}}) {
    lockstep_cache* cache = reinterpret_cast<lockstep_cache*>(&cache);
    EXPECT_EQ(lockstep_cache_create(&config, &cache), LOCKSTEP_INVALID_ARGUMENT);
    EXPECT_EQ(cache, nullptr);
    // The C++ interface's own words, as far as they fit.
    EXPECT_EQ(lockstep_last_error(), lockstep::SharedTokenCache::Make(
                                         {config.budget_bytes, config.max_scopes, config.key_len})
                                         .status()
                                         .message());
  }
}

TEST(CInterface, DestroyOfNullIsFine) { lockstep_cache_destroy(nullptr); }

TEST(CInterface, ReservedTokenIsAnInvalidArgument) {
  lockstep_cache* cache = MakeCache();
  EXPECT_EQ(Insert(cache, Range(10, 20)), LOCKSTEP_OK);
  Tokens doc = Range(50, 20);
  doc[3] = kReserved;
  EXPECT_EQ(Insert(cache, doc), LOCKSTEP_INVALID_ARGUMENT);
  EXPECT_NE(std::strstr(lockstep_last_error(), "token 3 "), nullptr) << lockstep_last_error();
  EXPECT_EQ(lockstep_cache_stored_tokens(cache, &kScope), 21u);
  lockstep_cache_destroy(cache);
}

TEST(CInterface, MemoryThatIsNotThereIsResourceExhausted) {
  const lockstep_config config = {std::numeric_limits<uint64_t>::max(), 1, 4};
  lockstep_cache* cache = nullptr;
  ASSERT_EQ(lockstep_cache_create(&config, &cache), LOCKSTEP_OK);
  EXPECT_EQ(Insert(cache, Range(10, 20)), LOCKSTEP_RESOURCE_EXHAUSTED);
  EXPECT_STRNE(lockstep_last_error(), "");
  EXPECT_EQ(lockstep_cache_scope_count(cache), 0u);
  lockstep_cache_destroy(cache);
}

TEST(CInterface, NullArraysOfNoTokensAreFine) {
  lockstep_cache* cache = MakeCache();
  EXPECT_EQ(lockstep_cache_insert(cache, &kScope, nullptr, 0), LOCKSTEP_OK);
  EXPECT_EQ(lockstep_cache_propose(cache, &kScope, nullptr, 0, nullptr, 0), 0u);
  EXPECT_EQ(Insert(cache, Range(10, 20)), LOCKSTEP_OK);
  EXPECT_EQ(lockstep_cache_insert(cache, &kScope, nullptr, 0), LOCKSTEP_OK);
  EXPECT_EQ(lockstep_cache_propose(cache, &kScope, nullptr, 0, nullptr, 0), 0u);
  lockstep_cache_propose_batch(cache, nullptr, 0);
  lockstep_cache_destroy(cache);
}

TEST(CInterface, LastErrorBelongsToItsThread) {
  lockstep_cache* cache = nullptr;
  const lockstep_config bad = {1 << 20, 0, 4};
  std::thread([&] { EXPECT_STREQ(lockstep_last_error(), ""); }).join();
  EXPECT_EQ(lockstep_cache_create(&bad, &cache), LOCKSTEP_INVALID_ARGUMENT);
  const std::string mine = lockstep_last_error();
  EXPECT_NE(mine.find("max_scopes"), std::string::npos);
  std::thread([&] {
    EXPECT_STREQ(lockstep_last_error(), "");
    const lockstep_config other = {1 << 20, 4, 0};
    lockstep_cache* none = nullptr;
    EXPECT_EQ(lockstep_cache_create(&other, &none), LOCKSTEP_INVALID_ARGUMENT);
    EXPECT_NE(std::strstr(lockstep_last_error(), "key_len"), nullptr);
  }).join();
  EXPECT_EQ(lockstep_last_error(), mine);
}

TEST(CInterface, BatchAnswersAsSingleCallsInItsOrder) {
  // Two caches, the same calls: one in a batch. With two scopes of three the order of use shows.
  const lockstep_config config = {3 * 65536, 3, 4};
  lockstep_cache* single = nullptr;
  lockstep_cache* batched = nullptr;
  ASSERT_EQ(lockstep_cache_create(&config, &single), LOCKSTEP_OK);
  ASSERT_EQ(lockstep_cache_create(&config, &batched), LOCKSTEP_OK);
  const auto scope = [](uint64_t tenant) { return lockstep_scope_key{1, 2, 3, tenant}; };
  const Tokens doc = Range(10, 50);
  for (lockstep_cache* cache : {single, batched}) {
    for (const uint64_t tenant : {1, 2, 3}) {
      const lockstep_scope_key key = scope(tenant);
      ASSERT_EQ(lockstep_cache_insert(cache, &key, doc.data(), doc.size()), LOCKSTEP_OK);
    }
  }
  std::vector<lockstep_proposal> proposals;
  std::vector<Tokens> outs(20, Tokens(64, 7));
  for (size_t i = 0; i < outs.size(); ++i) {
    const size_t start = i * 3 % doc.size();
    const size_t count = std::min<size_t>(i % 7, doc.size() - start);
    proposals.push_back({scope(i < 18 ? 1 + i % 4 : 1), doc.data() + start, count,
                         i == 5 ? nullptr : outs[i].data(), i == 5 ? 0 : i, 99});
  }
  lockstep_cache_propose_batch(batched, proposals.data(), proposals.size());
  for (size_t i = 0; i < proposals.size(); ++i) {
    SCOPED_TRACE(i);
    const lockstep_proposal& p = proposals[i];
    Tokens out(64, 7);
    ASSERT_EQ(p.written,
              lockstep_cache_propose(single, &p.scope, p.history, p.count, out.data(), p.max_len));
    EXPECT_EQ(outs[i], out);
  }
  for (const uint64_t tenant : {10, 11}) {
    const lockstep_scope_key key = scope(tenant);
    for (lockstep_cache* cache : {single, batched}) {
      ASSERT_EQ(lockstep_cache_insert(cache, &key, doc.data(), doc.size()), LOCKSTEP_OK);
    }
    for (const uint64_t other : {1, 2, 3}) {
      const lockstep_scope_key old = scope(other);
      EXPECT_EQ(lockstep_cache_stored_tokens(single, &old),
                lockstep_cache_stored_tokens(batched, &old));
    }
  }
  lockstep_cache_destroy(single);
  lockstep_cache_destroy(batched);
}

TEST(CInterface, CachesOfDifferentThreadsDoNotMeet) {
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      lockstep_cache* cache = MakeCache();
      const uint32_t first = 1000 * t;
      for (uint32_t i = 0; i < 100; ++i) {
        ASSERT_EQ(Insert(cache, Range(first + i, 20)), LOCKSTEP_OK);
        // The key that took its slot last.
        const Tokens history = Range(first + i + 15, 4);
        uint32_t next = 0;
        ASSERT_EQ(lockstep_cache_propose(cache, &kScope, history.data(), 4, &next, 1), 1u);
        ASSERT_EQ(next, first + i + 19);
      }
      lockstep_cache_destroy(cache);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
