// Which scopes a cache holds, from its calls alone: the contract fixes the order of use for every
// implementation, so who is dropped need not be asked.

#ifndef LOCKSTEP_BENCH_REPLAY_SCOPE_USE_H_
#define LOCKSTEP_BENCH_REPLAY_SCOPE_USE_H_

#include <cstdint>
#include <list>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "lockstep/types.h"

namespace lockstep {

class ScopeUse {
 public:
  explicit ScopeUse(uint64_t max_scopes) : max_scopes_(max_scopes) {}

  // A proposal: an existing scope is used now, an absent one is not made.
  void Propose(const ScopeKey& scope);

  // An insert of more than key_len tokens: the scope is used now, and made if it is absent. Returns
  // the scope that was dropped for it.
  std::optional<ScopeKey> Insert(const ScopeKey& scope);

  // The scopes that exist, the most recently used first.
  const std::list<ScopeKey>& scopes() const { return by_use_; }

 private:
  uint64_t max_scopes_;
  std::list<ScopeKey> by_use_;
  absl::flat_hash_map<ScopeKey, std::list<ScopeKey>::iterator> places_;
};

}  // namespace lockstep

#endif  // LOCKSTEP_BENCH_REPLAY_SCOPE_USE_H_
