// The table of scopes beside the plainest list there is.

#include "lockstep/scope_table.h"

#include <algorithm>
#include <cstddef>
#include <list>
#include <optional>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace lockstep {
namespace {

constexpr ScopeOptions kSmall{.slots = 64, .ring_tokens = 64, .key_len = 2};

ScopeKey Key(uint64_t n) {
  return {.model = n % 3, .tokenizer = 0, .adapter = n / 3, .tenant = ~n};
}

// What a scope is known by: a document that only it was given.
std::vector<Token> DocumentOf(uint64_t n) {
  const auto token = static_cast<Token>(1000 * n);
  return {token, token + 1, token + 2};
}

std::optional<Token> Recall(const Scope& scope, uint64_t n) {
  Token next = 0;
  if (scope.Propose(absl::MakeConstSpan(DocumentOf(n)).first(2), &next, 1) == 0) return {};
  return next;
}

TEST(ScopeTable, KeepsTheScopesThatAPlainListKeeps) {
  for (uint64_t max_scopes : {1, 2, 7, 50}) {
    std::mt19937_64 random(max_scopes);
    ScopeTable table(kSmall, max_scopes, /*scrub=*/false);
    std::list<uint64_t> by_use;  // the most recently used first
    for (int step = 0; step < 20'000; ++step) {
      const uint64_t n = random() % (2 * max_scopes + 1);
      const auto it = std::find(by_use.begin(), by_use.end(), n);
      const bool exists = it != by_use.end();
      if (random() % 4 == 0) {
        ASSERT_EQ(table.Peek(Key(n)) != nullptr, exists);
        continue;
      }
      if (random() % 2 == 0) {
        Scope* const scope = table.Use(Key(n));
        ASSERT_EQ(scope != nullptr, exists);
        if (!exists) continue;
        ASSERT_EQ(Recall(*scope, n), DocumentOf(n)[2]);
      } else {
        Scope* const scope = table.UseOrMake(Key(n));
        ASSERT_NE(scope, nullptr);
        ASSERT_EQ(scope->stored_tokens(), exists ? 4u : 0u) << "a new scope is empty";
        scope->Insert(DocumentOf(n));
        if (!exists && by_use.size() == max_scopes) by_use.pop_back();
      }
      if (exists) by_use.erase(it);
      by_use.push_front(n);
      ASSERT_EQ(table.size(), by_use.size());
    }
  }
}

TEST(ScopeTable, AMovedTableKeepsItsScopesAndTheOldOneIsEmpty) {
  ScopeTable table(kSmall, 5, /*scrub=*/false);
  for (uint64_t n = 0; n < 5; ++n) table.UseOrMake(Key(n))->Insert(DocumentOf(n));
  ScopeTable moved = std::move(table);
  EXPECT_EQ(moved.size(), 5u);
  EXPECT_EQ(Recall(*moved.Use(Key(3)), 3), DocumentOf(3)[2]);
  EXPECT_EQ(table.size(), 0u);  // NOLINT(bugprone-use-after-move): what is left is defined
  EXPECT_EQ(table.Peek(Key(3)), nullptr);
  table = std::move(moved);
  EXPECT_EQ(table.size(), 5u);
  EXPECT_EQ(moved.size(), 0u);  // NOLINT(bugprone-use-after-move)
}

TEST(ScopeTable, UseInStepsIsAUse) {
  ScopeTable table(kSmall, 2, /*scrub=*/false);
  EXPECT_EQ(table.Use(Key(0), table.PrefetchBucket(Key(0))), nullptr);
  table.UseOrMake(Key(0));
  table.UseOrMake(Key(1));
  const uint64_t hash = table.PrefetchBucket(Key(0));
  table.PrefetchEntry(hash);
  EXPECT_NE(table.Use(Key(0), hash), nullptr);
  table.UseOrMake(Key(2));
  EXPECT_NE(table.Peek(Key(0)), nullptr);
  EXPECT_EQ(table.Peek(Key(1)), nullptr);
}

TEST(ScopeTable, ATakenOverScopeIsEmptyHoweverOftenItWasTaken) {
  ScopeTable table(kSmall, 1, /*scrub=*/false);
  for (uint64_t n = 0; n < 200; ++n) {
    Scope* const scope = table.UseOrMake(Key(n));
    EXPECT_EQ(scope->stored_tokens(), 0u);
    // Neither what the scope before knew, nor what any did.
    for (uint64_t other = 0; other < n; ++other) ASSERT_EQ(Recall(*scope, other), std::nullopt);
    scope->Insert(DocumentOf(n));
    EXPECT_EQ(Recall(*scope, n), DocumentOf(n)[2]);
  }
}

bool AllZero(absl::Span<const std::byte> memory) {
  return std::all_of(memory.begin(), memory.end(),
                     [](std::byte byte) { return byte == std::byte{0}; });
}

TEST(ScopeTable, ScrubOverwritesWhatTheDroppedScopeHeld) {
  // A small scope, and one large enough to be mapped on huge pages.
  for (const ScopeOptions& options :
       {kSmall, ScopeOptions{.slots = uint64_t{1} << 18, .ring_tokens = 300'001, .key_len = 2}}) {
    for (const bool scrub : {false, true}) {
      ScopeTable table(options, 1, scrub);
      table.UseOrMake(Key(1))->Insert(DocumentOf(1));
      ASSERT_FALSE(AllZero(table.Peek(Key(1))->memory()));
      table.UseOrMake(Key(2));
      EXPECT_EQ(AllZero(table.Peek(Key(2))->memory()), scrub);
    }
  }
}

}  // namespace
}  // namespace lockstep
