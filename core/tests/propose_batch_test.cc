// A batch of proposals beside the same proposals made one by one.

#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "lockstep/c_api.h"
#include "lockstep/token_cache.h"

namespace lockstep {
namespace {

constexpr size_t kRoom = 40;

ScopeKey Key(uint64_t n) { return {.model = 1, .tokenizer = 2, .adapter = 3, .tenant = n}; }

std::vector<Token> RandomTokens(std::mt19937_64& random, size_t most) {
  std::vector<Token> tokens(random() % (most + 1));
  for (Token& token : tokens) token = static_cast<Token>(random() % 3);
  return tokens;
}

// Two caches that were given the same documents.
struct Twins {
  explicit Twins(const CacheConfig& config)
      : singly(*SharedTokenCache::Make(config)), batched(*SharedTokenCache::Make(config)) {}

  void Insert(const ScopeKey& scope, const std::vector<Token>& doc) {
    ASSERT_TRUE(singly.Insert(scope, doc).ok());
    ASSERT_TRUE(batched.Insert(scope, doc).ok());
  }

  SharedTokenCache singly;
  SharedTokenCache batched;
};

// Asks both caches; every draft must be equal, and `out` past it untouched.
void Compare(Twins& twins, const std::vector<ScopeKey>& scopes,
             const std::vector<std::vector<Token>>& histories, std::mt19937_64& random) {
  constexpr Token kUntouched = 99;
  const size_t count = scopes.size();
  std::vector<std::vector<Token>> drafts(count, std::vector<Token>(kRoom, kUntouched));
  std::vector<Proposal> batch(count);
  for (size_t i = 0; i < count; ++i) {
    batch[i] = {.scope = scopes[i],
                .history = histories[i],
                .out = drafts[i].data(),
                .max_len = random() % (kRoom + 1),
                .written = 12345};
  }
  twins.batched.ProposeBatch(absl::MakeSpan(batch));
  for (size_t i = 0; i < count; ++i) {
    std::vector<Token> alone(kRoom, kUntouched);
    const size_t written =
        twins.singly.Propose(scopes[i], histories[i], alone.data(), batch[i].max_len);
    ASSERT_EQ(batch[i].written, written) << "proposal " << i << " of " << count;
    ASSERT_EQ(drafts[i], alone) << "proposal " << i << " of " << count;
  }
}

TEST(ProposeBatch, EqualsSingleCallsAndTheirOrderOfUse) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    std::mt19937_64 random(seed);
    const uint64_t max_scopes = 1 + random() % 6;
    Twins twins({.budget_bytes = 6144 * max_scopes, .max_scopes = max_scopes, .key_len = 2});
    for (int round = 0; round < 30; ++round) {
      // Drops the scope that is the least recently used: only an equal order keeps the twins equal.
      for (uint64_t i = random() % 4; i > 0; --i) {
        twins.Insert(Key(random() % 9), RandomTokens(random, 60));
      }
      const size_t count = random() % 100;
      std::vector<ScopeKey> scopes(count);
      std::vector<std::vector<Token>> histories(count);
      for (size_t i = 0; i < count; ++i) {
        scopes[i] = Key(random() % 9);
        histories[i] = RandomTokens(random, 6);
      }
      ASSERT_NO_FATAL_FAILURE(Compare(twins, scopes, histories, random)) << "seed " << seed;
      for (uint64_t n = 0; n < 9; ++n) {
        ASSERT_EQ(twins.batched.stored_tokens(Key(n)), twins.singly.stored_tokens(Key(n)));
      }
    }
  }
}

TEST(ProposeBatch, OfACacheWithoutScopesProposesNothing) {
  SharedTokenCache cache =
      *SharedTokenCache::Make({.budget_bytes = 6144, .max_scopes = 1, .key_len = 2});
  const std::vector<Token> history = {1, 2};
  Token out = 7;
  Proposal proposal{.scope = Key(1), .history = history, .out = &out, .max_len = 1, .written = 5};
  cache.ProposeBatch(absl::MakeSpan(&proposal, 1));
  EXPECT_EQ(proposal.written, 0u);
  EXPECT_EQ(out, 7u);
  EXPECT_EQ(cache.scope_count(), 0u);
  cache.ProposeBatch({});
}

TEST(ProposeBatch, ThroughTheCInterfaceIsAsLongAsOneLikes) {
  const lockstep_config config = {6144, 1, 2};
  lockstep_cache* cache = nullptr;
  ASSERT_EQ(lockstep_cache_create(&config, &cache), LOCKSTEP_OK);
  const lockstep_scope_key scope = {1, 2, 3, 4};
  std::vector<Token> doc(700);
  for (size_t i = 0; i < doc.size(); ++i) doc[i] = static_cast<Token>(i);
  ASSERT_EQ(lockstep_cache_insert(cache, &scope, doc.data(), doc.size()), LOCKSTEP_OK);
  constexpr size_t kProposals = 650;
  std::vector<Token> out(kProposals);
  std::vector<lockstep_proposal> batch;
  for (size_t i = 0; i < kProposals; ++i) {
    batch.push_back({scope, doc.data(), i + 2, &out[i], 1, 99});
  }
  lockstep_cache_propose_batch(cache, batch.data(), batch.size());
  size_t found = 0;
  for (size_t i = 0; i < kProposals; ++i) {
    ASSERT_LE(batch[i].written, 1u);
    ASSERT_EQ(out[i], batch[i].written == 1 ? i + 2 : 0);
    found += batch[i].written;
  }
  EXPECT_GT(found, 150u);  // 256 slots hold what the last of them hold.
  lockstep_cache_propose_batch(cache, nullptr, 0);
  lockstep_cache_destroy(cache);
}

}  // namespace
}  // namespace lockstep
