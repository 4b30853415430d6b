#include "bench/replay/scope_use.h"

namespace lockstep {

void ScopeUse::Propose(const ScopeKey& scope) {
  if (const auto it = places_.find(scope); it != places_.end()) {
    by_use_.splice(by_use_.begin(), by_use_, it->second);
  }
}

std::optional<ScopeKey> ScopeUse::Insert(const ScopeKey& scope) {
  if (places_.contains(scope)) {
    Propose(scope);
    return std::nullopt;
  }
  std::optional<ScopeKey> dropped;
  if (by_use_.size() == max_scopes_) {
    dropped = by_use_.back();
    places_.erase(*dropped);
    by_use_.pop_back();
  }
  by_use_.push_front(scope);
  places_[scope] = by_use_.begin();
  return dropped;
}

}  // namespace lockstep
