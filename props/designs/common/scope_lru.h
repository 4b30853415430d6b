// Scopes in the order of their use, at most a fixed number of them.

#ifndef PROPS_DESIGNS_COMMON_SCOPE_LRU_H_
#define PROPS_DESIGNS_COMMON_SCOPE_LRU_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "common/cache.h"

namespace designs {

// `Scope` has a Clear() that makes it as if new in the same memory. Uses are counted, and the scope
// whose last use has the lowest number is the least recently used: a scan finds it, once per drop.
template <typename Scope>
class ScopeLru {
 public:
  explicit ScopeLru(uint64_t max_scopes) : max_scopes_(max_scopes) {}

  // nullptr when absent. Not a use.
  const Scope* Peek(const ScopeKey& key) const {
    const auto it = entries_.find(key);
    return it == entries_.end() ? nullptr : it->second.scope.get();
  }

  // nullptr when absent; otherwise used now.
  Scope* Use(const ScopeKey& key) {
    const auto it = entries_.find(key);
    if (it == entries_.end()) return nullptr;
    it->second.last_use = ++uses_;
    return it->second.scope.get();
  }

  // `make` returns a std::unique_ptr<Scope>; what it throws leaves everything as it was. It is not
  // called when a dropped scope can be taken over.
  template <typename Make>
  Scope& UseOrMake(const ScopeKey& key, const Make& make) {
    if (Scope* scope = Use(key)) return *scope;
    if (entries_.size() < max_scopes_) {
      const auto it = entries_.emplace(key, Entry{make(), ++uses_}).first;
      return *it->second.scope;
    }
    auto least = entries_.begin();
    for (auto it = entries_.begin(); it != entries_.end(); ++it) {
      if (it->second.last_use < least->second.last_use) least = it;
    }
    auto node = entries_.extract(least);
    node.key() = key;
    node.mapped().scope->Clear();
    node.mapped().last_use = ++uses_;
    return *entries_.insert(std::move(node)).position->second.scope;
  }

  size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    std::unique_ptr<Scope> scope;
    uint64_t last_use;
  };

  uint64_t max_scopes_;
  uint64_t uses_ = 0;
  std::map<ScopeKey, Entry> entries_;
};

}  // namespace designs

#endif  // PROPS_DESIGNS_COMMON_SCOPE_LRU_H_
