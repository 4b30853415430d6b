// One scope: a ring of tokens, and a table from n-gram to the position that followed it.
//
// A position is a counter that only grows; position p lives in ring cell p mod ring_tokens. `head`
// is the next position to be written and starts at 1, so that a slot holding 0 is empty. Positions
// in [oldest, head) are live, where oldest = max(head - ring_tokens, 1). A slot remembers the
// latest position written for its n-gram; it is believed only after the ring tokens before that
// position were compared with the key, so a collision or an overwritten position costs a miss and
// never a wrong draft.
//
// Requests that share text would fill the ring with copies. While every token of a document is
// already predicted by the table nothing is written, and a run being written is cut after
// `duplicate_limit` such tokens; the reserved token marks where a run ends.

#ifndef LOCKSTEP_SCOPE_H_
#define LOCKSTEP_SCOPE_H_

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
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
};

class Scope {
 public:
  // Errors: ResourceExhausted when slots and ring cannot be allocated.
  static absl::StatusOr<Scope> Make(const ScopeOptions& options);

  // Learns `doc`, of which only the last ring_tokens - 1 tokens count.
  //
  // Requires: the reserved token is not in `doc`.
  // Cost:     per token one key, one slot read-modify-write, key_len + 1 ring reads on a slot hit;
  //           no allocation.
  void Insert(absl::Span<const Token> doc);

  // Copies to `out` what followed the latest stored occurrence of history's last key_len tokens;
  // returns the tokens written, at most max_len. `out` past them is untouched.
  size_t Propose(absl::Span<const Token> history, Token* out, size_t max_len) const;

  // Forgets everything, as if just made.
  void Reset();

  uint64_t stored_tokens() const { return head_ - options_.first_position; }

 private:
  struct FreeDeleter {
    void operator()(void* p) const { std::free(p); }
  };
  template <typename T>
  using Buffer = std::unique_ptr<T[], FreeDeleter>;

  Scope(const ScopeOptions& options, Buffer<uint64_t> slots, Buffer<Token> ring);

  uint64_t oldest() const;
  Token TokenAt(uint64_t position) const { return ring_[position % options_.ring_tokens]; }
  uint64_t SlotOf(absl::Span<const Token> key) const;
  // The position that follows the latest stored occurrence of `key`, or 0.
  uint64_t Find(absl::Span<const Token> key, uint64_t slot) const;
  void Append(Token token);

  ScopeOptions options_;
  int slot_bits_;
  uint64_t head_;
  Buffer<uint64_t> slots_;
  Buffer<Token> ring_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_SCOPE_H_
