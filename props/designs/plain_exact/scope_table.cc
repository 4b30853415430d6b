#include "scope_table.h"

#include <iterator>
#include <utility>

namespace plain_exact {

bool KeyLess::operator()(const lockstep_scope_key& a, const lockstep_scope_key& b) const {
  if (a.model != b.model) return a.model < b.model;
  if (a.tokenizer != b.tokenizer) return a.tokenizer < b.tokenizer;
  if (a.adapter != b.adapter) return a.adapter < b.adapter;
  return a.tenant < b.tenant;
}

const Scope* ScopeTable::Peek(const lockstep_scope_key& key) const {
  const auto it = by_key_.find(key);
  return it == by_key_.end() ? nullptr : &it->second->scope;
}

Scope* ScopeTable::Use(const lockstep_scope_key& key) {
  const auto it = by_key_.find(key);
  if (it == by_key_.end()) return nullptr;
  by_use_.splice(by_use_.begin(), by_use_, it->second);
  return &it->second->scope;
}

Scope& ScopeTable::UseOrMake(const lockstep_scope_key& key) {
  if (Scope* scope = Use(key)) return *scope;
  if (by_key_.size() >= geometry_.max_scopes) return TakeOverLeastRecent(key);
  return Make(key);
}

Scope& ScopeTable::Make(const lockstep_scope_key& key) {
  // In a list of its own until the map has its node too, so that a throw leaves nothing behind.
  Entries made;
  made.emplace_front(key, geometry_);
  by_key_.emplace(key, made.begin());
  by_use_.splice(by_use_.begin(), made);
  return by_use_.front().scope;
}

Scope& ScopeTable::TakeOverLeastRecent(const lockstep_scope_key& key) {
  const auto last = std::prev(by_use_.end());
  auto node = by_key_.extract(last->key);
  node.key() = key;
  by_key_.insert(std::move(node));
  last->key = key;
  last->scope.Clear();
  by_use_.splice(by_use_.begin(), by_use_, last);
  return last->scope;
}

}  // namespace plain_exact
