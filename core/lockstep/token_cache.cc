#include "lockstep/token_cache.h"

#include <algorithm>
#include <iterator>
#include <new>
#include <utility>

#include "lockstep/explained_status.h"

namespace lockstep {

absl::StatusOr<SharedTokenCache> SharedTokenCache::Make(const CacheConfig& config) {
  absl::StatusOr<ScopeGeometry> geometry = ComputeGeometry(config);
  if (!geometry.ok()) return geometry.status();
  if (config.key_len >= geometry->ring_tokens - 1) {
    return ExplainedStatus(absl::StatusCode::kInvalidArgument, "key_len ", config.key_len,
                           " leaves no token to predict in a ring of ", geometry->ring_tokens,
                           " tokens: lower key_len below ", geometry->ring_tokens - 1,
                           " or raise budget_bytes");
  }
  return SharedTokenCache(config, *geometry);
}

SharedTokenCache::SharedTokenCache(const CacheConfig& config, const ScopeGeometry& geometry)
    : config_(config), geometry_(geometry) {}

absl::Status SharedTokenCache::Insert(const ScopeKey& scope, absl::Span<const Token> doc) {
  const auto reserved = std::find(doc.begin(), doc.end(), kReservedToken);
  if (reserved != doc.end()) {
    return ExplainedStatus(absl::StatusCode::kInvalidArgument, "token ", reserved - doc.begin(),
                           " of ", doc.size(), " is the reserved token ", kReservedToken,
                           ": no token id may be that");
  }
  if (doc.size() <= config_.key_len) return absl::OkStatus();
  absl::StatusOr<Scope*> found = FindOrMakeScope(scope);
  if (!found.ok()) return found.status();
  (*found)->Insert(doc);
  return absl::OkStatus();
}

absl::StatusOr<Scope*> SharedTokenCache::FindOrMakeScope(const ScopeKey& key) try {
  if (const auto it = scopes_.find(key); it != scopes_.end()) {
    by_use_.splice(by_use_.begin(), by_use_, it->second);
    return &it->second->scope;
  }
  if (scopes_.size() < config_.max_scopes) {
    absl::StatusOr<Scope> scope = Scope::Make({.slots = geometry_.slots,
                                               .ring_tokens = geometry_.ring_tokens,
                                               .key_len = config_.key_len});
    if (!scope.ok()) return scope.status();
    std::list<Entry> made;
    made.push_back({key, *std::move(scope)});
    scopes_.emplace(key, made.begin());
    by_use_.splice(by_use_.begin(), made);
  } else {
    // The old key's node becomes the new one's: nothing is allocated, so nothing can fail.
    const auto oldest = std::prev(by_use_.end());
    auto node = scopes_.extract(oldest->key);
    node.key() = key;
    scopes_.insert(std::move(node));
    oldest->key = key;
    oldest->scope.Reset();
    by_use_.splice(by_use_.begin(), by_use_, oldest);
  }
  return &by_use_.front().scope;
} catch (const std::bad_alloc&) {
  return ExplainedStatus(absl::StatusCode::kResourceExhausted,
                         "no memory for the bookkeeping of one more scope");
}

size_t SharedTokenCache::Propose(const ScopeKey& scope, absl::Span<const Token> history, Token* out,
                                 size_t max_len) {
  const auto it = scopes_.find(scope);
  if (it == scopes_.end()) return 0;
  by_use_.splice(by_use_.begin(), by_use_, it->second);
  return it->second->scope.Propose(history, out, max_len);
}

uint64_t SharedTokenCache::stored_tokens(const ScopeKey& scope) const {
  const auto it = scopes_.find(scope);
  return it == scopes_.end() ? 0 : it->second->scope.stored_tokens();
}

}  // namespace lockstep
