// Prompt lookup: drafts for one sequence out of its own history, and how boldly to draft.
//
// The shared cache answers from other requests; before it is asked, a sequence looks at what it
// holds itself. Everything here belongs to one sequence and is used by one thread.

#ifndef LOCKSTEP_OWN_HISTORY_H_
#define LOCKSTEP_OWN_HISTORY_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "lockstep/types.h"

namespace lockstep {

// A sequence's history and an index of its n-grams.
//
// The index is an open-addressing table with one slot per distinct n-gram: where its latest
// occurrence ended. Every position remembers the occurrence before it, so that taking tokens back
// undoes exactly what appending them did; no entry is ever stale, and an n-gram is compared token
// by token before it is believed.
class OwnHistory {
 public:
  // More tokens than this do not fit the index's 32-bit positions.
  static constexpr size_t kMaxTokens = UINT32_MAX - 1;

  // Requires: key_len is at least 1.
  explicit OwnHistory(size_t key_len);

  // Appends tokens to the history.
  //
  // Requires: size() stays within kMaxTokens; `tokens` are not those of this history.
  // Cost:     per token one hash step and one table slot, amortised; no allocation once the
  //           history has been as long before.
  void Append(absl::Span<const Token> tokens);
  void Append(Token token) { Append(absl::MakeConstSpan(&token, 1)); }

  // Takes back all tokens from `size` on; as if they had never been appended.
  //
  // Requires: size <= this->size().
  // Cost:     one hash step and one table slot per token taken back.
  void Rewind(size_t size);

  // Forgets everything and keeps the memory. Cost: constant.
  void Clear();

  // What followed the latest earlier occurrence of the last key_len tokens, at most `max_len`
  // tokens: up to the history's end, no further. The occurrence may overlap the tail; it must have
  // a following token. Empty when there is none.
  //
  // Cost: one table lookup. The span is valid until the history changes.
  absl::Span<const Token> Draft(size_t max_len) const;

  absl::Span<const Token> tokens() const { return tokens_; }
  size_t size() const { return tokens_.size(); }
  size_t key_len() const { return key_len_; }

 private:
  // A key that ends at `end`: the tokens [end - key_len, end). `end` 0 is an empty slot.
  struct Slot {
    uint32_t end = 0;
    uint32_t tag = 0;  // bits of the hash, so that most other keys need no comparison
  };

  void Reserve(size_t tokens);
  void Enter(size_t end);
  void PopToken();
  Slot& Find(uint64_t hash, uint32_t end);
  const Slot& Find(uint64_t hash, uint32_t end) const;
  bool SameKey(uint32_t a, uint32_t b) const;

  size_t key_len_;
  uint64_t oldest_weight_ = 1;  // what multiplies the oldest token of a key in the hash
  uint64_t hash_ = 0;           // of the last key_len tokens, or of all while there are fewer
  std::vector<Token> tokens_;
  std::vector<uint32_t> previous_;  // by end: the end before it of the same key, or 0
  std::vector<Slot> slots_;         // only the first slot_mask_ + 1 are in use
  size_t slot_mask_ = 0;
};

// How many tokens a draft may have: doubles when all of a draft was accepted, halves otherwise.
class CopyWindow {
 public:
  // Requires: 1 <= min <= max.
  CopyWindow(uint64_t min, uint64_t max, uint64_t start);

  uint64_t size() const { return size_; }

  // Tells what became of a draft of `drafted` >= 1 tokens.
  void Report(uint64_t drafted, uint64_t accepted);

 private:
  uint64_t min_;
  uint64_t max_;
  uint64_t size_;
};

// Leaves drafting alone for a while after drafts of which nothing was accepted: for 1 step, then 2,
// 4, ... up to `max_steps`; back to none once any token is accepted.
class MissBackoff {
 public:
  explicit MissBackoff(uint64_t max_steps) : max_steps_(max_steps) {}

  // Whether this step may ask for a draft. Call once a step.
  bool Ask();

  // Tells what became of a draft of at least one token.
  void Report(uint64_t accepted);

 private:
  uint64_t max_steps_;
  uint64_t next_ = 1;  // steps to skip after the next miss
  uint64_t skip_ = 0;  // steps still to be skipped
};

}  // namespace lockstep

#endif  // LOCKSTEP_OWN_HISTORY_H_
