#include "bench/replay/decode.h"

#include <algorithm>

namespace lockstep {
namespace {

// How many tokens a step may ask for, and what it learns from the answer.
class Drafter {
 public:
  Drafter(DraftPolicy policy, uint64_t max_draft)
      : policy_(policy),
        max_draft_(max_draft),
        window_(1, max_draft, std::min<uint64_t>(2, max_draft)),
        backoff_(kMostStepsSkipped) {}

  // Call once a step; 0 means that the step asks nobody.
  uint64_t NextLimit() {
    if (policy_ == DraftPolicy::kPlain) return max_draft_;
    return backoff_.Ask() ? window_.size() : 0;
  }

  void Report(uint64_t drafted, uint64_t accepted) {
    window_.Report(drafted, accepted);
    backoff_.Report(accepted);
  }

 private:
  DraftPolicy policy_;
  uint64_t max_draft_;
  CopyWindow window_;
  MissBackoff backoff_;
};

size_t CommonPrefix(absl::Span<const Token> a, absl::Span<const Token> b) {
  const size_t len = std::min(a.size(), b.size());
  return static_cast<size_t>(std::mismatch(a.begin(), a.begin() + len, b.begin()).first -
                             a.begin());
}

}  // namespace

void SourceCounts::Add(const SourceCounts& other) {
  drafts += other.drafts;
  drafted += other.drafted;
  accepted += other.accepted;
}

void DecodeCounts::Add(const DecodeCounts& other) {
  steps += other.steps;
  own.Add(other.own);
  shared.Add(other.shared);
}

DecodeCounts Decode(OwnHistory& history, absl::Span<const Token> output, DraftPolicy policy,
                    uint64_t max_draft, const SharedSource& shared) {
  DecodeCounts counts;
  Drafter drafter(policy, max_draft);
  while (!output.empty()) {
    ++counts.steps;
    absl::Span<const Token> draft;
    SourceCounts* source = &counts.own;
    if (const uint64_t limit = drafter.NextLimit(); limit > 0) {
      draft = history.Draft(limit);
      if (draft.empty() && shared) {
        draft = shared(history.tokens(), limit);
        source = &counts.shared;
      }
    }
    size_t accepted = 0;
    if (!draft.empty()) {
      accepted = CommonPrefix(draft, output);
      ++source->drafts;
      source->drafted += draft.size();
      source->accepted += accepted;
      drafter.Report(draft.size(), accepted);
    }
    const size_t emitted = std::min(accepted + 1, output.size());
    history.Append(output.first(emitted));
    output.remove_prefix(emitted);
  }
  return counts;
}

}  // namespace lockstep
