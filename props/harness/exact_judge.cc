#include "props/harness/exact_judge.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "props/harness/describe.h"

namespace lockstep {
namespace {

Finding Make(const char* check, const char* kind, std::string what) {
  return {.check = check, .what = std::move(what), .signature = absl::StrCat(check, ": ", kind)};
}

}  // namespace

std::optional<Finding> CheckBounds(const Operation& op, const Answer& answer, bool may_scribble) {
  if (answer.changed_input) {
    return Make("I5", "input written to", "the call wrote to its input");
  }
  if (op.kind == Operation::Kind::kInsert) return std::nullopt;
  if (answer.written > op.max_len) {
    return Make("I5", "more than max_len",
                absl::StrCat("propose returned ", answer.written, " with max_len ", op.max_len));
  }
  if (answer.touched_past_max_len) {
    return Make("I5", "written past max_len",
                absl::StrCat("propose wrote outside the ", op.max_len, " tokens of out"));
  }
  if (!may_scribble && answer.touched_past_written) {
    return Make("I5", "written past the count",
                absl::StrCat("propose returned ", answer.written, " and wrote to out past that"));
  }
  return std::nullopt;
}

ExactJudge::ExactJudge(const ModelOptions& options, std::set<std::string> only)
    : model_(options), only_(std::move(only)) {}

std::optional<Finding> ExactJudge::Check(const Operation& op, const Answer& answer) {
  const uint64_t index = op_index_++;
  const uint64_t model_before = model_.stored_tokens(op.scope);
  const Answer expected = model_.Apply(op);
  if (expected.written > 0) {
    ++expected_drafts_;
    if (answer.written > 0) ++given_drafts_;
  }
  std::optional<Finding> finding;
  if (enabled("I5")) finding = CheckBounds(op, answer, /*may_scribble=*/false);
  if (!finding && enabled("I6")) finding = CheckUseful(op, expected, answer);
  if (!finding && enabled("I7")) finding = CheckRepeat(op, expected, model_before, answer);
  if (!finding && enabled("model")) finding = CheckModel(op, expected, answer);
  if (finding) finding->op_index = index;
  if (answer.observed) stored_[op.scope] = answer.stored_tokens;
  return finding;
}

std::optional<Finding> ExactJudge::CheckUseful(const Operation& op, const Answer& expected,
                                               const Answer& answer) const {
  if (op.kind != Operation::Kind::kPropose || expected.written == 0 || answer.written > 0) {
    return std::nullopt;
  }
  return Make("I6", "a key that took a slot is not found",
              absl::StrCat("no draft; the key's slot holds a live position, which gives ",
                           DescribeTokens(expected.draft)));
}

std::optional<Finding> ExactJudge::CheckRepeat(const Operation& op, const Answer& expected,
                                               uint64_t model_before, const Answer& answer) const {
  const auto before = stored_.find(op.scope);
  if (op.kind != Operation::Kind::kInsert || expected.status != LOCKSTEP_OK || !answer.observed ||
      op.tokens.size() <= model_.options().key_len || model_before == 0 ||
      expected.stored_tokens != model_before || before == stored_.end() ||
      before->second != model_before || answer.stored_tokens <= before->second) {
    return std::nullopt;
  }
  return Make("I7", "a predicted document was written",
              absl::StrCat("every key of the document predicts its next token, yet ",
                           answer.stored_tokens - before->second, " tokens were written"));
}

std::optional<Finding> ExactJudge::CheckModel(const Operation& op, const Answer& expected,
                                              const Answer& answer) const {
  if (op.kind == Operation::Kind::kInsert && answer.status != expected.status) {
    return Make("model", "status",
                absl::StrCat("insert gave ", DescribeStatus(answer.status),
                             answer.error.empty() ? "" : " \"", answer.error,
                             answer.error.empty() ? "" : "\"", "; the model says ",
                             DescribeStatus(expected.status)));
  }
  if (op.kind == Operation::Kind::kPropose &&
      (answer.written != expected.written || answer.draft != expected.draft)) {
    return Make("model", "draft",
                absl::StrCat("draft ", DescribeTokens(answer.draft), "; the model says ",
                             DescribeTokens(expected.draft)));
  }
  if (op.kind == Operation::Kind::kPropose && answer.touched_past_written) {
    return Make("model", "out past the count",
                absl::StrCat("propose returned ", answer.written, " and wrote to out past that"));
  }
  if (!answer.observed) return std::nullopt;
  if (answer.stored_tokens != expected.stored_tokens) {
    return Make("model", "stored_tokens",
                absl::StrCat("stored_tokens is ", answer.stored_tokens, "; the model says ",
                             expected.stored_tokens));
  }
  if (answer.scope_count != expected.scope_count) {
    return Make("model", "scope_count",
                absl::StrCat("scope_count is ", answer.scope_count, "; the model says ",
                             expected.scope_count));
  }
  return std::nullopt;
}

}  // namespace lockstep
