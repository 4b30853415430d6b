// The last few documents, each with its places sorted by the n-gram that ends there; a proposal is
// a binary search in each document, the newest first.
//
// Where the contract leaves a design free: documents with the reserved token are refused; any
// key_len is accepted; half of the memory goes to the sorted places, so fewer tokens are kept; the
// newest document answers, however short what it has to offer.

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "common/cache.h"
#include "common/scope_lru.h"

namespace designs {
namespace {

constexpr uint64_t kMaxDocuments = 16;
// Places are 32 bits wide, and there is no use in sorting longer documents than this.
constexpr uint64_t kMaxTokens = 1 << 24;
// Off the share of a scope, for the bounds of its documents.
constexpr uint64_t kBookkeepingBytes = 512;

class SortedDocuments {
 public:
  SortedDocuments(uint64_t capacity, uint64_t key_len)
      : capacity_(capacity),
        key_len_(key_len),
        tokens_(std::make_unique_for_overwrite<uint32_t[]>(capacity)),
        places_(std::make_unique_for_overwrite<uint32_t[]>(capacity)) {}

  void Clear() { count_ = 0; }

  uint64_t tokens() const { return count_ == 0 ? 0 : documents_[count_ - 1].end; }

  void Add(std::span<const uint32_t> doc) {
    doc = doc.last(std::min<uint64_t>(doc.size(), capacity_));
    uint64_t dropped = count_ == kMaxDocuments ? 1 : 0;
    const auto kept_from = [&] { return dropped == 0 ? 0 : documents_[dropped - 1].end; };
    while (tokens() - kept_from() + doc.size() > capacity_) ++dropped;
    DropOldest(dropped, kept_from());

    const uint64_t begin = tokens();
    std::copy(doc.begin(), doc.end(), &tokens_[begin]);
    documents_[count_++] = {begin, begin + doc.size()};
    Sort(documents_[count_ - 1]);
  }

  // What followed the key in the newest document that has it followed by anything.
  std::span<const uint32_t> After(const uint32_t* key) const {
    for (uint64_t i = count_; i-- > 0;) {
      const Document& doc = documents_[i];
      const uint32_t* tokens = &tokens_[doc.begin];
      const uint32_t* first = &places_[doc.begin];
      const uint32_t* last = first + Places(doc);
      const uint32_t* place = std::lower_bound(first, last, key, [&](uint32_t at, const auto* k) {
        return Compare(tokens + at - key_len_, k) < 0;
      });
      if (place == last || Compare(tokens + *place - key_len_, key) != 0) continue;
      return {tokens + *place, tokens + (doc.end - doc.begin)};
    }
    return {};
  }

 private:
  struct Document {
    uint64_t begin, end;  // in tokens_, and as many cells of places_
  };

  // Any total order of n-grams will do; this is the cheapest.
  int Compare(const uint32_t* a, const uint32_t* b) const {
    return std::memcmp(a, b, key_len_ * sizeof(uint32_t));
  }

  // Every place that has a whole n-gram before it and a token at it.
  uint64_t Places(const Document& doc) const {
    const uint64_t len = doc.end - doc.begin;
    return len > key_len_ ? len - key_len_ : 0;
  }

  void DropOldest(uint64_t dropped, uint64_t kept_from) {
    const uint64_t kept = tokens() - kept_from;
    std::memmove(&tokens_[0], &tokens_[kept_from], kept * sizeof(uint32_t));
    std::memmove(&places_[0], &places_[kept_from], kept * sizeof(uint32_t));
    for (uint64_t i = dropped; i < count_; ++i) {
      documents_[i - dropped] = {documents_[i].begin - kept_from, documents_[i].end - kept_from};
    }
    count_ -= dropped;
  }

  void Sort(const Document& doc) {
    const uint32_t* tokens = &tokens_[doc.begin];
    uint32_t* first = &places_[doc.begin];
    uint32_t* last = first + Places(doc);
    for (uint32_t* place = first; place != last; ++place) {
      *place = static_cast<uint32_t>(key_len_ + (place - first));
    }
    // Among equal n-grams the latest place comes first.
    std::sort(first, last, [&](uint32_t a, uint32_t b) {
      const int order = Compare(tokens + a - key_len_, tokens + b - key_len_);
      return order != 0 ? order < 0 : a > b;
    });
  }

  uint64_t capacity_;
  uint64_t key_len_;
  std::unique_ptr<uint32_t[]> tokens_;
  std::unique_ptr<uint32_t[]> places_;
  std::array<Document, kMaxDocuments> documents_;
  uint64_t count_ = 0;
};

class SuffixArray final : public Cache {
 public:
  explicit SuffixArray(const lockstep_config& config)
      : capacity_(std::min((config.budget_bytes / config.max_scopes - kBookkeepingBytes) / 8,
                           kMaxTokens)),
        key_len_(config.key_len),
        scopes_(config.max_scopes) {}

  bool Insert(const ScopeKey& scope, std::span<const uint32_t> doc) override {
    if (std::find(doc.begin(), doc.end(), kReserved) != doc.end()) return false;
    if (doc.size() <= key_len_) return true;
    const auto make = [this] { return std::make_unique<SortedDocuments>(capacity_, key_len_); };
    scopes_.UseOrMake(scope, make).Add(doc);
    return true;
  }

  size_t Propose(const ScopeKey& scope, std::span<const uint32_t> history, uint32_t* out,
                 size_t max_len) override {
    const SortedDocuments* documents = scopes_.Use(scope);
    if (documents == nullptr || max_len == 0 || history.size() < key_len_) return 0;
    std::span<const uint32_t> draft = documents->After(history.last(key_len_).data());
    draft = draft.first(std::min(draft.size(), max_len));
    std::copy(draft.begin(), draft.end(), out);
    return draft.size();
  }

  uint64_t stored_tokens(const ScopeKey& scope) const override {
    const SortedDocuments* documents = scopes_.Peek(scope);
    return documents == nullptr ? 0 : documents->tokens();
  }

  size_t scope_count() const override { return scopes_.size(); }

 private:
  uint64_t capacity_;
  uint64_t key_len_;
  ScopeLru<SortedDocuments> scopes_;
};

}  // namespace

const char* const kName = "suffix_array";

std::unique_ptr<Cache> MakeCache(const lockstep_config& config, std::string* why) {
  *why = WhatIsWrong(config);
  if (!why->empty()) return nullptr;
  return std::make_unique<SuffixArray>(config);
}

}  // namespace designs
