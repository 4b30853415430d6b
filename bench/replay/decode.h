// The decode loop of a serving engine with speculative decoding, played over one finished request.
//
// At each step a draft may be asked for: first from the sequence's own history, and only if that
// has none from the shared cache. What the model would have said is known, so the accepted tokens
// are the draft's longest common prefix with it, and the step emits one token more than that.

#ifndef LOCKSTEP_BENCH_REPLAY_DECODE_H_
#define LOCKSTEP_BENCH_REPLAY_DECODE_H_

#include <cstdint>
#include <functional>

#include "absl/types/span.h"
#include "lockstep/own_history.h"
#include "lockstep/types.h"

namespace lockstep {

// kPlain: every step asks, for up to max_draft tokens.
// kEngine: a copy window per sequence, starting at min(2, max_draft) within [1, max_draft], bounds
//          every draft; after a draft of which nothing was accepted the next 1, 2, 4, ... 16 steps
//          ask nobody, back to none once a token is accepted.
enum class DraftPolicy : uint8_t { kPlain, kEngine };

inline constexpr uint64_t kMostStepsSkipped = 16;

struct SourceCounts {
  uint64_t drafts = 0;    // that were not empty
  uint64_t drafted = 0;   // tokens in them
  uint64_t accepted = 0;  // tokens

  uint64_t wasted() const { return drafted - accepted; }
  void Add(const SourceCounts& other);
  friend bool operator==(const SourceCounts&, const SourceCounts&) = default;
};

struct DecodeCounts {
  uint64_t steps = 0;
  SourceCounts own;
  SourceCounts shared;

  void Add(const DecodeCounts& other);
  friend bool operator==(const DecodeCounts&, const DecodeCounts&) = default;
};

// Answers for the shared cache: what may follow `history`, at most `max_len` tokens. The span is
// valid until the next call.
using SharedSource =
    std::function<absl::Span<const Token>(absl::Span<const Token> history, uint64_t max_len)>;

// Plays the decoding of `output` after what `history` holds, the prompt; `history` then holds both.
//
// Requires: max_draft is at least 1. `shared` may be empty: then only the own history is asked.
DecodeCounts Decode(OwnHistory& history, absl::Span<const Token> output, DraftPolicy policy,
                    uint64_t max_draft, const SharedSource& shared);

}  // namespace lockstep

#endif  // LOCKSTEP_BENCH_REPLAY_DECODE_H_
