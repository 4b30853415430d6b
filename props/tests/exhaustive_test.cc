// Every short sequence into tiny scopes, and cores that are wrong by one which that shows.

#include "props/harness/exhaustive.h"

#include "gtest/gtest.h"
#include "props/harness/implementation.h"
#include "props/harness/tiny_operations.h"

namespace lockstep {
namespace {

TEST(Exhaustive, TwoDocumentsIntoEveryTinyScopeAgreeWithTheModel) {
  for (const ExhaustiveBounds& bounds : TinyBounds()) {
    ExhaustiveSearch search(bounds);
    for (int level = 1; level <= 2; ++level) {
      ASSERT_FALSE(search.Deepen(absl::InfiniteFuture())) << DescribeOptions(bounds.options);
      ASSERT_TRUE(search.level_finished());
    }
    EXPECT_EQ(search.levels(), 2u);
    EXPECT_GT(search.states(), 10u) << DescribeOptions(bounds.options);
    EXPECT_GT(search.proposals(), search.documents());
  }
}

TEST(Exhaustive, ALevelCutShortGoesOn) {
  ExhaustiveSearch whole(TinyBounds().front()), cut(TinyBounds().front());
  ASSERT_FALSE(whole.Deepen(absl::InfiniteFuture()));
  ASSERT_FALSE(whole.Deepen(absl::InfiniteFuture()));
  while (cut.levels() < 2) ASSERT_FALSE(cut.Deepen(absl::Now() + absl::Microseconds(50)));
  EXPECT_EQ(cut.states(), whole.states());
  EXPECT_EQ(cut.documents(), whole.documents());
}

// A core with other options than the model's is found out within two documents.
bool Shows(ModelOptions (*mistake)(ModelOptions)) {
  for (const ExhaustiveBounds& bounds : TinyBounds()) {
    ExhaustiveSearch search(
        bounds, [&](const ModelOptions& options) { return MakeTinyCache(mistake(options)); });
    for (int level = 1; level <= 2; ++level) {
      if (const auto failing = search.Deepen(absl::InfiniteFuture())) {
        EXPECT_LE(failing->ops.size(), 3u);
        return true;
      }
    }
  }
  return false;
}

TEST(Exhaustive, ShowsSmallMistakes) {
  EXPECT_TRUE(Shows([](ModelOptions o) { return ++o.duplicate_limit, o; }));
  EXPECT_TRUE(Shows([](ModelOptions o) { return --o.duplicate_limit, o; }));
  EXPECT_TRUE(Shows([](ModelOptions o) { return ++o.ring_tokens, o; }));
  EXPECT_TRUE(Shows([](ModelOptions o) { return o.slots *= 2, o; }));
}

TEST(Exhaustive, EveryThreeUsesOfScopesAgreeWithTheModel) {
  for (const uint64_t max_scopes : {1, 2, 3}) {
    const ScopeSearchOutcome outcome = SearchScopeUses(max_scopes, 3, absl::InfiniteFuture());
    EXPECT_FALSE(outcome.failure) << outcome.failure->finding.what;
    const uint64_t uses = 6 * (max_scopes + 1);
    EXPECT_EQ(outcome.sequences, uses * uses * uses);
  }
}

}  // namespace
}  // namespace lockstep
