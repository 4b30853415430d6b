#include "props/harness/model_story.h"

#include <algorithm>
#include <bit>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "lockstep/ngram_key.h"
#include "props/harness/describe.h"

namespace lockstep {
namespace {

std::string Times(uint64_t count, const char* what) {
  return count == 1 ? absl::StrCat("one ", what) : absl::StrCat(count, " ", what, "s");
}

}  // namespace

std::string DescribeCall(const Operation& op) {
  if (op.kind == Operation::Kind::kInsert) {
    return absl::StrCat("insert under ", DescribeScope(op.scope), ": ", DescribeTokens(op.tokens));
  }
  return absl::StrCat("propose under ", DescribeScope(op.scope), " after ",
                      DescribeTokens(op.tokens), ", at most ", op.max_len,
                      op.batched ? ", in one call with the proposal before" : "");
}

uint64_t ModelStory::Now(Situation situation) const {
  const auto i = static_cast<size_t>(situation);
  return model_.situations().of[i] - before_.of[i];
}

uint64_t ModelStory::Oldest(const ExactModel::Scope& scope) const {
  const ModelOptions& o = model_.options();
  const uint64_t written = scope.head - o.first_position;
  return written <= o.ring_tokens ? o.first_position : scope.head - o.ring_tokens;
}

ModelStory::Chapter ModelStory::Tell(const Operation& op) {
  before_ = model_.situations();
  const ExactModel::Scope* const scope = model_.scope(op.scope);
  const uint64_t head_before = scope == nullptr ? model_.options().first_position : scope->head;
  Chapter chapter;
  chapter.expected = model_.Apply(op);
  chapter.text = op.kind == Operation::Kind::kInsert ? TellInsert(op, chapter.expected, head_before)
                                                     : TellPropose(op, chapter.expected);
  return chapter;
}

std::string ModelStory::TellInsert(const Operation& op, const Answer& expected,
                                   uint64_t head_before) const {
  if (expected.status != LOCKSTEP_OK) return "It holds the reserved token, so it is refused.";
  const ModelOptions& o = model_.options();
  if (Now(Situation::kShortDocument) > 0) {
    return absl::StrCat("With ", Times(op.tokens.size(), "token"), " it is no longer than a key (",
                        o.key_len, "): nothing happens.");
  }
  std::string text;
  if (Now(Situation::kScopeDropped) > 0) {
    text += "At the limit, the least recently used scope is dropped whole. ";
  }
  if (Now(Situation::kScopeMade) > 0) text += "The scope is made. ";
  if (Now(Situation::kTailCut) > 0) {
    absl::StrAppend(&text, "Only its last ", o.ring_tokens - 1, " tokens count. ");
  }
  const ExactModel::Scope& scope = *model_.scope(op.scope);
  if (Now(Situation::kNothingWritten) > 0) {
    text += "Every key already predicts its next token, so nothing is written. ";
  } else {
    absl::StrAppend(&text, "Positions ", head_before, " to ", scope.head - 1, " are written in ",
                    Times(Now(Situation::kRunStarted) + Now(Situation::kRunResumed), "run"));
    if (const uint64_t cut = Now(Situation::kRunCut)) {
      absl::StrAppend(&text, ", ", cut == 1 ? "one" : absl::StrCat(cut), " cut at ",
                      o.duplicate_limit, " predicted tokens in a row");
    }
    text += Now(Situation::kRingWrapped) > 0 ? ", over older ones. " : ". ";
  }
  absl::StrAppend(&text, "Head ", scope.head, ", oldest live position ", Oldest(scope), "; stored ",
                  expected.stored_tokens, "; ", Times(expected.scope_count, "scope"), ".");
  return text;
}

std::string ModelStory::TellPropose(const Operation& op, const Answer& expected) const {
  if (Now(Situation::kProposeAbsentScope) > 0) return "The scope does not exist: no draft.";
  if (Now(Situation::kProposeZeroLen) > 0) return "Nothing is asked for: no draft.";
  if (Now(Situation::kProposeShortHistory) > 0) {
    return absl::StrCat("The history is shorter than a key (", model_.options().key_len,
                        "): no draft.");
  }
  if (Now(Situation::kProposeReservedHistory) > 0) {
    return "The reserved token is among the key's: no draft.";
  }
  return TellSlot(op) + (expected.written > 0 ? TellDraft(op, expected) : "");
}

// Where the key's slot points, and whether that is believed.
std::string ModelStory::TellSlot(const Operation& op) const {
  const ModelOptions& o = model_.options();
  const ExactModel::Scope& scope = *model_.scope(op.scope);
  const auto key = absl::MakeConstSpan(op.tokens).last(o.key_len);
  const uint64_t slot = SlotIndex(NgramKey(key), std::countr_zero(o.slots));
  const uint64_t position = scope.slots[slot];
  std::string text = absl::StrCat("The key ", DescribeTokens(key), " has slot ", slot, ", ");
  if (position == 0) return text + "which is empty: no draft.";
  absl::StrAppend(&text, "which points at position ", position, " (cell ", position % o.ring_tokens,
                  ")");
  if (Now(Situation::kStaleSlotRefused) > 0) {
    return absl::StrCat(text, ", below ", Oldest(scope) + o.key_len,
                        ", the first whose key is still live: no draft.");
  }
  if (Now(Situation::kForeignKeyRefused) > 0) return text + ", where another key ends: no draft.";
  return text;
}

std::string ModelStory::TellDraft(const Operation& op, const Answer& expected) const {
  const ExactModel::Scope& scope = *model_.scope(op.scope);
  const auto key = absl::MakeConstSpan(op.tokens).last(model_.options().key_len);
  const uint64_t slot = SlotIndex(NgramKey(key), std::countr_zero(model_.options().slots));
  const uint64_t end = scope.slots[slot] + expected.written;
  const char* const why = Now(Situation::kDraftEndedByMaxLen) > 0 ? "as many as were asked for"
                                                                  : "up to the end of the run";
  return absl::StrCat(": the draft is ", DescribeTokens(expected.draft), ", ", why, " (position ",
                      end, ").");
}

}  // namespace lockstep
