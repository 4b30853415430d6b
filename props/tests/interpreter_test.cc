#include "props/harness/interpreter.h"

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "props/harness/exact_judge.h"

namespace lockstep {
namespace {

constexpr ScopeKey kScope = {1, 2, 3, 4};

// A cache that does what the test says with the arrays it is given.
struct FakeCache : CacheHandle {
  lockstep_status Insert(const ScopeKey& scope, const Token* doc, size_t count) override {
    return on_insert(scope, doc, count);
  }
  size_t Propose(const ScopeKey&, const Token* history, size_t count, Token* out,
                 size_t max_len) override {
    return on_propose(history, count, out, max_len);
  }
  bool has_batch() const override { return on_batch != nullptr; }
  void ProposeBatch(lockstep_proposal* proposals, size_t count) override {
    on_batch(proposals, count);
  }
  uint64_t StoredTokens(const ScopeKey&) const override { return 7; }
  uint64_t ScopeCount() const override { return 3; }
  std::string LastError() const override { return "because"; }

  std::function<lockstep_status(const ScopeKey&, const Token*, size_t)> on_insert;
  std::function<size_t(const Token*, size_t, Token*, size_t)> on_propose;
  std::function<void(lockstep_proposal*, size_t)> on_batch;
};

// Whether arrays lie against guard pages, and how many calls went before: an array's other end
// touches the page every second time.
struct Case {
  bool guard_pages;
  int earlier_calls;
};

class InterpreterTest : public testing::TestWithParam<Case> {
 protected:
  InterpreterTest() : interpreter_({.guard_pages = GetParam().guard_pages}) {
    fake_.on_insert = [](const ScopeKey&, const Token*, size_t) { return LOCKSTEP_OK; };
    fake_.on_propose = [](const Token*, size_t, Token*, size_t) { return size_t{0}; };
    for (int i = 0; i < GetParam().earlier_calls; ++i) {
      Run(Insert(kScope, {1, 2, 3}));
      Run(Propose(kScope, {1, 2, 3}, 4));
    }
  }

  Answer Run(const Operation& op) {
    std::vector<Answer> answers = interpreter_.Step(fake_, absl::MakeConstSpan(&op, 1));
    EXPECT_EQ(answers.size(), 1u);
    return answers.at(0);
  }

  Interpreter interpreter_;
  FakeCache fake_;
};

TEST_P(InterpreterTest, HonestProposalTouchesNothingElse) {
  fake_.on_propose = [](const Token* history, size_t count, Token* out, size_t max_len) {
    EXPECT_EQ(std::vector<Token>(history, history + count), (std::vector<Token>{5, 6}));
    EXPECT_EQ(max_len, 4u);
    out[0] = 9;
    out[1] = 8;
    return size_t{2};
  };
  const Answer answer = Run(Propose(kScope, {5, 6}, 4));
  EXPECT_EQ(answer.written, 2u);
  EXPECT_EQ(answer.draft, (std::vector<Token>{9, 8}));
  EXPECT_FALSE(answer.touched_past_written || answer.touched_past_max_len || answer.changed_input);
  EXPECT_TRUE(answer.observed);
  EXPECT_EQ(answer.stored_tokens, 7u);
  EXPECT_EQ(answer.scope_count, 3u);
  EXPECT_EQ(answer.error, "");
}

TEST_P(InterpreterTest, ScribblingPastTheCountIsSeen) {
  fake_.on_propose = [](const Token*, size_t, Token* out, size_t) {
    out[3] = 0;
    return size_t{1};
  };
  const Answer answer = Run(Propose(kScope, {5}, 4));
  EXPECT_TRUE(answer.touched_past_written);
  EXPECT_FALSE(answer.touched_past_max_len);
}

TEST_P(InterpreterTest, ConstantScribblingIsSeenOnTheNextCallIfNotOnThis) {
  // Whatever one value it writes, the pattern is another on most calls.
  Token learned = 0;
  fake_.on_propose = [&](const Token*, size_t, Token* out, size_t) {
    if (learned == 0) learned = out[1];
    out[1] = learned;
    return size_t{0};
  };
  EXPECT_FALSE(Run(Propose(kScope, {5}, 4)).touched_past_written);
  EXPECT_TRUE(Run(Propose(kScope, {5}, 4)).touched_past_written);
}

TEST_P(InterpreterTest, MoreThanMaxLenIsReportedAndNotRead) {
  fake_.on_propose = [](const Token*, size_t, Token*, size_t) { return SIZE_MAX; };
  const Answer answer = Run(Propose(kScope, {5}, 4));
  EXPECT_EQ(answer.written, SIZE_MAX);
  EXPECT_EQ(answer.draft.size(), 4u);
}

TEST_P(InterpreterTest, WritesToInputsAreSeen) {
  fake_.on_propose = [](const Token* history, size_t, Token*, size_t) {
    ++const_cast<Token*>(history)[1];
    return size_t{0};
  };
  fake_.on_insert = [](const ScopeKey& scope, const Token*, size_t) {
    ++const_cast<ScopeKey&>(scope).tenant;
    return LOCKSTEP_OK;
  };
  EXPECT_TRUE(Run(Propose(kScope, {5, 6}, 4)).changed_input);
  EXPECT_TRUE(Run(Insert(kScope, {5, 6})).changed_input);
}

TEST_P(InterpreterTest, HugeMaxLenIsPassedOnWithRoomForTheLongestDocument) {
  std::vector<Token> doc(10'000, 3);
  Run(Insert(kScope, doc));
  fake_.on_propose = [&](const Token*, size_t, Token* out, size_t max_len) {
    EXPECT_EQ(max_len, SIZE_MAX);
    std::copy(doc.begin(), doc.end(), out);
    return doc.size();
  };
  const Answer answer = Run(Propose(kScope, {5, 6}, SIZE_MAX));
  EXPECT_EQ(answer.draft, doc);
  EXPECT_FALSE(answer.touched_past_written || answer.touched_past_max_len);
}

TEST_P(InterpreterTest, ErrorTextComesWithAFailedInsert) {
  fake_.on_insert = [](const ScopeKey&, const Token*, size_t) { return LOCKSTEP_INTERNAL; };
  const Answer answer = Run(Insert(kScope, {5, 6}));
  EXPECT_EQ(answer.status, LOCKSTEP_INTERNAL);
  EXPECT_EQ(answer.error, "because");
}

TEST_P(InterpreterTest, BatchIsOneCallAndItsAnswersAreInOrder) {
  int batches = 0;
  fake_.on_batch = [&](lockstep_proposal* proposals, size_t count) {
    ++batches;
    for (size_t i = 0; i < count; ++i) {
      proposals[i].out[0] = proposals[i].history[0] + 1;
      proposals[i].written = 1;
    }
  };
  std::vector<Operation> ops = {Propose(kScope, {10}, 4), Propose(kScope, {20}, 4),
                                Propose(kScope, {30}, 4), Insert(kScope, {1})};
  ops[1].batched = ops[2].batched = true;
  EXPECT_EQ(Interpreter::StepLength(ops), 3u);
  const std::vector<Answer> answers = interpreter_.Step(fake_, ops);
  EXPECT_EQ(batches, 1);
  ASSERT_EQ(answers.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(answers[i].draft, (std::vector<Token>{static_cast<Token>(10 * (i + 1) + 1)}));
    EXPECT_FALSE(answers[i].changed_input);
  }
}

TEST_P(InterpreterTest, BatchThatForgetsWrittenOrChangesAFieldIsSeen) {
  fake_.on_batch = [&](lockstep_proposal* proposals, size_t) { ++proposals[1].count; };
  std::vector<Operation> ops = {Propose(kScope, {10}, 4), Propose(kScope, {20}, 4)};
  ops[1].batched = true;
  const std::vector<Answer> answers = interpreter_.Step(fake_, ops);
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_GT(answers[0].written, 4u);
  EXPECT_FALSE(answers[0].changed_input);
  EXPECT_TRUE(answers[1].changed_input);
}

TEST_P(InterpreterTest, BatchWithoutTheFunctionBecomesSingleCalls) {
  int calls = 0;
  fake_.on_propose = [&](const Token*, size_t, Token*, size_t) { return ++calls, size_t{0}; };
  std::vector<Operation> ops = {Propose(kScope, {10}, 4), Propose(kScope, {20}, 4)};
  ops[1].batched = true;
  EXPECT_EQ(interpreter_.Step(fake_, ops).size(), 2u);
  EXPECT_EQ(calls, 2);
}

INSTANTIATE_TEST_SUITE_P(Guards, InterpreterTest,
                         testing::Values(Case{false, 0}, Case{true, 0}, Case{true, 1}),
                         [](const auto& test) {
                           return std::string(test.param.guard_pages ? "Guarded" : "Plain") +
                                  std::to_string(test.param.earlier_calls);
                         });

TEST(Interpreter, EmptyInputsAreNullEverySecondTime) {
  FakeCache fake;
  int nulls = 0;
  fake.on_insert = [&](const ScopeKey&, const Token* doc, size_t) {
    nulls += doc == nullptr;
    return LOCKSTEP_OK;
  };
  fake.on_propose = [&](const Token* history, size_t, Token* out, size_t) {
    nulls += (history == nullptr) + (out == nullptr);
    return size_t{0};
  };
  Interpreter interpreter({.guard_pages = true});
  const std::vector<Operation> ops = {Insert(kScope, {}), Propose(kScope, {}, 0)};
  for (int i = 0; i < 4; ++i) {
    interpreter.Step(fake, absl::MakeConstSpan(ops).subspan(i % 2));
  }
  EXPECT_EQ(nulls, 3);
}

TEST(Interpreter, OneTokenTooFarTouchesACanaryWithoutGuardPages) {
  FakeCache fake;
  for (const ptrdiff_t offset : {ptrdiff_t{5}, ptrdiff_t{-1}, ptrdiff_t{40}}) {
    fake.on_propose = [&](const Token*, size_t, Token* out, size_t) {
      out[offset] = 1;
      return size_t{0};
    };
    Interpreter interpreter({});
    const std::vector<Operation> ops = {Propose(kScope, {1}, 5)};
    EXPECT_TRUE(interpreter.Step(fake, ops).at(0).touched_past_max_len) << offset;
  }
}

TEST(RunBeside, StopsAtTheFirstDifferenceFromTheModel) {
  CreateResult created =
      CreateCache(OwnCore(), {.budget_bytes = 6144, .max_scopes = 1, .key_len = 2});
  const ModelOptions options = {
      .slots = 256, .ring_tokens = 1024, .key_len = 3, .max_scopes = 1};  // another key_len
  ExactJudge judge(options);
  const std::vector<Operation> ops = {Propose(kScope, {1, 2, 3}, 4), Insert(kScope, {1, 2, 3})};
  const std::optional<Finding> finding = RunBeside(*created.cache, judge, ops);
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->op_index, 1u);
}

}  // namespace
}  // namespace lockstep
