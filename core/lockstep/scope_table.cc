#include "lockstep/scope_table.h"

#include <memory>
#include <new>
#include <utility>

#include "absl/hash/hash.h"

namespace lockstep {
namespace {

constexpr size_t kFirstBucketCount = 16;

}  // namespace

ScopeTable::ScopeTable(const ScopeOptions& options, uint64_t max_scopes, bool scrub)
    : options_(options), max_scopes_(max_scopes), scrub_(scrub) {}

ScopeTable::ScopeTable(ScopeTable&& other) noexcept
    : options_(other.options_),
      max_scopes_(other.max_scopes_),
      scrub_(other.scrub_),
      size_(std::exchange(other.size_, 0)),
      bucket_count_(std::exchange(other.bucket_count_, 0)),
      buckets_(std::move(other.buckets_)) {
  TakeList(other);
}

ScopeTable& ScopeTable::operator=(ScopeTable&& other) noexcept {
  if (this == &other) return *this;
  std::destroy_at(this);
  return *std::construct_at(this, std::move(other));
}

ScopeTable::~ScopeTable() {
  for (size_t i = 0; i < size_; ++i) {
    Entry* const entry = Oldest();
    ends_.newer = entry->newer;
    delete entry;
  }
}

// Takes the whole list of one that is left empty.
void ScopeTable::TakeList(ScopeTable& other) {
  newest_ = std::exchange(other.newest_, nullptr);
  if (newest_ == nullptr) return;
  ends_ = std::exchange(other.ends_, Links{&other.ends_, &other.ends_});
  ends_.older->newer = &ends_;
  ends_.newer->older = &ends_;
}

uint64_t ScopeTable::Hash(const ScopeKey& key) { return absl::Hash<ScopeKey>()(key); }

ScopeTable::Entry* ScopeTable::Find(const ScopeKey& key, uint64_t hash) const {
  if (bucket_count_ == 0) return nullptr;
  for (size_t b = BucketOf(hash); buckets_[b].entry != nullptr; b = BucketOf(b + 1)) {
    if (buckets_[b].hash == hash && buckets_[b].entry->key == key) return buckets_[b].entry;
  }
  return nullptr;
}

const Scope* ScopeTable::Peek(const ScopeKey& key) const {
  const Entry* const entry = Find(key, Hash(key));
  return entry == nullptr ? nullptr : &entry->scope;
}

Scope* ScopeTable::Use(const ScopeKey& key) {
  if (newest_ != nullptr && newest_->key == key) return &newest_->scope;
  return Use(key, Hash(key));
}

Scope* ScopeTable::Use(const ScopeKey& key, uint64_t hash) {
  if (newest_ != nullptr && newest_->key == key) return &newest_->scope;
  Entry* const entry = Find(key, hash);
  if (entry == nullptr) return nullptr;
  MakeNewest(entry);
  return &entry->scope;
}

Scope* ScopeTable::UseOrMake(const ScopeKey& key) {
  const uint64_t hash = Hash(key);
  if (Scope* const scope = Use(key, hash)) return scope;
  Entry* const entry = size_ < max_scopes_ ? Make(key, hash) : TakeOverOldest(key, hash);
  return entry == nullptr ? nullptr : &entry->scope;
}

uint64_t ScopeTable::PrefetchBucket(const ScopeKey& key) const {
  const uint64_t hash = Hash(key);
  if (bucket_count_ != 0) __builtin_prefetch(&buckets_[BucketOf(hash)]);
  return hash;
}

void ScopeTable::PrefetchEntry(uint64_t hash) const {
  if (bucket_count_ == 0) return;
  const Entry* const entry = buckets_[BucketOf(hash)].entry;
  if (entry == nullptr) return;
  __builtin_prefetch(entry);
  __builtin_prefetch(&entry->scope);
}

// Makes room for one more bucket; false when there is no memory.
bool ScopeTable::ReserveBucket() {
  if ((size_ + 1) * 2 <= bucket_count_) return true;
  const size_t count = bucket_count_ == 0 ? kFirstBucketCount : bucket_count_ * 2;
  std::unique_ptr<Bucket[]> grown(new (std::nothrow) Bucket[count]);
  if (grown == nullptr) return false;
  std::swap(grown, buckets_);
  const size_t old_count = std::exchange(bucket_count_, count);
  for (size_t b = 0; b < old_count; ++b) {
    if (grown[b].entry != nullptr) InsertBucket(grown[b].hash, grown[b].entry);
  }
  return true;
}

void ScopeTable::InsertBucket(uint64_t hash, Entry* entry) {
  size_t b = BucketOf(hash);
  while (buckets_[b].entry != nullptr) b = BucketOf(b + 1);
  buckets_[b] = {hash, entry};
}

// Closes the gap: a later bucket of the chain moves into it unless it would then lie before the
// place where its own search begins.
void ScopeTable::EraseBucket(uint64_t hash, const Entry* entry) {
  size_t gap = BucketOf(hash);
  while (buckets_[gap].entry != entry) gap = BucketOf(gap + 1);
  for (size_t b = BucketOf(gap + 1); buckets_[b].entry != nullptr; b = BucketOf(b + 1)) {
    const size_t searched = BucketOf(b - BucketOf(buckets_[b].hash));
    if (searched < BucketOf(b - gap)) continue;
    buckets_[gap] = buckets_[b];
    gap = b;
  }
  buckets_[gap] = {};
}

void ScopeTable::LinkNewest(Entry* entry) {
  entry->newer = &ends_;
  entry->older = ends_.older;
  ends_.older->newer = entry;
  ends_.older = entry;
  newest_ = entry;
}

// Without a branch: where in the list a scope stands cannot be predicted.
void ScopeTable::MakeNewest(Entry* entry) {
  entry->newer->older = entry->older;
  entry->older->newer = entry->newer;
  LinkNewest(entry);
}

ScopeTable::Entry* ScopeTable::Make(const ScopeKey& key, uint64_t hash) {
  // Everything that can fail comes before anything is changed.
  if (!ReserveBucket()) return nullptr;
  absl::StatusOr<Scope> scope = Scope::Make(options_);
  if (!scope.ok()) return nullptr;
  Entry* const entry = new (std::nothrow) Entry(key, *std::move(scope));
  if (entry == nullptr) return nullptr;
  InsertBucket(hash, entry);
  LinkNewest(entry);
  ++size_;
  return entry;
}

ScopeTable::Entry* ScopeTable::TakeOverOldest(const ScopeKey& key, uint64_t hash) {
  Entry* const entry = Oldest();
  EraseBucket(Hash(entry->key), entry);
  InsertBucket(hash, entry);
  entry->key = key;
  entry->scope.Reset(scrub_);
  MakeNewest(entry);
  return entry;
}

}  // namespace lockstep
