// The scopes of one cache in the order of their use, at most max_scopes of them.

#ifndef PROPS_DESIGNS_PLAIN_EXACT_SCOPE_TABLE_H_
#define PROPS_DESIGNS_PLAIN_EXACT_SCOPE_TABLE_H_

#include <cstddef>
#include <list>
#include <map>

#include "geometry.h"
#include "lockstep/c_api.h"
#include "scope.h"

namespace plain_exact {

// Orders keys by all four fields.
struct KeyLess {
  bool operator()(const lockstep_scope_key& a, const lockstep_scope_key& b) const;
};

class ScopeTable {
 public:
  explicit ScopeTable(const Geometry& geometry) : geometry_(geometry) {}

  // The scope of `key`, or nullptr. Not a use.
  const Scope* Peek(const lockstep_scope_key& key) const;

  // The scope of `key`, now the most recently used, or nullptr.
  Scope* Use(const lockstep_scope_key& key);

  // The same, but makes the scope when it is absent, in the place of the least recently used one
  // when the table is full.
  //
  // Throws std::bad_alloc, with nothing changed. Dropping never comes to that: the new scope takes
  // over the memory and the table nodes of the dropped one.
  Scope& UseOrMake(const lockstep_scope_key& key);

  size_t size() const { return by_key_.size(); }
  const Geometry& geometry() const { return geometry_; }

 private:
  struct Entry {
    Entry(const lockstep_scope_key& the_key, const Geometry& geometry)
        : key(the_key), scope(geometry) {}
    lockstep_scope_key key;
    Scope scope;
  };
  using Entries = std::list<Entry>;

  Scope& Make(const lockstep_scope_key& key);
  Scope& TakeOverLeastRecent(const lockstep_scope_key& key);

  Geometry geometry_;
  Entries by_use_;  // the most recently used first
  std::map<lockstep_scope_key, Entries::iterator, KeyLess> by_key_;
};

}  // namespace plain_exact

#endif  // PROPS_DESIGNS_PLAIN_EXACT_SCOPE_TABLE_H_
