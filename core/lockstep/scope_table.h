// The scopes of one cache, in the order of their use, at most max_scopes of them.
//
// A hash table of small buckets (hash and pointer, linear probing, at most half full) leads to an
// entry: the scope, its key, and its neighbours in a list from the most to the least recently used.
// The most recently used scope is found without the table: one request after another often has the
// same scope.

#ifndef LOCKSTEP_SCOPE_TABLE_H_
#define LOCKSTEP_SCOPE_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "lockstep/scope.h"
#include "lockstep/types.h"

namespace lockstep {

class ScopeTable {
 public:
  // All scopes are made with `options`. With `scrub`, a scope that takes the place of a dropped one
  // first overwrites what that one held.
  ScopeTable(const ScopeOptions& options, uint64_t max_scopes, bool scrub);
  ScopeTable(ScopeTable&& other) noexcept;
  ScopeTable& operator=(ScopeTable&& other) noexcept;
  ~ScopeTable();

  // The scope of `key`, or null. Not a use. Cost: one bucket, one entry.
  const Scope* Peek(const ScopeKey& key) const;

  // The scope of `key`, from now on the most recently used one, or null. Cost: constant.
  Scope* Use(const ScopeKey& key);

  // As Use, but makes the scope when it is absent: in the place of the least recently used one when
  // there are max_scopes, without asking for memory.
  //
  // Returns: null when there is no memory; nothing has changed then.
  // Cost:    constant but for the growth of the table, which is rare; with scrub, the time to write
  //          over a scope's memory.
  Scope* UseOrMake(const ScopeKey& key);

  size_t size() const { return size_; }

  // Use in three steps, for many keys at a time: each step asks for the memory that the next one
  // reads. Only the last is a use.
  uint64_t PrefetchBucket(const ScopeKey& key) const;  // returns the key's hash
  void PrefetchEntry(uint64_t hash) const;
  Scope* Use(const ScopeKey& key, uint64_t hash);

 private:
  // Of the list in the order of use, which is a ring through its two ends: no link is ever null.
  struct Links {
    Links* newer = nullptr;
    Links* older = nullptr;
  };
  // The first cache line says which scope this is and when it was used; the second is what a
  // proposal reads of it.
  struct alignas(64) Entry : Links {
    Entry(const ScopeKey& entry_key, Scope entry_scope)
        : key(entry_key), scope(std::move(entry_scope)) {}

    ScopeKey key;
    alignas(64) Scope scope;
  };
  struct Bucket {
    uint64_t hash = 0;
    Entry* entry = nullptr;
  };

  static uint64_t Hash(const ScopeKey& key);
  size_t BucketOf(uint64_t hash) const { return hash & (bucket_count_ - 1); }
  Entry* Find(const ScopeKey& key, uint64_t hash) const;
  bool ReserveBucket();
  void InsertBucket(uint64_t hash, Entry* entry);
  void EraseBucket(uint64_t hash, const Entry* entry);
  Entry* Oldest() const { return static_cast<Entry*>(ends_.newer); }
  void TakeList(ScopeTable& other);
  void LinkNewest(Entry* entry);
  void MakeNewest(Entry* entry);
  Entry* Make(const ScopeKey& key, uint64_t hash);
  Entry* TakeOverOldest(const ScopeKey& key, uint64_t hash);

  ScopeOptions options_;
  uint64_t max_scopes_;
  bool scrub_;
  size_t size_ = 0;
  size_t bucket_count_ = 0;  // 0 or a power of two
  std::unique_ptr<Bucket[]> buckets_;
  Entry* newest_ = nullptr;
  Links ends_{&ends_, &ends_};  // newer than the newest, older than the oldest
};

}  // namespace lockstep

#endif  // LOCKSTEP_SCOPE_TABLE_H_
