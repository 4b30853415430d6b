// A bounded token cache, shared by the requests of a serving engine, for prompt-lookup speculative
// decoding: it remembers finished requests and guesses how a running sequence goes on.
//
// What always holds; cited elsewhere by these ids:
//
//   I1 inserted slice   A draft that is not empty is a contiguous slice of one document inserted
//                       under its scope since the scope was made, ending at that document's end at
//                       the latest, and the key_len tokens before it in that document equal the
//                       history's last key_len.
//   I2 scope isolation  Calls under one scope change nothing that calls under another can see,
//                       except scope_count and the order of use: which scope is the least recently
//                       used, and so the one dropped whole when one is made at the limit.
//   I3 fixed memory     Slot and ring bytes of a scope are fixed when it is made, and all scopes
//                       together stay within the budget; bookkeeping is at most a small constant
//                       per scope; nothing grows with the number of calls.
//   I4 determinism      In one thread, equal sequences of calls give equal answers: in another
//                       process, on another machine, at another address, at another time (running
//                       out of memory aside).
//   I5 bounds           Never more than max_len tokens are written to `out` and nothing past them;
//                       any max_len and any configuration is survived.
//   I6 usefulness       A key that took a slot, whose position and the key_len positions before it
//                       are live, and whose slot no later key took, is found.
//   I7 cheap repeats    While every key of a document still predicts its next token, inserting it
//                       again writes nothing.

#ifndef LOCKSTEP_TOKEN_CACHE_H_
#define LOCKSTEP_TOKEN_CACHE_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "lockstep/geometry.h"
#include "lockstep/scope_table.h"
#include "lockstep/types.h"

namespace lockstep {

// One proposal of a batch.
struct Proposal {
  ScopeKey scope;
  absl::Span<const Token> history;
  Token* out = nullptr;
  size_t max_len = 0;
  size_t written = 0;  // set by the call
};

// One thread at a time may use a cache; different caches may be used at once.
class SharedTokenCache {
 public:
  // Makes an empty cache; scopes allocate their memory when they are made.
  //
  // Errors: InvalidArgument for what ComputeGeometry refuses, and for key_len >= ring_tokens - 1,
  //         with which no document could ever be stored.
  static absl::StatusOr<SharedTokenCache> Make(const CacheConfig& config);

  // Learns one finished request: its prompt tokens, then its output tokens.
  //
  // Shapes:  doc: any length, oldest first; only the last ring_tokens - 1 tokens are kept.
  // Effects: the scope becomes the most recently used. If it does not exist and max_scopes scopes
  //          do, the least recently used one is dropped whole and its memory taken over. A document
  //          of at most key_len tokens does nothing at all.
  // Errors:  InvalidArgument when the reserved token is anywhere in doc; ResourceExhausted when a
  //          scope cannot be allocated. Either way nothing has changed.
  // Upholds: I1 I2 I3 I4 I7.
  absl::Status Insert(const ScopeKey& scope, absl::Span<const Token> doc);

  // Copies into `out` what followed the latest stored occurrence of history's last key_len tokens.
  //
  // Shapes:   history: any length, oldest first; only the last key_len tokens are read.
  //           out: max_len is the most tokens wanted; room for the longest inserted document is
  //           enough however large max_len is.
  // Returns:  tokens written, in [0, max_len]; 0 means no draft.
  // Effects:  an existing scope becomes the most recently used, even when nothing is found; an
  //           absent one is not made. out past the returned count is untouched.
  // Requires: history and out do not overlap.
  // Cost:     one scope lookup, one slot read, key_len + returned ring reads; no allocation.
  // Upholds:  I1 I2 I4 I5 I6.
  size_t Propose(const ScopeKey& scope, absl::Span<const Token> history, Token* out,
                 size_t max_len);
  size_t Propose(const ScopeKey& scope, absl::Span<const Token> history, absl::Span<Token> out) {
    return Propose(scope, history, out.data(), out.size());
  }

  // Proposes for every sequence of a scheduling step at once: the same answers and the same order
  // of use as from single calls in the order given, several times as fast, because the cache misses
  // of the proposals overlap.
  //
  // Requires: no `out` overlaps the last key_len tokens of any history of the batch.
  // Cost:     as single calls, less the waiting; no allocation.
  // Upholds:  I1 I2 I4 I5 I6.
  void ProposeBatch(absl::Span<Proposal> proposals);

  // Every ring cell written since the scope was made, run marks and repeated keys included; 0 when
  // the scope does not exist. Not a use.
  uint64_t stored_tokens(const ScopeKey& scope) const;

  // Scopes that exist. Not a use.
  size_t scope_count() const { return scopes_.size(); }

  const ScopeGeometry& geometry() const { return geometry_; }
  const CacheConfig& config() const { return config_; }

 private:
  SharedTokenCache(const CacheConfig& config, const ScopeGeometry& geometry);

  void ProposeGroup(absl::Span<Proposal> group);

  CacheConfig config_;
  ScopeGeometry geometry_;
  ScopeTable scopes_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_TOKEN_CACHE_H_
