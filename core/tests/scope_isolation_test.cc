// Which scope is which, and which one is dropped (I2).

#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "lockstep/token_cache.h"

namespace lockstep {
namespace {

using Tokens = std::vector<Token>;

constexpr uint64_t kKeyLen = 2;

ScopeKey Tenant(uint64_t tenant) { return {.tenant = tenant}; }

SharedTokenCache MakeCache(uint64_t max_scopes) {
  absl::StatusOr<SharedTokenCache> cache =
      SharedTokenCache::Make({6144 * max_scopes, max_scopes, kKeyLen});
  EXPECT_TRUE(cache.ok()) << cache.status();
  return *std::move(cache);
}

void InsertRange(SharedTokenCache& cache, const ScopeKey& scope, Token first, size_t count = 10) {
  Tokens doc(count);
  std::iota(doc.begin(), doc.end(), first);
  ASSERT_TRUE(cache.Insert(scope, doc).ok());
}

// The token that follows {first, first + 1}, or 0.
Token Next(SharedTokenCache& cache, const ScopeKey& scope, Token first) {
  const Tokens history = {first, first + 1};
  Token next = 0;
  return cache.Propose(scope, history, &next, 1) == 0 ? 0 : next;
}

TEST(Scopes, EachOfThe256BitsTellsThemApart) {
  SharedTokenCache cache = MakeCache(257);
  const ScopeKey base{0x0123456789abcdef, 0xfedcba9876543210, 0x5555555555555555, 0};
  InsertRange(cache, base, 1000);
  std::vector<ScopeKey> others;
  for (int bit = 0; bit < 64; ++bit) {
    for (uint64_t ScopeKey::* field :
         {&ScopeKey::model, &ScopeKey::tokenizer, &ScopeKey::adapter, &ScopeKey::tenant}) {
      others.push_back(base);
      others.back().*field ^= uint64_t{1} << bit;
    }
  }
  for (size_t i = 0; i < others.size(); ++i) {
    EXPECT_EQ(cache.stored_tokens(others[i]), 0u);
    EXPECT_EQ(Next(cache, others[i], 1000), 0u);
    InsertRange(cache, others[i], static_cast<Token>(2000 + 100 * i));
  }
  EXPECT_EQ(cache.scope_count(), 257u);
  for (size_t i = 0; i < others.size(); ++i) {
    const Token first = static_cast<Token>(2000 + 100 * i);
    EXPECT_EQ(Next(cache, others[i], first), first + 2);
    EXPECT_EQ(Next(cache, others[i], 1000), 0u);
  }
  EXPECT_EQ(Next(cache, base, 1000), 1002u);
}

TEST(Scopes, SwappedFieldsTellThemApart) {
  SharedTokenCache cache = MakeCache(24);
  std::vector<uint64_t> fields = {1, 2, 3, 4};
  Token first = 1000;
  do {
    const ScopeKey key{fields[0], fields[1], fields[2], fields[3]};
    EXPECT_EQ(cache.stored_tokens(key), 0u);
    InsertRange(cache, key, first += 100);
  } while (std::next_permutation(fields.begin(), fields.end()));
  EXPECT_EQ(cache.scope_count(), 24u);
}

TEST(Scopes, LeastRecentlyInsertedIsDropped) {
  SharedTokenCache cache = MakeCache(3);
  for (const uint64_t tenant : {1, 2, 3, 1, 2}) InsertRange(cache, Tenant(tenant), 10);
  InsertRange(cache, Tenant(4), 10);
  EXPECT_EQ(cache.scope_count(), 3u);
  EXPECT_EQ(cache.stored_tokens(Tenant(3)), 0u);
  EXPECT_GT(cache.stored_tokens(Tenant(1)), 0u);
}

TEST(Scopes, EveryProposalIsAUse) {
  const Tokens miss = {77, 78};
  const Tokens one = {77};
  const std::vector<std::function<void(SharedTokenCache&)>> proposals = {
      [](SharedTokenCache& cache) { EXPECT_EQ(Next(cache, Tenant(1), 10), 12u); },
      [&](SharedTokenCache& cache) { cache.Propose(Tenant(1), miss, nullptr, 0); },
      [&](SharedTokenCache& cache) { EXPECT_EQ(Next(cache, Tenant(1), 77), 0u); },
      [&](SharedTokenCache& cache) { cache.Propose(Tenant(1), one, nullptr, 0); },
      [](SharedTokenCache& cache) { cache.Propose(Tenant(1), {}, nullptr, 0); }};
  for (size_t i = 0; i < proposals.size(); ++i) {
    SCOPED_TRACE(i);
    SharedTokenCache cache = MakeCache(2);
    InsertRange(cache, Tenant(1), 10);
    InsertRange(cache, Tenant(2), 10);
    proposals[i](cache);
    InsertRange(cache, Tenant(3), 10);
    EXPECT_GT(cache.stored_tokens(Tenant(1)), 0u);
    EXPECT_EQ(cache.stored_tokens(Tenant(2)), 0u);
  }
}

TEST(Scopes, LookingAtThemIsNoUse) {
  SharedTokenCache cache = MakeCache(2);
  InsertRange(cache, Tenant(1), 10);
  InsertRange(cache, Tenant(2), 10);
  EXPECT_GT(cache.stored_tokens(Tenant(1)), 0u);
  EXPECT_EQ(cache.scope_count(), 2u);
  EXPECT_EQ(Next(cache, Tenant(9), 10), 0u);
  InsertRange(cache, Tenant(3), 10);
  EXPECT_EQ(cache.stored_tokens(Tenant(1)), 0u);
}

TEST(Scopes, DroppedTokensNeverComeBack) {
  SharedTokenCache cache = MakeCache(1);
  for (uint64_t round = 0; round < 200; ++round) {
    const Token first = static_cast<Token>(1000 + 10 * round);
    InsertRange(cache, Tenant(round % 2), first);
    EXPECT_EQ(cache.scope_count(), 1u);
    EXPECT_EQ(cache.stored_tokens(Tenant(round % 2)), 11u);
    EXPECT_EQ(cache.stored_tokens(Tenant(1 - round % 2)), 0u);
    EXPECT_EQ(Next(cache, Tenant(round % 2), first), first + 2);
    for (Token before = 1000; before < first; before += 10) {
      ASSERT_EQ(Next(cache, Tenant(round % 2), before), 0u) << "round " << round;
    }
  }
}

TEST(Scopes, OrderOfUseIsKeptAmongMany) {
  constexpr uint64_t kScopes = 100;
  SharedTokenCache cache = MakeCache(kScopes);
  std::vector<uint64_t> by_use;  // the least recently used first
  for (uint64_t tenant = 0; tenant < kScopes; ++tenant) {
    InsertRange(cache, Tenant(tenant), 10);
    by_use.push_back(tenant);
  }
  uint64_t state = 7;
  const auto use = [&](uint64_t tenant) {
    by_use.erase(std::find(by_use.begin(), by_use.end(), tenant));
    by_use.push_back(tenant);
  };
  for (uint64_t round = 0; round < 2000; ++round) {
    state = state * 6364136223846793005 + 1442695040888963407;
    const uint64_t tenant = by_use[(state >> 33) % kScopes];
    if (state >> 62 == 0) {
      const uint64_t made = kScopes + round;
      InsertRange(cache, Tenant(made), 10);
      ASSERT_EQ(cache.stored_tokens(Tenant(by_use.front())), 0u) << "round " << round;
      by_use.erase(by_use.begin());
      by_use.push_back(made);
    } else if (state >> 62 == 1) {
      InsertRange(cache, Tenant(tenant), 10);
      use(tenant);
    } else {
      ASSERT_EQ(Next(cache, Tenant(tenant), 10), 12u) << "round " << round;
      use(tenant);
    }
    ASSERT_EQ(cache.scope_count(), kScopes);
  }
}

}  // namespace
}  // namespace lockstep
