#include "props/harness/sound_judge.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace lockstep {
namespace {

constexpr ScopeKey kA{.tenant = 1};
constexpr ScopeKey kB{.tenant = 2};
constexpr ScopeKey kC{.tenant = 3};
constexpr CacheConfig kConfig{.budget_bytes = 12288, .max_scopes = 2, .key_len = 2};

class SoundJudgeTest : public testing::Test {
 protected:
  void Learn(const ScopeKey& scope, std::vector<Token> doc) {
    ASSERT_FALSE(judge_.Check(Insert(scope, std::move(doc)), {.observed = false}).has_value());
  }
  // The check that the draft breaks, or "".
  std::string Judged(const ScopeKey& scope, std::vector<Token> history, std::vector<Token> draft,
                     uint64_t max_len = 8) {
    Answer answer{.written = draft.size(), .draft = std::move(draft), .observed = false};
    const auto finding = judge_.Check(Propose(scope, std::move(history), max_len), answer);
    return finding ? finding->check : "";
  }

  SoundJudge judge_{kConfig};
};

TEST_F(SoundJudgeTest, AnySliceAfterTheKeyIsRight) {
  Learn(kA, {1, 2, 3, 4, 1, 2, 5});
  EXPECT_EQ(Judged(kA, {9, 1, 2}, {3, 4, 1, 2, 5}), "");
  EXPECT_EQ(Judged(kA, {1, 2}, {3}), "");
  EXPECT_EQ(Judged(kA, {1, 2}, {5}), "");
  EXPECT_EQ(Judged(kA, {1, 2}, {}), "");
}

TEST_F(SoundJudgeTest, DraftAfterAnotherKeyIsFound) {
  Learn(kA, {1, 2, 3, 4});
  EXPECT_EQ(Judged(kA, {1, 3}, {4}), "I1");
}

TEST_F(SoundJudgeTest, DraftAcrossTwoDocumentsIsFound) {
  Learn(kA, {1, 2, 3});
  Learn(kA, {4, 5, 6});
  EXPECT_EQ(Judged(kA, {1, 2}, {3, 4}), "I1");
}

TEST_F(SoundJudgeTest, KeyThatSpansTwoDocumentsIsFound) {
  Learn(kA, {1, 2, 3});
  Learn(kA, {4, 5, 6});
  EXPECT_EQ(Judged(kA, {3, 4}, {5}), "I1");
}

TEST_F(SoundJudgeTest, DraftFromAnotherScopeIsFound) {
  Learn(kA, {1, 2, 3});
  Learn(kB, {4, 5, 6});
  EXPECT_EQ(Judged(kB, {1, 2}, {3}), "I1");
}

TEST_F(SoundJudgeTest, DraftFromADroppedScopeIsFound) {
  Learn(kA, {1, 2, 3});
  Learn(kB, {4, 5, 6});
  EXPECT_EQ(Judged(kA, {1, 2}, {}, 0), "");  // A is used: B will be dropped.
  Learn(kC, {7, 8, 9});
  EXPECT_EQ(Judged(kB, {4, 5}, {6}), "I1");
}

TEST_F(SoundJudgeTest, ScopeThatAProposalKeptIsStillThere) {
  Learn(kA, {1, 2, 3});
  Learn(kB, {4, 5, 6});
  EXPECT_EQ(Judged(kA, {}, {}), "");
  Learn(kC, {7, 8, 9});
  EXPECT_EQ(Judged(kA, {1, 2}, {3}), "");
}

TEST_F(SoundJudgeTest, TokensLearntBeforeAScopeWasMadeAgainAreFound) {
  Learn(kA, {1, 2, 3});
  Learn(kB, {4, 5, 6});
  Learn(kC, {7, 8, 9});  // drops A
  Learn(kA, {1, 2, 8});  // drops B, makes A again
  EXPECT_EQ(Judged(kA, {1, 2}, {3}), "I1");
}

TEST_F(SoundJudgeTest, MoreThanMaxLenIsFound) {
  Learn(kA, {1, 2, 3, 4});
  EXPECT_EQ(Judged(kA, {1, 2}, {3, 4}, 1), "I5");
}

TEST_F(SoundJudgeTest, ReservedTokenMayBeRefusedOrAcceptedButNeverDrafted) {
  const Operation insert = Insert(kA, {1, 2, kReservedToken, 3, 4, 5});
  EXPECT_FALSE(judge_.Check(insert, {.status = LOCKSTEP_INVALID_ARGUMENT, .observed = false}));
  EXPECT_FALSE(judge_.Check(insert, {.observed = false}));
  EXPECT_EQ(Judged(kA, {3, 4}, {5}), "");
  EXPECT_EQ(Judged(kA, {1, 2}, {kReservedToken, 3}), "I1");
}

TEST_F(SoundJudgeTest, OtherDocumentsMayNotBeRefused) {
  for (const lockstep_status status : {LOCKSTEP_INVALID_ARGUMENT, LOCKSTEP_INTERNAL}) {
    SoundJudge judge(kConfig);
    const auto finding = judge.Check(Insert(kA, {1, 2, 3}), {.status = status, .observed = false});
    ASSERT_TRUE(finding.has_value());
    EXPECT_EQ(finding->check, "I5");
  }
}

TEST_F(SoundJudgeTest, MoreScopesThanTheLimitAreFound) {
  const auto finding = judge_.Check(Insert(kA, {1, 2, 3}), {.stored_tokens = 4, .scope_count = 3});
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->check, "I2");
}

TEST_F(SoundJudgeTest, ScribblingUpToMaxLenIsAllowedAndPastItIsNot) {
  Answer answer{.touched_past_written = true, .observed = false};
  EXPECT_FALSE(judge_.Check(Propose(kA, {1, 2}, 8), answer).has_value());
  answer.touched_past_max_len = true;
  EXPECT_TRUE(judge_.Check(Propose(kA, {1, 2}, 8), answer).has_value());
}

}  // namespace
}  // namespace lockstep
