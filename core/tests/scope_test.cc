// Scopes with tiny rings and slot tables, which only tests make: every limit is close by. What must
// come out is counted by hand from the definition in scope.h.

#include "lockstep/scope.h"

#include <numeric>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace lockstep {
namespace {

using Tokens = std::vector<Token>;

// Slots are so many that no two keys of these tests share one.
constexpr ScopeOptions kRoomy{.slots = 1 << 16, .ring_tokens = 1000, .key_len = 2};

Scope MakeScope(const ScopeOptions& options) {
  absl::StatusOr<Scope> scope = Scope::Make(options);
  EXPECT_TRUE(scope.ok()) << scope.status();
  return *std::move(scope);
}

Tokens Range(Token first, size_t count) {
  Tokens tokens(count);
  std::iota(tokens.begin(), tokens.end(), first);
  return tokens;
}

Tokens operator+(Tokens a, const Tokens& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Tokens Draft(const Scope& scope, const Tokens& history, size_t max_len = 500) {
  Tokens out(max_len);
  out.resize(scope.Propose(history, out.data(), max_len));
  return out;
}

// What an insert writes.
uint64_t Written(Scope& scope, const Tokens& doc) {
  const uint64_t before = scope.stored_tokens();
  scope.Insert(doc);
  return scope.stored_tokens() - before;
}

TEST(Scope, FreshDocumentIsWrittenWithAMark) {
  Scope scope = MakeScope(kRoomy);
  EXPECT_EQ(Written(scope, Range(1, 50)), 51u);
  EXPECT_EQ(Draft(scope, {1, 2}), Range(3, 48));
  EXPECT_EQ(Draft(scope, {48, 49}), Range(50, 1));
  EXPECT_EQ(Draft(scope, {49, 50}), Tokens{});
}

TEST(Scope, DocumentOfTheKeyOnlyWritesNothing) {
  Scope scope = MakeScope(kRoomy);
  EXPECT_EQ(Written(scope, {1, 2}), 0u);
  EXPECT_EQ(Written(scope, {1}), 0u);
  EXPECT_EQ(Written(scope, {}), 0u);
  EXPECT_EQ(Written(scope, {1, 2, 3}), 4u);
}

TEST(Scope, RepeatedDocumentWritesNothing) {
  Scope scope = MakeScope(kRoomy);
  scope.Insert(Range(1, 200));
  EXPECT_EQ(Written(scope, Range(1, 200)), 0u);
  EXPECT_EQ(Written(scope, Range(100, 50)), 0u);
}

TEST(Scope, NewTailIsWrittenAfterItsKey) {
  Scope scope = MakeScope(kRoomy);
  scope.Insert(Range(1, 50));
  // Key, five new tokens and the mark: the 48 known ones before them are not written again.
  EXPECT_EQ(Written(scope, Range(1, 50) + Range(901, 5)), 8u);
  EXPECT_EQ(Draft(scope, {49, 50}), Range(901, 5));
  EXPECT_EQ(Draft(scope, {48, 49}), Range(50, 1));
}

TEST(Scope, RunIsCutAtTheThirtySecondDuplicate) {
  const Tokens known = Range(1, 100);
  for (const size_t duplicates : {30, 31, 32, 33, 60}) {
    SCOPED_TRACE(duplicates);
    Scope scope = MakeScope(kRoomy);
    scope.Insert(known);
    // Starts a run with two new keys, then goes on with known ones.
    const Tokens doc = Tokens{901, 902, 1, 2} + Range(3, duplicates);
    // 901 902 are the key of the first new token; 1 and 2 are new after other keys.
    const uint64_t written = 4 + std::min<uint64_t>(duplicates, 31) + 1;
    EXPECT_EQ(Written(scope, doc), written);
    EXPECT_EQ(Draft(scope, {901, 902}), Range(1, 2 + std::min<size_t>(duplicates, 31)));
  }
}

TEST(Scope, RunResumesAfterACut) {
  Scope scope = MakeScope(kRoomy);
  scope.Insert(Range(1, 100));
  const Tokens doc = Tokens{901, 902} + Range(1, 60) + Range(951, 4);
  // A run of key, 1 2, 31 duplicates and mark; then one of key, the new tail and mark.
  EXPECT_EQ(Written(scope, doc), (2 + 2 + 31 + 1) + (2 + 4 + 1));
  EXPECT_EQ(Draft(scope, {59, 60}), Range(951, 4));
}

TEST(Scope, DuplicatesThatAreBrokenOffAreCountedAnew) {
  Scope scope = MakeScope(kRoomy);
  scope.Insert(Range(1, 100));
  const Tokens doc = Tokens{901, 902} + Range(1, 33) + Tokens{903} + Range(41, 33);
  // 31 duplicates, a new token, two keys that hold it, 31 duplicates: never 32 in a row.
  EXPECT_EQ(Written(scope, doc), doc.size() + 1);
}

TEST(Scope, DuplicateLimitIsWhatTheOptionSays) {
  Scope scope =
      MakeScope({.slots = 1 << 16, .ring_tokens = 1000, .key_len = 2, .duplicate_limit = 3});
  scope.Insert(Range(1, 100));
  EXPECT_EQ(Written(scope, Tokens{901, 902} + Range(1, 60)), 4u + 2 + 1);
}

TEST(Scope, LatestContinuationWins) {
  Scope scope = MakeScope(kRoomy);
  scope.Insert({1, 2, 3});
  scope.Insert({1, 2, 4});
  EXPECT_EQ(Draft(scope, {1, 2}), Tokens{4});
  EXPECT_EQ(Written(scope, {1, 2, 3}), 4u);
  EXPECT_EQ(Draft(scope, {1, 2}), Tokens{3});
}

TEST(Scope, OnlyTheTailOfALongDocumentCounts) {
  Scope scope = MakeScope({.slots = 1 << 16, .ring_tokens = 100, .key_len = 2});
  // 99 tokens are kept and the mark makes 100: the whole ring, all of it live.
  EXPECT_EQ(Written(scope, Range(1, 1000)), 100u);
  EXPECT_EQ(Draft(scope, {902, 903}), Range(904, 97));
  EXPECT_EQ(Draft(scope, {901, 902}), Tokens{});
}

TEST(Scope, OldestKeyIsFoundUntilItsFirstTokenIsOverwritten) {
  for (const uint64_t first : {uint64_t{1}, (uint64_t{1} << 32) - 50, (uint64_t{1} << 46) - 50}) {
    SCOPED_TRACE(first);
    Scope scope =
        MakeScope({.slots = 1 << 16, .ring_tokens = 100, .key_len = 2, .first_position = first});
    scope.Insert(Range(1, 50));    // 51 cells
    scope.Insert(Range(101, 48));  // 49 cells: the ring is full
    EXPECT_EQ(Draft(scope, {1, 2}), Range(3, 48));
    scope.Insert({201, 202, 203});  // 4 cells: those of tokens 1 to 4 are gone
    EXPECT_EQ(Draft(scope, {1, 2}), Tokens{});
    EXPECT_EQ(Draft(scope, {4, 5}), Tokens{});
    EXPECT_EQ(Draft(scope, {5, 6}), Range(7, 44));
    EXPECT_EQ(scope.stored_tokens(), 51u + 49 + 4);
  }
}

TEST(Scope, DraftEndsAtTheLatestPosition) {
  Scope scope = MakeScope({.slots = 1 << 16, .ring_tokens = 10, .key_len = 2});
  scope.Insert(Range(1, 9));
  EXPECT_EQ(Draft(scope, {1, 2}), Range(3, 7));
}

TEST(Scope, FirstPositionChangesNoAnswer) {
  Scope plain = MakeScope({.slots = 64, .ring_tokens = 61, .key_len = 3});
  std::vector<Scope> others;
  for (const uint64_t first : {(uint64_t{1} << 16) - 200, (uint64_t{1} << 32) - 200,
                               (uint64_t{1} << 46) - 200, (uint64_t{1} << 63) - 200}) {
    others.push_back(
        MakeScope({.slots = 64, .ring_tokens = 61, .key_len = 3, .first_position = first}));
  }
  uint64_t state = 1;  // a linear congruential generator: equal documents everywhere
  const auto draw = [&](uint64_t below) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return (state >> 33) % below;
  };
  size_t drafted = 0;
  for (int round = 0; round < 300; ++round) {
    Tokens doc(draw(40));
    for (Token& token : doc) token = static_cast<Token>(draw(3));
    Tokens history(4);
    for (Token& token : history) token = static_cast<Token>(draw(3));
    plain.Insert(doc);
    drafted += Draft(plain, history, 9).size();
    for (Scope& other : others) {
      other.Insert(doc);
      ASSERT_EQ(other.stored_tokens(), plain.stored_tokens()) << "round " << round;
      ASSERT_EQ(Draft(other, history, 9), Draft(plain, history, 9)) << "round " << round;
    }
  }
  EXPECT_GT(plain.stored_tokens(), 400u);  // beyond each of the positions above
  EXPECT_GT(drafted, 300u);
}

TEST(Scope, ResetForgetsEverything) {
  Scope scope = MakeScope(kRoomy);
  scope.Insert(Range(1, 50));
  scope.Reset();
  EXPECT_EQ(scope.stored_tokens(), 0u);
  EXPECT_EQ(Draft(scope, {1, 2}), Tokens{});
  EXPECT_EQ(Written(scope, Range(1, 50)), 51u);
  EXPECT_EQ(Draft(scope, {1, 2}), Range(3, 48));
}

TEST(Scope, TableOfOneSlotKeepsTheLatestKey) {
  Scope scope = MakeScope({.slots = 1, .ring_tokens = 100, .key_len = 2});
  scope.Insert(Range(1, 20));
  EXPECT_EQ(Draft(scope, {18, 19}), Tokens{20});
  EXPECT_EQ(Draft(scope, {17, 18}), Tokens{});
}

TEST(Scope, MemoryThatIsNotThereIsAnError) {
  const absl::StatusOr<Scope> scope =
      Scope::Make({.slots = uint64_t{1} << 58, .ring_tokens = uint64_t{1} << 59, .key_len = 2});
  EXPECT_EQ(scope.status().code(), absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace lockstep
