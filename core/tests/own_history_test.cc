#include "lockstep/own_history.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace lockstep {
namespace {

using Tokens = std::vector<Token>;

Tokens DraftOf(const OwnHistory& history, size_t max_len) {
  const absl::Span<const Token> draft = history.Draft(max_len);
  return Tokens(draft.begin(), draft.end());
}

// The definition, by looking at every earlier place, the latest first.
Tokens DraftByScanning(const Tokens& history, size_t key_len, size_t max_len) {
  if (history.size() < key_len) return {};
  for (size_t end = history.size(); end-- > key_len;) {
    if (std::equal(history.end() - static_cast<ptrdiff_t>(key_len), history.end(),
                   history.begin() + static_cast<ptrdiff_t>(end - key_len))) {
      const size_t len = std::min(max_len, history.size() - end);
      const auto first = history.begin() + static_cast<ptrdiff_t>(end);
      return Tokens(first, first + static_cast<ptrdiff_t>(len));
    }
  }
  return {};
}

TEST(OwnHistory, DraftsWhatFollowedTheLatestEarlierOccurrence) {
  OwnHistory history(2);
  history.Append({1, 2, 3, 1, 2, 4, 5, 1, 2});
  EXPECT_EQ(DraftOf(history, 8), Tokens({4, 5, 1, 2}));
  EXPECT_EQ(DraftOf(history, 1), Tokens({4}));
  EXPECT_EQ(DraftOf(history, 0), Tokens());
}

TEST(OwnHistory, OccurrenceMayOverlapTheTail) {
  OwnHistory history(3);
  history.Append({7, 7, 7, 7});
  EXPECT_EQ(DraftOf(history, 8), Tokens({7}));
}

TEST(OwnHistory, LastKeyAloneHasNothingToFollow) {
  OwnHistory history(2);
  history.Append({1, 2});
  EXPECT_EQ(DraftOf(history, 8), Tokens());
  history.Append(3);
  EXPECT_EQ(DraftOf(history, 8), Tokens());
}

TEST(OwnHistory, KnowsItsKeyLength) { EXPECT_EQ(OwnHistory(5).key_len(), 5u); }

TEST(OwnHistory, ShortHistoryHasNoDraft) {
  OwnHistory history(3);
  EXPECT_EQ(DraftOf(history, 8), Tokens());
  history.Append({1, 1});
  EXPECT_EQ(DraftOf(history, 8), Tokens());
}

TEST(OwnHistory, RewindBringsBackTheOccurrenceThatWasHidden) {
  OwnHistory history(2);
  history.Append({1, 2, 3, 1, 2});
  EXPECT_EQ(DraftOf(history, 1), Tokens({3}));
  history.Append({4, 1, 2});
  EXPECT_EQ(DraftOf(history, 1), Tokens({4}));
  history.Rewind(5);
  EXPECT_EQ(DraftOf(history, 1), Tokens({3}));
  history.Append({5, 6});
  history.Rewind(3);
  history.Append({1, 2});
  EXPECT_EQ(DraftOf(history, 2), Tokens({3, 1}));
}

TEST(OwnHistory, ClearForgetsEverything) {
  OwnHistory history(1);
  history.Append(Tokens(1000, 5));
  history.Clear();
  history.Append(5);
  EXPECT_EQ(DraftOf(history, 8), Tokens());
  history.Append(5);
  EXPECT_EQ(DraftOf(history, 8), Tokens({5}));
}

struct Shape {
  size_t key_len;
  Token vocabulary;
  uint64_t seed;
};

class OwnHistoryAgainstScanning : public ::testing::TestWithParam<Shape> {};

TEST_P(OwnHistoryAgainstScanning, EveryDraftIsEqualThroughAppendsRewindsAndClears) {
  const Shape shape = GetParam();
  SCOPED_TRACE(testing::Message() << "seed " << shape.seed);
  std::mt19937_64 random(shape.seed);
  OwnHistory history(shape.key_len);
  Tokens plain;
  for (int step = 0; step < 3000; ++step) {
    const uint64_t choice = random() % 100;
    if (choice < 60) {
      const auto token = static_cast<Token>(random() % shape.vocabulary);
      history.Append(token);
      plain.push_back(token);
    } else if (choice < 80) {
      // A copy of something earlier, as a model repeats itself.
      Tokens run;
      if (!plain.empty()) {
        const size_t from = random() % plain.size();
        const size_t len = std::min<size_t>(random() % 20, plain.size() - from);
        run.assign(plain.begin() + static_cast<ptrdiff_t>(from),
                   plain.begin() + static_cast<ptrdiff_t>(from + len));
      }
      history.Append(run);
      plain.insert(plain.end(), run.begin(), run.end());
    } else if (choice < 99) {
      const size_t size = plain.size() - std::min<size_t>(random() % 12, plain.size());
      history.Rewind(size);
      plain.resize(size);
    } else if (random() % 4 == 0) {
      history.Clear();
      plain.clear();
    }
    ASSERT_EQ(Tokens(history.tokens().begin(), history.tokens().end()), plain);
    ASSERT_EQ(DraftOf(history, 6), DraftByScanning(plain, shape.key_len, 6)) << "step " << step;
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, OwnHistoryAgainstScanning,
                         ::testing::Values(Shape{1, 2, 1}, Shape{1, 50, 2}, Shape{2, 3, 3},
                                           Shape{3, 2, 4}, Shape{4, 4, 5}, Shape{8, 2, 6},
                                           Shape{8, 100, 7}, Shape{64, 2, 8}));

TEST(OwnHistory, TakingEverythingBackLeavesATableThatAnswersAsNew) {
  std::mt19937_64 random(9);
  OwnHistory history(2);
  Tokens plain;
  for (int round = 0; round < 200; ++round) {
    for (uint64_t i = 0, n = random() % 200; i < n; ++i) {
      plain.push_back(static_cast<Token>(random() % 30));
      history.Append(plain.back());
    }
    plain.resize(plain.size() * (random() % 4) / 4);
    history.Rewind(plain.size());
    ASSERT_EQ(DraftOf(history, 9), DraftByScanning(plain, 2, 9));
  }
}

TEST(OwnHistory, KeysOfEqualHashAreToldApart) {
  // Found by reducing the lattice of all keys whose hash is 0: these two differ by such a key.
  const Tokens one = {0, 1248332, 0};
  const Tokens other = {692619, 0, 2642377};
  OwnHistory history(3);
  history.Append(one);
  history.Append(7);
  history.Append(other);
  EXPECT_EQ(DraftOf(history, 1), Tokens());
  history.Append(8);
  history.Append(one);
  EXPECT_EQ(DraftOf(history, 1), Tokens({7}));
  history.Append(9);
  history.Append(other);
  EXPECT_EQ(DraftOf(history, 1), Tokens({8}));
  history.Rewind(7);
  EXPECT_EQ(DraftOf(history, 1), Tokens());
}

TEST(CopyWindow, DoublesAfterAFullDraftAndHalvesAfterAnyOther) {
  CopyWindow window(1, 8, 2);
  EXPECT_EQ(window.size(), 2u);
  window.Report(2, 2);
  EXPECT_EQ(window.size(), 4u);
  window.Report(1, 1);  // a short draft, all of it accepted
  EXPECT_EQ(window.size(), 8u);
  window.Report(8, 8);
  EXPECT_EQ(window.size(), 8u);
  window.Report(8, 7);
  EXPECT_EQ(window.size(), 4u);
  window.Report(4, 0);
  window.Report(2, 0);
  EXPECT_EQ(window.size(), 1u);
  window.Report(1, 0);
  EXPECT_EQ(window.size(), 1u);
}

TEST(CopyWindow, DoublesBelowAnOddMostAndThenReachesIt) {
  CopyWindow window(1, 7, 3);
  for (const uint64_t want : {6u, 7u, 7u}) {
    window.Report(1, 1);
    EXPECT_EQ(window.size(), want);
  }
}

TEST(CopyWindow, BoundsHoldAtTheEdges) {
  EXPECT_EQ(CopyWindow(3, 5, 1).size(), 3u);
  EXPECT_EQ(CopyWindow(3, 5, 9).size(), 5u);
  CopyWindow odd(3, 5, 3);
  odd.Report(3, 3);
  EXPECT_EQ(odd.size(), 5u);
  CopyWindow huge(1, UINT64_MAX, UINT64_MAX);
  huge.Report(1, 1);
  EXPECT_EQ(huge.size(), UINT64_MAX);
}

// Steps skipped after a miss.
uint64_t Skipped(MissBackoff& backoff) {
  uint64_t skipped = 0;
  while (!backoff.Ask()) ++skipped;
  return skipped;
}

TEST(MissBackoff, DoublesUpToItsMostAndEndsWithTheFirstAcceptedToken) {
  MissBackoff backoff(16);
  EXPECT_EQ(Skipped(backoff), 0u);
  for (const uint64_t want : {1u, 2u, 4u, 8u, 16u, 16u, 16u}) {
    backoff.Report(0);
    EXPECT_EQ(Skipped(backoff), want);
  }
  backoff.Report(1);
  EXPECT_EQ(Skipped(backoff), 0u);
  backoff.Report(0);
  EXPECT_EQ(Skipped(backoff), 1u);
}

TEST(MissBackoff, StaysAtItsMostHoweverManyMisses) {
  MissBackoff backoff(3);
  for (int i = 0; i < 200; ++i) {
    backoff.Report(0);
    ASSERT_EQ(Skipped(backoff), std::min(uint64_t{1} << std::min(i, 10), uint64_t{3})) << i;
  }
}

TEST(MissBackoff, EndsAtOnceWithAnAcceptedToken) {
  MissBackoff backoff(16);
  backoff.Report(0);
  backoff.Report(0);
  backoff.Report(1);
  EXPECT_EQ(Skipped(backoff), 0u);
}

TEST(MissBackoff, NoneAtAllWithAMostOfZero) {
  MissBackoff backoff(0);
  for (int i = 0; i < 3; ++i) {
    backoff.Report(0);
    EXPECT_EQ(Skipped(backoff), 0u);
  }
}

}  // namespace
}  // namespace lockstep
