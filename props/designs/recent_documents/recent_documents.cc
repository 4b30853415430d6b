// Keeps the most recent documents whole and scans them for the latest occurrence of the key: no
// hash, no table, no duplicates skipped.
//
// Where the contract leaves a design free: documents with the reserved token are refused; any
// key_len is accepted; memory comes lazily zeroed, so that it is touched only as documents fill it;
// there is no propose_batch.

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "common/cache.h"
#include "common/scope_lru.h"

namespace designs {
namespace {

// How far back a proposal looks. A scan of everything would make the cost of a proposal grow with
// the budget.
constexpr uint64_t kScanTokens = 1 << 16;

// Documents, oldest first, each followed by kReserved, without gaps from cell 0 on.
class Documents {
 public:
  explicit Documents(uint64_t capacity)
      : cells_(static_cast<uint32_t*>(std::calloc(capacity, sizeof(uint32_t)))),
        capacity_(capacity) {
    if (cells_ == nullptr) throw std::bad_alloc();
  }
  ~Documents() { std::free(cells_); }
  Documents(const Documents&) = delete;
  Documents& operator=(const Documents&) = delete;

  void Clear() { used_ = 0; }
  uint64_t used() const { return used_; }

  void Add(std::span<const uint32_t> doc) {
    doc = doc.last(std::min<uint64_t>(doc.size(), capacity_ - 1));
    uint64_t dropped = 0;
    while (used_ - dropped + doc.size() + 1 > capacity_) {
      dropped = std::find(cells_ + dropped, cells_ + used_, kReserved) - cells_ + 1;
    }
    used_ -= dropped;
    std::memmove(cells_, cells_ + dropped, used_ * sizeof(uint32_t));
    std::copy(doc.begin(), doc.end(), cells_ + used_);
    used_ += doc.size() + 1;
    cells_[used_ - 1] = kReserved;
  }

  // What followed the latest occurrence of `key` (which holds no kReserved), to the end of its
  // document. Empty when the key was never followed by anything.
  std::span<const uint32_t> After(std::span<const uint32_t> key) const {
    const uint64_t lowest = std::max<uint64_t>(key.size(), used_ - std::min(used_, kScanTokens));
    for (uint64_t end = used_; end-- > lowest;) {
      // Without kReserved in it, an equal key lies inside one document.
      if (cells_[end] == kReserved || cells_[end - 1] != key.back()) continue;
      if (!std::equal(key.begin(), key.end(), cells_ + end - key.size())) continue;
      return {cells_ + end, std::find(cells_ + end, cells_ + used_, kReserved)};
    }
    return {};
  }

 private:
  uint32_t* cells_;
  uint64_t capacity_;
  uint64_t used_ = 0;
};

class RecentDocuments final : public Cache {
 public:
  explicit RecentDocuments(const lockstep_config& config)
      : capacity_(config.budget_bytes / config.max_scopes / sizeof(uint32_t)),
        key_len_(config.key_len),
        scopes_(config.max_scopes) {}

  bool Insert(const ScopeKey& scope, std::span<const uint32_t> doc) override {
    if (std::find(doc.begin(), doc.end(), kReserved) != doc.end()) return false;
    if (doc.size() <= key_len_) return true;
    scopes_.UseOrMake(scope, [this] { return std::make_unique<Documents>(capacity_); }).Add(doc);
    return true;
  }

  size_t Propose(const ScopeKey& scope, std::span<const uint32_t> history, uint32_t* out,
                 size_t max_len) override {
    const Documents* documents = scopes_.Use(scope);
    if (documents == nullptr || max_len == 0 || history.size() < key_len_) return 0;
    const std::span<const uint32_t> key = history.last(key_len_);
    if (std::find(key.begin(), key.end(), kReserved) != key.end()) return 0;
    std::span<const uint32_t> draft = documents->After(key);
    draft = draft.first(std::min(draft.size(), max_len));
    std::copy(draft.begin(), draft.end(), out);
    return draft.size();
  }

  uint64_t stored_tokens(const ScopeKey& scope) const override {
    const Documents* documents = scopes_.Peek(scope);
    return documents == nullptr ? 0 : documents->used();
  }

  size_t scope_count() const override { return scopes_.size(); }

 private:
  uint64_t capacity_;
  uint64_t key_len_;
  ScopeLru<Documents> scopes_;
};

}  // namespace

const char* const kName = "recent_documents";

std::unique_ptr<Cache> MakeCache(const lockstep_config& config, std::string* why) {
  *why = WhatIsWrong(config);
  if (!why->empty()) return nullptr;
  return std::make_unique<RecentDocuments>(config);
}

}  // namespace designs
