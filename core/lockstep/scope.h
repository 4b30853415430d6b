// One scope: a ring of tokens, and a table from n-gram to the position that followed it.
//
// A position is a counter that only grows; position p lives in ring cell p mod ring_tokens. `head`
// is the next position to be written. Positions in [oldest, head) are live, where oldest =
// max(head - ring_tokens, floor); `floor` is the head at which the scope was made. When a dropped
// scope's memory is taken over, only the floor moves: what the slots and the ring still hold lies
// below it and is never believed.
//
// A slot remembers the latest position written for its n-gram. It is believed only while live, and
// after the ring tokens before that position were compared with the key, so a collision or an
// overwritten position costs a miss and never a wrong draft.
//
// Requests that share text would fill the ring with copies. While every token of a document is
// already predicted by the table nothing is written, and a run being written is cut after
// `duplicate_limit` such tokens; the reserved token marks where a run ends.
//
// Where a slot's 64 bits go: the low position_bits hold the low bits of the position, the next one
// is set in a slot that was ever written, and above it are bits of the key's hash, the tag. A key
// that finds another's tag is a miss without a look at the ring, which spares most keys of a fresh
// document one of their two cache misses.
//
// Positions a multiple of 2^position_bits apart look alike, which costs nothing: let the slot of
// key K hold a position p, long dead, that looks like the live position q, and let the tokens
// before q equal K. Whoever wrote q set K's slot to q, and later than p was set; unless q holds the
// mark that ends a run, which sets no slot, continues no draft and equals no token. (Nor do the
// key_len tokens that open a run set a slot, but before each of them lies the mark of the run
// before, or what is dead.)

#ifndef LOCKSTEP_SCOPE_H_
#define LOCKSTEP_SCOPE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "lockstep/ngram_key.h"
#include "lockstep/scope_memory.h"
#include "lockstep/types.h"

namespace lockstep {

// A run is cut when this many tokens in a row were already predicted.
inline constexpr uint32_t kDuplicateLimit = 32;

struct ScopeOptions {
  uint64_t slots = 0;        // a power of two
  uint64_t ring_tokens = 0;  // at least 2
  uint64_t key_len = 0;      // in [1, ring_tokens - 1)
  uint32_t duplicate_limit = kDuplicateLimit;
  uint64_t first_position = 1;  // at least 1; tests start it near 2^32 and 2^63
  int position_bits = 47;       // at most 63; tests change it, for other tags
};

class Scope {
 public:
  // Errors: ResourceExhausted when slots and ring cannot be allocated, or hold
  //         2^position_bits tokens or more.
  static absl::StatusOr<Scope> Make(const ScopeOptions& options);

  // Learns `doc`, of which only the last ring_tokens - 1 tokens count.
  //
  // Requires: the reserved token is not in `doc`.
  // Cost:     per token one key and one slot read-modify-write, prefetched; on a slot hit the ring
  //           tokens of the key, prefetched too; no allocation.
  void Insert(absl::Span<const Token> doc);

  // Copies to `out` what followed the latest stored occurrence of history's last key_len tokens;
  // returns the tokens written, at most max_len. `out` past them is untouched.
  size_t Propose(absl::Span<const Token> history, Token* out, size_t max_len) const;

  // Propose in steps, for many proposals at a time: each step asks for the memory that the next one
  // reads. `key` stays in use until the last.
  struct Lookup {
    const Token* key;
    uint64_t slot;
    uint64_t tag;
  };
  Lookup Look(absl::Span<const Token> history) const;  // Requires: at least key_len tokens.
  Lookup LookUp(const Token* key, uint64_t ngram_key) const;
  void PrefetchSlot(const Lookup& lookup) const;
  // How far behind the head the slot of the key points; 0 when it points nowhere believable.
  uint64_t DistanceFound(const Lookup& lookup) const;
  void PrefetchDraft(uint64_t distance) const;
  size_t CopyDraft(const Lookup& lookup, Token* out, size_t max_len) const {
    return CopyDraft(lookup.key, DistanceFound(lookup), out, max_len);
  }
  size_t CopyDraft(const Token* key, uint64_t distance, Token* out, size_t max_len) const;

  // Forgets everything, as if just made.
  //
  // Cost: constant; with `scrub`, the time to write zeros over the scope's memory.
  void Reset(bool scrub = false);

  // Positions written since the scope was made or reset.
  uint64_t stored_tokens() const { return head_ - floor_; }

  // All that the scope holds of documents, for tests of scrubbing.
  absl::Span<const std::byte> memory() const {
    return {static_cast<const std::byte*>(memory_.data()), memory_.size_bytes()};
  }

 private:
  struct Run;
  struct Keys;

  Scope(const ScopeOptions& options, ScopeMemory memory);

  uint64_t PositionMask() const { return (uint64_t{1} << layout_.tag_shift) - 1; }
  // True when the position at this distance behind the head and the key_len positions before it are
  // live.
  bool Believable(uint64_t distance, uint64_t head) const {
    const uint64_t live = std::min(head - floor_, ring_tokens_);
    return live > key_len_ && distance - 1 < live - key_len_;
  }
  // The ring cell `distance` cells before cell `index`.
  uint64_t IndexBefore(uint64_t index, uint64_t distance) const {
    return index >= distance ? index - distance : index + ring_tokens_ - distance;
  }
  // True when the key_len cells before cell `index` hold `key`.
  bool KeyPrecedes(uint64_t index, const Token* key) const;

  // The parts of Insert, in scope_insert.cc.
  void PrefetchSlots(const Keys& keys) const;
  void PrefetchRing(const Keys& keys, const Run& run) const;
  void Learn(Keys keys, Run& run);
  size_t WriteFresh(const Keys& keys, Run& run);
  size_t WriteEchoed(const Keys& keys, Run& run);
  size_t SkipEchoed(const Keys& keys, Run& run) const;
  void Step(const Keys& keys, Run& run);
  bool IsDuplicate(const Token* token, uint64_t position, Run& run) const;
  size_t BeforeWrap(uint64_t position, size_t count) const;
  size_t EchoedTokens(const Token* tokens, size_t count, const Run& run) const;
  void Append(const Token* tokens, size_t count, Run& run) const;

  // What a proposal reads comes first, to share a cache line.
  uint64_t* slots_;
  Token* ring_;
  uint64_t head_;
  uint64_t head_index_;  // the ring cell of head_
  uint64_t floor_;
  uint64_t ring_tokens_;
  uint64_t key_len_;
  SlotLayout layout_;  // slot xor tag is a position when the tag agrees, else above PositionMask()
  uint32_t duplicate_limit_;
  ScopeMemory memory_;
};

inline Scope::Lookup Scope::LookUp(const Token* key, uint64_t ngram_key) const {
  const uint64_t slot_hash = SlotHash(ngram_key);
  return {.key = key, .slot = layout_.SlotOf(slot_hash), .tag = layout_.TagOf(slot_hash)};
}

inline Scope::Lookup Scope::Look(absl::Span<const Token> history) const {
  const absl::Span<const Token> key = history.last(key_len_);
  return LookUp(key.data(), NgramKey(key));
}

// Into the second level of cache, as an insert does: the first has room for so few misses at a time
// that batches would take a quarter longer.
inline void Scope::PrefetchSlot(const Lookup& lookup) const {
  __builtin_prefetch(slots_ + lookup.slot, 0, 2);
}

inline uint64_t Scope::DistanceFound(const Lookup& lookup) const {
  const uint64_t position = slots_[lookup.slot] ^ lookup.tag;
  if (position > PositionMask()) return 0;
  const uint64_t distance = (head_ - position) & PositionMask();
  return Believable(distance, head_) ? distance : 0;
}

inline void Scope::PrefetchDraft(uint64_t distance) const {
  // The line of the key's last tokens, and the next: a short key and a short draft are in there.
  const Token* const found = ring_ + IndexBefore(head_index_, distance);
  constexpr std::ptrdiff_t kHalfLineTokens = 8;
  __builtin_prefetch(found - kHalfLineTokens, 0, 2);
  __builtin_prefetch(found + kHalfLineTokens - 1, 0, 2);
}

}  // namespace lockstep

#endif  // LOCKSTEP_SCOPE_H_
