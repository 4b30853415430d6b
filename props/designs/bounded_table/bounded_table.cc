// A bounded hash table from n-gram to position, over a ring of whole documents.
//
// Where the contract leaves a design free: the first live occurrence of an n-gram answers, not the
// latest; a full neighbourhood of the table evicts its oldest position; nothing is skipped as a
// duplicate; all memory is taken when the cache is made, bookkeeping included; a document with the
// reserved token is accepted and falls into pieces; `out` past the draft may be written, in whole
// blocks.

#include <algorithm>
#include <bit>
#include <memory>

#include "bounded_table/slab.h"
#include "common/cache.h"

namespace designs {

SlabLayout::SlabLayout(uint64_t per_scope)
    : stride_bytes(per_scope / sizeof(TableEntry) * sizeof(TableEntry)),
      entries(std::bit_floor(stride_bytes / 4 / sizeof(TableEntry))),
      ring_tokens((stride_bytes - sizeof(ScopeHeader) - entries * sizeof(TableEntry)) /
                  sizeof(uint32_t)) {}

namespace {

constexpr uint64_t kNeighbourhood = 8;
constexpr uint64_t kBlock = 8;

uint64_t Mix(uint64_t x) {
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93;
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93;
  return x ^ (x >> 32);
}

uint64_t HashOf(const uint32_t* key, uint64_t key_len) {
  uint64_t hash = key_len;
  for (uint64_t i = 0; i < key_len; ++i) hash = Mix(hash + key[i] + 0x632be59bd9b4e019);
  return hash;
}

class BoundedTable final : public Cache {
 public:
  explicit BoundedTable(const lockstep_config& config)
      : key_len_(config.key_len),
        max_scopes_(config.max_scopes),
        slab_(config.budget_bytes / config.max_scopes, config.max_scopes) {}

  bool Insert(const ScopeKey& key, std::span<const uint32_t> doc) override {
    if (doc.size() <= key_len_) return true;
    ScopeHeader* scope = UseOrMake(key);
    scope->longest_doc = std::max<uint64_t>(scope->longest_doc, doc.size());
    doc = doc.last(std::min<uint64_t>(doc.size(), slab_.layout().ring_tokens - 1));
    uint64_t piece_len = 0;
    for (size_t e = 0; e < doc.size(); ++e) {
      const uint64_t position = Write(scope, doc[e]);
      if (doc[e] == kReserved) {
        piece_len = 0;
        continue;
      }
      if (piece_len >= key_len_) Remember(scope, doc.data() + e - key_len_, position);
      ++piece_len;
    }
    Write(scope, kReserved);
    return true;
  }

  size_t Propose(const ScopeKey& key, std::span<const uint32_t> history, uint32_t* out,
                 size_t max_len) override {
    ScopeHeader* scope = Use(key);
    if (scope == nullptr || max_len == 0 || history.size() < key_len_) return 0;
    const uint32_t* ngram = history.data() + history.size() - key_len_;
    if (std::find(ngram, ngram + key_len_, kReserved) != ngram + key_len_) return 0;
    const TableEntry* entry = Find(scope, ngram, HashOf(ngram, key_len_));
    if (entry == nullptr) return 0;
    return CopyRun(scope, entry->position, out, max_len);
  }

  uint64_t stored_tokens(const ScopeKey& key) const override {
    const ScopeHeader* scope = Peek(key);
    return scope == nullptr ? 0 : std::min(scope->head - 1, slab_.layout().ring_tokens);
  }

  size_t scope_count() const override { return scope_count_; }

 private:
  ScopeHeader* Peek(const ScopeKey& key) const {
    ScopeHeader* scope = most_recent_;
    while (scope != nullptr && scope->key != key) scope = scope->less_recent;
    return scope;
  }

  ScopeHeader* Use(const ScopeKey& key) {
    ScopeHeader* scope = Peek(key);
    if (scope != nullptr && scope != most_recent_) {
      Unlink(scope);
      LinkFirst(scope);
    }
    return scope;
  }

  ScopeHeader* UseOrMake(const ScopeKey& key) {
    ScopeHeader* scope = Use(key);
    if (scope != nullptr) return scope;
    if (scope_count_ < max_scopes_) {
      scope = slab_.Header(scope_count_++);
    } else {
      scope = least_recent_;
      Unlink(scope);
      std::fill_n(slab_.Entries(scope), slab_.layout().entries, TableEntry{});
    }
    scope->key = key;
    scope->head = 1;
    scope->longest_doc = 0;
    LinkFirst(scope);
    return scope;
  }

  void Unlink(ScopeHeader* scope) {
    (scope->more_recent ? scope->more_recent->less_recent : most_recent_) = scope->less_recent;
    (scope->less_recent ? scope->less_recent->more_recent : least_recent_) = scope->more_recent;
  }

  void LinkFirst(ScopeHeader* scope) {
    scope->more_recent = nullptr;
    scope->less_recent = most_recent_;
    (most_recent_ ? most_recent_->more_recent : least_recent_) = scope;
    most_recent_ = scope;
  }

  uint32_t& Cell(ScopeHeader* scope, uint64_t position) const {
    return slab_.Ring(scope)[position % slab_.layout().ring_tokens];
  }

  uint64_t Write(ScopeHeader* scope, uint32_t token) {
    Cell(scope, scope->head) = token;
    return scope->head++;
  }

  // True when the position and the key_len before it are still in the ring.
  bool IsLive(const ScopeHeader* scope, uint64_t position) const {
    return position != 0 && position - key_len_ + slab_.layout().ring_tokens >= scope->head;
  }

  TableEntry* Neighbour(ScopeHeader* scope, uint64_t hash, uint64_t i) const {
    return slab_.Entries(scope) + ((hash + i) & (slab_.layout().entries - 1));
  }

  // The live entry of the n-gram, compared token by token, or nullptr.
  TableEntry* Find(ScopeHeader* scope, const uint32_t* ngram, uint64_t hash) const {
    for (uint64_t i = 0; i < kNeighbourhood; ++i) {
      TableEntry* entry = Neighbour(scope, hash, i);
      if (entry->hash != hash || !IsLive(scope, entry->position)) continue;
      uint64_t same = 0;
      while (same < key_len_ && Cell(scope, entry->position - key_len_ + same) == ngram[same]) {
        ++same;
      }
      if (same == key_len_) return entry;
    }
    return nullptr;
  }

  // Keeps what is known of the n-gram, or else takes a dead neighbour's entry, or the oldest's.
  void Remember(ScopeHeader* scope, const uint32_t* ngram, uint64_t position) {
    const uint64_t hash = HashOf(ngram, key_len_);
    if (Find(scope, ngram, hash) != nullptr) return;
    TableEntry* oldest = Neighbour(scope, hash, 0);
    for (uint64_t i = 1; i < kNeighbourhood; ++i) {
      TableEntry* entry = Neighbour(scope, hash, i);
      if (entry->position < oldest->position) oldest = entry;
    }
    *oldest = {hash, position};
  }

  // Copies whole blocks while they fit, so `out` past the draft is written too: never past max_len,
  // never past the length of the longest document (a caller's buffer may be no longer than that),
  // and never with anything but live tokens of this scope.
  size_t CopyRun(ScopeHeader* scope, uint64_t position, uint32_t* out, size_t max_len) const {
    const uint64_t room = std::min<uint64_t>(max_len, scope->longest_doc);
    uint64_t written = 0;
    while (written < room && position < scope->head) {
      const uint64_t block = std::min({kBlock, room - written, scope->head - position});
      for (uint64_t i = 0; i < block; ++i) out[written + i] = Cell(scope, position + i);
      const uint32_t* end = std::find(out + written, out + written + block, kReserved);
      if (end != out + written + block) return end - out;
      written += block;
      position += block;
    }
    return written;
  }

  uint64_t key_len_;
  uint64_t max_scopes_;
  Slab slab_;
  ScopeHeader* most_recent_ = nullptr;
  ScopeHeader* least_recent_ = nullptr;
  uint64_t scope_count_ = 0;
};

}  // namespace

const char* const kName = "bounded_table";

std::unique_ptr<Cache> MakeCache(const lockstep_config& config, std::string* why) {
  *why = WhatIsWrong(config);
  if (why->empty() && config.key_len >= ContractRingTokens(config) - 1) {
    *why = "key_len is " + std::to_string(config.key_len) +
           ", so no document could be stored; lower key_len or raise budget_bytes";
  }
  if (!why->empty()) return nullptr;
  return std::make_unique<BoundedTable>(config);
}

}  // namespace designs
